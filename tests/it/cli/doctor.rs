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
    for tool in ["read", "bash", "grep", "find", "ls"] {
        assert!(report.contains(&format!("ok    {tool} answered in ")), "{tool} is not in\n{report}");
    }
    let notes = report.lines().filter(|line| line.starts_with("note ")).count();
    let summary = match notes {
        0 => "All is well\n".to_owned(),
        1 => "Nothing is wrong; 1 note\n".to_owned(),
        notes => format!("Nothing is wrong; {notes} notes\n"),
    };
    assert!(report.ends_with(&summary) && !report.contains("wrong "), "{report}");
    assert_eq!(workspace.saved().len(), 0, "doctor left saved outputs");
}

#[test]
fn secrets_in_the_environment_are_reported_as_a_note() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let report = |flags: &[&str]| {
        let start = Start::new(&workspace).env("PGPASSWORD", "x").env("DATABASE_URL", "pg://me:hidden@host");
        let mut command = start.flags(["doctor", "--tools", "ls"]).flags(flags).command();
        stdout(&command.stdin(Stdio::null()).output().unwrap())
    };
    let inherited = report(&[]);
    let note = inherited.lines().find(|line| line.starts_with("note  commands see the values of ")).unwrap();
    assert!(note.contains("PGPASSWORD") && note.contains("DATABASE_URL"), "{note}");
    assert!(note.ends_with(": --env filtered removes them") && !inherited.contains("hidden"), "{inherited}");
    assert!(!inherited.contains("All is well"), "{inherited}");
    assert!(!report(&["--env", "filtered"]).contains("DATABASE_URL"));
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
        assert!(stdout(&output).ends_with(" wrong\n"), "{}", stdout(&output));
    }
}

/// Runs the doctor on a project with `entry`. Returns the exit code and the finding.
fn report_about(workspace: &Workspace, entry: &Value) -> (i32, String) {
    let file = workspace.path(".mcp.json");
    fs::write(&file, json!({"mcpServers": {"cutline": entry}}).to_string()).unwrap();
    let output = run(workspace, &["doctor", "--tools", "ls"]);
    let report = stdout(&output);
    let (_, report) =
        report.split_once(&format!("{} starts ", file.display())).unwrap_or_else(|| panic!("{report}"));
    (code(&output), report.to_owned())
}

#[test]
fn flags_of_an_entry_are_checked() {
    let workspace =
        Workspace::with(&json!({"a": "one\n", "link": {"symlink": env!("CARGO_BIN_EXE_cutline")}}));
    let (binary, link) = (env!("CARGO_BIN_EXE_cutline"), workspace.path("link"));
    for valid in [
        json!({"command": binary}),
        json!({"command": link, "args": ["--root", workspace.root()], "env": {"CUTLINE_MAX_LINES": "9"}}),
        json!({"command": binary, "args": ["--root", "root"], "cwd": workspace.base()}),
    ] {
        let (code, report) = report_about(&workspace, &valid);
        assert!(code == 0 && report.contains(" with valid flags\n"), "{report}");
    }
    for (entry, why) in [
        (json!({"args": ["--root", "/gone"]}), "--root /gone: No such file or directory\n"),
        (json!({"args": ["--root", "/gone", "--root", "."]}), "--root /gone: No such file or directory\n"),
        (json!({"args": ["--rot", "."]}), "unexpected argument '--rot' found\n"),
        (json!({"args": ["--max-bytes", "0"]}), "must be above 0\n"),
        (json!({"args": ["--bash-timeout", "700"]}), "--bash-timeout 700 is above --bash-max-timeout 600"),
        (json!({"env": {"CUTLINE_ROOT": "/gone"}}), "--root /gone: No such file or directory\n"),
        (json!({"env": {"CUTLINE_ROOT": "/:/gone"}}), "--root /gone: No such file or directory\n"),
        (json!({"env": {"CUTLINE_MAX_LINES": "none"}}), "invalid value 'none' for '--max-lines <N>'"),
        (json!({"args": ["doctor"]}), "not as a server\n"),
        (json!({"args": ["--version"]}), "not as a server\n"),
        (json!({"args": ["--sandbox-deny", "unix-sockets"]}), "--sandbox-deny needs --sandbox"),
        (json!({"cwd": "/gone"}), "its folder /gone: No such file or directory\n"),
    ] {
        let mut entry = entry;
        entry["command"] = binary.into();
        let (code, report) = report_about(&workspace, &entry);
        assert!(code == 1 && report.contains(why), "{why} is not in\n{report}");
        assert!(
            report.starts_with(&format!("{binary}, but ")) && report.ends_with("\n1 wrong\n"),
            "{report}"
        );
    }
    assert!(workspace.processes(0).is_empty());
}

