//! `cutline config`: the entry of each client, and the changes to the files of the clients.
//!
//! `fixtures/config/clients.json` has the entry of each client, `cases.json` files before and after a change.

mod files;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::{code, run, stderr, stdout};
use crate::support::{Start, Workspace};

const BIN: &str = env!("CARGO_BIN_EXE_cutline");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config").join(name)
}

/// A client of the table, with the paths of a workspace.
pub(super) struct Client {
    pub(super) id: String,
    pub(super) file: PathBuf,
    servers: String,
    entry: Value,
}

/// Returns all clients of `cutline config`.
pub(super) fn clients(workspace: &Workspace) -> Vec<Client> {
    let (root, home) = (workspace.root().display().to_string(), workspace.home().display().to_string());
    let table = fs::read_to_string(fixture("clients.json")).unwrap();
    let table: Value =
        serde_json::from_str(&table.replace("<bin>", BIN).replace("<root>", &root).replace("<home>", &home))
            .unwrap();
    let overview = stdout(&run(workspace, &["config"]));
    let lines = overview.lines().skip_while(|line| !line.starts_with("Clients")).skip(1);
    let ids: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ids.len() >= 10, "{overview}");
    let client = |id: &str| {
        let row = table.get(id).unwrap_or_else(|| panic!("clients.json has no {id}"));
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let (file, servers) = (text("file").into(), text("servers"));
        Client { id: id.to_owned(), file, servers, entry: row["entry"].clone() }
    };
    ids.into_iter().map(client).collect()
}

impl Client {
    /// Returns the entry `name` in a text of the client's file.
    fn entry_in(&self, text: &str, name: &str) -> Value {
        let file: Value = if self.id == "codex" {
            toml_edit::de::from_document(text.parse::<DocumentMut>().unwrap()).unwrap()
        } else {
            let plain: Vec<&str> = text.lines().filter(|line| !line.trim().starts_with("//")).collect();
            let plain = plain.concat().replace(",  }", "}").replace(",}", "}");
            serde_json::from_str(plain.trim_start_matches('\u{feff}'))
                .unwrap_or_else(|e| panic!("{e}: {text}"))
        };
        let servers = &file[&self.servers];
        if servers.is_array() { servers[0].clone() } else { servers[name].clone() }
    }

    /// Returns a file with another server, or `None` if cutline does not edit such files.
    fn file_with_other_server(&self) -> Option<&'static str> {
        Some(match self.id.as_str() {
            "codex" => {
                "# mine\ntool_output_token_limit = 9000\n\n[mcp_servers.github]\ncommand = \"npx\" # it\nargs = [\"-y\", \"s\"]\n"
            }
            "opencode" => {
                "{\n  // mine\n  \"mcp\": {\n    \"github\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"s\"]}\n  }\n}\n"
            }
            "vscode" => {
                "{\n\t\"servers\": {\n\t\t\"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]}\n\t}\n}\n"
            }
            "continue" => return None,
            _ => {
                "\u{feff}{\r\n  \"mcpServers\": {\r\n    // mine\r\n    \"github\": {\"command\": \"npx\", \"args\": [\"-y\", \"s\"]},\r\n  }\r\n}\r\n"
            }
        })
    }
}

/// Runs `cutline config CLIENT`. Returns stderr.
#[track_caller]
fn config(workspace: &Workspace, client: &str, arguments: &[&str]) -> String {
    let output = run(workspace, &[&["config", client], arguments].concat());
    assert_eq!(code(&output), 0, "{client} {arguments:?}: {}", stderr(&output));
    stderr(&output)
}

/// Runs the binary with the folder of `cutline` on `PATH`.
fn run_on_path(workspace: &Workspace, arguments: &[&str]) -> Output {
    let bin = Path::new(BIN).parent().unwrap().display();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let start = Start::new(workspace).env("PATH", &path).flags(arguments);
    start.command().stdin(Stdio::null()).output().unwrap()
}

/// Returns the backups in a folder.
fn backups(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.to_string_lossy().contains(".bak")).collect()
}

