//! The messages that are too long to be held: what is answered in their place.

use cutline_core::text::Size;

use super::Session;
use crate::wrap::locked;
use crate::wrap::message::Id;
use crate::wrap::replies::{self, INVALID_REQUEST, SERVER_ENDED};
use crate::wrap::skim::{Skimmed, SkimmedLine};

/// A side of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wrap) enum Side {
    Client,
    Server,
}

impl Session {
    /// Answers for messages of one side that were over the limit; what is to be said to the server.
    pub(in crate::wrap) fn oversized(&self, from: Side, line: &SkimmedLine) -> String {
        let SkimmedLine { messages, omitted } = line;
        let why = format!("Message is over {} (--max-message)", Size(self.settings.max_message_bytes as u64));
        let mut to_server = String::new();
        for Skimmed { id, has_method } in messages {
            let Some(id) = id.as_deref() else { continue };
            // A request is answered to its own side, an answer to the other one.
            if *has_method == (from == Side::Server) {
                to_server += &replies::error(id, INVALID_REQUEST, &why);
                continue;
            }
            let call = Id::of(id).filter(|_| !has_method).and_then(|id| locked(&self.calls).answered(&id));
            let reply = match call {
                Some(call) => self.failed(&call, id, &why),
                None => replies::error(id, if *has_method { INVALID_REQUEST } else { SERVER_ENDED }, &why),
            };
            let _where_it_is_gone = self.to_client(reply.as_bytes());
        }
        let side = if from == Side::Client { "client" } else { "server" };
        if *omitted > 0 {
            let answered = messages.len();
            tracing::warn!(
                "{omitted} messages of a batch of the {side} were dropped unanswered, after the first {answered}: {why}"
            );
        }
        if messages.is_empty() || messages.iter().any(|message| message.id.is_none()) {
            tracing::warn!("a message of the {side} was dropped: {why}");
        }
        to_server
    }
}
