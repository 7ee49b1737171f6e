//! Counts of calls: the file of records, its sums, the lines at the end.

mod command;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use cutline_core::text::tokens::{estimate, extrapolate};

use crate::support::{Client, Protocol, Start, Workspace, eventually};
use command::run;

/// A text in files and names. It must not appear in statistics.
const SECRET: &str = "xyzzy";

/// The flag for the file of records.
const FILE: [&str; 2] = ["--stats-file", "<base>/calls.jsonl"];

/// Returns the sums of the file of records.
#[track_caller]
fn sums(workspace: &Workspace) -> Value {
    let output = run(workspace, &["stats", "<base>/calls.jsonl", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn secrets() -> Workspace {
    Workspace::with(&json!({
        "xyzzy.txt": "xyzzy\n",
        "big.txt": {"lines": [1, 3000], "text": "xyzzy {n}"},
    }))
}

/// Makes calls with every kind of result: truncated, complete, stopped at a count limit, failed.
fn calls(client: &mut Client) {
    client.call("read", json!({"path": "big.txt"})).assert_success();
    client.call("read", json!({"path": "xyzzy.txt"})).assert_success();
    client.call("read", json!({"path": "xyzzy.missing"})).assert_error(&["not found"]);
    client.call("bash", json!({"command": "echo xyzzy; seq 3000"})).assert_success();
    client.call("grep", json!({"pattern": SECRET})).assert_success();
    client.call("find", json!({"pattern": "*xyzzy*"})).assert_success();
    client.call("ls", json!({"path": "."})).assert_success();
}

#[test]
fn sums_are_those_of_all_calls() {
    for protocol in Protocol::BOTH {
        let workspace = secrets();
        let mut client = Start::new(&workspace).flags(FILE).protocol(protocol).client();
        calls(&mut client);
        let sums = sums(&workspace);
        let (total, tools) = (&sums["total"], &sums["tools"]);
        assert_eq!((&total["calls"], &total["errors"], &total["answers"]), (&json!(7), &json!(1), &json!(6)));
        assert_eq!(
            total["truncated"],
            json!({"answers": 2, "percent": 33.3, "byLines": 2, "byBytes": 0, "byTokens": 0})
        );
        assert_eq!(tools["read"]["calls"], 3);
        // The file has the lines `xyzzy 1` to `xyzzy 3000`. The result has the first 2000, without the last newline.
        let big: u64 = 3000 * 7 + 9 + 90 * 2 + 900 * 3 + 2001 * 4;
        let shown: u64 = 2000 * 7 + 9 + 90 * 2 + 900 * 3 + 1001 * 4 - 1;
        let lines: Vec<String> = (1..=2000).map(|n| format!("xyzzy {n}")).collect();
        let tokens = estimate(&lines.join("\n"));
        let given =
            json!({"lines": 2001, "bytes": shown + 6, "estimatedTokens": tokens + estimate("xyzzy\n")});
        let rest = big - shown;
        let left_out = json!({
            "lines": 1000,
            "bytes": rest,
            "estimatedTokens": extrapolate(rest, shown, tokens),
            "isLowerBound": false,
        });
        assert_eq!((&tools["read"]["given"], &tools["read"]["leftOut"]), (&given, &left_out));
        assert_eq!(tools["read"]["limitUse"]["meanPercent"], 50.0);
        // The default limit of grep is 100 matches, so the rest was not searched.
        assert_eq!(tools["grep"]["countLimitReached"], 1);
        assert_eq!(tools["grep"]["leftOut"]["isLowerBound"], true);
        assert!(total["durationMs"]["median"].as_f64().unwrap() > 0.0, "{sums}");
        let text = sums.to_string();
        assert!(!text.contains("xyzzy") && !text.contains("cutline-it-"), "{text}");
    }
}

#[test]
fn cancelled_call_is_counted_as_cancelled() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(FILE).client();
    let id = client.send_call("bash", json!({"command": "echo > began; sleep 600"}), None);
    eventually("the command runs", || workspace.path("began").exists());
    client.cancel(id);
    eventually("the call is counted", || sums(&workspace)["total"]["cancelled"] == 1);
    assert_eq!(sums(&workspace)["total"]["durationMs"]["median"], Value::Null);
    end(&mut client);
    let lines = records(&workspace.base().join("calls.jsonl"));
    assert_eq!(lines.iter().map(|line| &line["outcome"]).collect::<Vec<_>>(), ["cancelled"]);
}

/// Ends the server, so that its file of call records is complete.
#[track_caller]
fn end(client: &mut Client) {
    client.close_stdin();
    assert!(client.exit().success());
}

/// Returns the call records in a file.
#[track_caller]
fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect()
}

#[test]
fn file_has_record_of_each_call_without_content() {
    let workspace = secrets();
    // The path is relative to the current folder of the server.
    let mut client = Start::new(&workspace).flags(["--stats-file", "calls.jsonl"]).client();
    calls(&mut client);
    client.ask("tools/call", json!({"name": "write", "arguments": {}}));
    end(&mut client);
    let path = workspace.path("calls.jsonl");
    let lines = records(&path);
    let tools: Vec<_> = lines.iter().map(|line| line["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["read", "read", "read", "bash", "grep", "find", "ls"]);
    let fields_of_success = [
        "countLimitReached",
        "durationMs",
        "limitPercent",
        "outcome",
        "outputBytes",
        "outputLines",
        "time",
        "tokensGiven",
        "tokensLeftOut",
        "tool",
        "totalBytes",
        "totalIsLowerBound",
        "totalLines",
        "truncatedBy",
    ];
    for line in &lines {
        let mut fields: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let expected = if line["outcome"] == "ok" {
            &fields_of_success[..]
        } else {
            &["durationMs", "outcome", "time", "tool"]
        };
        assert_eq!(fields, expected, "{line}");
        assert!(line["durationMs"].as_f64().unwrap() > 0.0, "{line}");
        let time = line["time"].as_str().unwrap();
        assert!(time.len() == 24 && time.starts_with("20") && time.ends_with('Z'), "{line}");
    }
    assert_eq!((&lines[0]["truncatedBy"], &lines[0]["limitPercent"]), (&json!("lines"), &json!(100)));
    assert_eq!((&lines[1]["outputBytes"], &lines[1]["tokensLeftOut"]), (&json!(6), &json!(0)));
    assert_eq!((&lines[4]["countLimitReached"], &lines[4]["tokensLeftOut"]), (&json!(true), &Value::Null));
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("xyzzy") && !text.contains("cutline-it-"), "{text}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn servers_can_share_a_file() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let start = || Start::new(&workspace).flags(["--stats-file", "<base>/calls.jsonl"]).client();
    let mut clients = [start(), start()];
    let mut pending = Vec::new();
    for n in 0..100 {
        let which = n % clients.len();
        let call = json!({"path": if n % 3 == 0 { "missing" } else { "a" }});
        pending.push((which, clients[which].send_call("read", call, None)));
    }
    for (which, id) in pending {
        assert!(clients[which].response(id)["result"].is_object());
    }
    clients.iter_mut().for_each(end);
    let lines = records(&workspace.base().join("calls.jsonl"));
    assert_eq!(lines.len(), 100);
    assert_eq!(lines.iter().filter(|line| line["outcome"] == "error").count(), 34);
}

#[test]
fn unusable_file_is_refused_at_start() {
    let workspace = Workspace::with(&json!({"fifo": {"fifo": true}}));
    for (file, why) in [
        ("<root>", "Is a directory"),
        ("<root>/no/such", "No such file"),
        ("/dev/null", "not a regular file"),
        ("fifo", "--stats-file"),
    ] {
        for command in [&[][..], &["call", "ls"]] {
            let output = run(&workspace, &[&["--stats-file", file], command].concat());
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{file}: {stderr}");
            assert!(stderr.contains("--stats-file") && stderr.contains(why), "{file}: {stderr}");
            assert_eq!(output.stdout, b"", "{file}");
        }
    }
}

#[test]
fn failed_write_is_reported_once() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    // `ulimit -f` counts kilobytes. The signal SIGXFSZ must not end the server.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"";
    let start = Start::new(&workspace).flags(["--stats-file", "<base>/calls.jsonl"]);
    let mut client = start.through("bash", &["-c", script]).client();
    for _ in 0..30 {
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
    client.close_stdin();
    assert!(client.exit().success());
    let warnings = client.stderr().lines().filter(|line| line.contains("--stats-file")).count();
    assert_eq!(warnings, 1, "{}", client.stderr());
    let size = workspace.base().join("calls.jsonl").metadata().unwrap().len();
    assert!((1500..=2048).contains(&size), "{size}");
}

#[test]
fn server_logs_statistics_of_each_tool_at_its_end() {
    let workspace = secrets();
    let mut client = Client::new(&workspace);
    calls(&mut client);
    client.close_stdin();
    client.exit();
    let stderr = client.stderr();
    let last: Vec<_> = stderr.lines().rev().take(6).collect();
    for (line, start) in last.iter().zip([
        "all: 7 calls, 1 error, 2 truncated, ",
        "ls: 1 call, 0 errors, 0 truncated, 17B returned and 0B omitted, ",
        "find: 1 call, 0 errors, 0 truncated, ",
        "grep: 1 call, 0 errors, 0 truncated, ",
        "bash: 1 call, 0 errors, 1 truncated, ",
        "read: 3 calls, 1 error, 1 truncated, ",
    ]) {
        assert!(line.contains(start), "{start} is not in {line}\n{stderr}");
        assert!(line.contains("% of the limit used on average"), "{line}");
    }
}
