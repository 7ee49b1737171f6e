//! Faults of the system: a full disk, a resource limit, a folder that disappears.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;

use crate::support::{Client, Start, Workspace, eventually};

#[test]
fn file_size_limit_only_prevents_the_saved_output() {
    let workspace = Workspace::new();
    // `ulimit -f` counts kilobytes. The signal SIGXFSZ must not end the server.
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let mut client = Start::new(&workspace).through("bash", &["-c", script]).client();
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    reply.assert_success().assert_contains(
        "2999\n3000\n\n[Showing lines 1001-3000 of 3000. Full output could not be saved: File too large]",
    );
    assert_eq!(reply.details()["spillError"], "File too large", "{reply}");
    assert_eq!(workspace.saved().len(), 0, "a partial file was left: {:?}", workspace.saved());
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

#[test]
fn file_size_limit_does_not_end_a_single_call() {
    let workspace = Workspace::new();
    let script = "ulimit -f 4; exec \"$0\" \"$@\"";
    let start = Start::new(&workspace).through("bash", &["-c", script]);
    let mut call = start.flags(["call", "bash", "command=seq 3000"]).command();
    let output = call.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("of 3000. Full output could not be saved: File too large]\n"), "{output:?}");
}

#[test]
fn saved_output_of_a_background_process_reports_that_its_rest_is_not_saved() {
    let limit = "trap '' XFSZ; ulimit -f 4; exec";
    for (script, flags, why) in
        [(limit, &[][..], "File too large"), ("exec", &["--spill-max-file", "4KB"], "4KB limit")]
    {
        let workspace = Workspace::new();
        let start = Start::new(&workspace).through("bash", &["-c", &format!("{script} \"$0\" \"$@\"")]);
        let mut client = start.flags(flags).client();
        let command = "echo began; (until [ -e go ]; do sleep 0.01; done; seq 3000; sleep 600) &";
        let reply = client.call("bash", json!({"command": command}));
        let path = reply.details()["fullOutputPath"].as_str().unwrap().to_owned();
        workspace.write("go", "");
        let end = format!("\n[Output after this was not saved: {why}]\n");
        eventually("its last line reports the error", || fs::read_to_string(&path).unwrap().ends_with(&end));
        let saved = fs::read_to_string(&path).unwrap();
        assert!(saved.starts_with("began\n1\n2\n") && saved.len() >= 4000, "{saved}");
    }
}

#[test]
fn search_results_are_returned_under_a_file_size_limit() {
    let workspace = Workspace::with(&json!({"a": {"lines": [1, 3000], "text": "needle {n}"}}));
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let mut client =
        Start::new(&workspace).flags(["--save", "all"]).through("bash", &["-c", script]).client();
    let reply = client.call("grep", json!({"pattern": "needle", "limit": 1}));
    reply.assert_success().assert_text(
        "a:1: needle 1\n\n[1 match limit reached. Use limit=2 for more, or refine pattern. \
         Full output could not be saved: File too large]\n[3000 matches in 1 file. Use offset=1 to continue]",
    );
    assert_eq!(reply.details()["spillError"], "File too large", "{reply}");
    assert_eq!(reply.details()["totalMatches"], 3000, "{reply}");
    assert_eq!(workspace.saved().len(), 0, "a partial file was left: {:?}", workspace.saved());
}

#[test]
fn cancelled_search_leaves_no_saved_output() {
    let workspace = Workspace::new();
    fs::write(workspace.path("a"), "needle in a line of some length\n".repeat(3_000_000)).unwrap();
    let mut client = Start::new(&workspace).flags(["--save", "all"]).client();
    let id = client.send_call("grep", json!({"pattern": "needle"}), None);
    eventually("the full output starts to be saved", || !workspace.saved().is_empty());
    client.cancel(id);
    eventually("the saved output is removed", || workspace.saved().is_empty());
    client.call("grep", json!({"pattern": "needle", "path": "none"}));
    assert!(workspace.saved().is_empty());
}

