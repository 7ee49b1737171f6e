//! Scans the top level of JSON-RPC messages, and counts their values, before they are parsed.
//!
//! An invalid or oversized request still needs an error response with its id, but parsing it can need a hundred times
//! the memory of the message. This scan therefore reads each message in pieces and in bounded memory.

#![expect(clippy::indexing_slicing, reason = "positions are below the length that the loop checks")]

use serde::de::DeserializeOwned;

/// Maximum bytes of a name or plain value. A longer id or name counts as absent.
const TOKEN_BYTES: usize = 1024;

/// Scans messages in pieces.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    /// Number of open arrays and objects.
    depth: usize,
    /// True if the text is an object. Its members are at depth 1.
    is_object: bool,
    string: InString,
    /// The raw name or plain value at that depth, truncated at the maximum length.
    token: Vec<u8>,
    /// The name of the next value.
    member: Option<Member>,
    shape: Shape,
    /// The message.
    pub(crate) message: Message,
}

/// The members of a message.
#[derive(Debug, Default)]
pub(crate) struct Message {
    /// The raw value of the first `id`.
    id: Option<Vec<u8>>,
    /// True if there is an `id` of any type.
    pub(crate) has_id: bool,
    /// Which of `id` and `params` came first.
    first: Option<Member>,
    /// True if there is a member that only responses have.
    pub(crate) has_response_member: bool,
    /// The raw value of the last `method`, unless it is null.
    method: Option<Vec<u8>>,
}

/// The state of the scan inside a string.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum InString {
    #[default]
    Outside,
    Inside,
    Escaped,
}

/// The members that the scan needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Id,
    Method,
    Params,
    Response,
    Other,
}

/// What the bytes so far are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Only white space.
    #[default]
    Blank,
    /// An object or a batch that is not closed yet.
    Open,
    /// A complete object or batch.
    Whole,
    /// Anything else.
    Other,
}

impl Envelope {
    /// Scans the next piece.
    pub(crate) fn scan(&mut self, piece: &[u8]) {
        let mut at = 0;
        while at < piece.len() {
            let rest = &piece[at..];
            // Skip runs of bytes that do not change the state.
            let run = match (self.string, self.shape) {
                (InString::Inside, _) => memchr::memchr2(b'"', b'\\', rest),
                (InString::Outside, Shape::Open) => rest.iter().position(|byte| !is_plain(*byte)),
                _ => Some(0),
            };
            let run = run.unwrap_or(rest.len());
            self.hold(&rest[..run]);
            if let Some(&byte) = rest.get(run) {
                self.byte(byte);
            }
            at += run + 1;
        }
    }

    /// Returns the id of the message, or `None` if it may be a part of the `params`. In an invalid line, a text in the
    /// `params` can end too early, so that its rest looks like members of the message. The id is certain if it precedes
    /// the `params`, or if the object is complete.
    pub(crate) fn certain_id<T: DeserializeOwned>(&self) -> Option<T> {
        let is_certain = self.message.first == Some(Member::Id) || self.shape == Shape::Whole;
        self.message.raw_id().filter(|_| is_certain)
    }

    fn byte(&mut self, byte: u8) {
        if self.string != InString::Outside {
            self.hold(&[byte]);
            self.string = match (self.string, byte) {
                (InString::Inside, b'\\') => InString::Escaped,
                (InString::Inside, b'"') => InString::Outside,
                _ => InString::Inside,
            };
            return;
        }
        match (byte, self.shape) {
            // A byte order mark is ignored too.
            (b' ' | b'\t' | b'\r' | b'\n', _) | (0xEF | 0xBB | 0xBF, Shape::Blank) => {}
            (b'{' | b'[', Shape::Blank) => {
                self.shape = Shape::Open;
                self.depth = 1;
                self.is_object = byte == b'{';
            }
            (_, Shape::Blank | Shape::Whole | Shape::Other) => self.shape = Shape::Other,
            (b'"', Shape::Open) => {
                self.string = InString::Inside;
                self.hold(&[byte]);
            }
            (b'{' | b'[', Shape::Open) => self.depth += 1,
            (b'}' | b']', Shape::Open) => {
                self.end_member();
                self.depth -= 1;
                if self.depth == 0 {
                    self.shape = Shape::Whole;
                }
            }
            (b':', Shape::Open) if self.is_in_members() => self.begin_member(),
            (b',', Shape::Open) => self.end_member(),
            (_, Shape::Open) => self.hold(&[byte]),
        }
    }

