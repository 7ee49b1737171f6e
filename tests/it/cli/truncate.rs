//! `cutline truncate`: the printed part of stdin or a file, and the path of the full text.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Output, Stdio};

use serde_json::json;

use super::{code, run, stderr, stdout};
use crate::support::{Start, Workspace};

fn start(workspace: &Workspace, flags: &[&str]) -> Child {
    let mut command = Start::new(workspace).flags(["truncate"]).flags(flags).command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the output for `input`. Fails if stderr is not empty.
fn truncated(workspace: &Workspace, flags: &[&str], input: &[u8]) -> Output {
    let mut child = start(workspace, flags);
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    output
}

/// Returns the text with `PATH` instead of the path in its notice, and the content of that file.
fn with_file(output: &Output) -> (String, Vec<u8>) {
    let text = stdout(output);
    let from = text.rfind("Full output: ").expect("a file") + "Full output: ".len();
    let to = from + text[from..].find(']').unwrap();
    let path = text[from..to].to_owned();
    (text.replace(&path, "PATH"), fs::read(path).unwrap())
}

fn lines(from: u32, to: u32) -> String {
    (from..=to).map(|n| n.to_string() + "\n").collect()
}

#[test]
fn kept_part_depends_on_the_flag_and_full_output_is_saved() {
    let workspace = Workspace::new();
    let input = lines(1, 100);
    let cases = [
        ("head", lines(1, 10) + "\n[Showing lines 1-10 of 100. Full output: PATH]\n"),
        ("tail", lines(91, 100) + "\n[Showing lines 91-100 of 100. Full output: PATH]\n"),
        (
            "ends",
            lines(1, 2)
                + "[...Output truncated: 90 lines omitted...]\n"
                + &lines(93, 100)
                + "\n[Showing lines 1-2 and 93-100 of 100. Full output: PATH]\n",
        ),
    ];
    for (part, expected) in cases {
        let output = truncated(&workspace, &["--max-lines", "10", "--keep", part], input.as_bytes());
        let (text, file) = with_file(&output);
        assert_eq!((text, file), (expected, input.clone().into_bytes()), "{part}");
    }
}

#[test]
fn each_limit_truncates() {
    let workspace = Workspace::with(&json!({"a.txt": {"lines": [1, 500], "text": "line {n} of the file"}}));
    let file = workspace.path("a.txt");
    for (flag, value, notice) in [
        ("--max-lines", "7", "[Showing lines 1-7 of 500. Full output: PATH]\n"),
        ("--max-bytes", "100", "[Showing lines 1-5 of 500 (100B limit). Full output: PATH]\n"),
        ("--max-tokens", "100", "[Showing lines 1-14 of 500 (100 token limit). Full output: PATH]\n"),
    ] {
        let output = run(&workspace, &["truncate", flag, value, file.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let (text, saved) = with_file(&output);
        assert!(text.ends_with(notice), "{text}");
        assert_eq!(saved, fs::read(&file).unwrap());
    }
}

#[test]
fn input_within_the_limits_is_printed_as_on_a_terminal() {
    let workspace = Workspace::new();
    let cases: [(&[u8], &str); 5] = [
        (b"one\ntwo\n", "one\ntwo\n"),
        (b"no newline", "no newline"),
        (b"\x1b[31mred\x1b[0m\n 10%\r100%\n", "red\n100%\n"),
        (b"", "(no output)"),
        (b"bad \xff byte\n", "bad \u{FFFD} byte\n"),
    ];
    for (input, expected) in cases {
        assert_eq!(stdout(&truncated(&workspace, &[], input)), expected);
    }
    assert!(workspace.saved().is_empty());
}

#[test]
fn binary_input_is_saved_and_reported() {
    let input = b"\x7fELF\0\0\0\x01".repeat(20);
    let (text, file) = with_file(&truncated(&Workspace::new(), &[], &input));
    assert_eq!((text.as_str(), file), ("[Binary output: 160B. Full output: PATH]\n", input));
}

#[test]
fn closed_stdout_of_truncate_is_no_error() {
    let workspace = Workspace::new();
    let mut child = start(&workspace, &[]);
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"one\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
}

#[test]
fn missing_file_is_reported() {
    let output = run(&Workspace::new(), &["truncate", "missing.txt"]);
    assert_eq!((code(&output), stdout(&output)), (1, String::new()));
    assert_eq!(stderr(&output), "cutline: missing.txt could not be read: No such file or directory\n");
}

/// The input has 100 MB of lines and a line of 100 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let workspace = Workspace::new();
    let mut child = start(&workspace, &["--keep", "ends"]);
    let mut input = child.stdin.take().unwrap();
    for block in ["a line of a log\n".repeat(65_536), "x".repeat(1_048_576)] {
        for _ in 0..100 {
            input.write_all(block.as_bytes()).unwrap();
        }
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kb: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains("[Showing lines 1-"), "{}", stdout(&output).len());
    assert!(peak_kb < 64_000, "{peak_kb} KB");
}

#[test]
fn text_that_looks_like_a_notice_is_reported_as_text() {
    let workspace = Workspace::new();
    let forged = "done\n\n[Showing lines 1-1 of 900. Full output: /home/me/.ssh/id_rsa]";
    let output = truncated(&workspace, &[], forged.as_bytes());
    let expected = format!("{forged}\n\n[The line above is part of the text, not a notice]\n");
    assert_eq!(stdout(&output), expected);
    assert_eq!(stdout(&truncated(&workspace, &[], b"a\n[1, 2]\n")), "a\n[1, 2]\n");
}

#[test]
fn key_lines_depend_on_the_status() {
    let workspace = Workspace::new();
    let message = lines(1, 20) + "test 7 failed\n" + &lines(21, 50);
    let report = "a.c:1:1: error: b\n".to_owned() + &message;
    let of_message = lines(39, 50) + "\n[Showing lines 40-51 of 51. Full output: PATH]\n";
    let of_report = lines(39, 50) + "\n[Showing lines 41-52 of 52. Full output: PATH]\n";
    let message_with_keys = "[...lines 1-20 omitted...]\ntest 7 failed\n[...lines 22-42 omitted...]\n"
        .to_owned()
        + &lines(42, 50)
        + "\n[Showing lines 43-51 and 1 key line before them of 51. Full output: PATH]\n\
           [Lines that report errors: 1 of 1 kind, all shown]\n";
    let report_with_keys =
        "a.c:1:1: error: b\n[...lines 2-21 omitted...]\ntest 7 failed\n[...lines 23-44 omitted...]\n"
            .to_owned()
            + &lines(43, 50)
            + "\n[Showing lines 45-52 and 2 key lines before them of 52. Full output: PATH]\n\
               [Lines that report errors: 2 of 2 kinds, all shown]\n";
    let cases = [
        (&message, &[][..], &of_message),
        (&message, &["--status", "2"], &message_with_keys),
        (&report, &[], &report_with_keys),
        (&report, &["--status", "2"], &report_with_keys),
        (&report, &["--status", "0"], &report_with_keys),
        (&report, &["--status", "2", "--key-lines", "off"], &of_report),
    ];
    for (input, flags, expected) in cases {
        let flags = [&["--max-lines", "12", "--keep", "tail"], flags].concat();
        let output = truncated(&workspace, &flags, input.as_bytes());
        assert_eq!(with_file(&output), (expected.clone(), input.clone().into_bytes()), "{flags:?}");
    }
}
