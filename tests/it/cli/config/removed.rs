//! `cutline config CLIENT --remove`: restores the file as it was before the entry was added.

use std::fs;

use serde_json::{Value, json};

use super::{CLIENTS, config_path};
use crate::cli::{code, run, stderr, stdout};
use crate::support::Workspace;

/// Returns the file of a client with an entry of another server.
fn file_with_other_server(client: &str) -> &'static str {
    match client {
        "codex" => "# mine\ntool_output_token_limit = 9000\n\n[mcp_servers.github]\ncommand = 'npx' # it\n",
        "opencode" => {
            "{\n  // mine\n  \"mcp\": {\n    \"github\": {\"type\": \"local\", \"command\": [\"npx\"]},\n  },\n}\n"
        }
        "vscode" => "{\n\t\"servers\": {\n\t\t\"github\": {\"command\": \"npx\"}\n\t}\n}\n",
        "continue" => "# mine\nname: Local\nmcpServers:\n  - name: github # it\n    command: npx\n",
        _ => {
            "\u{feff}{\r\n  \"mcpServers\": {\r\n    // mine\r\n    \"github\": {\"command\": \"npx\"},\r\n  }\r\n}\r\n"
        }
    }
}

#[test]
fn removal_restores_the_file_byte_for_byte() {
    let workspace = Workspace::new();
    for (client, _) in CLIENTS {
        let (path, text) = (config_path(&workspace, client), file_with_other_server(client));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let config = |arguments: &[&str]| {
            let output = run(&workspace, &[&["config", client], arguments].concat());
            assert_eq!(code(&output), 0, "{client}: {}", stderr(&output));
            (stdout(&output), stderr(&output))
        };
        config(&["--root", ".", "--write"]);
        let with_entry = fs::read_to_string(&path).unwrap();
        let (printed, message) = config(&["--remove"]);
        assert!(
            printed.contains(env!("CARGO_BIN_EXE_cutline")) && !printed.contains("npx"),
            "{client}: {printed}"
        );
        assert_eq!(message, format!("--write removes this from {}\n", path.display()));
        assert_eq!(fs::read_to_string(&path).unwrap(), with_entry);
        let (printed, message) = config(&["--remove", "--write"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{client}");
        assert!(printed.is_empty() && message.contains("The entry cutline is removed from "), "{message}");
        let copy = message.trim_end().rsplit_once(" is in ").unwrap().1;
        assert_eq!(fs::read_to_string(copy).unwrap(), with_entry);
        let (_, message) = config(&["--remove", "--write"]);
        assert_eq!(message, format!("There is no entry cutline in {}\n", path.display()));
    }
}

#[test]
fn entry_is_removed_from_its_file() {
    let workspace = Workspace::new();
    let config = |arguments: &[&str]| run(&workspace, &[&["config", "cursor"], arguments].concat());
    let user = workspace.home().join(".cursor/mcp.json");
    config(&["--scope", "user", "--write"]);
    let message = stderr(&config(&["--remove", "--scope", "project", "--write"]));
    assert!(message.starts_with("There is no entry cutline in "), "{message}");
    let message = stderr(&config(&["--remove", "--write"]));
    assert!(message.contains(&format!("is removed from {}", user.display())), "{message}");
    assert_eq!(
        serde_json::from_str::<Value>(&fs::read_to_string(&user).unwrap()).unwrap(),
        json!({"mcpServers": {}})
    );
    // If there are two entries, the one of the project is removed and the other one is reported.
    config(&["--write"]);
    config(&["--scope", "user", "--write"]);
    let message = stderr(&config(&["--remove", "--write"]));
    let other = format!("{} has an entry cutline too: --scope user names it\n", user.display());
    assert!(
        message.contains(&other) && message.contains(workspace.path(".cursor/mcp.json").to_str().unwrap()),
        "{message}"
    );
    assert!(fs::read_to_string(&user).unwrap().contains("cutline"));
    for (arguments, why) in [
        (&["--remove", "--wrap", "github"][..], "cannot be used with"),
        (&["--remove", "--root", "."], "--root cannot be used with --remove"),
        (&["--remove", "--keep", "tail"], "--keep is for --wrap"),
    ] {
        let output = config(arguments);
        assert!(code(&output) == 2 && stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn wrapped_servers_are_reported_and_invalid_files_unchanged() {
    let entry = json!({"command": "/x/cutline", "args": ["wrap", "--", "npx"]});
    let text = format!("{:#}\n", json!({"mcpServers": {"github": entry}}));
    let workspace = Workspace::with(&json!({".mcp.json": text}));
    run(&workspace, &["config", "claude-code", "--write"]);
    let message = stderr(&run(&workspace, &["config", "claude-code", "--remove", "--write"]));
    assert!(
        message
            .ends_with("github there is still wrapped by cutline: --unwrap github --write turns it back\n"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(workspace.path(".mcp.json")).unwrap(), text);
    workspace.write(".mcp.json", "{\"mcpServers\": {\"cutline\": {}");
    let output = run(&workspace, &["config", "claude-code", "--remove", "--write"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("was not changed"), "{}", stderr(&output));
}