#[test]
fn new_entry_of_each_client_is_written_changed_and_removed() {
    let workspace = Workspace::new();
    for client in clients(&workspace) {
        let (id, file) = (client.id.as_str(), &client.file);
        let config = |arguments: &[&str]| config(&workspace, id, arguments);
        let printed = stdout(&run(&workspace, &["config", id, "--root", "."]));
        assert_eq!(client.entry_in(&printed, "cutline"), client.entry, "{id}: {printed}");
        let message = config(&["--root", ".", "--write"]);
        assert!(
            message.contains(&format!("{}: cutline is written to a new file", file.display())),
            "{message}"
        );
        let now = || client.entry_in(&fs::read_to_string(file).unwrap(), "cutline");
        assert_eq!(now(), client.entry, "{id}");
        assert!(config(&["--root", ".", "--write"]).contains("cutline is unchanged"), "{id}");
        // Flags that are given change, the others stay.
        config(&["--sandbox", "workspace-write", "--tools", "read,ls", "--write"]);
        let message = config(&["--tools", "read", "--write"]);
        assert!(
            message.contains("removed: --tools read,ls\n") && !message.contains("sandbox"),
            "{id}: {message}"
        );
        let entry = now().to_string();
        for part in ["\"--root\"", "\"--sandbox\",\"workspace-write\"", "\"--tools\",\"read\""] {
            assert!(entry.contains(part), "{id}: {part} is not in {entry}");
        }
        let message = config(&["--replace", "--root", ".", "--write"]);
        for part in ["removed: --sandbox workspace-write\n", "removed: --tools read\n"] {
            assert!(message.contains(part), "{id}: {part} is not in {message}");
        }
        assert_eq!(now(), client.entry, "{id}");
        let message = config(&["--remove"]);
        assert!(message.contains(&format!("--write removes this from {}\n", file.display())), "{message}");
        let message = config(&["--remove", "--write"]);
        assert!(
            message.contains("cutline is removed; the file had nothing else, and is deleted"),
            "{message}"
        );
        assert!(!file.exists() && backups(file.parent().unwrap()).is_empty(), "{id}");
        assert!(config(&["--remove", "--write"]).contains("that applies here has an entry cutline"), "{id}");
    }
}

#[test]
fn file_of_each_client_keeps_the_rest() {
    let workspace = Workspace::new();
    for client in clients(&workspace) {
        let Some(text) = client.file_with_other_server() else { continue };
        let (id, file) = (client.id.as_str(), &client.file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        let now = || fs::read_to_string(file).unwrap();
        let backup = file.with_file_name(format!("{}.cutline.bak", file.file_name().unwrap().display()));
        let config = |arguments: &[&str]| {
            let (before, message) = (now(), config(&workspace, id, arguments));
            assert!(
                message.contains(&format!("; the old file is {}\n", backup.display())),
                "{id}: {message}"
            );
            assert_eq!(fs::read_to_string(&backup).unwrap(), before, "{id}");
            assert!(
                now().contains("mine") == text.contains("mine") && now().contains("npx"),
                "{id}: {}",
                now()
            );
            message
        };
        config(&["--root", ".", "--write"]);
        config(&["--max-bytes", "20KB", "--write"]);
        let message =
            config(&["--max-bytes", "10KB", "--keep", "tail", "--no-lean", "--wrap", "github", "--write"]);
        assert!(message.contains("github is wrapped"), "{message}");
        assert!(message.contains("added: --max-bytes 10KB\nadded: --keep tail\n"), "{message}");
        let message = config(&["--max-bytes", "9KB", "--wrap", "github", "--write"]);
        assert!(message.contains("removed: --max-bytes 10KB\n"), "{message}");
        let wrapped = client.entry_in(&now(), "github").to_string();
        let words =
            "\"wrap\",\"--max-bytes\",\"9KB\",\"--keep\",\"tail\",\"--\",\"npx\",\"-y\",\"s\"]".to_owned();
        let apart = words.replace("\"wrap\"", "[\"wrap\"");
        assert!(wrapped.contains(&words) || wrapped.contains(&apart), "{id}: {wrapped}");
        let message = config(&["--remove", "--write"]);
        assert!(
            message.contains("github there is still wrapped by cutline: --unwrap github --write"),
            "{message}"
        );
        config(&["--unwrap", "github", "--write"]);
        assert_eq!(now(), text, "{id}");
        let name = file.file_name().unwrap().to_str().unwrap();
        let copies = backups(file.parent().unwrap()).into_iter();
        assert_eq!(copies.filter(|path| path.to_string_lossy().contains(name)).count(), 1, "{id}");
    }
}

/// Compares the file after a change. `UPDATE_SNAPSHOTS` writes the fixtures.
#[test]
fn files_before_and_after_a_change() {
    let path = fixture("cases.json");
    let mut cases: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let mut changed = Vec::new();
    for case in cases.as_array_mut().unwrap() {
        let lines = |name: &str| {
            let lines: Vec<&str> =
                case[name].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
            lines.join("\n")
        };
        let (before, after) = (lines("before"), lines("after"));
        let (client, name) = (case["client"].as_str().unwrap(), case["name"].as_str().unwrap());
        let workspace = Workspace::new();
        let file = if client == "continue" { "cutline.yaml" } else { "file" };
        if !before.is_empty() {
            workspace.write(file, &before);
        }
        let flags = case["flags"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap());
        let arguments: Vec<&str> = flags.chain(["--file", file, "--write"]).collect();
        config(&workspace, client, &arguments);
        let now = fs::read_to_string(workspace.path(file)).unwrap();
        assert!(config(&workspace, client, &arguments).contains("unchanged"), "{client}, {name}: {now}");
        let now = now.replace(BIN, "<bin>");
        if now != after {
            changed.push(format!("{client}, {name}: expected\n{after}\nbut found\n{now}"));
        }
        case["after"] = now.split('\n').collect();
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, format!("{cases:#}\n")).unwrap();
        return;
    }
    assert!(changed.is_empty(), "{}", changed.join("\n\n"));
}

