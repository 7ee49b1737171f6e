//! `cutline doctor`: the report without problems, and the report of each problem.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{code, on_a_terminal, run, stderr, stdout};
use crate::support::{Start, Workspace};

#[test]
fn valid_setup_passes() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let output = run(&workspace, &["doctor", "--root", "."]);
    let report = stdout(&output);
    assert_eq!(code(&output), 0, "{report}{}", stderr(&output));
    for part in [
        concat!("ok    cutline ", env!("CARGO_PKG_VERSION"), " is "),
        "ok    --root . is a folder that can be read\n",
        concat!("flags: version ", env!("CARGO_PKG_VERSION"), ", tools read, bash, grep, find, ls, read a\n"),
        "note  no client in this folder starts cutline: run cutline config CLIENT --write\n",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    assert!(report.contains("\n0 wrong, ") && !report.contains("\nwrong "), "{report}");
    assert_eq!(workspace.saved().len(), 0, "doctor left saved outputs");
}

/// Runs the doctor on a project with an entry for Claude Code. Returns the exit code and the finding.
fn report_about(workspace: &Workspace, entry: &Value) -> (i32, String) {
    workspace.write(".mcp.json", json!({"mcpServers": {"cutline": entry}}).to_string());
    let output = run(workspace, &["doctor", "--tools", "ls"]);
    let report = stdout(&output);
    let finding =
        report.lines().find(|line| line.contains("Claude Code: ")).unwrap_or_else(|| panic!("{report}"));
    (code(&output), finding.to_owned())
}

#[test]
fn entries_are_started() {
    let workspace = Workspace::with(
        &json!({"a": "one\n", "link": {"symlink": env!("CARGO_BIN_EXE_cutline")}, "../other/b": ""}),
    );
    let (binary, link) = (env!("CARGO_BIN_EXE_cutline"), workspace.path("link"));
    let other = workspace.base().join("other");
    for (valid, part) in [
        (json!({"command": binary}), "tools read, bash, grep, find, ls, read a"),
        (
            json!({"command": link, "args": ["--root", workspace.root()], "env": {"CUTLINE_TOOLS": "read"}}),
            "tools read, read a",
        ),
        (json!({"command": binary, "args": ["--root", "root"], "cwd": workspace.base()}), "ls, read a"),
        (json!({"command": binary, "env": {"CUTLINE_MAX_LINES": ""}}), "ls, read a"),
    ] {
        let (code, finding) = report_about(&workspace, &valid);
        assert!(code == 0 && finding.starts_with("ok ") && finding.contains(part), "{finding}");
    }
    let (code, finding) = report_about(&workspace, &json!({"command": binary, "args": ["--root", other]}));
    let elsewhere = format!("read b; this entry works in {}", other.canonicalize().unwrap().display());
    assert!(code == 0 && finding.starts_with("note ") && finding.ends_with(&elsewhere), "{finding}");
    for (entry, why) in [
        (json!({"args": ["--root", "/gone"]}), "--root /gone: No such file or directory"),
        (json!({"args": ["--root", "/gone", "--root", "."]}), "--root /gone: No such file or directory"),
        (json!({"args": ["--rot", "."]}), "unexpected argument '--rot' found"),
        (json!({"args": ["--max-bytes", "0"]}), "must be above 0"),
        (json!({"args": ["--bash-timeout", "700"]}), "--bash-timeout 700 is above --bash-max-timeout 600"),
        (json!({"env": {"CUTLINE_ROOT": "/gone"}}), "/gone: No such file or directory"),
        (json!({"env": {"CUTLINE_MAX_LINES": "none"}}), "invalid value 'none' for '--max-lines <N>'"),
        (json!({"args": ["doctor"]}), "the arguments do not start a server"),
        (json!({"args": ["call", "bash", "command=touch ran"]}), "the arguments do not start a server"),
        (json!({"args": ["sandboxed", "--", "touch", "ran"]}), "'sandboxed'"),
        (json!({"cwd": "/gone"}), "it can't be started: No such file or directory"),
    ] {
        let mut entry = entry;
        entry["command"] = binary.into();
        let (code, finding) = report_about(&workspace, &entry);
        assert!(
            code == 1 && finding.starts_with("wrong ") && finding.contains(why),
            "{why} is not in\n{finding}"
        );
    }
    assert!(workspace.processes(0).is_empty() && !workspace.path("ran").exists());
}

