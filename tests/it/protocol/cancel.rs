//! Cancelled calls: no response, no further work, no remaining processes.

use serde_json::{Value, json};

use crate::support::{Client, Protocol, Start, Workspace, eventually};

#[test]
fn cancellation_ends_all_processes_of_a_command() {
    let commands = [
        "sleep 600",
        "trap '' TERM; sleep 600 & wait; sleep 600",
        "setsid sleep 600 & sleep 600",
        "(setsid bash -c 'sleep 600 & wait' &) ; sleep 600",
        "yes",
    ];
    for protocol in Protocol::BOTH {
        for command in commands {
            let workspace = Workspace::with(&json!({"a": "one\n"}));
            let mut client = Start::new(&workspace).protocol(protocol).client();
            let started = format!("touch started; {command}");
            let id = client.send_call("bash", json!({"command": started}), None);
            eventually("the command runs", || workspace.path("started").exists());
            client.cancel(id);
            eventually(&format!("{command} has ended"), || workspace.processes(client.id()).is_empty());
            assert_no_response(&mut client, id);
        }
    }
}

#[test]
fn shell_in_the_group_of_the_server_is_ended() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let leave =
        "$SIG{TERM} = q(IGNORE); setpgrp(0, getpgrp(getppid())) or die; open F, q(>started); sleep 600";
    let command = format!("exec env -i perl -e '{leave}'");
    let id = client.send_call("bash", json!({"command": command}), None);
    eventually("the shell has left its group", || workspace.path("started").exists());
    client.cancel(id);
    eventually("the shell has ended", || workspace.processes(client.id()).is_empty());
}

#[test]
fn cancelled_command_leaves_no_saved_output() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let id = client.send_call("bash", json!({"command": "seq 50000; touch started; sleep 600"}), None);
    eventually("the command runs", || workspace.path("started").exists());
    client.cancel(id);
    eventually("the saved output is removed", || workspace.saved().is_empty());
    assert_no_response(&mut client, id);
}

#[test]
fn cancelled_search_stops() {
    let files =
        json!({"d{n}/f": {"each": [1, 500], "content": {"repeat": "some text to search\n", "times": 500}}});
    let workspace = Workspace::with(&files);
    let mut client = Client::new(&workspace);
    for (tool, args) in [
        ("grep", json!({"pattern": "(t.?e.?x.?t.?)+nowhere"})),
        ("grep", json!({"pattern": "(t.?e.?x.?t.?)+nowhere|t", "sort": "relevance"})),
        ("find", json!({"pattern": "nowhere", "sort": "modified"})),
        ("find", json!({"pattern": "no where", "sort": "relevance"})),
        ("read", json!({"path": "d1/f", "offset": -3})),
        ("ls", json!({})),
    ] {
        let id = client.send_call(tool, args, None);
        client.cancel(id);
        // The call may have ended before the cancellation. There is no second response.
        client.call("read", json!({"path": "d1/f", "limit": 1})).assert_success();
    }
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn cancelled_fifo_search_ends() {
    let workspace = Workspace::with(&json!({"p": {"fifo": true}, "a": "x\n"}));
    let mut client = Client::new(&workspace);
    client.call("grep", json!({"pattern": "x"})).assert_text("a:1: x");
}

#[test]
fn cancellation_of_an_unknown_call_is_ignored() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let id = client.send_call("read", json!({"path": "a"}), None);
    client.response(id);
    client.cancel(id);
    client.cancel(4711);
    client.notify("notifications/cancelled", json!({"requestId": "no-such-id"}));
    client.call("read", json!({"path": "a"})).assert_text("one\n");
}

#[test]
fn request_with_the_id_of_an_open_call_is_refused() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let id = client.send_call("bash", json!({"command": "touch started; exec sleep 600"}), None);
    eventually("the command runs", || workspace.path("started").exists());
    for method in ["ping", "tools/call"] {
        let params = json!({"name": "ls", "arguments": {}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let response = client.expect_message("the error response", |message| message["id"] == id);
        assert_eq!(response["error"]["code"], -32600, "{method}: {response}");
    }
    client.cancel(id);
    eventually("the command has ended", || workspace.processes(client.id()).is_empty());
    eventually("the id can be used again after the end of the call", || {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        client.expect_message("its answer", |message| message["id"] == id)["result"] == json!({})
    });
}

#[test]
fn reused_id_of_a_cancelled_call_gets_no_late_response() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "trap '' TERM; touch started; sleep 600 & wait; sleep 600";
    let id = client.send_call("bash", json!({"command": command}), None);
    eventually("the command runs", || workspace.path("started").exists());
    let params = json!({"name": "bash", "arguments": {"command": "echo new"}});
    client.cancel(id);
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    let response = client.expect_message("a response", |message| message["id"] == id);
    let text = &response["result"]["content"][0]["text"];
    assert!(response["error"]["code"] == -32600 || text == "new\n", "{response}");
}

#[test]
fn cancelling_a_call_does_not_affect_others() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let one = client.send_call("bash", json!({"command": "touch started; exec sleep 600"}), None);
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo other"});
    let other = client.send_call("bash", wait, None);
    eventually("both run", || {
        workspace.path("started").exists() && workspace.processes(client.id()).len() >= 2
    });
    client.cancel(one);
    workspace.write("go", "");
    assert_eq!(client.response(other)["result"]["content"][0]["text"], "other\n");
    assert_no_response(&mut client, one);
}

/// Fails if the server sent a response or a notification for a cancelled call.
#[track_caller]
fn assert_no_response(client: &mut Client, id: u64) {
    let unsolicited: Vec<Value> = client.unsolicited();
    assert!(unsolicited.iter().all(|message| message["id"] != id), "{unsolicited:?}");
}