#[test]
fn written_entry_starts_a_server() {
    let workspace = Workspace::new();
    config(&workspace, "claude-code", &["--root", ".", "--tools", "read,ls", "--write"]);
    let file: Value = serde_json::from_slice(&fs::read(workspace.path(".mcp.json")).unwrap()).unwrap();
    let server = &file["mcpServers"]["cutline"];
    let args = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let mut command = Command::new(server["command"].as_str().unwrap());
    command.args(args).env("CUTLINE_SPILL_DIR", workspace.saved_dir()).stdin(Stdio::null());
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}

#[test]
fn shared_file_of_a_project_gets_a_portable_entry() {
    let workspace = Workspace::with(&json!({"sub": {"dir": true}}));
    let args = |arguments: &[&str]| {
        let output = run_on_path(&workspace, &[&["config", "claude-code", "--write"], arguments].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let file: Value = serde_json::from_slice(&fs::read(workspace.path(".mcp.json")).unwrap()).unwrap();
        let entry = &file["mcpServers"]["cutline"];
        (entry["command"].clone(), entry["args"].clone())
    };
    let portable = (json!("cutline"), json!(["--lean", "--root", ".", "--writable", "./sub"]));
    assert_eq!(args(&["--root", ".", "--writable", "sub"]), portable);
    assert_eq!(args(&[]), portable);
    // It stays, also without cutline on PATH.
    config(&workspace, "claude-code", &["--max-bytes", "9KB", "--write"]);
    let more = json!(["--lean", "--root", ".", "--writable", "./sub", "--max-bytes", "9KB"]);
    assert_eq!(args(&[]), (json!("cutline"), more));
    let own = (json!(BIN), json!(["--lean", "--root", workspace.root()]));
    assert_eq!(args(&["--replace", "--portable=false", "--root", "."]), own);
    // A file of one user has the absolute path.
    let output = run_on_path(&workspace, &["config", "cursor", "--scope", "user", "--root", "."]);
    assert!(stdout(&output).contains(BIN), "{}", stdout(&output));
    let output =
        run_on_path(&workspace, &["config", "cursor", "--scope", "user", "--root", ".", "--portable"]);
    assert!(
        stdout(&output).contains("\"cutline\"") && stdout(&output).contains("\".\""),
        "{}",
        stdout(&output)
    );
}

#[test]
fn new_entries_have_the_recommended_limits() {
    let workspace = Workspace::new();
    let args = |arguments: &[&str]| {
        let message = config(&workspace, "cursor", &[arguments, &["--write"]].concat());
        let file: Value =
            serde_json::from_slice(&fs::read(workspace.path(".cursor/mcp.json")).unwrap()).unwrap();
        (file["mcpServers"]["cutline"]["args"].clone(), message)
    };
    assert_eq!(args(&["--tools", "read"]).0, json!(["--lean", "--tools", "read"]));
    let (now, message) = args(&["--no-lean"]);
    assert_eq!(now, json!(["--tools", "read"]));
    assert!(message.contains("removed: --lean\n") && !message.contains("added"), "{message}");
    // An existing entry changes only as it is told.
    let (now, message) = args(&["--max-bytes", "9KB"]);
    assert_eq!(now, json!(["--tools", "read", "--max-bytes", "9KB"]));
    assert!(message.ends_with("is written\nadded: --max-bytes 9KB\n"), "{message}");
    assert_eq!(args(&["--lean"]).0, json!(["--tools", "read", "--max-bytes", "9KB", "--lean"]));
    let (now, message) = args(&["--unset", "max-bytes", "--unset", "tools"]);
    assert_eq!(now, json!(["--lean"]));
    assert!(message.contains("removed: --tools read\nremoved: --max-bytes 9KB\n"), "{message}");
    let refused = run(&workspace, &["config", "cursor", "--unset", "tools", "--write"]);
    assert!(stderr(&refused).ends_with("was not changed: the entry has no --tools\n"), "{refused:?}");
    args(&["--no-lean", "--tools", "read"]);
    let (now, message) = args(&["--replace"]);
    assert_eq!(now, json!(["--lean"]));
    assert!(message.contains("removed: --tools read\nadded: --lean\n"), "{message}");
    assert_eq!(args(&["--replace", "--no-lean"]).0, Value::Null);
}

#[test]
fn root_in_a_file_for_all_projects_is_reported() {
    let workspace = Workspace::new();
    for (client, hint) in [("codex", "; --scope project writes a file for one project"), ("cline", "")] {
        let message = config(&workspace, client, &["--root", ".", "--write"]);
        let root = workspace.root().display();
        let warning = format!("warning: in all projects, this entry works in {root}{hint}\n");
        assert!(message.contains(&warning), "{message}");
        let message = config(&workspace, client, &["--replace", "--write"]);
        assert!(!message.contains("warning"), "{message}");
    }
    let message = config(&workspace, "codex", &["--scope", "project", "--root", ".", "--write"]);
    assert!(!message.contains("warning"), "{message}");
}

#[test]
fn entry_in_use_for_the_project_is_changed() {
    let workspace = Workspace::new();
    config(&workspace, "claude-code", &["--scope", "local", "--root", ".", "--write"]);
    let message = config(&workspace, "claude-code", &["--max-bytes", "8KB", "--write"]);
    assert!(message.contains("(this project): cutline is written"), "{message}");
    assert!(!workspace.path(".mcp.json").exists());
    let entry = stdout(&run(&workspace, &["config", "claude-code"]));
    assert!(entry.contains("8KB") && entry.contains("--root"), "{entry}");
}

#[test]
fn invalid_flags_are_refused() {
    let workspace = Workspace::new();
    config(&workspace, "cursor", &["--bash-max-timeout", "200", "--write"]);
    let before = fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap();
    let output = run(&workspace, &["config", "cursor", "--bash-timeout", "300", "--write"]);
    let message = stderr(&output);
    assert!(
        code(&output) == 1 && message.contains("--bash-timeout 300 is above --bash-max-timeout 200"),
        "{message}"
    );
    assert!(
        message.contains("was not changed: with the flags of the entry, which stay without --replace: "),
        "{message}"
    );
    assert_eq!(fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap(), before);
    config(&workspace, "cursor", &["--replace", "--bash-timeout", "300", "--write"]);
    workspace.write(".cursor/mcp.json", before.replace("--bash-max-timeout", "--from-the-future"));
    let output = run(&workspace, &["config", "cursor", "--write"]);
    let message = stderr(&output);
    assert!(code(&output) == 1 && message.contains("--from-the-future is not a flag"), "{message}");
    let message = config(&workspace, "cursor", &["--replace", "--write"]);
    assert!(message.contains("--from-the-future 200\n"), "{message}");
    for (arguments, why) in [
        (&["--remove", "--wrap", "github"][..], "cannot be used with"),
        (&["--remove", "--root", "."], "--root cannot be used with --remove"),
        (&["--remove", "--keep", "tail"], "--keep is for --wrap"),
        (&["--root", ".", "--tools", "ls", "--wrap", "github"], "wrap does not take --root, --tools"),
        (&["--wrap", "gone"], "no file of Cursor that applies here has an entry gone"),
        (&["--wrap", "a", "--unwrap", "b"], "cannot be used with"),
    ] {
        let output = run(&workspace, &[&["config", "cursor"], arguments].concat());
        assert!(code(&output) == 2 && stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn continue_has_a_file_of_its_own() {
    let text = "# mine\nmodels: []\nmcpServers:\n  - name: github\n    command: npx\n";
    let workspace = Workspace::with(&json!({"../home/.continue/config.yaml": text}));
    let shared = workspace.home().join(".continue/config.yaml");
    let print = |arguments: &[&str]| {
        let output = run(&workspace, &[&["config", "continue"], arguments].concat());
        assert!(stderr(&output).contains("cutline does not edit YAML"), "{}", stderr(&output));
        (code(&output), stdout(&output))
    };
    let entry = format!(
        "mcpServers:\n  - {{\"name\":\"cutline\",\"command\":\"{BIN}\",\"args\":[\"--lean\",\"--root\",\"{}\"]}}\n",
        workspace.root().display()
    );
    assert_eq!(print(&["--scope", "user", "--root", "."]), (0, entry.clone()));
    assert_eq!(print(&["--scope", "user", "--root", ".", "--write"]), (1, entry));
    let (status, wrapped) = print(&["--no-lean", "--wrap", "github"]);
    assert!(status == 0 && wrapped.contains("\"args\":[\"wrap\",\"--\",\"COMMAND\"]"), "{wrapped}");
    assert_eq!(fs::read_to_string(&shared).unwrap(), text);
    // A file that cutline did not write is replaced only on request.
    let own = workspace.path(".continue/mcpServers/cutline.yaml");
    workspace.write(".continue/mcpServers/cutline.yaml", text);
    let output = run(&workspace, &["config", "continue", "--write"]);
    assert!(
        code(&output) == 1 && stderr(&output).contains("replace it with --replace"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&own).unwrap(), text);
    config(&workspace, "continue", &["--replace", "--write"]);
    assert_eq!(fs::read_to_string(own.with_extension("yaml.cutline.bak")).unwrap(), text);
}

#[test]
fn entry_in_other_yaml_is_removed_by_hand() {
    let text = "mcpServers:\n  - {\"name\":\"cutline\",\"command\":\"cutline\",\"args\":[\"--lean\"]}\n";
    let workspace = Workspace::with(&json!({"../home/.continue/config.yaml": text}));
    let output = run(&workspace, &["config", "continue", "--scope", "user", "--remove"]);
    assert!(stdout(&output).is_empty(), "{output:?}");
    assert!(stderr(&output).starts_with("Remove the entry cutline from "), "{output:?}");
}

#[test]
fn printed_entry_has_the_existing_setting_outside_of_it() {
    let settings = json!({"../home/.codex/config.toml": "tool_output_token_limit = 2000\n"});
    let printed = stdout(&run(&Workspace::with(&settings), &["config", "codex"]));
    assert!(printed.starts_with("tool_output_token_limit = 2000\n"), "{printed}");
}

#[test]
fn entry_is_wrapped_in_its_position() {
    let workspace = Workspace::with(&json!({".mcp.json": "{}\n"}));
    let own = workspace.home().join(".claude.json");
    let project = workspace.root().to_str().unwrap();
    let remote = json!({"url": "https://far"});
    let text = json!({"projects": {project: {"mcpServers": {"github": {"command": "npx"}, "far": remote}}}});
    let text = format!("{text:#}\n");
    fs::write(&own, &text).unwrap();
    config(&workspace, "claude-code", &["--no-lean", "--wrap", "github", "--write"]);
    let wrapped = fs::read_to_string(&own).unwrap();
    assert!(wrapped.contains("\"wrap\", \"--\", \"npx\""), "{wrapped}");
    let message = config(&workspace, "claude-code", &["--wrap", "github", "--write"]);
    assert!(message.contains("github is unchanged"), "{message}");
    config(&workspace, "claude-code", &["--unwrap", "github", "--write"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), text);
    assert!(config(&workspace, "claude-code", &["--unwrap", "far", "--write"]).contains("far is unchanged"));
    let output = run(&workspace, &["config", "claude-code", "--wrap", "far", "--write"]);
    assert!(
        code(&output) == 1 && stderr(&output).contains("npx mcp-remote https://far"),
        "{}",
        stderr(&output)
    );
    // Values that look like flags are joined with their flag.
    let flags = ["--hint=- page it", "--keep-for=-x=tail", "--no-lean", "--wrap", "github"];
    let printed = stdout(&run(&workspace, &[&["config", "claude-code"], &flags[..]].concat()));
    assert!(
        printed.contains("[\"wrap\", \"--hint=- page it\", \"--keep-for=-x=tail\", \"--\", \"npx\"]"),
        "{printed}"
    );
}

#[test]
fn settings_of_a_repository_around_the_file_start_no_program() {
    let workspace = Workspace::with(&json!({
        ".cursor/mcp.json": "{}\n", ".cursor/in/a": "a\n", ".cursor/out/b": "b\n",
        ".cursor/hook": "#!/bin/sh\ntouch \"$(dirname \"$0\")/started\"\n",
    }));
    let (hook, started) = (workspace.path(".cursor/hook"), workspace.path(".cursor/started"));
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(workspace.path(".cursor")).args(arguments);
        String::from_utf8(git.env("HOME", workspace.home()).output().unwrap().stdout).unwrap()
    };
    git(&["init"]);
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "a"]);
    git(&["sparse-checkout", "init", "--cone", "--sparse-index"]);
    git(&["sparse-checkout", "set", "in"]);
    // To list the files of a folder that is not checked out, git fetches its missing tree.
    let tree = git(&["rev-parse", "HEAD:out"]);
    let (start, rest) = tree.trim().split_at(2);
    fs::remove_file(workspace.path(".cursor/.git/objects").join(start).join(rest)).unwrap();
    let program = format!("sh {}", hook.display());
    let fetching = [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "."),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", &program),
    ];
    for (name, value) in fetching {
        git(&["config", name, value]);
    }
    for (bytes, setting) in [("9KB", None), ("8KB", Some(("core.fsmonitor", &program)))] {
        if let Some((name, value)) = setting {
            git(&["config", name, value]);
        }
        git(&["ls-files", "--stage"]);
        assert!(started.exists(), "git did not start the program");
        fs::remove_file(&started).unwrap();
        config(&workspace, "cursor", &["--max-bytes", bytes, "--write"]);
        assert!(fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap().contains(bytes));
        assert!(!started.exists());
    }
}

