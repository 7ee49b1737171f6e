//! Calls that reach their deadline: their results, and the other calls that run at the same time.

use std::fs::File;

use serde_json::json;

use crate::support::{Client, Start, Workspace};

/// Starts a server with a deadline of one second.
fn client_with_short_deadline(workspace: &Workspace) -> Client {
    Start::new(workspace).flags(["--search-timeout", "1", "--workers", "2"]).client()
}

/// Writes a sparse file that starts with `text` and has `bytes` bytes.
fn write_sparse(workspace: &Workspace, name: &str, text: &[u8], bytes: u64) {
    workspace.write(name, text);
    File::options().write(true).open(workspace.path(name)).unwrap().set_len(bytes).unwrap();
}

/// Returns lines of text. A file that starts with enough of them is not detected as binary.
fn text(lines: usize) -> Vec<u8> {
    (1..=lines).flat_map(|n| format!("line {n} of the text\n").into_bytes()).collect()
}

const TERABYTE: u64 = 1 << 40;

#[test]
fn page_is_returned_if_counting_lines_reaches_the_deadline() {
    let workspace = Workspace::new();
    write_sparse(&workspace, "big", &text(1000), TERABYTE);
    let mut client = client_with_short_deadline(&workspace);
    let reply = client.call("read", json!({"path": "big", "limit": 2}));
    reply.assert_text(
        "line 1 of the text\nline 2 of the text\n\n[Showing lines 1-2 of at least 1001. Use offset=3 to continue]",
    );
    assert_eq!(reply.details()["timedOut"], true, "{reply}");
    assert_eq!(reply.details()["totalLines"], 1001, "{reply}");
    assert_eq!(reply.details()["totalIsLowerBound"], true, "{reply}");
    let reply = client.call("read", json!({"path": "big", "offset": 999, "limit": 2}));
    reply.assert_contains("[Showing lines 999-1000 of at least 1001. Use offset=1001 to continue]");
    client
        .call("read", json!({"path": "big", "offset": -5}))
        .assert_error(&["Offset -5 was not reached within 1 second: the file has at least 1001 lines"]);
    let reply = client.call("read", json!({"path": "big", "offset": 1001}));
    reply.assert_contains("[Line 1001 is at least ");
}

#[test]
fn searches_of_a_huge_file_do_not_block_other_calls() {
    let workspace = Workspace::new();
    write_sparse(&workspace, "a/big", &text(1000), TERABYTE);
    workspace.write("b/small", "line 7 of the text\n");
    let mut client = Start::new(&workspace).flags(["--search-timeout", "3", "--workers", "2"]).client();
    let mut slow: Vec<u64> =
        (0..2).map(|_| client.send_call("grep", json!({"pattern": "line 7 ", "path": "a"}), None)).collect();
    slow.push(client.send_call("read", json!({"path": "a/big", "limit": 1}), None));
    let reply = client.call("grep", json!({"pattern": "line 7 ", "path": "b"}));
    reply.assert_text("b/small:1: line 7 of the text");
    client.call("find", json!({"pattern": "small"})).assert_text("b/small");
    assert!(slow.iter().all(|id| !client.has_response(*id)), "a slow call returned before the fast ones");
    for id in slow {
        let response = client.response(id);
        let result = &response["result"];
        assert_eq!(result["_meta"]["details"]["timedOut"], true, "{response}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("line 7 of the text") || text.starts_with("line 1 of the text\n"),
            "{response}"
        );
    }
}

#[test]
fn matches_after_an_unfinished_file_are_returned() {
    let workspace = Workspace::new();
    workspace.write("a", "needle\n");
    write_sparse(&workspace, "b", &text(1000), TERABYTE);
    for n in 0..60 {
        workspace.write(format!("c/{n:02}"), "needle\n");
    }
    workspace.write("c/00", "first needle\n");
    let mut client = client_with_short_deadline(&workspace);
    let reply = client.call("grep", json!({"pattern": "needle"}));
    let body: Vec<&str> = reply.text().lines().collect();
    assert_eq!(body[..2], ["a:1: needle", "c/00:1: first needle"], "{reply}");
    assert_eq!(body[60], "c/59:1: needle", "{reply}");
    reply.assert_contains(
        "[Stopped after 1 second: searched up to a, and later paths in part. Narrow path or glob]",
    );
    assert_eq!((&reply.details()["matches"], &reply.details()["timedOut"]), (&json!(61), &json!(true)));
}

