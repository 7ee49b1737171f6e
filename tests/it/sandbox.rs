//! `--sandbox`: restrictions of commands by the kernel.
//!
//! Without kernel support, the server must refuse to start. These tests then fail, unless the variable
//! `CUTLINE_TEST_WITHOUT_LANDLOCK` is set.

mod autorun_files;
mod configured_paths;
#[cfg(target_os = "linux")]
mod devices;
#[cfg(target_os = "linux")]
mod file_systems;
#[cfg(target_os = "linux")]
mod git_folders;
#[cfg(target_os = "linux")]
mod namespaces;
mod own_files;
#[cfg(target_os = "linux")]
mod rights;
#[cfg(target_os = "linux")]
mod sockets;
mod start;

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Client, Start, Workspace, eventually};

fn workspace() -> Workspace {
    Workspace::with(&json!({
        "inside/a.txt": "inside\n",
        "link-out": {"symlink": "<base>/outside/secret.txt"},
        "../outside/secret.txt": "secret\n",
        "../outside/folder/x": "x\n",
        "../extra/x": "x\n",
    }))
}

/// If this variable is set, tests of the sandbox are skipped on a kernel without Landlock.
const WITHOUT_LANDLOCK: &str = "CUTLINE_TEST_WITHOUT_LANDLOCK";

/// Starts a server with these flags. Returns `None` if the kernel does not support the sandbox and the server reports that.
fn client(workspace: &Workspace, flags: &[&str]) -> Option<Client> {
    started(|| Start::new(workspace).flags(flags))
}

/// Starts a server like [`client`], with any settings.
fn started<'a>(start: impl Fn() -> Start<'a>) -> Option<Client> {
    let refused =
        start().command().stdin(Stdio::null()).stdout(Stdio::null()).output().expect("the binary runs");
    if refused.status.success() {
        return Some(start().client());
    }
    let reason = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{reason}");
    assert!(reason.contains("--sandbox") && reason.contains("Landlock"), "{reason}");
    assert!(
        cfg!(not(target_os = "linux")) || std::env::var_os(WITHOUT_LANDLOCK).is_some(),
        "the kernel does not support the sandbox; set {WITHOUT_LANDLOCK} if this is expected: {reason}"
    );
    None
}

/// Starts a server like [`client`] after the command `mount`, in a mount namespace of the server alone. Returns `None` also
/// for users other than root.
fn client_after(workspace: &Workspace, flags: &[&str], mount: &str) -> Option<Client> {
    let script = format!("{mount} && exec \"$0\" \"$@\"");
    let start = || Start::new(workspace).flags(flags).through("unshare", &["-m", "sh", "-c", &script]);
    rustix::process::geteuid().is_root().then(|| started(start)).flatten()
}

/// Compiles a C program into the base folder and returns its path. The compiler is `cc`, which also links these tests.
pub(crate) fn compiled(workspace: &Workspace, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (from, to) = (workspace.base().join(format!("{name}.c")), workspace.base().join(name));
    fs::write(&from, workspace.expand(source)).unwrap();
    let status = Command::new("cc").args(flags).arg("-o").args([&to, &from]).status();
    assert!(status.is_ok_and(|status| status.success()), "cc cannot compile {}", from.display());
    to
}

/// A program that starts another program. For that program, the system call with the number `CALL` does not exist.
#[cfg(target_os = "linux")]
pub(crate) const WITHOUT_SYSTEM_CALL: &str = r"
#include <errno.h>
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 3;
    return execv(words[1], words + 1);
}
";

#[cfg(target_os = "linux")]
#[test]
fn kernel_without_landlock_is_refused_at_the_start() {
    let workspace = workspace();
    let without = compiled(&workspace, "without", WITHOUT_SYSTEM_CALL, &["-DCALL=444"]).display().to_string();
    for mode in ["read-only", "workspace-write"] {
        let start = Start::new(&workspace).flags(["--sandbox", mode]).through(&without, &[]);
        let refused = start.command().stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("the kernel cannot enforce it (Landlock ABI 4"), "{stderr}");
    }
    let mut unrestricted = Start::new(&workspace).through(&without, &[]).client();
    unrestricted.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

