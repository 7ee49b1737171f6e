//! The messages of the client: all pass, and what they ask for is noted.

use std::borrow::Cow;
use std::sync::PoisonError;
use std::time::Instant;

use serde_json::value::RawValue;

use super::Session;
use crate::stats::Outcome;
use crate::wrap::calls::{Asks, Call};
use crate::wrap::json::string::unescaped;
use crate::wrap::message::{Id, Raw};

/// The members of a request's `_meta` that say, in the stateless era, in which revision it is and from whom.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

impl Session {
    /// Notes what a message of the client asks for. Whatever it is, it passes.
    pub(in crate::wrap) fn note_client(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        if text.trim_ascii_start().starts_with('[') {
            let batch: Vec<&RawValue> = serde_json::from_str(&text).unwrap_or_default();
            for message in batch {
                self.note(message.get());
            }
        } else {
            self.note(&text);
        }
    }

    fn note(&self, message: &str) {
        let Ok(message) = serde_json::from_str::<Raw<'_>>(message) else { return };
        let Some(method) = message.get("method").and_then(|method| unescaped(method.get())) else { return };
        let params = || object(message.get("params")?);
        if method == "notifications/cancelled" {
            let id = params().and_then(|params| Id::of(params.get("requestId")?));
            if let Some(id) = id {
                self.cancelled(&id);
            }
            return;
        }
        let Some(raw_id) = message.get("id") else { return };
        let Some(id) = Id::of(raw_id) else { return };
        let (asks, meta) = match method.as_ref() {
            "tools/call" | "tasks/result" => {
                let params = params();
                let name = params.as_ref().and_then(|params| unescaped(params.get("name")?.get()));
                let meta = params.as_ref().and_then(|params| object(params.get("_meta")?));
                (Asks::Tool(name.unwrap_or(method).into_owned()), meta)
            }
            "tools/list" => (Asks::List, None),
            "initialize" => {
                let name = params().and_then(|params| client_name(params.get("clientInfo")?));
                self.fit_to(name.as_deref());
                (Asks::Other, None)
            }
            _ => (Asks::Other, None),
        };
        let member = |name: &str| meta.as_ref().and_then(|meta| meta.get(name));
        let client = match member(CLIENT_INFO).and_then(|info| client_name(info)) {
            Some(name) => self.settings.fit.client(Some(&name)),
            None => *self.client_row.lock().unwrap_or_else(PoisonError::into_inner),
        };
        self.calls().open(Call {
            id,
            raw_id: raw_id.get().to_owned(),
            asks,
            is_stateless: member(REVISION).is_some(),
            client,
            since: Instant::now(),
            is_cancelled: false,
        });
    }

    /// Fits results from now on to the client that gives itself this name.
    fn fit_to(&self, name: Option<&str>) {
        let row = self.settings.fit.client(name);
        if let Some(row) = row {
            tracing::info!(client = name, fit = row.id, "answers fit the client");
        }
        *self.client_row.lock().unwrap_or_else(PoisonError::into_inner) = row;
    }

    fn cancelled(&self, id: &Id) {
        let mut calls = self.calls();
        if let Some(Call { asks: Asks::Tool(tool), since, .. }) = calls.cancel(id) {
            self.tally.add(tool, since.elapsed(), Outcome::Cancelled);
        }
    }
}

/// An object of JSON.
fn object(raw: &RawValue) -> Option<Raw<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// The name that a client gives itself.
fn client_name(info: &RawValue) -> Option<Cow<'_, str>> {
    unescaped(object(info)?.get("name")?.get())
}
