//! Configured paths that a command could redirect: paths through a link in a writable folder, or through a folder that a
//! command can replace with a link.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::json;

use super::{client, started, workspace};
use crate::support::{Client, Start, Workspace};

/// An unprivileged user.
const NOBODY: u32 = 65534;

/// Creates a workspace with a link and a folder in its root, and links outside that point to them. The user who starts the
/// server owns all files.
fn linked(unprivileged: bool) -> Workspace {
    let workspace = workspace();
    fs::create_dir(workspace.path("sub")).unwrap();
    symlink(workspace.base().join("outside"), workspace.path("way-out")).unwrap();
    for (link, to) in [("hop", "root/way-out"), ("to-sub", "root/sub"), ("to-root", "root")] {
        symlink(workspace.base().join(to), workspace.base().join(link)).unwrap();
    }
    if unprivileged && rustix::process::geteuid().is_root() {
        for path in ["root", "root/sub", "root/inside", "outside", "outside/folder", "extra", "home", "."] {
            chown(workspace.base().join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    workspace
}

fn start<'a>(workspace: &'a Workspace, unprivileged: bool, flags: &[&str]) -> Start<'a> {
    let start = Start::new(workspace).flags(["--sandbox", "workspace-write"]).flags(flags);
    if unprivileged { start.unprivileged() } else { start }
}

/// Starts a server with empty input. Returns its exit code and stderr.
fn outcome(start: &Start<'_>) -> (Option<i32>, String) {
    let Output { status, stderr, .. } =
        start.command().stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn paths_through_a_writable_folder_are_refused_at_the_start() {
    for unprivileged in [false, true] {
        let workspace = linked(unprivileged);
        if started(|| start(&workspace, unprivileged, &[])).is_none() {
            return;
        }
        let cases: [(&[&str], &str); 13] = [
            (&["--root", "<root>", "--spill-dir", "<base>/hop"], "the folder of saved outputs"),
            (&["--root", "<root>", "--spill-dir", "<base>/to-root/way-out"], "the folder of saved outputs"),
            (&["--root", "<root>", "--spill-dir", "<root>/sub/../../outside"], "the folder of saved outputs"),
            (&["--root", "<root>", "--spill-dir", "<base>/hop/folder"], "the folder of saved outputs"),
            (&["--root", "<root>", "--stats-file", "<base>/hop/calls.jsonl"], "the file of --stats-file"),
            (
                &["--root", "<root>", "--stats-file", "<base>/to-root/way-out/calls.jsonl"],
                "the file of --stats-file",
            ),
            (&["--root", "<root>", "--writable", "<base>/hop"], "--writable"),
            (&["--root", "<root>", "--writable", "way-out/folder"], "--writable"),
            (&["--root", "<root>", "--root", "<base>/hop"], "the root"),
            (&["--root", "<root>", "--root", "<root>/way-out"], "the root"),
            (&["--root", "<root>/sub/.."], "the root"),
            (&["--root", "<base>/hop", "--writable", "<root>"], "the root"),
            // A root with a path that a command can redirect does not make another path acceptable.
            (&["--root", "<root>", "--root", "way-out", "--writable", "<base>/hop/folder"], "the root"),
        ];
        for (flags, named) in cases {
            let (code, stderr) = outcome(&start(&workspace, unprivileged, flags));
            assert_eq!(code, Some(2), "{flags:?}: {stderr}");
            assert!(stderr.contains(&format!("--sandbox: the way to {named} (")), "{flags:?}: {stderr}");
        }
    }
}

/// Replaces a folder of the root with a link. If a flag contains the path of the folder, the next server must refuse it.
const SWAP: &str = "rm -r sub && ln -s <base>/outside sub";

#[test]
fn folder_replaced_with_a_link_is_refused_by_the_next_server() {
    for unprivileged in [false, true] {
        for (flag, named) in [("--root", "the root"), ("--writable", "--writable")] {
            for given in ["<root>/sub", "<base>/to-sub"] {
                let workspace = linked(unprivileged);
                let flags = ["--root", "<root>", flag, given];
                let start = || start(&workspace, unprivileged, &flags);
                let Some(mut first) = started(start) else { return };
                let swap = json!({"command": workspace.expand(SWAP)});
                assert_eq!(first.call("bash", swap).details()["exitCode"], 0);
                first.close_stdin();
                first.exit();
                let (code, stderr) = outcome(&start());
                assert_eq!(code, Some(2), "{flags:?}: {stderr}");
                let named = workspace.expand(&format!("--sandbox: the way to {named} ({given})"));
                assert!(stderr.contains(&named), "{flags:?}: {stderr}");
                assert!(
                    stderr.contains(&workspace.expand("If <base>/outside is meant")),
                    "{flags:?}: {stderr}"
                );
            }
        }
    }
}

#[test]
fn temp_folder_with_a_path_through_the_root_is_refused() {
    let workspace = linked(false);
    let start = || start(&workspace, false, &["--root", "<root>"]).env("TMPDIR", "<root>/way-out");
    if client(&workspace, &["--sandbox", "workspace-write"]).is_none() {
        return;
    }
    let (code, stderr) = outcome(&start());
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("--sandbox: the way to the temp folder ("), "{stderr}");
}

#[test]
fn paths_that_no_command_can_change_are_accepted() {
    for unprivileged in [false, true] {
        let workspace = linked(unprivileged);
        let link =
            |at: &str, to: &str| symlink(workspace.base().join(to), workspace.base().join(at)).unwrap();
        link("private", "."); // like /tmp on macOS, or a home folder on another disk
        link("to-extra", "extra");
        link("to-saved", "saved");
        let cases: [&[&str]; 6] = [
            &["--root", "<base>/private/root", "--writable", "<base>/private/extra"],
            &["--root", "<base>/to-root", "--writable", "<base>/to-extra", "--spill-dir", "<base>/to-saved"],
            &["--root", "<root>", "--root", "<root>/sub", "--writable", "<root>/inside"],
            &["--root", "<root>", "--writable", "<base>/to-sub"],
            &["--root", "<root>/../root", "--writable", "<base>/extra/../extra"],
            &["--root", "."],
        ];
        for flags in cases {
            let Some(mut client) = started(|| start(&workspace, unprivileged, flags)) else { return };
            client.call("bash", json!({"command": "echo x > sub/new && cat sub/new"})).assert_text("x\n");
        }
        // If commands can write only their temp folder, they cannot redirect any path.
        let flags = ["--sandbox", "read-only", "--spill-dir", "<base>/hop", "--root", "<root>"];
        let start = Start::new(&workspace).flags(flags);
        assert_eq!(outcome(&start).0, Some(0));
    }
}

#[test]
fn client_root_with_a_path_through_another_root_is_ignored() {
    for unprivileged in [false, true] {
        let workspace = linked(unprivileged);
        let roots: [PathBuf; 3] = ["root", "root/way-out", "to-sub"].map(|path| workspace.base().join(path));
        let Some(mut client) = started(|| start(&workspace, unprivileged, &[]).roots(&roots)) else { return };
        let write = workspace.expand("echo x > <base>/outside/new; echo x > sub/new");
        client.call("bash", json!({"command": write})).assert_success();
        assert!(workspace.path("sub/new").exists());
        assert!(!workspace.base().join("outside/new").exists(), "a command wrote outside");
        let secret = workspace.base().join("outside/secret.txt");
        client.call("read", json!({"path": secret})).assert_error(&["outside the workspace"]);
        let stderr = client.stderr();
        assert!(stderr.contains("the way to the root ("), "{stderr}");
    }
}

#[test]
fn no_command_starts_with_a_path_through_a_client_root() {
    for (flag, path, named) in [
        ("--writable", "<base>/hop", "--writable"),
        ("--spill-dir", "<base>/hop", "the folder of saved outputs"),
        ("--stats-file", "<base>/hop/calls.jsonl", "the file of --stats-file"),
    ] {
        let workspace = linked(false);
        let roots = [workspace.root().to_owned()];
        let start = || {
            let start = start(&workspace, false, &[flag, path]).roots(&roots);
            start.through("env", &["-C", workspace.home().to_str().unwrap()])
        };
        let Some(mut client): Option<Client> = started(start) else { return };
        let reply = client.call("bash", json!({"command": "echo x > ran"}));
        reply.assert_contains(&format!("the way to {named} ("));
        assert!(reply.is_error() && !workspace.path("ran").exists(), "{reply}");
    }
}
