//! The top level of a message and the number of its values, before it is parsed.
//!
//! A request that is broken, or too long to be held, is still owed an answer by its id, and parsing
//! takes memory by the hundredfold. So each message is first read byte by byte, in bounded memory.

#![expect(clippy::indexing_slicing, reason = "positions are below the length that the loop checks")]

use rmcp::model::RequestId;

/// Bytes of a member's name or plain value that are held.
const TOKEN_BYTES: usize = 512;

/// The members of an object that is taken in piece by piece.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    depth: usize,
    string: InString,
    /// The name, or the plain value, at the top level: raw, cut at its bound.
    token: Vec<u8>,
    /// Values and members seen, about: commas, colons and opening brackets outside strings.
    pub(super) values: usize,
    /// The name whose value comes next.
    member: Option<Member>,
    shape: Shape,
    /// The value of the first `id`, raw.
    id: Option<Vec<u8>>,
    /// True if there is a member `id`, of whatever kind.
    pub(super) has_id: bool,
    /// The one of `id` and `params` that came first.
    first: Option<Member>,
    /// True if there is a member that only an answer has.
    pub(super) has_outcome: bool,
    method: Option<Vec<u8>>,
}

/// The state of the scan within a string.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum InString {
    #[default]
    Outside,
    Inside,
    Escaped,
}

/// The members that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Id,
    Method,
    Params,
    Outcome,
    Other,
}

/// The shape of the bytes so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing but white space.
    #[default]
    Blank,
    /// An object that is not at its end.
    Open,
    /// An object, and nothing after it.
    Whole,
    /// Bytes that began as an object, and are none.
    Broken,
    /// Something else.
    Other,
}

