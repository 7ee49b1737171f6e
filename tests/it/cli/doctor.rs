//! `cutline doctor`: what it says where all is well, and of each thing that is not.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde_json::json;

use super::{code, on_a_terminal, run, stderr, stdout};
use crate::support::{Start, Workspace};

#[test]
fn where_all_is_well() {
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
fn each_thing_that_is_wrong_is_said() {
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

#[test]
fn odd_folders_are_not_its_fault() {
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
fn no_bash_and_no_shell_at_all() {
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
fn colours_where_a_terminal_takes_them() {
    let workspace = Workspace::new();
    let Some(shown) = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[]) else { return };
    assert!(shown.contains("\u{1b}[32mok"), "{shown:?}");
    let plain = on_a_terminal(&workspace, &["doctor", "--tools", "ls"], &[("NO_COLOR", "1")]).unwrap();
    assert!(plain.contains("ok ") && !plain.contains('\u{1b}'), "{plain:?}");
}
