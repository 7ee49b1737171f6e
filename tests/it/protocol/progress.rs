//! Progress notifications while a command runs.

use serde_json::{Value, json};

use crate::support::{Client, Protocol, Start, Workspace};

#[test]
fn progress_contains_the_last_line() {
    let workspace = Workspace::new();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        let _may_not_exist = std::fs::remove_file(workspace.path("go"));
        let command = "echo first line; echo ready; until [ -e go ]; do sleep 0.05; done; echo done";
        for token in [json!("a token"), json!(7)] {
            let _may_not_exist = std::fs::remove_file(workspace.path("go"));
            let id = client.send_call("bash", json!({"command": command}), Some(token.clone()));
            let notification = client.notification("notifications/progress", |params| {
                params["message"].as_str().unwrap_or_default().contains("ready")
            });
            assert_eq!(notification["params"]["progressToken"], token);
            workspace.write("go", "");
            assert_eq!(client.response(id)["result"]["content"][0]["text"], "first line\nready\ndone\n");
        }
    }
}

#[test]
fn progress_increases_until_the_response() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "for i in $(seq 12); do echo line $i; sleep 0.1; done";
    let id = client.send_call("bash", json!({"command": command}), Some(json!("t")));
    let mut values = Vec::new();
    loop {
        let message = client.expect_message("progress or the response", |message| {
            message["id"] == id || message["method"] == "notifications/progress"
        });
        match message["params"]["progress"].as_f64() {
            Some(value) => values.push(value),
            None => break,
        }
    }
    assert!(!values.is_empty(), "there was no progress notification");
    assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    // There are at most five notifications in a second. The command needs a little more than a second.
    assert!(values.len() <= 40, "{} notifications", values.len());
    let after: Vec<Value> = client.unsolicited();
    assert!(after.iter().all(|message| message["method"] != "notifications/progress"), "{after:?}");
}

#[test]
fn long_last_line_is_truncated_in_progress() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "printf 'x%.0s' $(seq 5000); echo; until [ -e go ]; do sleep 0.05; done";
    let id = client.send_call("bash", json!({"command": command}), Some(json!(1)));
    let notification = client.notification("notifications/progress", |params| {
        params["message"].as_str().unwrap_or_default().contains("xxx")
    });
    let message = notification["params"]["message"].as_str().unwrap();
    assert!(message.chars().filter(|c| *c == 'x').count() <= 200, "{message}");
    workspace.write("go", "");
    client.response(id);
}

#[test]
fn call_without_a_token_gets_no_progress() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    client.call("bash", json!({"command": "echo a; sleep 0.5; echo b"})).assert_text("a\nb\n");
    let unsolicited = client.unsolicited();
    assert!(unsolicited.is_empty(), "{unsolicited:?}");
}

#[test]
fn silent_command_sends_progress() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // Many clients cancel after a minute without a message. The first notification comes after ten seconds.
    let command = "until [ -e go ]; do sleep 0.05; done";
    let id = client.send_call("bash", json!({"command": command}), Some(json!("t")));
    client.notification("notifications/progress", |params| params["progressToken"] == "t");
    workspace.write("go", "");
    assert_eq!(client.response(id)["result"]["content"][0]["text"], "(no output)");
}
