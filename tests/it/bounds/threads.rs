//! A limit on threads: the server continues with the threads that it has.

use std::io::{BufRead as _, BufReader, Read as _, Write as _, pipe};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::fs::{Gid, Uid, fchown};
use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};

use crate::support::{Start, Workspace};

/// An unprivileged user for tests that run as root. The limit does not apply to root.
const NOBODY: u32 = 65534;

fn workspace() -> Workspace {
    Workspace::with(
        &json!({"a": "one\n", "large": {"lines": [1, 400_000], "text": "line {n} of a large file"}}),
    )
}

/// Returns a command that runs as the user of the server.
fn as_server_user(program: &str) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Sets the soft limit of the server on processes and threads.
fn limit(server: u32, max: &str) {
    let arguments = [format!("--pid={server}"), format!("--nproc={max}:")];
    assert!(as_server_user("prlimit").args(arguments).status().unwrap().success());
}

/// Returns the command of a server that has a limit of one process from its start.
fn limited(workspace: &Workspace) -> Command {
    let server = Start::new(workspace).unprivileged().command();
    let mut command = as_server_user("prlimit");
    command.arg("--nproc=1").arg(server.get_program()).args(server.get_args());
    command.current_dir(workspace.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn tools_run_on_existing_threads_under_a_thread_limit() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).unprivileged().client();
    client.call("ls", json!({})).assert_success();
    limit(client.id(), "1");
    for _ in 0..3 {
        client.ask("ping", json!({}));
        client
            .call("read", json!({"path": "large", "offset": -1}))
            .assert_text("line 400000 of a large file\n");
        client.call("grep", json!({"pattern": "one"})).assert_text("a:1: one");
        client.call("find", json!({"pattern": "a"})).assert_text("a");
        client.call("bash", json!({"command": "echo hi"})).assert_error(&["could not be started"]);
    }
    let ids: Vec<_> =
        (0..40).map(|_| client.send_call("grep", json!({"pattern": "line 7 ", "limit": 1}), None)).collect();
    client.ask("ping", json!({}));
    for id in ids {
        let response = client.response(id);
        let text = response["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("large:7: line 7 of a large file"), "{response}");
    }
    let before = getrlimit(Resource::Nproc).current;
    limit(client.id(), &before.map_or("unlimited".to_owned(), |max| max.to_string()));
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

#[test]
fn server_without_threads_answers_pings_and_explains_errors() {
    let workspace = workspace();
    let ((read, mut stdin), (stdout, write)) = (pipe().unwrap(), pipe().unwrap());
    if rustix::process::geteuid().is_root() {
        for end in [read.as_fd(), write.as_fd()] {
            fchown(end, Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).unwrap();
        }
    }
    let mut command = limited(&workspace);
    let mut server = command.stdin(read).stdout(write).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let mut responses = BufReader::new(stdout).lines();
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
        serde_json::from_str(&responses.next().unwrap().unwrap()).unwrap()
    };
    let client = json!({"name": "t", "version": "1"});
    ask(1, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
    assert!(ask(2, "ping", json!({}))["result"].is_object());
    let response = ask(3, "tools/call", json!({"name": "grep", "arguments": {"pattern": "one"}}));
    let text = response["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("The system could not start a thread: "), "{response}");
    let response = ask(4, "tools/call", json!({"name": "bash", "arguments": {"command": "true"}}));
    assert_eq!(response["result"]["isError"], true, "{response}");
    assert!(ask(5, "ping", json!({}))["result"].is_object());
    drop(stdin);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn server_that_cannot_read_its_input_reports_it() {
    let workspace = workspace();
    let (_ours, theirs) = UnixStream::pair().unwrap();
    let mut server = limited(&workspace).stdin(std::os::fd::OwnedFd::from(theirs)).spawn().unwrap();
    let mut stderr = String::new();
    server.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(1), "{stderr}");
    assert!(stderr.contains("no thread for stdin") && !stderr.contains("panicked"), "{stderr}");
}
