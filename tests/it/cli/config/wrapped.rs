//! `cutline config --wrap` and `--unwrap`: entries of other servers in a client's file.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{CLIENTS, config_path};
use crate::cli::{code, run, stderr, stdout};
use crate::support::Workspace;

/// Returns the file of a client with an entry of another server.
fn file_with_other_server(client: &str) -> &'static str {
    match client {
        "codex" => "# mine\n[mcp_servers.github]\ncommand = 'npx' # it\nargs = [\n  '-y', # yes\n  's',\n]\n",
        "opencode" => {
            "{\n  // mine\n  \"mcp\": {\"github\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"s\"]}},\n}\n"
        }
        "vscode" => {
            "{\n\t\"servers\": {\n\t\t\"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]}\n\t}\n}"
        }
        "continue" => {
            "# mine\nname: Local\nmcpServers:\n  - name: github # it\n    command: npx\n    args:\n      - -y # yes\n      - s\n"
        }
        _ => {
            "\u{feff}{\r\n  \"mcpServers\": {\r\n    // mine\r\n    \"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]},\r\n  }\r\n}\r\n"
        }
    }
}

#[test]
fn entries_of_every_client_are_written_and_wrapped() {
    let workspace = Workspace::new();
    for (client, _) in CLIENTS {
        let (path, text) = (config_path(&workspace, client), file_with_other_server(client));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let config = |arguments: &[&str]| {
            let output = run(&workspace, &[&["config", client], arguments].concat());
            assert_eq!(code(&output), 0, "{client} {arguments:?}: {}", stderr(&output));
            fs::read_to_string(&path).unwrap()
        };
        let wrapped = config(&["--max-bytes", "20KB", "--wrap", "github", "--write"]);
        let own = config(&["--root", ".", "--write"]);
        assert!(
            wrapped.contains("20KB") && own.contains("20KB") && own.contains("mine") == text.contains("mine")
        );
        let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
        for part in [" has other servers: wrapped github\n", " starts ", " with valid flags\n"] {
            assert!(
                report.contains(&format!(
                    "{}{part}",
                    if part.starts_with(" with") { "" } else { path.to_str().unwrap() }
                )),
                "{client}: {part} is not in {report}"
            );
        }
        let unwrapped = config(&["--unwrap", "github", "--write"]);
        assert!(!unwrapped.contains("20KB"), "{unwrapped}");
        // The wrapped file without the entry of cutline is restored byte for byte.
        fs::write(&path, &wrapped).unwrap();
        assert_eq!(config(&["--unwrap", "github", "--write"]), text, "{client}");
    }
}

