//! Truncated results, and results close to a limit, are logged to stderr and to clients with a handshake that request it.

use serde_json::{Value, json};

use crate::support::{Client, Protocol, Start, Workspace};

fn files() -> Value {
    json!({
        "cut": {"lines": [1, 3000], "text": "line {n}"},
        "near": {"repeat": "x", "times": 25_000},
        "small": "x",
    })
}

/// Makes three calls and returns the log notifications. The client sets `level` first.
fn log_notifications(level: Option<&str>) -> Vec<Value> {
    let workspace = Workspace::with(&files());
    let mut client = Client::new(&workspace);
    if let Some(level) = level {
        let response = client.ask("logging/setLevel", json!({"level": level}));
        assert!(response["result"].is_object(), "{response}");
    }
    for path in ["cut", "near", "small"] {
        client.call("read", json!({"path": path})).assert_success();
    }
    let unsolicited = client.unsolicited().into_iter();
    unsolicited
        .filter(|message| message["method"] == "notifications/message")
        .map(|m| m["params"].clone())
        .collect()
}

#[test]
fn truncated_results_are_logged_by_level() {
    let notifications = log_notifications(Some("info"));
    let levels: Vec<_> = notifications.iter().map(|params| params["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["warning", "info"], "{notifications:?}");
    let cut = &notifications[0]["data"];
    assert_eq!(cut["tool"], "read");
    assert!(cut["shown"].as_u64().unwrap() < cut["total"].as_u64().unwrap(), "{cut}");
}

#[test]
fn log_level_is_respected() {
    assert_eq!(log_notifications(Some("warning")).len(), 1);
    assert_eq!(log_notifications(Some("error")).len(), 0);
    assert_eq!(log_notifications(Some("debug")).len(), 2);
}

#[test]
fn client_without_a_level_gets_no_log_notifications() {
    assert_eq!(log_notifications(None), Vec::<Value>::new());
}

#[test]
fn stateless_revision_has_no_log_notifications() {
    let workspace = Workspace::with(&files());
    let mut client = Start::new(&workspace).protocol(Protocol::Stateless).client();
    client.call("read", json!({"path": "cut"})).assert_success();
    let unsolicited = client.unsolicited();
    assert!(unsolicited.is_empty(), "{unsolicited:?}");
}

#[test]
fn log_ends_with_a_summary() {
    let workspace = Workspace::with(&files());
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
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
fn default_log_has_only_warnings() {
    let workspace = Workspace::with(&files());
    let mut client = Start::new(&workspace).default_log().client_name("opencode").client();
    for path in ["near", "small"] {
        client.call("read", json!({"path": path}));
    }
    client.close_stdin();
    client.exit();
    assert_eq!(client.stderr(), "");
    let mut client = Start::new(&workspace).default_log().client();
    client.call("read", json!({"path": "small", "wait_for_previous": true})).assert_success();
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
        client.call("read", json!({"path": "cut"})).assert_success();
        client.close_stdin();
        client.exit();
        assert_eq!(client.stderr(), "");
    }
}
