//! Tests of ls that need more than a scenario: very large folders.

use serde_json::json;

use crate::support::{Client, Workspace};

#[test]
fn last_page_of_a_large_folder_is_complete() {
    let workspace = Workspace::with(&json!({"f{n:5}": {"each": [1, 2000], "content": ""}}));
    let mut client = Client::new(&workspace);
    let reply = client.call("ls", json!({"offset": 1998}));
    reply.assert_text("f01999\nf02000");
    let reply = client.call("ls", json!({"limit": 2}));
    reply.assert_contains(
        "f00001\nf00002\n\n[2 entries limit reached. Use limit=4 for more]\n[2000 entries. Use offset=2 to continue]",
    );
    assert_eq!(reply.details()["totalEntries"], 2000, "{reply}");
}

#[test]
fn pages_repeat_no_entry() {
    let workspace = Workspace::with(
        &json!({"F{n}": {"each": [1, 120], "content": ""}, "f{n}": {"each": [1, 120], "content": ""}}),
    );
    let mut client = Client::new(&workspace);
    let mut names: Vec<String> = Vec::new();
    for offset in (0..240).step_by(40) {
        let reply = client.call("ls", json!({"offset": offset, "limit": 40}));
        names.extend(reply.text().split("\n\n[").next().unwrap().lines().map(ToOwned::to_owned));
    }
    let mut expected = names.clone();
    expected.sort_by_key(|name| (name.to_lowercase(), name.clone()));
    expected.dedup();
    assert_eq!((names.len(), &names), (240, &expected));
}
