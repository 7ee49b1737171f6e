//! System calls that change a file system outside the workspace and that Landlock does not check: mounts, and requests on
//! open folders.

use std::fs;
use std::os::unix::fs::chown;

use serde_json::json;

use super::{compiled, started, workspace};
use crate::support::{Start, Workspace};

/// The flags of each mode.
const MODES: [[&str; 2]; 2] = [["--sandbox", "workspace-write"], ["--sandbox", "read-only"]];
/// An unprivileged user.
const NOBODY: u32 = 65534;

/// Configures an overlay file system in a user namespace, without mounting it. The arguments are the lower, the upper and
/// the work directory. The kernel would empty the folder `work` in the work directory.
const OVERLAY: &str = r#"
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { FSOPEN = 430, FSCONFIG = 431, SET_STRING = 1, CREATE = 6 };
int main(int argc, char **argv) {
    unshare(CLONE_NEWUSER | CLONE_NEWNS);
    int overlay = syscall(FSOPEN, "overlay", 0);
    if (overlay < 0) {
        perror("fsopen");
        return 1;
    }
    syscall(FSCONFIG, overlay, SET_STRING, "lowerdir", argv[1], 0);
    syscall(FSCONFIG, overlay, SET_STRING, "upperdir", argv[2], 0);
    syscall(FSCONFIG, overlay, SET_STRING, "workdir", argv[3], 0);
    syscall(FSCONFIG, overlay, CREATE, 0, 0, 0);
    return 0;
}
"#;

/// Returns a workspace with a folder outside that belongs to the user who starts the server.
fn with_work_folder(unprivileged: bool) -> Workspace {
    let workspace = workspace();
    for folder in ["outside/lower", "outside/work", "upper"] {
        fs::create_dir(workspace.base().join(folder)).unwrap();
    }
    fs::write(workspace.base().join("outside/work/precious"), "precious\n").unwrap();
    if unprivileged && rustix::process::geteuid().is_root() {
        for path in ["root", "outside", "outside/lower", "outside/work", "outside/work/precious", "upper"] {
            chown(workspace.base().join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    workspace
}

#[test]
fn configured_overlay_does_not_empty_a_folder_outside() {
    for unprivileged in [false, true] {
        for flags in MODES {
            let workspace = with_work_folder(unprivileged);
            let overlay = compiled(&workspace, "overlay", OVERLAY, &[]);
            let start = || {
                let start = Start::new(&workspace).flags(flags);
                if unprivileged { start.unprivileged() } else { start }
            };
            let Some(mut client) = started(start) else { return };
            let command = format!("{} <base>/outside/lower <base>/upper <base>/outside", overlay.display());
            let reply = client.call("bash", json!({"command": workspace.expand(&command)}));
            let kept = fs::read_to_string(workspace.base().join("outside/work/precious"));
            assert_eq!(kept.ok().as_deref(), Some("precious\n"), "{flags:?}, {unprivileged}: {reply}");
            reply.assert_contains("fsopen: Operation not permitted");
        }
    }
}
