//! A client of the server under test: newline-delimited JSON-RPC over the binary's own pipes.
//!
//! It uses no SDK, so the tests check the bytes on the wire. Reading, writing and stderr have one thread each. Therefore the
//! server cannot block a test for longer than [`HANG_TIMEOUT`], and a test that hangs fails with the last messages.

use std::collections::VecDeque;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::pipes::{collect, lines_of, write_from};
use super::reply::{Reply, short};
use super::start::{Protocol, Start};
use super::{HANG_TIMEOUT, Workspace, eventually};

/// Number of messages that a failed assertion shows.
const TRANSCRIPT_MESSAGES: usize = 40;

impl Start<'_> {
    /// Starts the server, with a handshake if the protocol revision has one.
    #[track_caller]
    pub(crate) fn client(self) -> Client {
        let mut client = self.without_handshake();
        if let Protocol::Handshake(revision) = client.protocol {
            client.initialize(revision);
            client.notify("notifications/initialized", json!({}));
        }
        client
    }

    /// Starts the server without a handshake.
    pub(crate) fn without_handshake(self) -> Client {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let outgoing = write_from(child.stdin.take().expect("its stdin"));
        let incoming = lines_of(child.stdout.take().expect("its stdout"));
        collect(child.stderr.take().expect("its stderr"), Arc::clone(&stderr));
        Client {
            child,
            outgoing: Some(outgoing),
            incoming,
            stderr,
            protocol: self.protocol,
            name: self.name,
            flags: self.flags.join(" "),
            roots: self.roots,
            roots_result: None,
            next_id: 1,
            unread: VecDeque::new(),
            transcript: Vec::new(),
        }
    }
}

/// A client with its running server.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    outgoing: Option<Sender<Vec<u8>>>,
    incoming: Receiver<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    protocol: Protocol,
    name: String,
    flags: String,
    /// The roots that the client offers. Each is a URI, or a complete element of the list as JSON.
    pub(crate) roots: Option<Vec<String>>,
    /// The result of a request for the roots, if it is not their list.
    pub(crate) roots_result: Option<Value>,
    next_id: u64,
    unread: VecDeque<Value>,
    transcript: Vec<String>,
}

impl Client {
    /// Starts a server in `workspace` with the default settings and completes the handshake.
    #[track_caller]
    pub(crate) fn new(workspace: &Workspace) -> Self {
        Start::new(workspace).client()
    }