#[test]
fn disabled_entry_is_reported() {
    let workspace = Workspace::new();
    for (setting, reason) in [("disabled", "disabled is true"), ("enabled", "enabled is false")] {
        let mut entry = json!({"command": env!("CARGO_BIN_EXE_cutline")});
        entry[setting] = (setting == "disabled").into();
        workspace.write(".cursor/mcp.json", json!({"mcpServers": {"cutline": entry}}).to_string());
        let start = |arguments: &[&str]| Start::new(&workspace).flags(arguments).command().output().unwrap();
        let doctor = String::from_utf8(start(&["doctor"]).stdout).unwrap();
        let line = format!("has cutline switched off: {reason}\n");
        assert!(doctor.contains(&line) && !doctor.contains("mcp.json starts"), "{doctor}");
        let config = start(&["config", "cursor", "--write"]);
        let config = String::from_utf8(config.stderr).unwrap();
        assert!(config.ends_with(&format!("It is switched off there: {reason}\n")), "{config}");
    }
}

#[test]
fn command_of_another_program_is_not_run() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    workspace.write("other", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(workspace.path("other"), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = env!("CARGO_BIN_EXE_cutline");
    for (entry, finding, expected) in [
        (
            json!({"command": workspace.path("other")}),
            ", another program than this one: it was not checked\n",
            0,
        ),
        (
            json!({"command": binary, "args": ["call", "bash", "command=touch ran"]}),
            ", but not as a server\n",
            1,
        ),
        (json!({"command": binary, "args": ["sandboxed", "--", "touch", "ran"]}), "'sandboxed'\n", 1),
        (json!({"command": binary, "env": {"LD_TRACE_LOADED_OBJECTS": "1"}}), " with valid flags\n", 0),
        (
            json!({"command": binary, "args": ["--root", "${HOME}"]}),
            "${…}, which the client fills in: it was not checked\n",
            0,
        ),
    ] {
        let (code, report) = report_about(&workspace, &entry);
        assert!(code == expected && report.contains(finding), "{finding} is not in\n{report}");
        assert!(!workspace.path("ran").exists(), "{report}");
    }
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
            assert!(code(&output) == 0 && report.contains(" with valid flags\n"), "{entry}: {report}");
            assert_eq!(trees(), before, "{entry}");
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn file_names_of_a_project_cannot_forge_findings() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let folder = workspace.path(".continue/mcpServers");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a\nok    forged\u{1b}]0;b\u{7}\u{202e}.yaml"), "mcpServers: [\u{1b}[2J").unwrap();
    let output = run(&workspace, &["doctor", "--tools", "ls"]);
    let report = stdout(&output);
    assert!(report.contains("forged") && !report.contains("\nok    forged"), "{report}");
    assert!(report.contains("\\u{202e}.yaml") && !report.contains('\u{202e}'), "{report}");
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

/// The home and the project have a file of every client. `cutline config` writes all of them except one.
#[test]
fn client_profiles_are_reported() {
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
    let report = stdout(&output);
    assert_eq!(code(&output), 0, "{report}");
    for line in [
        "Claude Desktop: the defaults apply: 2000 lines, 30KB, images",
        "Claude Code: the profile claude-code (2.1) applies: 2000 lines, 30KB, images",
        "Cursor: the defaults apply: 2000 lines, 30KB, images",
        "VS Code: the defaults apply: 2000 lines, 30KB, images",
        "Codex: the profile codex (0.169) applies: 2000 lines, 30KB, answers within 630 seconds, images",
        "opencode: the profile opencode (1.18) applies: 1990 lines, 30KB, images",
        "Gemini CLI: the profile gemini (0.61) applies: 2000 lines, 30KB, images",
        "Qwen Code: the profile qwen (0.24) applies: 990 lines, 24KB, images",
        "Cline: the profile cline (3.0) applies: 2000 lines, 4KB, answers within 54 seconds, no images",
        "Continue: the profile continue (1.5) applies: 2000 lines, 30KB, answers within 54 seconds, no images",
    ] {
        assert!(report.contains(&format!("ok    {line}\n")), "{line} is not in\n{report}");
    }
    let named =
        format!("{} starts {} as files with valid flags", cline.display(), env!("CARGO_BIN_EXE_cutline"));
    assert!(report.contains(&named), "{named} is not in\n{report}");
}

#[test]
fn configured_client_profile_is_reported_without_an_entry() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let line = "ok    the profile cline (3.0) applies: 2000 lines, 6.9KB as JSON, answers within 54 seconds, no images\n";
    let report = |flags: &[&str]| stdout(&run(&workspace, &[&["doctor", "--tools", "ls"], flags].concat()));
    assert!(report(&["--fit", "cline"]).contains(line), "{}", report(&["--fit", "cline"]));
    assert!(!report(&[]).contains(" applies: "), "{}", report(&[]));
}

#[test]
fn conflicting_scopes_are_reported() {
    let workspace = Workspace::with(&json!({"a": "one\n", ".git": {"dir": true}, "sub": {"dir": true}}));
    let config =
        |arguments: &[&str]| assert_eq!(code(&run(&workspace, &[&["config"], arguments].concat())), 0);
    config(&["claude-code", "--root", ".", "--write"]);
    config(&["claude-code", "--scope", "user", "--root", ".", "--write"]);
    let report = || stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert!(!report().contains("other commands"), "{}", report());
    config(&["claude-code", "--scope", "local", "--root", "sub", "--write"]);
    config(&["gemini", "--root", ".", "--write"]);
    config(&["gemini", "--scope", "user", "--write"]);
    let home = workspace.home();
    let (own, project) = (home.join(".claude.json"), workspace.path(".mcp.json"));
    let own = format!("{} (this project)", own.display());
    let local = format!(
        "Claude Code has cutline in {own} and in {}, with different commands; the client uses {own}\n",
        project.display()
    );
    let gemini = workspace.path(".gemini/settings.json");
    let gemini = format!(
        "Gemini CLI has cutline in {gemini} and in {}, with different commands; the client uses {gemini}\n",
        home.join(".gemini/settings.json").display(),
        gemini = gemini.display(),
    );
    for line in [local, gemini] {
        assert!(report().contains(&format!("note  {line}")), "{line} is not in\n{}", report());
    }
}

#[test]
fn servers_without_programs_are_reported() {
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
    let report = stdout(&output);
    assert_eq!(code(&output), 0, "{report}");
    let file = workspace.path(".mcp.json");
    for (name, program) in
        [("gone", "/no/such/server"), ("unwrapped", "/no/such/cutline"), ("hollow", "/no/such/inner")]
    {
        let line = format!("note  {name} in {} starts {program}, which is not a program\n", file.display());
        assert!(report.contains(&line), "{line} is not in\n{report}");
    }
    assert_eq!(report.matches("which is not a program").count(), 3, "{report}");
    let lists =
        "has other servers: wrapped hollow, unwrapped, whole; not wrapped filled, gone, relative, there\n";
    assert!(report.contains(lists), "{report}");
    // An unreadable file is reported once, although two of its parts are checked.
    fs::write(workspace.home().join(".claude.json"), "{").unwrap();
    let report = stdout(&run(&workspace, &["doctor", "--tools", "ls"]));
    assert_eq!(report.matches(".claude.json").count(), 1, "{report}");
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
fn colours_appear_on_a_terminal_only() {
    let workspace = Workspace::new();
    let Some(shown) = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[]) else { return };
    assert!(shown.contains("\u{1b}[32mok"), "{shown:?}");
    let plain = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[("NO_COLOR", "1")]).unwrap();
    assert!(plain.contains("ok ") && !plain.contains('\u{1b}'), "{plain:?}");
}
