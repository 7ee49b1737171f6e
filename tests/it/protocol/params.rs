//! Invalid requests are protocol errors. Calls that the model can correct are results with `isError`.

use serde_json::{Value, json};

use crate::support::{Client, Protocol, Start, Workspace};

/// The JSON-RPC error code for invalid params.
const INVALID_PARAMS: i64 = -32602;

#[test]
fn unknown_tool_is_a_protocol_error() {
    let workspace = Workspace::new();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        let response = client.ask("tools/call", json!({"name": "write", "arguments": {}}));
        assert_eq!(response["error"]["code"], INVALID_PARAMS, "{response}");
        assert!(response["error"]["message"].as_str().unwrap().contains("write"), "{response}");
    }
}

#[test]
fn params_of_a_wrong_type_are_protocol_errors() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        for params in [
            json!({}),
            json!({"arguments": {"path": "a"}}),
            json!({"name": 5, "arguments": {}}),
            json!({"name": null}),
            json!({"name": "read", "arguments": ["a"]}),
            json!({"name": "read", "arguments": "path=a"}),
            json!({"name": "read", "arguments": 5}),
        ] {
            let response = client.ask("tools/call", params.clone());
            assert_eq!(response["error"]["code"], INVALID_PARAMS, "{params}: {response}");
        }
        client.call("read", json!({"path": "a"})).assert_text("one\n");
    }
}

#[test]
fn invalid_params_are_explained() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for (method, params, expected) in [
        ("logging/setLevel", json!({"level": "loud"}), "logging/setLevel takes level: debug, info, "),
        ("logging/setLevel", json!({}), "logging/setLevel takes level: debug, info, "),
        ("tools/call", json!({"name": 5}), "tools/call takes name (a string) and arguments (an object)"),
        ("initialize", json!({"protocolVersion": 5}), "initialize takes protocolVersion (a string), "),
    ] {
        let response = client.ask(method, params);
        assert_eq!(response["error"]["code"], INVALID_PARAMS, "{method}: {response}");
        assert!(response["error"]["message"].as_str().unwrap().starts_with(expected), "{method}: {response}");
    }
}

#[test]
fn missing_arguments_are_tool_errors() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    for (params, error) in [(json!({"name": "ls"}), false), (json!({"name": "read"}), true)] {
        let response = client.ask("tools/call", params);
        assert_eq!(response["result"]["isError"], error, "{response}");
    }
}

#[test]
fn unknown_method_is_not_found() {
    let workspace = Workspace::new();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        // The server declares no prompts.
        for method in ["tools/destroy", "prompts/list"] {
            let response = client.ask(method, json!({}));
            assert_eq!(response["error"]["code"], -32601, "{response}");
        }
    }
}

#[test]
fn ids_are_returned_unchanged() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    for id in [json!("a string"), json!(""), json!(0), json!(9_007_199_254_740_993_i64), json!("1")] {
        let params = json!({"name": "read", "arguments": {"path": "a"}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        let wanted = |message: &Value| message["id"] == id && message.get("result").is_some();
        client.expect_message("its answer", wanted);
    }
}

#[test]
fn errors_are_short() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let long = "x".repeat(100_000);
    for (tool, args) in [
        ("read", json!({"path": long})),
        ("read", json!({"path": "a", "offset": long})),
        ("read", json!({"path": "a", (long.as_str()): 1})),
        ("ls", json!({"path": long})),
        ("read", json!({"path": "a/".repeat(100_000)})),
        ("read", json!({"path": "a\u{FFFD}/".repeat(2000)})),
        ("grep", json!({"pattern": format!("({long}")})),
        ("grep", json!({"pattern": "x", "mode": long})),
        ("grep", json!({"pattern": "x", "glob": format!("[{long}")})),
        ("find", json!({"pattern": format!("[{long}")})),
        ("find", json!({"pattern": "x", "path": long})),
    ] {
        let reply = client.call(tool, args);
        assert!(reply.is_error(), "{}", reply.result);
        // Some clients have a much lower limit for the text of errors.
        assert!(reply.text().len() < 3000, "{} bytes from {tool}: {:.200}", reply.text().len(), reply.text());
    }
}

#[test]
fn oversized_arguments_are_refused() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Client::new(&workspace);
    let long = "x".repeat(900_000);
    for (tool, arguments) in [
        ("read", json!({"path": long})),
        ("bash", json!({"command": long})),
        ("grep", json!({"pattern": long, "literal": true})),
        ("find", json!({"pattern": "*", "path": vec![0; 200_000]})),
        ("ls", json!({long.as_str(): 1})),
    ] {
        client
            .call(tool, arguments)
            .assert_error(&["The arguments are too long: ", " bytes (at most 256000)"]);
    }
    let long = "x".repeat(200_000);
    client.call("read", json!({"path": long})).assert_error(&["File not found"]);
    client
        .call("bash", json!({"command": format!(": {long}")}))
        .assert_error(&["command: must be at most 131071 bytes"]);
    let longest = format!(": {}", "x".repeat(131_069));
    client.call("bash", json!({"command": longest})).assert_text("(no output)");
}
