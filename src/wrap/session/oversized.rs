//! Responds to messages over the size limit. A batch of that size gets no response.

use cutline_core::text::Size;
use serde_json::value::RawValue;

use super::Session;
use super::dropped::UNKNOWN_ID;
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
    /// Responds to the message of an oversized line. Returns the response to the server.
    pub(in crate::wrap) fn oversized(&self, from: Side, line: &Envelope) -> String {
        let why = format!("Message is over {} (--max-message)", Size(self.settings.max_message_bytes as u64));
        let raw_id = line.certain_id::<Box<RawValue>>();
        let raw_id = raw_id.as_deref().map_or("", RawValue::get);
        let Some(id) = Id::of(raw_id) else {
            let side = if from == Side::Client { "client" } else { "server" };
            tracing::warn!("a message of the {side} was dropped: {why}");
            return String::new();
        };
        // The error for a request goes back to its sender. The error that replaces a response goes to the other side.
        let is_request = line.message.has_method() && !line.message.has_response_member;
        if is_request == (from == Side::Server) {
            return replies::error(raw_id, INVALID_REQUEST, &why);
        }
        let reply = if is_request {
            replies::error(raw_id, INVALID_REQUEST, &why)
        } else {
            let Some(call) = locked(&self.calls).answered(&id) else {
                self.dropped.add(raw_id, UNKNOWN_ID);
                return String::new();
            };
            self.failed(&call, &why)
        };
        let _where_it_is_gone = self.to_client(reply.as_bytes());
        String::new()
    }
}