#[test]
fn wrap_with_a_renamed_binary_is_refused() {
    let server = json!({"mcpServers": {"other": {"command": "x", "args": []}}}).to_string();
    let workspace = Workspace::with(&json!({".cursor/mcp.json": server}));
    let copy = workspace.path("cutline-0.1.0");
    // Another process makes the copy: a process that has a file open for writing cannot run it.
    let copied = Command::new("cp").arg(BIN).arg(&copy).status().unwrap();
    assert!(copied.success());
    let mut command = Command::new(copy);
    command.args(["config", "cursor", "--wrap", "other", "--write"]).current_dir(workspace.root());
    let output = command.env("HOME", workspace.home()).output().unwrap();
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("must be cutline: it identifies wrapped entries"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap(), server);
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
    ] {
        let message = config(&workspace, client, &["--scope", scope, "--root", ".", "--write"]);
        assert!(message.contains(path.to_str().unwrap()), "{client}: {message}");
        assert!(fs::read_to_string(&path).unwrap().contains(BIN), "{client}");
    }
    let own: Value = serde_json::from_slice(&fs::read(home.join(".claude.json")).unwrap()).unwrap();
    assert!(own["mcpServers"]["cutline"].is_object(), "{own}");
    assert!(own["projects"][&root]["mcpServers"]["cutline"].is_object(), "{own}");
    // The first entry that the client uses is removed, and the other one is reported.
    let message = config(&workspace, "claude-code", &["--remove", "--write"]);
    assert!(message.contains("(this project): cutline is removed"), "{message}");
    assert!(message.contains("has an entry cutline too; --scope user selects it\n"), "{message}");
    for (client, scope) in [("cline", "project"), ("cursor", "local"), ("claude-desktop", "project")] {
        let output = run(&workspace, &["config", client, "--scope", scope, "--write"]);
        assert_eq!(code(&output), 2, "{client}");
        assert!(stderr(&output).contains(&format!("has no {scope} scope; it has ")), "{}", stderr(&output));
    }
}

