//! Tests complete results after truncation.

use serde_json::{Value as Json, json};

use super::*;
use crate::wrap::full_result::{FullResult, SavedOutput};
use crate::wrap::json::Edits;
use crate::wrap::json::Value;

/// Returns the truncated `result` (`None` if unchanged) and the saved outputs.
fn checked_as_text(result: &str, rules: &ResultRules<'_>) -> (Option<String>, Vec<String>) {
    let saved = std::sync::Mutex::new(Vec::new());
    let save = |whole: FullResult<'_>| {
        saved.lock().unwrap().push(match whole {
            FullResult::Text(text) => format!("Text({text:?})"),
            FullResult::Json(text) => format!("Json({text:?})"),
            FullResult::JsonAll(texts) => format!("JsonAll({:?})", texts.blocks().collect::<Vec<_>>()),
        });
        Ok(SavedOutput { path: "/saved".into(), first_bytes: None })
    };
    let answer = format!("{{\"result\":{result}}}");
    let value = Value::of(&answer).unwrap();
    let result = value.top().get("result").unwrap();
    let mut edits = Edits::of(value.text);
    check(result, rules, &save, |fate| set_members(&mut edits, value.top(), vec![("result", fate)]));
    let new = (!edits.is_empty()).then(|| edits.applied());
    let member = |new: String| Value::of(&new).unwrap().top().get("result").unwrap().text().to_owned();
    (new.map(member), saved.into_inner().unwrap())
}

/// Returns a result truncated to 5 lines and `bytes` (null if unchanged), and the saved outputs.
fn checked(result: &Json, keep: KeepPart, bytes: u64) -> (Json, Vec<String>) {
    let bounds = Bounds::new(5, bytes);
    let rules = ResultRules {
        bounds,
        shows_all: false,
        keep,
        key_forms: KeyForms::Strong,
        hint: None,
        schema: OutputSchema::of(""),
    };
    let (new, saved) = checked_as_text(&result.to_string(), &rules);
    (new.map_or(Json::Null, |new| serde_json::from_str(&new).unwrap()), saved)
}

fn text(text: &str) -> Json {
    json!({"type": "text", "text": text})
}

#[test]
fn result_that_fits_passes() {
    for result in [
        json!({"content": [text("a\nb\nc\nd\ne\n")]}),
        json!({"content": [text(" \n")], "isError": true}),
        json!({}),
        json!({"structuredContent": {"a": 1}, "content": []}),
        json!({"content": [{"type": "image", "data": "x".repeat(500), "mimeType": "image/png"}]}),
    ] {
        assert_eq!(checked(&result, KeepPart::Head, 100).0, Json::Null, "{result}");
    }
}

