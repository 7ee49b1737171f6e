//! `cutline config` and unusual files: broken, read-only, linked, in git, or with two entries. Nothing is lost.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::process::Command;

use serde_json::json;

use super::{backups, clients, config};
use crate::cli::{code, run, stderr, stdout};
use crate::support::{Start, Workspace};

#[test]
fn invalid_file_is_not_changed() {
    let workspace = Workspace::new();
    let all = clients(&workspace);
    for (client, text) in [
        ("claude-code", "{\"mcpServers\": {"),
        ("vscode", "[1, 2]"),
        ("cursor", "{\"mcpServers\": \"none\"}"),
        ("cursor", "{\"mcpServers\": {\"cutline\": 5}}"),
        ("cursor", "{\"mcpServers\": {\"cutline\": {\"command\": \"a\"}, \"cutline\": {}}}"),
        ("cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (
            "cursor",
            "{\"mcpServers\": {\"cutline\": {\"command\": \"cutline\", \"args\": [], \"\\u0061rgs\": [\"--lean\"]}}}",
        ),
        ("continue", "{\"mcpServers\": [{\"name\": \"cutline\", \"env\": {\"A\": \"1\", \"A\": \"2\"}}]}"),
        ("cursor", "{\"mcpServers\": {\"cutline\": {\"url\": \"https://a\"}}}"),
        ("cursor", "{\"mcpServers\": {\"cutline\": {\"command\": \"x\", \"args\": \"y\"}}}"),
        ("codex", "[mcp_servers"),
        ("codex", "[mcp_servers.cutline]\ncommand = 'a'\n[mcp_servers.cutline]\ncommand = 'b'\n"),
        ("codex", "mcp_servers = 5"),
        ("opencode", "{\"mcp\": {\"cutline\": {\"command\": \"x y\"}}}"),
        ("gemini", "{} {}"),
        ("gemini", "{'mcpServers': {}}"),
        ("cline", "null"),
        ("continue", "mcpServers:\n  - name: cutline\n"),
    ] {
        let file = &all.iter().find(|row| row.id == client).unwrap().file;
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        let output = run(&workspace, &["config", client, "--write"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""), "{client}: {text}");
        let message = stderr(&output);
        assert!(message.contains(&format!("{} was not changed", file.display())), "{message}");
        assert_eq!(fs::read_to_string(file).unwrap(), text);
        assert!(backups(file.parent().unwrap()).is_empty(), "{client}: {text}");
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn other_entry_that_starts_cutline_is_reported() {
    let workspace = Workspace::new();
    workspace.write(".cursor/mcp.json", "{\"mcpServers\": {\"files\": {\"command\": \"/opt/cutline\"}}}\n");
    let message = config(&workspace, "cursor", &["--write"]);
    assert!(message.contains("The file has another entry that starts cutline: files\n"), "{message}");
    workspace.write(
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"cutline\": {\"command\": \"x\", \"disabled\": true}}}\n",
    );
    let message = config(&workspace, "cursor", &["--replace", "--write"]);
    assert!(message.contains("removed: x\n"), "{message}");
    assert!(message.contains("The entry is switched off there\n"), "{message}");
}

#[test]
fn entry_that_starts_another_program_is_not_changed() {
    let workspace = Workspace::new();
    let text = "{\"mcpServers\": {\"cutline\": {\"command\": \"ssh\", \"args\": [\"host\", \"cutline\", \"--root\", \"/p\"]}}}\n";
    workspace.write(".cursor/mcp.json", text);
    let output = run(&workspace, &["config", "cursor", "--max-bytes", "8KB", "--write"]);
    let why = "was not changed: the entry starts another program: ssh host cutline --root /p; change it by hand, or \
               replace it with --replace\n";
    assert!(code(&output) == 1 && stderr(&output).ends_with(why), "{output:?}");
    assert_eq!(fs::read_to_string(workspace.path(".cursor/mcp.json")).unwrap(), text);
}

#[test]
fn file_at_the_end_of_a_link_stays() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.home().join(".cursor")).unwrap();
    let (link, file) = (workspace.home().join(".cursor/mcp.json"), workspace.home().join("dotfile.json"));
    fs::write(&file, "{}\n").unwrap();
    symlink(&file, &link).unwrap();
    for _ in 0..2 {
        config(&workspace, "cursor", &["--scope", "user", "--write"]);
        let message = config(&workspace, "cursor", &["--scope", "user", "--remove", "--write"]);
        assert!(message.ends_with(": cutline is removed\n"), "{message}");
        let text = fs::read_to_string(&file).unwrap();
        assert!(link.is_symlink() && !text.contains("cutline"), "{text}");
    }
}

