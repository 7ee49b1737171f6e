//! The end of a session: the server exits quickly and ends the processes that it started.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Client, Protocol, Start, Workspace, eventually};

/// Maximum time for the exit. The documented time is one second, but a busy machine can need more. A server that waits for
/// commands would need far longer.
const MAX_EXIT_TIME: Duration = Duration::from_secs(10);

/// A command with a child that has left its process group. Both ignore SIGTERM.
const STUBBORN: &str = "trap '' TERM; setsid bash -c \"trap '' TERM; sleep 600 & wait; sleep 600\" & sleep 600 & wait; sleep 600";

#[track_caller]
fn running(client: &Client, workspace: &Workspace, count: usize) {
    eventually("the command runs", || workspace.processes(client.id()).len() >= count);
}

#[track_caller]
fn assert_gone(client: &Client, workspace: &Workspace) {
    eventually("its processes have ended", || workspace.processes(client.id()).is_empty());
}

#[test]
fn end_of_input_before_the_handshake() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).without_handshake();
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert_eq!(client.remaining_messages(), Vec::<serde_json::Value>::new());
}

#[test]
fn end_of_input_after_half_a_line() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).without_handshake();
    client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn end_of_input_between_calls() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        client.call("read", json!({"path": "a"}));
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        assert!(client.stderr().contains("read: 1 call, "), "the log has no summary: {}", client.stderr());
    }
}

#[test]
fn end_of_input_in_the_middle_of_a_command() {
    let workspace = Workspace::new();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        client.send_call("bash", json!({"command": STUBBORN}), None);
        running(&client, &workspace, 3);
        let start = Instant::now();
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        assert!(start.elapsed() < MAX_EXIT_TIME, "{:?}", start.elapsed());
        assert_gone(&client, &workspace);
    }
}

#[test]
fn quick_calls_return_at_end_of_input() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let ids: Vec<_> = (0..20).map(|_| client.send_call("read", json!({"path": "a"}), None)).collect();
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    for id in ids {
        assert_eq!(client.response(id)["result"]["content"][0]["text"], "one\n");
    }
}

#[test]
fn calls_return_after_end_of_input() {
    // All calls together need more time than the 500 ms that one call has after the end of input.
    let workspace = Workspace::with(&json!({"a": {"repeat": "some text to be searched\n", "times": 2000}}));
    let mut client = Start::new(&workspace).flags(["--workers", "1"]).client();
    let call = json!({"pattern": "[a-z]+ed(?:x|y)", "path": "a"});
    let ids: Vec<_> = (0..400).map(|_| client.send_call("grep", call.clone(), None)).collect();
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    let returned = ids.iter().filter(|id| client.has_response(**id)).count();
    assert_eq!(returned, ids.len());
}

#[test]
fn background_process_ends_with_the_server() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    client.call("bash", json!({"command": "sleep 600 & echo hi"})).assert_success();
    running(&client, &workspace, 1);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert_gone(&client, &workspace);
}

#[test]
fn process_in_the_group_of_an_ended_command_ends_with_the_server() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // The second process has no tag, and its parent ends. A server that reaped the parent has seen both.
    let command = "env -i sh -c 'echo $$ > first; until [ -e go ]; do sleep 0.01; done; sleep 600 &' >/dev/null 2>&1 & echo hi";
    client.call("bash", json!({"command": command})).assert_text("hi\n");
    let first = || std::fs::read_to_string(workspace.path("first")).unwrap_or_default();
    eventually("the first process runs", || first().ends_with('\n'));
    workspace.write("go", "");
    eventually("the server reaps it", || !Path::new("/proc").join(first().trim()).exists());
    assert_eq!(workspace.processes(client.id()).len(), 1);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert_gone(&client, &workspace);
}

#[test]
fn detached_process_outlives_server() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // A process that is still in the group of the command when the shell ends does not count as detached.
    let daemon = "setsid sh -c 'echo > apart; exec sleep 600' >/dev/null 2>&1 </dev/null & until [ -e apart ]; do sleep 0.01; done; echo hi";
    client.call("bash", json!({"command": daemon})).assert_text("hi\n");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert_eq!(workspace.processes(client.id()).len(), 1);
}

#[test]
fn signals_end_the_server_with_their_codes() {
    let signals = [
        (Signal::TERM, 143),
        (Signal::INT, 130),
        (Signal::HUP, 129),
        (Signal::QUIT, 131),
        (Signal::USR1, 138),
    ];
    for (signal, code) in signals {
        let workspace = Workspace::new();
        let mut client = Client::new(&workspace);
        client.send_call("bash", json!({"command": STUBBORN}), None);
        running(&client, &workspace, 3);
        let start = Instant::now();
        client.signal(signal);
        assert_eq!(client.exit().code(), Some(code));
        assert!(start.elapsed() < MAX_EXIT_TIME, "{:?}", start.elapsed());
        assert_gone(&client, &workspace);
    }
}

#[test]
fn signal_before_the_handshake() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).without_handshake();
    client.ask("ping", json!({}));
    client.signal(Signal::TERM);
    assert_eq!(client.exit().code(), Some(143));
}

#[test]
fn unread_output_does_not_delay_exit() {
    let workspace = Workspace::with(&json!({"a": {"repeat": "line\n", "times": 2000}}));
    let mut command = Start::new(&workspace).protocol(Protocol::Stateless).command();
    let (stdin, stdout) = (std::process::Stdio::piped(), std::process::Stdio::piped());
    let mut child = command.stdin(stdin).stdout(stdout).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The test does not read, so the pipe becomes full.
    let stdout = child.stdout.take().unwrap();
    for id in 0..200 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "read", "arguments": {"path": "a"}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        std::io::Write::write_all(&mut stdin, format!("{call}\n").as_bytes()).unwrap();
    }
    drop(stdin);
    eventually("the server exits", || child.try_wait().unwrap().is_some());
    drop(stdout);
}
