//! Wrapping and unwrapping of entries in client files.

use std::fs;

use crate::support::{Start, Workspace};

/// The files have comments, spacing, and other entries and settings.
const FILES: [(&str, &str); 3] = [
    (
        "claude-code",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {\"command\":\"a\"},\r\n\t\t\"x\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"env\": {\"KEY\": \"v\\u00e9\"},\r\n\t\t\t\"args\": [\"-y\", \"s\"],\r\n\t\t\t\"command\": \"npx\"\r\n\t\t}\r\n\t},\r\n\t\"n\": 1.50\r\n}",
    ),
    (
        "vscode",
        "// The servers of this folder.\n{\n  \"inputs\": [ /* none */ ],\n  \"servers\": {\n    // \"x\": {\"command\": \"old\"},\n    \"x\": {\n      \"command\": \"npx\", // by name\n      \"args\": [\n        \"-y\",\n        \"@scope/server\",\n        \"${workspaceFolder}\"\n      ], // all\n      \"env\": { \"A\": \"${input:a}\" },\n    },\n  },\n}\n",
    ),
    (
        "codex",
        "model = \"m\"   # mine\n\n[mcp_servers.other]\ncommand = \"a\"\n\n# The one to wrap.\n[mcp_servers.x]\ncommand = 'npx'\nargs = [\"-y\", 's'] # all\nstartup_timeout_sec = 20\nenv = { KEY = \"v\" }\n\n[profiles.p]\nx = 1_000\n",
    ),
];

#[test]
fn unwrapping_restores_the_entry() {
    let workspace = Workspace::new();
    for (client, text) in FILES {
        workspace.write(client, text);
        let path = workspace.path(client).display().to_string();
        let run = |arguments: &[&str]| {
            let arguments = [&["config", client, "--file", &path], arguments].concat();
            let output = Start::new(&workspace).flags(arguments).command().output().unwrap();
            assert!(output.status.success(), "{client}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let now = || fs::read_to_string(&path).unwrap();
        run(&["--max-bytes", "20KB", "--keep", "tail", "--wrap", "x", "--write"]);
        let wrapped = now();
        assert!(
            wrapped.contains("--max-bytes") && wrapped.contains("npx") && wrapped.len() > text.len(),
            "{wrapped}"
        );
        // New flags are added. An edit elsewhere in the file is preserved.
        run(&["--fit", "codex", "--wrap", "x", "--write"]);
        assert!(now().contains("--fit") && now().contains("20KB"), "{}", now());
        fs::write(&path, now().replace("other", "another")).unwrap();
        run(&["--unwrap", "x", "--write"]);
        // The quotes of a string in TOML may change.
        let unquoted = |text: &str| text.replace('\'', "\"");
        assert_eq!(unquoted(&now()), unquoted(&text.replace("other", "another")), "{client}");
    }
}
