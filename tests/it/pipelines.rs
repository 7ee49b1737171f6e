//! Commands with pipelines behave exactly as with plain `bash -c`, and report the exit codes of their pipelines.
//!
//! The scripts are in `fixtures/pipelines`. A line that starts with `%%` begins a script. It has the exit codes of the last
//! pipeline that are expected in the details, and `sorted` if the order of the output lines varies from run to run. Those of
//! an earlier pipeline are separated by commas.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::{Value, json};

use crate::support::{Client, Reply, Start, Workspace, eventually};

/// A script and its expected result.
struct Script {
    text: String,
    codes: Vec<i32>,
    earlier: Vec<Vec<i32>>,
    is_sorted: bool,
}

/// The compared facts of a run.
#[derive(PartialEq, Eq)]
struct Run {
    output: String,
    /// The exit code, or 128 plus the number of the signal that ended the script.
    code: i64,
    was_killed: bool,
}

fn scripts(file: &str) -> Vec<Script> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pipelines").join(file);
    let mut scripts: Vec<Script> = Vec::new();
    for line in fs::read_to_string(path).unwrap().split_inclusive('\n') {
        if let Some(expected) = line.strip_prefix("%%") {
            let (options, codes): (Vec<&str>, Vec<&str>) =
                expected.split_whitespace().partition(|word| *word == "sorted");
            let (earlier, codes): (Vec<&str>, Vec<&str>) =
                codes.into_iter().partition(|word| word.contains(','));
            let numbers =
                |words: &[&str]| words.iter().map(|code| code.parse().unwrap()).collect::<Vec<i32>>();
            let earlier =
                earlier.iter().map(|codes| numbers(&codes.split(',').collect::<Vec<_>>())).collect();
            let (codes, is_sorted) = (numbers(&codes), !options.is_empty());
            scripts.push(Script { text: String::new(), codes, earlier, is_sorted });
        } else {
            scripts.last_mut().unwrap().text.push_str(line);
        }
    }
    for script in &mut scripts {
        assert_eq!(script.text.pop(), Some('\n'));
    }
    scripts
}

/// Returns the environment of the commands of `client`.
fn environment(client: &mut Client, workspace: &Workspace) -> BTreeMap<OsString, OsString> {
    client.call("bash", json!({"command": "cat /proc/$$/environ > ../environ; :"}));
    let bytes = fs::read(workspace.base().join("environ")).unwrap();
    let variables = bytes.split(|byte| *byte == 0).filter(|variable| !variable.is_empty());
    let split = |variable: &[u8]| {
        let at = variable.iter().position(|byte| *byte == b'=').unwrap();
        (OsString::from_vec(variable[..at].to_vec()), OsString::from_vec(variable[at + 1..].to_vec()))
    };
    variables.map(split).collect()
}

/// Runs a script with plain bash in the environment that the server uses.
fn run_in_bash(script: &str, workspace: &Workspace, environment: &BTreeMap<OsString, OsString>) -> Run {
    let (mut output, input) = std::io::pipe().unwrap();
    let program = std::env::split_paths(&environment[&OsString::from("PATH")])
        .map(|folder| folder.join("bash"))
        .find(|bash| bash.is_file())
        .unwrap();
    // The server gives commands the default actions for signals. A background job of a shell ignores SIGINT, and one of
    // `nohup` SIGHUP.
    let mut bash = Command::new("env");
    bash.arg("--default-signal")
        .arg(program)
        .args(["-c", "--", script])
        .current_dir(workspace.root())
        .env_clear()
        .envs(environment);
    bash.stdin(Stdio::null()).stdout(input.try_clone().unwrap()).stderr(input).process_group(0);
    let mut child = bash.spawn().unwrap();
    drop(bash);
    let status = child.wait().unwrap();
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).unwrap();
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap();
    Run {
        output: String::from_utf8_lossy(&bytes).into_owned(),
        code: code.into(),
        was_killed: status.signal().is_some(),
    }
}

/// Returns the run that the result of the tool describes.
fn run_of_reply(reply: &Reply) -> Run {
    let details = reply.details();
    let codes = Regex::new(r"(\n\[Exit codes of (the last|an earlier) pipeline: [\d, ]+\])+$").unwrap();
    let status = Regex::new(r"\n(Command (exited|killed) .*|\[Output is .* of white space\])$").unwrap();
    let text = codes.replace(reply.text(), "");
    let text = status.replace(text.trim_end(), "");
    let text = status.replace(text.trim_end(), "");
    Run {
        output: if text == "(no output)" { String::new() } else { text.into_owned() },
        code: details["exitCode"].as_i64().unwrap(),
        was_killed: !details["signal"].is_null(),
    }
}

