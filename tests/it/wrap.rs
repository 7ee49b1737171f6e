//! Tests of `cutline wrap` with servers that are short shell scripts.

mod client_files;
mod fit;
mod hostile;
mod large;
mod life;
mod limits;
mod passing;
mod scenarios;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::support::{HANG_TIMEOUT, Start, Workspace, eventually};

/// A server that appends each line to the file `seen` and responds to line N with the content of file `N`.
const RESPONSES: &str = r#"n=0; while IFS= read -r line; do
    n=$((n + 1)); printf '%s\n' "$line" >> seen
    if [ -e "$n" ]; then cat "$n"; fi
done"#;

/// A wrapped server. The test is the client.
struct Wrap {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<JoinHandle<String>>,
}

impl Wrap {
    /// Starts `cutline wrap FLAGS -- sh -c SCRIPT` in `workspace`.
    fn start(workspace: &Workspace, flags: &[&str], script: &str) -> Self {
        let arguments = [&["wrap"], flags, &["--", "sh", "-c", script]].concat();
        let mut command = Start::new(workspace).flags(arguments).command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut errors = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _until_its_end = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { child, stdin, lines, stderr: Some(stderr) }
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stdin.as_mut().unwrap().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends a call of `tool`. The id is JSON text.
    fn call(&mut self, id: &str, tool: &str) {
        self.send(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\"}}}}\n"
        ));
    }

    /// Receives the next line, with its newline.
    #[track_caller]
    fn line(&mut self) -> Vec<u8> {
        self.lines
            .recv_timeout(HANG_TIMEOUT)
            .unwrap_or_else(|error| panic!("no line: {error}\n{}", self.end()))
    }

    /// Receives the next line as JSON.
    #[track_caller]
    fn message(&mut self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&line)))
    }

    /// Closes the input and waits for the exit. Returns the text of stderr.
    fn end(&mut self) -> String {
        self.stdin = None;
        self.exit();
        self.stderr.take().map(|text| text.join().unwrap()).unwrap_or_default()
    }

    #[track_caller]
    fn exit(&mut self) -> ExitStatus {
        let mut status = None;
        eventually("cutline exits", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns the peak memory in bytes.
    fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Wrap {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _status = self.child.wait();
    }
}