#[test]
fn entry_is_wrapped_in_its_position() {
    let workspace = Workspace::with(&json!({".mcp.json": "{}\n"}));
    let own = workspace.home().join(".claude.json");
    let project = workspace.root().to_str().unwrap();
    let text = json!({"projects": {project: {"mcpServers": {"github": {"command": "npx"}}}}}).to_string();
    fs::write(&own, &text).unwrap();
    let config = |change: &str| run(&workspace, &["config", "claude-code", change, "github", "--write"]);
    assert_eq!(code(&config("--wrap")), 0, "{}", stderr(&config("--wrap")));
    assert!(fs::read_to_string(&own).unwrap().contains("\"wrap\""));
    assert_eq!(code(&config("--unwrap")), 0);
    assert_eq!(fs::read_to_string(&own).unwrap(), text);
    // An unquoted command would be parsed differently inside the list of arguments, so the entry is refused.
    let yaml = "mcpServers:\n  - name: github\n    command: a, b\n    args: []\n";
    workspace.write("x.yaml", yaml);
    let output = run(&workspace, &["config", "continue", "--file", "x.yaml", "--wrap", "github", "--write"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("put its command in quotes"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(workspace.path("x.yaml")).unwrap(), yaml);
}

#[test]
fn entry_of_another_server_is_wrapped_and_unwrapped() {
    let text = "{\n  \"mcpServers\": {\n    // mine\n    \"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]},\n    \"far\": {\"url\": \"https://far\"}\n  }\n}\n";
    let workspace = Workspace::with(&json!({".mcp.json": text}));
    let config = |arguments: &[&str]| {
        let output = run(&workspace, &[&["config", "claude-code"], arguments].concat());
        (code(&output), stdout(&output), stderr(&output))
    };
    let now = || fs::read_to_string(workspace.path(".mcp.json")).unwrap();
    let (status, printed, message) =
        config(&["--max-bytes", "20KB", "--keep-for", "run_*=tail", "--wrap", "github"]);
    assert!(status == 0 && now() == text, "{message}");
    let entry: Value = serde_json::from_str(&printed).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    let args = json!(["wrap", "--max-bytes", "20KB", "--keep-for", "run_*=tail", "--", "npx", "-y", "s"]);
    assert_eq!(entry, json!({"command": binary, "args": args}));
    let (status, _, message) = config(&["--wrap", "github", "--write"]);
    assert!(status == 0 && message.contains("github in") && message.contains("is wrapped now"), "{message}");
    assert!(now().contains("\"wrap\", \"--\", \"npx\"") && now().contains("// mine"), "{}", now());
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert!(report.contains(".mcp.json has other servers: wrapped github\n"), "{report}");
    let (status, _, message) = config(&["--wrap", "github", "--write"]);
    assert!(status == 0 && message.contains("is already wrapped like this"), "{message}");
    assert_eq!(config(&["--unwrap", "github", "--write"]).0, 0);
    assert_eq!(now(), text);
    let (status, _, message) = config(&["--unwrap", "github", "--write"]);
    assert!(status == 0 && message.contains("github in") && message.contains("is not wrapped"), "{message}");
    let (status, printed, message) = config(&["--unwrap", "far"]);
    assert!(
        status == 0 && printed.contains("https://far") && message.contains("far is not wrapped"),
        "{message}"
    );
    let (status, _, message) = config(&["--unwrap", "far", "--write"]);
    assert!(status == 0 && message.contains("far in") && message.contains("is not wrapped"), "{message}");
    // Values that look like flags are joined with their flag.
    let (status, printed, message) = config(&["--hint=- page it", "--keep-for=-x=tail", "--wrap", "github"]);
    assert!(status == 0, "{message}");
    let entry: Value = serde_json::from_str(&printed).unwrap();
    let args = json!(["wrap", "--keep-for=-x=tail", "--hint=- page it", "--", "npx", "-y", "s"]);
    assert_eq!(entry["args"], args);
    let (status, printed, message) = config(&["--hint=--", "--wrap", "github"]);
    assert!(status == 0 && printed.contains("\"--hint=--\", \"--\", \"npx\""), "{printed}{message}");
    for (arguments, status, why) in [
        (&["--wrap", "gone"][..], 2, "has no entry gone; it has github, far"),
        (&["--wrap", "far", "--write"], 1, "npx mcp-remote https://far"),
        (&["--root", ".", "--tools", "ls", "--wrap", "github"], 2, "wrap does not take --root, --tools"),
        (&["--keep", "tail"], 2, "--keep is for --wrap"),
        (&["--wrap", "a", "--unwrap", "b"], 2, "cannot be used with"),
    ] {
        let (found, _, message) = config(arguments);
        assert!(found == status && message.contains(why), "{arguments:?}: {message}");
    }
    assert_eq!(now(), text);
}

#[test]
fn wrapped_entry_in_the_file_of_an_argument_is_printed() {
    let entry = json!({"command": "npx", "args": ["s"]});
    let text = json!({"mcpServers": {"github": entry}}).to_string();
    let workspace = Workspace::with(&json!({"x.json": text}));
    for (client, arguments) in [("cursor", &["--file", "x.json"][..]), ("claude-desktop", &["--file=x.json"])]
    {
        let print =
            |change: &str| run(&workspace, &[&["config", client, change, "github"], arguments].concat());
        let output = print("--wrap");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let args = json!(["wrap", "--", "npx", "s"]);
        assert_eq!(printed, json!({"command": env!("CARGO_BIN_EXE_cutline"), "args": args}));
        assert_eq!(serde_json::from_str::<Value>(&stdout(&print("--unwrap"))).unwrap(), entry);
    }
    assert_eq!(fs::read_to_string(workspace.path("x.json")).unwrap(), text);
}

#[test]
fn wrap_with_a_renamed_binary_is_refused() {
    let server = json!({"mcpServers": {"other": {"command": "x", "args": []}}}).to_string();
    let workspace = Workspace::with(&json!({".cursor/mcp.json": server}));
    let copy = workspace.path("cutline-0.1.0");
    // Another process makes the copy: a process that has a file open for writing cannot run it.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_cutline")).arg(&copy).status().unwrap();
    assert!(copied.success());
    let mut command = Command::new(copy);
    command.args(["config", "cursor", "--wrap", "other", "--write"]).current_dir(workspace.root());
    let output = command.env("HOME", workspace.home()).output().unwrap();
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("recognised by the name of its program, cutline"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap(), server);
}
