//! `cutline config`: what is printed for a client, and what becomes of the client's own file.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::{code, run, stderr, stdout};
use crate::support::{Start, Workspace};

/// The clients whose files are JSON, and what holds the servers in each.
const JSON_CLIENTS: [(&str, &str); 4] = [
    ("claude-desktop", "mcpServers"),
    ("claude-code", "mcpServers"),
    ("cursor", "mcpServers"),
    ("vscode", "servers"),
];

#[test]
fn json_entry_printed() {
    let workspace = Workspace::new();
    for (client, servers) in JSON_CLIENTS {
        let output = run(&workspace, &["config", client, "--root", "sub dir", "--max-bytes", "50KB"]);
        let entry: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(code(&output), 0);
        let server = &entry[servers]["cutline"];
        assert_eq!(server["command"], env!("CARGO_BIN_EXE_cutline"), "{client}: {entry}");
        let root = workspace.path("sub dir");
        assert_eq!(server["args"], json!(["--root", root, "--max-bytes", "50KB"]), "{client}");
    }
}

#[test]
fn codex_entry_printed() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["config", "codex", "--structured", "--root", "quo\"te"]);
    let entry: DocumentMut = stdout(&output).parse().unwrap();
    let server = &entry["mcp_servers"]["cutline"];
    assert_eq!(server["command"].as_str(), Some(env!("CARGO_BIN_EXE_cutline")));
    let args: Vec<_> = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    assert_eq!(args, ["--root", workspace.path("quo\"te").to_str().unwrap(), "--structured"]);
}

/// The client's own file, where it is in this workspace.
fn place(workspace: &Workspace, client: &str) -> std::path::PathBuf {
    match client {
        "claude-desktop" => workspace.home().join(".config/Claude/claude_desktop_config.json"),
        "claude-code" => workspace.path(".mcp.json"),
        "cursor" => workspace.path(".cursor/mcp.json"),
        "vscode" => workspace.path(".vscode/mcp.json"),
        _ => workspace.home().join(".codex/config.toml"),
    }
}

#[test]
fn new_file_holds_printed_entry() {
    let workspace = Workspace::new();
    for client in JSON_CLIENTS.iter().map(|(client, _)| *client).chain(["codex"]) {
        let printed = stdout(&run(&workspace, &["config", client, "--root", "."]));
        let output = run(&workspace, &["config", client, "--root", ".", "--write"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
        let path = place(&workspace, client);
        assert!(stderr(&output).contains(path.to_str().unwrap()), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), printed, "{client}");
        // Once more there is nothing to do, and nothing is done.
        let output = run(&workspace, &["config", client, "--root", ".", "--write"]);
        assert!(stderr(&output).contains("already"), "{}", stderr(&output));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().flatten().filter(is_backup).count(), 0);
    }
}

fn is_backup(entry: &fs::DirEntry) -> bool {
    entry.path().to_string_lossy().contains(".bak")
}

#[test]
fn written_entry_starts_server() {
    let workspace = Workspace::new();
    run(&workspace, &["config", "claude-code", "--root", ".", "--tools", "read,ls", "--write"]);
    let file: Value = serde_json::from_slice(&fs::read(workspace.path(".mcp.json")).unwrap()).unwrap();
    let server = &file["mcpServers"]["cutline"];
    let args = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let mut command = Command::new(server["command"].as_str().unwrap());
    command.args(args).env("CUTLINE_SPILL_DIR", workspace.saved_dir()).stdin(Stdio::null());
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}

