//! `cutline doctor`: what it says where all is well, and of each thing that is not.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{code, on_a_terminal, run, stderr, stdout};
use crate::support::{Start, Workspace};

#[test]
fn sound_setup_passes() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let output = run(&workspace, &["doctor", "--root", "."]);
    let said = stdout(&output);
    assert_eq!(code(&output), 0, "{said}{}", stderr(&output));
    for tool in ["read", "bash", "grep", "find", "ls"] {
        assert!(said.contains(&format!("ok    {tool} answered in ")), "{tool} is not in\n{said}");
    }
    assert!(said.ends_with("All is well\n") && !said.contains("wrong"), "{said}");
    assert_eq!(workspace.saved().len(), 0, "it left something");
}

#[test]
fn each_fault_is_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", "not-a-folder": "x"}));
    fs::write(
        workspace.path(".mcp.json"),
        json!({"mcpServers": {"cutline": {"command": "/no/such/cutline"}}}).to_string(),
    )
    .unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--root", "/no/such", "--root", "."], "wrong --root /no/such: No such file or directory"),
        (&["--spill-dir", "not-a-folder"], "wrong whole outputs can't be saved: "),
        (&["--bash-timeout", "700"], "wrong --bash-timeout 700 is above --bash-max-timeout 600"),
        (&[], "starts /no/such/cutline, which is no program"),
    ];
    for (flags, expected) in cases {
        let output = run(&workspace, &[&["doctor"], flags].concat());
        assert_eq!(code(&output), 1, "{}", stdout(&output));
        assert!(stdout(&output).contains(expected), "{expected} is not in\n{}", stdout(&output));
        assert!(stdout(&output).ends_with(" wrong\n"), "{}", stdout(&output));
    }
}

/// Returns the doctor's exit code and its finding for a project's `entry`.
fn said_of(workspace: &Workspace, entry: &Value) -> (i32, String) {
    let file = workspace.path(".mcp.json");
    fs::write(&file, json!({"mcpServers": {"cutline": entry}}).to_string()).unwrap();
    let output = run(workspace, &["doctor", "--tools", "ls"]);
    let said = stdout(&output);
    let (_, said) =
        said.split_once(&format!("{} starts ", file.display())).unwrap_or_else(|| panic!("{said}"));
    (code(&output), said.to_owned())
}

#[test]
fn entry_started_with_its_flags() {
    let workspace =
        Workspace::with(&json!({"a": "one\n", "link": {"symlink": env!("CARGO_BIN_EXE_cutline")}}));
    let (binary, link) = (env!("CARGO_BIN_EXE_cutline"), workspace.path("link"));
    for fine in [
        json!({"command": binary}),
        json!({"command": link, "args": ["--root", workspace.root()], "env": {"CUTLINE_MAX_LINES": "9"}}),
        json!({"command": binary, "args": ["--root", "root"], "cwd": workspace.base()}),
    ] {
        let (code, said) = said_of(&workspace, &fine);
        assert!(code == 0 && said.contains(", which greeted in "), "{said}");
    }
    for (entry, why) in [
        (json!({"args": ["--root", "/gone"]}), "--root /gone: No such file or directory\n"),
        (json!({"args": ["--root", "/gone", "--root", "."]}), "--root /gone: No such file or directory\n"),
        (json!({"args": ["--rot", "."]}), "unexpected argument '--rot' found\n"),
        (json!({"args": ["--max-bytes", "0"]}), "must be above 0\n"),
        (json!({"args": ["--bash-timeout", "700"]}), "--bash-timeout 700 is above --bash-max-timeout 600"),
        (
            json!({"env": {"CUTLINE_ROOT": "/gone"}}),
            "--root: none of the folders given can be used (/gone: No such file or directory)",
        ),
        (json!({"args": ["doctor"]}), "not as a server\n"),
        (json!({"args": ["--version"]}), "not as a server\n"),
        (json!({"cwd": "/gone"}), "the server can't be started: No such file or directory"),
    ] {
        let mut entry = entry;
        entry["command"] = binary.into();
        let (code, said) = said_of(&workspace, &entry);
        assert!(code == 1 && said.contains(why), "{why} is not in\n{said}");
        assert!(said.starts_with(&format!("{binary}, but ")) && said.ends_with("\n1 wrong\n"), "{said}");
    }
    assert!(workspace.processes(0).is_empty());
}

