//! A load test of some minutes with many clients at once: valid and invalid calls, invalid lines, cancellations, killed
//! servers. At the end, no process or file may remain, and memory use must
//! be back at its earlier level.
//!
//! `CUTLINE_SOAK_SECS=300 cargo test --test it soak -- --ignored --nocapture`; the default is half a minute.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Client, Protocol, Start, Workspace, eventually};

/// Maximum number of calls in flight.
const AT_ONCE: u32 = 24;
/// Number of rounds after which the test starts and kills a second server.
const ROUNDS_PER_KILL: u64 = 10;
/// Bytes by which the memory of a server may grow between the warm-up and the end. The allocator keeps a varying part of the
/// freed memory, up to 6 MB.
const GROWTH_BYTES: u64 = 16_000_000;
/// Maximum memory of a server, in bytes.
const PEAK_BYTES: u64 = 64_000_000;

/// Threads of an idle server: its own, and those of the pool.
const IDLE_THREADS: usize = 32;

/// A tool, its arguments, and a text that the result must contain if the call is not cancelled.
type Request = (&'static str, Value, String);

#[test]
#[ignore = "runs for CUTLINE_SOAK_SECS seconds"]
fn usage_stays_constant_under_load() {
    let seconds = std::env::var("CUTLINE_SOAK_SECS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    let time = Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for protocol in Protocol::BOTH {
            scope.spawn(move || soak(protocol, time));
        }
    });
}

fn soak(protocol: Protocol, time: Duration) {
    let workspace = workspace();
    let mut client = Start::new(&workspace).protocol(protocol).client();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut rounds, mut calls, mut cancelled, mut killed) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut warm = None;
    let start = Instant::now();
    while start.elapsed() < time {
        rounds += 1;
        let (sent, cancelled_calls) = round(&mut client, &mut dice);
        calls += sent;
        cancelled += cancelled_calls;
        if rounds.is_multiple_of(ROUNDS_PER_KILL) {
            kill_second_server(&workspace, protocol);
            killed += 1;
        }
        if warm.is_none() && start.elapsed() > time / 4 {
            warm = Some(idle_usage(&workspace, &client));
        }
    }
    let (warm, end) = (warm.unwrap(), idle_usage(&workspace, &client));
    eprintln!(
        "{protocol:?}: {calls} calls, {cancelled} of them cancelled, {killed} other servers killed\n\
         warm: {warm:?}\nend:  {end:?}"
    );
    assert!(end.descriptors <= warm.descriptors, "{warm:?}\n{end:?}");
    assert!(end.threads <= warm.threads, "{warm:?}\n{end:?}");
    assert!(end.bytes <= warm.bytes + GROWTH_BYTES, "{warm:?}\n{end:?}");
    assert!(end.peak <= PEAK_BYTES, "{end:?}");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    eventually("no process is left", || workspace.processes(client.id()).is_empty());
    // The next start removes the remains of killed servers.
    let mut next = Start::new(&workspace).protocol(protocol).client();
    next.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    next.close_stdin();
    assert_eq!(next.exit().code(), Some(0));
    let saved = workspace.saved();
    let stays = fs::read_dir(workspace.saved_dir()).unwrap().map(|entry| entry.unwrap().path());
    let others: Vec<_> = stays.filter(|path| !saved.contains(path)).collect();
    assert!(others.is_empty(), "{others:?}");
}

fn workspace() -> Workspace {
    let workspace = Workspace::with(&json!({
        "tree/d{n}/f{n}.txt": {"each": [1, 300], "content": "one needle\nand hay\n"},
        "small": "one\ntwo\nthree\n",
        "binary": "a\u{0}b",
    }));
    let lines: Vec<String> = (1..=300_000).map(|n| format!("line {n} of a long file\n")).collect();
    workspace.write("long", lines.concat());
    workspace.write("one-line", "x".repeat(5_000_000));
    workspace
}

