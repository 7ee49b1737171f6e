//! Completions, manual pages, and the help of each tool. All are generated from the definitions.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{code, run, stderr, stdout};
use crate::support::{Client, Start, Workspace};

#[test]
fn completions_parse_in_each_shell() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(&workspace, &["completions", shell]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        for word in ["doctor", "max-bytes", "grep"] {
            assert!(stdout(&output).contains(word), "{shell} has no {word}");
        }
    }
    assert_eq!(code(&run(&workspace, &["completions", "tcsh"])), 2);
}

#[test]
fn bash_uses_completions() {
    let workspace = Workspace::new();
    fs::write(workspace.path("completions"), run(&workspace, &["completions", "bash"]).stdout).unwrap();
    for (arguments, expected) in [
        (&["cutline", "doc"][..], "doctor"),
        (&["cutline", "config", "claude-d"], "claude-desktop"),
        (&["cutline", "call", "gr"], "grep"),
        (&["cutline", "--sandbox", "w"], "workspace-write"),
    ] {
        let script = "source ./completions; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n\
             _cutline cutline \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; echo \"${COMPREPLY[*]}\"";
        let mut bash = Command::new("bash");
        bash.args(["-c", script, "bash"]).args(arguments).current_dir(workspace.root());
        assert_eq!(stdout(&bash.output().unwrap()), format!("{expected}\n"), "{arguments:?}");
    }
}

#[test]
fn manual_page_renders() {
    let workspace = Workspace::with(&json!({"man": {"dir": true}, "mine": "x"}));
    std::os::unix::fs::symlink("../mine", workspace.path("man/cutline.1")).unwrap();
    let output = run(&workspace, &["man", "man"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let page = fs::read_to_string(workspace.path("man/cutline.1")).unwrap();
    for part in [".TH cutline 1", "\\-\\-max\\-bytes", "CUTLINE_MAX_BYTES", "cutline\\-doctor(1)"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    for name in ["cutline", "cutline-call", "cutline-call-read", "cutline-config", "cutline-doctor"] {
        assert!(workspace.path(format!("man/{name}.1")).exists(), "{name}");
    }
    assert!(!workspace.path("man/cutline-sandboxed.1").exists());
    assert_eq!(fs::read_to_string(workspace.path("mine")).unwrap(), "x", "a link was followed");
}

#[test]
fn call_help_describes_each_tool() {
    let workspace = Workspace::new();
    let help = stdout(&run(&workspace, &["call", "--help"]));
    for line in [
        "read  Read file",
        "bash  Run command",
        "grep  Search file contents",
        "find  Find files",
        "ls    List folder",
    ] {
        assert!(help.contains(line), "{line} is not in\n{help}");
    }
}

#[test]
fn closed_pipe_is_no_error() {
    let workspace = Workspace::new();
    for arguments in [&["completions", "zsh"][..], &["config"]] {
        let mut command = Start::new(&workspace).flags(arguments).command();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn tool_help_lists_all_arguments() {
    let workspace = Workspace::new();
    let list = Client::new(&workspace).ask("tools/list", json!({}));
    for tool in list["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for help in ["-h", "--help"] {
            let help = stdout(&run(&workspace, &["call", name, help]));
            // A long line is wrapped at the width of the terminal.
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            for (key, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let required = tool["inputSchema"]["required"].as_array();
                let needed =
                    if required.is_some_and(|all| all.contains(&json!(key))) { "; required" } else { "" };
                let (kind, description) = (&property["type"], &property["description"]);
                let line =
                    format!("{key} {} {}{needed}", kind.as_str().unwrap(), description.as_str().unwrap());
                assert!(help.contains(&line), "{line} is not in\n{help}");
            }
        }
    }
}
