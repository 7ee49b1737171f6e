//! Forwards the messages of both sides, each direction on its own thread. A thread reads a line, decides what to send
//! in its place, and writes that before it reads the next line. This preserves the order and applies backpressure.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, PipeReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cutline_core::text::show;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::limit::{Limited, limit_error, limit_result, limit_task};
use super::message::{END_BYTES, Line, Lines, MessageHead, error_reply, id_at_end_of, id_key, valid_start};
use super::parts::OUTSIDE_BYTES;
use super::{END_GRACE, Settings};
use crate::call_stats::{CallStats, log_size, now};
use crate::fit::Client;
use crate::json::{members, replaced, text};
use crate::process::InputPipe;
use crate::saved_output::Store;
use crate::stats::{Outcome, Record, Tool};

/// The error code for a request that is not forwarded.
const INVALID_REQUEST: i32 = -32_600;
/// The error code for a request without a valid response.
const NO_VALID_RESPONSE: i32 = -32_000;
/// Maximum bytes of a dropped message in a warning.
const LOGGED_BYTES: usize = 200;
/// The member of `_meta` with the client of a stateless request.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The notification that the client no longer waits for a response.
const CANCELLED: &str = "notifications/cancelled";
/// The start of the methods of notifications with the state of a task.
const TASKS: &str = "notifications/tasks";
/// The methods whose result is the state of a task.
const TASK_STATES: [&str; 2] = ["tasks/get", "tasks/cancel"];
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The requests for the result of a tool.
const RESULTS: [&str; 2] = ["tools/call", "tasks/result"];
/// The reasons to drop a message.
const NO_BATCHES: &str = "batches are not supported";
const OVERSIZED: &str = "it is over the limit of --max-message";

/// Maximum number of open requests. A server need not respond, so the oldest ones are removed.
const MAX_CALLS: usize = 4096;

/// The state that both directions share.
pub(super) struct Session {
    settings: Settings,
    pub(super) stats: CallStats,
    /// The folder for saved outputs.
    store: Arc<Store>,
    /// The client profile for the client name in the handshake.
    profile: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
    /// The stream to the client.
    client: Mutex<Box<dyn Write + Send>>,
    /// The stdin of the server. `None` after it was closed.
    server: Mutex<Option<InputPipe>>,
    /// Twice the number of messages of the server that were forwarded. It is odd while one is handled.
    steps: AtomicU64,
    /// Fires when the client closes its output or its input.
    pub(super) client_over: CancellationToken,
    /// Fires when the server closes its output.
    pub(super) server_over: CancellationToken,
}

/// A request of the client.
struct OpenCall {
    /// The id as it was sent.
    id: String,
    method: String,
    /// The name of the tool that is called, or the method.
    tool: String,
    /// The client profile with the limits for the result.
    profile: Option<&'static Client>,
    /// When it was sent.
    since: Instant,
    /// True if the client has cancelled it. The server need not respond then.
    is_cancelled: bool,
}

/// The open requests, oldest first.
#[derive(Default)]
struct Calls(VecDeque<OpenCall>);

impl Calls {
    /// Adds a request. It replaces one with the same id. If there are too many, removes the oldest.
    fn open(&mut self, call: OpenCall) {
        self.0.retain(|open| open.id != call.id);
        self.0.push_back(call);
        self.0.drain(..self.0.len().saturating_sub(MAX_CALLS));
    }

    /// Returns the position of the request with this id. Prefers the same spelling.
    fn position(&self, id: &str) -> Option<usize> {
        let same = self.0.iter().position(|call| call.id == id);
        same.or_else(|| {
            let key = id_key(id)?;
            self.0.iter().position(|call| id_key(&call.id).as_ref() == Some(&key))
        })
    }

    /// Removes and returns the request with this id.
    fn take(&mut self, id: &str) -> Option<OpenCall> {
        self.0.remove(self.position(id)?)
    }
}

