//! Processes that commands leave behind, and when they end.

mod saved;

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::json;

use crate::bounds::memory_peak_kb;
use crate::sandbox::{WITHOUT, compiled};
use crate::support::{Client, Start, Workspace, eventually};

/// A command that stays, with a child that has left its process group; neither heeds SIGTERM.
const STUBBORN: &str = "trap '' TERM; setsid bash -c \"trap '' TERM; sleep 600 & wait; sleep 600\" & sleep 600 & wait; sleep 600";
/// A process that left the group of the command and keeps no file of it open.
const DAEMON: &str = "setsid sleep 600 >/dev/null 2>&1 </dev/null &";

#[test]
fn processes_of_a_killed_server_are_ended_by_the_next() {
    let workspace = Workspace::new();
    let mut killed = Client::new(&workspace);
    killed.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_success();
    killed.call("bash", json!({"command": "sleep 600 & setsid sleep 600 & echo hi"})).assert_success();
    // It gave its output up, and stayed in the session.
    killed.call("bash", json!({"command": "sleep 600 >/dev/null 2>&1 </dev/null &"})).assert_success();
    killed.send_call("bash", json!({"command": STUBBORN}), None);
    eventually("all of it runs", || workspace.processes(killed.id()).len() >= 8);
    killed.signal(Signal::KILL);
    killed.exit();

    let next = Client::new(&workspace);
    let daemon: i32 = fs::read_to_string(workspace.path("daemon")).unwrap().trim().parse().unwrap();
    eventually("all but the daemon are ended", || workspace.processes(next.id()) == [daemon]);
}

#[test]
fn a_daemon_outlives_clean_ends_and_later_starts() {
    let workspace = Workspace::new();
    let mut first = Client::new(&workspace);
    first.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_success();
    first.close_stdin();
    first.exit();
    let daemon: i32 = fs::read_to_string(workspace.path("daemon")).unwrap().trim().parse().unwrap();
    let swept = old_saved_output(&workspace.saved_dir());
    let next = Client::new(&workspace);
    eventually("the next server has cleared up", || !swept.exists());
    assert_eq!(workspace.processes(next.id()), [daemon]);
}

/// A process that reports an environment of hundreds of megabytes, as any process can do.
const VAST: &str = r#"
#include <linux/prctl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) {
    size_t bytes = 200UL << 20;
    char *vast = mmap(0, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (vast == MAP_FAILED) return 2;
    unsigned long at = (unsigned long)vast;
    struct prctl_mm_map map = {
        .start_code = at, .end_code = at + 1, .start_data = at, .end_data = at + 1, .start_brk = at, .brk = at,
        .start_stack = at, .arg_start = at, .arg_end = at + 1, .env_start = at, .env_end = at + bytes, .exe_fd = -1,
    };
    if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0)) return 3;
    puts("vast");
    fflush(stdout);
    pause();
}
"#;

#[cfg(target_os = "linux")]
#[test]
fn vast_environment_of_a_process_is_read_in_little_memory() {
    let workspace = Workspace::new();
    let vast = compiled(&workspace, "vast", VAST, &[]);
    let mut client = Client::new(&workspace);
    // The server reads the environment of processes outside the group of the command.
    let command = format!("setsid {} & wait", vast.display());
    let reply = client.call("bash", json!({"command": command, "timeout": 1}));
    reply.assert_text("vast\n\nCommand timed out after 1 second");
    let peak = memory_peak_kb(&client);
    assert!(peak < 60_000, "{peak} KB");
}

/// A user that no other test starts a server as.
const USER_APART: u32 = 65533;

#[test]
fn nested_server_ends_no_ancestor() {
    if !rustix::process::geteuid().is_root() {
        // Otherwise the servers of other tests belong to the same user and would correctly end both.
        eprintln!("not run: it needs a separate user, and therefore root");
        return;
    }
    let workspace = Workspace::new();
    let swept = old_saved_output(&workspace.saved_dir());
    std::os::unix::fs::chown(&swept, Some(USER_APART), Some(USER_APART)).unwrap();
    // As if a killed server's command had started the client, in that server's session.
    let (namespace, session) = namespace_and_session();
    let mark = format!("4194305.1.{namespace}.{session}.ab");
    let mut parent = Command::new("sleep");
    let mut parent =
        parent.arg("600").env("CUTLINE_MARK", &mark).uid(USER_APART).gid(USER_APART).spawn().unwrap();
    let _client = Start::new(&workspace).of_user(USER_APART).env("CUTLINE_MARK", &mark).client();
    eventually("the server has cleared up", || !swept.exists());
    assert!(parent.try_wait().unwrap().is_none(), "what started the server was ended");
    parent.kill().unwrap();
    parent.wait().unwrap();
}