/// Replaces the values that differ from run to run.
fn redacted(run: &Run, script: &Script) -> Run {
    let tag = Regex::new(r#"(CUTLINE_MARK"?=)\S+"#).unwrap();
    let output = tag.replace_all(&run.output, "${1}<mark>");
    // The C library ignores its own signals 32 and 33 in some of the processes that it starts.
    let ignored = Regex::new(r"(SigIgn:\s*\d{7})\d[08]").unwrap();
    let output = ignored.replace_all(&output, "${1}..");
    let output = Regex::new(r"\b\d{3,9}\b").unwrap().replace_all(&output, "<number>");
    let mut lines: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
    if script.is_sorted {
        lines.sort_unstable();
    }
    Run { output: lines.join("\n"), code: run.code, was_killed: run.was_killed }
}

/// Removes all files that a script created.
fn clear(workspace: &Workspace) {
    for entry in fs::read_dir(workspace.root()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
}

fn compare(file: &str, flags: &[&str]) {
    // Plain bash must not inherit descriptors of the test runner, because commands of the server do not.
    close_fds::set_fds_cloexec(3, &[]);
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(flags).client();
    let environment = environment(&mut client, &workspace);
    let mut differences = Vec::new();
    for script in scripts(file) {
        let reply = client.call("bash", json!({"command": script.text}));
        clear(&workspace);
        let by_bash = redacted(&run_in_bash(&script.text, &workspace, &environment), &script);
        clear(&workspace);
        let by_tool = redacted(&run_of_reply(&reply), &script);
        let details = reply.details();
        let codes = details["pipelineExitCodes"].as_array().cloned().unwrap_or_default();
        let expected: Vec<Value> = script.codes.iter().map(|code| Value::from(*code)).collect();
        let notice = format!(
            "[Exit codes of the last pipeline: {}]",
            script.codes.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
        );
        if by_tool != by_bash {
            differences.push(format!(
                "{}\n--- bash: {} (killed: {})\n{}\n--- tool: {} (killed: {})\n{}",
                script.text,
                by_bash.code,
                by_bash.was_killed,
                by_bash.output,
                by_tool.code,
                by_tool.was_killed,
                by_tool.output
            ));
        } else if codes != expected
            || reply.text().ends_with(&notice) == expected.is_empty()
            || details["earlierPipelines"].as_array().map_or(0, Vec::len) != script.earlier.len()
            || !script.earlier.is_empty() && details["earlierPipelines"] != json!(script.earlier)
        {
            let earlier = &details["earlierPipelines"];
            let script = &script.text;
            differences
                .push(format!("{script}\n--- codes: {earlier} {codes:?}, expected {expected:?}\n{reply}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n=====\n"));
}

#[test]
fn shell_syntax_behaves_as_in_plain_bash() {
    compare("shell.txt", &[]);
}

#[test]
fn shell_state_behaves_as_in_plain_bash() {
    compare("state.txt", &[]);
}

#[test]
fn signals_and_traps_behave_as_in_plain_bash() {
    compare("signals.txt", &[]);
}

#[test]
fn shell_options_behave_as_in_plain_bash() {
    compare("options.txt", &[]);
}

#[test]
fn reports_leave_no_files() {
    let workspace = Workspace::with(&json!({"../tmp": {"dir": true}}));
    let tmp = workspace.base().join("tmp");
    let mut client = Start::new(&workspace).env("TMPDIR", "<base>/tmp").client();
    // The report file is in use while the command runs. The background process does not keep it open.
    let command = "sleep 600 & echo $!; ls -A ../tmp/*; false | true";
    let reply = client.call("bash", json!({"command": command}));
    reply.assert_contains("[Exit codes of the last pipeline: 1, 0]");
    let folders = || fs::read_dir(&tmp).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(folders().len(), 1, "{reply}");
    assert_eq!(fs::read_dir(&folders()[0]).unwrap().count(), 1, "not only the startup file is left");
    // cutline creates the folder again after its removal.
    fs::remove_dir_all(&folders()[0]).unwrap();
    let reply = client.call("bash", json!({"command": "false | true"}));
    reply.assert_contains("[Exit codes of the last pipeline: 1, 0]");
    client.close_stdin();
    client.exit();
    assert_eq!(folders(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn startup_file_of_the_user_is_read() {
    let workspace = Workspace::with(&json!({"../startup": "echo started\n"}));
    let mut client = Start::new(&workspace).env("BASH_ENV", "<base>/startup").client();
    client.call("bash", json!({"command": "false | true"})).assert_text("started\n");
}

#[test]
fn pipelines_of_other_shells_are_not_reported() {
    let workspace = Workspace::with(&json!({"../bin/sh": {"symlink": "/bin/dash"}}));
    let mut client = Start::new(&workspace).env("PATH", "<base>/bin").client();
    let reply = client.call("bash", json!({"command": "sh -c 'exit 3' | :; echo ${BASH_ENV-none}"}));
    reply.assert_text("none\n");
}

#[test]
fn saved_output_of_a_command_that_outlived_its_result_ends_with_the_codes() {
    let workspace = Workspace::new();
    let mut client = Start::new(&workspace).flags(["--answer-within", "1"]).client();
    let reply = client.call("bash", json!({"command": "until [ -e go ]; do sleep 0.02; done; false | true"}));
    let saved = reply.details()["fullOutputPath"].as_str().unwrap().to_owned();
    workspace.write("go", "");
    let end = "[Exit codes of the last pipeline: 1, 0]\n[Command exited with code 0]\n";
    eventually("the command has ended", || fs::read_to_string(&saved).unwrap().ends_with(end));
}
