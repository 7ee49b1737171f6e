//! Non-blocking stdin and stdout. The parent process can pass such streams.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd;
use std::process::{Child, Stdio};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::ioctl_fionread;
use serde_json::json;

use super::code;
use crate::support::{Start, Workspace, eventually};

/// Default capacity of a pipe in bytes.
const PIPE_BYTES: u64 = 65_536;

fn set_nonblocking(end: impl AsFd) {
    let flags = fcntl_getfl(&end).unwrap();
    fcntl_setfl(&end, flags | OFlags::NONBLOCK).unwrap();
}

fn has_ended(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_some()
}

#[test]
fn nonblocking_input_is_awaited() {
    let record = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}"#;
    for (arguments, line, expected) in
        [(&["truncate"][..], "one", "one\n".repeat(9)), (&["stats", "-"], record, "9 calls, ".to_owned())]
    {
        let workspace = Workspace::new();
        let (input, mut writer) = std::io::pipe().unwrap();
        set_nonblocking(&input);
        let mut command = Start::new(&workspace).flags(arguments).command();
        command.stdin(input.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(command);
        // The server reads each line before the next one is written, so that the pipe is empty in between.
        for _ in 0..9 {
            writeln!(writer, "{line}").unwrap();
            eventually("the line is read", || ioctl_fionread(&input).unwrap() == 0 || has_ended(&mut child));
        }
        drop((writer, input));
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8(output.stdout.clone()).unwrap();
        assert_eq!(code(&output), 0, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(printed.starts_with(&expected), "{arguments:?}: {printed}");
    }
}

#[test]
fn nonblocking_output_is_awaited() {
    let workspace = Workspace::with(&json!({"a": {"lines": [1, 60_000], "text": "line {n} of it"}}));
    let flags = ["--max-bytes", "2MB", "--max-lines", "60000"];
    for (arguments, is_json) in [
        (&["call", "read", "path=a"][..], false),
        (&["call", "read", "path=a", "--json"], true),
        (&["truncate", "a"], false),
    ] {
        let (mut reader, output) = std::io::pipe().unwrap();
        set_nonblocking(&output);
        let mut command = Start::new(&workspace).flags(flags).flags(arguments).command();
        command.stdin(Stdio::null()).stdout(output).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(command);
        eventually("the pipe is full", || {
            ioctl_fionread(&reader).unwrap() == PIPE_BYTES || has_ended(&mut child)
        });
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(code(&ended), 0, "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
        let end = if is_json { "line 60000 of it" } else { "line 60000 of it\n" };
        assert!(
            printed.contains(end) && (is_json || printed.len() > 1_000_000),
            "{arguments:?}: {}",
            printed.len()
        );
    }
}
