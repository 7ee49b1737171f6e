//! Runs a client session with the server: the handshake, the list of tools, a call of each tool, and the end.

#![expect(clippy::indexing_slicing, reason = "indexing JSON returns null for a missing field")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::Finding::{self, Fine, Note, Wrong};
use crate::cli::{Options, serve};
use crate::fit::{self, Fit};
use crate::limits::Limits;
use crate::tools::ToolName;
use crate::tools::notice::empty;
use cutline_core::text::Size;
use cutline_core::truncate::BytesAs;

/// Timeout of a response. Each of these calls needs much less time.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout for the end of the server after the end of its input. It needs about one second.
const END: Duration = Duration::from_secs(5);
/// The protocol revision that `doctor` uses.
const REVISION: &str = "2025-06-18";
/// The client name that `doctor` sends as itself.
const MY_NAME: &str = "cutline-doctor";

/// Runs the session and reports the results.
pub(super) fn look(options: &Options, binary: &Path, flags: &[String], say: &mut dyn FnMut(Finding)) {
    let mut command = Command::new(binary);
    command.args(flags);
    let ended = converse(options, command, say);
    say(match ended {
        Ok(()) => Fine("it exited when its input ended".to_owned()),
        Err(message) => Wrong(message),
    });
}

/// Describes the client profile `client` and the limits in use.
pub(super) fn limits_text(client: Option<&fit::Client>, limits: &Limits) -> String {
    let row = client.map_or_else(
        || "the defaults apply".to_owned(),
        |row| format!("the profile {} ({}) applies", row.id, row.version),
    );
    let answer_within =
        limits.answer_within.map(|time| format!(", answers within {} seconds", time.as_secs()));
    format!(
        "{row}: {} lines, {}{}{}, {}",
        limits.max_lines,
        Size(limits.max_bytes),
        if limits.bytes_as == BytesAs::Json { " as JSON" } else { "" },
        answer_within.unwrap_or_default(),
        if limits.images.is_some() { "images" } else { "no images" },
    )
}

/// Starts the server, does the handshake, calls each tool, and stops the server.
fn converse(options: &Options, command: Command, say: &mut dyn FnMut(Finding)) -> Result<(), String> {
    let runtime = serve::runtime().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let began = Instant::now();
        let mut session = Session::start(command)?;
        let talked = match session.greet().await {
            Ok(()) => {
                say(Fine(format!("the server started and answered in {:.0?}", began.elapsed())));
                session.call_each_tool(options, say).await
            }
            Err(message) => Err(message),
        };
        drop(session.stdin);
        let ended = timeout(END, session.child.wait()).await;
        talked?;
        let late = |_| format!("it did not end in {END:?} after its input had ended");
        let status = ended.map_err(late)?.map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
    })
}

/// A running server and its pipes. Dropping it kills the server.
struct Session {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    last_id: u64,
}

impl Session {
    fn start(command: Command) -> Result<Self, String> {
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("the server can't be started: {error}"))?;
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or("it has no pipes")?;
        Ok(Self { child, stdin, lines: BufReader::new(stdout).lines(), last_id: 0 })
    }

    /// Does the handshake.
    async fn greet(&mut self) -> Result<(), String> {
        let me = json!({"name": MY_NAME, "version": env!("CARGO_PKG_VERSION")});
        let greeting = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": me});
        self.ask("initialize", &greeting).await?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        Ok(())
    }

    /// Lists the tools, calls the enabled ones, and reports each result.
    async fn call_each_tool(
        &mut self,
        options: &Options,
        say: &mut dyn FnMut(Finding),
    ) -> Result<(), String> {
        let list = self.ask("tools/list", &json!({})).await?;
        let names = list["tools"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(|tool| tool["name"].as_str()).collect();
        say(Fine(format!("its tools: {}", names.join(", "))));
        if let Fit::Client(client) = options.fit {
            let limits = options.fitted(Some(client)).map_err(|error| error.to_string())?;
            say(Fine(limits_text(Some(client), &limits)));
        }
        // Use a text file, if there is one.
        let mut file = None;
        let order = [ToolName::Ls, ToolName::Find, ToolName::Grep, ToolName::Read, ToolName::Bash];
        for tool in order.into_iter().filter(|tool| options.tools.contains(tool)) {
            let arguments = match (tool, &file) {
                (ToolName::Ls, _) => json!({"limit": 1}),
                (ToolName::Find, _) => json!({"pattern": "*", "type": "file", "limit": 1}),
                (ToolName::Grep, _) => json!({"pattern": ".", "mode": "files", "limit": 1}),
                (ToolName::Bash, _) => json!({"command": "true"}),
                (ToolName::Read, Some(path)) => json!({"path": path, "limit": 1}),
                (ToolName::Read, None) => {
                    say(Note("read: there is no file to try it on".to_owned()));
                    continue;
                }
            };
            let (name, began) = (tool.as_str(), Instant::now());
            let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments})).await?;
            let took = began.elapsed();
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            let is_error = result["isError"] == true;
            say(match tool {
                _ if !is_error => Fine(format!("{name} answered in {took:.1?}")),
                // The file may be a link, or not readable for this user.
                ToolName::Read => Note(format!("read answered in {took:.1?}: {text}")),
                _ => Wrong(format!("{name}: {text}")),
            });
            let is_nothing = is_error || [empty::NO_FILES, empty::NO_MATCHES].contains(&text);
            if matches!(tool, ToolName::Find | ToolName::Grep) && !is_nothing {
                file = text.lines().next().map(str::to_owned);
            }
        }
        Ok(())
    }

    /// Sends a message. Ignores errors: if the server has ended, reading the response fails.
    async fn send(&mut self, message: &Value) {
        let _ended = self.stdin.write_all(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request and waits for its result.
    async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let answer = async {
            while let Ok(Some(line)) = self.lines.next_line().await {
                let message = serde_json::from_str::<Value>(&line);
                let message =
                    message.map_err(|_| format!("its stdout has a line that is no JSON: {line}"))?;
                if message["id"] == id {
                    return Ok(message);
                }
            }
            let mut last_words = String::new();
            if let Some(stderr) = self.child.stderr.take() {
                let _what_was_read = stderr.take(4000).read_to_string(&mut last_words).await;
            }
            Err(format!("it ended: {}", last_words.trim()))
        };
        let answer = timeout(RESPONSE_TIMEOUT, answer).await;
        let answer =
            answer.unwrap_or_else(|_| Err(format!("no answer to {method} in {RESPONSE_TIMEOUT:?}")))?;
        let refused = || format!("{method} was refused: {}", answer["error"]["message"]);
        answer.get("result").cloned().ok_or_else(refused)
    }
}