/// Locks `value`. A panic of another thread does not leave it inconsistent.
fn locked<T: ?Sized>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Starts the threads of both directions. A side has the stream to read and the stream to write.
    pub(super) fn start(
        settings: Settings,
        (stats, store): (CallStats, Arc<Store>),
        (from_client, to_client): (impl Read + Send + 'static, impl Write + Send + 'static),
        (from_server, to_server): (PipeReader, InputPipe),
    ) -> io::Result<Arc<Self>> {
        let max_bytes = settings.max_message_bytes;
        let session = Arc::new(Self {
            profile: Mutex::new(settings.fit.profile(None)),
            settings,
            stats,
            store,
            calls: Mutex::default(),
            client: Mutex::new(Box::new(to_client)),
            server: Mutex::new(Some(to_server)),
            steps: AtomicU64::new(0),
            client_over: CancellationToken::new(),
            server_over: CancellationToken::new(),
        });
        let own = Arc::clone(&session);
        std::thread::Builder::new().name("server".to_owned()).spawn(move || {
            let _over = own.server_over.clone().drop_guard();
            let mut lines = Lines::new(from_server, max_bytes);
            while let Ok(Some(line)) = lines.next() {
                let before = own.steps.fetch_add(1, Ordering::Relaxed);
                let message = own.server_line(line);
                if own.to_client(&message).is_err() {
                    return own.client_over.cancel();
                }
                // A dropped message does not count.
                let after = if message.is_empty() { before } else { before + 2 };
                own.steps.store(after, Ordering::Relaxed);
            }
        })?;
        let own = Arc::clone(&session);
        std::thread::Builder::new().name("client".to_owned()).spawn(move || {
            let over = own.client_over.clone().drop_guard();
            let mut lines = Lines::new(from_client, max_bytes);
            while let Ok(Some(line)) = lines.next()
                && own.to_server(&own.client_line(line)).is_ok()
            {}
            // This comes first, because another thread can be blocked in a write to the server until the session ends.
            drop(over);
            locked(&own.server).take();
        })?;
        Ok(session)
    }

    /// Writes a message to the client. Returns an error if the client no longer reads.
    fn to_client(&self, message: &[u8]) -> io::Result<()> {
        let mut client = locked(&self.client);
        client.write_all(message).and_then(|()| client.flush())
    }

    /// Writes a message to the server. Returns an error if the client has closed its side and the server does not read.
    fn to_server(&self, bytes: &[u8]) -> io::Result<()> {
        let server = locked(&self.server);
        let written = server.as_ref().map_or(Ok(()), |input| input.write_all(bytes, END_GRACE));
        // A server that no longer reads can still write. Only its end ends the session.
        written.or_else(|error| if error.kind() == io::ErrorKind::TimedOut { Err(error) } else { Ok(()) })
    }

    /// Closes the input of the server, unless a thread is writing to it.
    pub(super) fn close_server_input(&self) {
        drop(self.server.try_lock().map(|mut input| input.take()));
    }

    /// Waits until no message of the server was handled or forwarded for `time`.
    pub(super) async fn idle(&self, time: Duration) {
        let steps = || self.steps.load(Ordering::Relaxed);
        loop {
            let before = steps();
            sleep(time).await;
            if before % 2 == 0 && before == steps() {
                return;
            }
        }
    }

    /// Responds to all open requests with the error `why`.
    pub(super) fn finish(&self, why: &str) {
        let waiting = std::mem::take(&mut *locked(&self.calls));
        for call in waiting.0.iter().filter(|call| !call.is_cancelled) {
            let _where_it_is_gone = self.to_client(self.failed(call, why).as_bytes());
        }
    }

    /// Counts a call of a tool. A cancelled call was counted before.
    fn count(&self, call: &OpenCall, outcome: Outcome) {
        let is_counted = RESULTS.contains(&&*call.method) && !call.is_cancelled;
        if let Some(tool) = Tool::named(&call.tool).filter(|_| is_counted) {
            self.stats.add(&Record::new(now(), tool, call.since.elapsed(), outcome));
        }
    }

    /// Counts a failed call, and returns the error response.
    fn failed(&self, call: &OpenCall, why: &str) -> String {
        self.count(call, Outcome::Error);
        error_reply(&call.id, NO_VALID_RESPONSE, why)
    }

    /// Returns what to send to the server for a line of the client. All lines pass, except batches and oversized ones.
    fn client_line<'l>(&self, line: Line<'l>) -> Cow<'l, [u8]> {
        let text = String::from_utf8_lossy(&line.bytes);
        // Many servers accept a byte order mark.
        let message = text.trim_start_matches(BYTE_ORDER_MARK);
        let head = MessageHead::read(message);
        let why = if line.is_oversized { OVERSIZED } else { NO_BATCHES };
        if !line.is_oversized && !message.trim_ascii_start().starts_with('[') {
            self.note(&head);
            drop(text);
            return line.bytes;
        }
        tracing::warn!("a message of the client was dropped, because {why}");
        if let (Some(id), Some(_)) = (head.id, head.method) {
            let _where_it_is_gone = self.to_client(error_reply(id, INVALID_REQUEST, why).as_bytes());
        }
        Cow::Borrowed(&[])
    }

    /// Adds a message of the client to the open requests if it is a request. `initialize` also sets the client profile, and
    /// a cancellation marks its request.
    fn note(&self, head: &MessageHead<'_>) {
        let Some(method) = head.method.and_then(text) else { return };
        let names = ["name", "_meta", "clientInfo", "requestId"];
        let [tool, meta, info, cancelled] = members(head.params.unwrap_or("{}"), names);
        let Some(id) = head.id else {
            let Some(cancelled) = cancelled.filter(|_| method == CANCELLED) else { return };
            // It stays in the list, because its response may still come and must be limited.
            let mut calls = locked(&self.calls);
            let at = calls.position(cancelled);
            if let Some(call) = at.and_then(|at| calls.0.get_mut(at)) {
                self.count(call, Outcome::Cancelled);
                call.is_cancelled = true;
            }
            return;
        };
        let name_in = |info: Option<&str>| members(info?, ["name"]).into_iter().flatten().find_map(text);
        if method == "initialize" {
            *locked(&self.profile) = self.settings.fit.profile(name_in(info).as_deref());
        }
        let [info] = members(meta.unwrap_or("{}"), [CLIENT_INFO]);
        let profile = match name_in(info) {
            Some(name) => self.settings.fit.profile(Some(&name)),
            None => *locked(&self.profile),
        };
        let tool = tool.and_then(text).filter(|_| method == "tools/call").unwrap_or_else(|| method.clone());
        let call =
            OpenCall { id: id.to_owned(), method, tool, profile, since: Instant::now(), is_cancelled: false };
        locked(&self.calls).open(call);
    }

    /// Returns what to send to the client for a line of the server.
    fn server_line<'l>(&self, line: Line<'l>) -> Cow<'l, [u8]> {
        let text = valid_start(&line.bytes);
        // A byte order mark or a form feed is not allowed, but the id of its message is known.
        let message = text.trim_ascii().trim_start_matches(BYTE_ORDER_MARK);
        let mut head = MessageHead::read(message);
        let is_utf8 = text.len() == line.bytes.len();
        let (_, end) = line.bytes.split_at(line.bytes.len().saturating_sub(END_BYTES));
        let id_at_end = if is_utf8 { None } else { id_at_end_of(end) };
        head.id = head.id.or(id_at_end.as_deref());
        let call = head.id.filter(|_| head.is_response()).and_then(|id| locked(&self.calls).take(id));
        let replacement = if line.is_oversized {
            Err(OVERSIZED)
        } else if message.starts_with('[') {
            Err(NO_BATCHES)
        // Some clients treat a carriage return as the end of a line.
        } else if !head.is_valid()
            || !is_utf8
            || memchr::memchr(b'\r', message.as_bytes()).is_some()
            || text.trim_matches([' ', '\t', '\r', '\n']).len() > message.len()
        {
            Err("it is not a message of JSON-RPC 2.0 in one line of UTF-8")
        } else {
            self.replacement(&head, text, call.as_ref())
        };
        match (replacement, call) {
            (Ok(None), _) => line.bytes,
            (Ok(Some(message)), _) => message.into_bytes().into(),
            (Err(why), Some(call)) => {
                let why = format!("Invalid response of the server: {why}");
                self.failed(&call, &why).into_bytes().into()
            }
            (Err(why), None) => {
                if !message.is_empty() || !is_utf8 {
                    let (start, _) = message.split_at(message.floor_char_boundary(LOGGED_BYTES));
                    let start = show::name(start.as_bytes());
                    tracing::warn!("a message of the server was dropped, because {why}: {start}");
                }
                Cow::Borrowed(&[])
            }
        }
    }

    /// Returns the line to send in place of a valid message, or `None` if it passes unchanged. `call` is the request to
    /// which it responds.
    ///
    /// # Errors
    ///
    /// Returns the reason if the message cannot pass.
    fn replacement(&self, head: &MessageHead<'_>, line: &str, call: Option<&OpenCall>) -> Limited {
        let json = match (head.method, head.result.or(head.error)) {
            (Some(method), _) if text(method).is_some_and(|name| name.starts_with(TASKS)) => {
                head.params.unwrap_or("")
            }
            (None, Some(_)) if head.id.is_some() && call.is_none() => {
                return Err("no request with its id is open");
            }
            (None, Some(json)) => json,
            _ => return Ok(None),
        };
        let known = head.id.unwrap_or("").len() + json.len();
        if (line.len() - known) as u64 > OUTSIDE_BYTES {
            return Err("it has over 4 KB outside of its result and id");
        }
        let profile = call.map_or_else(|| *locked(&self.profile), |call| call.profile);
        let limits = self.settings.of_tool(call.map_or("", |call| &call.tool), profile, &self.store);
        let limited = match (head.error, call) {
            (Some(error), call) => {
                if let Some(call) = call {
                    self.count(call, Outcome::Error);
                }
                limit_error(error, &limits)
            }
            (None, Some(call)) if RESULTS.contains(&&*call.method) => {
                let (json, outcome) = limit_result(json, &limits)?;
                if let Outcome::Ok(size) = &outcome {
                    log_size(&call.tool, size, size.total_bytes.unwrap_or(0), limits.bounds.bytes);
                }
                self.count(call, outcome);
                json
            }
            (None, Some(call)) if !TASK_STATES.contains(&&*call.method) => None,
            (None, _) => limit_task(json, &limits)?,
        };
        Ok(limited.map(|limited| replaced(line, json, &limited)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_by_their_text() {
        let open = |id: &str| OpenCall {
            id: id.to_owned(),
            method: String::new(),
            tool: String::new(),
            profile: None,
            since: Instant::now(),
            is_cancelled: false,
        };
        let mut calls = Calls::default();
        for id in ["1", "\"1\"", "\"é\"", "2"] {
            calls.open(open(id));
        }
        let mut take = |id: &str| calls.take(id).map(|call| call.id);
        assert_eq!(take("\"1\"").as_deref(), Some("\"1\""));
        assert_eq!(take("\"1\"").as_deref(), Some("1"));
        assert_eq!(take(r#""\u00e9""#).as_deref(), Some("\"é\""));
        assert_eq!((take("2.0"), take("true"), take("1")), (None, None, None));
        assert_eq!(take("\"2\"").as_deref(), Some("2"));
    }
}
