//! Tests of bash that need more than a scenario: saved outputs, remaining processes, clean-up.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Client, Reply, Start, Workspace, content, eventually};

const TEN_DAYS: Duration = Duration::from_secs(864_001);

fn saved_path(reply: &Reply) -> PathBuf {
    reply.details()["fullOutputPath"].as_str().unwrap_or_else(|| panic!("nothing was saved\n{reply}")).into()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_saved_output_is_complete_and_private() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let reply = client.call("bash", json!({"command": "seq 100000"}));
    let path = saved_path(&reply);
    let full = content(&json!({"lines": [1, 100_000], "text": "{n}"}));
    assert!(fs::read(&path).unwrap() == full, "the file is not the full output");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(path.parent(), Some(workspace.saved_dir().as_path()));
    let name = path.file_name().unwrap().to_str().unwrap();
    let random = name.strip_prefix("cutline-bash-").and_then(|rest| rest.strip_suffix(".log"));
    assert!(random.is_some_and(|random| random.len() >= 6), "{name}");
    assert_eq!(mode(&workspace.saved_dir()), 0o777, "the mode of a configured folder changed");
}

#[test]
fn end_of_a_command_is_detected_with_sigchld_ignored() {
    let workspace = Workspace::new();
    let ignoring = Start::new(&workspace).through("bash", &["-c", "trap '' CHLD; exec \"$0\" \"$@\""]);
    let reply = ignoring.client().call("bash", json!({"command": "exit 7"}));
    assert_eq!(reply.details()["exitCode"], 7, "{reply}");
}

#[test]
fn commands_start_with_default_signals_however_the_server_was_started() {
    let workspace = Workspace::new();
    let ignore_and_block = "
        use POSIX;
        sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGPIPE, SIGTERM, SIGUSR1, SIGCHLD));
        $SIG{$_} = 'IGNORE' for qw(INT QUIT HUP TERM USR1 PIPE TSTP CHLD ALRM TTOU NUM40);
        exec @ARGV;";
    for flags in [&[][..], &["--sandbox", "read-only"]] {
        if !flags.is_empty() && !cfg!(target_os = "linux") {
            continue;
        }
        let start = Start::new(&workspace).flags(flags);
        let mut client = start.through("perl", &["-e", ignore_and_block]).client();
        if cfg!(target_os = "linux") {
            let reply = client.call("bash", json!({"command": "grep -E '^Sig(Blk|Ign)' /proc/self/status"}));
            // The C library ignores its own signals 32 and 33 in some of the processes that it starts.
            let text = reply.text().replace("180000000", "000000000");
            assert_eq!(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
        }
        client.call("bash", json!({"command": "yes | head -1"})).assert_text("y\n");
        client
            .call("bash", json!({"command": "trap 'echo got' INT; kill -INT $$; kill -TERM $$; echo lives"}))
            .assert_text("got\n\nCommand killed by signal SIGTERM (code 143)");
    }
}

#[test]
fn programs_do_not_wait_for_a_terminal() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).env("DISPLAY", ":0").env("SSH_ASKPASS", "<base>/none").client();
    for command in [
        "less /etc/passwd | wc -l",
        "more /etc/passwd | wc -l",
        "man ls",
        "systemctl status",
        "systemctl edit none",
        "sudo --reset-timestamp true",
        "ssh-keygen -q -t ed25519 -N secret -f key && ssh-keygen -y -f key",
        "gpg --homedir . --symmetric /etc/passwd",
        "git clone -q https://127.0.0.1:9/none",
        "crontab -e",
        "read -p 'Continue? ' answer",
    ] {
        let reply = client.call("bash", json!({"command": command, "timeout": 20}));
        assert!(reply.details()["timedOut"].is_null(), "{command}: {reply}");
    }
}

#[test]
fn commands_have_no_terminal_even_if_the_client_has_one() {
    // The server, or `cutline wrap` with the server, is one of several processes on a terminal, as if an agent in a
    // terminal had started it.
    let in_terminal = |command: &str| {
        format!(
            r#"mkfifo in out; cat out & script -qec "$(printf '%q ' {command}) < in > out; true" /dev/null \
            < /dev/null > /dev/null & exec cat > in"#
        )
    };
    // In the third case, the server leads a process group.
    let leads_a_group = r#"bash -mc '"$@" <&0 & wait' _ "$0" "$@""#;
    for command in [r#""$0" "$@""#, r#""$0" wrap -- "$0" "$@""#, leads_a_group] {
        let workspace = Workspace::new();
        let mut client = Start::new(&workspace).through("bash", &["-c", &in_terminal(command)]).client();
        for command in ["head -c 1 < /dev/tty", "echo over the screen > /dev/tty"] {
            let reply = client.call("bash", json!({"command": command, "timeout": 5}));
            assert_eq!(reply.details()["exitCode"], 1, "{reply}");
        }
        client.call("bash", json!({"command": "ps -o tty= -p $$"})).assert_text("?\n");
    }
}

