//! Files and folders that a server leaves behind, and when they go.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::json;

use super::old_saved_output;
use crate::support::{Client, Reply, Start, Workspace, eventually};

fn saved_path(reply: &Reply) -> PathBuf {
    reply.details()["fullOutputPath"].as_str().unwrap_or_else(|| panic!("nothing was saved\n{reply}")).into()
}

/// The names in a folder and below it, of all but folders.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

#[test]
fn only_temp_folders_of_ended_servers_are_removed() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}, "../victim/kept": "kept\n"}));
    let tmp = workspace.base().join("tmp");
    let folder = |name: &str, mode: u32| {
        let path = tmp.join(name);
        fs::create_dir_all(path.join("a/b")).unwrap();
        symlink(workspace.base().join("victim"), path.join("a/link")).unwrap();
        fs::write(path.join("a/b/file"), "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let stale = folder("cutline-sandbox-4194305.1.0.0.aa", 0o700);
    let stale_reports = folder("cutline-pipelines-4194305.1.0.0.aa", 0o700);
    // Another container's server may have that number; it holds the lock.
    let locked = folder("cutline-sandbox-4194305.1.0.0.bb", 0o700);
    let held = fs::File::open(&locked).unwrap();
    held.lock().unwrap();
    let open = folder("cutline-sandbox-4194305.1.0.0.cc", 0o755);
    let swept = old_saved_output(&workspace.saved_dir());
    let living = Client::new(&workspace);
    eventually("the living server has cleared up", || !swept.exists());
    let line = fs::read_to_string(format!("/proc/{}/stat", living.id())).unwrap();
    let start = line.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    let living_ones = folder(&format!("cutline-sandbox-{}.{start}.0.0.dd", living.id()), 0o700);
    let swept = old_saved_output(&workspace.saved_dir());
    let _next = Start::new(&workspace).env("TMPDIR", "<base>/tmp").client();
    eventually("the server has cleared up", || !swept.exists());
    assert!(!stale.exists() && !stale_reports.exists());
    for path in [locked, open, living_ones] {
        assert!(path.join("a/b/file").exists(), "{}", path.display());
    }
    assert_eq!(fs::read_to_string(workspace.base().join("victim/kept")).unwrap(), "kept\n");
}

#[test]
fn temp_folder_of_an_idle_killed_server_is_removed() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let flags = ["--sandbox", "read-only"];
    if !sandbox_is_known(&workspace, &flags) {
        return;
    }
    let start = || Start::new(&workspace).env("TMPDIR", "<base>/tmp");
    let folders = || fs::read_dir(workspace.base().join("tmp")).unwrap().count();
    let mut killed = start().flags(flags).client();
    eventually("it has made its temp folders", || folders() == 2);
    killed.signal(Signal::KILL);
    killed.exit();
    assert_eq!(folders(), 2);
    let _next = start().client();
    eventually("they are removed", || folders() == 0);
}