    fn is_in_members(&self) -> bool {
        self.is_object && self.depth == 1
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.is_in_members() {
            let room = TOKEN_BYTES - self.token.len();
            self.token.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn begin_member(&mut self) {
        let member = Member::of(&self.token);
        self.token.clear();
        self.message.has_id |= member == Member::Id;
        self.message.has_response_member |= member == Member::Response;
        if matches!(member, Member::Id | Member::Params) {
            self.message.first.get_or_insert(member);
        }
        self.member = Some(member);
    }

    fn end_member(&mut self) {
        if !self.is_in_members() {
            return;
        }
        let take = |token: &mut _| Some(std::mem::take(token));
        match self.member.take() {
            // In an invalid line, a second `id` can be part of a text of the caller.
            Some(Member::Id) if self.message.id.is_none() && self.token.len() < TOKEN_BYTES => {
                self.message.id = take(&mut self.token);
            }
            Some(Member::Method) if self.token != b"null" => self.message.method = take(&mut self.token),
            _ => {}
        }
        self.token.clear();
    }
}

impl Message {
    /// Returns the first id, if it can be parsed as `T`. In an invalid line, it may be a part of the `params`.
    pub(crate) fn raw_id<T: DeserializeOwned>(&self) -> Option<T> {
        self.id.as_ref().and_then(|id| serde_json::from_slice(id).ok())
    }

    /// Returns true for a request or a notification.
    pub(crate) fn has_method(&self) -> bool {
        self.method.is_some()
    }

    /// Returns true for a response.
    pub(crate) fn is_response(&self) -> bool {
        self.has_response_member && !self.has_method()
    }

    /// Returns true for a call of a tool.
    pub(crate) fn is_call(&self) -> bool {
        self.method_starts_with(b"\"tools/call\"")
    }

    fn method_starts_with(&self, start: &[u8]) -> bool {
        self.method.as_ref().is_some_and(|method| method.starts_with(start))
    }
}

impl Member {
    /// Returns the member for a raw name, which can contain escapes.
    fn of(raw: &[u8]) -> Self {
        let plain = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")).unwrap_or_default();
        let escaped = plain.contains(&b'\\');
        let unescaped = escaped.then(|| serde_json::from_slice::<String>(raw).unwrap_or_default());
        match unescaped.as_ref().map_or(plain, String::as_bytes) {
            b"id" => Self::Id,
            b"method" => Self::Method,
            b"params" => Self::Params,
            b"result" | b"error" => Self::Response,
            _ => Self::Other,
        }
    }
}

/// Returns true for a byte outside strings that is part of a number or a literal.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'+')
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    fn envelope_of(line: &[u8]) -> Envelope {
        let mut envelope = Envelope::default();
        envelope.scan(line);
        envelope
    }

    #[test]
    fn only_the_id_of_the_message_itself_is_used() {
        let cases: [(&[u8], Option<&str>); 12] = [
            (b"{\"id\":7,\"params\":{\"a\":\"\"b\"},\"id\":9}", Some("7")),
            (b"{\"id\":7,\"method\":\"x\",\"params\":", Some("7")),
            (b" { \"id\" : \"a\\\"b\" , ", Some("\"a\\\"b\"")),
            (b"{\"method\":\"x\",\"params\":{\"id\":1,\"a\":\"\\ud800}\"},\"id\":7}", Some("7")),
            (b"{\"params\":\"\xff\",\"id\":-3}", Some("-3")),
            (b"{\"params\":{\"id\":1},\"id\":7", None), // not at its end: who knows whose it is
            (b"{\"params\":{\"id\":1}}", None),
            (b"{\"params\":\"a\"b\",\"id\":7}", None),
            (b"{\"params\":{}},\"id\":7}", None),
            (b"{\"id\":1.5.}", None),
            (b"{\"id\":{\"id\":1}}", None),
            (b"[{\"id\":1}]", None),
        ];
        for (line, id) in cases {
            let found = envelope_of(line).certain_id::<Box<RawValue>>();
            assert_eq!(found.as_deref().map(RawValue::get), id, "{}", String::from_utf8_lossy(line));
        }
        assert_eq!(envelope_of(b"{\"id\":1.5}").certain_id::<i64>(), None);
    }

    /// Returns the id of `line` and true if it has a method, for every way to split it into pieces.
    fn id_and_kind(line: &str) -> (Option<Value>, bool) {
        let in_pieces = |bytes: usize| {
            let mut envelope = Envelope::default();
            line.as_bytes().chunks(bytes).for_each(|piece| envelope.scan(piece));
            (envelope.message.raw_id(), envelope.message.has_method())
        };
        let whole = in_pieces(line.len().max(1));
        for bytes in 1..5 {
            assert_eq!(in_pieces(bytes), whole, "{line} in pieces of {bytes}");
        }
        whole
    }

    #[test]
    fn id_is_that_of_the_message_itself() {
        let long = "x".repeat(2000);
        let some = |id: &str| Some(id.parse().unwrap());
        let cases = [
            (r#"{"id":7,"method":"m"}"#.to_owned(), (some("7"), true)),
            (r#" {"params":{"id":1,"method":"no"}, "id" : "a\"}" }"#.to_owned(), (some(r#""a\"}""#), false)),
            (r#"{"result":[{"id":1},["id",2]],"id":-1.5e3}"#.to_owned(), (some("-1.5e3"), false)),
            (r#"{"id":{"id":1}}"#.to_owned(), (None, false)),
            (r#"{"x":"\\","id":1}"#.to_owned(), (some("1"), false)),
            (format!(r#"{{"id":"{long}","method":"{long}","{long}":1}}"#), (None, true)),
            (format!(r#"{{"id":{}}}"#, "7".repeat(2000)), (None, false)),
            (r#"[{"id":1,"method":"a"},{"id":"2","result":{"id":3}}]"#.to_owned(), (None, false)),
            (r#"["id",7,{}]"#.to_owned(), (None, false)),
            (r#"{"\u0069d":1,"\u006dethod":"m"}"#.to_owned(), (some("1"), true)),
            (r#"{"id":1,"method":null}"#.to_owned(), (some("1"), false)),
            ("7".to_owned(), (None, false)),
            ("}}]\"".to_owned(), (None, false)),
        ];
        for (line, expected) in cases {
            assert_eq!(id_and_kind(&line), expected, "{line}");
        }
    }
}
