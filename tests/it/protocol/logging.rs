//! Truncated results, and results close to a limit, are logged to stderr and to legacy clients that request it.

use serde_json::{Value, json};

use crate::support::{Client, Era, Start, Workspace};

fn files() -> Value {
    json!({
        "cut": {"lines": [1, 3000], "text": "line {n}"},
        "near": {"repeat": "x", "times": 25_000},
        "small": "x",
    })
}

/// The log notifications that three calls give a client that set `level`.
fn told(level: Option<&str>) -> Vec<Value> {
    let workspace = Workspace::with(&files());
    let mut client = Client::new(&workspace);
    if let Some(level) = level {
        let answer = client.ask("logging/setLevel", json!({"level": level}));
        assert!(answer["result"].is_object(), "{answer}");
    }
    for path in ["cut", "near", "small"] {
        client.call("read", json!({"path": path})).assert_worked();
    }
    let unasked = client.unasked().into_iter();
    unasked
        .filter(|message| message["method"] == "notifications/message")
        .map(|m| m["params"].clone())
        .collect()
}

#[test]
fn truncated_results_are_logged_by_level() {
    let told = told(Some("info"));
    let levels: Vec<_> = told.iter().map(|params| params["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["warning", "info"], "{told:?}");
    let cut = &told[0]["data"];
    assert_eq!(cut["tool"], "read");
    assert!(cut["shown"].as_u64().unwrap() < cut["total"].as_u64().unwrap(), "{cut}");
}

#[test]
fn log_level_is_respected() {
    assert_eq!(told(Some("warning")).len(), 1);
    assert_eq!(told(Some("error")).len(), 0);
    assert_eq!(told(Some("debug")).len(), 2);
}

#[test]
fn no_level_means_no_log_notifications() {
    assert_eq!(told(None), Vec::<Value>::new());
}

#[test]
fn stateless_era_has_no_log_notifications() {
    let workspace = Workspace::with(&files());
    let mut client = Start::new(&workspace).era(Era::Modern).client();
    client.call("read", json!({"path": "cut"})).assert_worked();
    let unasked = client.unasked();
    assert!(unasked.is_empty(), "{unasked:?}");
}

#[test]
fn stderr_ends_with_summary() {
    let workspace = Workspace::with(&files());
    for era in Era::BOTH {
        let mut client = Start::new(&workspace).era(era).client();
        for path in ["cut", "near", "small", "missing"] {
            client.call("read", json!({"path": path}));
        }
        client.close_stdin();
        client.exit();
        let stderr = client.stderr();
        let line = |word: &str| stderr.lines().filter(|line| line.contains(word)).count();
        assert_eq!((line("WARN"), line("truncated tool")), (1, 1), "{stderr}");
        assert_eq!(line("near the limit"), 1, "{stderr}");
        let summary = stderr.lines().last().unwrap_or_default();
        assert!(summary.contains("4 calls") && summary.contains("1 truncated"), "{stderr}");
    }
}

#[test]
fn stderr_has_warnings_only() {
    let workspace = Workspace::with(&files());
    let mut client = Start::new(&workspace).default_log().named("opencode").client();
    for path in ["near", "small"] {
        client.call("read", json!({"path": path}));
    }
    client.close_stdin();
    client.exit();
    assert_eq!(client.stderr(), "");
    let mut client = Start::new(&workspace).default_log().client();
    client.call("read", json!({"path": "small", "wait_for_previous": true})).assert_worked();
    client.close_stdin();
    client.exit();
    let stderr = client.stderr();
    assert!(stderr.contains("wait_for_previous") && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn log_off_silences_stderr() {
    let workspace = Workspace::with(&files());
    for start in [
        Start::new(&workspace).flags(["--log", "error"]),
        Start::new(&workspace).default_log().env("RUST_LOG", "error"),
    ] {
        let mut client = start.client();
        client.call("read", json!({"path": "cut"})).assert_worked();
        client.close_stdin();
        client.exit();
        assert_eq!(client.stderr(), "");
    }
}
