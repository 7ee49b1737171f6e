//! Processes and files that commands leave behind, and when they go.

use std::fs;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink,
};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::json;

use crate::bounds::memory_peak_kb;
use crate::sandbox::compiled;
use crate::support::{Client, Reply, Start, Workspace, eventually};

/// A command that stays, with a child that has left its process group; neither heeds SIGTERM.
const STUBBORN: &str = "trap '' TERM; setsid bash -c \"trap '' TERM; sleep 600 & wait; sleep 600\" & sleep 600 & wait; sleep 600";
/// A process that has left the command's group and holds nothing of it.
const DAEMON: &str = "setsid sleep 600 >/dev/null 2>&1 </dev/null &";

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
fn processes_of_a_killed_server_are_ended_by_the_next() {
    let workspace = Workspace::new();
    let mut killed = Client::new(&workspace);
    killed.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_worked();
    killed.call("bash", json!({"command": "sleep 600 & setsid sleep 600 & echo hi"})).assert_worked();
    killed.send_call("bash", json!({"command": STUBBORN}), None);
    eventually("all of it runs", || workspace.processes(killed.id()).len() >= 7);
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
    first.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_worked();
    first.close_stdin();
    first.exit();
    let daemon: i32 = fs::read_to_string(workspace.path("daemon")).unwrap().trim().parse().unwrap();
    let swept = old_saved_output(&workspace.saved_dir());
    let next = Client::new(&workspace);
    eventually("the next server has cleared up", || !swept.exists());
    assert_eq!(workspace.processes(next.id()), [daemon]);
}

/// A process whose environment, for whoever reads it, is hundreds of megabytes: it says so itself, as any process may.
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
    // Outside the command's group it is looked at for the mark.
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
        // Servers of the tests beside this one would be the same user's, and end both as they should.
        eprintln!("not run: it needs a user of its own, and so root");
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

/// The namespace of process numbers of the tests, and the session that servers are started in.
///
/// A session that began outside of the namespace, as where a container was entered, is 0.
fn namespace_and_session() -> (u64, u32) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after) = stat.rsplit_once(')').unwrap();
    let session = after.split_ascii_whitespace().nth(3).unwrap().parse().unwrap();
    (fs::metadata("/proc/self/ns/pid").unwrap().ino(), session)
}

