//! What commands leave behind, running or on disk, and when it goes.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::json;

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
fn what_a_killed_server_left_is_ended_by_the_next() {
    let workspace = Workspace::new();
    let mut killed = Client::new(&workspace);
    killed.call("bash", json!({"command": format!("{DAEMON} echo $! > daemon")})).assert_worked();
    killed.call("bash", json!({"command": "sleep 600 & echo $! > background"})).assert_worked();
    killed.send_call("bash", json!({"command": STUBBORN}), None);
    eventually("all of it runs", || workspace.processes(killed.id()).len() >= 6);
    killed.signal(Signal::KILL);
    killed.exit();
    assert!(workspace.processes(killed.id()).len() >= 6, "they live on without their server");

    let next = Client::new(&workspace);
    let daemon: i32 = fs::read_to_string(workspace.path("daemon")).unwrap().trim().parse().unwrap();
    eventually("all but the daemon are ended", || workspace.processes(next.id()) == [daemon]);
    eventually("the record goes", || {
        let saved = workspace.saved();
        files_below(&workspace.saved_dir()).iter().all(|file| saved.contains(file))
    });
}

#[test]
fn a_living_server_keeps_what_it_runs_when_another_starts() {
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
fn a_saved_output_can_be_read_and_searched_while_it_is_written() {
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
fn sixty_four_commands_cancelled_at_once_are_all_gone() {
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

/// Whether a server starts with these flags; where the kernel can't hold them, it does not.
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
fn a_background_process_that_reads_finds_the_end_at_once() {
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
fn what_commands_leave_running_leaves_room_for_other_calls() {
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
fn what_commands_leave_running_without_their_output_takes_no_room() {
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
    let saved = workspace.saved();
    assert!(files_below(&workspace.saved_dir()).iter().all(|file| saved.contains(file)), "a record stays");
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
fn a_command_waits_for_its_place() {
    let workspace = Workspace::new();
    let mut client = few_descriptors(&workspace, 64);
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"});
    let ids: Vec<u64> = (0..30).map(|_| client.send_call("bash", wait.clone(), None)).collect();
    workspace.write("go", "");
    for id in ids {
        assert_eq!(client.answer(id)["result"]["content"][0]["text"], "went\n");
    }
}

#[test]
fn a_stale_record_ends_no_stranger() {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let boot = format!("boot {boot}");
    for first in ["", "boot 00000000-0000-0000-0000-000000000000\n", &boot] {
        let workspace = Workspace::new();
        // The stranger writes to a pipe, has a group of its own, and leads it.
        let mut stranger = Command::new("sleep");
        stranger.arg("600").current_dir(workspace.root()).stdout(Stdio::piped()).process_group(0);
        let mut stranger = stranger.spawn().unwrap();
        let id = stranger.id();
        let pipe = fs::metadata(format!("/proc/{id}/fd/1")).unwrap().ino();
        let record = workspace.saved_dir().join("cutline-server-4194000-1.lock");
        // By its pipe alone, and by its group; and a folder that is not that server's.
        let decoy = workspace.base().join("cutline-sandbox-4194001-1-decoy");
        fs::create_dir(&decoy).unwrap();
        let lines = format!("temp {}\nleft aa 0 {pipe}\nleft bb {id} {pipe}\nrun dd\n", decoy.display());
        fs::write(&record, format!("{first}run aa\n{lines}")).unwrap();
        let mut client = Client::new(&workspace);
        eventually("the record goes", || !record.exists());
        client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
        assert!(stranger.try_wait().unwrap().is_none(), "a stranger was ended, by {first:?}");
        assert!(decoy.is_dir(), "another's folder was removed, by {first:?}");
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
