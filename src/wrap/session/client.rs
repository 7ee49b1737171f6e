//! The messages of the client: all pass, and what they ask for is noted.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Session;
use crate::stats::Outcome;
use crate::wrap::calls::{Asks, Call};
use crate::wrap::json::{Node, Value};
use crate::wrap::locked;
use crate::wrap::message::{Id, messages, text_of};

/// The members of a request's `_meta` that say, in the stateless era, in which revision it is and from whom.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

impl Session {
    /// Notes what a line of the client asks for. Whatever it is, it passes: the line is returned.
    pub(in crate::wrap) fn note_client<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let text = text_of(line);
        if let Some(value) = Value::of_any_depth(&text) {
            for message in messages(value.top()) {
                self.note(message);
            }
        }
        line
    }

    /// Notes a message; nothing of one that is no request.
    fn note(&self, message: Node<'_>) -> Option<()> {
        let [method, params, id] = message.get_all(["method", "params", "id"]);
        let method = method?.string()?;
        if method == "notifications/cancelled" {
            self.cancelled(&Id::of(params?.get("requestId")?.text())?);
            return None;
        }
        let raw_id = id?.text();
        let id = Id::of(raw_id)?;
        let [tool, meta] = params.map_or([None; 2], |params| params.get_all(["name", "_meta"]));
        let asks = match method.as_ref() {
            "tools/call" => Asks::Tool(tool.and_then(Node::string).unwrap_or(method).into_owned()),
            "tasks/result" => {
                let task = params.and_then(|params| params.get("taskId")?.string()).unwrap_or_default();
                let tool = locked(&self.calls).tool_of_task(&task).map(str::to_owned);
                Asks::Tool(tool.unwrap_or_else(|| method.into_owned()))
            }
            "tools/list" => Asks::List,
            "initialize" => {
                self.fit_to(
                    params.and_then(|params| params.get("clientInfo")?.get("name")?.string()).as_deref(),
                );
                Asks::Other
            }
            _ => Asks::Other,
        };
        let client = match meta.and_then(|meta| meta.get(CLIENT_INFO)?.get("name")?.string()) {
            Some(name) => self.settings.fit.client(Some(&name)),
            None => *locked(&self.client_row),
        };
        let is_stateless = meta.is_some_and(|meta| meta.get(REVISION).is_some());
        let (raw_id, since) = (raw_id.to_owned(), Instant::now());
        let call = Call { id, raw_id, asks, is_stateless, client, since, is_cancelled: false };
        let forgotten = locked(&self.calls).open(call);
        if let Some(Call { asks: Asks::Tool(tool), raw_id: id, is_cancelled: false, .. }) = forgotten {
            let count = self.forgotten.fetch_add(1, Ordering::Relaxed) + 1;
            // A client that never takes calls back would fill stderr.
            if count.is_power_of_two() {
                tracing::warn!(
                    tool,
                    id,
                    count,
                    "a call is no more waited for, as too many are open: its answer passes uncut"
                );
            }
        }
        None
    }

    /// Fits results from now on to the client that gives itself this name.
    fn fit_to(&self, name: Option<&str>) {
        let row = self.settings.fit.client(name);
        if let Some(row) = row {
            tracing::info!(client = name, fit = row.id, "answers fit the client");
        }
        *locked(&self.client_row) = row;
    }

    fn cancelled(&self, id: &Id) {
        let mut calls = locked(&self.calls);
        if let Some(call) = calls.cancel(id) {
            self.count(call, Outcome::Cancelled);
        }
    }
}
