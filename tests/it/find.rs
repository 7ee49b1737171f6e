//! Tests of find that need more than a scenario: order with several workers, large folders, unreadable folders.

use serde_json::json;

use crate::support::{Client, Start, Workspace};

#[test]
fn pages_of_a_large_tree_are_complete() {
    let files = json!({
        "d{n:3}/x.rs": {"each": [1, 200], "content": ""},
        "d{n:3}/sub/y.rs": {"each": [1, 200], "content": ""},
        "f{n:4}.rs": {"each": [1, 600], "content": ""},
    });
    let workspace = Workspace::with(&files);
    let mut expected: Vec<String> =
        (1..=200).flat_map(|n| [format!("d{n:03}/sub/y.rs"), format!("d{n:03}/x.rs")]).collect();
    expected.extend((1..=600).map(|n| format!("f{n:04}.rs")));
    for workers in ["1", "2", "8"] {
        let mut client = Start::new(&workspace).flags(["--workers", workers]).client();
        let mut found: Vec<String> = Vec::new();
        loop {
            let args = json!({"pattern": "*.rs", "limit": 300, "offset": found.len()});
            let reply = client.call("find", args);
            let body = reply.text().split("\n\n[").next().unwrap();
            found.extend(body.lines().map(ToOwned::to_owned));
            match reply.details()["nextOffset"].as_u64() {
                Some(next) => assert_eq!(next, found.len() as u64, "{reply}"),
                None => break,
            }
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn files_with_the_same_time_are_sorted_by_path() {
    let files = json!({"d{n}/f": {"each": [1, 200], "content": ""}});
    let workspace = Workspace::with(&files);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_001);
    let mut expected: Vec<String> = (1..=200).map(|n| format!("d{n}/f")).collect();
    for path in &expected {
        std::fs::File::options().write(true).open(workspace.path(path)).unwrap().set_modified(time).unwrap();
    }
    expected.sort();
    let mut client = Client::new(&workspace);
    client.call("find", json!({"pattern": "f", "sort": "modified"})).assert_text(&expected.join("\n"));
}

#[test]
#[cfg(unix)]
fn folder_next_to_an_unreadable_one_keeps_its_path_and_rules() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::with(&json!({
        ".gitignore": "/b/build\n",
        "a/x.txt": "", "b/build/y.txt": "", "b/x.txt": "",
    }));
    let unreadable = workspace.path("a");
    std::fs::set_permissions(&unreadable, std::fs::Permissions::from_mode(0o000)).unwrap();
    let notice = "\n\n[1 path could not be read: a]";
    for workers in ["1", "2"] {
        let mut client = Start::new(&workspace).flags(["--workers", workers]).unprivileged().client();
        client.call("find", json!({"pattern": "*/x.txt"})).assert_text(&format!("b/x.txt{notice}"));
        let none = format!(
            "No files found matching pattern{notice}\n\
             [Ignored files were not searched. Use noIgnore=true to include them]"
        );
        client.call("find", json!({"pattern": "y.txt"})).assert_text(&none);
    }
    std::fs::set_permissions(&unreadable, std::fs::Permissions::from_mode(0o755)).unwrap();
}
