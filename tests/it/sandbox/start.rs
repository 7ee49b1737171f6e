//! The start of a sandboxed command: the rules apply before any of its code runs.

use std::fs;

use serde_json::json;

use super::{client, compiled, started, workspace};
use crate::support::{Client, Start};

/// A library that writes a file outside the root and one in the root when it is loaded.
const PLANTED_LIBRARY: &str = r#"
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) {
    close(open("<base>/outside/new", O_CREAT | O_WRONLY, 0666));
    close(open("<root>/loaded", O_CREAT | O_WRONLY, 0666));
}
"#;

#[test]
fn library_in_the_root_is_loaded_only_under_the_rules() {
    let workspace = workspace();
    compiled(&workspace, "libplant.so", PLANTED_LIBRARY, &["-shared", "-fPIC"]);
    // The empty entry of the search path is the current folder.
    let start = || {
        let start = Start::new(&workspace).flags(["--sandbox", "workspace-write"]);
        start.env("LD_LIBRARY_PATH", ":/opt/lib").env("LD_PRELOAD", "libplant.so")
    };
    let Some(mut client) = started(start) else { return };
    let plant = workspace.expand("cp <base>/libplant.so .");
    assert_eq!(client.call("bash", json!({"command": plant})).details()["exitCode"], 0);
    assert!(!workspace.path("loaded").exists());
    client.call("bash", json!({"command": "true"})).assert_success();
    assert!(workspace.path("loaded").exists(), "the command did not get its environment");
    assert!(!workspace.base().join("outside/new").exists(), "the library wrote outside");
}

#[test]
fn command_has_the_same_environment_as_without_a_sandbox() {
    let workspace = workspace();
    let flags = ["--sandbox", "read-only"];
    let start = || {
        let odd = "a=b\n\"c\"  \u{fc}";
        let start = Start::new(&workspace)
            .env("ODD", odd)
            .env("EMPTY", "")
            .env("GLIBC_TUNABLES", "glibc.malloc.check=0");
        start.env("LD_LIBRARY_PATH", "")
    };
    let variables = |client: &mut Client| {
        // Variables that differ between calls or modes are removed.
        let command = "env -0 | LC_ALL=C sort -z | grep -zvE '^(TMPDIR|CUTLINE_MARK|_)=' | base64 -w0; echo $BASHPID $PPID | wc -w; [ $CUTLINE_MARK ]";
        let reply = client.call("bash", json!({"command": command}));
        assert_eq!(reply.details()["exitCode"], 0, "{reply}");
        reply.text().to_owned()
    };
    let Some(mut restricted) = started(|| start().flags(flags)) else { return };
    let mut unrestricted = start().client();
    assert_eq!(variables(&mut restricted), variables(&mut unrestricted));
}

#[test]
fn command_has_its_own_session_and_group() {
    let workspace = workspace();
    let Some(mut client) = started(|| Start::new(&workspace).flags(["--sandbox", "read-only"])) else {
        return;
    };
    // Otherwise, it could join the server's group, which could then become stopped and orphaned.
    let command = "cut -d' ' -f5,6 /proc/$$/stat; echo $$ $$";
    let reply = client.call("bash", json!({"command": command}));
    let lines: Vec<&str> = reply.text().lines().collect();
    assert!(matches!(lines[..], [own, pair] if own == pair), "{reply}");
}

#[test]
fn command_of_a_nested_server_has_a_separate_tag() {
    let workspace = workspace();
    let start = || Start::new(&workspace).env("CUTLINE_MARK", "1.2.3.4.5");
    let Some(mut restricted) = started(|| start().flags(["--sandbox", "read-only"])) else { return };
    for client in [&mut restricted, &mut start().client()] {
        let tag = client.call("bash", json!({"command": "echo $CUTLINE_MARK"}));
        let server = format!("{}.", client.id());
        assert!(tag.text().starts_with(&server), "{server} {tag}");
    }
}

