//! `cutline stats`, and the commands that write a file of call records.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use similar_asserts::SimpleDiff;

use super::records;
use crate::cli::on_a_terminal;
use crate::support::{Start, Workspace};

/// Runs the binary with these arguments in `workspace`.
pub(super) fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    Start::new(workspace).flags(arguments).command().stdin(Stdio::null()).output().unwrap()
}

/// Returns the output of `cutline stats` for a file of `fixtures/stats`.
fn shown(arguments: &[&str]) -> String {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stats");
    let mut command = Start::new(&Workspace::new()).flags(["stats"]).flags(arguments).command();
    let output = command.current_dir(files).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn call_writes_a_record() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let path = workspace.base().join("calls.jsonl");
    run(&workspace, &["call", "read", "path=a"]);
    assert!(!path.exists());
    run(&workspace, &["call", "read", "path=a", "--stats-file", "<base>/calls.jsonl"]);
    let start = Start::new(&workspace).env("CUTLINE_STATS_FILE", "<base>/calls.jsonl");
    let mut command = start.flags(["call", "read", "path=missing"]).command();
    assert_eq!(command.stdin(Stdio::null()).output().unwrap().status.code(), Some(1));
    let outcomes: Vec<_> = records(&path).into_iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes, ["ok", "error"]);
}

#[test]
fn config_writes_an_absolute_path() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["config", "cursor", "--stats-file", "calls.jsonl"]);
    let entry: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = json!(["--lean", "--stats-file", workspace.path("calls.jsonl")]);
    assert_eq!(entry["mcpServers"]["cutline"]["args"], expected);
    assert!(!workspace.path("calls.jsonl").exists(), "config created the file");
}

#[test]
fn table_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stats/day.txt");
    let now = shown(&["day.jsonl"]);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &now).unwrap();
    }
    let snapshot = fs::read_to_string(&path).unwrap_or_default();
    let diff = SimpleDiff::from_str(&snapshot, &now, "snapshot", "now");
    assert!(
        snapshot == now,
        "{diff}\nTo accept the new table, run: UPDATE_SNAPSHOTS=1 cargo test table_is_printed"
    );
}

#[test]
fn json_has_the_sums_of_the_records() {
    let value: Value = serde_json::from_str(&shown(&["--json", "day.jsonl"])).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stats/day.jsonl");
    let lines = records(&file);
    let sum = |tool: &str, field: &str| {
        let of_tool = lines.iter().filter(|line| line["tool"] == tool);
        of_tool.filter_map(|line| line[field].as_u64()).sum::<u64>()
    };
    for tool in ["read", "bash", "grep", "find", "ls"] {
        let sums = &value["tools"][tool];
        assert_eq!(sums["given"]["bytes"], sum(tool, "outputBytes"), "{tool}");
        assert_eq!(sums["leftOut"]["estimatedTokens"], sum(tool, "tokensLeftOut"), "{tool}");
        let cut = lines.iter().filter(|line| line["tool"] == tool && line["truncatedBy"].is_string());
        assert_eq!(sums["truncated"]["answers"], cut.count(), "{tool}");
    }
    let spans = value["overTime"]["spans"].as_array().unwrap();
    let of_tools = spans.iter().flat_map(|span| span["tools"].as_object().unwrap().values());
    let calls: u64 = of_tools.map(|sums| sums["calls"].as_u64().unwrap()).sum();
    assert_eq!((calls, &value["brokenLines"]), (240, &json!(0)));
    assert_eq!(value["overTime"]["spanMinutes"], 10);
}

#[test]
fn invalid_lines_are_skipped_and_counted() {
    let text = shown(&["broken.jsonl"]);
    assert!(text.starts_with("4 calls, "), "{text}");
    assert!(text.ends_with("\n\n3 lines are no records and were skipped\n"), "{text}");
}

#[test]
fn file_without_records_is_explained() {
    let workspace = Workspace::with(&json!({"empty": "", "other": "# A text\n"}));
    let stats = |file: &str| {
        let output = run(&workspace, &["stats", file]);
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(stats("empty"), (0, "No calls\n".to_owned()));
    assert_eq!(stats("-"), (0, "No calls\n".to_owned()), "stdin is empty");
    assert_eq!(stats("other"), (1, "No calls\n\n1 line is no record and was skipped\n".to_owned()));
    let missing = run(&workspace, &["stats", "missing"]);
    assert_eq!(missing.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(stderr, "cutline: missing could not be read: No such file or directory\n");
}

#[test]
fn colours_appear_on_a_terminal_only() {
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/stats/day.jsonl");
    let (workspace, show) = (Workspace::new(), ["stats", day.to_str().unwrap()]);
    let Some(text) = on_a_terminal(&workspace, &show, &[]) else { return };
    assert!(text.contains('\u{1b}') && text.contains("tool  calls"), "{text:?}");
    let plain = on_a_terminal(&workspace, &show, &[("NO_COLOR", "1")]).unwrap();
    assert!(!plain.contains('\u{1b}') && plain.contains("tool  calls"), "{plain:?}");
    assert!(!shown(&["day.jsonl"]).contains('\u{1b}'));
}
