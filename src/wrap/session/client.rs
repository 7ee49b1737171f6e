//! Handles messages of the client. All of them pass; the session records the requests.

use std::time::Instant;

use serde_json::value::RawValue;

use super::Session;
use crate::envelope::Envelope;
use crate::fit::Client;
use crate::stats::Outcome;
use crate::wrap::calls::{Asks, PendingCall, Task};
use crate::wrap::json::{Node, Value};
use crate::wrap::locked;
use crate::wrap::message::{Id, messages, text_of};

/// The members of `_meta` with the protocol revision and the client of a stateless request.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

impl Session {
    /// Records the requests in a line of the client. Returns the line, because all lines pass.
    pub(in crate::wrap) fn note_client<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let text = text_of(line);
        if let Some(value) = Value::of_any_depth(&text) {
            for message in messages(value.top()) {
                self.note(message);
            }
        } else {
            self.note_broken(line);
        }
        line
    }

    /// Records the request in a line that is not valid JSON, for example because of `NaN`. The server may accept it.
    fn note_broken(&self, line: &[u8]) {
        let mut envelope = Envelope::default();
        envelope.scan(line);
        let message = envelope.message;
        let asks = if message.is_call() { Asks::Tool("tools/call".to_owned()) } else { Asks::Other };
        if let Some(id) = message.raw_id::<Box<RawValue>>().filter(|_| message.has_method()) {
            self.open(id.get(), asks, *locked(&self.client_row), false);
        }
    }

    /// Records a message if it is a request.
    fn note(&self, message: Node<'_>) -> Option<()> {
        let [method, params, id] = message.get_all(["method", "params", "id"]);
        let method = method?.string()?;
        if method == "notifications/cancelled" {
            self.cancelled(&Id::of(params?.get("requestId")?.text())?);
            return None;
        }
        let raw_id = id?.text();
        let [tool, meta] = params.map_or([None; 2], |params| params.get_all(["name", "_meta"]));
        if method == "initialize" {
            self.fit_to(params.and_then(|params| params.get("clientInfo")?.get("name")?.string()).as_deref());
        }
        let client = match meta.and_then(|meta| meta.get(CLIENT_INFO)?.get("name")?.string()) {
            Some(name) => self.settings.fit.client(Some(&name)),
            None => *locked(&self.client_row),
        };
        let asks = match method.as_ref() {
            "tools/call" => Asks::Tool(tool.and_then(Node::string).unwrap_or(method).into_owned()),
            "tasks/result" => Asks::TaskResult(self.task_of(params, &method, client)),
            "tasks/get" => Asks::TaskState(self.task_of(params, &method, client)),
            "tools/list" => Asks::List,
            _ => Asks::Other,
        };
        let is_stateless = meta.is_some_and(|meta| meta.get(REVISION).is_some());
        self.open(raw_id, asks, client, is_stateless);
        None
    }

    /// Adds an open request.
    fn open(&self, raw_id: &str, asks: Asks, client: Option<&'static Client>, is_stateless: bool) {
        let Some(id) = Id::of(raw_id) else { return };
        let (raw_id, since) = (raw_id.to_owned(), Instant::now());
        let call = PendingCall { id, raw_id, asks, is_stateless, client, since, is_cancelled: false };
        let forgotten = locked(&self.calls).open(call).filter(|call| !call.is_cancelled);
        if let Some(call) = forgotten {
            // The response of the server will be dropped, because the id is no longer known.
            let reply = self.failed(&call, "Too many requests are open");
            let _where_it_is_gone = self.to_client(reply.as_bytes());
        }
    }

    /// Returns the task in `params`. If no call created it, `method` is used as the name of its tool.
    pub(super) fn task_of(
        &self,
        params: Option<Node<'_>>,
        method: &str,
        client: Option<&'static Client>,
    ) -> Task {
        let id = params.and_then(|params| params.get("taskId")?.string()).unwrap_or_default().into_owned();
        let known = locked(&self.calls).task(&id);
        known.unwrap_or_else(|| Task { id, tool: method.to_owned(), client, since: Instant::now() })
    }

    /// Applies the profile of the client with this name to later results.
    fn fit_to(&self, name: Option<&str>) {
        let row = self.settings.fit.client(name);
        if let Some(row) = row {
            tracing::info!(client = name, fit = row.id, "limits of the client");
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
