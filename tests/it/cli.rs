//! Tests of the command line.

mod config;
mod doctor;
mod shells;
mod streams;
mod truncate;

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Start, Workspace};

/// Runs the binary with these arguments in `workspace`.
fn run(workspace: &Workspace, arguments: &[&str]) -> Output {
    let mut command: Command = Start::new(workspace).flags(arguments).command();
    command.stdin(Stdio::null()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn version_is_printed() {
    let output = run(&Workspace::new(), &["--version"]);
    assert_eq!((code(&output), stdout(&output)), (0, format!("cutline {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn closed_pipe_of_call_is_no_error() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Start::new(&workspace).flags(["call", "read", "path=a"]).command();
    let output = command.stdout(writer).output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
}

/// A flag in the help: its name, the placeholder of its value, and a valid value.
struct Flag {
    name: String,
    placeholder: String,
    value: Option<String>,
}

/// Returns the flags that the help of a command lists.
fn flags_in_help(workspace: &Workspace, arguments: &[&str]) -> Vec<Flag> {
    let help = stdout(&run(workspace, &[arguments, &["--help"]].concat()));
    let starts = help.match_indices("\n      --").map(|(at, _)| &help[at + 7..]);
    let flag = |text: &str| {
        let mut words = text.lines().next().unwrap().split_whitespace();
        let name = words.next().unwrap().trim_end_matches("[=<BOOL>]").to_owned();
        let placeholder = words.next().unwrap_or_default().trim_matches(['<', '>']).to_owned();
        let about = text.split("\n      --").next().unwrap();
        let possible = about.split_once("possible values: ").map(|(_, rest)| {
            rest.split(['[', ']', ',', '\n'])
                .map(str::trim)
                .find(|value| *value != "read-only")
                .unwrap()
                .to_owned()
        });
        let value = match placeholder.as_str() {
            "" => None,
            "DIR" => Some(".".to_owned()),
            "LIST" => Some(if name == "--tools" { "ls".to_owned() } else { "unix-sockets".to_owned() }),
            "SIZE" => Some("20KB".to_owned()),
            "TIME" => Some("1d".to_owned()),
            "FILE" => Some("calls.jsonl".to_owned()),
            "FILTER" => Some("info".to_owned()),
            "CLIENT" => Some("off".to_owned()),
            _ => possible.or(Some("9".to_owned())),
        };
        Flag { name, placeholder, value }
    };
    starts.map(flag).filter(|flag| !["--help", "--version"].contains(&flag.name.as_str())).collect()
}

#[test]
fn help_lists_commands_and_defaults() {
    let help = stdout(&run(&Workspace::new(), &["--help"]));
    for default in ["2000", "30KB", "500", "1GB", "4GB", "7d", "600"] {
        assert!(help.contains(default), "the default {default} is not in\n{help}");
    }
    for word in ["call", "stats", "config", "doctor", "completions", "man"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(word)), "{word} is not in\n{help}");
    }
    let headings = help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' '));
    assert_eq!(
        headings.collect::<Vec<_>>(),
        ["Commands:", "Options:", "Security:", "Output:", "Limits:", "Logging:"]
    );
}

#[test]
fn each_flag_has_a_variable_and_starts_a_server() {
    let workspace = Workspace::new();
    let help = stdout(&run(&workspace, &["--help"]));
    let flags = flags_in_help(&workspace, &[]);
    assert!(flags.len() > 30, "{help}");
    for Flag { name, value, .. } in flags {
        let variable =
            format!("[env: CUTLINE_{}=", name.trim_start_matches('-').replace('-', "_").to_uppercase());
        assert!(help.contains(&variable), "{variable} is not in\n{help}");
        // It needs a sandbox.
        if name != "--sandbox-deny" {
            let output =
                run(&workspace, &[vec![name.as_str()], value.iter().map(String::as_str).collect()].concat());
            assert_eq!(code(&output), 0, "{name} {value:?}: {}", stderr(&output));
        }
    }
}

#[test]
fn help_lists_only_the_flags_that_a_command_takes() {
    let workspace = Workspace::new();
    let all = flags_in_help(&workspace, &[]);
    let names = |flags: &[Flag]| flags.iter().map(|flag| flag.name.clone()).collect::<Vec<_>>();
    for (arguments, listed, rest) in [
        (&["completions"][..], &[][..], &["bash"][..]),
        (&["man"], &[], &["."]),
        (&["stats"], &["--json", "--html"], &["calls.jsonl"]),
        (&["truncate"], &["--keep", "--max-lines", "--spill-keep"], &[]),
        (&["wrap"], &["--keep", "--max-message", "--fit", "--spill-dir", "--stats-file"], &["--", "true"]),
    ] {
        let own = names(&flags_in_help(&workspace, arguments));
        for flag in listed {
            assert!(own.contains(&(*flag).to_owned()), "{arguments:?} does not list {flag}: {own:?}");
        }
        let others: Vec<&Flag> = all.iter().filter(|flag| !own.contains(&flag.name)).collect();
        assert!(!others.is_empty(), "{arguments:?}");
        for Flag { name, value, .. } in others {
            let flag = [vec![name.as_str()], value.iter().map(String::as_str).collect()].concat();
            let output = run(&workspace, &[arguments, &flag, rest].concat());
            let message = stderr(&output);
            let refusal = format!("{} does not take {name}", arguments[0]);
            assert!(code(&output) == 2 && message.contains(&refusal), "{message}");
        }
    }
    for arguments in [&["call", "read"][..], &["doctor"], &["config"]] {
        let own = names(&flags_in_help(&workspace, arguments));
        for flag in names(&all) {
            assert!(own.contains(&flag), "{arguments:?} does not list {flag}");
        }
    }
}

#[test]
fn zero_is_refused_for_each_limit() {
    let workspace = Workspace::new();
    let limits = flags_in_help(&workspace, &[]).into_iter().filter(|flag| {
        ["N", "SIZE", "SECONDS", "TIME"].contains(&flag.placeholder.as_str())
            && !["--bash-head", "--bash-tail"].contains(&flag.name.as_str())
    });
    let limits: Vec<String> = limits.map(|flag| flag.name).collect();
    assert!(limits.len() > 10, "{limits:?}");
    for flag in limits {
        let output = run(&workspace, &[&flag, "0"]);
        assert_eq!(code(&output), 2, "{flag} 0: {}", stderr(&output));
        assert!(stderr(&output).contains(&flag), "the message does not contain {flag}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "stdout is for the protocol only");
    }
}

#[test]
fn zero_in_variable_is_refused() {
    let workspace = Workspace::new();
    let mut command = Start::new(&workspace).env("CUTLINE_MAX_LINES", "0").command();
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("max-lines"), "{}", stderr(&output));
}

#[test]
fn empty_variables_count_as_unset() {
    let workspace = Workspace::new();
    let empty = |arguments: &[&str], variables: &[String]| {
        let mut command = Start::new(&workspace).flags(arguments).command();
        command.envs(variables.iter().map(|name| (name, ""))).stdin(Stdio::null()).output().unwrap()
    };
    for arguments in [&["--help"][..], &["wrap", "--help"], &["truncate", "--help"]] {
        let help = stdout(&run(&workspace, arguments));
        let listed = help.split("[env: ").skip(1);
        let variables: Vec<String> = listed.map(|rest| rest.split_once('=').unwrap().0.to_owned()).collect();
        assert!(variables.len() > 5, "{help}");
        let arguments: &[&str] = match arguments[0] {
            "wrap" => &["wrap", "--", "true"],
            "truncate" => &["truncate"],
            _ => &["call", "bash", "command=echo one two"],
        };
        let (unset, set) = (empty(arguments, &[]), empty(arguments, &variables));
        assert_eq!((code(&set), stdout(&set)), (0, stdout(&unset)), "{}", stderr(&set));
        for variable in variables {
            let output = empty(arguments, std::slice::from_ref(&variable));
            assert_eq!(
                (code(&output), stdout(&output)),
                (0, stdout(&unset)),
                "{variable}: {}",
                stderr(&output)
            );
        }
    }
}

#[test]
fn head_and_tail_must_not_both_be_zero() {
    let workspace = Workspace::new();
    assert_eq!(code(&run(&workspace, &["--bash-head", "5", "--bash-tail", "0"])), 0);
    assert_eq!(code(&run(&workspace, &["--bash-head", "0", "--bash-tail", "5"])), 0);
    let output = run(&workspace, &["--bash-head", "0", "--bash-tail", "0"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--bash-head") && stderr(&output).contains("--bash-tail"));
}

#[test]
fn invalid_usage_exits_with_2_and_reports_the_flag() {
    let workspace = Workspace::new();
    for (arguments, expected) in [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (&["--max-bytes", "30 bananas"], "--max-bytes"),
        (&["--max-bytes", "-1"], "-1"),
        (&["--max-lines", "ten"], "--max-lines"),
        (&["--max-lines", "1.5"], "--max-lines"),
        (&["--tools", "read,write"], "--tools"),
        (&["--spill-keep", "soon"], "--spill-keep"),
        (&["--sandbox", "strict"], "--sandbox"),
        (&["--sandbox", "read-only", "--sandbox-deny", "tcp"], "--sandbox-deny"),
        (&["--sandbox-deny", "unix-sockets"], "--sandbox-deny needs --sandbox"),
        (&["--bash-timeout", "700"], "--bash-timeout"),
        (&["config", "emacs"], "emacs"),
        (&["call"], "TOOL"),
        (&["call", "write"], "write"),
        (&["call", "read", "path"], "path"),
        (&["serve-me"], "serve-me"),
    ] {
        let output = run(&workspace, arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
}

#[test]
fn invalid_call_shows_the_usage_of_the_tool() {
    let workspace = Workspace::new();
    for arguments in [
        &["call", "read", "--bad"][..],
        &["call", "read", "path"],
        &["call", "read", "path=a", "path=b"],
        &["call", "read", "path=a", "--tools", "ls"],
        &["call", "read", "path=a", "--root", "/no/such/folder"],
        &["call", "read", "path=a", "--bash-timeout", "700"],
    ] {
        let message = stderr(&run(&workspace, arguments));
        let usage = "\nUsage: cutline call read [OPTIONS] [KEY=VALUE]...\n";
        assert!(message.contains(usage), "{arguments:?}: {message}");
    }
    let message = stderr(&run(&workspace, &["--bash-timeout", "700"]));
    assert!(message.contains("\nUsage: cutline [OPTIONS] [COMMAND]\n"), "{message}");
}

#[test]
fn sizes_can_have_units() {
    let workspace = Workspace::with(&json!({"a": {"repeat": "x\n", "times": 40_000}}));
    for (size, bytes) in [("300", 300), ("1KB", 1000), ("1KiB", 1024), ("2kb", 2000), ("1.5KB", 1500)] {
        let output = run(&workspace, &["--max-bytes", size, "call", "read", "path=a", "--json"]);
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["_meta"]["details"]["truncation"]["maxBytes"], bytes, "{size}");
    }
}

#[test]
fn flag_overrides_variable() {
    let workspace = Workspace::with(&json!({"a": {"lines": [1, 90], "text": "{n}"}}));
    let start = |flags: &[&str]| {
        let mut command = Start::new(&workspace)
            .env("CUTLINE_MAX_LINES", "7")
            .flags(flags)
            .flags(["call", "read", "path=a", "--json"])
            .command();
        let result: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        result["_meta"]["details"]["truncation"]["outputLines"].clone()
    };
    assert_eq!(start(&[]), 7);
    assert_eq!(start(&["--max-lines", "3"]), 3);
}

#[test]
fn variable_overrides_a_preset() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    for (value, expected) in [("", "a\n1: one\n"), ("0", "a:1: one\n"), ("1", "a\n1: one\n")] {
        let start = Start::new(&workspace).env("CUTLINE_GREP_HEADING", value);
        let output = start.flags(["--lean", "call", "grep", "pattern=one"]).command().output().unwrap();
        assert_eq!(stdout(&output), expected, "{value}");
    }
}

#[test]
fn call_prints_the_text_of_the_result() {
    let workspace =
        Workspace::with(&json!({"a b.txt": "one\ntwo\n", "big": {"lines": [1, 3000], "text": "{n}"}}));
    let output = run(&workspace, &["call", "read", "path=a b.txt"]);
    assert_eq!((code(&output), stdout(&output)), (0, "one\ntwo\n".to_owned()));
    let output = run(&workspace, &["call", "read", "path=big", "offset=2", "limit=1"]);
    let expected = "2\n\n[Showing lines 2-2 of 3000. Use offset=3 to continue]\n";
    assert_eq!((code(&output), stdout(&output)), (0, expected.to_owned()));
    let output = run(&workspace, &["call", "grep", "pattern=TWO", "ignoreCase=true"]);
    assert_eq!((code(&output), stdout(&output)), (0, "a b.txt:2: two\n".to_owned()));
    let output = run(&workspace, &["call", "ls"]);
    assert_eq!((code(&output), stdout(&output)), (0, "a b.txt\nbig\n".to_owned()));
    let output = run(&workspace, &["call", "find", "pattern=b*"]);
    assert_eq!((code(&output), stdout(&output)), (0, "big\n".to_owned()));
}

#[test]
fn call_leaves_no_process() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["call", "bash", "command=echo hi; exit 3"]);
    assert_eq!((code(&output), stdout(&output)), (0, "hi\n\nCommand exited with code 3\n".to_owned()));
    assert_eq!(stderr(&output), "");
    for (command, expected) in [
        (
            "sleep 600 & echo hi",
            "1 background process was ended with this call: only a server keeps background processes running\n",
        ),
        (
            "sleep 600 & sleep 600 &",
            "2 background processes were ended with this call: only a server keeps background processes running\n",
        ),
        ("sleep 600 >/dev/null 2>&1 &", ""),
    ] {
        for json in [&[][..], &["--json"]] {
            let output = run(&workspace, &[&["call", "bash", &format!("command={command}")], json].concat());
            assert_eq!((code(&output), stderr(&output)), (0, expected.to_owned()), "{command}");
            assert_eq!(
                stdout(&output).contains("[Background process"),
                !expected.is_empty(),
                "{}",
                stdout(&output)
            );
            assert!(workspace.processes(0).is_empty(), "background processes still run");
        }
    }
}

#[test]
fn call_that_gets_a_signal_leaves_no_process() {
    let workspace = Workspace::new();
    for signal in ["TERM", "HUP", "QUIT", "INT"] {
        let command = format!("command=kill -{signal} $PPID; sleep 600");
        let output = run(&workspace, &["call", "bash", &command]);
        assert!(!stderr(&output).is_empty(), "{signal}: {}", stdout(&output));
        assert!(workspace.processes(0).is_empty(), "{signal}: the command still runs");
    }
}

#[test]
fn command_that_outlives_its_call_is_reported() {
    let workspace = Workspace::new();
    for json in [&[][..], &["--json"]] {
        let call = ["call", "bash", "command=echo hi; sleep 600", "--answer-within", "1"];
        let output = run(&workspace, &[&call, json].concat());
        let expected = "the command ended with this call: only a server keeps commands running\n";
        assert_eq!((code(&output), stderr(&output).as_str()), (0, expected));
        let text = stdout(&output);
        assert!(
            text.contains("[Still running after 1 second (pid ") && !text.contains("tail --pid"),
            "{text}"
        );
        assert!(workspace.processes(0).is_empty(), "the command still runs");
    }
}

#[test]
fn call_json_prints_the_complete_result() {
    let workspace = Workspace::with(&json!({"big": {"lines": [1, 3000], "text": "{n}"}}));
    let output = run(&workspace, &["call", "--json", "read", "path=big"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(code(&output), 0);
    assert_eq!(result["isError"], false);
    assert_eq!(result["_meta"]["details"]["nextOffset"], 2001);
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("1\n2\n"));
}

#[test]
fn tool_error_exits_with_1() {
    let workspace = Workspace::new();
    let output = run(&workspace, &["call", "read", "path=missing"]);
    assert_eq!((code(&output), stdout(&output)), (1, String::new()));
    assert_eq!(stderr(&output), "File not found: missing\n");
    let output = run(&workspace, &["call", "read", "path=missing", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &result["isError"]), (1, &json!(true)));
}

#[test]
fn call_accepts_flags_in_any_position() {
    let workspace = Workspace::with(&json!({"a": "1\n2\n3\n"}));
    for arguments in
        [["--max-lines", "1", "call", "read", "path=a"], ["call", "read", "path=a", "--max-lines", "1"]]
    {
        let shown = stdout(&run(&workspace, &arguments));
        assert_eq!(shown, "1\n\n[Showing lines 1-1 of 3. Use offset=2 to continue]\n", "{arguments:?}");
    }
    let output = run(&workspace, &["call", "bash", "command=echo", "--tools", "read"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[test]
fn missing_root_is_a_warning() {
    let workspace = Workspace::with(&json!({"a": "one\n"}));
    let mut client = Start::new(&workspace).flags(["--root", "/no/such/folder", "--root", "<root>"]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    assert!(client.stderr().contains("/no/such/folder"), "{}", client.stderr());
}

#[test]
fn cutline_root_is_a_path_list() {
    let workspace = Workspace::with(&json!({"one/a": "1\n", "two/b": "2\n", "b:c/d": "3\n"}));
    let list = format!("{}::{}", workspace.path("one").display(), workspace.path("two").display());
    let mut client = Start::new(&workspace).env("CUTLINE_ROOT", &list).client();
    client.call("read", json!({"path": "a"})).assert_text("1\n");
    client.call("read", json!({"path": workspace.path("two/b")})).assert_text("2\n");
    let output = run(&workspace, &["--root", "b:c", "call", "read", "path=d"]);
    assert_eq!((stdout(&output).as_str(), code(&output)), ("3\n", 0), "{}", stderr(&output));
}

#[test]
fn server_without_a_usable_root_exits_with_2() {
    let workspace = Workspace::with(&json!({"file": "x"}));
    for root in ["/no/such/folder", "<root>/file"] {
        let output = run(&workspace, &["--root", root]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("--root"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

/// Runs the binary on a terminal. Returns stdout and stderr together.
pub(crate) fn on_a_terminal(
    workspace: &Workspace,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Option<String> {
    let quoted = arguments.iter().map(|argument| format!(" '{argument}'")).collect::<Vec<_>>().concat();
    let command = format!("'{}'{quoted}", env!("CARGO_BIN_EXE_cutline"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(workspace.root());
    script.env("TERM", "xterm").env_remove("NO_COLOR").env("CUTLINE_SPILL_DIR", workspace.saved_dir());
    script.envs(variables.iter().copied());
    let Ok(output) = script.stdin(Stdio::null()).output() else {
        eprintln!("skipped: this system has no script(1) to create a terminal");
        return None;
    };
    Some(stdout(&output))
}

#[test]
fn start_on_a_terminal_prints_a_hint() {
    let Some(shown) = on_a_terminal(&Workspace::new(), &[], &[]) else { return };
    for part in ["cutline is an MCP server.", "cutline config", "cutline call", "--help"] {
        assert!(shown.contains(part), "{part} is not in {shown:?}");
    }
}

#[test]
fn notices_are_coloured_on_a_terminal_only() {
    let workspace = Workspace::with(&json!({"a": "1\n2\n"}));
    let call = ["call", "read", "path=a", "limit=1"];
    let Some(shown) = on_a_terminal(&workspace, &call, &[]) else { return };
    let (body, notice) = shown.split_once('\u{1b}').unwrap_or_else(|| panic!("no colour in {shown:?}"));
    assert!(body.starts_with('1') && notice.contains("[Showing lines 1-1 of 2."), "{shown:?}");
    assert!(!stdout(&run(&workspace, &call)).contains('\u{1b}'));
}

#[test]
fn control_characters_are_escaped_on_a_terminal_only() {
    let text = "title \u{1b}]0;owned\u{7} \u{202e}x\u{9b}2J\n";
    let workspace = Workspace::with(&json!({"a": text}));
    for (call, shown) in [
        (&["call", "read", "path=a"][..], "title \\u{1b}]0;owned\\u{7} \\u{202e}x\\u{9b}2J"),
        (&["call", "grep", "pattern=title"], "title \\u{1b}]0;owned\\u{7} \\u{202e}x\\u{9b}2J"),
        (&["call", "read", "path=a", "--json"], "\\u{9b}2J"),
    ] {
        let piped = stdout(&run(&workspace, call));
        assert!(piped.contains("\u{202e}x\u{9b}2J"), "{piped:?}");
        let Some(on_terminal) = on_a_terminal(&workspace, call, &[]) else { return };
        assert!(on_terminal.contains(shown), "{on_terminal:?}");
        assert!(!on_terminal.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{on_terminal:?}");
    }
}
