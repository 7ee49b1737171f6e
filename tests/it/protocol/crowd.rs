//! Many concurrent calls: all return, and slow calls do not delay others.

use serde_json::json;

use crate::support::{Client, Protocol, Start, Workspace};

#[test]
fn all_concurrent_calls_return() {
    let files = json!({"d/f{n}": {"each": [1, 50], "content": {"lines": [1, 100], "text": "line {n}"}}});
    let workspace = Workspace::with(&files);
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        let calls: Vec<_> = (0..200_u64)
            .map(|n| match n % 5 {
                0 => {
                    ("read", json!({"path": format!("d/f{}", n % 50 + 1), "offset": n % 100 + 1, "limit": 1}))
                }
                1 => ("ls", json!({"path": "d", "limit": 1})),
                2 => ("find", json!({"pattern": "f1", "path": "d"})),
                3 => ("grep", json!({"pattern": "line 7$", "path": "d/f1"})),
                _ => ("bash", json!({"command": format!("echo {n}")})),
            })
            .collect();
        let ids: Vec<_> =
            calls.iter().map(|(tool, args)| client.send_call(tool, args.clone(), None)).collect();
        for (n, id) in ids.into_iter().enumerate() {
            let response = client.response(id);
            let text = response["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
            let expected = match n % 5 {
                0 => format!("line {}", n % 100 + 1),
                1 => "f1".to_owned(),
                2 => "d/f1".to_owned(),
                3 => "d/f1:7: line 7".to_owned(),
                _ => n.to_string(),
            };
            assert_eq!(text.lines().next(), Some(expected.as_str()), "call {n}: {response}");
        }
    }
}

#[test]
fn waiting_commands_do_not_delay_other_calls() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"});
    let slow: Vec<_> = (0..40).map(|_| client.send_call("bash", wait.clone(), None)).collect();
    for _ in 0..20 {
        client.call("read", json!({"path": "a"})).assert_text("one\n");
        client.call("ls", json!({})).assert_text("a");
        client.call("grep", json!({"pattern": "one"})).assert_text("a:1: one");
        client.call("bash", json!({"command": "echo quick"})).assert_text("quick\n");
    }
    workspace.write("go", "");
    for id in slow {
        assert_eq!(client.response(id)["result"]["content"][0]["text"], "went\n");
    }
}

#[test]
fn large_output_does_not_delay_other_calls() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let flood = client.send_call("bash", json!({"command": "yes | head -c 50000000"}), None);
    for _ in 0..20 {
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
    let response = client.response(flood);
    let cut = &response["result"]["_meta"]["details"]["truncation"];
    assert_eq!(
        (&cut["totalBytes"], &cut["totalLines"]),
        (&json!(50_000_000), &json!(25_000_000)),
        "{response}"
    );
}

#[test]
fn servers_in_one_folder_save_separate_outputs() {
    let workspace = Workspace::new();
    let (mut one, mut other) = (Client::new(&workspace), Client::new(&workspace));
    let command = json!({"command": "seq 5000"});
    let path = |reply: &crate::support::Reply| reply.details()["fullOutputPath"].as_str().unwrap().to_owned();
    let (first, second) = (path(&one.call("bash", command.clone())), path(&other.call("bash", command)));
    assert_ne!(first, second);
    one.call("read", json!({"path": second, "limit": 1})).assert_success();
}
