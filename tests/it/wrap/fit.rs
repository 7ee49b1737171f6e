//! Limits of `cutline wrap` from the profile of the client that the messages name.

use serde_json::{Value, json};

use super::{RESPONSES, Wrap};
use crate::support::{Workspace, assert_fits_cline, escaped_texts};

/// Starts a wrapped server that responds to each request with `result`.
fn start(workspace: &Workspace, flags: &[&str], result: &Value) -> Wrap {
    for id in 1..5 {
        let response = json!({"jsonrpc": "2.0", "id": id, "result": result});
        workspace.write(id.to_string(), format!("{response}\n"));
    }
    Wrap::start(workspace, flags, RESPONSES)
}

/// Sends a request, and returns the result.
fn ask(wrap: &mut Wrap, id: u8, method: &str, params: &Value) -> Value {
    wrap.send(format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})));
    let response = wrap.message();
    assert_eq!(response["id"], id);
    response["result"].clone()
}

/// Returns the `_meta` of a stateless request.
fn meta(name: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
    })
}

/// Returns the result for a client with this name. Checks that it is the same if the name is in the handshake or in each
/// request.
fn result_for_client(flags: &[&str], name: &str, result: &Value) -> Value {
    let workspace = Workspace::new();
    let mut wrap = start(&workspace, flags, result);
    ask(&mut wrap, 1, "initialize", &json!({"clientInfo": {"name": name, "version": "1"}}));
    let by_handshake = ask(&mut wrap, 2, "tools/call", &json!({"name": "t"}));
    wrap.end();
    let mut wrap = start(&workspace, flags, result);
    ask(&mut wrap, 1, "server/discover", &json!({"_meta": meta(name)}));
    let by_request = ask(&mut wrap, 2, "tools/call", &json!({"name": "t", "_meta": meta(name)}));
    let text = |result: &Value| {
        let text = result["content"].to_string();
        text.split(" Full output: ").next().map(str::to_owned)
    };
    assert_eq!(text(&by_handshake), text(&by_request));
    by_request
}

/// Returns the text of a result without the path in its notice.
fn shown(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str().unwrap();
    text.split(" Full output: ").next().unwrap().to_owned()
}

fn lines(count: usize) -> Value {
    let lines: String = (1..=count).flat_map(|n| [n.to_string(), "\n".to_owned()]).collect();
    json!({"content": [{"type": "text", "text": lines}]})
}

#[test]
fn limits_are_those_of_the_client_profile() {
    let notice = |flags: &[&str], name| {
        shown(&result_for_client(flags, name, &lines(3000))).lines().last().unwrap().to_owned()
    };
    assert_eq!(notice(&[], "opencode"), "[Showing lines 1-1990 of 3000.");
    assert_eq!(notice(&[], "codex-mcp-client"), "[Showing lines 1-2000 of 3000.");
    assert_eq!(notice(&[], "@cline/core"), "[Showing lines 1-1334 of 3000 (6.9KB JSON limit).");
    assert_eq!(notice(&[], "some client"), "[Showing lines 1-2000 of 3000.");
    assert_eq!(notice(&["--max-lines", "2000"], "opencode"), "[Showing lines 1-2000 of 3000.");
    assert_eq!(notice(&["--max-lines", "5"], "opencode"), "[Showing lines 1-5 of 3000.");
    assert_eq!(notice(&["--max-bytes", "20"], "opencode"), "[Showing lines 1-10 of 3000 (20B limit).");
    assert_eq!(
        notice(&["--max-tokens", "100"], "opencode"),
        "[Showing lines 1-47 of 3000 (100 token limit)."
    );
    assert_eq!(notice(&["--fit", "off"], "opencode"), "[Showing lines 1-2000 of 3000.");
    assert_eq!(notice(&["--fit", "opencode"], "mcp"), "[Showing lines 1-1990 of 3000.");
}

