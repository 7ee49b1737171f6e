//! The HTML of `cutline stats --html`. `tests/clients/stats_page.mjs` tests the page in a browser.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Start, Workspace};

/// Runs the binary with these arguments in `workspace`.
fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    Start::new(workspace).flags(arguments).command().stdin(Stdio::null()).output().unwrap()
}

/// Returns the page for a file with these lines, and its data as JSON.
#[track_caller]
fn page(lines: &str) -> (String, Value) {
    let workspace = Workspace::with(&json!({ "calls": lines }));
    let written = run(&workspace, &["stats", "calls", "--html", "page.html"]);
    assert!(written.stdout.is_empty() && written.stderr.is_empty(), "{written:?}");
    let sums = run(&workspace, &["stats", "calls", "--json"]).stdout;
    (fs::read_to_string(workspace.path("page.html")).unwrap(), serde_json::from_slice(&sums).unwrap())
}

fn record(tool: &str, more: &Value) -> String {
    let mut record = json!({"time": "2026-11-20T10:00:00.000Z", "tool": tool, "durationMs": 1.25, "outcome": "ok",
        "truncatedBy": null, "countLimitReached": false, "outputLines": 1, "outputBytes": 4, "totalLines": 1,
        "totalBytes": 4, "totalIsLowerBound": false, "limitPercent": 1, "tokensGiven": 1, "tokensLeftOut": 0});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{record}\n")
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Returns the numbers of a page, each with its JSON pointer.
fn numbers(page: &str) -> Vec<(String, f64)> {
    let mut numbers = Vec::new();
    for part in page.split("<data value=\"").skip(1) {
        let (value, rest) = part.split_once("\" data-of=\"").unwrap();
        let (pointer, rest) = rest.split_once("\">").unwrap();
        let text = rest.split_once("</data>").unwrap().0;
        assert_eq!(text.replace(',', ""), value, "{pointer}");
        numbers.push((unescaped(pointer), value.parse().unwrap()));
    }
    numbers
}

#[test]
fn page_and_json_have_the_same_numbers() {
    let day = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/stats/day.jsonl");
    let (page, sums) = page(&fs::read_to_string(day).unwrap());
    let numbers = numbers(&page);
    for (pointer, value) in &numbers {
        assert_eq!(sums.pointer(pointer).and_then(Value::as_f64), Some(*value), "{pointer}");
    }
    let of_bash = numbers.iter().filter(|(pointer, _)| pointer.starts_with("/tools/bash/")).count();
    assert_eq!(of_bash, 15);
    let slowest: Vec<_> = numbers.iter().filter(|(pointer, _)| pointer.ends_with("durationMs")).collect();
    assert_eq!(slowest.len(), 10);
    assert_eq!(Some(slowest[0].1), sums["total"]["durationMs"]["longest"].as_f64());
    assert!(page.matches("<svg ").count() == 10 && page.matches("<rect ").count() > 400);
}

#[test]
fn page_loads_no_resource_and_runs_no_script() {
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</style><script src=//x>",
        "a/b~c&lt;",
    ];
    let lines: String = hostile.iter().map(|tool| record(tool, &json!({}))).collect();
    let (page, sums) = page(&lines);
    assert!(
        page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"),
        "{page}"
    );
    // The names do not contain `<`.
    for forbidden in ["<script", "<img", "<iframe", "<object", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
    let addresses: Vec<_> = page.split("http").skip(1).filter(|rest| !rest.starts_with("-equiv")).collect();
    assert!(addresses.iter().all(|rest| rest.starts_with("://www.w3.org/2000/svg\"")), "{addresses:?}");
    for (pointer, value) in numbers(&page) {
        assert_eq!(sums.pointer(&pointer).and_then(Value::as_f64), Some(value), "{pointer}");
    }
    for tool in hostile {
        assert!(unescaped(&page).contains(&format!(">{tool}</bdi>")), "{tool}");
    }
}

#[test]
fn page_accepts_few_and_invalid_records() {
    let (none, _) = page("");
    assert!(none.contains("<p>No calls</p>") && !none.contains("<svg"), "{none}");
    let (one, _) = page(&record("echo", &json!({})));
    assert!(
        one.contains("<bdi class=\"short\">echo</bdi>") && !one.contains("NaN") && !one.contains("inf"),
        "{one}"
    );
    let (broken, sums) = page(&format!("# A text\n{}{{\n", record("echo", &json!({}))));
    assert_eq!(sums["brokenLines"], 2);
    assert!(numbers(&broken).contains(&("/brokenLines".to_owned(), 2.0)));
    let workspace = Workspace::with(&json!({"other": "# A text\n"}));
    assert_eq!(run(&workspace, &["stats", "other", "--html", "page.html"]).status.code(), Some(1));
    assert!(fs::read_to_string(workspace.path("page.html")).unwrap().contains("No calls"));
}

#[test]
fn page_does_not_overwrite_its_records() {
    let lines = record("echo", &json!({}));
    let workspace = Workspace::with(&json!({"calls": lines, "link": {"symlink": "calls"}}));
    for page in ["calls", "./calls", "link"] {
        let refused = run(&workspace, &["stats", "calls", "--html", page]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("is the stats file itself"), "{refused:?}");
    }
    let piped = Start::new(&workspace).flags(["stats", "-", "--html", "calls"]).command();
    let piped = { piped }.stdin(fs::File::open(workspace.path("calls")).unwrap()).output().unwrap();
    assert_eq!(piped.status.code(), Some(2), "{piped:?}");
    assert_eq!(fs::read_to_string(workspace.path("calls")).unwrap(), lines);
    let elsewhere = run(&workspace, &["stats", "calls", "--html", "none/page.html"]);
    assert_eq!(elsewhere.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&elsewhere.stderr)
            .contains("none/page.html could not be written: No such file"),
        "{elsewhere:?}"
    );
}

