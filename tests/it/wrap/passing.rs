//! Messages that pass unchanged and in order, and messages that do not pass.

use std::fs;

use serde_json::{Value, json};

use super::{RESPONSES, Wrap};
use crate::support::{Workspace, eventually};

/// Lines that pass in both directions if requests with their ids are open.
const MESSAGES: [&str; 9] = [
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{\"n\":1.50}}\n",
    " {\"jsonrpc\" : \"2.0\",\"id\":\"a\",\"method\":\"elicitation/create\"}\r\n",
    "{\"method\":\"notifications/never/heard/of\",\"jsonrpc\":\"2.0\"}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"result\":{\"z\":1,\"a\":2,\"a\":3}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"\\ud83d\":\"\\ud83d\"},\"error\":null}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\",\"error\":{\"code\":-1,\"message\":\"\",\"data\":1.50}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":7}}\t\n",
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}",
];

#[test]
fn server_receives_all_lines_of_the_client() {
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &["--max-bytes", "1"], "cat > seen");
    let odd = ["not JSON\n", "\n", "{\"no\":\"version\"}\n", "{\"broken\n", "\u{feff}{}\n"];
    let all: String = odd.iter().chain(&MESSAGES).copied().collect();
    wrap.send(&all);
    wrap.send(b"\xff\xfe\n");
    wrap.end();
    let seen = fs::read(workspace.path("seen")).unwrap();
    assert_eq!(seen, [all.as_bytes(), b"\xff\xfe\n"].concat());
}

#[test]
fn client_receives_all_messages_of_the_server() {
    let workspace = Workspace::new();
    let all: String = MESSAGES.concat();
    workspace.write("all", &all);
    let script = "while read -r line; do case $line in *last*) break; esac; done; cat all; cat > /dev/null";
    let mut wrap = Wrap::start(&workspace, &["--max-bytes", "4", "--max-lines", "1"], script);
    for id in ["12345678901234567890", "2", "\"a\"", "4", "5"] {
        wrap.call(id, "a");
    }
    wrap.send("last\n");
    let mut given = Vec::new();
    while given.len() < all.len() {
        given.extend(wrap.line());
        if given.len() + MESSAGES[MESSAGES.len() - 1].len() == all.len() {
            wrap.stdin = None; // a last line without a newline passes at the end of input, and gets one
        }
    }
    assert_eq!(String::from_utf8(given).unwrap(), all + "\n");
}

#[test]
fn non_messages_are_dropped_with_a_warning() {
    let workspace = Workspace::new();
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    workspace.write(
        "all",
        format!("Server running on stdio\u{1b}[0m\n\n{{\"level\":\"info\"}}\n{{\"jsonrpc\":\n{ping}"),
    );
    let mut wrap = Wrap::start(&workspace, &[], "cat all; echo own words >&2; cat");
    assert_eq!(wrap.line(), ping.as_bytes());
    let stderr = wrap.end();
    assert_eq!(
        stderr.matches("WARN a message of the server was dropped, because it is not a").count(),
        3,
        "{stderr}"
    );
    assert!(stderr.contains(": Server running on stdio") && !stderr.contains('\u{1b}'), "{stderr}");
    assert!(stderr.contains(": {\"level\"") && stderr.contains("own words\n"), "{stderr}");
}

/// Returns the messages as lines.
fn lines_of(messages: &[Value]) -> String {
    messages.iter().flat_map(|message| [message.to_string(), "\n".to_owned()]).collect()
}

/// Returns a result with `lines` lines of text.
fn result(lines: usize) -> Value {
    json!({"content": [{"type": "text", "text": "x\n".repeat(lines)}]})
}