#[test]
fn entry_that_does_not_work_elsewhere_is_reported() {
    let workspace = Workspace::new();
    let output =
        super::run_on_path(&workspace, &["config", "cursor", "--root", ".", "--root", "/nope", "--write"]);
    let expected = "warning: /nope is not a folder\nwarning: the file of the project has a path of this machine: /nope\n";
    assert!(code(&output) == 0 && stderr(&output).ends_with(expected), "{output:?}");
}

#[test]
fn read_only_file_is_not_changed() {
    let workspace = Workspace::with(&json!({".cursor/mcp.json": "{}\n"}));
    let (folder, file) = (workspace.path(".cursor"), workspace.path(".cursor/mcp.json"));
    for (path, mode, why) in
        [(&file, 0o444, "it is read-only"), (&folder, 0o555, ".cursor: Permission denied")]
    {
        let before = fs::metadata(path).unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let start = Start::new(&workspace).unprivileged().flags(["config", "cursor", "--write"]);
        let output = start.command().output();
        fs::set_permissions(path, before).unwrap();
        let message = stderr(&output.unwrap());
        assert!(message.contains("was not changed") && message.contains(why), "{message}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{}\n");
    }
}

#[test]
fn owner_mode_and_hard_links() {
    let workspace = Workspace::with(&json!({"settings.json": "{\"a\": 1}\n", "linked.json": "{}\n"}));
    let path = workspace.path("settings.json");
    let is_root = rustix::process::geteuid().is_root();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    if is_root {
        chown(&path, Some(1234), Some(1234)).unwrap();
    }
    config(&workspace, "cursor", &["--write", "--file", "settings.json"]);
    for path in [&path, &workspace.path("settings.json.cutline.bak")] {
        let metadata = fs::metadata(path).unwrap();
        assert_eq!(metadata.mode() & 0o777, 0o640, "{path:?}");
        assert!(!is_root || (metadata.uid(), metadata.gid()) == (1234, 1234), "{path:?}");
    }
    fs::hard_link(workspace.path("linked.json"), workspace.path("other-name")).unwrap();
    let output = run(&workspace, &["config", "cursor", "--write", "--file", "linked.json"]);
    assert!(code(&output) == 1 && stderr(&output).contains("hard links"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(workspace.path("other-name")).unwrap(), "{}\n");
    // The backup replaces a link, and not its target.
    workspace.write("third.json", "{\"a\": 1}\n");
    symlink("elsewhere", workspace.path("third.json.cutline.bak")).unwrap();
    config(&workspace, "cursor", &["--write", "--file", "third.json"]);
    assert_eq!(fs::read_to_string(workspace.path("third.json.cutline.bak")).unwrap(), "{\"a\": 1}\n");
    assert!(!workspace.path("elsewhere").exists());
    symlink("nothing", workspace.path("dangling.json")).unwrap();
    let output = run(&workspace, &["config", "cursor", "--write", "--file", "dangling.json"]);
    assert!(code(&output) == 1 && stderr(&output).contains("it is a link to nothing"), "{}", stderr(&output));
}

#[test]
fn links_out_of_the_project_are_refused() {
    for (link, target) in [(".cursor", "elsewhere"), (".cursor/mcp.json", "elsewhere/mcp.json")] {
        let text = "{\"mcpServers\": {\"github\": {\"command\": \"npx\"}}}\n";
        let workspace = Workspace::with(&json!({"../elsewhere/mcp.json": text}));
        let end = workspace.base().join("elsewhere/mcp.json");
        let link = workspace.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(workspace.base().join(target), &link).unwrap();
        for change in [&[][..], &["--scope", "project"], &["--wrap", "github"]] {
            let output = run(&workspace, &[&["config", "cursor", "--write"], change].concat());
            let message = stderr(&output);
            assert_eq!(code(&output), 1, "{change:?}: {message}");
            for part in ["was not changed: a link leads from it out of the project", end.to_str().unwrap()] {
                assert!(message.contains(part), "{message}");
            }
            assert_eq!(fs::read_to_string(&end).unwrap(), text);
        }
        // With an explicit `--file`, the link is followed.
        config(&workspace, "cursor", &["--write", "--file", ".cursor/mcp.json"]);
        assert!(fs::read_to_string(&end).unwrap().contains("cutline"));
    }
}

#[test]
fn refused_change_creates_no_folder() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["config", "cursor", "--wrap", "github", "--write"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("has an entry github"), "{}", stderr(&output));
    assert!(!workspace.path(".cursor").exists());
}