#[test]
fn page_is_not_written_to_a_link_or_fifo() {
    let workspace = Workspace::with(&json!({
        "calls": record("echo", &json!({})),
        "victim": "x\n",
        "link": {"symlink": "victim"},
        "dangling": {"symlink": "made"},
        "page.html": "old",
    }));
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, workspace.path("pipe"), pipe, rustix::fs::Mode::RUSR, 0).unwrap();
    for page in ["link", "dangling", "pipe"] {
        let refused = run(&workspace, &["stats", "calls", "--html", page]);
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.contains(&format!("{page} could not be written: it exists and is not a regular file")),
            "{stderr}"
        );
    }
    assert_eq!(fs::read_to_string(workspace.path("victim")).unwrap(), "x\n");
    assert!(!workspace.path("made").exists());
    assert!(run(&workspace, &["stats", "calls", "--html", "page.html"]).status.success());
    assert!(fs::read_to_string(workspace.path("page.html")).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn page_memory_is_bounded() {
    let workspace = Workspace::new();
    // `ulimit -v` counts kilobytes. The input is larger than this limit on the address space.
    let script = "ulimit -v 65536; exec \"$0\" stats - --html page.html";
    let mut child = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_cutline")])
        .current_dir(workspace.root())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut bytes = 0;
    for second in 0..1000 {
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let line = format!(
            "{{\"time\":\"2026-11-20T{hours:02}:{minutes:02}:{seconds:02}.000Z\",\"tool\":\"t{second}\",\"durationMs\":{second},\"outcome\":\"error\"}}\n"
        );
        let lines = line.repeat(1000);
        bytes += lines.len();
        stdin.write_all(lines.as_bytes()).unwrap();
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(bytes > 65536 * 1024, "{bytes}");
    let page = fs::read_to_string(workspace.path("page.html")).unwrap();
    assert!(numbers(&page).contains(&("/total/calls".to_owned(), 1_000_000.0)));
}
