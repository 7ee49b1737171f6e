//! `cutline config`: the printed entry for a client, and the changes to the file of the client.

mod removed;
mod wrapped;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::{code, run, stderr, stdout};
use crate::support::{Start, Workspace};

/// The clients, each with the key of the servers in its file.
const CLIENTS: [(&str, &str); 10] = [
    ("claude-desktop", "mcpServers"),
    ("claude-code", "mcpServers"),
    ("cursor", "mcpServers"),
    ("vscode", "servers"),
    ("codex", "mcp_servers"),
    ("opencode", "mcp"),
    ("gemini", "mcpServers"),
    ("qwen", "mcpServers"),
    ("cline", "mcpServers"),
    ("continue", "mcpServers"),
];

/// Returns the command and arguments of the entry for a client.
fn started(client: &str, servers: &str, text: &str) -> Vec<String> {
    let strings = |list: &Value| {
        list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let server = match client {
        "codex" => {
            let file: DocumentMut = text.parse().unwrap();
            let server = &file[servers]["cutline"];
            let args = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
            json!({"command": server["command"].as_str(), "args": args.collect::<Vec<_>>()})
        }
        // The values that cutline writes to YAML are also JSON.
        "continue" => {
            let value = |name: &str| {
                let line = text.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap();
                serde_json::from_str::<Value>(line).unwrap()
            };
            json!({"command": value("command:"), "args": value("args:")})
        }
        _ => serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{client}: {error}"))[servers]
            ["cutline"]
            .take(),
    };
    match &server["command"] {
        list @ Value::Array(_) => strings(list),
        command => [vec![command.as_str().unwrap().to_owned()], strings(&server["args"])].concat(),
    }
}

#[test]
fn entry_is_printed() {
    let workspace = Workspace::new();
    for (client, servers) in CLIENTS {
        let output = run(&workspace, &["config", client, "--root", "quo\"te d", "--max-bytes", "50KB"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let arguments = started(client, servers, &stdout(&output));
        let root = workspace.path("quo\"te d");
        let expected =
            [env!("CARGO_BIN_EXE_cutline"), "--root", root.to_str().unwrap(), "--max-bytes", "50KB"];
        assert_eq!(arguments[..5], expected, "{client}");
        assert!(!arguments[5..].contains(&"--max-bytes".to_owned()), "{client}: {arguments:?}");
    }
}

/// Returns the default path of the configuration file of a client.
fn config_path(workspace: &Workspace, client: &str) -> std::path::PathBuf {
    match client {
        "claude-desktop" => workspace.home().join(".config/Claude/claude_desktop_config.json"),
        "claude-code" => workspace.path(".mcp.json"),
        "cursor" => workspace.path(".cursor/mcp.json"),
        "vscode" => workspace.path(".vscode/mcp.json"),
        "codex" => workspace.home().join(".codex/config.toml"),
        "opencode" => workspace.path("opencode.json"),
        "gemini" => workspace.path(".gemini/settings.json"),
        "qwen" => workspace.path(".qwen/settings.json"),
        "cline" => workspace.home().join(".cline/data/settings/cline_mcp_settings.json"),
        "continue" => workspace.home().join(".continue/config.yaml"),
        other => panic!("{other}"),
    }
}

#[test]
fn new_file_contains_the_printed_entry() {
    let workspace = Workspace::new();
    for (client, _) in CLIENTS {
        let printed = stdout(&run(&workspace, &["config", client, "--root", "."]));
        let output = run(&workspace, &["config", client, "--root", ".", "--write"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
        let path = config_path(&workspace, client);
        assert!(stderr(&output).contains(path.to_str().unwrap()), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), printed, "{client}");
        // A second run changes nothing.
        let output = run(&workspace, &["config", client, "--root", ".", "--write"]);
        assert!(stderr(&output).contains("already"), "{}", stderr(&output));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().flatten().filter(is_backup).count(), 0);
    }
}

fn is_backup(entry: &fs::DirEntry) -> bool {
    entry.path().to_string_lossy().contains(".bak")
}

#[test]
fn written_entry_starts_a_server() {
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
fn rest_of_the_file_is_preserved_and_backed_up() {
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
fn invalid_file_is_not_changed() {
    for (client, text) in [
        ("claude-code", "{\"mcpServers\": {"),
        ("vscode", "[1, 2]"),
        ("cursor", "{\"mcpServers\": \"none\"}"),
        ("codex", "[mcp_servers"),
        ("opencode", "{\"mcp\": {\"cutline\": {\"command\": \"x y\"}}}"),
        ("gemini", "{} {}"),
        ("cline", "null"),
        ("continue", "mcpServers:\n  cutline: {}\n"),
        ("continue", "a: [1\n"),
    ] {
        let workspace = Workspace::new();
        let path = config_path(&workspace, client);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let output = run(&workspace, &["config", client, "--write"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""), "{client}");
        assert!(stderr(&output).contains("was not changed"), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().flatten().filter(is_backup).count(), 0);
    }
}

/// The message about a disabled entry refers to the written text, not to a later change by another program.
#[cfg(target_os = "linux")]
#[test]
fn complete_file_is_read_once() {
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
    use std::mem::MaybeUninit;

    let workspace = Workspace::new();
    run(&workspace, &["config", "cursor", "--write"]);
    let file = workspace.path(".cursor/mcp.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"command\"", "\"disabled\": true, \"command\"", 1)).unwrap();
    let events = init(CreateFlags::NONBLOCK).unwrap();
    add_watch(&events, &file, WatchFlags::OPEN | WatchFlags::CLOSE).unwrap();
    let message = stderr(&run(&workspace, &["config", "cursor", "--write"]));
    assert!(message.ends_with("It is switched off there: disabled is true\n"), "{message}");
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = Reader::new(&events, &mut buffer);
    let mut opened = 0;
    while let Ok(event) = events.next() {
        opened += u32::from(event.events().contains(ReadFlags::OPEN));
    }
    assert_eq!(opened, 1, "{message}");
}

#[test]
fn refused_change_creates_no_folder() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["config", "cursor", "--wrap", "github", "--write"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("has no entry github"), "{}", stderr(&output));
    assert!(!workspace.path(".cursor").exists());
}

#[test]
fn owner_and_links_are_preserved() {
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
    assert!(!workspace.path("linked.json.bak").exists());
    // An existing name is skipped. The target of its link stays unchanged.
    fs::remove_file(workspace.path("other-name")).unwrap();
    symlink("elsewhere", workspace.path("linked.json.bak")).unwrap();
    let output = run(&workspace, &["config", "cursor", "--write", "--file", "linked.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(fs::read_to_string(workspace.path("linked.json.bak2")).unwrap(), "{}\n");
    assert!(!workspace.path("elsewhere").exists());
    assert_eq!(fs::metadata(workspace.path("linked.json")).unwrap().nlink(), 1);
}

#[test]
fn links_out_of_the_project_are_refused() {
    for (link, target) in [(".cursor", "elsewhere"), (".cursor/mcp.json", "elsewhere/mcp.json")] {
        for text in [None, Some("{\"mcpServers\": {\"github\": {\"command\": \"npx\"}}}\n")] {
            let workspace = Workspace::new();
            let elsewhere = workspace.base().join("elsewhere");
            fs::create_dir_all(&elsewhere).unwrap();
            if let Some(text) = text {
                fs::write(elsewhere.join("mcp.json"), text).unwrap();
            } else if link.ends_with("json") {
                continue;
            }
            let link = workspace.path(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(workspace.base().join(target), &link).unwrap();
            let mut changes = vec![vec![], vec!["--scope", "project"]];
            changes.extend(text.map(|_| vec!["--wrap", "github"]));
            for change in changes {
                let output = run(&workspace, &[&["config", "cursor", "--write"], &*change].concat());
                assert_eq!(code(&output), 1, "{change:?}: {}", stderr(&output));
                let end = elsewhere.join("mcp.json");
                for part in
                    ["was not changed: a link leads from it out of the project", end.to_str().unwrap()]
                {
                    assert!(stderr(&output).contains(part), "{}", stderr(&output));
                }
                assert_eq!(fs::read_to_string(&end).ok().as_deref(), text);
                assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), usize::from(text.is_some()));
            }
            // With an explicit `--file`, the link is followed.
            let output = run(&workspace, &["config", "cursor", "--write", "--file", ".cursor/mcp.json"]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert!(elsewhere.join("mcp.json").exists());
        }
    }
}

#[test]
fn file_flag_and_home_variables_select_the_file() {
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
    let output = run(&workspace, &["config", "codex", "--file", "x"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("[mcp_servers.cutline]") && !workspace.path("x").exists());
}

#[test]
fn scopes_have_separate_files() {
    let workspace = Workspace::with(&json!({".git": {"dir": true}, "sub": {"dir": true}}));
    let root = workspace.root().to_str().unwrap().to_owned();
    let home = workspace.home();
    for (client, scope, path) in [
        ("claude-code", "user", home.join(".claude.json")),
        ("claude-code", "local", home.join(".claude.json")),
        ("cursor", "user", home.join(".cursor/mcp.json")),
        ("vscode", "user", home.join(".config/Code/User/mcp.json")),
        ("codex", "project", workspace.path(".codex/config.toml")),
        ("opencode", "user", home.join(".config/opencode/opencode.json")),
        ("gemini", "user", home.join(".gemini/settings.json")),
        ("qwen", "user", home.join(".qwen/settings.json")),
        ("continue", "project", workspace.path(".continue/mcpServers/cutline.yaml")),
    ] {
        let output = run(&workspace, &["config", client, "--scope", scope, "--root", ".", "--write"]);
        assert_eq!(code(&output), 0, "{client}: {}", stderr(&output));
        assert!(stderr(&output).contains(path.to_str().unwrap()), "{client}: {}", stderr(&output));
        assert!(fs::read_to_string(&path).unwrap().contains(env!("CARGO_BIN_EXE_cutline")), "{client}");
    }
    let own: Value = serde_json::from_slice(&fs::read(home.join(".claude.json")).unwrap()).unwrap();
    assert!(own["mcpServers"]["cutline"].is_object(), "{own}");
    assert!(own["projects"][&root]["mcpServers"]["cutline"].is_object(), "{own}");
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    for part in [
        format!("{}/.claude.json (this project) starts ", home.display()),
        format!("{}/.claude.json starts ", home.display()),
    ] {
        assert!(report.contains(&part), "{part} is not in {report}");
    }
    for (client, scope) in [("cline", "project"), ("cursor", "local"), ("claude-desktop", "project")] {
        let output = run(&workspace, &["config", client, "--scope", scope, "--write"]);
        assert_eq!(code(&output), 2, "{client}");
        assert!(
            stderr(&output).contains(&format!("has no {scope} scope; it has user")) || client == "cursor"
        );
    }
}

#[test]
fn existing_file_gets_the_entry() {
    let workspace = Workspace::with(&json!({
        "opencode.jsonc": "{\n  // mine\n}\n",
        "../home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": "{}\n",
    }));
    for (client, path) in [
        ("opencode", workspace.path("opencode.jsonc")),
        (
            "cline",
            workspace.home().join(
                ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
        ),
    ] {
        let output = run(&workspace, &["config", client, "--write"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(fs::read_to_string(&path).unwrap().contains("cutline\""), "{client}");
        assert!(!config_path(&workspace, client).exists(), "{client}");
    }
    // If both programs of Cline have a file, both files get the entry.
    let own = config_path(&workspace, "cline");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "{}\n").unwrap();
    let output = run(&workspace, &["config", "cline", "--root", ".", "--write"]);
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
    assert!(fs::read_to_string(&own).unwrap().contains("--root"));
}

#[test]
fn folder_without_write_permission_is_not_changed() {
    let workspace = Workspace::with(&json!({".cursor/mcp.json": "{}\n"}));
    let folder = workspace.path(".cursor");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let start = Start::new(&workspace).unprivileged().flags(["config", "cursor", "--write"]);
    let output = start.command().stdin(Stdio::null()).output().unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("was not changed"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(folder.join("mcp.json")).unwrap(), "{}\n");
}

#[test]
fn claude_desktop_gets_a_root_and_a_timeout() {
    let workspace = Workspace::new();
    let args = |flags: &[&str]| {
        let output = run(&workspace, &[&["config", "claude-desktop"], flags].concat());
        let file: Value = serde_json::from_str(&stdout(&output)).unwrap();
        file["mcpServers"]["cutline"]["args"].clone()
    };
    let root = workspace.root();
    let message = stderr(&run(&workspace, &["config", "claude-desktop"]));
    assert!(message.ends_with(&format!("gets the current folder, {}\n", root.display())), "{message}");
    assert_eq!(args(&[]), json!(["--root", root, "--bash-max-timeout", "200"]));
    assert_eq!(args(&["--root", "x"]), json!(["--root", workspace.path("x"), "--bash-max-timeout", "200"]));
    let own = ["--bash-timeout", "300"];
    assert_eq!(args(&own), json!(["--bash-timeout", "300", "--root", root]));
    assert_eq!(args(&["--bash-max-timeout", "90"]), json!(["--bash-max-timeout", "90", "--root", root]));
}
