//! The messages of both sides: which pass as they are, which are cut, and which are answered here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::value::RawValue;

use cutline_core::text::Size;

use super::calls::{Asks, Call, Calls};
use super::message::{Answer, Id, Raw, ResultMember};
use super::replies::{self, INVALID_REQUEST, SERVER_ENDED};
use super::result;
use super::schema::OutputSchema;
use super::skim::Skimmed;
use super::tally::Tally;
use super::{Settings, save::Save};
use crate::fit::Client;
use crate::stats::Outcome;

/// The members of a request's `_meta` that say, in the stateless era, in which revision it is and from whom.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// Bytes of all output schemas that are kept.
const SCHEMA_BYTES: usize = 4_000_000;

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) tally: Tally,
    /// The client, by the name in its handshake, where results are fitted to it.
    client_row: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
    tools: Mutex<Tools>,
    /// The client's side; `None` once nothing may be said any more.
    client: Mutex<Option<Box<dyn Write + Send>>>,
}

/// The output schemas that were seen.
#[derive(Default)]
struct Tools {
    schemas: BTreeMap<String, OutputSchema>,
    bytes: usize,
}

/// The fate of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// It passes as it is.
    AsItIs,
    /// This goes in its place.
    Instead(Vec<u8>),
    /// It goes nowhere, and why; no reason for an empty line.
    Dropped(Option<&'static str>),
}

impl Session {
    pub(super) fn new(settings: Settings, client: Box<dyn Write + Send>, tally: Tally) -> Self {
        Self {
            client_row: Mutex::new(settings.fit.client(None)),
            settings,
            tally,
            calls: Mutex::default(),
            tools: Mutex::default(),
            client: Mutex::new(Some(client)),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to the client; false where it is gone.
    pub(super) fn to_client(&self, bytes: &[u8]) -> bool {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(out) = client.as_mut() else { return false };
        out.write_all(bytes).and_then(|()| out.flush()).is_ok()
    }

    /// Notes what a message of the client asks for. Whatever it is, it passes.
    pub(super) fn note_client(&self, line: &[u8]) {
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
        let Some(method) = message.get("method").and_then(|method| string(method)) else { return };
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
                let name = params.as_ref().and_then(|params| string(params.get("name")?));
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

    /// Decides on a line that the server wrote.
    pub(super) fn judge_server(&self, line: &[u8], save: &(dyn Save + Sync)) -> Passed {
        let text = String::from_utf8_lossy(line);
        let bare = text.trim_ascii();
        let replaced = match bare.as_bytes().first() {
            None => return Passed::Dropped(None),
            Some(b'{') => self.message(bare, save),
            Some(b'[') => self.batch(bare, save),
            Some(_) => Err("it is no JSON"),
        };
        match replaced {
            Ok(None) => Passed::AsItIs,
            Err(why) => Passed::Dropped(Some(why)),
            Ok(Some(mut message)) => {
                let end = line.split_at(line.trim_ascii_end().len()).1;
                message.extend_from_slice(end);
                Passed::Instead(message)
            }
        }
    }

    /// The messages of a batch; `None` where all pass as they are.
    fn batch(&self, text: &str, save: &(dyn Save + Sync)) -> Result<Option<Vec<u8>>, &'static str> {
        let batch: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| "it is no JSON")?;
        let replaced = batch.iter().map(|message| self.message(message.get(), save).ok().flatten());
        let replaced: Vec<Option<Vec<u8>>> = replaced.collect();
        if replaced.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut out = Vec::new();
        for (message, replaced) in batch.iter().zip(&replaced) {
            out.push(if out.is_empty() { b'[' } else { b',' });
            out.extend_from_slice(replaced.as_deref().unwrap_or(message.get().as_bytes()));
        }
        out.push(b']');
        Ok(Some(out))
    }

    /// A message of the server's as it is to be; `None` where it passes as it is.
    fn message(&self, text: &str, save: &(dyn Save + Sync)) -> Result<Option<Vec<u8>>, &'static str> {
        let answer = Answer::read(text).ok_or("it is no JSON")?;
        if answer.get("jsonrpc").is_none() {
            return Err("it is no JSON-RPC");
        }
        let id = answer.other("id").and_then(Id::of).filter(|_| answer.get("method").is_none());
        let Some(call) = id.and_then(|id| self.calls().answered(&id)) else { return Ok(None) };
        match &call.asks {
            Asks::Tool(tool) => return Ok(self.judged(&answer, tool, &call, save)),
            Asks::List => {
                if let Some(ResultMember::Other(tools)) =
                    answer.result().and_then(|result| result.get("tools"))
                {
                    self.learn(tools);
                }
            }
            Asks::Other => {}
        }
        Ok(None)
    }

