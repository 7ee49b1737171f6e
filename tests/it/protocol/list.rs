//! The response to tools/list. It uses context in every session, and every client must understand it.

use std::path::Path;

use serde_json::{Value, json};
use similar_asserts::SimpleDiff;

use crate::support::{Client, Protocol, Start, Workspace};

fn tools(flags: &[&str], protocol: Protocol) -> Vec<Value> {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(flags).protocol(protocol).client();
    client.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn list_matches_the_snapshot() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tools-list.json");
    let list = serde_json::to_string_pretty(&tools(&[], Protocol::HANDSHAKE)).unwrap() + "\n";
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    let snapshot = std::fs::read_to_string(&path).unwrap_or_default();
    let diff = SimpleDiff::from_str(&snapshot, &list, "snapshot", "now");
    assert!(
        snapshot == list,
        "{diff}\nTo accept the new list, run: UPDATE_SNAPSHOTS=1 cargo test list_matches_the_snapshot"
    );
}

#[test]
fn list_is_the_same_in_both_protocol_revisions() {
    assert_eq!(tools(&[], Protocol::HANDSHAKE), tools(&[], Protocol::Stateless));
}

#[test]
fn list_is_small() {
    let list = serde_json::to_string(&tools(&[], Protocol::HANDSHAKE)).unwrap();
    assert!(list.len() <= 7000, "{} bytes", list.len());
}

#[test]
fn call_limits_add_two_short_arguments_to_each_tool() {
    let plain = tools(&[], Protocol::HANDSHAKE);
    let mut limited = tools(&["--call-limits"], Protocol::HANDSHAKE);
    let bytes = |tools: &[Value]| serde_json::to_string(tools).unwrap().len();
    assert!(bytes(&limited) < bytes(&plain) + 1000, "{} bytes", bytes(&limited));
    for tool in &mut limited {
        let properties = tool["inputSchema"]["properties"].as_object_mut().unwrap();
        for name in ["maxBytes", "maxTokens"] {
            let property = properties.remove(name).unwrap();
            assert_eq!(
                (&property["type"], &property["nullable"]),
                (&json!("integer"), &json!(true)),
                "{property}"
            );
            assert!(
                property["description"].is_string() && property.as_object().unwrap().len() == 3,
                "{property}"
            );
        }
    }
    assert_eq!(limited, plain);
}

#[test]
fn descriptions_mention_truncated_lines() {
    let cut = tools(&["--max-text-line-chars", "2000"], Protocol::HANDSHAKE);
    for tool in cut.iter().filter(|tool| tool["name"] == "read" || tool["name"] == "bash") {
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains("lines cut at 2000 characters"), "{description}");
    }
}

#[test]
fn schemas_use_only_simple_keywords() {
    fn check(path: &str, schema: &Value) {
        if let Value::Object(object) = schema {
            for forbidden in
                ["$ref", "$schema", "$defs", "format", "default", "oneOf", "anyOf", "allOf", "title"]
            {
                let is_property = path.ends_with(".properties");
                assert!(is_property || !object.contains_key(forbidden), "{forbidden} at {path}");
            }
            if let Some(kind) = object.get("type").filter(|_| !path.ends_with(".properties")) {
                assert!(kind.is_string() && kind != "null", "{path} has the type {kind}");
            }
            object.iter().for_each(|(key, value)| check(&format!("{path}.{key}"), value));
        }
    }
    for tool in tools(&[], Protocol::HANDSHAKE) {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], json!(null), "{name}");
        check(name, schema);
        for (argument, property) in schema["properties"].as_object().unwrap() {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(!description.is_empty(), "{name}.{argument} has no description");
            let camel_case = argument.chars().all(char::is_alphanumeric);
            assert!(camel_case, "{name}.{argument} is not in camel case");
        }
    }
}

#[test]
fn schemas_have_every_argument() {
    let expected = [
        ("read", "limit lineNumbers offset path", "path"),
        ("bash", "command cwd head tail timeout", "command"),
        (
            "grep",
            "after before context exclude glob ignoreCase invert limit literal mode multiline noIgnore offset path pattern showFunction sort word",
            "pattern",
        ),
        ("find", "exclude limit maxDepth noIgnore offset path pattern sort type", "pattern"),
        ("ls", "limit long offset path", ""),
    ];
    let listed = tools(&[], Protocol::HANDSHAKE);
    assert_eq!(listed.len(), expected.len());
    for (tool, (name, arguments, required)) in listed.iter().zip(expected) {
        assert_eq!(tool["name"], name);
        let mut given: Vec<_> =
            tool["inputSchema"]["properties"].as_object().unwrap().keys().cloned().collect();
        given.sort();
        assert_eq!(given.join(" "), arguments, "{name}");
        let given = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
        let given: Vec<_> = given.iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(given.join(" "), required, "{name}");
    }
}