/// An output that was saved long ago in `folder`: a server removes it at its start once all else that was left
/// is dealt with.
fn old_saved_output(folder: &Path) -> PathBuf {
    let path = folder.join("cutline-bash-longagolonga.log");
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    path
}

/// Returns the PID namespace of the tests and the session of the servers.
///
/// The session is 0 if it began outside the namespace, for example after entering a container.
fn namespace_and_session() -> (u64, u32) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after) = stat.rsplit_once(')').unwrap();
    let session = after.split_ascii_whitespace().nth(3).unwrap().parse().unwrap();
    (fs::metadata("/proc/self/ns/pid").unwrap().ino(), session)
}

#[test]
fn files_of_commands_cause_no_removal() {
    let uid = rustix::process::geteuid().as_raw();
    for (saved, flags) in [
        ("root/saved", &["--spill-dir", "<root>/saved"][..]),
        (&format!("tmp/cutline-{uid}"), &[]),
        (&format!("root/tmp/cutline-{uid}"), &["--tmp"]),
    ] {
        let workspace = Workspace::with(&json!({
            "../victim/kept": "kept\n",
            "../tmp": {"dir": true},
            "tmp": {"dir": true},
        }));
        let tmp = workspace.base().join(if flags == ["--tmp"] { "root/tmp" } else { "tmp" });
        let flags = if flags == ["--tmp"] { &[] } else { flags };
        let (victim, saved) = (workspace.base().join("victim"), workspace.base().join(saved));
        fs::DirBuilder::new().mode(0o700).create(&saved).unwrap();
        // An unrelated process with a separate pipe and group, and a link with the name of a temp folder.
        let mut stranger = Command::new("sleep");
        stranger.arg("600").current_dir(workspace.root()).stdout(Stdio::piped()).process_group(0);
        let mut stranger = stranger.spawn().unwrap();
        let pipe = fs::metadata(format!("/proc/{}/fd/1", stranger.id())).unwrap().ino();
        let link = tmp.join("cutline-sandbox-4194305.1.0.0.decoy");
        symlink(&victim, &link).unwrap();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let named = format!("temp {}/", link.display());
        let lines = format!("boot {boot}{named}\nrun aa\nleft bb {} {pipe}\n", stranger.id());
        fs::write(saved.join("cutline-server-4194305-1.lock"), lines).unwrap();
        let swept = old_saved_output(&saved);

        let mut start =
            Start::new(&workspace).env("TMPDIR", tmp.to_str().unwrap()).flags(flags.iter().copied());
        if flags.is_empty() {
            start = start.default_saved_dir();
        }
        let mut client = start.client();
        eventually("the server has cleared up", || !swept.exists());
        client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
        assert_eq!(fs::read_to_string(victim.join("kept")).unwrap(), "kept\n");
        assert!(stranger.try_wait().unwrap().is_none(), "a stranger was ended");
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}

#[test]
fn commands_of_a_living_server_outlive_another_start() {
    let workspace = Workspace::with(&json!({"../old/x": "x"}));
    let mut one = Client::new(&workspace);
    let id =
        one.send_call("bash", json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"}), None);
    eventually("it runs", || !workspace.processes(one.id()).is_empty());
    let mut other = Client::new(&workspace);
    other.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    workspace.write("go", "");
    assert_eq!(one.response(id)["result"]["content"][0]["text"], "went\n");
}

#[test]
fn cancelled_commands_leave_no_process() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let commands = ["sleep 600 & sleep 600; true", "setsid sleep 600 & sleep 600; true"];
    let ids: Vec<u64> = (0..64)
        .map(|n| client.send_call("bash", json!({"command": commands[n % commands.len()]}), None))
        .collect();
    eventually("all run", || workspace.processes(client.id()).len() == 3 * ids.len());
    for id in &ids {
        client.cancel(*id);
    }
    eventually("all are gone", || workspace.processes(client.id()).is_empty());
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    assert_eq!(client.unsolicited().len(), 0, "a call that was taken back was answered");
}

#[cfg(target_os = "linux")]
#[test]
fn without_pidfds_cancelled_commands_leave_no_process() {
    let workspace = Workspace::new();
    for (name, call) in [("pidfd_send_signal", "-DCALL=424"), ("pidfd_open", "-DCALL=434")] {
        let without = compiled(&workspace, name, WITHOUT, &[call]).display().to_string();
        let mut client = Start::new(&workspace).through(&without, &[]).client();
        let command = "(setsid sleep 600 &); touch started; sleep 600; true";
        let id = client.send_call("bash", json!({"command": command}), None);
        eventually("it runs", || workspace.path("started").exists());
        client.cancel(id);
        eventually("all are gone", || workspace.processes(client.id()).is_empty());
        client.call("bash", json!({"command": "rm started; (sleep 600) & echo hi"})).assert_success();
        client.close_stdin();
        let server = client.id();
        client.exit();
        eventually("the background process is gone", || workspace.processes(server).is_empty());
    }
}
