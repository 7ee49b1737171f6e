//! Whatever comes over the wire, the session goes on.

use serde_json::json;

use crate::support::{Era, Start, Workspace};

/// Lines that are no messages, or none that can be answered.
const LINES: [&[u8]; 33] = [
    b"",
    b" ",
    b"\t\r",
    b"not json",
    b"{",
    b"}",
    b"[",
    b"[]",
    b"[1,2,3]",
    b"null",
    b"true",
    b"42",
    b"\"text\"",
    b"{}",
    b"{\"jsonrpc\":\"2.0\"}",
    b"{\"jsonrpc\":\"1.0\",\"id\":901,\"method\":\"ping\"}",
    b"{\"id\":902,\"method\":\"ping\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":903,\"method\":7}",
    b"{\"jsonrpc\":\"2.0\",\"id\":904}",
    b"{\"jsonrpc\":\"2.0\",\"id\":905,\"result\":{}}",
    b"{\"jsonrpc\":\"2.0\",\"id\":906,\"error\":{\"code\":1,\"message\":\"x\"}}",
    b"{\"jsonrpc\":\"2.0\",\"id\":907,\"method\":\"tools/call\",\"params\":5}",
    b"{\"jsonrpc\":\"2.0\",\"id\":908,\"method\":\"tools/call\",\"params\":[1]}",
    b"[{\"jsonrpc\":\"2.0\",\"id\":909,\"method\":\"ping\"}]",
    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":[]}}",
    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no-such-thing\"}",
    b"\xff\xfe\x00\x01",
    b"{\"jsonrpc\":\"2.0\",\"id\":910,\"method\":\"\xff\"}",
    b"\x00\x00\x00",
];

#[test]
fn a_malformed_line_never_ends_the_session() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for era in Era::BOTH {
        let mut client = Start::new(&workspace).era(era).client();
        for line in LINES {
            client.send_raw(&[line, b"\n"].concat());
            client.call("read", json!({"path": "a"})).assert_text("one\n");
        }
    }
}

#[test]
fn malformed_lines_before_the_handshake() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).silent();
    for line in LINES {
        client.send_raw(&[line, b"\n"].concat());
    }
    client.initialize("2025-06-18");
    client.notify("notifications/initialized", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("one\n");
}

#[test]
fn a_line_over_the_limit_is_passed_over() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for era in Era::BOTH {
        let mut client = Start::new(&workspace).era(era).client();
        let mut line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"x\":\"".to_vec();
        line.resize(5_000_000, b'x');
        line.extend_from_slice(b"\"}}\n");
        client.send_raw(&line);
        client.call("read", json!({"path": "a"})).assert_text("one\n");
        // So is one that is no JSON at all.
        client.send_raw(&[vec![b'x'; 9_000_000], b"\n".to_vec()].concat());
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}

#[test]
fn a_long_line_under_the_limit_is_taken() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).client();
    client.call("read", json!({"path": "x".repeat(3_900_000)})).assert_error(&["File not found: xxx", "…"]);
}

#[test]
fn lines_in_pieces_and_carriage_returns() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).client();
    let call = r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}}"#;
    for piece in call.as_bytes().chunks(7) {
        client.send_raw(piece);
    }
    client.send_raw(b"\r\n");
    assert_eq!(client.answer(77)["result"]["content"][0]["text"], "one\n");
}