#[test]
fn rest_of_file_and_copy_kept() {
    let before =
        "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}},\n  \"theme\": \"dark\",\n}\n";
    let workspace = Workspace::with(&json!({".cursor/real.json": before}));
    let (real, link) = (workspace.path(".cursor/real.json"), workspace.path(".cursor/mcp.json"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.json", &link).unwrap();
    for (n, flag) in [("bak", "--structured"), ("bak2", "--allow-outside")] {
        let was = fs::read_to_string(&real).unwrap();
        let output = run(&workspace, &["config", "cursor", flag, "--write"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let backup = workspace.path(format!(".cursor/real.json.{n}"));
        assert!(stderr(&output).contains(backup.to_str().unwrap()), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&backup).unwrap(), was);
        let now = fs::read_to_string(&real).unwrap();
        for part in ["// mine", "\"other\": {\"command\": \"x\"}", "\"theme\": \"dark\",\n}\n", flag] {
            assert!(now.contains(part), "{part} is not in {now}");
        }
        for path in [&real, &backup] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640, "{path:?}");
        }
    }
    assert!(link.is_symlink());
}

#[test]
fn invalid_file_left_unchanged() {
    for (client, text) in [
        ("claude-code", "{\"mcpServers\": {"),
        ("vscode", "[1, 2]"),
        ("cursor", "{\"mcpServers\": \"none\"}"),
        ("codex", "[mcp_servers"),
    ] {
        let workspace = Workspace::new();
        let path = place(&workspace, client);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let output = run(&workspace, &["config", client, "--write"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""), "{client}");
        assert!(stderr(&output).contains("was left as it is"), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().flatten().filter(is_backup).count(), 0);
    }
}

#[test]
fn concurrent_writes_both_kept() {
    let workspace = Workspace::with(&json!({"settings.json": "{\"keep\": 1}\n"}));
    let start = |client: &str| {
        let start = Start::new(&workspace).flags(["config", client, "--write", "--file", "settings.json"]);
        start.command().stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for _ in 0..10 {
        workspace.write("settings.json", "{\"keep\": 1}\n");
        for mut child in [start("cursor"), start("vscode")] {
            assert!(child.wait().unwrap().success());
        }
        let file: Value =
            serde_json::from_slice(&fs::read(workspace.path("settings.json")).unwrap()).unwrap();
        for holder in ["mcpServers", "servers"] {
            assert!(file[holder]["cutline"].is_object(), "{holder} is not in {file}");
        }
        assert_eq!(file["keep"], 1);
    }
}

#[test]
fn owner_and_links_kept() {
    let workspace = Workspace::with(&json!({"settings.json": "{}\n", "linked.json": "{}\n"}));
    let path = workspace.path("settings.json");
    if rustix::process::geteuid().is_root() {
        chown(&path, Some(1234), Some(1234)).unwrap();
        let output = run(&workspace, &["config", "cursor", "--write", "--file", "settings.json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        for path in [&path, &workspace.path("settings.json.bak")] {
            let metadata = fs::metadata(path).unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (1234, 1234), "{path:?}");
        }
    }
    fs::hard_link(workspace.path("linked.json"), workspace.path("other-name")).unwrap();
    let output = run(&workspace, &["config", "cursor", "--write", "--file", "linked.json"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("hard links"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(workspace.path("other-name")).unwrap(), "{}\n");
}

#[test]
fn file_flag_and_homes_followed() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["config", "claude-code", "--write", "--file", "deep/er/settings.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(workspace.path("deep/er/settings.json").exists());
    for (client, variable, file) in [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude-desktop", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
    ] {
        let start = Start::new(&workspace).env(variable, "<root>/home").flags(["config", client, "--write"]);
        let output = start.command().stdin(Stdio::null()).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(workspace.path(Path::new("home").join(file)).exists(), "{}", stderr(&output));
    }
    assert_eq!(code(&run(&workspace, &["config", "codex", "--file", "x"])), 2);
}

#[test]
fn another_servers_entry_is_wrapped_and_unwrapped() {
    let text = "{\n  \"mcpServers\": {\n    // mine\n    \"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]},\n    \"far\": {\"url\": \"https://far\"}\n  }\n}\n";
    let workspace = Workspace::with(&json!({".mcp.json": text}));
    let say = |words: &[&str]| {
        let output = run(&workspace, &[&["config", "claude-code"], words].concat());
        (code(&output), stdout(&output), stderr(&output))
    };
    let now = || fs::read_to_string(workspace.path(".mcp.json")).unwrap();
    let (status, printed, said) =
        say(&["--max-bytes", "20KB", "--keep-for", "run_*=tail", "--wrap", "github"]);
    assert!(status == 0 && now() == text, "{said}");
    let entry: Value = serde_json::from_str(&printed).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    let args = json!(["wrap", "--max-bytes", "20KB", "--keep-for", "run_*=tail", "--", "npx", "-y", "s"]);
    assert_eq!(entry, json!({"command": binary, "args": args}));
    let (status, _, said) = say(&["--wrap", "github", "--write"]);
    assert!(status == 0 && said.contains("github in") && said.contains("is wrapped now"), "{said}");
    assert!(now().contains("\"wrap\", \"--\", \"npx\"") && now().contains("// mine"), "{}", now());
    let said = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert!(said.contains(".mcp.json has other servers: wrapped github\n"), "{said}");
    let (status, _, said) = say(&["--wrap", "github", "--write"]);
    assert!(status == 0 && said.contains("is wrapped so already"), "{said}");
    assert_eq!(say(&["--unwrap", "github", "--write"]).0, 0);
    assert_eq!(now(), text);
    let (status, _, said) = say(&["--unwrap", "github", "--write"]);
    assert!(status == 0 && said.contains("github in") && said.contains("is not wrapped"), "{said}");
    for (words, status, why) in [
        (&["--wrap", "gone"][..], 2, "has no entry gone; it has github, far"),
        (&["--wrap", "far", "--write"], 1, "npx mcp-remote https://far"),
        (&["--root", ".", "--tools", "ls", "--wrap", "github"], 2, "a wrap does not take --root, --tools"),
        (&["--keep", "tail"], 2, "--keep is for --wrap"),
        (&["--wrap", "a", "--unwrap", "b"], 2, "cannot be used with"),
    ] {
        let (found, _, said) = say(words);
        assert!(found == status && said.contains(why), "{words:?}: {said}");
    }
    assert_eq!(now(), text);
}