#[test]
fn entry_that_is_switched_off_is_said_to_be() {
    let workspace = Workspace::new();
    for (setting, said) in [("disabled", "disabled is true"), ("enabled", "enabled is false")] {
        let mut entry = json!({"command": env!("CARGO_BIN_EXE_cutline")});
        entry[setting] = (setting == "disabled").into();
        workspace.write(".cursor/mcp.json", json!({"mcpServers": {"cutline": entry}}).to_string());
        let start = |arguments: &[&str]| Start::new(&workspace).flags(arguments).command().output().unwrap();
        let doctor = String::from_utf8(start(&["doctor"]).stdout).unwrap();
        let line = format!("has cutline switched off: {said}\n");
        assert!(doctor.contains(&line) && !doctor.contains("mcp.json starts"), "{doctor}");
        let config = start(&["config", "cursor", "--write"]);
        let config = String::from_utf8(config.stderr).unwrap();
        assert!(config.ends_with(&format!("It is switched off there: {said}\n")), "{config}");
    }
}

#[test]
fn foreign_command_not_run() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    workspace.write("other", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(workspace.path("other"), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    for (entry, words, expected) in [
        (
            json!({"command": workspace.path("other")}),
            ", another program than this one: it was not tried\n",
            0,
        ),
        (
            json!({"command": binary, "args": ["call", "bash", "command=touch ran"]}),
            ", but not as a server\n",
            1,
        ),
        (json!({"command": binary, "args": ["sandboxed", "--", "touch", "ran"]}), "'sandboxed'\n", 1),
        (json!({"command": binary, "env": {"LD_TRACE_LOADED_OBJECTS": "1"}}), ", which greeted in ", 0),
        (
            json!({"command": binary, "args": ["--root", "${HOME}"]}),
            "${…}, which the client fills in: it was not tried\n",
            0,
        ),
    ] {
        let (code, said) = said_of(&workspace, &entry);
        assert!(code == expected && said.contains(words), "{words} is not in\n{said}");
        assert!(!workspace.path("ran").exists(), "{said}");
    }
}

#[test]
fn trial_of_an_entry_creates_no_file() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let binary = env!("CARGO_BIN_EXE_cutline");
    let planted = workspace.path("planted");
    for entry in [
        json!({"command": binary, "args": ["--stats-file", planted, "--root", "."]}),
        json!({"command": binary, "args": [format!("--stats-file={}", planted.display())]}),
        json!({"command": binary, "env": {"CUTLINE_STATS_FILE": planted}}),
    ] {
        let (code, said) = said_of(&workspace, &entry);
        assert!(code == 0 && said.contains(", which greeted in "), "{said}");
        assert!(!planted.exists(), "{entry}");
    }
}

