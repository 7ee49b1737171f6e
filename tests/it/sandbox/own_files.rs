//! The files of the server must be outside the folders that commands can write to.

use std::process::Stdio;

use serde_json::json;

use super::{client, workspace};
use crate::support::{Start, Workspace};

/// Starts a server with empty input. Returns its exit code and stderr.
fn outcome(workspace: &Workspace, flags: &[&str]) -> (Option<i32>, String) {
    let start = Start::new(workspace).flags(flags);
    let output = start.command().stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn server_files_in_a_writable_folder_are_refused_at_the_start() {
    let workspace = workspace();
    if client(&workspace, &["--sandbox", "workspace-write"]).is_none() {
        return;
    }
    let link =
        |at: &str, to: &str| std::os::unix::fs::symlink(workspace.base().join(to), workspace.base().join(at));
    link("link-in", "root/inside").unwrap();
    let cases: [(&[&str], &str); 7] = [
        (&["--spill-dir", "<root>/saved"], "the folder of saved outputs"),
        (&["--spill-dir", "<root>"], "the folder of saved outputs"),
        (&["--spill-dir", "inside/new/folder"], "the folder of saved outputs"),
        (&["--spill-dir", "<base>/link-in/new"], "the folder of saved outputs"),
        (&["--writable", "<base>/saved"], "the folder of saved outputs"),
        (&["--stats-file", "<root>/calls.jsonl"], "the file of --stats-file"),
        (
            &["--stats-file", "<base>/extra/calls.jsonl", "--writable", "<base>/extra"],
            "the file of --stats-file",
        ),
    ];
    for (flags, named) in cases {
        let flags = [flags, &["--root", "<root>"]].concat();
        let (code, stderr) = outcome(&workspace, &[&flags[..], &["--sandbox", "workspace-write"]].concat());
        assert_eq!(code, Some(2), "{flags:?}: {stderr}");
        assert!(
            stderr.contains(&format!("--sandbox: {named} (")) && stderr.contains("must not lie in "),
            "{stderr}"
        );
        // The server starts if commands cannot write these folders, or if there is no sandbox.
        for mode in ["read-only", "off"] {
            let (code, stderr) = outcome(&workspace, &[&flags[..], &["--sandbox", mode]].concat());
            assert_eq!(code, Some(0), "{flags:?} {mode}: {stderr}");
        }
    }
    let default = Start::new(&workspace).default_saved_dir().env("TMPDIR", "<base>/extra");
    let default = default.flags(["--root", "<base>/extra", "--sandbox", "workspace-write"]);
    let output = default.command().stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    // A command could change the files of other servers there.
    let writable = ["--root", "<root>", "--writable", "<base>/extra", "--sandbox", "workspace-write"];
    let output = Start::new(&workspace).env("TMPDIR", "<base>/extra").flags(writable).command();
    let output = { output }.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("--sandbox: the temp folder (") && stderr.contains("must not lie in "),
        "{stderr}"
    );
}

#[test]
fn refused_start_creates_no_folder_of_saved_outputs() {
    let workspace = workspace();
    let flags = ["--root", "<root>", "--spill-dir", "<root>/new", "--sandbox", "workspace-write"];
    let (code, stderr) = outcome(&workspace, &flags);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(!workspace.path("new").exists());
}

#[test]
fn server_starts_in_a_folder_that_contains_the_saved_outputs() {
    let workspace = workspace();
    let flags = ["--sandbox", "workspace-write", "--spill-dir", "<root>/saved"];
    let start = || Start::new(&workspace).flags(flags).roots(&[workspace.path("inside")]);
    let Some(mut client) = super::started(start) else { return };
    client.call("bash", json!({"command": "touch x && ls x"})).assert_text("x\n");
    // Without roots of the client, the working folder is the root.
    let mut client = Start::new(&workspace).flags(flags).client();
    client.call("bash", json!({"command": "touch x"})).assert_contains("must not lie in");
    assert!(!workspace.path("x").exists());
}

#[test]
fn no_command_runs_if_a_client_root_contains_the_saved_outputs() {
    let workspace = workspace();
    let start = || {
        Start::new(&workspace).flags(["--sandbox", "workspace-write"]).roots(&[workspace.base().to_owned()])
    };
    let Some(mut client) = super::started(start) else { return };
    client.ask("tools/list", json!({}));
    let reply = client.call("bash", json!({"command": "touch saved/x"}));
    reply.assert_contains("must not lie in");
    assert!(!workspace.saved_dir().join("x").exists());
}

#[test]
fn commands_get_no_temp_folder_of_others() {
    let workspace = workspace();
    for mode in ["read-only", "workspace-write"] {
        let Some(mut client) = client(&workspace, &["--sandbox", mode]) else { return };
        let mut run = |command: &str| client.call("bash", json!({"command": command}));
        let folder = run("echo $TMPDIR; chmod 777 $TMPDIR").text().trim().to_owned();
        run("stat -c %a $TMPDIR").assert_text("700\n");
        std::fs::remove_dir_all(&folder).unwrap();
        run("touch $TMPDIR/x && stat -c %a $TMPDIR").assert_text("700\n");
        std::fs::rename(&folder, workspace.base().join(mode)).unwrap();
        std::os::unix::fs::symlink(workspace.base().join("extra"), &folder).unwrap();
        let reply = run("echo x > $TMPDIR/new");
        reply.assert_contains("is not a folder of this user's alone. Start the server again");
        assert!(!workspace.base().join("extra/new").exists());
        std::fs::remove_file(&folder).unwrap();
        run("touch $TMPDIR/x && stat -c %a $TMPDIR").assert_text("700\n");
    }
}
