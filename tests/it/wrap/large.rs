//! Messages near the size limit: memory use and responses.

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};

use super::{RESPONSES, Wrap};
use crate::support::Workspace;

/// Size of a message over 64 MB, the default of `--max-message`.
const OVERSIZED_BYTES: usize = 80_000_000;
/// Maximum memory for such a message: the bytes up to the limit and the buffers of both directions.
const OVERSIZED_MEMORY: u64 = 100_000_000;
const TOO_LARGE: &str = "it is over the limit of --max-message";

/// Returns a shell command that prints `before`, `count` times `x`, and `after`.
fn print(before: &str, count: usize, after: &str) -> String {
    format!("printf '{before}'; head -c {count} /dev/zero | tr '\\0' x; printf '{after}\\n'; ")
}

#[test]
fn oversized_server_messages_get_errors_in_bounded_memory() {
    let workspace = Workspace::new();
    let messages = [
        (r#"{"jsonrpc":"2.0","method":"notifications/message","params":"#, "}"),
        (r#"{"jsonrpc":"2.0","method":"sampling/createMessage","params":"#, r#","id":"s"}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":"#, "}"),
    ];
    let printed: String = messages
        .map(|(before, after)| print(&format!("{before}\""), OVERSIZED_BYTES, &format!("\"{after}")))
        .concat();
    let mut wrap = Wrap::start(&workspace, &[], &format!("read -r line; {printed} cat > seen"));
    let before = wrap.peak_memory();
    wrap.call("1", "a");
    let error = wrap.message()["error"].clone();
    assert!(error["message"].as_str().unwrap().ends_with(TOO_LARGE), "{error}");
    let used = wrap.peak_memory() - before;
    assert!(used < OVERSIZED_MEMORY, "{used} bytes");
    let stderr = wrap.end();
    let dropped = format!("a message of the server was dropped, because {TOO_LARGE}");
    assert_eq!(stderr.matches(&dropped).count(), 2, "{stderr}");
}

#[test]
fn oversized_client_messages_get_errors_in_bounded_memory() {
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &[], "cat > seen");
    let before = wrap.peak_memory();
    let part = "x".repeat(1_000_000);
    for (before, after) in [
        (r#"{"jsonrpc":"2.0","method":"notifications/x","params":""#, r#""}"#),
        (r#"{"jsonrpc":"2.0","id":"s","result":""#, r#""}"#),
        (r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":""#, r#""},"id":5}"#),
    ] {
        wrap.send(before);
        for _ in 0..OVERSIZED_BYTES / part.len() {
            wrap.stdin.as_mut().unwrap().write_all(part.as_bytes()).unwrap();
        }
        wrap.send(format!("{after}\n"));
    }
    let refused = wrap.message();
    assert_eq!((&refused["id"], &refused["error"]["message"]), (&json!(5), &json!(TOO_LARGE)));
    let used = wrap.peak_memory() - before;
    assert!(used < OVERSIZED_MEMORY, "{used} bytes");
    let stderr = wrap.end();
    let dropped = format!("a message of the client was dropped, because {TOO_LARGE}");
    assert_eq!(stderr.matches(&dropped).count(), 3, "{stderr}");
    assert!(fs::read(workspace.path("seen")).unwrap().is_empty());
}

#[test]
fn truncation_of_a_large_result_uses_at_most_three_times_its_size() {
    const IMAGE_BYTES: usize = 60_000_000;
    const TEXT_BYTES: usize = 1_000_000;
    let workspace = Workspace::new();
    // The image passes, and the text is truncated.
    let image =
        print(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":""#, IMAGE_BYTES, "");
    let text = print(r#"","mimeType":"image/png"},{"type":"text","text":"\\u00e9"#, TEXT_BYTES, r#""}]}}"#);
    let script = format!("read -r line; ({image}) | tr -d '\\n'; {text} cat");
    let mut wrap = Wrap::start(&workspace, &["--spill-max-file", "1KB"], &script);
    wrap.call("1", "a");
    let line = wrap.line();
    assert!(line.len() > IMAGE_BYTES && line.len() < IMAGE_BYTES + 50_000, "{} bytes", line.len());
    let peak = wrap.peak_memory();
    assert!(peak < 30_000_000 + 3 * (IMAGE_BYTES + TEXT_BYTES) as u64, "{peak} bytes");
    let cut: Value = serde_json::from_slice(&line).unwrap();
    let notice = cut["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        notice.contains("[Showing first 30KB of line 1 (line is 1MB). Full output: "),
        "{}",
        &notice[30_000..]
    );
}

/// Sends `response` as the response to the second call. Returns the line that the client receives, and the growth of the
/// peak memory.
fn line_and_memory(workspace: &Workspace, flags: &[&str], response: &str) -> (Vec<u8>, u64) {
    workspace.write("1", "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n");
    workspace.write("2", response);
    let mut wrap = Wrap::start(workspace, flags, RESPONSES);
    wrap.call("0", "a");
    wrap.line();
    let before = wrap.peak_memory();
    wrap.call("1", "a");
    let line = wrap.line();
    (line, wrap.peak_memory() - before)
}

#[test]
fn many_small_parts_use_no_more_memory_than_a_large_one() {
    let workspace = Workspace::new();
    let listed = |item: &str, count: usize| vec![item; count].join(",");
    let long = "x".repeat(40_000);
    let results = [
        format!(r#"{{"content":[{{"type":"text","text":"{long}"}}],{}}}"#, listed(r#""":1"#, 400_000)),
        format!(r#"{{"content":[{}]}}"#, listed("{}", 400_000)),
        format!(r#"{{"content":[{{"type":"text","text":"{long}"}},{}]}}"#, listed("{}", 400_000)),
        format!(r#"{{"content":[{}]}}"#, listed(r#"{"type":"text","text":"x"}"#, 200_000)),
        format!(r#"{{"content":[{}]}}"#, listed(r#"{"type":"text","text":"\n\u001b"}"#, 200_000)),
        format!(r#"{{"content":[{}]}}"#, listed(r#"{"type":"text","text":"{}"}"#, 200_000)),
    ];
    for (n, result) in results.iter().enumerate() {
        let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
        let (line, used) = line_and_memory(&workspace, &[], &response);
        if n < 3 {
            // The text uses up to the limit, and members and blocks without text up to half of it.
            assert!(line.len() < 50_000, "{n}: {} bytes", line.len());
        } else {
            let received = String::from_utf8_lossy(&line);
            let total = if n < 5 { " of 399999" } else { " of 200000 items" };
            assert!(line.len() < 50_000 && (n == 4 || received.contains(total)), "{n}: {received}");
        }
        assert!(used < 5_000_000 + 5 * response.len() as u64, "{n}: {used} bytes of {}", response.len());
    }
}

#[test]
fn many_members_of_structured_content_use_no_more_memory_than_a_large_one() {
    let workspace = Workspace::new();
    let members: Vec<String> = (0..200_000).map(|n| format!("\"{n}\":\"\"")).collect();
    let members = members.join(",");
    let content = r#"[{"type":"text","text":"x"}]"#;
    let result = format!("{{\"content\":{content},\"structuredContent\":{{{members}}}}}");
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
    let (line, used) = line_and_memory(&workspace, &[], &response);
    assert!(line.len() < 40_000, "{} bytes", line.len());
    assert!(used < 5_000_000 + 3 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn many_shortened_members_below_a_long_name_use_no_more_memory_than_a_large_one() {
    let workspace = Workspace::new();
    let mut tree = json!("y".repeat(60));
    for _ in 0..3 {
        tree = (0..14).map(|n| (n.to_string(), tree.clone())).collect::<serde_json::Map<_, _>>().into();
    }
    let result = json!({"content": [], "structuredContent": {"n".repeat(100_000): tree}});
    let response = format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
    let (line, used) = line_and_memory(&workspace, &["--max-bytes", "250KB"], &response);
    let received = String::from_utf8_lossy(&line);
    assert!(received.contains("nnn.0.0.2\\\" (250KB limit)"), "{received}");
    assert!(used < 5_000_000 + 6 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn comparison_of_text_and_structured_content_uses_no_memory_for_values() {
    let workspace = Workspace::new();
    let deep = format!("{}{},", "[".repeat(100), "]".repeat(100)).repeat(4900);
    let content = json!([{"type": "text", "text": format!("[{deep}1.0]")}]);
    let result = format!("{{\"content\":{content},\"structuredContent\":[{deep}1.00]}}");
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
    let (_, used) = line_and_memory(&workspace, &[], &response);
    assert!(used < 5_000_000 + 6 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn values_of_several_blocks_use_at_most_eight_times_their_size() {
    let workspace = Workspace::new();
    // Half of a surrogate pair needs a second pass, and the space a copy without it.
    let long = format!("[ \\\"{}\\\\ud800\\\"]", "x".repeat(16_600_000));
    let blocks = [&long, "[1]"].map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#));
    let result = format!(r#"{{"content":[{}]}}"#, blocks.join(","));
    let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
    let (line, used) = line_and_memory(&workspace, &[], &response);
    assert!(line.len() < 40_000, "{} bytes", line.len());
    assert!(used < 5_000_000 + 8 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn cursor_movements_use_no_more_memory_than_other_text() {
    let workspace = Workspace::new();
    let text = "\u{1b}[200Cx\n".repeat(100_000);
    let result = json!({"content": [{"type": "text", "text": text}]});
    let response = format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
    let (line, used) = line_and_memory(&workspace, &[], &response);
    let received = String::from_utf8_lossy(&line);
    assert!(received.contains(" of 100000 (30KB limit)"), "{received}");
    assert!(used < 5_000_000 + 6 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn omitted_items_use_no_more_memory_than_kept_items() {
    let workspace = Workspace::new();
    let long = "x".repeat(40_000);
    let items = vec!["1,{}"; 400_000].join(",");
    let response = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{long}\"}},{items}]}}}}\n"
    );
    let (line, used) = line_and_memory(&workspace, &[], &response);
    let received: Value = serde_json::from_slice(&line).unwrap();
    // The result has the text, the first blocks within half of the limit, and a notice.
    let blocks = received["result"]["content"].as_array().unwrap();
    let notice = blocks[1]["text"].as_str().unwrap();
    assert!(notice.contains(" of 800000 blocks (30KB limit). Full output: "), "{notice}");
    assert!(blocks.len() > 3000, "{}", blocks.len());
    assert!(used < 2_000_000 + 3 * response.len() as u64, "{used} bytes of {}", response.len());
}

#[test]
fn oversized_response_is_recognised_by_its_first_or_last_member() {
    let workspace = Workspace::new();
    let long = "x".repeat(3000);
    let responses = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{long}"}}"#),
        format!(r#"{{"result":{{"a":"{long}","rows":[{{"id":7}}]}},"jsonrpc":"2.0","id":2}}"#),
        format!(r#"{{"result":{{"a":"{long}"}},"id":3,"jsonrpc":"2.0"}}"#),
        format!(r#"{{"jsonrpc": "2.0", "result": {{"a": "{long}"}}, "id": 4}}"#),
    ];
    for (n, response) in responses.iter().enumerate() {
        workspace.write((n + 1).to_string(), format!("{response}\n"));
    }
    // The limit is within the id.
    let long_id = format!(r#"{{"jsonrpc":"2.0","result":"{:x<1966}","id":14}}"#, "");
    assert_eq!(long_id.find("14"), Some(2000));
    workspace.write("5", long_id + "\n");
    let mut wrap = Wrap::start(&workspace, &["--max-message", "2KB"], RESPONSES);
    for id in [1, 2, 3, 4, 14] {
        wrap.call(&id.to_string(), "a");
        let response = wrap.message();
        assert_eq!((&response["id"], &response["error"]["code"]), (&json!(id), &json!(-32000)), "{response}");
    }
}

#[test]
fn oversized_request_of_the_server_completes_no_call() {
    let workspace = Workspace::new();
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"params":"{}","method":"ping"}}"#, "x".repeat(3000));
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    workspace.write("1", format!("{request}\n{response}\n"));
    let mut wrap = Wrap::start(&workspace, &["--max-message", "2KB"], RESPONSES);
    wrap.call("1", "a");
    assert_eq!(wrap.message(), response);
}

#[test]
fn oversized_batch_is_dropped_with_a_warning() {
    let workspace = Workspace::new();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let mut wrap = Wrap::start(&workspace, &["--max-message", "2KB"], "cat");
    wrap.send(format!("{}\n{ping}\n", json!(vec![&ping; 1030])));
    assert_eq!(wrap.message(), ping);
    let stderr = wrap.end();
    assert!(stderr.contains("a message of the client was dropped, because "), "{stderr}");
}

#[test]
fn message_at_the_limit_passes_and_a_larger_one_does_not() {
    let ping = |bytes: usize| {
        let message =
            |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":["{params}"]}}"#);
        message(&"x".repeat(bytes - message("").len()))
    };
    let workspace = Workspace::new();
    let mut wrap = Wrap::start(&workspace, &["--max-message", "2KB"], "cat");
    wrap.send(format!("{}\n", ping(2000)));
    assert_eq!(String::from_utf8(wrap.line()).unwrap(), format!("{}\n", ping(2000)));
    wrap.send(format!("{}\n", ping(2001)));
    assert_eq!(wrap.message()["error"]["code"], -32600);
}