#[test]
fn names_of_a_projects_files_forge_no_finding() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let folder = workspace.path(".continue/mcpServers");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a\nok    forged\u{1b}]0;b\u{7}.yaml"), "mcpServers: [\u{1b}[2J").unwrap();
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let said = stdout(&output);
    assert!(said.contains("forged") && !said.contains("\nok    forged"), "{said}");
    fs::create_dir(workspace.path(".codex")).unwrap();
    fs::write(workspace.path(".codex/config.toml"), "a = [\u{1b}[2J").unwrap();
    let refused = run(&workspace, &["config", "codex", "--scope", "project", "--write"]);
    assert!(stderr(&refused).contains("was left as it is") && !stderr(&refused).contains('\u{1b}'));
    let Some(on_terminal) = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[]) else { return };
    assert!(!on_terminal.contains("\u{1b}]0") && !on_terminal.contains("\u{1b}[2J"), "{on_terminal:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn endless_file_of_a_project_is_not_read() {
    let workspace = Workspace::with(&json!({"a": "one\n", ".mcp.json": {"symlink": "/proc/self/pagemap"}}));
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
}

/// A home and a project with a file of every client; each but one as `cutline config` writes it.
#[test]
fn every_clients_fit_is_named() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for client in [
        "claude-desktop",
        "claude-code",
        "cursor",
        "vscode",
        "codex",
        "opencode",
        "gemini",
        "qwen",
        "continue",
    ] {
        assert_eq!(code(&run(&workspace, &["config", client, "--root", ".", "--write"])), 0, "{client}");
    }
    let cline = workspace.home().join(".cline/data/settings/cline_mcp_settings.json");
    fs::create_dir_all(cline.parent().unwrap()).unwrap();
    let entry = json!({"command": env!("CARGO_BIN_EXE_cutline"), "env": {"CUTLINE_MAX_BYTES": "4KB"}});
    fs::write(&cline, json!({"mcpServers": {"files": entry}}).to_string()).unwrap();
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let said = stdout(&output);
    assert_eq!(code(&output), 0, "{said}");
    for line in [
        "Claude Desktop: the defaults fit: 2000 lines, 30KB, images",
        "Claude Code: the row claude-code (2.1) fits: 2000 lines, 30KB, images",
        "Cursor: the defaults fit: 2000 lines, 30KB, images",
        "VS Code: the defaults fit: 2000 lines, 30KB, images",
        "Codex: the row codex (0.169) fits: 2000 lines, 30KB, answers within 630 seconds, images",
        "opencode: the row opencode (1.18) fits: 1990 lines, 30KB, images",
        "Gemini CLI: the row gemini (0.61) fits: 2000 lines, 30KB, images",
        "Qwen Code: the row qwen (0.24) fits: 990 lines, 24KB, images",
        "Cline: the row cline (3.0) fits: 2000 lines, 4KB, answers within 54 seconds, no images",
        "Continue: the row continue (1.5) fits: 2000 lines, 30KB, answers within 54 seconds, no images",
    ] {
        assert!(said.contains(&format!("ok    {line}\n")), "{line} is not in\n{said}");
    }
    let named =
        format!("{} starts {} as files, which greeted", cline.display(), env!("CARGO_BIN_EXE_cutline"));
    assert!(said.contains(&named), "{named} is not in\n{said}");
}

#[test]
fn fit_that_is_given_is_named_without_an_entry() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let line =
        "ok    the row cline (3.0) fits: 2000 lines, 6.9KB as JSON, answers within 54 seconds, no images\n";
    let said = |flags: &[&str]| stdout(&run(&workspace, &[&["doctor", "--tools", "ls"], flags].concat()));
    assert!(said(&["--fit", "cline"]).contains(line), "{}", said(&["--fit", "cline"]));
    assert!(!said(&[]).contains(" fits: "), "{}", said(&[]));
}

#[test]
fn conflicting_scopes_are_named() {
    let workspace = Workspace::with(&json!({"a": "one\n", ".git": {"dir": true}, "sub": {"dir": true}}));
    let config = |words: &[&str]| assert_eq!(code(&run(&workspace, &[&["config"], words].concat())), 0);
    config(&["claude-code", "--root", ".", "--write"]);
    config(&["claude-code", "--scope", "user", "--root", ".", "--write"]);
    let said = || stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert!(!said().contains("other commands"), "{}", said());
    config(&["claude-code", "--scope", "local", "--root", "sub", "--write"]);
    config(&["gemini", "--root", ".", "--write"]);
    config(&["gemini", "--scope", "user", "--write"]);
    let home = workspace.home();
    let (own, project) = (home.join(".claude.json"), workspace.path(".mcp.json"));
    let own = format!("{} (this project)", own.display());
    let local = format!(
        "Claude Code has cutline in {own} and in {}, with other commands; that of {own} holds\n",
        project.display()
    );
    let gemini = workspace.path(".gemini/settings.json");
    let gemini = format!(
        "Gemini CLI has cutline in {gemini} and in {}, with other commands; that of {gemini} holds\n",
        home.join(".gemini/settings.json").display(),
        gemini = gemini.display(),
    );
    for line in [local, gemini] {
        assert!(said().contains(&format!("note  {line}")), "{line} is not in\n{}", said());
    }
}

