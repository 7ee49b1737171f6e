//! A session with the server, as a client has it: the handshake, the list, one call of each tool, the
//! end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Finding::{self, Fine, Note, Wrong};
use crate::cli::Options;
use crate::server::STATS_URI;
use crate::tools::ToolName;
use cutline_core::notice::empty;

/// Time after which an answer counts as none: far more than any of these calls takes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time that the server has to end after its input: far more than the second that it takes.
const END: Duration = Duration::from_secs(5);
/// The revision in which the doctor speaks.
const REVISION: &str = "2025-06-18";
/// The name that the doctor gives as a client.
const MY_NAME: &str = "cutline-doctor";

/// Has the session, and says what came of it.
pub(super) fn look(options: &Options, binary: &Path, flags: &[String], say: &mut dyn FnMut(Finding)) {
    let began = Instant::now();
    let talked = converse(Command::new(binary).args(flags), |session| talk(session, options, began, say));
    say(match talked {
        Ok(()) => Fine("it ended with the end of its input".to_owned()),
        Err(message) => Wrong(message),
    });
}

/// Starts a server for the handshake, by the client's own name where it is known. Returns how long that took,
/// and the server's counts, which name the limits in force.
pub(super) fn greet(command: &mut Command, client: Option<&str>) -> Result<(Duration, Value), String> {
    let began = Instant::now();
    converse(command, |session| {
        session.greet(client.unwrap_or(MY_NAME))?;
        let took = began.elapsed();
        let stats = session.ask("resources/read", &json!({"uri": STATS_URI}))?;
        let text = stats.pointer("/contents/0/text").and_then(Value::as_str).unwrap_or_default();
        Ok((took, serde_json::from_str(text).map_err(|error| error.to_string())?))
    })
}

/// Starts a server, talks to it and has it end: what came of the talk, where all of that went well.
fn converse<T>(
    command: &mut Command,
    talk: impl FnOnce(&mut Session) -> Result<T, String>,
) -> Result<T, String> {
    let started = Session::start(command);
    let mut session = started.map_err(|error| format!("the server can't be started: {error}"))?;
    let talked = talk(&mut session);
    let ended = session.end();
    let talked = talked?;
    match ended? {
        status if status.success() => Ok(talked),
        status => Err(format!("it ended with {status}")),
    }
}

fn talk(
    session: &mut Session,
    options: &Options,
    began: Instant,
    say: &mut dyn FnMut(Finding),
) -> Result<(), String> {
    session.greet(MY_NAME)?;
    say(Fine(format!("the server started and greeted in {:.0?}", began.elapsed())));

    let list = session.ask("tools/list", &json!({}))?;
    let names = list.get("tools").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = names.filter_map(|tool| tool.get("name")?.as_str()).collect();
    say(Fine(format!("its tools: {}", names.join(", "))));

    let mut file = None;
    for tool in [ToolName::Ls, ToolName::Find, ToolName::Grep, ToolName::Read, ToolName::Bash] {
        if !options.tools.contains(&tool) {
            continue;
        }
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
        let began = Instant::now();
        let call = json!({"name": tool.as_str(), "arguments": arguments});
        let result = session.ask("tools/call", &call)?;
        let took = began.elapsed();
        let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
        let failed = result.get("isError") == Some(&Value::Bool(true));
        say(match (failed, tool) {
            (false, _) => Fine(format!("{} answered in {took:.1?}", tool.as_str())),
            // That one file may be a link, or not this user's to read.
            (true, ToolName::Read) => Note(format!("read answered in {took:.1?}: {text}")),
            (true, _) => Wrong(format!("{}: {text}", tool.as_str())),
        });
        // A file with text in it, where there is one.
        let found = match tool {
            ToolName::Find => text != empty::NO_FILES,
            ToolName::Grep => text != empty::NO_MATCHES,
            ToolName::Read | ToolName::Bash | ToolName::Ls => false,
        };
        if found && !failed {
            file = text.lines().next().map(str::to_owned);
        }
    }
    Ok(())
}

/// A server and the conversation with it.
struct Session {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    next_id: u64,
}

impl Session {
    fn start(command: &mut Command) -> std::io::Result<Self> {
        let piped = || Stdio::piped();
        let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn()?;
        let missing = || std::io::Error::other("it has no pipes");
        let (stdin, stdout) =
            (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
        let (heard, lines) = channel();
        std::thread::spawn(move || {
            let pass_on = |line: std::io::Result<String>| line.is_ok_and(|line| heard.send(line).is_ok());
            BufReader::new(stdout).lines().all(pass_on)
        });
        Ok(Self { child, stdin, lines, next_id: 1 })
    }

    /// The handshake.
    fn greet(&mut self, name: &str) -> Result<(), String> {
        let me = json!({"name": name, "version": env!("CARGO_PKG_VERSION")});
        let greeting = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": me});
        self.ask("initialize", &greeting)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let sent = self.stdin.write_all(format!("{message}\n").as_bytes());
        sent.map_err(|_| self.story("it ended"))
    }

    /// Sends a request and waits for its result.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let start = Instant::now();
        loop {
            let line = match self.lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("no answer to {method} in {PATIENCE:?}"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.story("it ended")),
            };
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                return Err(format!("its stdout has a line that is no JSON: {line}"));
            };
            if message.get("id").and_then(Value::as_u64) == Some(id) {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(format!(
                        "{method} was refused: {}",
                        message.pointer("/error/message").unwrap_or(&Value::Null)
                    )),
                };
            }
        }
    }

    /// `what`, with what the server said on stderr; it has ended.
    fn story(&mut self, what: &str) -> String {
        let mut said = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _what_was_read = stderr.take(4000).read_to_string(&mut said);
        }
        format!("{what}: {}", said.trim())
    }

    /// Ends its input, and waits for its end.
    fn end(self) -> Result<ExitStatus, String> {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        let start = Instant::now();
        while start.elapsed() < END {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(error.to_string()),
            }
        }
        let _gone_already = child.kill();
        Err(format!("it did not end in {END:?} after its input had ended"))
    }
}