#[test]
fn entries_that_are_not_started() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    workspace.write("other", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(workspace.path("other"), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    for (entry, part) in [
        (json!({"command": workspace.path("other")}), "another program than this one: it was not started"),
        (
            json!({"command": binary, "args": ["--root", "${HOME}"]}),
            "${…}, which the client fills in: it was not started",
        ),
        (json!({"command": binary, "disabled": true}), "is switched off"),
        (json!({"command": binary, "enabled": false}), "is switched off"),
    ] {
        let (code, finding) = report_about(&workspace, &entry);
        assert!(code == 0 && finding.starts_with("note ") && finding.ends_with(part), "{finding}");
        assert!(!workspace.path("ran").exists(), "{finding}");
    }
    // Variables that are not those of cutline do not reach the server.
    let (code, finding) =
        report_about(&workspace, &json!({"command": binary, "env": {"LD_TRACE_LOADED_OBJECTS": "1"}}));
    assert!(code == 0 && finding.contains("read a"), "{finding}");
}

#[test]
fn entry_that_the_client_may_read_otherwise_does_not_pass() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let (binary, shell) = (env!("CARGO_BIN_EXE_cutline"), json!(["-c", "touch ran"]));
    let start = json!({"command": binary, "args": ["--root", "."]});
    let with = |more: Value| {
        let mut entry = start.as_object().unwrap().clone();
        entry.extend(more.as_object().unwrap().clone());
        Value::Object(entry)
    };
    let cline = workspace.home().join(".cline/data/settings/cline_mcp_settings.json");
    let claude = workspace.path(".mcp.json");
    let opencode = workspace.path("opencode.json");
    for (client, file, servers, entry, finding) in [
        // Claude Code has no `transport`, and starts the command of the entry.
        (
            "claude-code",
            &claude,
            "mcpServers",
            json!({"command": "sh", "args": shell, "transport": start}),
            "starts sh, another program",
        ),
        ("claude-code", &claude, "mcpServers", with(json!({"type": "http"})), "a command, but also type"),
        ("claude-code", &claude, "mcpServers", with(json!({"url": "http://a"})), "a command, but also url"),
        ("cline", &cline, "mcpServers", with(json!({"transport": start})), "a command, but also transport"),
        (
            "opencode",
            &opencode,
            "mcp",
            json!({"type": "remote", "command": [binary]}),
            "a command, but also type",
        ),
    ] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = json!({servers: {"cutline": entry}}).to_string();
        fs::write(file, &text).unwrap();
        let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
        assert!(report.contains(finding) && !report.contains("starts with these flags, "), "{report}");
        assert!(!report.contains(&format!(" starts {binary}")), "{report}");
        let refused = run(&workspace, &["config", client, "--max-lines", "9", "--write"]);
        assert!(code(&refused) == 1 && stderr(&refused).contains(" was not changed: "), "{refused:?}");
        assert_eq!(fs::read_to_string(file).unwrap(), text);
        fs::remove_file(file).unwrap();
    }
    // A kind of entry without a command does not become one of a program.
    workspace.write(".mcp.json", json!({"mcpServers": {"cutline": {"type": "http"}}}).to_string());
    let refused = run(&workspace, &["config", "claude-code", "--write"]);
    assert!(stderr(&refused).contains(" was not changed: "), "{refused:?}");
}

#[test]
fn entries_with_different_commands_are_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", ".git": {"dir": true}}));
    for arguments in [&["--scope", "user"][..], &["--scope", "local", "--tools", "read"]] {
        run(&workspace, &[&["config", "claude-code", "--root", ".", "--write"], arguments].concat());
    }
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    let own = workspace.home().join(".claude.json");
    let line = format!(
        "note  Claude Code: {own} (this project) starts {}: version {}, tools read, read a; {own} has another entry\n",
        env!("CARGO_BIN_EXE_cutline"),
        env!("CARGO_PKG_VERSION"),
        own = own.display()
    );
    assert!(report.contains(&line), "{line} is not in\n{report}");
    fs::write(&own, "{").unwrap();
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let report = stdout(&output);
    assert_eq!(report.matches("could not be parsed: Unterminated object").count(), 1, "{report}");
    assert!(code(&output) == 1 && report.contains("wrong Claude Code: "), "{report}");
}