#[test]
fn stateless_requests_select_the_profile_of_their_client() {
    let workspace = Workspace::new();
    let mut wrap = start(&workspace, &[], &lines(1995));
    let mut call = |id, params| ask(&mut wrap, id, "tools/call", &params);
    assert_eq!(call(1, json!({"name": "t", "_meta": meta("one")})), lines(1995));
    let cut = call(2, json!({"name": "t", "_meta": meta("opencode")}));
    assert!(shown(&cut).ends_with("[Showing lines 1-1990 of 1995."), "{cut}");
    assert_eq!(call(3, json!({"name": "t", "_meta": meta("another")})), lines(1995));
    assert_eq!(call(4, json!({"name": "t"})), lines(1995));
}

#[test]
fn client_that_passes_on_everything_gets_no_details() {
    let mut result = lines(3000);
    result["_meta"] = json!({"own": 1});
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    result["content"].as_array_mut().unwrap().push(image.clone());
    let cut = result_for_client(&[], "@cline/core", &result);
    assert_eq!(cut["_meta"], json!({"own": 1}), "a member of the server was removed");
    assert_eq!(cut["content"][1], image, "the image was changed");
    assert!(result_for_client(&[], "opencode", &result)["_meta"]["details"].is_object());
}

#[test]
fn text_and_structured_content_share_the_limit_for_some_clients() {
    let rows = |count: usize| json!({"rows": (0..count).map(|n| 1000 + n).collect::<Vec<_>>()});
    let result = |value: &Value| json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value});
    // The text and the structured content have 4 KB each. Each is within the limit, but not both together.
    let both = result(&rows(800));
    assert_eq!(result_for_client(&[], "crewai", &both), both);
    let cut = result_for_client(&[], "@cline/core", &both);
    let kept = &cut["structuredContent"];
    assert_eq!(kept.to_string(), cut["content"][0]["text"].as_str().unwrap());
    assert!(kept.to_string().len() <= 3450, "{kept}");
    let notice = format!(
        "[Showing {} of 800 items of \"rows\" (3.5KB JSON limit).",
        kept["rows"].as_array().unwrap().len()
    );
    assert!(cut["content"][1]["text"].as_str().unwrap().starts_with(&notice), "{notice}");
    // What one does not need is for the other.
    let row = json!({"row": "r"});
    for (text, structured) in [("Done.", rows(1300)), ("", rows(1370)), (&*"line\n".repeat(900), row.clone())]
    {
        let fits = json!({"content": [{"type": "text", "text": text}], "structuredContent": structured});
        assert_eq!(result_for_client(&[], "@cline/core", &fits), fits);
    }
    let beside_row =
        json!({"content": [{"type": "text", "text": "line\n".repeat(2000)}], "structuredContent": row});
    let cut = result_for_client(&[], "@cline/core", &beside_row);
    assert_eq!((shown(&cut).lines().count(), &cut["structuredContent"]), (1150, &row));
    // Each gets half of the tokens.
    let few = result(&rows(200));
    assert_eq!(result_for_client(&[], "@cline/core", &few), few);
    let half = shown(&result_for_client(&["--max-tokens", "500"], "crewai", &few));
    let quarter = shown(&result_for_client(&["--max-tokens", "500"], "@cline/core", &few));
    let kept = |text: &str| serde_json::from_str::<Value>(text).unwrap()["rows"].as_array().unwrap().len();
    assert!(kept(&half).abs_diff(2 * kept(&quarter)) <= 4 && kept(&half) < 200, "{half}\n{quarter}");
    let alone =
        result_for_client(&[], "@cline/core", &json!({"content": [], "structuredContent": rows(2000)}));
    assert_eq!(shown(&alone), "[Showing 1378 of 2000 items of \"rows\" (6.9KB limit).");
}

