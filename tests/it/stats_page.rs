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

/// Returns the JSON in a page.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("<script type=\"application/json\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn page_and_json_have_the_same_data() {
    let day = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/stats/day.jsonl");
    let (page, sums) = page(&fs::read_to_string(day).unwrap());
    assert_eq!(data(&page), sums);
    assert_eq!(sums["total"]["calls"], 240);
}

#[test]
fn page_loads_no_resource_and_runs_only_its_own_script() {
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</script><script src=//x>",
        "<!--<script>",
        "DATA_OF_CUTLINE_STATS",
        "a/b~c&lt;",
    ];
    let lines: String = hostile.iter().map(|tool| record(tool, &json!({}))).collect();
    let (page, sums) = page(&lines);
    assert!(
        page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';")
    );
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2), "{page}");
    for forbidden in ["<!--", "<img", "<iframe", "<object", "@import", "url(", "innerHTML", "http:", "https:"]
    {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
    assert_eq!(data(&page), sums);
    for tool in hostile {
        assert_eq!(sums["tools"][tool]["calls"], 1, "{tool}");
    }
}

#[test]
fn page_accepts_few_and_invalid_records() {
    let (none, sums) = page("");
    assert_eq!((data(&none), &sums["total"]["calls"]), (sums.clone(), &json!(0)));
    let (_, sums) = page(&format!("# A text\n{}{{\n", record("echo", &json!({}))));
    assert_eq!((&sums["brokenLines"], &sums["tools"]["echo"]["calls"]), (&json!(2), &json!(1)));
    let workspace = Workspace::with(&json!({"other": "# A text\n"}));
    assert_eq!(run(&workspace, &["stats", "other", "--html", "page.html"]).status.code(), Some(1));
    assert_eq!(data(&fs::read_to_string(workspace.path("page.html")).unwrap())["brokenLines"], 1);
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
            .contains("none/page.html could not be written: none: No such file"),
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
    assert_eq!(data(&page)["total"]["calls"], 1_000_000);
}