#[test]
fn files_with_another_form_are_reported() {
    let files = json!({
        "a": "one\n",
        ".cursor/mcp.json": "{\"mcpServers\": []}",
        ".continue/mcpServers/cutline.yaml": "name: cutline\n",
    });
    let workspace = Workspace::with(&files);
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    for (start, end) in [
        ("wrong Cursor: ", "mcp.json could not be parsed: mcpServers in it is not an object\n"),
        ("note  Continue: ", "cutline.yaml could not be parsed: cutline did not write it"),
    ] {
        assert!(
            report.lines().any(|line| line.starts_with(start) && format!("{line}\n").contains(end)),
            "{report}"
        );
    }
}

#[test]
fn all_entries_of_a_file_are_reported() {
    let binary = env!("CARGO_BIN_EXE_cutline");
    let entry = |words: &[&str]| json!({"command": words[0], "args": words[1..]});
    let servers = json!({"mcpServers": {
        "cutline": entry(&[binary, "--root", "."]),
        "second": entry(&[binary, "--root", ".", "--lean"]),
        "good": entry(&[binary, "wrap", "--", "sh"]),
        "bad": entry(&[binary, "wrap", "--", "/gone/server"]),
    }});
    let workspace = Workspace::with(&json!({"a": "one\n", ".cursor/mcp.json": servers.to_string()}));
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    let file = workspace.path(".cursor/mcp.json");
    for line in [
        format!("ok    Cursor: {} wraps good\n", file.display()),
        format!("wrong Cursor: {} wraps bad with /gone/server, which is not a program\n", file.display()),
        format!("; {} has another entry: second\n", file.display()),
    ] {
        assert!(report.contains(&line), "{line} is not in\n{report}");
    }
}

#[test]
fn each_problem_is_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", "not-a-folder": "x"}));
    fs::write(
        workspace.path(".mcp.json"),
        json!({"mcpServers": {"cutline": {"command": "/no/such/cutline"}}}).to_string(),
    )
    .unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--root", "/no/such", "--root", "."], "wrong --root /no/such: No such file or directory"),
        (&["--spill-dir", "not-a-folder"], "wrong full outputs cannot be saved: "),
        (&["--bash-timeout", "700"], "wrong --bash-timeout 700 is above --bash-max-timeout 600"),
        (&[], "starts /no/such/cutline, which is not a program"),
    ];
    for (flags, expected) in cases {
        let output = run(&workspace, &[&["doctor"], flags].concat());
        assert_eq!(code(&output), 1, "{}", stdout(&output));
        assert!(stdout(&output).contains(expected), "{expected} is not in\n{}", stdout(&output));
        assert!(stdout(&output).contains(" wrong, "), "{}", stdout(&output));
    }
}

#[test]
fn missing_folder_of_an_entry_is_reported() {
    let workspace = Workspace::new();
    let entry =
        json!({"command": env!("CARGO_BIN_EXE_cutline"), "args": ["--stats-file", "no/such/calls.jsonl"]});
    let (code, report) = report_about(&workspace, &entry);
    assert_eq!(code, 1, "{report}");
    assert!(report.contains("but --stats-file no/such/calls.jsonl: its folder does not exist"), "{report}");
}

/// Returns every path below `folder`, with the time of its last change.
fn tree(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() {
            all.extend(tree(&entry.path()));
        }
        all.push((entry.path(), metadata.modified().unwrap()));
    }
    all.sort();
    all
}