#[test]
fn responses_are_matched_by_id_only() {
    let workspace = Workspace::new();
    // The server also sends requests, with ids that the client uses, and responds in another order.
    let responses = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}),
        json!({"jsonrpc": "2.0", "id": "1", "result": result(9)}),
        json!({"jsonrpc": "2.0", "id": 3, "result": result(9)}),
        json!({"jsonrpc": "2.0", "id": 1, "result": result(9)}),
        json!({"jsonrpc": "2.0", "id": 1, "result": result(9)}),
    ];
    let lines = lines_of(&responses);
    workspace.write("4", &lines);
    let mut wrap = Wrap::start(&workspace, &["--max-lines", "2"], RESPONSES);
    wrap.call("1", "a");
    wrap.call("\"1\"", "b");
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/read\"}\n");
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}\n");
    let is_cut = |message: &Value| message["result"]["_meta"]["details"]["fullOutputPath"].is_string();
    let given: Vec<Value> = responses[1..].iter().map(|_| wrap.message()).collect();
    assert_eq!(given[0], responses[0]);
    assert!(is_cut(&given[1]) && given[1]["id"] == "1");
    assert_eq!(given[2], responses[2], "the content of a resource is not the result of a tool");
    assert!(is_cut(&given[3]) && given[3]["id"] == 1, "{}", given[3]);
    assert_eq!(wrap.end().matches("was dropped").count(), 1);
}

#[test]
fn response_with_a_null_method_or_leading_spaces_is_truncated() {
    let workspace = Workspace::new();
    let response = |id: u8, before: &str, method: &str| {
        let result = result(9);
        format!("{before}{{\"jsonrpc\":\"2.0\",\"id\":{id}{method},\"result\":{result}}}\n")
    };
    workspace.write("1", response(1, "", ",\"method\":null"));
    workspace.write("2", response(2, " \t", ""));
    let mut wrap = Wrap::start(&workspace, &["--max-lines", "2"], RESPONSES);
    for id in ["1", "2"] {
        wrap.call(id, "a");
        let line = String::from_utf8(wrap.line()).unwrap();
        assert!(line.contains("[Showing lines 1-2 of 9"), "{line}");
    }
}

#[test]
fn request_after_a_byte_order_mark_gets_its_response() {
    let workspace = Workspace::new();
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    workspace.write("1", format!("{response}\n"));
    let mut wrap = Wrap::start(&workspace, &[], RESPONSES);
    wrap.send("\u{feff}");
    wrap.call("1", "a");
    assert_eq!(wrap.message(), response);
}

#[test]
fn oversized_messages_get_errors() {
    let workspace = Workspace::new();
    let long = "x".repeat(3000);
    let responses = [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": long}]}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": [long]}}),
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": long}}),
        json!({"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": long}),
        json!({"jsonrpc": "2.0", "id": 9, "method": "fits"}),
    ];
    let lines = lines_of(&responses);
    workspace.write("2", &lines);
    let mut wrap = Wrap::start(&workspace, &["--max-message", "2KB"], RESPONSES);
    wrap.call("1", "a");
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
    let why = "Invalid response of the server: it is over the limit of --max-message";
    assert_eq!(wrap.message()["error"]["message"], why);
    assert_eq!(wrap.message()["error"]["message"], why);
    assert_eq!(wrap.message(), responses[4]);
    // Oversized messages of the client: a request is refused, others are dropped.
    for message in [
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "a", "arguments": long}}),
        json!({"jsonrpc": "2.0", "id": "s", "result": long}),
        json!({"jsonrpc": "2.0", "method": "notifications/x", "params": long}),
    ] {
        wrap.send(format!("{message}\n"));
    }
    let refused = wrap.message();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)));
    let stderr = wrap.end();
    assert_eq!(stderr.matches("was dropped").count(), 5, "{stderr}");
}

#[test]
fn flood_uses_bounded_memory() {
    let workspace = Workspace::new();
    let script = "printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"'; \
                  head -c 60000000 /dev/zero | tr '\\0' x; echo '\"}]}}'; cat";
    let mut wrap = Wrap::start(&workspace, &["--max-message", "1MB"], &format!("read -r line; {script}"));
    wrap.call("1", "a");
    assert_eq!(wrap.message()["error"]["code"], -32000);
    assert!(wrap.peak_memory() < 30_000_000, "{} bytes", wrap.peak_memory());
}

