//! Processes that commands leave behind, and when cutline ends them.

mod saved;

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::bounds::memory_peak_kb;
use crate::sandbox::{WITHOUT_SYSTEM_CALL, compiled};
use crate::support::{Client, Start, Workspace, eventually};

/// Starts a process that leaves the group of the command and keeps none of its files open. Waits until it has left.
const DAEMON: &str = "setsid sleep 600 >/dev/null 2>&1 </dev/null & until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do :; done;";

#[test]
fn daemon_survives_clean_exits_and_later_servers() {
    let workspace = Workspace::new();
    let mut first = Client::new(&workspace);
    first.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_success();
    first.close_stdin();
    first.exit();
    let daemon: i32 = fs::read_to_string(workspace.path("daemon")).unwrap().trim().parse().unwrap();
    let old_output = old_saved_output(&workspace.saved_dir());
    let next = Client::new(&workspace);
    eventually("the next server has finished its clean-up", || !old_output.exists());
    assert_eq!(workspace.processes(next.id()), [daemon]);
}

/// A program whose environment in `/proc` has hundreds of megabytes. Any process can do this.
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
fn huge_environment_of_a_process_is_read_in_little_memory() {
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

/// Creates an old saved output in `folder`. A new server removes it after all other remains, so the end of this file shows
/// that the removal is complete.
fn old_saved_output(folder: &Path) -> PathBuf {
    let path = folder.join("cutline-bash-longagolonga.log");
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    path
}

#[test]
fn files_that_commands_write_do_not_control_the_cleanup() {
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
        let mut unrelated = Command::new("sleep");
        unrelated.arg("600").current_dir(workspace.root()).stdout(Stdio::piped()).process_group(0);
        let mut unrelated = unrelated.spawn().unwrap();
        let pipe = fs::metadata(format!("/proc/{}/fd/1", unrelated.id())).unwrap().ino();
        let link = tmp.join("cutline-commands-decoy");
        symlink(&victim, &link).unwrap();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let temp_line = format!("temp {}/", link.display());
        let lines = format!("boot {boot}{temp_line}\nrun aa\nleft bb {} {pipe}\n", unrelated.id());
        fs::write(saved.join("cutline-server-4194305-1.lock"), lines).unwrap();
        let old_output = old_saved_output(&saved);

        let mut start =
            Start::new(&workspace).env("TMPDIR", tmp.to_str().unwrap()).flags(flags.iter().copied());
        if flags.is_empty() {
            start = start.default_saved_dir();
        }
        let mut client = start.client();
        eventually("the server has finished its clean-up", || !old_output.exists());
        client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
        assert_eq!(fs::read_to_string(victim.join("kept")).unwrap(), "kept\n");
        assert!(unrelated.try_wait().unwrap().is_none(), "an unrelated process was ended");
        unrelated.kill().unwrap();
        unrelated.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn only_own_processes_are_ended_for_an_open_output() {
    let workspace = Workspace::new();
    // A command can make a process outside open its output by a link in the place of a log.
    let outside = |name: &str| {
        let script = "until [ -L app.log ]; do sleep 0.02; done; exec >> app.log; > $0; exec sleep 600";
        let mut outside = Command::new("sh");
        outside.args(["-c", script, name]).current_dir(workspace.root()).stdin(Stdio::null());
        outside.spawn().unwrap()
    };
    let older = outside("older");
    let mut client = Client::new(&workspace);
    // The own process has neither the group, the tag nor the parent of the command.
    let own = "(env -i setsid sh -c 'echo $$ > own; exec sleep 600' &)";
    let command = format!(
        "ln -s /proc/$$/fd/1 app.log; {own}; until [ -e older -a -e younger -a -s own ]; do sleep 0.02; done; echo hi"
    );
    let call = client.send_call("bash", json!({"command": command}), None);
    eventually("the older process has the output open", || workspace.path("older").exists());
    let younger = outside("younger");
    let response = client.response(call);
    let own: i32 = fs::read_to_string(workspace.path("own")).unwrap().trim().parse().unwrap();
    assert_eq!(response["result"]["_meta"]["details"]["backgroundPids"], json!([own]));
    client.close_stdin();
    client.exit();
    eventually("the own process has ended", || !workspace.processes(client.id()).contains(&own));
    for mut outside in [older, younger] {
        assert!(outside.try_wait().unwrap().is_none(), "a process outside was ended");
        outside.kill().unwrap();
        outside.wait().unwrap();
    }
}

#[test]
fn commands_of_a_running_server_survive_the_start_of_another() {
    let workspace = Workspace::with(&json!({"../old/x": "x"}));
    let mut one = Client::new(&workspace);
    let id =
        one.send_call("bash", json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"}), None);
    eventually("the command runs", || !workspace.processes(one.id()).is_empty());
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
    eventually("all processes have ended", || workspace.processes(client.id()).is_empty());
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    assert_eq!(client.unsolicited().len(), 0, "a cancelled call got a response");
}

/// A program whose main thread ends. Its other thread ignores SIGTERM, and writes the process id to a file.
const WITHOUT_MAIN_THREAD: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static pthread_t first;
static void *rest(void *file) {
    pthread_join(first, 0);
    FILE *id = fopen(file, "w");
    fprintf(id, "%d", getpid());
    fclose(id);
    for (;;) pause();
}
int main(int count, char **words) {
    pthread_t second;
    signal(SIGTERM, SIG_IGN);
    first = pthread_self();
    pthread_create(&second, 0, rest, words[1]);
    pthread_exit(0);
}
"#;

#[cfg(target_os = "linux")]
#[test]
fn process_without_main_thread_is_ended() {
    let workspace = Workspace::new();
    let program = compiled(&workspace, "headless", WITHOUT_MAIN_THREAD, &["-pthread"]).display().to_string();
    let file = workspace.path("id");
    // Found by its group, its parent, the tag in its environment, and its open output.
    for (command, server_ends) in [
        (format!("{program} id; true"), false),
        (format!("setsid -w {program} id; true"), false),
        (format!("(setsid {program} id >/dev/null 2>&1 &); sleep 600; true"), false),
        (format!("{program} id >/dev/null 2>&1 & until [ -s id ]; do :; done"), true),
        (format!("setsid {program} id & until [ -s id ]; do :; done"), true),
    ] {
        let mut client = Client::new(&workspace);
        let call = client.send_call("bash", json!({"command": command}), None);
        let mut id = 0;
        eventually("the program runs", || {
            id = fs::read_to_string(&file).ok().and_then(|id| id.parse().ok()).unwrap_or_default();
            id > 0
        });
        if server_ends {
            client.response(call);
            client.close_stdin();
            client.exit();
        } else {
            client.cancel(call);
        }
        let threads = || fs::read_dir(format!("/proc/{id}/task")).map_or(0, Iterator::count);
        eventually(&command, || threads() <= 1);
        fs::remove_file(&file).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_pidfds_cancelled_commands_leave_no_process() {
    let workspace = Workspace::new();
    for (name, call) in [("pidfd_send_signal", "-DCALL=424"), ("pidfd_open", "-DCALL=434")] {
        let without = compiled(&workspace, name, WITHOUT_SYSTEM_CALL, &[call]).display().to_string();
        let mut client = Start::new(&workspace).through(&without, &[]).client();
        let command = "(setsid sleep 600 &); touch started; sleep 600; true";
        let id = client.send_call("bash", json!({"command": command}), None);
        eventually("the command runs", || workspace.path("started").exists());
        client.cancel(id);
        eventually("all processes have ended", || workspace.processes(client.id()).is_empty());
        client.call("bash", json!({"command": "rm started; (sleep 600) & echo hi"})).assert_success();
        client.close_stdin();
        let server = client.id();
        client.exit();
        eventually("the background process has ended", || workspace.processes(server).is_empty());
    }
}
