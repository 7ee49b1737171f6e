//! File descriptors: those that commands inherit, and a server without free ones.

use std::fs;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::json;

use crate::support::{Client, Start, Workspace, eventually};

#[test]
fn no_file_stays_open_after_commands() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let open = |client: &Client| fs::read_dir(format!("/proc/{}/fd", client.id())).unwrap().count();
    let calls = ["echo hi", "seq 3000", "kill -KILL $$", "printf 'a\\0b\\0'"];
    let run = |client: &mut Client| {
        for command in calls {
            client.call("bash", json!({"command": command})).assert_success();
        }
        let id = client.send_call("bash", json!({"command": "seq 3000; touch started; sleep 600"}), None);
        eventually("the command runs", || workspace.path("started").exists());
        client.cancel(id);
        fs::remove_file(workspace.path("started")).unwrap();
        eventually("its processes have ended", || workspace.processes(client.id()).is_empty());
    };
    run(&mut client);
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    let before = open(&client);
    (0..5).for_each(|_| run(&mut client));
    eventually("no more files are open than before", || open(&client) <= before);
}

#[test]
fn background_process_reads_end_of_file_from_stdin() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let reply = client.call("bash", json!({"command": "(cat; echo its end) <&0 & wait; cat; echo mine"}));
    reply.assert_text("its end\nmine\n");
}

#[test]
fn background_processes_leave_descriptors_for_other_calls() {
    let workspace = Workspace::new();
    workspace.write("notes", "kept\n");
    let mut client = Client::new(&workspace);
    for _ in 0..128 {
        client.call("bash", json!({"command": "sleep 600 & echo hi"})).assert_contains("hi\n");
    }
    client.call("bash", json!({"command": "echo hi"})).assert_error(&[
        "background processes of 128 earlier commands hold their output",
        "Send the output of such processes to a file",
    ]);
    client.call("read", json!({"path": "notes"})).assert_text("kept\n");
    client.call("grep", json!({"pattern": "kept"})).assert_text("notes:1: kept");
    client.call("find", json!({"pattern": "*"})).assert_text("notes");
    client.call("ls", json!({})).assert_success();
    let one = workspace.processes(client.id()).first().copied().and_then(Pid::from_raw).unwrap();
    kill_process(one, Signal::KILL).unwrap();
    eventually("a command can start", || !client.call("bash", json!({"command": "echo hi"})).is_error());
}

#[test]
#[cfg(target_os = "linux")]
fn process_that_locks_the_output_pipe_delays_no_other_call() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // splice holds the lock of the pipe while the socket is empty.
    let splice = "import os, socket; a, b = socket.socketpair(); os.splice(a.fileno(), 1, 4096)";
    let wait = "for i in $(seq 500); do grep -q unix /proc/$!/wchan && break; sleep 0.01; done";
    let command = format!("echo out; python3 -c '{splice}' & {wait}");
    client.call("bash", json!({"command": command})).assert_contains("out\n");
    client.call("ls", json!({})).assert_success();
}

#[test]
fn background_processes_without_output_are_not_counted() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for _ in 0..130 {
        client.call("bash", json!({"command": "sleep 600 > log 2>&1 & echo hi"})).assert_text("hi\n");
    }
}

#[test]
fn server_without_descriptors_ends_all_processes() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for n in 0..20 {
        let prefix = if n % 2 == 0 { "" } else { "setsid " };
        client.call("bash", json!({"command": format!("{prefix}sleep 600 & echo hi")})).assert_success();
    }
    let running: Vec<u64> =
        (0..20).map(|_| client.send_call("bash", json!({"command": "exec sleep 600"}), None)).collect();
    eventually("all run", || workspace.processes(client.id()).len() == 40);
    // The server can hardly open another file from here on.
    let open = fs::read_dir(format!("/proc/{}/fd", client.id())).unwrap();
    let numbers = open.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse::<u64>().unwrap());
    let limit = Rlimit { current: numbers.max().map(|last| last + 1), maximum: Some(1024) };
    let server = i32::try_from(client.id()).ok().and_then(Pid::from_raw);
    prlimit(server, Resource::Nofile, limit).unwrap();
    for id in running {
        client.cancel(id);
    }
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    eventually("no process is left", || workspace.processes(client.id()).is_empty());
}

#[test]
fn command_that_gets_no_permit_returns_an_error_in_time() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(["--answer-within", "1"]).client();
    let run = |command: &str| json!({"command": command});
    let running: Vec<u64> = (0..64).map(|_| client.send_call("bash", run("exec sleep 600"), None)).collect();
    for id in running {
        let response = client.response(id);
        let text = response["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("[Still running after 1 second (pid "), "{text}");
    }
    let refused = client.call("bash", run("echo hi"));
    refused
        .assert_error(&["not started: 64 others run", "none of them ended within 1 second. Try again later"]);
    let one = workspace.processes(client.id()).first().copied().and_then(Pid::from_raw).unwrap();
    kill_process(one, Signal::KILL).unwrap();
    eventually("a command can start", || !client.call("bash", run("echo hi")).is_error());
}

#[test]
fn command_waits_for_its_permit() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done; echo went"});
    let ids: Vec<u64> = (0..80).map(|_| client.send_call("bash", wait.clone(), None)).collect();
    workspace.write("go", "");
    for id in ids {
        assert_eq!(client.response(id)["result"]["content"][0]["text"], "went\n");
    }
}