/// Commands that try to change something outside the writable folders.
const CHANGES: [&str; 14] = [
    "echo x > <base>/outside/new",
    "echo x >> <base>/outside/secret.txt",
    "echo x > link-out",
    ": > <base>/outside/secret.txt",
    "truncate -s 0 <base>/outside/secret.txt",
    "rm <base>/outside/secret.txt",
    "rm -r <base>/outside/folder",
    "mkdir <base>/outside/new",
    "mkfifo <base>/outside/new",
    "ln -s x <base>/outside/new",
    "ln <base>/outside/secret.txt hard-link",
    "mv <base>/outside/secret.txt here",
    "mv inside/a.txt <base>/outside/a.txt",
    "cp inside/a.txt <base>/outside/a.txt",
];

#[track_caller]
fn assert_refused(client: &mut Client, workspace: &Workspace, command: &str) {
    let command = workspace.expand(command);
    let reply = client.call("bash", json!({"command": command}));
    assert_ne!(reply.details()["exitCode"], 0, "{reply}");
    assert_eq!(
        fs::read_to_string(workspace.base().join("outside/secret.txt")).unwrap(),
        "secret\n",
        "{reply}"
    );
    assert_eq!(fs::read_dir(workspace.base().join("outside")).unwrap().count(), 2, "{reply}");
}

#[test]
fn workspace_write_allows_no_change_outside() {
    let workspace = workspace();
    let Some(mut client) = client(&workspace, &["--sandbox", "workspace-write"]) else { return };
    for command in CHANGES {
        assert_refused(&mut client, &workspace, command);
    }
    let command = "echo one > new && mv new inside/two && mkdir d && ln -s two inside/l && cat inside/l && rm inside/two";
    client.call("bash", json!({"command": command})).assert_text("one\n");
}

#[test]
fn read_only_allows_no_change() {
    let workspace = workspace();
    let Some(mut client) = client(&workspace, &["--sandbox", "read-only"]) else { return };
    for command in CHANGES.iter().chain(&["echo x > inside/a.txt", "touch new", "rm inside/a.txt", "mkdir d"])
    {
        assert_refused(&mut client, &workspace, command);
    }
    let reads = workspace.expand("cat inside/a.txt <base>/outside/secret.txt");
    client.call("bash", json!({"command": reads})).assert_text("inside\nsecret\n");
}

#[test]
fn temp_folder_of_commands_is_in_tmp_with_empty_tmpdir() {
    let workspace = workspace();
    let start = || Start::new(&workspace).env("TMPDIR", "").flags(["--sandbox", "read-only"]);
    let Some(mut client) = started(start) else { return };
    let reply = client.call("bash", json!({"command": "cd $TMPDIR/.. && pwd -P"}));
    reply.assert_text(&format!("{}\n", Path::new("/tmp").canonicalize().unwrap().display()));
}

#[test]
fn each_mode_has_a_separate_temp_folder() {
    for mode in ["read-only", "workspace-write"] {
        let workspace = workspace();
        let Some(mut client) = client(&workspace, &["--sandbox", mode]) else { return };
        let command = "f=$(mktemp) && echo x > $f && cat $f && stat -c %a $TMPDIR && echo $TMPDIR";
        let reply = client.call("bash", json!({"command": command}));
        let lines: Vec<&str> = reply.text().lines().collect();
        assert_eq!(&lines[..2], ["x", "700"], "{reply}");
        let folder = PathBuf::from(lines[2]);
        assert!(folder.is_dir(), "{reply}");
        // The shared temp folder is not writable.
        let shared =
            format!("echo x > '{}/cutline-test-of-the-shared-folder'", std::env::temp_dir().display());
        assert_ne!(client.call("bash", json!({"command": shared})).details()["exitCode"], 0);
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        assert!(!folder.exists(), "the temp folder was not removed");
    }
}

#[test]
fn temp_folder_without_permissions_is_removed() {
    for mode in ["555", "000"] {
        let workspace = workspace();
        let start = || Start::new(&workspace).flags(["--sandbox", "workspace-write"]).of_user(65_534);
        let Some(mut client) = started(start) else { return };
        let command = format!("touch $TMPDIR/x; echo $TMPDIR; chmod {mode} $TMPDIR");
        let reply = client.call("bash", json!({"command": command}));
        let folder = PathBuf::from(reply.text().trim());
        assert!(folder.is_dir(), "{reply}");
        client.close_stdin();
        assert_eq!(client.exit().code(), Some(0));
        assert!(!folder.exists(), "the temp folder with mode {mode} was not removed");
    }
}