#[test]
fn tools_have_titles_descriptions_and_annotations() {
    for tool in tools(&[], Protocol::HANDSHAKE) {
        let name = tool["name"].as_str().unwrap();
        assert!(!tool["title"].as_str().unwrap_or_default().is_empty(), "{name} has no title");
        let description = tool["description"].as_str().unwrap_or_default();
        assert!(description.len() < 2000, "some clients truncate descriptions at 2 KB");
        assert!(description.contains("30KB"), "{name} does not contain the limit: {description}");
        let runs_commands = name == "bash";
        let expected = json!({
            "readOnlyHint": !runs_commands,
            "destructiveHint": runs_commands,
            "idempotentHint": !runs_commands,
            "openWorldHint": runs_commands,
        });
        assert_eq!(tool["annotations"], expected, "{name}");
        assert!(tool.get("outputSchema").is_none(), "{tool}");
    }
}

#[test]
fn large_results_are_declared() {
    for tool in tools(&["--max-bytes", "100KB"], Protocol::HANDSHAKE) {
        let declared = tool["_meta"]["anthropic/maxResultSizeChars"].as_u64().unwrap();
        assert!((100_000..=500_000).contains(&declared), "{tool}");
    }
    for tool in tools(&["--max-bytes", "50000"], Protocol::HANDSHAKE) {
        assert_eq!(tool["_meta"], json!({"anthropic/alwaysLoad": true}), "{tool}");
    }
}

#[test]
fn only_selected_tools_are_registered() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).flags(["--tools", "ls,read"]).client();
    let list = client.ask("tools/list", json!({}));
    let names: Vec<_> =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["read", "ls"]);
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    let refused = client.ask("tools/call", json!({"name": "bash", "arguments": {"command": "echo hi"}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn descriptions_contain_the_configured_limits() {
    let listed =
        tools(&["--max-lines", "77", "--max-bytes", "12KB", "--bash-timeout", "9"], Protocol::HANDSHAKE);
    for tool in &listed[..2] {
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains("77 lines") && description.contains("12KB"), "{description}");
    }
    assert!(listed[1]["description"].as_str().unwrap().contains('9'));
}

#[test]
fn description_of_bash_mentions_head_and_tail() {
    for (flags, kept) in [
        (&[][..], "the last 2000 lines or 30KB"),
        (&["--bash-tail", "50"], "the last 50 lines or 30KB"),
        (&["--bash-head", "100", "--bash-tail", "0"], "the first 100 lines or 30KB"),
        (&["--bash-head", "200", "--bash-tail", "800"], "the first 200 and last 800 lines or 30KB"),
    ] {
        let listed = tools(flags, Protocol::HANDSHAKE);
        let description = listed[1]["description"].as_str().unwrap();
        assert!(description.contains(kept), "{kept}: {description}");
    }
}

#[test]
fn list_is_the_same_each_time() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let first = client.ask("tools/list", json!({}))["result"].clone();
    assert_eq!(client.ask("tools/list", json!({}))["result"], first);
}

/// In strict mode, clients make every argument required. The model then sends `null` or an empty value for optional ones.
#[test]
fn empty_arguments_have_no_effect() {
    let workspace = Workspace::with(&json!({"a.txt": "one\ntwo\n", "src/b.txt": "two\n"}));
    let mut client = Client::new(&workspace);
    let required = [
        ("read", json!({"path": "a.txt"})),
        ("bash", json!({"command": "pwd; ls"})),
        ("grep", json!({"pattern": "two"})),
        ("find", json!({"pattern": "*.txt"})),
        ("ls", json!({})),
    ];
    for (tool, (name, plain)) in tools(&[], Protocol::HANDSHAKE).iter().zip(required) {
        let expected = client.call(name, plain.clone()).assert_success().text().to_owned();
        for is_null in [true, false] {
            let mut arguments = plain.clone();
            for (argument, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let empty = match property["type"].as_str().unwrap() {
                    _ if is_null => Value::Null,
                    "integer" => json!(0),
                    "boolean" => json!(false),
                    _ => json!(""),
                };
                if arguments.get(argument).is_none() {
                    arguments[argument] = empty;
                }
            }
            client.call(name, arguments).assert_text(&expected);
        }
    }
}
