//! Roots that a client of the handshake era offers: followed, unless the command line gave some.

use serde_json::json;

use crate::support::{Client, Era, Start, Workspace, eventually};

fn workspace() -> Workspace {
    Workspace::with(&json!({"a": "started here\n", "../one/a": "one\n", "../two words/a": "two\n"}))
}

/// What `a` reads as, once it no longer reads as `before`.
fn read_after(client: &mut Client, before: &str) -> String {
    let mut text = String::new();
    eventually("the roots change", || {
        client.call("read", json!({"path": "a"})).text().clone_into(&mut text);
        text != before
    });
    text
}

#[test]
fn the_first_root_is_the_workspace() {
    let workspace = workspace();
    let (one, two) = (workspace.base().join("one"), workspace.base().join("two words"));
    let mut client = Start::new(&workspace).roots(&[one.clone(), two.clone()]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    client.call("bash", json!({"command": "cat a; pwd"})).assert_text(&format!("one\n{}\n", one.display()));
    client.call("read", json!({"path": two.join("a")})).assert_text("two\n");
    client.call("read", json!({"path": workspace.path("a")})).assert_error(&["outside the allowed roots"]);
}

#[test]
fn uris_are_decoded() {
    let workspace = workspace();
    let mut start = Start::new(&workspace).roots(&[]).silent();
    start.roots = Some(vec![format!("file://{}/two%20words", workspace.base().display())]);
    start.initialize("2025-06-18");
    start.notify("notifications/initialized", json!({}));
    start.call("read", json!({"path": "a"})).assert_text("two\n");
}

#[test]
fn changes_are_followed() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).roots(&[workspace.base().join("one")]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    client.roots = Some(vec![format!("file://{}/two%20words", workspace.base().display())]);
    client.notify("notifications/roots/list_changed", json!({}));
    assert_eq!(read_after(&mut client, "one\n"), "two\n");
}

#[test]
fn roots_that_cannot_be_used_leave_what_was() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).roots(&["/no/such/folder".into()]).client();
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
}

#[test]
fn the_command_line_wins() {
    let workspace = workspace();
    let one = workspace.base().join("one");
    let mut client = Start::new(&workspace).flags(["--root", "<root>"]).roots(&[one]).client();
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
    client.notify("notifications/roots/list_changed", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
}

#[test]
fn a_client_that_offers_none_is_not_asked() {
    let workspace = workspace();
    for era in Era::BOTH {
        let mut client = Start::new(&workspace).era(era).client();
        client.call("read", json!({"path": "a"})).assert_text("started here\n");
        let unasked = client.unasked();
        assert!(unasked.is_empty(), "{unasked:?}");
    }
}

#[test]
fn a_client_that_never_sends_them_is_not_waited_for_for_ever() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).silent();
    let capabilities = json!({"roots": {}});
    client.ask("initialize", json!({
        "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"},
    }));
    // Its answer to the server's question would be an empty list; this client is not even ready.
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
}