#[test]
fn check_of_an_entry_changes_nothing() {
    let workspace = Workspace::with(&json!({"a": "one\n", "spill": {"dir": true}, "tmp": {"dir": true}}));
    let binary = env!("CARGO_BIN_EXE_cutline");
    // An output that a server with this folder and `--spill-keep 1m` removes at its start.
    let saved = workspace.path("spill/cutline-bash-abcdefabcdef.log");
    fs::write(&saved, "mine").unwrap();
    fs::set_permissions(&saved, fs::Permissions::from_mode(0o600)).unwrap();
    let old = SystemTime::now() - Duration::from_hours(48);
    fs::File::options().write(true).open(&saved).unwrap().set_modified(old).unwrap();
    let [spill, planted] = ["spill", "planted"].map(|name| workspace.path(name).to_str().unwrap().to_owned());
    for entry in [
        json!({"args": ["--spill-dir", spill, "--stats-file", planted]}),
        json!({"args": ["--spill-dir", spill, "--spill-keep=1m", "--spill-max-total", "1"]}),
        json!({"args": ["--spill-dir", planted, "--root", workspace.root()]}),
        json!({"args": [format!("--stats-file={planted}")]}),
        json!({"env": {"CUTLINE_SPILL_DIR": spill, "CUTLINE_SPILL_KEEP": "1m", "CUTLINE_STATS_FILE": planted}}),
        json!({"env": {"CUTLINE_SPILL_DIR": planted, "TMPDIR": workspace.path("tmp")}}),
        json!({"args": ["--spill-dir", ".", "--spill-keep", "1m"], "cwd": workspace.path("spill")}),
    ] {
        for file in [workspace.path(".mcp.json"), workspace.home().join(".cursor/mcp.json")] {
            let mut entry = entry.clone();
            entry["command"] = binary.into();
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, json!({"mcpServers": {"cutline": entry}}).to_string()).unwrap();
            let trees = || [tree(workspace.root()), tree(&workspace.home())];
            let before = trees();
            let output = run(&workspace, &["doctor", "--tools", "ls"]);
            let report = stdout(&output);
            assert!(code(&output) == 0 && report.contains(" starts "), "{entry}: {report}");
            assert_eq!(trees(), before, "{entry}");
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn file_names_of_a_project_cannot_forge_findings() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let command = "x\nok    forged\u{1b}]0;b\u{7}\u{202e}\u{1b}[2J";
    workspace.write(".mcp.json", json!({"mcpServers": {"cutline": {"command": command}}}).to_string());
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let report = stdout(&output);
    assert!(report.contains("forged") && !report.contains("\nok    forged"), "{report}");
    assert!(report.contains("\\u{202e}") && !report.contains('\u{202e}'), "{report}");
    fs::create_dir(workspace.path(".codex")).unwrap();
    fs::write(workspace.path(".codex/config.toml"), "a = [\u{1b}[2J").unwrap();
    let refused = run(&workspace, &["config", "codex", "--scope", "project", "--write"]);
    assert!(stderr(&refused).contains("was not changed") && !stderr(&refused).contains('\u{1b}'));
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

#[test]
fn unusual_folders_pass() {
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
fn missing_shell_is_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", "bin": {"dir": true}}));
    let doctor = || {
        let start = Start::new(&workspace).env("PATH", "<root>/bin").flags(["doctor"]);
        start.command().stdin(Stdio::null()).output().unwrap()
    };
    let output = doctor();
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("wrong there is no bash: "), "{}", stdout(&output));
    symlink("/bin/sh", workspace.path("bin/sh")).unwrap();
    let output = doctor();
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    for part in ["note  there is no bash on PATH: commands run by ", "note  it is not on PATH"] {
        assert!(stdout(&output).contains(part), "{part} is not in\n{}", stdout(&output));
    }
    symlink(env!("CARGO_BIN_EXE_cutline"), workspace.path("bin/cutline")).unwrap();
    assert!(stdout(&doctor()).contains("ok    cutline is on PATH"), "{}", stdout(&doctor()));
}

#[test]
fn colours_appear_on_a_terminal_only() {
    let workspace = Workspace::new();
    let Some(shown) = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[]) else { return };
    assert!(shown.contains("\u{1b}[32mok"), "{shown:?}");
    let plain = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[("NO_COLOR", "1")]).unwrap();
    assert!(plain.contains("ok ") && !plain.contains('\u{1b}'), "{plain:?}");
}