    /// Calls a tool and waits for its result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        let call_text = format!("{tool} {arguments} (flags: {:?}, {:?})", self.flags, self.protocol);
        let id = self.send_call(tool, arguments, None);
        let response = self.response(id);
        let reply = Reply { result: response["result"].clone(), call_text, stderr: self.stderr() };
        assert!(reply.result.is_object(), "the response has no result: {response}\n{reply}");
        reply
    }

    /// Calls a tool, with an optional progress token. Returns the id of the request.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: Value, progress: Option<Value>) -> u64 {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        if let Some(token) = progress {
            params["_meta"]["progressToken"] = token;
        }
        self.request("tools/call", params)
    }

    /// Sends a request. Returns its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.add_metadata(&mut params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and waits for the response, a result or an error.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.response(id)
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, mut params: Value) {
        self.add_metadata(&mut params);
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Cancels a request.
    pub(crate) fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", json!({"requestId": id, "reason": "a test"}));
    }

    /// Sends the request `initialize` and waits for its response.
    #[track_caller]
    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let capabilities = match self.roots {
            Some(_) => json!({"roots": {"listChanged": true}}),
            None => json!({}),
        };
        self.ask(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": {"name": self.name, "version": "1"},
            }),
        )
    }

    /// Adds the client and the protocol revision to a message. In the stateless revision, each message has them.
    fn add_metadata(&self, params: &mut Value) {
        if self.protocol == Protocol::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": self.name, "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
    }

    /// Sends one message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends raw bytes.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.record(format!("> {}", short(&String::from_utf8_lossy(bytes))));
        let outgoing = self.outgoing.as_ref().expect("stdin is still open");
        let _the_wait_for_the_response_will_fail = outgoing.send(bytes.to_vec());
    }

    /// Waits for the response to a request, a result or an error.
    #[track_caller]
    pub(crate) fn response(&mut self, id: u64) -> Value {
        self.expect_message(&format!("the response to request {id}"), |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// Returns true if the response to a request was received.
    pub(crate) fn has_response(&self, id: u64) -> bool {
        self.unread.iter().any(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for a notification that `wanted` accepts.
    #[track_caller]
    pub(crate) fn notification(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.expect_message(method, |message| message["method"] == method && wanted(&message["params"]))
    }

    /// Waits for a message that `wanted` accepts. Other messages stay in the queue.
    #[track_caller]
    pub(crate) fn expect_message(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at).unwrap();
        }
        let start = Instant::now();
        loop {
            match self.receive(HANG_TIMEOUT.saturating_sub(start.elapsed())) {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.unread.push_back(message),
                Err(why) => panic!("{why} while waiting for {what}\n{}", self.transcript_text()),
            }
        }
    }

    /// Sends one more request, waits for its response, and returns all other messages that were received.
    #[track_caller]
    pub(crate) fn unsolicited(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}));
        self.unread.drain(..).collect()
    }

    /// Receives the next message. Responds to a request for the roots.
    fn receive(&mut self, timeout: Duration) -> Result<Value, &'static str> {
        let line = self.incoming.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => "a timeout",
            RecvTimeoutError::Disconnected => "the end of stdout",
        })?;
        self.record(format!("< {}", short(&line)));
        let message: Value = serde_json::from_str(&line).map_err(|_| "a line that is not JSON")?;
        if message["jsonrpc"] != "2.0" {
            return Err("a line that is not JSON-RPC");
        }
        if message["method"] == "roots/list" {
            let root = |uri: &String| serde_json::from_str(uri).unwrap_or_else(|_| json!({"uri": uri}));
            let roots = self.roots.iter().flatten().map(root).collect::<Vec<Value>>();
            let result = self.roots_result.clone().unwrap_or_else(|| json!({"roots": roots}));
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
        }
        Ok(message)
    }

    /// Ends the server's input.
    pub(crate) fn close_stdin(&mut self) {
        self.outgoing = None;
    }

    /// Sends a signal to the server.
    pub(crate) fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).expect("a signal");
    }

    /// Returns the process id of the server.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the server exits, and reads its stdout and stderr to the end.
    #[track_caller]
    pub(crate) fn exit(&mut self) -> ExitStatus {
        let mut status = None;
        eventually(&format!("the server exits\n{}", self.transcript_text()), || {
            status = self.child.try_wait().expect("its status");
            status.is_some()
        });
        while let Ok(message) = self.receive(HANG_TIMEOUT) {
            self.unread.push_back(message);
        }
        // The thread that reads stderr has the second reference until the end.
        eventually("its stderr ends", || Arc::strong_count(&self.stderr) == 1);
        status.expect("the server has exited")
    }

    /// Returns the received messages that no test has waited for.
    pub(crate) fn remaining_messages(&mut self) -> Vec<Value> {
        self.unread.drain(..).collect()
    }

    /// Returns the output of the server on stderr so far.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().expect("stderr")).into_owned()
    }

    /// Adds a message to the transcript. Drops the oldest messages.
    fn record(&mut self, message: String) {
        if self.transcript.len() >= 2 * TRANSCRIPT_MESSAGES {
            self.transcript.drain(..TRANSCRIPT_MESSAGES);
        }
        self.transcript.push(message);
    }

    /// Returns the flags, the last messages and stderr, for a failed assertion.
    fn transcript_text(&self) -> String {
        let from = self.transcript.len().saturating_sub(TRANSCRIPT_MESSAGES);
        format!("flags: {}\n{}\nstderr:\n{}", self.flags, self.transcript[from..].join("\n"), self.stderr())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // At the end of its input, the server ends its commands and exits.
        self.close_stdin();
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _gone_already = self.child.kill();
        let _status = self.child.wait();
    }
}
