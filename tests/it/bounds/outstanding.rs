//! Bounds on outstanding requests: the server stops reading from a client that sends requests and does not read
//! responses. Its memory use stays small.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

use crate::support::{Client, Start, Workspace, eventually};

/// Maximum peak memory of a server, in kilobytes, for any input.
const PEAK_KB: u64 = 128_000;
/// Number of consecutive checks that must find the server idle.
const IDLE_CHECKS: u32 = 20;

/// A server with a client that does not read the responses.
struct Unread {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Unread {
    fn new(start: &Start<'_>) -> Self {
        let mut command = start.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the binary starts");
        let (stdin, stdout) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut unread = Self { server, stdin, stdout };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        unread.stdin.write_all(request(0, "initialize", &params.to_string()).as_bytes()).unwrap();
        assert_eq!(unread.response()["id"], 0);
        let initialized = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        unread.stdin.write_all(initialized).unwrap();
        unread
    }

    /// Sends lines until all are sent or the server stops reading. Returns the number of sent lines.
    ///
    /// The responses remain unread. At the end, the server is idle.
    fn flood(&mut self, lines: impl Iterator<Item = String>) -> u64 {
        let flags = fcntl_getfl(&self.stdin).unwrap();
        fcntl_setfl(self.stdin.as_fd(), flags | OFlags::NONBLOCK).unwrap();
        let (mut sent, mut idle_checks) = (0, 0);
        for line in lines {
            let mut rest = line.as_bytes();
            while !rest.is_empty() {
                // An attempt to write would wake the server, so the test polls the pipe first.
                let mut pipe = [PollFd::new(&self.stdin, PollFlags::OUT)];
                let millisecond = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
                if poll(&mut pipe, Some(&millisecond)).unwrap() > 0 {
                    rest = &rest[rustix::io::write(&self.stdin, rest).unwrap()..];
                    idle_checks = 0;
                } else if idle_checks > IDLE_CHECKS {
                    return sent;
                } else {
                    idle_checks = if self.is_idle() { idle_checks + 1 } else { 0 };
                }
            }
            sent += 1;
        }
        let mut idle_checks = 0;
        eventually("the server is idle", || {
            idle_checks = if self.is_idle() { idle_checks + 1 } else { 0 };
            idle_checks > IDLE_CHECKS
        });
        sent
    }

    /// Returns true if all threads of the server sleep.
    fn is_idle(&self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.server.id())).expect("the server runs");
        threads.flatten().all(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('S'))
        })
    }

    /// Reads the next message of the server.
    fn response(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line:?}"))
    }

    /// Returns the peak memory of the server, in kilobytes.
    fn peak_kb(&self) -> u64 {
        peak_kb(self.server.id())
    }

    /// Closes both pipes and waits until the server exits.
    fn end(self) {
        let Self { mut server, stdin, stdout } = self;
        drop((stdin, stdout));
        let mut status = None;
        eventually("the server ends", || {
            status = server.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(0), "{status:?}");
    }
}

fn peak_kb(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("its status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn request(id: u64, method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
}

/// Returns the lines of `number` calls, with ids from 1.
fn calls(number: u64, tool: &str, arguments: &Value) -> impl Iterator<Item = String> {
    let params = json!({"name": tool, "arguments": arguments}).to_string();
    (1..=number).map(move |id| request(id, "tools/call", &params))
}

/// Floods a server with `lines` and checks its peak memory. Returns the number of lines that were sent.
fn assert_bounded(workspace: &Workspace, lines: impl Iterator<Item = String>) -> u64 {
    let mut server = Unread::new(&Start::new(workspace));
    let sent = server.flood(lines);
    let peak = server.peak_kb();
    assert!(peak <= PEAK_KB, "{peak} kB after {sent} lines");
    server.end();
    sent
}

fn large_file() -> Workspace {
    Workspace::with(&json!({"a": {"lines": [1, 1900], "text": "line {n} of a file"}}))
}

#[test]
fn unread_results_stop_the_input() {
    let sent = assert_bounded(&large_file(), calls(20_000, "read", &json!({"path": "a"})));
    assert!(sent < 3000, "{sent} calls were read");
}

#[test]
fn unread_tool_lists_stop_the_input() {
    assert_bounded(&Workspace::new(), (1..=100_000).map(|id| request(id, "tools/list", "{}")));
}

#[test]
fn unread_ping_responses_stop_the_input() {
    assert_bounded(&Workspace::new(), (1..=100_000).map(|id| request(id, "ping", "{}")));
}

#[test]
fn unread_error_responses_stop_the_input() {
    let lines = (0..60_000).map(|id| match id % 3 {
        0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":5}}\n"),
        1 => format!("[{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}]\n"),
        _ => format!("{{\"jsonrpc\":\"2.0\",\"\\u0069d\":{id},\"method\":\"notifications/x\"}}\n"),
    });
    let sent = assert_bounded(&Workspace::new(), lines);
    assert!(sent < 6000, "{sent} lines were read");
}

#[test]
fn waiting_long_commands_stop_the_input() {
    let command = json!({"command": format!("exec sleep 1000 # {}", "x".repeat(120_000))});
    let sent = assert_bounded(&Workspace::new(), calls(3000, "bash", &command));
    assert!(sent < 400, "{sent} calls were read");
}

#[test]
fn long_meta_objects_are_refused() {
    for large in [json!("x".repeat(900_000)), json!(vec!["x".repeat(90); 9_000])] {
        let params = json!({"name": "bash", "arguments": {"command": "sleep 1000"}, "_meta": {"x": large}});
        let params = params.to_string();
        let sent = assert_bounded(&Workspace::new(), (1..=10).map(|id| request(id, "tools/call", &params)));
        assert_eq!(sent, 10);
    }
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let params = json!({"name": "ls", "arguments": {}, "_meta": {"x": "x".repeat(300_000)}});
    let response = client.ask("tools/call", params);
    let text = response["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.starts_with("The _meta is too long: 3000"), "{response}");
}

#[test]
fn repeated_root_changes_are_requested_one_at_a_time() {
    let workspace = Workspace::new();
    let mut server = Unread::new(&Start::new(&workspace));
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}\n";
    assert_eq!(server.flood((0..20_000).map(|_| line.to_owned())), 20_000);
    assert!(server.peak_kb() <= PEAK_KB);
    server.end();
}

#[test]
fn all_calls_return_after_the_server_paused_its_input() {
    let workspace = large_file();
    let mut server = Unread::new(&Start::new(&workspace));
    let sent = server.flood(calls(20_000, "read", &json!({"path": "a"})));
    assert!((256..20_000).contains(&sent), "{sent} calls were read");
    let mut ids: Vec<u64> = (0..sent).map(|_| server.response()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=sent).collect::<Vec<_>>());
    server.end();
}

#[test]
fn cancellation_is_read_during_256_calls() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let open: Vec<u64> =
        (0..256).map(|_| client.send_call("bash", json!({"command": "sleep 1000"}), None)).collect();
    client.cancel(open[7]);
    let read = client.send_call("read", json!({"path": "a"}), None);
    assert_eq!(client.response(read)["result"]["content"][0]["text"], "one\n");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert!(client.remaining_messages().iter().all(|response| response["id"] != open[7]));
}
