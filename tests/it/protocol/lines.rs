//! The session continues after any input.

use serde_json::{Value, json};

use crate::support::{Protocol, Start, Workspace};

/// Lines that are not messages, or messages that get no response.
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
fn malformed_line_never_ends_the_session() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        for line in LINES {
            client.send_raw(&[line, b"\n"].concat());
            client.call("read", json!({"path": "a"})).assert_text("one\n");
        }
    }
}

#[test]
fn malformed_lines_before_the_handshake() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).without_handshake();
    for line in LINES {
        client.send_raw(&[line, b"\n"].concat());
    }
    client.initialize("2025-06-18");
    client.notify("notifications/initialized", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("one\n");
}

#[test]
fn line_over_the_limit_is_skipped() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        let mut line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"x\":\"".to_vec();
        line.resize(5_000_000, b'x');
        line.extend_from_slice(b"\"}}\n");
        client.send_raw(&line);
        client.call("read", json!({"path": "a"})).assert_text("one\n");
        // A long line that is not JSON is skipped too.
        client.send_raw(&[vec![b'x'; 9_000_000], b"\n".to_vec()].concat());
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}

#[test]
fn long_line_under_the_limit_is_accepted() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).client();
    client.call("read", json!({"path": "x".repeat(900_000)})).assert_error(&["too long: 9000"]);
    client.call("read", json!({"path": "x".repeat(250_000)})).assert_error(&["File not found: xxx", "…"]);
}

#[test]
fn lines_can_arrive_in_pieces_and_end_with_carriage_returns() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).client();
    let call = r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}}"#;
    for piece in call.as_bytes().chunks(7) {
        client.send_raw(piece);
    }
    client.send_raw(b"\r\n");
    assert_eq!(client.response(77)["result"]["content"][0]["text"], "one\n");
}

/// The members of `_meta` that the stateless revision requires in every message, as JSON text.
const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

#[test]
fn invalid_request_gets_an_error_with_its_id() {
    let call =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":700,"method":"tools/call","params":{params}}}"#);
    let read = |path: &str| {
        format!(r#"{{"name":"read","arguments":{{"path":"{path}"}},"_meta":{META}}}"#).into_bytes()
    };
    // The SDKs for TypeScript and Python write the id last.
    let id_last = |params: &[u8]| {
        [br#"{"method":"tools/call","params":"#.as_slice(), params, br#","jsonrpc":"2.0","id":700}"#].concat()
    };
    let mut not_utf8 = id_last(&read("a#"));
    not_utf8.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = 0xFF);
    let cases: [(Vec<u8>, i64); 8] = [
        (call("[]").into_bytes(), -32602),
        (call("\"x\"").into_bytes(), -32602),
        (call("5").into_bytes(), -32602),
        (call(r#"{"name":"read","_meta":5}"#).into_bytes(), -32602),
        (br#"{"jsonrpc":"2.0","id":700,"method":7}"#.to_vec(), -32600),
        (br#"{"jsonrpc":"1.0","id":700,"method":"ping"}"#.to_vec(), -32600),
        (id_last(&read("\\ud800")), -32700),
        (not_utf8, -32700),
    ];
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        for (line, code) in &cases {
            client.send_raw(&[line, b"\n".as_slice()].concat());
            let response = client.response(700);
            assert_eq!(
                response["error"]["code"],
                *code,
                "{protocol:?} {:.200}: {response}",
                String::from_utf8_lossy(line)
            );
        }
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}

#[test]
fn request_without_known_id_gets_null_id() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).client();
    let long = [b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".as_slice(), &b"x".repeat(5_000_000)].concat();
    let cases: [(&[u8], i64); 11] = [
        (b"{", -32700),
        (b"not json", -32700),
        (b"\xff\xfe", -32700),
        (b"[1,2,3]", -32600),
        (b"42", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":700,\"method\":\"tools/call\",\"params\":{", -32700),
        (&long, -32600),
        (b"{\"params\":{\"id\":5},\"id\":6,", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
    ];
    for (line, code) in cases {
        client.send_raw(&[line, b"\n"].concat());
        let text = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        let response = client.expect_message(&text, |message| message.get("error").is_some());
        assert_eq!(
            (&response["error"]["code"], &response["id"]),
            (&json!(code), &Value::Null),
            "{text}: {response}"
        );
    }
}

#[test]
fn notifications_and_responses_get_no_response() {
    let workspace = Workspace::new();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        let lines: [&[u8]; 8] = [
            b"",
            b" ",
            b"{}",
            b"{\"jsonrpc\":\"2.0\",\"id\":905,\"result\":{}}",
            b"{\"jsonrpc\":\"2.0\",\"id\":906,\"result\":\"\xff\"}",
            b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":[]}}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":\"\xff\"}",
        ];
        for line in lines {
            client.send_raw(&[line, b"\n"].concat());
        }
        assert_eq!(client.unsolicited(), Vec::<Value>::new());
    }
}

#[test]
fn byte_order_mark_is_ignored() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).client();
    client.send_raw(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\"}\n");
    assert!(client.response(77)["result"].is_object());
}