/// Continue's file with more than the entry of cutline is not its own file.
#[test]
fn other_content_of_the_file_for_continue_stays() {
    let own = json!({"name": "cutline", "command": "cutline"});
    let (file, db) = (".continue/mcpServers/cutline.yaml", json!({"name": "db", "command": "npx"}));
    for text in [
        json!({"mcpServers": [db, own]}),
        json!({"mcpServers": [db]}),
        json!({"mcpServers": [own], "rules": ["mine"]}),
        json!({"mcpServers": {"cutline": own}}),
    ] {
        let workspace = Workspace::with(&json!({file: text.to_string()}));
        for change in [&["--max-lines", "9"][..], &["--remove"], &["--wrap", "db"]] {
            let refused = run(&workspace, &[&["config", "continue", "--write"], change].concat());
            let why = "cutline did not write it; change it by hand";
            assert!(code(&refused) == 1 && stderr(&refused).contains(why), "{refused:?}");
            assert_eq!(fs::read_to_string(workspace.path(file)).unwrap(), text.to_string(), "{change:?}");
        }
        let message = config(&workspace, "continue", &["--replace", "--write"]);
        assert!(message.contains("; the old file is "), "{message}");
        let backup = workspace.path(".continue/mcpServers/cutline.yaml.cutline.bak");
        assert_eq!(fs::read_to_string(backup).unwrap(), text.to_string());
    }
}

/// The comments would be lost with the file.
#[test]
fn file_with_comments_is_copied_and_not_deleted() {
    for (client, file, text) in [
        (
            "codex",
            ".codex/config.toml",
            "# model = \"gpt-5\"\n\n[mcp_servers.cutline]\ncommand = \"cutline\"\n",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": {\"cutline\": { // mine\n\"command\": \"cutline\"}}}\n",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": {\"cutline\": {\"command\": /* mine */ \"cutline\"}}}\n",
        ),
    ] {
        for change in ["--remove", "--lean"] {
            let workspace = Workspace::with(&json!({file: text}));
            let message = config(&workspace, client, &["--scope", "project", "--write", change]);
            assert!(message.contains("; the old file is ") && workspace.path(file).exists(), "{message}");
            let backup = workspace.path(format!("{file}.cutline.bak"));
            assert_eq!(fs::read_to_string(backup).unwrap(), text);
        }
    }
}

#[test]
fn entry_that_starts_another_program_is_kept_in_a_copy() {
    let text = r#"{"mcpServers": {"cutline": {"command": "ssh", "args": ["host", "cutline"]}}}"#;
    let workspace = Workspace::with(&json!({".cursor/mcp.json": text}));
    let message = config(&workspace, "cursor", &["--scope", "project", "--replace", "--write"]);
    assert!(message.contains("; the old file is "), "{message}");
    let backup = workspace.path(".cursor/mcp.json.cutline.bak");
    assert_eq!(fs::read_to_string(backup).unwrap(), text);
}

/// A project can have a pipe instead of a file of git, which waits for it.
#[test]
fn git_that_does_not_end_is_not_waited_for() {
    let workspace = Workspace::with(&json!({".mcp.json": "{\"a\": 1}\n", ".git/config": {"fifo": true}}));
    for folder in ["objects", "refs"] {
        fs::create_dir(workspace.path(".git").join(folder)).unwrap();
    }
    fs::write(workspace.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let message = config(&workspace, "claude-code", &["--write"]);
    assert!(message.contains("; the old file is "), "{message}");
}

#[test]
fn git_of_the_project_is_not_run() {
    let workspace = Workspace::with(&json!({".mcp.json": "{\"a\": 1}\n", "bin": {"dir": true}}));
    workspace.write("bin/git", workspace.expand("#!/bin/sh\n: > <root>/ran\n"));
    fs::set_permissions(workspace.path("bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
    let start = Start::new(&workspace).env("PATH", "bin:./bin:/usr/bin:/bin");
    let output = start.command().args(["config", "claude-code", "--write"]).output().unwrap();
    assert!(stderr(&output).contains("; the old file is "), "{}", stderr(&output));
    assert!(!workspace.path("ran").exists());
}

#[test]
fn git_replaces_the_backup() {
    let workspace = Workspace::with(&json!({".mcp.json": "{\"a\": 1}\n"}));
    let git = |arguments: &[&str]| {
        let status = Command::new("git").args(arguments).current_dir(workspace.root()).status();
        status.is_ok_and(|status| status.success())
    };
    if !git(&["init", "-q"]) {
        eprintln!("skipped: this system has no git");
        return;
    }
    let backup = workspace.path(".mcp.json.cutline.bak");
    config(&workspace, "claude-code", &["--write"]);
    assert!(backup.exists(), "git does not have the file yet");
    fs::remove_file(&backup).unwrap();
    assert!(git(&["add", ".mcp.json"]));
    let message = config(&workspace, "claude-code", &["--max-bytes", "9KB", "--write"]);
    assert!(message.contains("; git has the old file\n") && !backup.exists(), "{message}");
    // The last change is not in git.
    config(&workspace, "claude-code", &["--max-bytes", "8KB", "--write"]);
    assert!(fs::read_to_string(&backup).unwrap().contains("9KB"));
}