/// Returns a server that starts in new namespaces after `script`. Returns `None` if tests cannot create namespaces.
fn start_in<'a>(workspace: &'a Workspace, namespaces: &[&str], script: &str) -> Option<Start<'a>> {
    let user: &[&str] =
        if rustix::process::geteuid().is_root() { &[] } else { &["--user", "--map-root-user"] };
    let unshare = [user, namespaces, &["bash", "-c"]].concat();
    let status = Command::new("unshare")
        .args(&unshare)
        .arg(script)
        .env("CUTLINE_SPILL_DIR", workspace.saved_dir())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system cannot create the namespaces {namespaces:?}");
        return None;
    }
    let script = format!("{script} && exec \"$0\" \"$@\"");
    Some(Start::new(workspace).through("unshare", &[&unshare[..], &[&script]].concat()))
}

#[test]
fn full_disk_only_prevents_the_saved_output() {
    let workspace = Workspace::new();
    // A separate file system of 64 KB.
    let mount = "mount -t tmpfs -o size=64k tmpfs \"$CUTLINE_SPILL_DIR\"";
    let Some(start) = start_in(&workspace, &["--mount"], mount) else { return };
    let mut client = start.client();
    let reply = client.call("bash", json!({"command": "seq 50000"}));
    reply.assert_success().assert_contains(
        "50000\n\n[Showing lines 48001-50000 of 50000. Full output could not be saved: No space left on device]",
    );
    // The partial file was removed, so there is space for a smaller output.
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    assert!(reply.details()["fullOutputPath"].is_string(), "{reply}");
}

#[test]
fn pipelines_are_reported_again_once_the_disk_has_space() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("full")).unwrap();
    let full = workspace.path("full").display().to_string();
    for limit in ["size=64k", "nr_inodes=4"] {
        let mount = format!("mount -t tmpfs -o {limit} tmpfs {full}");
        let Some(start) = start_in(&workspace, &["--mount"], &mount) else { return };
        let mut client = start.env("TMPDIR", &full).client();
        client.call("bash", json!({"command": "yes > full/a; touch full/b full/c full/d; true"}));
        client.call("bash", json!({"command": "false | true"})).assert_text("(no output)");
        client.call("bash", json!({"command": "rm full/[a-d]"})).assert_success();
        client
            .call("bash", json!({"command": "false | true"}))
            .assert_text("(no output)\n\n[Exit codes of the last pipeline: 1, 0]");
    }
}