#[test]
fn output_within_the_limits_is_not_saved() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // The raw output is over the limit. After the escape sequences are removed, it is within the limit.
    let command = "for i in $(seq 3000); do printf '\\033[31m\\033[0m'; done; echo x";
    client.call("bash", json!({"command": command})).assert_text("x\n");
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
    assert_eq!(workspace.saved(), Vec::<PathBuf>::new());
}

#[test]
fn the_default_folder_is_in_the_temp_folder_and_private() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let tmp = workspace.base().join("tmp");
    let mut client = Start::new(&workspace).default_saved_dir().env("TMPDIR", "<base>/tmp").client();
    let path = saved_path(&client.call("bash", json!({"command": "seq 3000"})));
    let folder = tmp.join(format!("cutline-{}", rustix::process::geteuid().as_raw()));
    assert_eq!(path.parent(), Some(folder.as_path()));
    assert_eq!(mode(&folder), 0o700);
    client.call("read", json!({"path": path, "limit": 1})).assert_success();
    client.call("ls", json!({"path": folder})).assert_error(&["outside the workspace"]);
}

#[test]
fn default_folder_is_in_tmp_with_empty_tmpdir() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).default_saved_dir().env("TMPDIR", "").client();
    let path = saved_path(&client.call("bash", json!({"command": "seq 3000"})));
    assert_eq!(
        path.parent().and_then(Path::parent),
        Some(Path::new("/tmp").canonicalize().unwrap().as_path())
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn later_background_output_is_saved() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "(until [ -e go ]; do sleep 0.05; done; seq 20000; touch done) & echo started";
    let reply = client.call("bash", json!({"command": command}));
    reply.assert_contains("started\n\n[Background process");
    let path = saved_path(&reply);
    workspace.write("go", "");
    let full = content(&json!(["started", {"lines": [1, 20_000], "text": "{n}"}]));
    eventually("the file has the full output", || fs::metadata(&path).unwrap().len() == full.len() as u64);
    assert!(fs::read(&path).unwrap() == full, "the file is not the full output");
}

/// Writes a file with the permissions of a saved output.
fn write_saved_file(path: &Path, bytes: usize, time: SystemTime) {
    fs::write(path, vec![b'x'; bytes]).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn only_old_outputs_are_removed() {
    let workspace = Workspace::new();
    let old = SystemTime::now() - TEN_DAYS;
    let put = |name: &str, time: SystemTime| {
        let path = workspace.saved_dir().join(name);
        write_saved_file(&path, 1, time);
        path
    };
    let removed = put("cutline-bash-oldOneoldOne.log", old);
    let kept = [
        put("cutline-bash-newOnenewOne.log", SystemTime::now()),
        put("notes.log", old),
        put("cutline-bash-.log", old),
        put("cutline-bash-notes.log", old),
        put("cutline-bash-oldOneoldOne.txt", old),
    ];
    let precious = workspace.base().join("precious");
    fs::write(&precious, "x").unwrap();
    let link = workspace.saved_dir().join("cutline-bash-aLinkaLinkaL.log");
    symlink(&precious, &link).unwrap();

    let _client = Client::new(&workspace);
    eventually("the old output is removed", || !removed.exists());
    for path in kept.iter().chain([&precious, &link]) {
        assert!(path.symlink_metadata().is_ok(), "{} was removed too", path.display());
    }
}

#[test]
fn oldest_outputs_are_removed_above_the_total_limit() {
    let workspace = Workspace::new();
    let put = |name: &str, hours: u64| {
        let path = workspace.saved_dir().join(name);
        write_saved_file(&path, 40_000, SystemTime::now() - Duration::from_secs(hours * 3600));
        path
    };
    let (oldest, older, newest) = (
        put("cutline-bash-aaaaaaaaaaaa.log", 30),
        put("cutline-bash-bbbbbbbbbbbb.log", 20),
        put("cutline-bash-cccccccccccc.log", 10),
    );
    let _client = Start::new(&workspace).flags(["--spill-max-total", "100KB"]).client();
    eventually("the oldest output is removed", || !oldest.exists());
    assert!(older.exists() && newest.exists());
}

#[test]
fn outputs_of_a_running_server_are_not_removed() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let reply = client.call("bash", json!({"command": "echo hi; sleep 600 &"}));
    let path = saved_path(&reply);
    let old = SystemTime::now() - TEN_DAYS;
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    let decoy = workspace.saved_dir().join("cutline-bash-decoydecoyde.log");
    write_saved_file(&decoy, 1, old);
    let _other = Client::new(&workspace);
    eventually("the other server cleans up", || !decoy.exists());
    assert!(path.exists(), "the file of a live server was removed");
}

#[test]
fn processes_of_a_command_end_at_its_timeout() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "trap '' TERM; setsid sleep 600 & (setsid bash -c \"trap '' TERM; sleep 600 & wait; sleep 600\" &); sleep 600 & wait; sleep 600";
    let reply = client.call("bash", json!({"command": command, "timeout": 1}));
    assert_eq!(reply.details()["timedOut"], true, "{reply}");
    eventually("all processes have ended", || workspace.processes(client.id()).is_empty());
}

#[test]
fn command_that_makes_the_server_its_tracer_ends_at_its_timeout() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let program = "import ctypes, os, signal, time
if os.fork() == 0:
    time.sleep(600)
