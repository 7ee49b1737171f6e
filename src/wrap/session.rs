//! The messages of both sides: which pass as they are, which are cut, and which are answered here.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "places come from a valid text: a wrong one must fail"
)]

mod client;
mod oversized;

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use cutline_core::text::show;

use super::calls::{Asks, Call, Calls};
use super::json::{Edits, Node, Value};
use super::message::{Id, messages, text_of};
use super::replies::{self, SERVER_ENDED};
use super::result::{self, ToolResult};
use super::save::{self, Whole};
use super::schema::OutputSchemas;
use super::{Settings, locked};
use crate::call_stats::{CallStats, tell};
use crate::clock::now_ms;
use crate::fit::Client;
use crate::process::spill::Store;
use crate::stats::{Outcome, Record, Tool};
pub(super) use oversized::Side;

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) stats: CallStats,
    /// The folder in which whole results are saved.
    store: Arc<Store>,
    /// The client, by the name in its handshake, where results are fitted to it.
    client_row: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
    /// Calls that are no more waited for.
    forgotten: AtomicU64,
    schemas: Mutex<OutputSchemas>,
    /// The client's side; `None` once nothing may be said any more.
    client: Mutex<Option<ClientOutput>>,
}

/// The stream to the client.
struct ClientOutput {
    stream: Box<dyn Write + Send>,
    /// True if what was written last has no newline at its end.
    is_within_line: bool,
}

impl Session {
    pub(super) fn new(
        settings: Settings,
        client: Box<dyn Write + Send>,
        stats: CallStats,
        store: Arc<Store>,
    ) -> Self {
        Self {
            client_row: Mutex::new(settings.fit.client(None)),
            settings,
            stats,
            store,
            calls: Mutex::default(),
            forgotten: AtomicU64::new(0),
            schemas: Mutex::default(),
            client: Mutex::new(Some(ClientOutput { stream: client, is_within_line: false })),
        }
    }

    /// Writes messages to the client, from the start of a line on. It fails where the client is gone.
    pub(super) fn to_client(&self, bytes: &[u8]) -> io::Result<()> {
        let mut client = locked(&self.client);
        let out = client.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        // The server's last message may have come without a newline.
        if std::mem::replace(&mut out.is_within_line, !bytes.ends_with(b"\n")) {
            out.stream.write_all(b"\n")?;
        }
        out.stream.write_all(bytes).and_then(|()| out.stream.flush())
    }

    /// Returns a line that the server wrote as it goes on; nothing of one that is no message.
    pub(super) fn judge_server<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let text = text_of(line);
        let Some(value) = Value::of_any_depth(&text) else {
            return passed_over(&text, "JSON");
        };
        let top = value.top();
        let mut edits = Edits::of(value.text);
        for message in messages(top) {
            let [version, method, id, result] = message.get_all(["jsonrpc", "method", "id", "result"]);
            if version.is_none() && top.is_object() {
                return passed_over(&text, "JSON-RPC");
            }
            let is_answer = version.is_some() && method.is_none_or(|method| method.text() == "null");
            if let Some(id) = id.filter(|_| is_answer).and_then(|id| Id::of(id.text())) {
                self.judge(message, &id, result, &mut edits);
            }
        }
        if edits.is_empty() {
            return line.into();
        }
        let mut edited = edits.applied();
        // What stands around the value is no part of it.
        edited.insert_str(0, &text[..text.len() - text.trim_ascii_start().len()]);
        edited.push_str(&text[text.trim_ascii_end().len()..]);
        edited.into_bytes().into()
    }

    /// Looks at an answer of the server's, and cuts it by `edits` where it is over the limits.
    fn judge<'a>(&self, answer: Node<'a>, id: &Id, result: Option<Node<'a>>, edits: &mut Edits<'a>) {
        let Some(call) = locked(&self.calls).answered(id) else { return };
        let result = result.filter(|result| result.is_object());
        match (&call.asks, result) {
            (Asks::Tool(tool), Some(result)) => {
                let result = ToolResult::of(result);
                if let (Some(task), None) = (result.task, result.content) {
                    // The result comes to a request of its own, and is counted then.
                    if let Some(id) = task.get("taskId").and_then(Node::string) {
                        locked(&self.calls).add_task(&id, tool);
                    }
                    return;
                }
                let schema = locked(&self.schemas).of(tool);
                let rules = self.settings.rules(tool, call.client, self.store.path().as_deref(), &schema);
                let save = |whole: Whole<'_>| save::save(&self.store, whole);
                let judged = result::judge(answer, &result, &rules, &save, edits);
                let answered = judged.answered;
                tell(
                    tool,
                    &answered,
                    answered.total_bytes.unwrap_or(answered.output_bytes),
                    rules.bounds.bytes,
                );
                self.count(&call, if judged.is_error { Outcome::Error } else { Outcome::Ok(answered) });
            }
            (Asks::Tool(_), None) => self.count(&call, Outcome::Error),
            (Asks::List, Some(result)) => locked(&self.schemas).learn(result),
            _ => {}
        }
    }

    /// Counts a call of a tool. One that was taken back is counted when it is, and not once more.
    fn count(&self, call: &Call, outcome: Outcome) {
        let Asks::Tool(tool) = &call.asks else { return };
        if let Some(tool) = Tool::named(tool).filter(|_| !call.is_cancelled || outcome == Outcome::Cancelled)
        {
            self.stats.add(Record::of(now_ms(), tool, call.since.elapsed(), outcome));
        }
    }

    /// Counts a call that has failed, and returns what is answered to it.
    fn failed(&self, call: &Call, raw_id: &str, why: &str) -> String {
        self.count(call, Outcome::Error);
        match call.asks {
            Asks::Tool(_) => replies::tool_error(raw_id, why, call.is_stateless),
            Asks::List | Asks::Other => replies::error(raw_id, SERVER_ENDED, why),
        }
    }

    /// Answers all that still waits, as the server has ended; then nothing is said any more.
    pub(super) fn finish(&self, why: &str) {
        let waiting = locked(&self.calls).take_waiting();
        for call in waiting {
            let reply = self.failed(&call, &call.raw_id, why);
            let _where_it_is_gone = self.to_client(reply.as_bytes());
        }
        locked(&self.client).take();
    }
}

/// Warns of a line that is no message, unless it is empty.
fn passed_over(line: &str, kind: &str) -> Cow<'static, [u8]> {
    let line = line.trim_ascii();
    if !line.is_empty() {
        let start = show::name(&line.as_bytes()[..line.len().min(200)]);
        let start = show::middle_out(&start, 100);
        tracing::warn!("a line of the server was passed over, as it is no {kind}: {start}");
    }
    Cow::default()
}
