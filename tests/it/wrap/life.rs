//! The lifetime of a wrapped server, and all cases in which it ends.

use std::fs;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::json;

use super::{RESPONSES, Wrap};
use crate::support::{Workspace, eventually};

#[test]
fn wrap_exits_with_the_code_of_the_server() {
    for (script, code) in [("exit 7", 7), ("exit 0", 0), ("kill -9 $$", 137), ("kill -TERM $$", 143)] {
        let workspace = Workspace::new();
        let mut wrap = Wrap::start(&workspace, &[], script);
        assert_eq!(wrap.exit().code(), Some(code), "{script}");
    }
}

#[test]
fn open_requests_get_errors_when_the_server_ends() {
    let workspace = Workspace::new();
    let script = "read -r a; read -r b; read -r c; read -r d; echo '{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}'; exit 7";
    let mut wrap = Wrap::start(&workspace, &[], script);
    wrap.call("\"a\"", "x");
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\"}\n");
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let call =
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "x", "_meta": meta}});
    wrap.send(format!("{call}\n"));
    wrap.call("9", "x");
    assert_eq!(wrap.message()["id"], 9, "the earlier response was lost");
    let error = json!({"code": -32000, "message": "The server ended (exit code 7)"});
    for id in [json!("a"), json!(2), json!(3)] {
        assert_eq!(wrap.message(), json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }
    assert_eq!(wrap.exit().code(), Some(7));
}

#[test]
fn last_message_without_newline_is_accepted() {
    let workspace = Workspace::new();
    let script = "read -r a; read -r b; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; exit 3";
    let mut wrap = Wrap::start(&workspace, &[], script);
    wrap.call("1", "x");
    wrap.call("2", "x");
    assert_eq!(wrap.message()["id"], 1);
    assert_eq!(wrap.message()["id"], 2);
    assert_eq!(wrap.exit().code(), Some(3));
}

#[test]
fn end_of_input_is_detected_while_the_server_does_not_read() {
    // The line is larger than the capacity of the pipe to the server.
    let line = format!("{}\n", "x".repeat(300_000));
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &[], "exec sleep 1000");
    wrap.send(&line);
    wrap.stdin = None;
    assert_eq!(wrap.exit().code(), Some(0), "a pipe");

    let (mut client, stdin) = UnixStream::pair().unwrap();
    let arguments = ["wrap", "--", "sleep", "1000"];
    let mut command = crate::support::Start::new(&workspace).flags(arguments).command();
    let output = command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(OwnedFd::from(stdin));
    let mut child = output.spawn().unwrap();
    drop(command);
    client.write_all(line.as_bytes()).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    eventually("cutline exits", || child.try_wait().unwrap().is_some());
}

#[test]
fn late_responses_pass_after_end_of_input() {
    let workspace = Workspace::new();
    let response = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    let script = format!("cat > seen; echo '{response}'; exit 3");
    let mut wrap = Wrap::start(&workspace, &[], &script);
    wrap.call("1", "x");
    wrap.stdin = None;
    assert_eq!(wrap.message()["id"], 1);
    assert_eq!(wrap.exit().code(), Some(3));
}

#[test]
fn server_that_does_not_exit_is_killed_with_its_children() {
    let workspace = Workspace::new();
    let script = "trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo > apart; sleep 1000' &) ; sleep 1000";
    let mut wrap = Wrap::start(&workspace, &[], script);
    eventually("the child of the server runs", || workspace.path("apart").exists());
    wrap.stdin = None;
    assert_eq!(wrap.exit().code(), Some(0), "the client ended the session");
    eventually("all processes have ended", || workspace.processes(0).is_empty());
}

#[test]
fn signals_end_the_server_and_its_children() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let workspace = Workspace::new();
        let mut wrap =
            Wrap::start(&workspace, &[], "(setsid sleep 1000 &); echo > up; trap '' TERM; sleep 1000");
        eventually("the server runs", || workspace.path("up").exists());
        wrap.signal(signal);
        assert_eq!(wrap.exit().code(), Some(code));
        eventually("all processes have ended", || workspace.processes(0).is_empty());
    }
}