#[test]
fn server_started_in_a_session_of_another_namespace_runs_and_ends_commands() {
    let workspace = Workspace::new();
    let Some(start) = start_in(&workspace, &["--pid", "--fork", "--mount-proc"], "true") else { return };
    let mut client = start.client();
    // The server started with session id 0 and group id 0, as after entering a container. It has created a session.
    let session = client.call("bash", json!({"command": "cut -d' ' -f6 /proc/$PPID/stat"}));
    session.assert_text("1\n");
    let reply = client.call("bash", json!({"command": "sleep 600 & echo $!"}));
    let background = reply.text().lines().next().unwrap().to_owned();
    let reply = client.call("bash", json!({"command": format!("kill -0 {background} && echo there")}));
    reply.assert_text("there\n");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn first_process_of_a_namespace_waits_for_inherited_processes() {
    let workspace = Workspace::new();
    let Some(start) = start_in(&workspace, &["--pid", "--fork", "--mount-proc"], "true") else { return };
    let mut client = start.client();
    // One process stays in the group of the command, one leaves it. Both end before the next command starts, and the
    // server has become their parent.
    let orphans = "sleep 0 >/dev/null 2>&1 & setsid sleep 0 >/dev/null 2>&1 & true";
    for _ in 0..20 {
        client.call("bash", json!({"command": orphans})).assert_success();
    }
    eventually("no ended process is left", || {
        let left = "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z 1 ' || true";
        client.call("bash", json!({"command": left})).text() == "0\n"
    });
}

#[cfg(target_os = "linux")]
#[test]
fn subreaper_waits_for_inherited_processes() {
    let workspace = Workspace::new();
    // The system call number of `prctl`.
    let prctl = if cfg!(target_arch = "x86_64") { "157" } else { "167" };
    let become_subreaper = "syscall($ENV{PRCTL}, 36, 1, 0, 0, 0) == 0 or die; exec @ARGV";
    let mut client =
        Start::new(&workspace).env("PRCTL", prctl).through("perl", &["-e", become_subreaper]).client();
    let server = client.id().to_string();
    eventually("no ended process is left", || {
        let orphans = "sleep 0 >/dev/null 2>&1 & setsid sleep 0 >/dev/null 2>&1 & true";
        client.call("bash", json!({"command": orphans})).assert_success();
        let all = fs::read_dir("/proc").unwrap().flatten();
        let mut stats = all.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
        let is_left = |stat: String| {
            let mut fields = stat.rsplit_once(") ").unwrap().1.split(' ').take(2);
            fields.next() == Some("Z") && fields.next() == Some(&server)
        };
        !stats.any(is_left)
    });
}

/// Checks that a server without `/proc` runs and ends commands. It ends the process group of each command, with SIGTERM
/// first.
///
/// `group_prefix` precedes the process id in `kill -0`. With `-`, the test waits for the end of the complete group. It is
/// empty if the server is the first process of its namespace: without `/proc`, such a server does not wait for processes
/// that it inherits, so they remain as zombies.
fn run_and_end_by_group(client: &mut Client, group_prefix: &str) {
    let ends_on_sigterm =
        "trap 'echo bye; exit 9' TERM; echo on; until [ -e never ]; do sleep 0.01; done & wait";
    client
        .call("bash", json!({"command": ends_on_sigterm, "timeout": 1}))
        .assert_text("on\nbye\n\nCommand timed out after 1 second");
    let cancelled = "echo $BASHPID > began; until [ -e never ]; do sleep 0.01; done & wait";
    let id = client.send_call("bash", json!({"command": cancelled}), None);
    let began = json!({"command": "until [ -s began ]; do sleep 0.01; done; cat began"});
    let number = client.call("bash", began).text().trim().to_owned();
    client.cancel(id);
    let gone = json!({"command": format!("until ! kill -0 -- {group_prefix}{number} 2>/dev/null; do sleep 0.01; done")});
    client.call("bash", gone).assert_text("(no output)");
    // The notice has no process id that could belong to another process.
    let reply = client.call("bash", json!({"command": "sleep 600 & echo hi"}));
    reply.assert_text("hi\n");
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
}

#[test]
fn server_with_proc_of_another_namespace_ends_commands_by_group() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let Some(start) = start_in(&workspace, &["--pid", "--fork"], "true") else { return };
    let mut client = start.client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    run_and_end_by_group(&mut client, "");
    assert!(
        client.stderr().contains("/proc shows no processes of this PID namespace"),
        "{}",
        client.stderr()
    );
}

#[test]
fn server_without_proc_runs_commands_and_explains_read_errors() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let hide = "mount -t tmpfs none /proc";
    let Some(start) = start_in(&workspace, &["--mount"], hide) else { return };
    let mut client = start.client();
    for (tool, arguments) in [
        ("read", json!({"path": "a"})),
        ("ls", json!({})),
        ("find", json!({"pattern": "*"})),
        ("grep", json!({"pattern": "one"})),
    ] {
        client.call(tool, arguments).assert_error(&["/proc is not mounted"]);
    }
    run_and_end_by_group(&mut client, "-");
    let start = start_in(&workspace, &["--mount"], hide).unwrap().flags(["--sandbox", "read-only"]);
    let output = start.command().stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("/proc is not mounted"), "{stderr}");
}

#[test]
fn bash_works_after_the_folder_of_saved_outputs_was_removed() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    fs::remove_dir_all(workspace.saved_dir()).unwrap();
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    reply.assert_success().assert_contains("[Showing lines 1001-3000 of 3000. Full output");
}