impl Envelope {
    /// Takes the next piece.
    pub(super) fn take(&mut self, piece: &[u8]) {
        let mut at = 0;
        while at < piece.len() {
            let rest = &piece[at..];
            // Runs of bytes that change nothing are passed over at once.
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

    /// The id, where it is surely the message's own: nothing that a caller wrote stands before it,
    /// or all that does is in order.
    pub(super) fn id(&self) -> Option<RequestId> {
        let sure = self.first == Some(Member::Id) || self.shape == Shape::Whole;
        self.id.as_ref().filter(|_| sure).and_then(|id| serde_json::from_slice(id).ok())
    }

    /// True if an answer is owed: to an object that is no answer itself, and no notification.
    pub(super) fn wants_answer(&self) -> bool {
        let object = matches!(self.shape, Shape::Open | Shape::Whole | Shape::Broken);
        object && !self.is_notification_or_answer()
    }

    /// True if it says that it is a notification, or has what only an answer has.
    pub(super) fn is_notification_or_answer(&self) -> bool {
        let answer = self.has_outcome && self.method.is_none();
        answer || !self.has_id && self.method_starts_with(b"\"notifications/")
    }

    /// True if it is a call of a tool.
    pub(super) fn is_call(&self) -> bool {
        self.method_starts_with(b"\"tools/call\"")
    }

    fn method_starts_with(&self, start: &[u8]) -> bool {
        self.method.as_ref().is_some_and(|method| method.starts_with(start))
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
        self.values += usize::from(matches!(byte, b',' | b':' | b'[' | b'{'));
        match (byte, self.shape) {
            // A byte order mark stands for nothing either.
            (b' ' | b'\t' | b'\r' | b'\n', _) | (0xEF | 0xBB | 0xBF, Shape::Blank) | (_, Shape::Other) => {}
            (b'{', Shape::Blank) => {
                self.shape = Shape::Open;
                self.depth = 1;
            }
            (_, Shape::Blank) => self.shape = Shape::Other,
            (_, Shape::Whole | Shape::Broken) => self.shape = Shape::Broken,
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
            (b':', Shape::Open) if self.depth == 1 => self.begin_member(),
            (b',', Shape::Open) => self.end_member(),
            (_, Shape::Open) => self.hold(&[byte]),
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.depth == 1 {
            let room = TOKEN_BYTES - self.token.len();
            self.token.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn begin_member(&mut self) {
        let member = match self.token.as_slice() {
            b"\"id\"" => Member::Id,
            b"\"method\"" => Member::Method,
            b"\"params\"" => Member::Params,
            b"\"result\"" | b"\"error\"" => Member::Outcome,
            _ => Member::Other,
        };
        self.token.clear();
        self.has_id |= member == Member::Id;
        self.has_outcome |= member == Member::Outcome;
        if matches!(member, Member::Id | Member::Params) {
            self.first.get_or_insert(member);
        }
        self.member = Some(member);
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        match self.member.take() {
            // A second one may be what a caller wrote, where the line is broken.
            Some(Member::Id) if self.id.is_none() => self.id = Some(std::mem::take(&mut self.token)),
            Some(Member::Method) => self.method = Some(std::mem::take(&mut self.token)),
            _ => {}
        }
        self.token.clear();
    }
}

/// True for a byte outside strings that is a part of a number or a word.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope_of(line: &[u8]) -> Envelope {
        let mut envelope = Envelope::default();
        envelope.take(line);
        envelope
    }

    #[test]
    fn id_is_known_where_it_is_the_messages_own() {
        let cases: [(&[u8], Option<RequestId>); 12] = [
            (b"{\"id\":7,\"params\":{\"a\":\"\"b\"},\"id\":9}", Some(RequestId::Number(7))),
            (b"{\"id\":7,\"method\":\"x\",\"params\":", Some(RequestId::Number(7))),
            (b" { \"id\" : \"a\\\"b\" , ", Some(RequestId::String("a\"b".into()))),
            (
                b"{\"method\":\"x\",\"params\":{\"id\":1,\"a\":\"\\ud800}\"},\"id\":7}",
                Some(RequestId::Number(7)),
            ),
            (b"{\"params\":\"\xff\",\"id\":-3}", Some(RequestId::Number(-3))),
            (b"{\"params\":{\"id\":1},\"id\":7", None), // not at its end: who knows whose it is
            (b"{\"params\":{\"id\":1}}", None),
            (b"{\"params\":\"a\"b\",\"id\":7}", None),
            (b"{\"params\":{}},\"id\":7}", None),
            (b"{\"id\":1.5}", None),
            (b"{\"id\":{\"id\":1}}", None),
            (b"[{\"id\":1}]", None),
        ];
        for (line, id) in cases {
            assert_eq!(envelope_of(line).id(), id, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn answers_are_owed_to_requests_alone() {
        let cases: [(&[u8], bool); 9] = [
            (b"{", true),
            (b"{\"id\":1,\"method\":\"notifications/x\"", true),
            (b"{\"method\":\"tools/call\",", true),
            (b"{\"method\":\"notifications/x\",\"params\":\"\xff\"}", false),
            (b"{\"id\":1,\"result\":\"\xff\"}", false),
            (b"{\"id\":1,\"error\":", false),
            (b"", false),
            (b"not json {", false),
            (b"[{\"id\":1}]", false),
        ];
        for (line, wants) in cases {
            assert_eq!(envelope_of(line).wants_answer(), wants, "{}", String::from_utf8_lossy(line));
        }
    }
    #[test]
    fn values_are_counted_outside_strings() {
        for (line, values) in [
            (&b"{\"a\":[0,{\"b,[\\\",\":1}]}"[..], 6),
            (b"[0,0,0]", 3),
            (b"{\"params\":{\"x\":\",,,,[[[[\\\\\"}}", 4),
            (b"[[[[", 4),
        ] {
            for at in 0..line.len() {
                let mut envelope = envelope_of(&line[..at]);
                envelope.take(&line[at..]);
                assert_eq!(envelope.values, values, "{}", String::from_utf8_lossy(line));
            }
        }
    }
}
