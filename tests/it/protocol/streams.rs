//! stdin and stdout that are not pipes: sockets, which some clients use, and files. Also stderr that no process reads.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Start, Workspace, eventually};

/// Returns the messages of a handshake and a call that reads `a`.
fn messages() -> String {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"path": "a"}}}),
    ];
    messages.map(|message| message.to_string() + "\n").concat()
}

fn large_file() -> (Workspace, String) {
    let workspace = Workspace::with(&json!({"a": {"lines": [1, 1500], "text": "line {n} of it"}}));
    let text = fs::read_to_string(workspace.path("a")).unwrap();
    (workspace, text)
}

#[test]
fn sockets_work_as_stdin_and_stdout() {
    for is_nonblocking in [false, true] {
        let (workspace, text) = large_file();
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(is_nonblocking).unwrap();
        let mut command = Start::new(&workspace).command();
        command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
        let mut server = command.stderr(Stdio::null()).spawn().unwrap();
        drop(command);
        let mut responses = BufReader::new(ours.try_clone().unwrap()).lines();
        (&ours).write_all(messages().as_bytes()).unwrap();
        let mut response = || serde_json::from_str::<Value>(&responses.next().unwrap().unwrap()).unwrap();
        assert_eq!(response()["id"], 1);
        assert_eq!(response()["result"]["content"][0]["text"], text);
        // The server continues after any pause if its responses fill the socket, and ends after the end of input.
        for id in 3..33 {
            let params = json!({"name": "read", "arguments": {"path": "a"}});
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            (&ours).write_all(format!("{call}\n").as_bytes()).unwrap();
        }
        for _ in 3..33 {
            assert_eq!(response()["result"]["content"][0]["text"], text, "{is_nonblocking}");
        }
        ours.shutdown(std::net::Shutdown::Write).unwrap();
        let mut status = None;
        eventually("the server ends", || {
            status = server.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(0));
    }
}

#[test]
fn regular_files_work_as_stdin_and_stdout() {
    let (workspace, text) = large_file();
    workspace.write("../in", messages());
    let out = workspace.base().join("out");
    let mut command = Start::new(&workspace).command();
    command.stdin(File::open(workspace.base().join("in")).unwrap()).stdout(File::create(&out).unwrap());
    assert!(command.stderr(Stdio::null()).status().unwrap().success());
    let responses = fs::read_to_string(&out).unwrap();
    let last: Value = serde_json::from_str(responses.lines().last().unwrap()).unwrap();
    assert_eq!(last["result"]["content"][0]["text"], text);
}

#[test]
fn unread_stderr_does_not_block() {
    let workspace = Workspace::with(&json!({"a": "x\n"}));
    let mut command = Start::new(&workspace).default_log().command();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let (mut input, mut log) = (server.stdin.take().unwrap(), server.stderr.take().unwrap());
    rustix::pipe::fcntl_setpipe_size(&log, 4096).unwrap();
    let mut responses = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut response = || serde_json::from_str::<Value>(&responses.next().unwrap().unwrap()).unwrap();
    input.write_all(messages().as_bytes()).unwrap();
    assert_eq!((response()["id"].clone(), response()["id"].clone()), (json!(1), json!(2)));
    // Each call writes a warning to stderr.
    let mut call = |id: u32| {
        let params = json!({"name": "ls", "arguments": {"explanation": "why"}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        input.write_all(format!("{call}\n").as_bytes()).unwrap();
        assert_eq!(response()["result"]["content"][0]["text"], "a");
    };
    (3..300).for_each(&mut call);
    let mut stderr = vec![0; 4096];
    let bytes_read = log.read(&mut stderr).unwrap();
    assert!(
        stderr[..bytes_read].ends_with(b"\n"),
        "a line is incomplete: {}",
        String::from_utf8_lossy(&stderr[..bytes_read])
    );
    call(300);
    drop(input);
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("Lines lost before this one, as stderr was full: "), "{rest}");
    assert!(rest.lines().last().unwrap().contains("ignored an argument"), "{rest}");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
