//! `--structured`, for clients that show the structured content instead of the text.

use serde_json::json;

use crate::support::{Protocol, Start, Workspace};

#[test]
fn structured_content_has_the_complete_text() {
    let workspace = Workspace::with(&json!({"a": {"lines": [1, 3000], "text": "line {n}"}}));
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).flags(["--structured"]).protocol(protocol).client();
        let list = client.ask("tools/list", json!({}));
        for tool in list["result"]["tools"].as_array().unwrap() {
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        }
        for (tool, args) in [
            ("read", json!({"path": "a"})),
            ("ls", json!({})),
            ("find", json!({"pattern": "*"})),
            ("grep", json!({"pattern": "line 7$"})),
            ("bash", json!({"command": "echo hi"})),
        ] {
            let reply = client.call(tool, args);
            let structured = &reply.assert_success().result["structuredContent"];
            assert_eq!(structured["text"], reply.text());
            assert!(structured["details"].is_object(), "the schema requires details\n{reply}");
            if reply.details().is_object() {
                assert_eq!(&structured["details"], reply.details());
            }
        }
    }
}