#[test]
fn blocks_keep_their_order() {
    let image = json!({"type": "image", "data": "AA", "mimeType": "image/png"});
    let result = json!({
        "content": [text("1\n2"), image, {"type": "text", "text": "3\n4\n5", "annotations": {"priority": 1}}, text("6")],
        "isError": true,
        "_meta": {"own": 1, "details": "old"},
    });
    let (cut, saved) = checked(&result, KeepPart::Head, 100);
    let notice = "[Showing lines 1-5 of 8 (2 of 3 text blocks shown). Full output: /saved]";
    assert_eq!(cut["content"][0], text("1\n2"));
    assert_eq!(cut["content"][1], image);
    assert_eq!(cut["content"][2]["text"], format!("3\n4\n\n{notice}"));
    assert_eq!(cut["content"][2]["annotations"], json!({"priority": 1}));
    assert_eq!(
        (cut["content"].as_array().unwrap().len(), &cut["isError"], &cut["_meta"]["own"]),
        (3, &json!(true), &json!(1))
    );
    let details = &cut["_meta"]["details"];
    assert_eq!(details["truncation"]["truncatedBy"], "lines");
    assert_eq!(
        (&details["truncation"]["totalLines"], &details["truncation"]["outputLines"]),
        (&json!(8), &json!(5))
    );
    assert_eq!(details["truncationInfo"]["reason"], "line_limit");
    assert_eq!(details["fullOutputPath"], "/saved");
    assert_eq!(saved, [r#"Text("1\n2\n\n3\n4\n5\n\n6")"#]);
}

#[test]
fn other_parts_can_be_kept() {
    let result = json!({"content": [text("1\n2\n3\n4\n5\n6\n7")]});
    let shown = |keep| checked(&result, keep, 100).0["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(shown(KeepPart::Tail), "3\n4\n5\n6\n7\n\n[Showing lines 3-7 of 7. Full output: /saved]");
    assert_eq!(
        shown(KeepPart::Ends),
        "1\n[...Output truncated: 2 lines omitted...]\n4\n5\n6\n7\n\n[Showing lines 1-1 and 4-7 of 7. Full output: /saved]"
    );
}

#[test]
fn json_is_alone_in_its_block() {
    let value = json!({"results": [11, 22, 33, 44, 55, 66, 77]});
    let result = json!({"content": [text(&value.to_string())], "structuredContent": value});
    let (cut, saved) = checked(&result, KeepPart::Tail, 25);
    assert_eq!(
        cut["content"],
        json!([
            text(r#"{"results":[11,22,33,44]}"#),
            text(r#"[Showing 4 of 7 items of "results" (25B limit). Full output: /saved]"#),
        ])
    );
    assert_eq!(cut["structuredContent"], json!({"results": [11, 22, 33, 44]}));
    let info = &cut["_meta"]["details"]["truncationInfo"];
    assert_eq!(
        (&info["reason"], &info["originalCount"], &info["returnedCount"]),
        (&json!("byte_limit"), &json!(7), &json!(4))
    );
    assert_eq!((&info["estimatedChars"], &info["limitChars"]), (&json!(34), &json!(25)));
    assert_eq!(saved, [r#"Json("{\"results\":[11,22,33,44,55,66,77]}")"#]);
}

#[test]
fn structured_content_alone_and_with_another_text() {
    let value = json!({"rows": [11, 22, 33, 44, 55, 66, 77]});
    let alone = json!({"content": [text("seven rows")], "structuredContent": value});
    let (cut, saved) = checked(&alone, KeepPart::Head, 20);
    assert_eq!(
        cut["content"],
        json!([
            text("seven rows"),
            text(r#"[Showing 3 of 7 items of "rows" (20B limit). Full output: /saved]"#)
        ])
    );
    assert_eq!((cut["structuredContent"].to_string().len(), saved.len()), (19, 1));
    assert_eq!(cut["_meta"]["details"]["truncation"]["maxLines"], 5);
    let both = json!({"content": [text(&"x".repeat(30))], "structuredContent": value});
    let (cut, saved) = checked(&both, KeepPart::Head, 20);
    assert_eq!(
        cut["content"][0]["text"],
        format!("{}\n\n[Showing first 20B of line 1 (line is 30B). Full output: /saved]", "x".repeat(20))
    );
    assert_eq!(saved, [format!("Json({:?})", value.to_string()), format!("Text(\"{}\")", "x".repeat(30))]);
    assert_eq!(cut["_meta"]["details"]["firstLinePartial"], true);
    let none = json!({"structuredContent": value});
    let (cut, _) = checked(&none, KeepPart::Head, 20);
    assert_eq!(
        cut["content"][0]["text"],
        r#"[Showing 3 of 7 items of "rows" (20B limit). Full output: /saved]"#
    );
}

#[test]
fn single_remaining_value_is_cut_as_the_structured_content() {
    let value = json!({"rows": [11, 22, 33, 44, 55, 66, 77]});
    let spaced = value.to_string().replace(',', ", ");
    let result = json!({"content": [text(&spaced), text("seven rows")], "structuredContent": value});
    let (cut, saved) = checked(&result, KeepPart::Head, 30);
    let left: Json = serde_json::from_str(cut["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&left, &cut["structuredContent"]), (&json!({"rows": [11, 22, 33, 44, 55]}), &left));
    let notice =
        "[Showing 5 of 7 items of \"rows\" (30B limit; 1 of 2 text blocks shown). Full output: /saved]";
    assert_eq!((&cut["content"][1], saved.len()), (&text(notice), 1));
}

#[test]
fn structured_string_is_cut_at_a_character() {
    let (cut, saved) = checked(&json!({"structuredContent": "é".repeat(300)}), KeepPart::Head, 100);
    // Two quotes and the suffix take 18 bytes.
    assert_eq!(cut["structuredContent"], format!("{}… [truncated]", "é".repeat(41)));
    let notice = "[Showing 41 of 300 characters (100B limit). Full output: /saved]";
    assert_eq!((&cut["content"], saved.len()), (&json!([text(notice)]), 1));
}

#[test]
fn several_json_blocks_are_items() {
    let blocks: Vec<Json> = (0..9).map(|n| text(&format!("{{\"n\":{n}}}"))).collect();
    let (cut, saved) = checked(&json!({"content": blocks}), KeepPart::Tail, 100);
    let notice = "[Showing 3 of 9 blocks. Full output: /saved]";
    assert_eq!(
        cut["content"],
        json!([text("{\"n\":0}"), text("{\"n\":1}"), text("{\"n\":2}"), text(notice)])
    );
    assert!(saved[0].starts_with("JsonAll("), "{saved:?}");
    let large = json!({"content": [text(&json!([1, 2, 3, 4, 5]).to_string()), text("[6]")]});
    let (cut, _) = checked(&large, KeepPart::Head, 7);
    let notice = "[Showing 3 of 5 items (7B limit; 1 of 2 text blocks shown). Full output: /saved]";
    assert_eq!(cut["content"], json!([text("[1,2,3]"), text(notice)]));
}

#[test]
fn embedded_resource_keeps_its_block() {
    let resource = |text: &str| json!({"type": "resource", "resource": {"uri": "file:///a", "text": text}});
    let (cut, _) = checked(&json!({"content": [resource("1\n2\n3\n4\n5\n6")]}), KeepPart::Head, 100);
    let notice = "[Showing lines 1-5 of 6. Full output: /saved]";
    assert_eq!(cut["content"], json!([resource("1\n2\n3\n4\n5"), text(notice)]));
}

#[test]
fn escapes_are_resolved_if_the_text_is_over_a_limit() {
    let coloured = "\u{1b}[31mred\u{1b}[0m\n".repeat(5);
    let (cut, saved) = checked(&json!({"content": [text(&coloured)]}), KeepPart::Head, 40);
    assert_eq!((cut["content"][0]["text"].as_str().unwrap(), saved.len()), ("red\nred\nred\nred\nred\n", 0));
    let (cut, saved) = checked(&json!({"content": [text(&coloured.repeat(2))]}), KeepPart::Head, 40);
    assert!(
        cut["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("red\nred\nred\nred\nred\n\n[Showing lines 1-5 of 10")
    );
    assert!(saved[0].contains("[31m"), "{saved:?}");
}

#[test]
fn notice_follows_json_with_resolved_escapes() {
    let result = json!({"content": [text(&"x\n".repeat(20)), text("\u{1b}[32m{\"a\":1}\u{1b}[0m")]});
    let (cut, _) = checked(&result, KeepPart::Tail, 100);
    let blocks = cut["content"].as_array().unwrap();
    assert_eq!(blocks[blocks.len() - 2], text("{\"a\":1}"));
    let notice = blocks[blocks.len() - 1]["text"].as_str().unwrap();
    assert!(notice.starts_with("[Showing lines "), "{notice}");
}

#[test]
fn duplicate_members_are_cut_too() {
    let long = "x\\n".repeat(20);
    let twice = format!(r#"{{"content":[],"content":[{{"type":"text","text":"a","text":"{long}"}}]}}"#);
    let rules = ResultRules {
        bounds: Bounds::new(5, 100),
        shows_all: false,
        keep: KeepPart::Head,
        key_forms: KeyForms::None,
        hint: Some("Ask."),
        schema: OutputSchema::of(""),
    };
    let cut = checked_as_text(&twice, &rules).0.unwrap();
    assert_eq!((cut.matches("content").count(), cut.matches("\"text\":").count()), (1, 1));
    let cut: Json = serde_json::from_str(&cut).unwrap();
    assert_eq!(
        cut["content"][0]["text"],
        "x\nx\nx\nx\nx\n\n[Showing lines 1-5 of 20. Full output: /saved]\nAsk."
    );
}