#[test]
fn what_commands_may_have_written_removes_and_ends_nothing() {
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
        // A stranger with a pipe and a group of its own, and a link that is called like a temp folder.
        let mut stranger = Command::new("sleep");
        stranger.arg("600").current_dir(workspace.root()).stdout(Stdio::piped()).process_group(0);
        let mut stranger = stranger.spawn().unwrap();
        let pipe = fs::metadata(format!("/proc/{}/fd/1", stranger.id())).unwrap().ino();
        let link = tmp.join("cutline-sandbox-4194305-1-decoy");
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
fn temp_folders_of_ended_servers_go_and_others_stay() {
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
    let stale = folder("cutline-sandbox-4194305-1-aa", 0o700);
    // Another container's server may have that number; it holds the lock.
    let locked = folder("cutline-sandbox-4194305-1-bb", 0o700);
    let held = fs::File::open(&locked).unwrap();
    held.lock().unwrap();
    let open = folder("cutline-sandbox-4194305-1-cc", 0o755);
    let swept = old_saved_output(&workspace.saved_dir());
    let living = Client::new(&workspace);
    eventually("the living server has cleared up", || !swept.exists());
    let line = fs::read_to_string(format!("/proc/{}/stat", living.id())).unwrap();
    let start = line.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    let living_ones = folder(&format!("cutline-sandbox-{}-{start}-dd", living.id()), 0o700);
    let swept = old_saved_output(&workspace.saved_dir());
    let _next = Start::new(&workspace).env("TMPDIR", "<base>/tmp").client();
    eventually("the server has cleared up", || !swept.exists());
    assert!(!stale.exists());
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
    eventually("it has made its temp folder", || folders() == 1);
    killed.signal(Signal::KILL);
    killed.exit();
    assert_eq!(folders(), 1);
    let _next = start().client();
    eventually("it is removed", || folders() == 0);
}

#[test]
fn a_saved_folder_swapped_for_a_link_leads_the_server_nowhere() {
    let workspace = Workspace::with(&json!({"saved": {"dir": true}, "../elsewhere": {"dir": true}}));
    let mut client = Start::new(&workspace).flags(["--spill-dir", "<root>/saved"]).client();
    let swap = workspace.filled_in("mv saved moved && ln -s <base>/elsewhere saved && seq 3000");
    client.call("bash", json!({"command": swap})).assert_worked();
    client.call("bash", json!({"command": "seq 4000"})).assert_worked();
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
fn commands_of_a_living_server_outlive_another_start() {
    let workspace = Workspace::with(&json!({"../old/x": "x"}));
    let mut one = Client::new(&workspace);
    let id =
        one.send_call("bash", json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"}), None);
    eventually("it runs", || !workspace.processes(one.id()).is_empty());
    let mut other = Client::new(&workspace);
    other.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    workspace.write("go", "");
    assert_eq!(one.answer(id)["result"]["content"][0]["text"], "went\n");
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
    assert_eq!(client.unasked().len(), 0, "a call that was taken back was answered");
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
fn a_clean_end_leaves_only_the_saved_outputs_that_answers_named() {
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

/// True if a server starts with these flags; where the kernel can't hold them, it does not.
fn sandbox_is_known(workspace: &Workspace, flags: &[&str]) -> bool {
    let mut command = Start::new(workspace).flags(flags).command();
    command.stdin(Stdio::null()).output().unwrap().status.success()
}

#[test]
fn no_file_stays_open_after_commands() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let open = |client: &Client| fs::read_dir(format!("/proc/{}/fd", client.id())).unwrap().count();
    let calls = ["echo hi", "seq 3000", "kill -KILL $$", "printf 'a\\0b'"];
    let run = |client: &mut Client| {
        for command in calls {
            client.call("bash", json!({"command": command})).assert_worked();
        }
        let id = client.send_call("bash", json!({"command": "seq 3000; touch started; sleep 600"}), None);
        eventually("the command runs", || workspace.path("started").exists());
        client.cancel(id);
        fs::remove_file(workspace.path("started")).unwrap();
        eventually("it is gone", || workspace.processes(client.id()).is_empty());
    };
    run(&mut client);
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    let before = open(&client);
    (0..5).for_each(|_| run(&mut client));
    eventually("no more are open than before", || open(&client) <= before);
}

#[test]
fn background_process_reads_end_of_input() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let reply = client.call("bash", json!({"command": "(cat; echo its end) <&0 & wait; cat; echo mine"}));
    reply.assert_text("its end\nmine\n");
}

/// A server that may have few files open.
fn few_descriptors(workspace: &Workspace, files: u32) -> Client {
    let script = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
    Start::new(workspace).through("bash", &["-c", &script]).client()
}

#[test]
fn background_processes_leave_descriptors_for_other_calls() {
    let workspace = Workspace::new();
    workspace.write("notes", "kept\n");
    let mut client = few_descriptors(&workspace, 64);
    let calls: Vec<Reply> =
        (0..20).map(|_| client.call("bash", json!({"command": "sleep 600 & echo hi"}))).collect();
    let refused: Vec<&Reply> = calls.iter().filter(|reply| reply.is_error()).collect();
    assert!((1..16).contains(&refused.len()), "{} of 20 are refused", refused.len());
    for reply in refused {
        reply.assert_error(&["background processes of ", "Send the output of such processes to a file"]);
    }
    client.call("read", json!({"path": "notes"})).assert_text("kept\n");
    client.call("grep", json!({"pattern": "kept"})).assert_text("notes:1: kept");
    client.call("find", json!({"pattern": "*"})).assert_text("notes");
    client.call("ls", json!({})).assert_worked();
    // Where one ends, another may be started.
    let one = workspace.processes(client.id()).first().copied().and_then(Pid::from_raw).unwrap();
    kill_process(one, Signal::KILL).unwrap();
    eventually("there is room", || !client.call("bash", json!({"command": "echo hi"})).is_error());
}

#[test]
fn background_processes_without_output_take_no_descriptors() {
    let workspace = Workspace::new();
    let mut client = few_descriptors(&workspace, 64);
    for _ in 0..20 {
        client.call("bash", json!({"command": "sleep 600 > log 2>&1 & echo hi"})).assert_text("hi\n");
    }
}

#[test]
fn without_a_descriptor_left_all_is_ended_at_the_servers_end() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for n in 0..20 {
        let away = if n % 2 == 0 { "" } else { "setsid " };
        client.call("bash", json!({"command": format!("{away}sleep 600 & echo hi")})).assert_worked();
    }
    let running: Vec<u64> =
        (0..20).map(|_| client.send_call("bash", json!({"command": "exec sleep 600"}), None)).collect();
    eventually("all run", || workspace.processes(client.id()).len() == 40);
    // From here on hardly one more can be opened.
    let open = fs::read_dir(format!("/proc/{}/fd", client.id())).unwrap();
    let numbers = open.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse::<u64>().unwrap());
    let want = Rlimit { current: numbers.max().map(|last| last + 1), maximum: Some(1024) };
    let server = i32::try_from(client.id()).ok().and_then(Pid::from_raw);
    prlimit(server, Resource::Nofile, want).unwrap();
    for id in running {
        client.cancel(id);
    }
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    eventually("no process is left", || workspace.processes(client.id()).is_empty());
}

#[test]
fn without_a_descriptor_left_cancelled_commands_are_ended() {
    let workspace = Workspace::new();
    let mut client = few_descriptors(&workspace, 64);
    let command = json!({"command": "setsid sleep 600 & sleep 600 & exec sleep 600"});
    let ids: Vec<u64> = (0..20).map(|_| client.send_call("bash", command.clone(), None)).collect();
    eventually("as many run as may", || workspace.processes(client.id()).len() >= 12);
    for id in ids {
        client.cancel(id);
    }
    eventually("all are gone", || workspace.processes(client.id()).is_empty());
    // The places are free again.
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

#[test]
fn command_waits_for_its_permit() {
    let workspace = Workspace::new();
    let mut client = few_descriptors(&workspace, 64);
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"});
    let ids: Vec<u64> = (0..30).map(|_| client.send_call("bash", wait.clone(), None)).collect();
    workspace.write("go", "");
    for id in ids {
        assert_eq!(client.answer(id)["result"]["content"][0]["text"], "went\n");
    }
}
