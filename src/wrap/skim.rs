//! The ids in a message that is too long to be held, taken from it piece by piece in bounded memory.

#![expect(clippy::indexing_slicing, reason = "positions are below the length that the loop checks")]

use serde::de::IgnoredAny;

use super::message::Id;

/// Bytes of a key, an id or a method that are held; a longer one is taken for none.
const TOKEN_BYTES: usize = 1024;
/// Messages of one batch that are told of.
const MOST_MESSAGES: usize = 1024;

/// The top level of one message.
#[derive(Debug, Default)]
pub(super) struct Skimmed {
    /// The id, where it is one.
    pub(super) id: Option<String>,
    /// True for a request or a notification, which has a method.
    pub(super) has_method: bool,
}

/// The messages of a line that was too long.
#[derive(Debug, Default)]
pub(super) struct SkimmedLine {
    /// The first of them.
    pub(super) messages: Vec<Skimmed>,
    /// The number of the others.
    pub(super) omitted: u64,
}

/// A message, or a batch, of which nothing but this is held.
#[derive(Debug, Default)]
pub(super) struct Skim {
    /// The messages that have come to their end.
    line: SkimmedLine,
    message: Skimmed,
    /// Arrays and objects that are open.
    depth: usize,
    /// The depth within a message: 1, and 2 in a batch.
    inside: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The key or the plain value at that depth, as it was sent.
    token: Vec<u8>,
    /// The key whose value comes next.
    key: Vec<u8>,
}

impl Skim {
    /// Takes the next piece of the line.
    pub(super) fn take(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(byte) = rest.first() {
            let is_within = self.is_in_string && !self.is_escaped;
            let run = if is_within { memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len()) } else { 0 };
            if run > 0 {
                self.hold(&rest[..run]);
            } else {
                self.byte(*byte);
            }
            rest = &rest[run.max(1)..];
        }
    }

    /// Returns the messages, once the line is over.
    pub(super) fn finish(self) -> SkimmedLine {
        self.line
    }

    fn byte(&mut self, byte: u8) {
        if self.is_in_string {
            self.hold(&[byte]);
            self.is_in_string = byte != b'"' || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return;
        }
        match byte {
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.inside = if byte == b'{' { 1 } else { 2 };
                }
                self.depth += 1;
                if self.depth == self.inside {
                    self.message = Skimmed::default();
                    self.token.clear();
                }
            }
            b'}' | b']' => {
                self.end_member();
                if byte == b'}' && self.depth > 0 && self.depth == self.inside {
                    if self.line.messages.len() < MOST_MESSAGES {
                        self.line.messages.push(std::mem::take(&mut self.message));
                    } else {
                        self.line.omitted += 1;
                    }
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == self.inside => self.key = std::mem::take(&mut self.token),
            b',' => self.end_member(),
            b'"' => {
                self.is_in_string = true;
                self.hold(b"\"");
            }
            b' ' | b'\t' | b'\r' => {}
            _ => self.hold(&[byte]),
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.depth == self.inside && self.token.len() <= TOKEN_BYTES {
            let room = TOKEN_BYTES + 1 - self.token.len();
            self.token.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn end_member(&mut self) {
        if self.depth != self.inside {
            return;
        }
        let token = std::mem::take(&mut self.token);
        // As values: a key may be sent in escapes.
        let key = serde_json::from_slice::<String>(&std::mem::take(&mut self.key));
        match key.as_deref().unwrap_or_default() {
            "id" if token.len() <= TOKEN_BYTES => {
                let is_id =
                    |raw: &String| Id::of(raw).is_some() && serde_json::from_str::<IgnoredAny>(raw).is_ok();
                self.message.id = String::from_utf8(token).ok().filter(is_id);
            }
            "method" => self.message.has_method = token != b"null",
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids and kinds of `line`, however it comes in pieces.
    fn skimmed(line: &str) -> Vec<(Option<String>, bool)> {
        let in_pieces = |bytes: usize| {
            let mut skim = Skim::default();
            line.as_bytes().chunks(bytes).for_each(|piece| skim.take(piece));
            let told = |one: Skimmed| (one.id, one.has_method);
            skim.finish().messages.into_iter().map(told).collect::<Vec<_>>()
        };
        let whole = in_pieces(line.len().max(1));
        for bytes in 1..5 {
            assert_eq!(in_pieces(bytes), whole, "{line} in pieces of {bytes}");
        }
        whole
    }

    #[test]
    fn ids_are_those_of_the_message_itself() {
        let long = "x".repeat(2000);
        let some = |id: &str| Some(id.to_owned());
        let cases = [
            (r#"{"id":7,"method":"m"}"#.to_owned(), vec![(some("7"), true)]),
            (
                r#" {"params":{"id":1,"method":"no"}, "id" : "a\"}" }"#.to_owned(),
                vec![(some(r#""a\"}""#), false)],
            ),
            (r#"{"result":[{"id":1},["id",2]],"id":-1.5e3}"#.to_owned(), vec![(some("-1.5e3"), false)]),
            (r#"{"id":null,"method":"m"}"#.to_owned(), vec![(None, true)]),
            (r#"{"id":{"id":1}}"#.to_owned(), vec![(None, false)]),
            (r#"{"x":"\\","id":1}"#.to_owned(), vec![(some("1"), false)]),
            (format!(r#"{{"id":"{long}","method":"{long}","{long}":1}}"#), vec![(None, true)]),
            (
                r#"[{"id":1,"method":"a"},{"id":"2","result":{"id":3}}]"#.to_owned(),
                vec![(some("1"), true), (some("\"2\""), false)],
            ),
            (r#"["id",7,{}]"#.to_owned(), vec![(None, false)]),
            (r#"{"\u0069d":1,"\u006dethod":"m"}"#.to_owned(), vec![(some("1"), true)]),
            (r#"{"id":1,"method":null}"#.to_owned(), vec![(some("1"), false)]),
            ("7".to_owned(), vec![]),
            (r#"{"id":7"#.to_owned(), vec![]),
            ("}}]\"".to_owned(), vec![]),
        ];
        for (line, expected) in cases {
            assert_eq!(skimmed(&line), expected, "{line}");
        }
        let batch = format!("[{}]", vec![r#"{"id":1}"#; 5000].join(","));
        assert_eq!(skimmed(&batch).len(), MOST_MESSAGES);
    }
}
