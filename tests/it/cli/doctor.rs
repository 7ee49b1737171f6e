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
        (json!({"env": {"CUTLINE_ROOT": "/gone"}}), "--root: none of the folders given can be used"),
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