#[test]
fn open_requests_get_errors_after_a_signal() {
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &[], "read -r a; read -r b; echo > up; exec sleep 1000");
    wrap.call("1", "x");
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\"}\n");
    eventually("the server has read both requests", || workspace.path("up").exists());
    wrap.signal(Signal::TERM);
    let why = "The wrap was ended (signal SIGTERM)";
    assert_eq!(wrap.message()["error"], json!({"code": -32000, "message": why}));
    assert_eq!(wrap.message()["error"], json!({"code": -32000, "message": why}));
    assert_eq!(wrap.exit().code(), Some(143));
}

#[test]
fn signal_ends_wrap_while_the_client_does_not_read() {
    let workspace = Workspace::new();
    let flood = "read -r a; while :; do echo '{\"jsonrpc\":\"2.0\",\"method\":\"m\"}'; echo > up; done";
    let arguments = ["wrap", "--", "sh", "-c", flood];
    let mut command = crate::support::Start::new(&workspace).flags(arguments).command();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    writeln!(child.stdin.as_ref().unwrap(), r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"}}"#).unwrap();
    eventually("the server writes", || workspace.path("up").exists());
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    eventually("cutline exits", || child.try_wait().unwrap().is_some());
}

#[test]
fn server_that_closes_its_output_is_ended() {
    let workspace = Workspace::new();
    let script = "read -r line; exec >&-; trap '' TERM; echo > closed; while :; do sleep 1; done";
    let mut wrap = Wrap::start(&workspace, &[], script);
    wrap.call("1", "a");
    eventually("the server has closed its output", || workspace.path("closed").exists());
    assert_eq!(wrap.message()["error"]["message"], "The server ended (exit code 137)");
    assert_eq!(wrap.exit().code(), Some(1), "the client did not end the session");
    eventually("all processes have ended", || workspace.processes(0).is_empty());
}

#[test]
fn flood_on_stderr_does_not_block() {
    let workspace = Workspace::new();
    let response = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    let script = format!("read -r line; head -c 20000000 /dev/zero | tr '\\0' e >&2; echo '{response}'; cat");
    let mut wrap = Wrap::start(&workspace, &[], &script);
    wrap.call("1", "a");
    assert_eq!(wrap.message()["id"], 1);
    assert_eq!(wrap.end().matches('e').count() / 1000, 20_000);
}

#[test]
fn children_of_a_server_that_ended_are_ended() {
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &[], "sleep 1000 & exit 5");
    assert_eq!(wrap.exit().code(), Some(5));
    eventually("all processes have ended", || workspace.processes(0).is_empty());
}

#[test]
fn wrap_ends_although_a_daemon_holds_the_output_of_the_server() {
    let workspace = Workspace::new();
    // cutline cannot find the daemon: it has another parent and group, no environment, and a high descriptor.
    // What it writes is no message.
    let daemon = "exec 100>&1 >/dev/null 2>&1 </dev/null; touch up; while [ -e up ]; do echo '{}' >&100; sleep 0.1; done";
    let script = format!(
        "env -i setsid -f bash -c '{daemon}'; until [ -e up ]; do sleep 0.01; done; read -r a; exit 5"
    );
    let mut wrap = Wrap::start(&workspace, &[], &script);
    wrap.call("1", "a");
    assert_eq!(wrap.message()["error"]["message"], "The server ended (exit code 5)");
    assert_eq!(wrap.exit().code(), Some(5));
    assert!(workspace.path("up").exists());
    fs::remove_file(workspace.path("up")).unwrap();
}

#[test]
fn child_that_writes_forever_ends_with_the_server() {
    let workspace = Workspace::new();
    let script = "read -r line; yes & exit 5";
    let mut wrap = Wrap::start(&workspace, &[], script);
    wrap.call("1", "a");
    assert_eq!(wrap.message()["error"]["message"], "The server ended (exit code 5)");
    assert_eq!(wrap.exit().code(), Some(5));
    eventually("all processes have ended", || workspace.processes(0).is_empty());
}

#[test]
fn missing_command_is_refused() {
    let workspace = Workspace::new();
    let run = |arguments: &[&str]| {
        crate::support::Start::new(&workspace).flags(arguments).command().output().unwrap()
    };
    let output = run(&["wrap", "--", "/no/such"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("/no/such can't be started: No such file or directory")
    );
    for (arguments, why) in [
        (&["wrap", "cat"][..], "unexpected argument 'cat'"),
        (&["wrap"][..], "required"),
        (&["wrap", "--root", ".", "--", "cat"][..], "wrap does not take --root"),
        (&["wrap", "--keep-for", "a", "--", "cat"][..], "give GLOB=head"),
    ] {
        let output = run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(why), "{stderr}");
    }
}

