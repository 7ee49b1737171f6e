//! The open requests of the client.

use std::collections::VecDeque;
use std::time::Instant;

use super::message::id_key;
use crate::fit::Client;

/// Maximum number of open requests. A server need not respond, so the oldest ones are removed.
const MOST: usize = 4096;

/// A request of the client.
pub(super) struct OpenCall {
    /// The id as it was sent.
    pub(super) id: String,
    pub(super) method: String,
    /// The name of the tool that is called, or the method.
    pub(super) tool: String,
    /// The client profile with the limits for the result.
    pub(super) client: Option<&'static Client>,
    /// When it was sent.
    pub(super) since: Instant,
}

/// The open requests, oldest first.
#[derive(Default)]
pub(super) struct Calls(pub(super) VecDeque<OpenCall>);

impl Calls {
    /// Adds a request. If there are too many, removes the oldest.
    pub(super) fn open(&mut self, call: OpenCall) {
        self.0.push_back(call);
        self.0.drain(..self.0.len().saturating_sub(MOST));
    }

    /// Removes and returns the first request with this id. Prefers the same spelling.
    pub(super) fn take(&mut self, id: &str) -> Option<OpenCall> {
        let same = self.0.iter().position(|call| call.id == id);
        let at = same.or_else(|| {
            let key = id_key(id)?;
            self.0.iter().position(|call| id_key(&call.id).as_ref() == Some(&key))
        });
        self.0.remove(at?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_by_their_text() {
        let open = |id: &str| OpenCall {
            id: id.to_owned(),
            method: String::new(),
            tool: String::new(),
            client: None,
            since: Instant::now(),
        };
        let mut calls = Calls::default();
        for id in ["1", "\"1\"", "\"é\"", "2"] {
            calls.open(open(id));
        }
        let mut take = |id: &str| calls.take(id).map(|call| call.id);
        assert_eq!(take("\"1\"").as_deref(), Some("\"1\""));
        assert_eq!(take("\"1\"").as_deref(), Some("1"));
        assert_eq!(take(r#""\u00e9""#).as_deref(), Some("\"é\""));
        assert_eq!((take("2.0"), take("true"), take("1")), (None, None, None));
        assert_eq!(take("\"2\"").as_deref(), Some("2"));
    }
}