ctypes.CDLL(None).ptrace(0, 0, 0, 0)
os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(600)";
    let reply = client.call("bash", json!({"command": format!("exec python3 -c '{program}'"), "timeout": 1}));
    assert_eq!(reply.details()["timedOut"], true, "{reply}");
    eventually("all processes have ended", || workspace.processes(client.id()).is_empty());
}

#[test]
fn command_that_ended_in_time_is_not_reported_as_timed_out() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let command = "touch started; until [ -e go ]; do sleep 0.01; done; touch ended; exit 7";
    let id = client.send_call("bash", json!({"command": command, "timeout": 2}), None);
    eventually("the command runs", || workspace.path("started").exists());
    client.signal(Signal::STOP);
    workspace.write("go", "");
    eventually("the command has ended", || workspace.path("ended").exists());
    std::thread::sleep(Duration::from_millis(2500));
    client.signal(Signal::CONT);
    let details = &client.response(id)["result"]["_meta"]["details"];
    assert!(details["timedOut"].is_null() && details["exitCode"] == 7, "{details}");
}

#[test]
fn remedy_for_a_version_manager_is_named_once() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).env("PATH", "/usr/bin:/bin").client();
    let notice = "[pnpm is not on PATH. If a version manager installs it, try bash -lc 'pnpm …'. The user can set PATH in \
                  the env settings of this server]";
    let command = json!({"command": "echo before; pnpm test 2>&1 | tail -3"});
    let reply = client.call("bash", json!({"command": "bash -lc 'pnpm test'"}));
    assert!(!reply.text().contains("version manager"), "{reply}");
    client.call("bash", command.clone()).assert_contains(notice);
    for command in
        [command, json!({"command": "no-such-tool"}), json!({"command": "echo 'npm: command not found'"})]
    {
        let reply = client.call("bash", command);
        assert!(!reply.text().contains("version manager"), "{reply}");
    }
}

#[test]
fn server_reaps_its_children() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for _ in 0..5 {
        client.call("bash", json!({"command": "setsid true; (sleep 0.01 &) ; true"})).assert_success();
    }
    let zombies = || {
        let children = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let after_name = stat.rsplit(") ").next().unwrap_or_default().to_owned();
            let mut fields = after_name.split(' ');
            fields.next() == Some("Z") && fields.next() == Some(&client.id().to_string())
        });
        children.count()
    };
    eventually("its children are reaped", || zombies() == 0);
}

#[test]
fn exit_code_is_reported_if_the_shell_closes_its_output() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    client
        .call("bash", json!({"command": "exec >&-; exec 2>&-; sleep 0.1; exit 7"}))
        .assert_text("(no output)\n\nCommand exited with code 7");
}

#[test]
fn command_that_kills_its_group_does_not_end_the_server() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    client
        .call("bash", json!({"command": "echo hi; kill -KILL 0"}))
        .assert_contains("hi\n\nCommand killed by signal SIGKILL");
    client.call("bash", json!({"command": "echo still here"})).assert_text("still here\n");
}

#[test]
fn sixteen_commands_save_sixteen_files() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    let ids: Vec<_> = (0..16)
        .map(|n| {
            client.send_call(
                "bash",
                json!({"command": format!("for i in $(seq 3000); do echo {n}; done")}),
                None,
            )
        })
        .collect();
    let mut paths = Vec::new();
    for (n, id) in ids.into_iter().enumerate() {
        let response = client.response(id);
        let path = response["result"]["_meta"]["details"]["fullOutputPath"].as_str().unwrap().to_owned();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{n}\n").repeat(3000));
        paths.push(path);
    }
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 16);
}

#[test]
fn memory_is_independent_of_output_size() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    for command in ["yes line | head -c 100000000", "head -c 100000000 /dev/zero | tr '\\0' x"] {
        let reply = client.call("bash", json!({"command": command}));
        assert_eq!(reply.details()["truncation"]["totalBytes"], 100_000_000, "{reply}");
    }
    let status = fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 100_000, "the peak is {kilobytes} kB");
}

#[test]
fn sh_is_used_without_bash() {
    let workspace = Workspace::with(&json!({"../bin": {"dir": true}}));
    symlink("/bin/sh", workspace.base().join("bin/sh")).unwrap();
    let mut client = Start::new(&workspace).env("PATH", "<base>/bin").client();
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}

#[test]
fn removed_workspace_is_an_error_of_the_call() {
    let workspace = Workspace::with(&json!({"../gone/a": "x"}));
    let mut client = Start::new(&workspace).flags(["--root", "<base>/gone"]).client();
    fs::remove_dir_all(workspace.base().join("gone")).unwrap();
    let reply = client.call("bash", json!({"command": "echo hi"}));
    let folder = workspace.base().join("gone").display().to_string();
    reply.assert_error(&[&format!("Command could not be started in {folder}: No such file or directory")]);
    fs::create_dir(workspace.base().join("gone")).unwrap();
    fs::set_permissions(workspace.base().join("gone"), fs::Permissions::from_mode(0o755)).unwrap();
    client.call("bash", json!({"command": "echo hi"})).assert_text("hi\n");
}