#[test]
fn unfinished_search_never_reports_no_matches() {
    let workspace = Workspace::new();
    workspace.write("a/b", "needle\n");
    write_sparse(&workspace, "c", &text(1000), TERABYTE);
    let mut client = client_with_short_deadline(&workspace);
    client
        .call("grep", json!({"pattern": "absent"}))
        .assert_text("[Stopped after 1 second: found nothing up to a/. Narrow path or glob]");
    for mode in ["files", "count"] {
        client
            .call("grep", json!({"pattern": "absent", "mode": mode, "sort": "relevance"}))
            .assert_text("[Stopped after 1 second: found nothing up to a/. Narrow path or glob]");
    }
    client
        .call("grep", json!({"pattern": "absent", "path": "c"}))
        .assert_text("[Stopped after 1 second: found nothing in the part of c that was searched]");
    client
        .call("grep", json!({"pattern": "line 9 ", "path": "c"}))
        .assert_text("c:9: line 9 of the text\n\n[Stopped after 1 second: c was searched in part]");
    let reply = client.call("grep", json!({"pattern": "line \\d+ ", "mode": "count"}));
    reply.assert_text(
        "c: 1000\n\n[Stopped after 1 second: searched up to a/, and later paths in part. Narrow path or glob]",
    );
    client.call("grep", json!({"pattern": "absent", "offset": 5})).assert_success();
}

#[test]
fn total_of_an_unfinished_search_is_a_lower_bound() {
    let workspace = Workspace::new();
    workspace.write("a", "needle in a line\n".repeat(50));
    write_sparse(&workspace, "b", &text(1000), TERABYTE);
    let mut client = Start::new(&workspace).flags(["--search-timeout", "1", "--max-bytes", "500"]).client();
    let reply = client.call("grep", json!({"pattern": "needle", "sort": "relevance", "limit": 40}));
    assert_eq!(reply.details()["truncation"]["totalIsLowerBound"], true, "{reply}");
    assert_eq!(reply.details()["totalIsLowerBound"], true, "{reply}");
    reply.assert_contains(" of 50+ matches (500B limit), most relevant first. Use offset=");
}

#[test]
fn large_pattern_on_a_large_file_returns_partial_results() {
    let workspace = Workspace::new();
    let line = format!("{}\n", "é a".repeat(60));
    workspace.write("big", format!("needle\n{}", line.repeat(60_000_000 / line.len())));
    let mut client = client_with_short_deadline(&workspace);
    let slow = json!({"pattern": r"needle|\b(?:[aé]{1,20} ?){1,30}\b\p{Greek}", "path": "big"});
    let id = client.send_call("grep", slow, None);
    client.call("ls", json!({})).assert_text("big");
    let response = client.response(id);
    let text = response["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("big:1: needle\n\n[Stopped after 1 second: "), "{response}");
}

#[test]
fn cancelled_search_of_a_huge_file_releases_its_permit() {
    let workspace = Workspace::new();
    write_sparse(&workspace, "a/big", &text(1000), TERABYTE);
    workspace.write("b", "needle\n");
    let mut client = Start::new(&workspace).flags(["--search-timeout", "600", "--workers", "1"]).client();
    for _ in 0..5 {
        let ids: Vec<u64> = (0..4)
            .map(|_| client.send_call("grep", json!({"pattern": "absent", "path": "a"}), None))
            .collect();
        for id in ids {
            client.cancel(id);
        }
        client.call("grep", json!({"pattern": "needle", "path": "b"})).assert_text("b:1: needle");
    }
}