#[test]
fn servers_without_programs_are_named() {
    let workspace = Workspace::with(&json!({"a": "one\n", "bin/server": "#!/bin/sh\n"}));
    fs::set_permissions(workspace.path("bin/server"), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    let entries = json!({"mcpServers": {
        "there": {"command": workspace.path("bin/server")},
        "gone": {"command": "/no/such/server"},
        "unwrapped": {"command": "/no/such/cutline", "args": ["wrap", "--", workspace.path("bin/server")]},
        "hollow": {"command": binary, "args": ["wrap", "--", "/no/such/inner"]},
        "whole": {"command": binary, "args": ["wrap", "--", workspace.path("bin/server")]},
        "filled": {"command": "${HOME}/server"},
        "relative": {"command": "./server"},
        "far": {"url": "https://far"},
    }});
    workspace.write(".mcp.json", entries.to_string());
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let said = stdout(&output);
    assert_eq!(code(&output), 0, "{said}");
    let file = workspace.path(".mcp.json");
    for (name, program) in
        [("gone", "/no/such/server"), ("unwrapped", "/no/such/cutline"), ("hollow", "/no/such/inner")]
    {
        let line = format!("note  {name} in {} starts {program}, which is no program\n", file.display());
        assert!(said.contains(&line), "{line} is not in\n{said}");
    }
    assert_eq!(said.matches("which is no program").count(), 3, "{said}");
    let lists =
        "has other servers: wrapped hollow, unwrapped, whole; not wrapped filled, gone, relative, there\n";
    assert!(said.contains(lists), "{said}");
    // A file that can't be read is said once, though two of its parts are looked at.
    fs::write(workspace.home().join(".claude.json"), "{").unwrap();
    let said = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert_eq!(said.matches(".claude.json").count(), 1, "{said}");
}

#[test]
fn odd_folders_pass() {
    for recipe in [
        json!({".mcp.json": {"fifo": true}, "z": "text\n"}),
        json!({"a": {"symlink": "z"}, "z/f": "text\n"}),
        json!({"a": {"symlink": "nothing"}}),
        json!({"a": {"symlink": "/etc/hostname"}}),
        json!({"a": {"hex": "0001"}}),
    ] {
        let workspace = Workspace::with(&recipe);
        let output = run(&workspace, &["doctor", "--max-bytes", "1"]);
        assert_eq!(code(&output), 0, "{recipe}\n{}", stdout(&output));
        assert_eq!(workspace.saved().len(), 0, "{recipe}");
    }
}

#[test]
fn missing_shell_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", "bin": {"dir": true}}));
    let doctor = || {
        let start = Start::new(&workspace).env("PATH", "<root>/bin").flags(["doctor"]);
        start.command().stdin(Stdio::null()).output().unwrap()
    };
    let output = doctor();
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("wrong bash: Command could not be started"), "{}", stdout(&output));
    symlink("/bin/sh", workspace.path("bin/sh")).unwrap();
    let output = doctor();
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    for part in ["note  there is no bash on PATH: commands run by sh", "note  it is not on PATH"] {
        assert!(stdout(&output).contains(part), "{part} is not in\n{}", stdout(&output));
    }
    symlink(env!("CARGO_BIN_EXE_cutline"), workspace.path("bin/cutline")).unwrap();
    assert!(stdout(&doctor()).contains("ok    cutline is on PATH"), "{}", stdout(&doctor()));
}

#[test]
fn colours_on_terminal_only() {
    let workspace = Workspace::new();
    let Some(shown) = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[]) else { return };
    assert!(shown.contains("\u{1b}[32mok"), "{shown:?}");
    let plain = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[("NO_COLOR", "1")]).unwrap();
    assert!(plain.contains("ok ") && !plain.contains('\u{1b}'), "{plain:?}");
}