#[test]
fn tools_return_errors_after_the_workspace_was_removed() {
    let workspace = Workspace::with(&json!({"../gone/a": "one\n"}));
    let mut client = Start::new(&workspace).flags(["--root", "<base>/gone"]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    fs::remove_dir_all(workspace.base().join("gone")).unwrap();
    for (tool, args) in [
        ("read", json!({"path": "a"})),
        ("ls", json!({})),
        ("find", json!({"pattern": "*"})),
        ("grep", json!({"pattern": "x"})),
        ("bash", json!({"command": "echo hi"})),
    ] {
        let reply = client.call(tool, args);
        assert!(reply.is_error(), "{reply}");
    }
}

#[test]
fn server_survives_a_low_descriptor_limit() {
    let workspace =
        Workspace::with(&json!({"d{n}/f": {"each": [1, 200], "content": "needle\n"}, "a": "one\n"}));
    let script = "ulimit -n 40; exec \"$0\" \"$@\"";
    let mut client = Start::new(&workspace).through("bash", &["-c", script]).client();
    let wait = json!({"command": "until [ -e go ]; do sleep 0.05; done"});
    let commands: Vec<_> = (0..40).map(|_| client.send_call("bash", wait.clone(), None)).collect();
    let searches: Vec<_> =
        (0..10).map(|_| client.send_call("grep", json!({"pattern": "needle"}), None)).collect();
    for id in searches {
        assert!(client.response(id)["result"].is_object());
    }
    workspace.write("go", "");
    for id in commands {
        assert!(client.response(id)["result"].is_object());
    }
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

#[test]
fn bash_works_without_a_temp_folder() {
    let workspace = Workspace::with(&json!({"file": "x"}));
    let mut client = Start::new(&workspace).default_saved_dir().env("TMPDIR", "<root>/file/none").client();
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    reply
        .assert_success()
        .assert_contains("3000\n\n[Showing lines 1001-3000 of 3000. Full output could not be saved: ");
}

#[test]
fn default_folder_that_is_a_link_is_not_used() {
    // In a folder that others may write to, another user could create a link with the name of the default folder.
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}, "../elsewhere": {"dir": true}}));
    let planted = workspace.base().join(format!("tmp/cutline-{}", rustix::process::geteuid().as_raw()));
    std::os::unix::fs::symlink(workspace.base().join("elsewhere"), &planted).unwrap();
    let mut client = Start::new(&workspace).default_saved_dir().env("TMPDIR", "<base>/tmp").client();
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    let why = format!("{} is not a folder of this user's alone", planted.display());
    reply.assert_success().assert_contains(&format!("Full output could not be saved: {why}]"));
    assert_eq!(reply.details()["spillError"], why);
    client.close_stdin();
    client.exit();
    assert!(client.stderr().contains(&why), "{}", client.stderr());
    let written = fs::read_dir(workspace.base().join("elsewhere")).unwrap().count();
    assert_eq!(written, 0, "an output was saved in the target of the link");
    assert_eq!(fs::read_dir(workspace.base().join("tmp")).unwrap().count(), 1);
}

#[test]
fn search_continues_while_folders_are_removed() {
    let workspace = Workspace::with(&json!({
        "a/stays": "needle\n",
        "comes-and-goes/x": "",
        "z/stays": "needle\n",
    }));
    let mut client = Client::new(&workspace);
    let stop = AtomicBool::new(false);
    let changes = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let folder = workspace.path("comes-and-goes");
            // The upper bound ends this thread even if the other one panics.
            while !stop.load(Ordering::Relaxed) && changes.load(Ordering::Relaxed) < 100_000 {
                for n in 0..20 {
                    workspace.write(format!("comes-and-goes/d{n}/e/f"), "hay\n");
                }
                fs::remove_dir_all(&folder).unwrap();
                changes.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut responses = Vec::new();
        while responses.len() < 200 || changes.load(Ordering::Relaxed) < 40 {
            responses.push(client.call("grep", json!({"pattern": "needle"})));
            responses.push(client.call("find", json!({"pattern": "stays"})));
        }
        stop.store(true, Ordering::Relaxed);
        for pair in responses.chunks(2) {
            pair[0].assert_text("a/stays:1: needle\nz/stays:1: needle");
            pair[1].assert_text("a/stays\nz/stays");
        }
    });
}
