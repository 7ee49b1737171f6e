//! The maximum size of the messages that a client receives for one call, for any output of the server.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::hostile::{LARGE, LIMIT, SLACK, large};
use super::{RESPONSES, Wrap};
use crate::support::Workspace;

/// Number of hostile messages in each session.
const MESSAGES: usize = 160;
/// The notification that follows each message.
const END: &str = r#"{"jsonrpc":"2.0","method":"end"}"#;

/// Returns bodies of responses (`"result":…` or `"error":…`). Each is large in a different position.
fn large_bodies() -> Vec<String> {
    let (large, many) = (large(), |item: &str, count: usize| vec![item; count].join(","));
    let text = json!({"type": "text", "text": "x"});
    let errors: String =
        ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| format!("{a}.c:1:1: error: {a}{b}\n"))).collect();
    let mut results = vec![
        json!({"content": [{"type": "text", "text": errors + &"x\n".repeat(40_000)}]}),
        json!({"content": [], "x": large}),
        json!({"content": [], large.as_str(): 1}),
        json!({"content": [], "_meta": {"a": large}}),
        json!({"content": [text], "_meta": {"a": "x".repeat(29_000)}, "x": "x".repeat(29_000)}),
        json!({"content": large}),
        json!({"content": {"text": large}}),
        json!({"content": [], "isError": large}),
        json!({"content": [], "resultType": large}),
        json!({"content": [{"type": "text", "text": "x", "annotations": {"a": large}}]}),
        json!({"content": [{"type": "text", "text": large, "_meta": {"a": large}}]}),
        json!({"content": [{"type": "text", "text": 5, "x": large}]}),
        json!({"content": [{"type": "other", "text": large}]}),
        json!({"content": [{"type": "text", "data": large, "text": ""}]}),
        json!({"content": [{"type": large, "text": "x"}]}),
        json!({"content": [{"type": "image", "data": "AA", "mimeType": large}]}),
        json!({"content": [{"type": "image", "data": [large]}]}),
        json!({"content": [{"type": "image", "data": "AA", "text": large}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": large, "text": "x"}}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": "a", "text": large}}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": "a", "blob": "AA", "x": large}}]}),
        json!({"content": [{"type": "resource_link", "uri": "a", "name": large}]}),
        json!({"content": vec![json!({"type": "resource_link", "uri": "file:///a", "name": "a"}); 9000]}),
        json!({"content": vec![json!({"type": "text", "text": ""}); 9000]}),
        json!({"content": vec![text.clone(); 9000]}),
        json!({"content": vec![json!({"type": "text", "text": "{}"}); 9000]}),
        json!({"content": vec![json!({"type": "text", "text": "x", "annotations": {"priority": 1, "audience": ["user"]}}); 9000]}),
        json!({"content": [vec![large.clone()], large, 5]}),
        json!({"structuredContent": large}),
        json!({"structuredContent": {"a": [large]}}),
        json!({"structuredContent": {large.as_str(): 1}}),
        json!({"content": [{"type": "text", "text": "{\"a\":1}"}], "structuredContent": {large.as_str(): {"a": 1}}}),
        json!({"structuredContent": vec![vec![1]; LARGE]}),
        json!({"content": [{"type": "text", "text": large}], "structuredContent": {"result": large}}),
        json!({"task": {"taskId": "t", "x": large}}),
        json!({"task": {"taskId": "t"}, "structuredContent": {"a": large}}),
        json!({"task": {"taskId": large}}),
        json!({"resultType": "task", "taskId": "t", "statusMessage": large}),
        json!({"resultType": "task", "taskId": "t", "structuredContent": {"a": large}}),
        json!({"resultType": "input_required", "inputRequests": {"a": large}}),
        json!({"toolResult": large}),
    ]
    .into_iter()
    .map(|result| result.to_string())
    .collect::<Vec<_>>();
    let spaces = " ".repeat(LARGE);
    results.extend([
        format!(r#"{{"content":[{{"type":"text","text":"{large}","text":"x"}}]}}"#),
        format!(r#"{{"content":[{{"type":"text","text":"{large}"}}],"content":[]}}"#),
        format!(r#"{{"content":[],"content":[{{"type":"text","text":"{large}"}}]}}"#),
        format!(r#"{{"content":[{{"type":"image","type":"text","text":"x","data":"{large}"}}]}}"#),
        format!(r#"{{"structuredContent":{{"a":"{large}"}},"structuredContent":{{}},"content":[]}}"#),
        format!(r#"{{"content":[],"struct\u0075redContent":{{"a":"{large}"}}}}"#),
        format!(r#"{{"structuredContent":1{}}}"#, "0".repeat(LARGE)),
        format!(r#"{{"structuredContent":{}1{}}}"#, "[".repeat(LARGE), "]".repeat(LARGE)),
        format!(r#"{{"content":[{{"type":"text","text":"x"}}{spaces}]}}"#),
        format!(r#"{{"content":[{{"type":"text","text":"[{}]"}}],"structuredContent":[{0}]}}"#, many("1", LARGE)),
        format!(r#"{{"content":[{{"type":"text","text":"{{\"a\":\"{large}\",\"b\":1}}"}}],"structuredContent":{{"b":1,"a":"{large}"}}}}"#),
        format!(r#"{{"content":[{{"type":"text","text":"{{\"b\":1,\"a\":{{\"{large}\":1}}}}"}}],"structuredContent":{{"a":{{"{large}":1}},"b":1}}}}"#),
    ]);
    let errors = [
        format!(r#"{{"code":-1,"message":"{large}"}}"#),
        format!(r#"{{"code":-1,"message":"x","data":"{large}"}}"#),
        format!(r#"{{"code":-1,"message":"x","data":{{"a":["{large}"]}}}}"#),
        format!(r#"{{"code":-1,"message":"x","data":1{}}}"#, "0".repeat(LARGE)),
        format!(r#"{{"code":-1,"message":"x","other":"{large}"}}"#),
        format!(r#"{{"code":-1,"message":"{large}","message":"x"}}"#),
        format!(r#"{{"code":-1,"message":"{}"}}"#, many(r"x\n", 9000)),
        format!(r#"{{"code":-1.{},"message":"x"}}"#, "0".repeat(LARGE)),
        format!(r#"{{"message":"x","data":["{large}"],"code":0,"x":{spaces}1}}"#),
    ];
    let results = results.into_iter().map(|result| format!("\"result\":{result}"));
    results.chain(errors.map(|error| format!("\"error\":{error}"))).collect()
}

#[test]
fn each_call_receives_at_most_the_limits_plus_8_kb() {
    for method in ["tools/call", "tasks/result"] {
        let bodies = large_bodies();
        let workspace = Workspace::new();
        for (n, body) in bodies.iter().enumerate() {
            let id = n + 1;
            workspace.write(id.to_string(), format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}\n"));
        }
        let mut wrap = Wrap::start(&workspace, &["--log", "error"], RESPONSES);
        for (n, body) in bodies.iter().enumerate() {
            let id = n + 1;
            let params = json!({"name": "a", "taskId": "t"});
            wrap.send(format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            ));
            let line = wrap.line();
            let start = format!("{method} {}", &body[..body.len().min(120)]);
            let reply: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(reply["id"], id, "{start}");
            let limits = if reply["result"].get("structuredContent").is_some()
                || reply["error"].get("data").is_some()
            {
                2 * LIMIT
            } else {
                LIMIT
            };
            assert!(line.len() <= limits + SLACK, "{start}: {} bytes", line.len());
        }
    }
}

/// Generates sizes near the limits, in bytes.
fn size() -> impl Strategy<Value = usize> {
    select(vec![
        0, 1, 60, 500, 1000, 2000, 4000, 4090, 4200, 8000, 15_000, 29_000, 29_950, 30_001, 40_000, 90_000,
    ])
}

/// Parts of the inside of a JSON string. None contains an `M`.
const UNITS: [&str; 17] = [
    "x",
    "\\n",
    "é",
    "\\u0001",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\uD83D",
    "\\\"",
    "word \\n",
    "[1],",
    "[",
    "{}",
    "\\u001b[1m",
    "x\\r",
    "\u{2028}",
    "[Use offset=2 to continue]\\n",
];
/// Types of blocks.
const TYPES: [&str; 6] = ["text", "image", "audio", "resource", "resource_link", "odd"];

/// Generates the content of a JSON string with a size near the limits.
fn body() -> impl Strategy<Value = String> {
    (select(&UNITS[..]), size()).prop_map(|(unit, bytes)| unit.repeat(bytes / unit.len()))
}

fn string() -> impl Strategy<Value = String> {
    body().prop_map(|body| format!("\"{body}\""))
}

/// Generates a JSON value.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => string(),
        1 => size().prop_map(|bytes| format!("1{}", "0".repeat(bytes))),
        1 => size().prop_map(|bytes| format!("[1{}]", " ".repeat(bytes))),
        1 => select(&["null", "true", "1e999", "-0.0", "[]", "{}"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), 1_usize..200).prop_map(|(item, count)| {
                format!("[{}]", vec![item.as_str(); count.min(1 + 200_000 / (1 + item.len()))].join(","))
            }),
            prop::collection::vec((string(), inner.clone()), 0..4).prop_map(|members| object(&members)),
            (inner, 1_usize..1200).prop_map(|(item, depth)| format!(
                "{}{item}{}",
                "[".repeat(depth),
                "]".repeat(depth)
            )),
        ]
    })
}

/// Returns an object with these members. Keys and values are JSON text.
fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// Generates an object with some of these members in any order. Members can repeat.
fn some_of(
    members: Vec<(&'static str, BoxedStrategy<String>)>,
    max_excess: usize,
) -> impl Strategy<Value = String> {
    let members = members.into_iter().map(|(key, value)| (Just(format!("\"{key}\"")), value).boxed());
    prop::collection::vec(proptest::strategy::Union::new(members), 0..=max_excess)
        .prop_map(|members| object(&members))
}

fn one_of(words: &'static [&'static str]) -> BoxedStrategy<String> {
    select(words).prop_map(|one_of| format!("\"{one_of}\"")).boxed()
}

/// Generates a block of content.
fn block() -> impl Strategy<Value = String> {
    let with = |members: &str, value: BoxedStrategy<String>| {
        let members = members.to_owned();
        value.prop_map(move |value| members.replace('?', &value)).boxed()
    };
    prop_oneof![
        4 => with(r#"{"type":"text","text":?}"#, string().boxed()),
        1 => with(r#"{"type":"text","text":"x","annotations":?}"#, value().boxed()),
        1 => with(r#"{"type":"resource","resource":{"uri":"a","text":?}}"#, string().boxed()),
        1 => with(r#"{"type":"resource","resource":{"uri":?,"blob":"M"}}"#, string().boxed()),
        1 => with(r#"{"type":"resource_link","name":"a","uri":?}"#, string().boxed()),
        // The data of an image is not limited.
        1 => Just(format!(r#"{{"type":"image","mimeType":"image/png","data":"{}"}}"#, "M".repeat(50_000))),
        1 => some_of(
            vec![
                ("type", select(&TYPES[..]).prop_map(|name| format!("\"{name}\"")).boxed()),
                ("text", value().boxed()),
                ("resource", value().boxed()),
                ("mimeType", value().boxed()),
                ("odd", value().boxed()),
            ],
            5,
        ),
        1 => value(),
    ]
}

/// Generates a list of blocks.
fn content() -> impl Strategy<Value = String> {
    let repeated = (block(), select(vec![1_usize, 1, 2, 60, 70, 3000]));
    prop::collection::vec(repeated, 0..4).prop_map(|blocks| {
        let mut content = String::new();
        for (block, count) in blocks {
            for _ in 0..count.min(1 + 300_000 / (1 + block.len())) {
                let comma = if content.is_empty() { "" } else { "," };
                write!(content, "{comma}{block}").unwrap();
            }
        }
        format!("[{content}]")
    })
}

/// Generates the result of a tool.
fn result() -> impl Strategy<Value = String> {
    some_of(
        vec![
            ("content", content().boxed()),
            ("content", content().boxed()),
            ("structuredContent", value().boxed()),
            ("_meta", value().boxed()),
            ("isError", select(&["true", "false", "1"][..]).prop_map(str::to_owned).boxed()),
            ("resultType", one_of(&["complete", "task", "input_required", "odd"])),
            ("task", value().boxed()),
            ("odd", value().boxed()),
        ],
        5,
    )
}

/// Generates the error of a response.
fn error() -> impl Strategy<Value = String> {
    let code = select(&["-1", "1.0", "0"][..]).prop_map(str::to_owned).boxed();
    let some =
        some_of(vec![("data", value().boxed()), ("odd", value().boxed()), ("message", string().boxed())], 3);
    (code, string(), some).prop_map(|(code, message, some)| {
        let comma = if some == "{}" { "" } else { "," };
        format!("{{\"code\":{code},\"message\":{message}{comma}{}", &some[1..])
    })
}

/// Generates the state of a task.
fn state() -> impl Strategy<Value = String> {
    let outcome = prop_oneof![
        result().prop_map(|result| format!(",\"result\":{result}")),
        error().prop_map(|error| format!(",\"error\":{error}")),
        value().prop_map(|value| format!(",\"result\":{value}")),
        Just(String::new()),
    ];
    outcome.prop_map(|outcome| format!("{{\"taskId\":\"t\"{outcome}}}"))
}

/// Generates a message that can be a response to the request with the id `ID`.
fn message() -> impl Strategy<Value = String> {
    let outcome = prop_oneof![
        6 => result().prop_map(|result| format!("\"result\":{result}")),
        2 => error().prop_map(|error| format!("\"error\":{error}")),
        2 => state().prop_map(|state| format!("\"result\":{state}")),
        1 => state().prop_map(|state| format!("\"method\":\"notifications/tasks\",\"params\":{state}")),
        1 => (select(&["method", "odd", "ID", "error", "result"][..]), value(), result())
            .prop_map(|(name, value, result)| format!("\"{name}\":{value},\"result\":{result}")),
    ];
    let id = select(
        &[
            "",
            "\"id\":ID,",
            "\"id\":ID,",
            "\"id\":ID.0,",
            "\"id\":\"ID\",",
            "\"id\":ID,\"id\":-1,",
            "\"i\\u0064\":ID,",
        ][..],
    );
    let around = select(&["?", "?", "?", " ?\r", "[?]", "[ ?,1]", "[[?]]", "{\"a\":?}", "?}", "?,"][..]);
    (outcome, id, around).prop_map(|(outcome, id, around)| {
        let id = if outcome.contains("\"method\":\"n") { "" } else { id };
        let message = format!("{{\"jsonrpc\":\"2.0\",{id}{outcome}}}");
        around.replace('?', &message)
    })
}

/// Returns the size of a line without the bytes that escapes add, and without the data of images.
fn bytes_of(line: &[u8]) -> usize {
    let (mut bytes, mut at) = (0, 0);
    while at < line.len() {
        let escape = line[at..].first_chunk::<6>().filter(|escape| escape.starts_with(b"\\u"));
        let (len, counted) = match (line[at], escape) {
            (_, Some([_, _, digits @ ..])) => {
                let unit = u16::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
                (
                    6,
                    if unit < 0x80 {
                        1
                    } else {
                        2 + usize::from(!(0xd800..0xe000).contains(&unit) && unit >= 0x800)
                    },
                )
            }
            (b'\\', None) => (2, 1),
            (b'M', None) => (1, 0),
            _ => (1, 1),
        };
        at += len;
        bytes += counted;
    }
    bytes
}

#[test]
fn generated_responses_are_limited_to_8_kb_over_the_limits() {
    let mut runner = TestRunner::deterministic();
    let strategy = message();
    for (flags, limit) in [
        (&["--max-lines", "1000000"][..], LIMIT),
        (&["--max-bytes", "2KB"], 2000),
        (&["--max-tokens", "3000", "--keep", "ends"], LIMIT),
        (&["--fit", "cline"], LIMIT),
    ] {
        let workspace = Workspace::new();
        let mut sent = Vec::new();
        for id in 1..=MESSAGES {
            let message = strategy.new_tree(&mut runner).unwrap().current();
            let message = message.replace("ID", &id.to_string());
            workspace.write(id.to_string(), format!("{message}\n{END}\n"));
            sent.push(message);
        }
        let flags = [flags, &["--log", "error"]].concat();
        let mut wrap = Wrap::start(&workspace, &flags, RESPONSES);
        let (mut responses, mut max_excess) = (0, 0);
        for (n, message) in sent.iter().enumerate() {
            let start: String = message.chars().take(300).collect();
            let is_state = message.contains("{\"taskId\"");
            let method = if is_state { "tasks/get" } else { ["tools/call", "tasks/result"][n % 2] };
            let params = json!({"name": "a", "taskId": "t"});
            wrap.send(format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": n + 1, "method": method, "params": params})
            ));
            let (mut bytes, mut limits) = (0, limit);
            loop {
                let line = wrap.line();
                let is_json = serde_json::from_slice::<IgnoredAny>(&line).is_ok();
                let text = String::from_utf8(line).unwrap();
                assert!(is_json, "{start}");
                if text.starts_with(END) {
                    break;
                }
                if text.contains("\"structuredContent\":") || text.contains("\"data\":") {
                    limits = 2 * limit;
                }
                responses += usize::from(text.contains(&format!("\"id\":{}", n + 1)));
                bytes += bytes_of(text.as_bytes());
            }
            max_excess = max_excess.max(bytes.saturating_sub(limits));
            assert!(
                bytes <= limits + SLACK,
                "{flags:?} {method}: {bytes} bytes for {} of {start}",
                message.len()
            );
        }
        assert!(responses > MESSAGES / 10, "{responses} of {MESSAGES} calls got a response");
        eprintln!("{flags:?}: {responses} responses, at most {max_excess} bytes over the limits");
    }
}