    /// The answer of a tool as it is to be; `None` where it passes as it is.
    fn judged(
        &self,
        answer: &Answer<'_>,
        tool: &str,
        call: &Call,
        save: &(dyn Save + Sync),
    ) -> Option<Vec<u8>> {
        let schema = {
            let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
            tools.schemas.get(tool).cloned().unwrap_or_default()
        };
        let rules = self.settings.rules(tool, call.client, &schema);
        let Some(judged) = result::judge(answer, &rules, save) else {
            self.tally.add(tool, call.since.elapsed(), Outcome::Error);
            return None;
        };
        self.tally.answered(tool, call.since.elapsed(), &judged, rules.bounds);
        judged.answer
    }

    /// Keeps the output schemas of a list of tools.
    fn learn(&self, tools: &RawValue) {
        let Ok(list) = serde_json::from_str::<Vec<Raw<'_>>>(tools.get()) else { return };
        let mut known = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        for tool in list {
            let Some(name) = tool.get("name").and_then(|name| string(name)) else { continue };
            let schema = match tool.get("outputSchema") {
                None => OutputSchema::Absent,
                Some(raw) => OutputSchema::known(raw.get()),
            };
            known.bytes += name.len() + schema.bytes();
            if let Some(former) = known.schemas.insert(name.clone().into_owned(), schema) {
                known.bytes -= name.len() + former.bytes();
            }
            if known.bytes > SCHEMA_BYTES {
                // Tools that are asked for are listed again, in part at least.
                *known = Tools::default();
                return;
            }
        }
    }

    fn too_large(&self) -> String {
        format!("Message is over {} (--max-message)", Size(self.settings.max_message_bytes as u64))
    }

    /// Answers for messages of the client's that were over the limit; what is to be said to the server.
    pub(super) fn oversized_from_client(&self, messages: &[Skimmed]) -> String {
        let why = self.too_large();
        let mut to_server = String::new();
        for message in messages {
            match (message.id.as_deref(), message.has_method) {
                (Some(id), true) => {
                    self.to_client(replies::error(id.get(), INVALID_REQUEST, &why).as_bytes());
                }
                (Some(id), false) => to_server += &replies::error(id.get(), INVALID_REQUEST, &why),
                (None, _) => {}
            }
        }
        self.warn_of_dropped("client", messages);
        to_server
    }

    /// The same for those of the server's.
    pub(super) fn oversized_from_server(&self, messages: &[Skimmed]) -> String {
        let why = self.too_large();
        let mut to_server = String::new();
        for message in messages {
            match (message.id.as_deref(), message.has_method) {
                (Some(id), true) => to_server += &replies::error(id.get(), INVALID_REQUEST, &why),
                (Some(id), false) => {
                    let call = Id::of(id).and_then(|id| self.calls().answered(&id));
                    let reply = match call {
                        Some(call) => self.failed(&call, id.get(), &why),
                        None => replies::error(id.get(), SERVER_ENDED, &why),
                    };
                    self.to_client(reply.as_bytes());
                }
                (None, _) => {}
            }
        }
        self.warn_of_dropped("server", messages);
        to_server
    }

    fn warn_of_dropped(&self, side: &str, messages: &[Skimmed]) {
        if messages.is_empty() || messages.iter().any(|message| message.id.is_none()) {
            tracing::warn!("a message of the {side} was dropped: {}", self.too_large());
        }
    }

    /// Counts a call that has failed, and returns what is answered to it.
    fn failed(&self, call: &Call, raw_id: &str, why: &str) -> String {
        match &call.asks {
            Asks::Tool(tool) => {
                self.tally.add(tool, call.since.elapsed(), Outcome::Error);
                replies::tool_error(raw_id, why, call.is_stateless)
            }
            Asks::List | Asks::Other => replies::error(raw_id, SERVER_ENDED, why),
        }
    }

    /// Answers all that still waits, as the server has ended; then nothing is said any more.
    pub(super) fn finish(&self, why: &str) {
        let waiting = self.calls().take_waiting();
        for call in waiting {
            let reply = self.failed(&call, &call.raw_id, why);
            self.to_client(reply.as_bytes());
        }
        self.client.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A string of JSON.
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<String>(raw.get()).ok().map(Cow::Owned)
}

/// An object of JSON.
fn object(raw: &RawValue) -> Option<Raw<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// The name that a client gives itself.
fn client_name(info: &RawValue) -> Option<Cow<'_, str>> {
    string(object(info)?.get("name")?)
}