#[test]
fn folder_environment_and_stderr_are_passed_through() {
    let workspace = Workspace::new();
    let start = crate::support::Start::new(&workspace).env("OWN", "a value").flags([
        "wrap",
        "--",
        "sh",
        "-c",
        "pwd > place; echo \"$OWN\" >> place; echo said >&2",
    ]);
    let output = start.command().stdin(Stdio::null()).output().unwrap();
    let place = fs::read_to_string(workspace.path("place")).unwrap();
    assert_eq!(place, format!("{}\na value\n", workspace.root().display()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("said\n"));
}

#[test]
fn token_limit_can_be_set_by_a_variable() {
    let workspace = Workspace::new();
    let text = "line of a text\n".repeat(90);
    let response =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
    workspace.write("answer", format!("{response}\n"));
    let arguments = ["wrap", "--", "sh", "-c", "read -r call; cat answer"];
    let start = crate::support::Start::new(&workspace).env("CUTLINE_MAX_TOKENS", "50").flags(arguments);
    let child =
        start.command().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    writeln!(child.stdin.as_ref().unwrap(), "{call}").unwrap();
    let output = child.wait_with_output().unwrap();
    let given = String::from_utf8_lossy(&output.stdout);
    assert!(given.contains(" of 90 (50 token limit). Full output: "), "{given}");
}

#[test]
fn calls_are_counted_by_tool() {
    let workspace = Workspace::new();
    for n in 1..4 {
        let lines = [3, 40, 80][n - 1];
        let text = "x\n".repeat(lines);
        let response =
            json!({"jsonrpc": "2.0", "id": n, "result": {"content": [{"type": "text", "text": text}]}});
        workspace.write(n.to_string(), format!("{response}\n"));
    }
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "n".repeat(100)});
    let links = json!({"jsonrpc": "2.0", "id": 4, "result": {"content": vec![link; 400]}});
    workspace.write("4", format!("{links}\n"));
    let mut wrap = Wrap::start(&workspace, &["--max-lines", "50", "--stats-file", "records"], RESPONSES);
    for (id, tool) in
        [("1", "search_issues"), ("2", "search_issues"), ("3", "get\u{7}file"), ("4", "list_links")]
    {
        wrap.call(id, &tool.replace('\u{7}', "\\u0007"));
        wrap.line();
    }
    let stderr = wrap.end();
    for part in [
        "INFO result near the limit tool=\"search_issues\"",
        "WARN result truncated tool=\"get\\u{7}file\" shown=99 total=160",
        "INFO search_issues: 2 calls, 0 errors, 0 truncated",
        "INFO all: 4 calls, 0 errors, 2 truncated",
    ] {
        assert!(stderr.contains(part), "{part} is not in\n{stderr}");
    }
    let stats = crate::support::Start::new(&workspace)
        .flags(["stats", "records", "--json"])
        .command()
        .output()
        .unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["tools"]["search_issues"]["calls"], 2);
    assert_eq!(stats["tools"]["get\u{fffd}file"]["truncated"]["byLines"], 1);
    assert_eq!(stats["tools"]["list_links"]["truncated"]["byBytes"], 1);
}

#[test]
fn cancelled_call_without_a_response_is_no_error() {
    let workspace = Workspace::new();
    let answer_the_third =
        "read a; read b; read c; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}'; cat";
    let mut wrap = Wrap::start(&workspace, &["--stats-file", "records"], answer_the_third);
    wrap.call("1", "slow");
    wrap.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    wrap.call("2", "fast");
    assert_eq!(wrap.message()["id"], 2);
    let stderr = wrap.end();
    assert!(wrap.lines.try_recv().is_err(), "the cancelled call got a response");
    assert!(stderr.contains("INFO all: 2 calls, 0 errors, 0 truncated"), "{stderr}");
    let records = fs::read_to_string(workspace.path("records")).unwrap();
    assert!(records.lines().any(|line| line.contains("slow") && line.contains("cancelled")), "{records}");
}
