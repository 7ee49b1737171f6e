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

/// A pattern that takes seconds in a file of [`write_slow`].
const SLOW: &str = r"needle|\b[aé]+ ?\b\p{Greek}";

/// Writes a file that starts with `start`, and in which a search for [`SLOW`] does not end before a short deadline.
fn write_slow(workspace: &Workspace, name: &str, start: &str) {
    let line = format!("{}\n", "é a".repeat(60));
    workspace.write(name, format!("{start}{}", line.repeat(120_000_000 / line.len())));
}

#[test]
fn searches_of_a_huge_file_do_not_block_other_calls() {
    let workspace = Workspace::new();
    write_slow(&workspace, "a/big", "needle\n");
    write_sparse(&workspace, "c/big", &text(1000), TERABYTE);
    workspace.write("b/small", "needle\n");
    let mut client = Start::new(&workspace).flags(["--search-timeout", "3", "--workers", "2"]).client();
    let mut slow: Vec<u64> =
        (0..2).map(|_| client.send_call("grep", json!({"pattern": SLOW, "path": "a"}), None)).collect();
    slow.push(client.send_call("read", json!({"path": "c/big", "limit": 1}), None));
    let reply = client.call("grep", json!({"pattern": "needle", "path": "b"}));
    reply.assert_text("b/small:1: needle");
    client.call("find", json!({"pattern": "small"})).assert_text("b/small");
    assert!(slow.iter().all(|id| !client.has_response(*id)), "a slow call returned before the fast ones");
    for id in slow {
        let response = client.response(id);
        let result = &response["result"];
        assert_eq!(result["_meta"]["details"]["timedOut"], true, "{response}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("[Stopped after 3 seconds: ") || text.starts_with("line 1 of the text\n"),
            "{response}"
        );
    }
}

#[test]
fn results_at_the_deadline_are_the_first_in_path_order() {
    let workspace = Workspace::new();
    workspace.write("a", "needle\n");
    write_slow(&workspace, "b", "first needle\n");
    workspace.write("c/00", "needle\n");
    let mut client = client_with_short_deadline(&workspace);
    let reply = client.call("grep", json!({"pattern": SLOW}));
    reply.assert_text(
        "a:1: needle\nb:1: first needle\n\n[Stopped after 1 second: searched up to a, and later paths in part. \
         Narrow path or glob]",
    );
    assert_eq!((&reply.details()["matches"], &reply.details()["timedOut"]), (&json!(2), &json!(true)));
}

#[test]
fn unfinished_search_never_reports_no_matches() {
    let workspace = Workspace::new();
    workspace.write("a/b", "nothing\n");
    write_slow(&workspace, "c", "");
    let mut client = client_with_short_deadline(&workspace);
    client
        .call("grep", json!({"pattern": SLOW}))
        .assert_text("[Stopped after 1 second: found nothing up to a/. Narrow path or glob]");
    for mode in ["files", "count"] {
        client
            .call("grep", json!({"pattern": SLOW, "mode": mode, "sort": "relevance"}))
            .assert_text("[Stopped after 1 second: found nothing up to a/. Narrow path or glob]");
    }
    client
        .call("grep", json!({"pattern": SLOW, "path": "c"}))
        .assert_text("[Stopped after 1 second: found nothing in the part of c that was searched]");
    client.call("grep", json!({"pattern": SLOW, "offset": 5})).assert_success();
}

#[test]
fn unfinished_search_across_lines_does_not_say_that_nothing_was_found() {
    let workspace = Workspace::new();
    workspace.write("a", "needle\n".repeat(500_000));
    let mut client = client_with_short_deadline(&workspace);
    let arguments = json!({"pattern": "needle(?s:.*missing)?", "path": "a", "multiline": true});
    client.call("grep", arguments).assert_contains("[Stopped after 1 second: a was searched in part]");
}

#[test]
fn total_of_an_unfinished_search_is_a_lower_bound() {
    let workspace = Workspace::new();
    workspace.write("a", "needle in a line\n".repeat(50));
    write_slow(&workspace, "b", "");
    let mut client = Start::new(&workspace).flags(["--search-timeout", "1", "--max-bytes", "500"]).client();
    let reply = client.call("grep", json!({"pattern": SLOW, "sort": "relevance", "limit": 40}));
    assert_eq!(reply.details()["truncation"]["totalIsLowerBound"], true, "{reply}");
    assert_eq!(reply.details()["totalIsLowerBound"], true, "{reply}");
    reply.assert_contains(" of 50+ matches (500B limit), most relevant first. Use offset=");
}

#[test]
fn cancelled_search_of_a_huge_file_releases_its_permit() {
    let workspace = Workspace::new();
    write_slow(&workspace, "a/big", "");
    workspace.write("b", "needle\n");
    let mut client = Start::new(&workspace).flags(["--search-timeout", "600", "--workers", "1"]).client();
    for _ in 0..5 {
        let ids: Vec<u64> =
            (0..4).map(|_| client.send_call("grep", json!({"pattern": SLOW, "path": "a"}), None)).collect();
        for id in ids {
            client.cancel(id);
        }
        client.call("grep", json!({"pattern": "needle", "path": "b"})).assert_text("b:1: needle");
    }
}
