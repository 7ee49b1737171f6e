//! The first messages of a session, in all protocol revisions.

use serde_json::json;

use crate::support::{Client, Protocol, Start, Workspace};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn all_handshake_revisions_are_supported() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for revision in REVISIONS {
        let mut client = Start::new(&workspace).without_handshake();
        let response = client.initialize(revision);
        let result = &response["result"];
        assert_eq!(result["protocolVersion"], revision, "{response}");
        assert_eq!(result["serverInfo"]["name"], "cutline");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(result["capabilities"]["tools"].is_object(), "{response}");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2000, "some clients truncate instructions at 2 KB");
        client.notify("notifications/initialized", json!({}));
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}

#[test]
fn unknown_revision_gets_the_newest_one() {
    let workspace = Workspace::new();
    for version in ["1999-01-01", "2026-07-28", "soon"] {
        let mut client = Start::new(&workspace).without_handshake();
        let response = client.initialize(version);
        assert_eq!(response["result"]["protocolVersion"], "2025-11-25", "{version}: {response}");
    }
}

#[test]
fn stateless_revision_needs_no_handshake() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).protocol(Protocol::Stateless).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");

    let discovered = client.ask("server/discover", json!({}));
    let result = &discovered["result"];
    let versions = result["supportedVersions"].as_array().unwrap();
    for revision in REVISIONS.iter().chain(&["2026-07-28"]) {
        assert!(versions.iter().any(|version| version == revision), "{revision} is not in {discovered}");
    }
    assert_eq!(client.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 5);
}

#[test]
fn unknown_stateless_revision_is_refused() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).protocol(Protocol::Stateless).client();
    client.send(&json!({"jsonrpc": "2.0", "id": "x", "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}}));
    let response = client.expect_message("an error", |message| message["id"] == "x");
    assert!(response["error"].is_object(), "{response}");
    assert!(client.ask("tools/list", json!({}))["result"].is_object());
}

#[test]
fn both_protocol_revisions_return_the_same_results() {
    let files = json!({"a.txt": {"lines": [1, 3000], "text": "line {n}"}});
    let workspace = Workspace::with(&files);
    let mut with_handshake = Client::new(&workspace);
    let mut stateless = Start::new(&workspace).protocol(Protocol::Stateless).client();
    for (tool, args) in [
        ("read", json!({"path": "a.txt"})),
        ("grep", json!({"pattern": "line"})),
        ("find", json!({"pattern": "*"})),
        ("ls", json!({})),
        ("ls", json!({"path": "missing"})),
        ("bash", json!({"command": "echo hi"})),
    ] {
        let (one, other) = (with_handshake.call(tool, args.clone()), stateless.call(tool, args));
        let facts = |reply: &crate::support::Reply| {
            let mut details = reply.details().clone();
            details.as_object_mut().map(|details| details.remove("durationMs"));
            (reply.text().to_owned(), reply.is_error(), details)
        };
        assert_eq!(facts(&one), facts(&other), "{one}\n{other}");
    }
}

#[test]
fn notification_before_handshake_is_ignored() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).without_handshake();
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({"requestId": 7}));
    client.initialize("2025-06-18");
    client.notify("notifications/initialized", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("one\n");
}

#[test]
fn ping_is_answered_at_any_time() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).without_handshake();
    assert!(client.ask("ping", json!({}))["result"].is_object());
    client.initialize("2025-06-18");
    client.notify("notifications/initialized", json!({}));
    assert!(client.ask("ping", json!({}))["result"].is_object());
}

#[test]
fn call_before_handshake_is_refused() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).without_handshake();
    let response = client.ask("tools/call", json!({"name": "read", "arguments": {"path": "a"}}));
    assert!(response["error"].is_object(), "{response}");
    client.initialize("2025-06-18");
    client.notify("notifications/initialized", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("one\n");
}

#[test]
fn notification_after_a_request_before_handshake_is_ignored() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let stateless = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let cases =
        [("ping", json!({})), ("server/discover", stateless), ("tools/list", json!({})), ("x", json!({}))];
    for (method, params) in cases {
        let mut client = Start::new(&workspace).without_handshake();
        client.ask(method, params);
        client.notify("notifications/cancelled", json!({"requestId": 1}));
        client.initialize("2025-06-18");
        client.notify("notifications/initialized", json!({}));
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}
