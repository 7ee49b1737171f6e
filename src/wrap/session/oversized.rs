//! Responds to messages over the size limit.

use cutline_core::text::Size;
use serde_json::value::RawValue;

use super::Session;
use crate::envelope::Envelope;
use crate::wrap::locked;
use crate::wrap::message::Id;
use crate::wrap::replies::{self, INVALID_REQUEST};

/// A side of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wrap) enum Side {
    Client,
    Server,
}

impl Session {
    /// Responds to the messages of an oversized line. Returns the responses to the server.
    pub(in crate::wrap) fn oversized(&self, from: Side, line: Envelope) -> String {
        let (messages, omitted) = line.into_messages();
        let why = format!("Message is over {} (--max-message)", Size(self.settings.max_message_bytes as u64));
        let mut to_server = String::new();
        let mut answered = 0;
        for message in &messages {
            let raw_id = message.id::<Box<RawValue>>();
            let has_method = message.has_method() && !message.has_outcome;
            let raw_id = raw_id.as_deref().map_or("", RawValue::get);
            let Some(id) = Id::of(raw_id) else { continue };
            answered += 1;
            // The error for a request goes back to its sender. The error that replaces a response goes to the other
            // side.
            if has_method == (from == Side::Server) {
                to_server += &replies::error(raw_id, INVALID_REQUEST, &why);
                continue;
            }
            let reply = if has_method {
                replies::error(raw_id, INVALID_REQUEST, &why)
            } else {
                let Some(call) = locked(&self.calls).answered(&id) else {
                    self.dropped.add_unknown(Some(raw_id));
                    continue;
                };
                self.failed(&call, &call.raw_id, &why)
            };
            let _where_it_is_gone = self.to_client(reply.as_bytes());
        }
        let side = if from == Side::Client { "client" } else { "server" };
        if omitted > 0 {
            let first = messages.len();
            tracing::warn!(
                "{omitted} messages of a batch of the {side} were dropped unanswered, after the first {first}: {why}"
            );
        }
        if messages.is_empty() || answered < messages.len() {
            tracing::warn!("a message of the {side} was dropped: {why}");
        }
        to_server
    }
}