#[test]
fn results_fit_a_client_that_converts_to_json() {
    let block = |text: &str| json!({"type": "text", "text": text});
    let rows: Vec<_> = (0..900).map(|n| json!({"n": n, "path": "C:\\a", "said": "\"\""})).collect();
    let rows = json!({"rows": rows});
    let flat = serde_json::to_string_pretty(&rows).unwrap().replace("  ", "");
    for (name, text) in escaped_texts().into_iter().chain([("rows.json", flat.clone())]) {
        let blocks: Vec<_> =
            text.as_bytes().chunks(900).map(|part| block(&String::from_utf8_lossy(part))).collect();
        let resource = json!({"type": "resource", "resource": {"uri": "file:///a/\"b\"", "text": text}});
        for (result, flags) in [
            (json!({"content": [block(&text)]}), &["--keep", "tail"][..]),
            (json!({"content": [block(&text)], "structuredContent": {"text": text}, "isError": true}), &[]),
            (
                json!({"content": [block(&text)], "structuredContent": rows, "_meta": {"own": "a".repeat(999)}}),
                &[],
            ),
            (json!({"content": blocks}), &["--keep", "ends", "--hint", "Ask for \"less\""]),
            (json!({"content": [block("first"), resource, block("last")]}), &[]),
        ] {
            assert_fits_cline(&result_for_client(flags, "@cline/core", &result), name);
        }
    }
    let both = json!({"content": [block(&flat)], "structuredContent": rows});
    let cut = result_for_client(&[], "@cline/core", &both);
    assert_fits_cline(&cut, "the same value twice");
    let shown: Value = serde_json::from_str(cut["content"][0]["text"].as_str().unwrap()).unwrap();
    assert!(shown == cut["structuredContent"] && shown["rows"].as_array().unwrap().len() > 30, "{cut}");
}

#[test]
fn all_parts_share_the_limit_for_a_client_that_gets_the_complete_json() {
    let links = |count: usize| -> Vec<Value> {
        let link = |n| json!({"type": "resource_link", "uri": format!("https://example.org/{n:03}"), "name": format!("document {n}"), "description": "d".repeat(40)});
        (0..count).map(link).collect()
    };
    let structured = |bytes: usize| json!({"items": vec!["v".repeat(60); bytes / 63]});
    let with_text = |count: usize, text: &str| {
        let mut blocks = links(count);
        blocks.push(json!({"type": "text", "text": text}));
        blocks
    };
    let long = "a line of text\n".repeat(4000);
    for (about, result) in [
        (
            "links and structured content",
            json!({"content": links(50), "structuredContent": structured(6800)}),
        ),
        ("many of both", json!({"content": links(400), "structuredContent": structured(50_000)})),
        (
            "metadata",
            json!({"content": [], "structuredContent": structured(6000), "_meta": {"own": "m".repeat(6000)}}),
        ),
        ("links and text", json!({"content": with_text(60, &long)})),
        (
            "all",
            json!({"content": with_text(60, &long), "structuredContent": structured(50_000), "_meta": {"own": "m".repeat(4000)}}),
        ),
        (
            "within the limits",
            json!({"content": with_text(9, "text"), "structuredContent": structured(1000)}),
        ),
    ] {
        let of_cline = result_for_client(&[], "@cline/core", &result);
        assert_fits_cline(&of_cline, about);
        assert_eq!(of_cline == result, about == "within the limits", "{about}");
        let of_mastra = result_for_client(&["--fit", "mastra"], "mcp", &result).to_string();
        // A limit of text does not count the escapes of its newlines.
        assert!(of_mastra.len() <= 30_000 + 2000 + 1100, "{about}: {} bytes", of_mastra.len());
    }
}

#[test]
fn numbers_have_the_length_that_a_client_writes() {
    let numbers = vec![1e20; 1200];
    for result in [
        json!({"content": [], "structuredContent": {"items": numbers}}),
        json!({"content": [], "_meta": {"own": numbers}}),
        json!({"content": [{"type": "other", "items": numbers}]}),
    ] {
        let sent = result.to_string();
        assert!(sent.contains("1e+20") && sent.len() < 8000, "{} bytes", sent.len());
        assert_fits_cline(&result_for_client(&[], "@cline/core", &result), "numbers");
    }
    // A text that is within the limits as it is spelled keeps the same items.
    let structured = json!({"items": numbers});
    let both = json!({"content": [{"type": "text", "text": structured.to_string()}], "structuredContent": structured});
    let cut = result_for_client(&["--max-bytes", "9000"], "another", &both);
    let shown: Value = serde_json::from_str(cut["content"][0]["text"].as_str().unwrap()).unwrap();
    assert!(shown == cut["structuredContent"] && shown["items"].as_array().unwrap().len() > 300, "{cut}");
}