#[test]
fn nested_server_runs_under_both_sandboxes() {
    for unprivileged in [false, true] {
        let workspace = workspace();
        workspace.write(".mcp.json", "{}\n");
        let binary = workspace.base().join("cutline");
        fs::copy(env!("CARGO_BIN_EXE_cutline"), &binary).unwrap();
        let binary = binary.display();
        if unprivileged && rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(workspace.root(), Some(65534), Some(65534)).unwrap();
        }
        let start = || {
            let start = Start::new(&workspace).flags(["--sandbox", "workspace-write"]);
            if unprivileged { start.unprivileged() } else { start }
        };
        let Some(mut client) = started(start) else { return };
        for (mode, writes) in [("off", true), ("workspace-write", true), ("read-only", false)] {
            let writes = if writes { "0" } else { "1" };
            let inner = "echo x > new; echo $?; echo x > <base>/outside/new; echo $?";
            let command = format!(
                "env -u CUTLINE_SANDBOX {binary} call --root . --sandbox {mode} bash command='({inner}) 2>/dev/null'"
            );
            let reply = client.call("bash", json!({"command": workspace.expand(&command)}));
            let text = reply.text();
            assert!(text.lines().rev().take(2).eq(["1", writes]), "{mode}, {unprivileged}: {reply}");
            assert!(!workspace.base().join("outside/new").exists());
        }
    }
}

#[test]
fn inherited_descriptors_do_not_reach_a_command() {
    let workspace = workspace();
    for mode in ["off", "workspace-write", "read-only"] {
        let start = || {
            let open = "exec 3<>/dev/null 7</ 20>>\"$HOME/open\" 200</dev/null; exec \"$0\" \"$@\"";
            Start::new(&workspace).through("bash", &["-c", open]).flags(["--sandbox", mode])
        };
        let Some(mut client) = started(start) else { return };
        let command = "cd /proc/$$/fd && for fd in *; do [ -e $fd ] && echo $fd $(readlink $fd); done; true";
        let reply = client.call("bash", json!({"command": command}));
        let lines: Vec<&str> = reply.text().lines().collect();
        assert_eq!(lines.len(), 3, "{reply}");
        assert_eq!(lines[0], "0 /dev/null", "{reply}");
        assert!(lines[1].starts_with("1 pipe:") && lines[2].starts_with("2 pipe:"), "{reply}");
    }
}

#[test]
fn no_command_starts_in_a_root_that_became_a_link() {
    let workspace = workspace();
    let Some(mut client) = client(&workspace, &["--sandbox", "read-only"]) else { return };
    client.call("bash", json!({"command": "pwd -P"})).assert_text(&workspace.expand("<root>\n"));
    let moved = workspace.base().join("moved");
    fs::rename(workspace.root(), &moved).unwrap();
    std::os::unix::fs::symlink(workspace.base().join("outside"), workspace.root()).unwrap();
    let reply = client.call("bash", json!({"command": "pwd -P"}));
    fs::remove_file(workspace.root()).unwrap();
    fs::rename(&moved, workspace.root()).unwrap();
    assert_ne!(reply.details()["exitCode"], 0, "{reply}");
}

/// The capabilities for files, users and processes: bits 0 to 3, 5 to 7, and 18.
const KEPT_CAPABILITIES: u64 = 0x0004_00ef;

#[test]
fn system_capabilities_are_dropped() {
    let workspace = workspace();
    for mode in ["workspace-write", "read-only"] {
        let Some(mut client) = client(&workspace, &["--sandbox", mode]) else { return };
        let command = "grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status";
        let reply = client.call("bash", json!({"command": command}));
        for line in reply.text().lines() {
            let bits = u64::from_str_radix(line.split_whitespace().last().unwrap(), 16).unwrap();
            assert_eq!(bits & !KEPT_CAPABILITIES, 0, "{reply}");
        }
        assert_eq!(reply.text().lines().count(), 4, "{reply}");
    }
}
