//! Runs a short client session with a server: the handshake, the list of tools, the read of a file, and the end.

#![expect(clippy::indexing_slicing, reason = "indexing JSON returns null for a missing field")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use serde_json::{Value, json};

/// Timeout of a response, and of the end. Each needs much less time.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The protocol revision that `doctor` uses.
const REVISION: &str = "2025-06-18";
/// Maximum bytes of stderr in a message.
const STDERR_BYTES: u64 = 4000;

/// A running server. Dropping it kills the server.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Starts the server as the client `name` would, lists its tools, reads the first file of `folder`, and stops the
/// server. Returns what it did.
///
/// # Errors
///
/// Returns what is wrong with the server.
pub(super) fn run(mut command: Command, name: &str, folder: &Path) -> anyhow::Result<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Running(command.spawn().context("it can't be started")?);
    let pipes = server.0.stdin.take().zip(server.0.stdout.take());
    let (mut stdin, stdout) = pipes.context("it has no pipes")?;
    let (send, lines) = channel();
    let read_lines =
        move || BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| send.send(line));
    thread::spawn(read_lines);
    let file = first_file(folder);
    let mut ask = |method: &str, params: &Value| -> anyhow::Result<Value> {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        // If the server has ended, reading the response fails.
        let _ended = writeln!(stdin, "{request}");
        while let Ok(line) = lines.recv_timeout(TIMEOUT) {
            let message = serde_json::from_str::<Value>(&line);
            let mut message =
                message.with_context(|| format!("its stdout has a line that is no JSON: {line}"))?;
            if message["id"] == method {
                ensure!(message["error"].is_null(), "{method} was refused: {}", message["error"]["message"]);
                return Ok(message["result"].take());
            }
        }
        bail!("it did not answer to {method}")
    };
    let talk = || {
        let me = json!({"name": name, "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": me});
        let version = ask("initialize", &hello)?["serverInfo"]["version"].take();
        let list = ask("tools/list", &json!({}))?;
        let tools = list["tools"].as_array().into_iter().flatten();
        let tools: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        let mut text =
            format!("version {}, tools {}", version.as_str().unwrap_or_default(), tools.join(", "));
        if let Some(path) = file.filter(|_| tools.contains(&"read")) {
            let call = json!({"name": "read", "arguments": {"path": path, "limit": 1}});
            let result = ask("tools/call", &call)?;
            text += if result["isError"] == true { ", could not read " } else { ", read " };
            text += &path;
        }
        Ok(text)
    };
    let talked = talk();
    drop(stdin);
    let is_closed = lines.recv_timeout(TIMEOUT).is_err_and(|error| error == RecvTimeoutError::Disconnected);
    let mut last_words = String::new();
    if let Some(stderr) = server.0.stderr.take().filter(|_| is_closed) {
        let _what_was_read = stderr.take(STDERR_BYTES).read_to_string(&mut last_words);
    }
    let last_words = last_words.lines().next().unwrap_or_default().trim_start_matches("error: ");
    talked.map_err(|error: anyhow::Error| anyhow!("{error:#} {last_words}"))
}

/// Returns the name of the first file in a folder that is not hidden.
fn first_file(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| !name.starts_with('.')).min()
}
