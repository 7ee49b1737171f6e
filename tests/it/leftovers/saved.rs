//! Files and folders that a server leaves behind, and when cutline removes them.

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

/// Returns the paths of all files below `folder`.
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
    let stale = folder("cutline-commands-aa", 0o700);
    // The folder is locked, so its server still runs.
    let locked = folder("cutline-commands-bb", 0o700);
    let lock = fs::File::open(&locked).unwrap();
    lock.lock().unwrap();
    let open = folder("cutline-commands-cc", 0o755);
    let old_output = old_saved_output(&workspace.saved_dir());
    let _next = Start::new(&workspace).env("TMPDIR", "<base>/tmp").client();
    eventually("the server has finished its clean-up", || !old_output.exists());
    assert!(!stale.exists());
    for path in [locked, open] {
        assert!(path.join("a/b/file").exists(), "{}", path.display());
    }
    assert_eq!(fs::read_to_string(workspace.base().join("victim/kept")).unwrap(), "kept\n");
}

#[test]
fn temp_folder_of_an_idle_killed_server_is_removed() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let flags = ["--sandbox", "read-only"];
    if !sandbox_is_supported(&workspace, &flags) {
        return;
    }
    let start = || Start::new(&workspace).env("TMPDIR", "<base>/tmp");
    let folders = || fs::read_dir(workspace.base().join("tmp")).unwrap().count();
    let mut killed = start().flags(flags).client();
    eventually("the server has created its temp folder", || folders() == 1);
    killed.signal(Signal::KILL);
    killed.exit();
    assert_eq!(folders(), 1);
    let _next = start().client();
    eventually("the temp folder is removed", || folders() == 0);
}

#[test]
fn no_output_is_saved_through_a_link_in_place_of_the_folder() {
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
fn files_with_the_name_of_a_saved_output_are_not_trusted() {
    let workspace = Workspace::with(&json!({"../secret": "secret\n"}));
    let saved = workspace.saved_dir();
    let name = |nth: u32| saved.join(format!("cutline-bash-planted{nth:05}.log"));
    fs::hard_link(workspace.base().join("secret"), name(1)).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, name(2), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    symlink(workspace.base().join("secret"), name(3)).unwrap();
    fs::write(name(4), "planted\n").unwrap();
    // Only root can change the owner of a file.
    let has_foreign = std::os::unix::fs::chown(name(4), Some(12_345), None).is_ok();
    fs::write(name(5), "own\n").unwrap();
    let mut client = Client::new(&workspace);
    let mut refused = vec![1, 2, 3];
    refused.extend(has_foreign.then_some(4));
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
    eventually("the first part is written", || lines() == 5001);
    client
        .call("read", json!({"path": path, "limit": 2}))
        .assert_text("started\nline 1\n\n[Showing lines 1-2 of 5001. Use offset=3 to continue]");
    let found = client.call("grep", json!({"pattern": "^line 4999$", "path": path}));
    found.assert_text(&format!("{}:5000: line 4999", path.display()));

    workspace.write("go", "");
    eventually("the rest is written", || lines() == 5004);
    client.call("read", json!({"path": path, "offset": -2})).assert_text("late 2\nlate 3\n");
    let found = client.call("grep", json!({"pattern": "late 1", "path": path}));
    found.assert_text(&format!("{}:5002: late 1", path.display()));
}

#[test]
fn short_session_and_single_call_remove_old_saved_outputs() {
    let workspace = Workspace::new();
    let old_output = old_saved_output(&workspace.saved_dir());
    let mut client = Client::new(&workspace);
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert!(!old_output.exists(), "a session that ends at once did not remove the old output");
    let old_output = old_saved_output(&workspace.saved_dir());
    let call = Start::new(&workspace).flags(["call", "ls"]).command().output().unwrap();
    assert!(call.status.success() && !old_output.exists(), "{call:?}");
}

#[test]
fn clean_end_leaves_only_reported_saved_outputs() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let tmp = workspace.base().join("tmp");
    let start = |flags: &[&str]| {
        Start::new(&workspace).default_saved_dir().env("TMPDIR", "<base>/tmp").flags(flags).client()
    };
    let mut reported = Vec::new();
    for flags in [&["--root", "<root>"][..], &["--root", "<root>", "--sandbox", "workspace-write"]] {
        if flags.len() > 2 && !sandbox_is_supported(&workspace, flags) {
            continue;
        }
        let mut client = start(flags);
        client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
        reported.push(saved_path(&client.call("bash", json!({"command": "seq 3000"}))));
        let lingering = "echo x > \"${TMPDIR:?}/by-a-command\"; rm \"$TMPDIR/by-a-command\"; sleep 600 & setsid sleep 600 & echo hi";
        reported.push(saved_path(&client.call("bash", json!({"command": lingering}))));
        client.send_call("bash", json!({"command": "seq 3000; sleep 600"}), None);
        eventually("all processes run", || workspace.processes(client.id()).len() >= 3);
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        eventually("no process is left", || workspace.processes(client.id()).is_empty());
    }
    reported.sort();
    assert_eq!(files_below(&tmp), reported);
    let folders = fs::read_dir(&tmp).unwrap().count();
    assert_eq!(folders, 1, "{} has more than the folder of the saved outputs", tmp.display());
}

/// Returns true if a server starts with these flags. It does not start if the kernel cannot enforce them.
fn sandbox_is_supported(workspace: &Workspace, flags: &[&str]) -> bool {
    let mut command = Start::new(workspace).flags(flags).command();
    command.stdin(Stdio::null()).output().unwrap().status.success()
}