#[test]
fn writable_folders_and_devices_may_be_written_to() {
    let workspace = workspace();
    let flags = ["--sandbox", "workspace-write", "--writable", "<base>/extra"];
    let Some(mut client) = client(&workspace, &flags) else { return };
    let command = workspace.expand("echo x > /dev/null && echo y > <base>/extra/y && cat <base>/extra/y");
    client.call("bash", json!({"command": command})).assert_text("y\n");
    assert_refused(&mut client, &workspace, "echo x > <base>/outside/new");
}

#[test]
fn commands_open_no_tcp_connection() {
    let workspace = workspace();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = json!({"command": format!("echo hello > /dev/tcp/127.0.0.1/{port}")});
    let options = "LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1";
    let bind = json!({"command": format!("perl -MIO::Socket::INET -e \"IO::Socket::INET->new({options}) or die qq(\\$!)\"")});
    for mode in ["workspace-write", "read-only"] {
        let Some(mut client) = client(&workspace, &["--sandbox", mode]) else { return };
        for command in [&connect, &bind] {
            let reply = client.call("bash", command.clone());
            assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            reply.assert_contains("Permission denied");
        }
    }

    // Without the sandbox, the same commands succeed.
    for command in [connect, bind] {
        assert_eq!(Client::new(&workspace).call("bash", command).details()["exitCode"], 0);
    }
    let mut received = String::new();
    listener.accept().unwrap().0.read_to_string(&mut received).unwrap();
    assert_eq!(received, "hello\n");
}

#[test]
fn child_processes_are_restricted_too() {
    let workspace = workspace();
    let Some(mut client) = client(&workspace, &["--sandbox", "workspace-write"]) else { return };
    for command in [
        "setsid -w bash -c 'echo x > <base>/outside/new; exit 1'",
        "(bash -c 'sleep 0.05; echo x > <base>/outside/new' & wait $!; exit 1)",
        "env -i bash -c 'echo x > <base>/outside/new'",
        "cd <base>/outside && echo x > new",
    ] {
        assert_refused(&mut client, &workspace, command);
    }
}

#[test]
fn output_timeout_and_background_work_in_the_sandbox() {
    let workspace = workspace();
    let Some(mut client) = client(&workspace, &["--sandbox", "workspace-write"]) else { return };
    client
        .call("bash", json!({"command": "pwd; cat; echo $TERM; exit 3"}))
        .assert_text(&workspace.expand("<root>\ndumb\n\nCommand exited with code 3"));
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    reply.assert_contains("3000\n\n[Showing lines 1001-3000 of 3000. Full output: ");
    client.call("read", json!({"path": reply.details()["fullOutputPath"], "limit": 1})).assert_success();
    client
        .call("bash", json!({"command": "echo a; sleep 600", "timeout": 3}))
        .assert_text("a\n\nCommand timed out after 3 seconds");
    client
        .call("bash", json!({"command": "sleep 600 & echo hi"}))
        .assert_contains("Background process still running");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    eventually("its processes have ended", || workspace.processes(client.id()).is_empty());
}

#[test]
fn next_server_removes_temp_folder_of_a_killed_one() {
    let workspace = workspace();
    // The servers of other tests do not clean up this temp folder.
    let unrestricted = || Start::new(&workspace).env("TMPDIR", "<base>/extra");
    let start = || unrestricted().flags(["--sandbox", "workspace-write"]);
    let Some(mut killed) = started(start) else { return };
    let folder =
        killed.call("bash", json!({"command": "mkdir $TMPDIR/sub; printf $TMPDIR"})).text().to_owned();
    let running = started(start).map(|mut running| {
        let folder = running.call("bash", json!({"command": "printf $TMPDIR"})).text().to_owned();
        (running, PathBuf::from(folder))
    });
    killed.signal(Signal::KILL);
    killed.exit();
    assert!(Path::new(&folder).is_dir(), "{folder}");
    fs::remove_dir_all(&running.as_ref().unwrap().1).unwrap();
    let _next = unrestricted().client();
    eventually("the folder is removed", || !Path::new(&folder).exists());
    // A running server creates its temp folder again after its removal.
    let (mut running, folder) = running.unwrap();
    running.call("bash", json!({"command": "touch $TMPDIR/x"})).assert_text("(no output)");
    assert!(folder.join("x").exists());
}