/// Sends random calls, cancels some, and waits for the other responses. Returns the number of calls and of cancelled calls.
fn round(client: &mut Client, dice: &mut Dice) -> (u64, u64) {
    let mut number = |below: u32| dice.below(below);
    let mut waiting = Vec::new();
    let mut cancelled_calls = 0;
    let count = 1 + number(AT_ONCE);
    for _ in 0..count {
        let (tool, arguments, expected) = random_call(&mut number);
        let token = (number(3) == 0).then(|| json!(format!("p{}", number(1 << 30))));
        let id = client.send_call(tool, arguments, token);
        match number(5) {
            0 => {
                client.cancel(id);
                cancelled_calls += 1;
            }
            _ => waiting.push((id, expected)),
        }
        match number(12) {
            0 => client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":\n"),
            1 => client.send_raw(&[b"[1,2", &vec![b'['; number(100_000) as usize][..], b"\n"].concat()),
            2 => client.cancel(u64::from(number(1 << 30))),
            3 => client.notify("notifications/nothing", json!({})),
            _ => {}
        }
    }
    for (id, expected) in waiting {
        let response = client.response(id);
        let text = response["result"]["content"][0]["text"].as_str();
        assert!(
            text.is_some_and(|text| text.contains(&expected) && text.len() <= 31_000),
            "{expected:?}: {response}"
        );
    }
    client.unsolicited();
    (u64::from(count), cancelled_calls)
}

fn random_call(number: &mut impl FnMut(u32) -> u32) -> Request {
    let n = 1 + number(299_000);
    if number(100) == 0 {
        // This call needs its timeout of one second, and the time between SIGTERM and SIGKILL.
        let stubborn = json!({"command": "trap '' TERM; echo in; sleep 600", "timeout": 1});
        return ("bash", stubborn, "timed out".into());
    }
    match number(15) {
        0 => ("read", json!({"path": "small"}), "three\n".into()),
        1 => {
            ("read", json!({"path": "long", "offset": n, "limit": 50}), format!("line {n} of a long file\n"))
        }
        2 => ("read", json!({"path": "long", "offset": -20}), "line 300000 of a long file\n".into()),
        3 => ("read", json!({"path": "one-line"}), "5MB".into()),
        4 => ("read", json!({"path": format!("none-{n}")}), "File not found".into()),
        5 => ("grep", json!({"pattern": "needle", "limit": 1 + n % 300}), "one needle".into()),
        6 => ("grep", json!({"pattern": format!("never {n} there")}), "No matches found".into()),
        7 => ("grep", json!({"pattern": "(", "path": "tree"}), "Invalid pattern".into()),
        8 => ("find", json!({"pattern": "*.txt", "offset": n % 200}), "tree/d".into()),
        9 => ("ls", json!({"path": "tree", "limit": 1 + n % 100}), "d1/".into()),
        10 => ("bash", json!({"command": format!("echo said {n}")}), format!("said {n}\n")),
        11 => ("bash", json!({"command": "seq 3000"}), "Full output: ".into()),
        12 => ("bash", json!({"command": "sleep 0.3 & echo left"}), "left\n".into()),
        13 => ("bash", json!({"command": "kill -KILL $$"}), "SIGKILL".into()),
        _ => ("bash", json!({"command": "head -c 3000000 /dev/zero | tr '\\0' x"}), "3MB".into()),
    }
}

/// Starts a second server and kills it during its work. The next server finds its remains.
fn kill_second_server(workspace: &Workspace, protocol: Protocol) {
    let mut second = Start::new(workspace).protocol(protocol).client();
    second.call("bash", json!({"command": "setsid sleep 600 & seq 3000"})).assert_success();
    second.send_call("bash", json!({"command": "seq 100000; sleep 600 & sleep 600"}), None);
    second.send_call("grep", json!({"pattern": "needle"}), None);
    second.signal(Signal::KILL);
    second.exit();
}

/// Resources that an idle server uses.
#[derive(Debug)]
struct Usage {
    descriptors: usize,
    threads: usize,
    bytes: u64,
    peak: u64,
}

/// Waits until the server has no work and returns its resource usage.
fn idle_usage(workspace: &Workspace, client: &Client) -> Usage {
    let proc_path = |name: &str| format!("/proc/{}/{name}", client.id());
    let entries = |name: &str| fs::read_dir(proc_path(name)).map(Iterator::count).unwrap_or_default();
    // A new server ends the remaining processes of killed servers.
    let mut next = Client::new(workspace);
    eventually("all processes have ended", || {
        workspace.processes(client.id()).iter().all(|id| u32::try_from(*id) == Ok(next.id()))
    });
    next.close_stdin();
    next.exit();
    // Idle threads of the pool remain.
    eventually("the other threads have ended", || entries("task") <= IDLE_THREADS);
    let status = fs::read_to_string(proc_path("status")).unwrap();
    let bytes = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    };
    Usage {
        descriptors: entries("fd"),
        threads: entries("task"),
        bytes: bytes("VmRSS:"),
        peak: bytes("VmHWM:"),
    }
}

/// A pseudo-random generator (xorshift) with a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 40).unwrap() % bound
    }
}