#[test]
fn entry_for_one_person_begins_as_that_of_the_project() {
    let workspace = Workspace::with(&json!({".git": {"dir": true}}));
    config(&workspace, "claude-code", &["--root", ".", "--sandbox", "workspace-write", "--write"]);
    // Variables and a folder of the project's entry could start programs, so they are not taken over.
    let of_project = workspace.path(".mcp.json");
    let mut text: Value = serde_json::from_slice(&fs::read(&of_project).unwrap()).unwrap();
    text["mcpServers"]["cutline"]["env"] = json!({"LD_PRELOAD": "./a.so"});
    text["mcpServers"]["cutline"]["cwd"] = json!("a");
    fs::write(&of_project, text.to_string()).unwrap();
    let message =
        config(&workspace, "claude-code", &["--scope", "local", "--stats-file", "/tmp/stats", "--write"]);
    assert!(message.contains("It begins with the flags of the entry in "), "{message}");
    assert!(message.contains(", whose place it takes: --"), "{message}");
    assert!(message.contains("added: --stats-file /tmp/stats"), "{message}");
    let own: Value =
        serde_json::from_slice(&fs::read(workspace.home().join(".claude.json")).unwrap()).unwrap();
    let entry = &own["projects"][workspace.root().to_str().unwrap()]["mcpServers"]["cutline"];
    assert!(entry["cwd"].is_null() && !entry.to_string().contains("LD_PRELOAD"), "{entry}");
    let arguments = entry["args"].to_string();
    assert!(arguments.contains(r#""--sandbox","workspace-write""#), "{arguments}");
    // Its flags are shown without control characters.
    config(&workspace, "claude-code", &["--scope", "local", "--remove", "--write"]);
    text["mcpServers"]["cutline"]["args"] = json!(["--env-keep", "A\r\u{1b}[2K\nwarning: forged\u{202e}"]);
    fs::write(&of_project, text.to_string()).unwrap();
    for arguments in [&["--scope", "local", "--write"][..], &["--scope", "project", "--unset", "env-keep"]] {
        let message = config(&workspace, "claude-code", arguments);
        let is_clean = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(message.contains("forged") && message.chars().all(is_clean), "{message:?}");
        assert!(!message.contains("\nwarning: forged"), "{message:?}");
    }
    let printed = stdout(&run(&workspace, &["config", "claude-code", "--scope", "project"]));
    assert!(printed.contains("forged") && !printed.contains('\u{202e}'), "{printed:?}");
    // With --replace, it does not.
    config(&workspace, "claude-code", &["--scope", "local", "--remove", "--write"]);
    let message = config(&workspace, "claude-code", &["--scope", "local", "--replace", "--write"]);
    assert!(!message.contains("It begins"), "{message}");
}

#[test]
fn form_of_the_program_and_of_paths_stays() {
    let workspace = Workspace::with(&json!({".git": {"dir": true}}));
    let file = workspace.path(".cursor/mcp.json");
    let entry = || fs::read_to_string(&file).unwrap();
    config(&workspace, "cursor", &["--portable=false", "--root", ".", "--write"]);
    let root = workspace.root().to_str().unwrap().to_owned();
    run_on_path(&workspace, &["config", "cursor", "--max-bytes", "8KB", "--write"]);
    assert!(entry().contains(BIN) && entry().contains(&root), "{}", entry());
    config(&workspace, "cursor", &["--portable", "--write"]);
    assert!(!entry().contains(BIN) && !entry().contains(&root), "{}", entry());
    config(&workspace, "cursor", &["--portable=false", "--write"]);
    assert!(entry().contains(BIN) && entry().contains(&root), "{}", entry());
}

#[test]
fn entry_of_another_program_is_not_removed() {
    let other =
        json!({"mcpServers": {"cutline": {"command": "ssh", "args": ["host", "cutline"]}}}).to_string();
    let workspace = Workspace::with(&json!({".mcp.json": other}));
    let output = run(&workspace, &["config", "claude-code", "--remove", "--write"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("starts another program: ssh host cutline; remove it by hand"));
    assert_eq!(fs::read_to_string(workspace.path(".mcp.json")).unwrap(), other);
}

#[test]
fn existing_file_gets_the_entry() {
    let extension = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    let workspace = Workspace::with(&json!({"opencode.jsonc": "{\n  // mine\n}\n"}));
    config(&workspace, "opencode", &["--write"]);
    assert!(fs::read_to_string(workspace.path("opencode.jsonc")).unwrap().contains("cutline\""));
    assert!(!workspace.path("opencode.json").exists());
    // If both programs of Cline have a file, both files get the entry, and both lose it.
    let files = [
        workspace.home().join(extension),
        workspace.home().join(".cline/data/settings/cline_mcp_settings.json"),
    ];
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "{\"a\": 1}\n").unwrap();
    }
    for (arguments, has_it) in [(&["--write"][..], true), (&["--remove", "--write"], false)] {
        config(&workspace, "cline", arguments);
        for file in &files {
            assert_eq!(
                fs::read_to_string(file).unwrap().contains("\"cutline\""),
                has_it,
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn file_flag_and_home_variables_select_the_file() {
    let workspace = Workspace::new();
    config(&workspace, "claude-code", &["--write", "--file", "deep/er/settings.json"]);
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
    assert!(stdout(&output).contains("[mcp_servers.cutline]") && !workspace.path("x").exists());
}

/// The changes of a large file are exact.
#[test]
fn file_with_many_servers() {
    let workspace = Workspace::new();
    let servers: serde_json::Map<String, Value> = (0..20_000)
        .map(|n| (format!("s{n}"), json!({"command": "npx", "args": ["-y", n.to_string()]})))
        .collect();
    let text = format!("{:#}\n", json!({"mcpServers": servers}));
    workspace.write("many.json", &text);
    for change in [
        &["--root", "."][..],
        &["--max-bytes", "9KB"],
        &["--wrap", "s77"],
        &["--unwrap", "s77"],
        &["--remove"],
    ] {
        config(&workspace, "cursor", &[&["--write", "--file", "many.json"], change].concat());
    }
    assert_eq!(fs::read_to_string(workspace.path("many.json")).unwrap(), text);
}

#[test]
fn links_to_the_file_stay() {
    let before = "{\n  // mine\n  \"theme\": \"dark\",\n}\n";
    let workspace = Workspace::with(&json!({".cursor/real.json": before}));
    let (real, link) = (workspace.path(".cursor/real.json"), workspace.path(".cursor/mcp.json"));
    symlink("real.json", &link).unwrap();
    config(&workspace, "cursor", &["--structured", "--write"]);
    assert_eq!(fs::read_to_string(workspace.path(".cursor/real.json.cutline.bak")).unwrap(), before);
    let now = fs::read_to_string(&real).unwrap();
    assert!(link.is_symlink() && now.contains("// mine") && now.contains("--structured"), "{now}");
}
