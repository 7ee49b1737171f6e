//! The messages that are too long to be held: what is answered in their place.

use cutline_core::text::Size;

use super::Session;
use crate::wrap::message::Id;
use crate::wrap::replies::{self, INVALID_REQUEST, SERVER_ENDED};
use crate::wrap::skim::Skimmed;

impl Session {
    fn too_large(&self) -> String {
        format!("Message is over {} (--max-message)", Size(self.settings.max_message_bytes as u64))
    }

    /// Answers for messages of the client's that were over the limit; what is to be said to the server.
    pub(in crate::wrap) fn oversized_from_client(&self, messages: &[Skimmed]) -> String {
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
    pub(in crate::wrap) fn oversized_from_server(&self, messages: &[Skimmed]) -> String {
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
}
