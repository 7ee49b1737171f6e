//! The messages of both sides: which pass as they are, which are cut, and which are answered here.

mod client;
mod oversized;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use super::calls::{Asks, Call, Calls};
use super::message::{Answer, Id, ResultMember};
use super::replies::{self, SERVER_ENDED};
use super::result;
use super::schema::OutputSchemas;
use super::tally::Tally;
use super::{Settings, save::Save};
use crate::fit::Client;
use crate::stats::Outcome;

/// One client, one server, and what is between them.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) tally: Tally,
    /// The client, by the name in its handshake, where results are fitted to it.
    client_row: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
    schemas: Mutex<OutputSchemas>,
    /// The client's side; `None` once nothing may be said any more.
    client: Mutex<Option<Box<dyn Write + Send>>>,
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
            schemas: Mutex::default(),
            client: Mutex::new(Some(client)),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn schemas(&self) -> MutexGuard<'_, OutputSchemas> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to the client; false where it is gone.
    pub(super) fn to_client(&self, bytes: &[u8]) -> bool {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(out) = client.as_mut() else { return false };
        out.write_all(bytes).and_then(|()| out.flush()).is_ok()
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
                    self.schemas().learn(tools);
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
        let schema = self.schemas().of(tool);
        let rules = self.settings.rules(tool, call.client, &schema);
        let Some(judged) = result::judge(answer, &rules, save) else {
            self.tally.add(tool, call.since.elapsed(), Outcome::Error);
            return None;
        };
        self.tally.answered(tool, call.since.elapsed(), &judged, rules.bounds);
        judged.answer
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