#[test]
fn server_waits_while_the_client_does_not_read() {
    let workspace = Workspace::new();
    let script = "n=0; while [ $n -lt 400 ]; do n=$((n + 1)); \
                  printf '{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[\"'; head -c 100000 /dev/zero | tr '\\0' x; echo '\"]}'; \
                  echo $n > count; done; cat";
    let arguments = ["wrap", "--", "sh", "-c", script];
    let mut command = crate::support::Start::new(&workspace).flags(arguments).command();
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let count =
        || fs::read_to_string(workspace.path("count")).ok().and_then(|n| n.trim().parse::<u32>().ok());
    let mut before = None;
    // The server stops while the client does not read, because the pipes are full.
    eventually("the server waits", || {
        let now = count();
        let still = now.is_some() && now == before;
        before = now;
        std::thread::sleep(std::time::Duration::from_millis(300));
        still
    });
    assert!(count().unwrap() < 100, "{:?}", count());
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert_eq!(lines.take(400).filter(|line| line.as_ref().unwrap().len() > 100_000).count(), 400);
    let id = child.id();
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().to_owned();
    assert!(peak.trim_end_matches(" kB").parse::<u64>().unwrap() < 30_000, "{peak}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn limits_apply_to_any_result() {
    let workspace = Workspace::new();
    let lines = r"x\n".repeat(9);
    let results = [
        // An unpaired surrogate. A program that cuts a text in the middle of a pair leaves one.
        format!(r#"{{"content":[{{"type":"text","text":"{lines}\ud83d"}}]}}"#),
        format!(r#"{{"content":[{{"type":"odd","text":7}},{{"type":"text","text":"{lines}"}}]}}"#),
        format!(r#"{{"content":[{{"type":"resource","resource":[1]}},{{"type":"text","text":"{lines}"}}]}}"#),
        format!(r#"{{"content":[null,7,-1,1.5,true,"a",[[1]],{{"type":"text","text":"{lines}"}}]}}"#),
        // Numbers that are too large for a double, and numbers with unusual spellings.
        format!(r#"{{"content":[1e400,-1e999,-0,0.0e-999,{{"type":"text","text":"{lines}"}}]}}"#),
        format!(r#"{{"content":[{{"type":"text","text":"{lines}","n":1e400}}],"structuredContent":1e400}}"#),
        format!(
            r#"{{"content":[{}{},{{"type":"text","text":"{lines}"}}]}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        ),
        // A name with an unpaired surrogate.
        format!(r#"{{"\ud83d":1,"content":[{{"\ud83d":1,"type":"text","text":"{lines}"}}]}}"#),
        format!(
            r#"{{"content":[{{"type":"x","resource":{}1{}}},{{"type":"text","text":"{lines}"}}]}}"#,
            r#"{"resource":"#.repeat(100_000),
            "}".repeat(100_000)
        ),
    ];
    for (n, result) in results.iter().enumerate() {
        let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", n + 1);
        workspace.write((n + 1).to_string(), response);
    }
    let mut wrap = Wrap::start(&workspace, &["--max-lines", "2"], RESPONSES);
    for n in 1..=results.len() {
        // The arguments of the call also contain such values.
        let arguments = r#"{"\ud83d":1e400}"#;
        let params = format!(r#"{{"name":"a","\ud83d":1,"arguments":{arguments}}}"#);
        wrap.send(format!(r#"{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{params}}}"#));
        wrap.send("\n");
        let given = String::from_utf8(wrap.line()).unwrap();
        assert!(
            given.contains("[Showing lines 1-2 of "),
            "{n}: {}",
            &given[given.len().saturating_sub(300)..]
        );
    }
}

#[test]
fn request_replaces_an_open_one_with_the_same_id() {
    let workspace = Workspace::new();
    let response = json!({"jsonrpc": "2.0", "id": 5, "result": result(9)});
    workspace.write("2", lines_of(&[response.clone(), response]));
    let mut wrap = Wrap::start(&workspace, &["--max-lines", "2"], RESPONSES);
    wrap.send("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\n");
    wrap.call("5", "a");
    let given = wrap.message()["result"]["content"][0]["text"].to_string();
    assert!(given.contains("[Showing lines 1-2 of 9"), "{given}");
    assert_eq!(wrap.end().matches("was dropped").count(), 1);
}