#[test]
fn a_saved_folder_swapped_for_a_link_leads_the_server_nowhere() {
    let workspace = Workspace::with(&json!({"saved": {"dir": true}, "../elsewhere": {"dir": true}}));
    let mut client = Start::new(&workspace).flags(["--spill-dir", "<root>/saved"]).client();
    let swap = workspace.expand("mv saved moved && ln -s <base>/elsewhere saved && seq 3000");
    client.call("bash", json!({"command": swap})).assert_success();
    client.call("bash", json!({"command": "seq 4000"})).assert_success();
    assert_eq!(fs::read_dir(workspace.base().join("elsewhere")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(workspace.path("moved")).unwrap().count(), 2);
}

#[test]
fn a_stats_file_that_is_a_link_is_refused() {
    let workspace = Workspace::with(&json!({"stats": {"symlink": "<base>/victim"}}));
    let start = Start::new(&workspace).flags(["--stats-file", "<root>/stats"]);
    let refused = start.command().stdin(Stdio::null()).output().unwrap();
    let reason = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{reason}");
    assert!(reason.contains("a link, which is not followed"), "{reason}");
    assert!(!workspace.base().join("victim").exists());
}

#[test]
fn a_planted_file_is_no_saved_output() {
    let workspace = Workspace::with(&json!({"../secret": "secret\n"}));
    let saved = workspace.saved_dir();
    let name = |nth: u32| saved.join(format!("cutline-bash-planted{nth:05}.log"));
    fs::hard_link(workspace.base().join("secret"), name(1)).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, name(2), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    symlink(workspace.base().join("secret"), name(3)).unwrap();
    fs::write(name(4), "planted\n").unwrap();
    // Only root can make a file another user's.
    let foreign = std::os::unix::fs::chown(name(4), Some(12_345), None).is_ok();
    fs::write(name(5), "own\n").unwrap();
    let mut client = Client::new(&workspace);
    let mut refused = vec![1, 2, 3];
    refused.extend(foreign.then_some(4));
    for nth in refused {
        client.call("read", json!({"path": name(nth)})).assert_error(&["outside"]);
        client.call("grep", json!({"pattern": ".", "path": name(nth)})).assert_error(&["outside"]);
    }
    client.call("read", json!({"path": name(5)})).assert_text("own\n");
}

#[test]
fn saved_output_is_readable_while_written() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "echo started; (seq -f 'line %.0f' 5000; until [ -e go ]; do sleep 0.02; done; seq -f 'late %.0f' 3) &";
    let path = saved_path(&client.call("bash", json!({"command": command})));
    let lines = || fs::read_to_string(&path).unwrap().lines().count();
    eventually("the first part is there", || lines() == 5001);
    client
        .call("read", json!({"path": path, "limit": 2}))
        .assert_text("started\nline 1\n\n[Showing lines 1-2 of 5001. Use offset=3 to continue]");
    let found = client.call("grep", json!({"pattern": "^line 4999$", "path": path}));
    found.assert_text(&format!("{}:5000: line 4999", path.display()));

    workspace.write("go", "");
    eventually("the rest is there", || lines() == 5004);
    client.call("read", json!({"path": path, "offset": -2})).assert_text("late 2\nlate 3\n");
    let found = client.call("grep", json!({"pattern": "late 1", "path": path}));
    found.assert_text(&format!("{}:5002: late 1", path.display()));
}

#[test]
fn short_session_and_single_call_remove_old_saved_outputs() {
    let workspace = Workspace::new();
    let swept = old_saved_output(&workspace.saved_dir());
    let mut client = Client::new(&workspace);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert!(!swept.exists(), "a session that ends at once leaves it");
    let swept = old_saved_output(&workspace.saved_dir());
    let call = Start::new(&workspace).flags(["call", "ls"]).command().output().unwrap();
    assert!(call.status.success() && !swept.exists(), "{call:?}");
}

#[test]
fn clean_end_leaves_only_reported_saved_outputs() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let tmp = workspace.base().join("tmp");
    let start = |flags: &[&str]| {
        Start::new(&workspace).default_saved_dir().env("TMPDIR", "<base>/tmp").flags(flags).client()
    };
    let mut named = Vec::new();
    for flags in [&["--root", "<root>"][..], &["--root", "<root>", "--sandbox", "workspace-write"]] {
        if flags.len() > 2 && !sandbox_is_known(&workspace, flags) {
            continue;
        }
        let mut client = start(flags);
        client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
        named.push(saved_path(&client.call("bash", json!({"command": "seq 3000"}))));
        let lingering = "echo x > \"${TMPDIR:?}/by-a-command\"; rm \"$TMPDIR/by-a-command\"; sleep 600 & setsid sleep 600 & echo hi";
        named.push(saved_path(&client.call("bash", json!({"command": lingering}))));
        client.send_call("bash", json!({"command": "seq 3000; sleep 600"}), None);
        eventually("all of it runs", || workspace.processes(client.id()).len() >= 3);
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        eventually("no process is left", || workspace.processes(client.id()).is_empty());
    }
    named.sort();
    assert_eq!(files_below(&tmp), named);
    let folders = fs::read_dir(&tmp).unwrap().count();
    assert_eq!(folders, 1, "another folder than that of the saved outputs was left in {}", tmp.display());
}

/// Returns true if a server starts with these flags. It does not start if the kernel cannot enforce them.
fn sandbox_is_known(workspace: &Workspace, flags: &[&str]) -> bool {
    let mut command = Start::new(workspace).flags(flags).command();
    command.stdin(Stdio::null()).output().unwrap().status.success()
}
