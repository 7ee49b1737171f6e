//! The messages of both sides: which pass as they are, which are cut, and which are answered here.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "places come from a valid text: a wrong one must fail"
)]

mod client;
mod oversized;

use std::borrow::Cow;
use std::io::Write;
use std::sync::Mutex;

use cutline_core::text::show;

use super::calls::{Asks, Call, Calls};
use super::json::{Node, Value};
use super::message::{Id, messages};
use super::replies::{self, SERVER_ENDED};
use super::result::{self, Parts};
use super::schema::OutputSchemas;
use super::tally::Tally;
use super::{Settings, locked, save::Save};
use crate::fit::Client;
use crate::stats::Outcome;
pub(super) use oversized::Side;

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) tally: Tally,
    /// The client, by the name in its handshake, where results are fitted to it.
    client_row: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
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

/// The fate of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// It passes as it is.
    AsItIs,
    /// This goes in its place.
    Instead(Vec<u8>),
    /// It goes nowhere.
    Dropped,
}

impl Session {
    pub(super) fn new(settings: Settings, client: Box<dyn Write + Send>, tally: Tally) -> Self {
        Self {
            client_row: Mutex::new(settings.fit.client(None)),
            settings,
            tally,
            calls: Mutex::default(),
            schemas: Mutex::default(),
            client: Mutex::new(Some(ClientOutput { stream: client, is_within_line: false })),
        }
    }

    /// Writes messages to the client, from the start of a line on; false where it is gone.
    pub(super) fn to_client(&self, bytes: &[u8]) -> bool {
        let mut client = locked(&self.client);
        let Some(out) = client.as_mut() else { return false };
        // The server's last message may have come without a newline.
        if std::mem::replace(&mut out.is_within_line, !bytes.ends_with(b"\n"))
            && out.stream.write_all(b"\n").is_err()
        {
            return false;
        }
        out.stream.write_all(bytes).and_then(|()| out.stream.flush()).is_ok()
    }

    /// Decides on a line that the server wrote.
    pub(super) fn judge_server(&self, line: &[u8], save: &(dyn Save + Sync)) -> Passed {
        let text = String::from_utf8_lossy(line);
        let Some(value) = Value::of_any_depth(&text) else {
            return passed_over(&text, "JSON");
        };
        let top = value.top();
        let (mut parts, mut at): (Parts<'_>, usize) = (Vec::new(), 0);
        for message in messages(top) {
            let [version, method, id, result] = message.get_all(["jsonrpc", "method", "id", "result"]);
            if version.is_none() && top.is_object() {
                return passed_over(&text, "JSON-RPC");
            }
            let id = id.filter(|_| version.is_some() && method.is_none_or(|method| method.text() == "null"));
            if let Some(new) = id.and_then(|id| self.judge(message, id, result, save)) {
                let place = message.place();
                if parts.is_empty() {
                    // What stands before the value is no part of it.
                    parts.push(text[..text.len() - text.trim_ascii_start().len()].into());
                }
                parts.push(value.text[at..place.start].into());
                parts.extend(new);
                at = place.end;
            }
        }
        if parts.is_empty() {
            return Passed::AsItIs;
        }
        let end = text.trim_ascii_end().len();
        parts.extend([&value.text[at..], &text[end..]].map(Cow::Borrowed));
        Passed::Instead(parts.concat().into_bytes())
    }

    /// Returns an answer of the server's as it is to be; `None` where it passes as it is.
    fn judge<'a>(
        &self,
        answer: Node<'a>,
        id: Node<'_>,
        result: Option<Node<'a>>,
        save: &(dyn Save + Sync),
    ) -> Option<Parts<'a>> {
        let id = Id::of(id.text())?;
        let call = locked(&self.calls).answered(&id)?;
        let result = result.filter(|result| result.is_object());
        match (&call.asks, result) {
            (Asks::Tool(tool), Some(result)) => {
                let schema = locked(&self.schemas).of(tool);
                let rules = self.settings.rules(tool, call.client, &schema);
                let judged = result::judge(result, &rules, save);
                self.tally.answered(tool, &call, &judged, rules.bounds);
                let new = judged.new?;
                return Some(result::with_members(Some(answer), vec![("result", Some(new))]));
            }
            (Asks::Tool(tool), None) => self.count_error(&call, tool),
            (Asks::List, Some(result)) => locked(&self.schemas).learn(result),
            _ => {}
        }
        None
    }

    /// Counts a call of `tool` that has failed; one that was cancelled is counted already.
    fn count_error(&self, call: &Call, tool: &str) {
        if !call.is_cancelled {
            self.tally.add(tool, call.since.elapsed(), Outcome::Error);
        }
    }

    /// Counts a call that has failed, and returns what is answered to it.
    fn failed(&self, call: &Call, raw_id: &str, why: &str) -> String {
        match &call.asks {
            Asks::Tool(tool) => {
                self.count_error(call, tool);
                replies::tool_error(raw_id, why, call.is_stateless)
            }
            Asks::List | Asks::Other => replies::error(raw_id, SERVER_ENDED, why),
        }
    }

    /// Answers all that still waits, as the server has ended; then nothing is said any more.
    pub(super) fn finish(&self, why: &str) {
        let waiting = locked(&self.calls).take_waiting();
        for call in waiting {
            let reply = self.failed(&call, &call.raw_id, why);
            self.to_client(reply.as_bytes());
        }
        locked(&self.client).take();
    }
}

/// Warns of a line that is no message, unless it is empty.
fn passed_over(line: &str, kind: &str) -> Passed {
    let line = line.trim_ascii();
    if !line.is_empty() {
        let start = show::name(&line.as_bytes()[..line.len().min(200)]);
        let start = show::middle_out(&start, 100);
        tracing::warn!("a line of the server was passed over, as it is no {kind}: {start}");
    }
    Passed::Dropped
}
