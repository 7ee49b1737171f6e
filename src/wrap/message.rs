//! JSON-RPC messages: the lines of a stream, the members of a message, and the replies of cutline itself.

use std::borrow::Cow;
use std::io::{self, BufRead as _, BufReader, Read};

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::json::{each_child, text};

/// Maximum bytes of one read.
const BLOCK_BYTES: usize = 64 * 1024;
/// Number of bytes at the end of an oversized line in which its id is searched.
pub(super) const END_BYTES: usize = 1024;

/// The members of a message as JSON.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the members")]
pub(super) struct MessageHead<'a> {
    version: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) method: Option<&'a str>,
    pub(super) params: Option<&'a str>,
    pub(super) result: Option<&'a str>,
    pub(super) error: Option<&'a str>,
    /// True if the message has a result or an error, also one that is `null` or not valid.
    has_outcome: bool,
    /// True if the message has parameters, also ones that are not valid. A response has none.
    has_params: bool,
    /// True if the message has a member that JSON-RPC does not define, as lines of a log do.
    has_unknown: bool,
    /// True if the line is not a JSON object, or has a member that is unknown or repeated.
    is_odd: bool,
}

impl<'a> MessageHead<'a> {
    /// Reads as much of a message as possible. The id is also found in a message that is not valid.
    pub(super) fn read(line: &'a str) -> Self {
        let (mut head, mut seen) = (Self::default(), Vec::new());
        let read = each_child(line, |name, value| {
            let place = match name {
                "jsonrpc" => &mut head.version,
                "id" => &mut head.id,
                "method" => &mut head.method,
                "params" => &mut head.params,
                "result" => &mut head.result,
                "error" => &mut head.error,
                _ => return (head.is_odd, head.has_unknown) = (true, true),
            };
            if seen.contains(&name) {
                head.is_odd = true;
            } else {
                seen.push(name);
            }
            head.has_outcome |= matches!(name, "result" | "error");
            head.has_params |= name == "params";
            // Some servers send `"error": null`.
            if !matches!(value, "null" | "") {
                *place = Some(value);
            }
        });
        if read.is_err() {
            head.is_odd = true;
            head.id = head.id.or_else(|| id_at_end(line));
        }
        head
    }

    /// Returns true if a message, also one that is not valid, is a response. A line of a log is none.
    pub(super) fn is_response(&self) -> bool {
        let is_message = self.version.is_some() && !self.has_params;
        self.method.is_none() && (is_message || self.has_outcome && !self.has_unknown)
    }

    /// Returns true if the message follows JSON-RPC. Clients accept more than the protocol allows, so a message passes
    /// only if it has exactly one meaning.
    pub(super) fn is_valid(&self) -> bool {
        let has_one_kind = match (self.method, self.result, self.error) {
            (Some(method), None, None) => method.starts_with('"'),
            (None, Some(result), None) => self.id.is_some() && result.starts_with('{'),
            (None, None, Some(error)) => is_valid_error(error),
            _ => false,
        };
        let has_one_kind =
            has_one_kind && self.params.is_none_or(|it| self.method.is_some() && it.starts_with(['{', '[']));
        let id_is_valid = self.id.is_none_or(|id| id_key(id).is_some());
        has_one_kind && id_is_valid && !self.is_odd && self.version == Some("\"2.0\"")
    }
}

/// The members of an error that JSON-RPC requires.
#[derive(Deserialize)]
struct ErrorHead<'a> {
    #[serde(rename = "code")]
    _code: i64,
    #[serde(borrow)]
    message: &'a RawValue,
}

/// Returns true if an error has one code and one message.
fn is_valid_error(error: &str) -> bool {
    let head = serde_json::from_str::<ErrorHead<'_>>(error);
    error.starts_with('{') && head.is_ok_and(|head| head.message.get().starts_with('"'))
}

/// Returns the id in the last member of a message, before its version at most. TypeScript and Python servers
/// can write it there.
fn id_at_end(line: &str) -> Option<&str> {
    let (_, rest) = line.rsplit_once("\"id\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
    let id = values.next()?.ok()?.get();
    let (_, end) = rest.split_at(values.byte_offset());
    let is_end = |it: &str| end.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(it.bytes());
    (id_key(id).is_some() && (is_end("}") || is_end(",\"jsonrpc\":\"2.0\"}"))).then_some(id)
}

/// Returns the same of the end of a message that may not be UTF-8.
pub(super) fn id_at_end_of(end: &[u8]) -> Option<String> {
    id_at_end(&String::from_utf8_lossy(end)).map(str::to_owned)
}

/// Returns the text by which ids are compared. A string and a number with the same digits are equal, because some
/// clients accept one for the other. Returns `None` for other values.
pub(super) fn id_key(id: &str) -> Option<String> {
    if id.starts_with(|c: char| c == '-' || c.is_ascii_digit()) { Some(id.to_owned()) } else { text(id) }
}

/// A line of a stream.
pub(super) struct Line<'l> {
    /// The line with its newline. The last line gets one.
    pub(super) bytes: Cow<'l, [u8]>,
    /// True if the line is over the limit. `bytes` then has a message with only the id, if that is at the start or the
    /// end, and an empty result if it is a response. Otherwise it has an empty method.
    pub(super) is_oversized: bool,
}

/// Reads the lines of a stream.
pub(super) struct Lines<R> {
    read: BufReader<R>,
    max_bytes: usize,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Creates a reader of lines with at most `max_bytes` each.
    pub(super) fn new(read: R, max_bytes: usize) -> Self {
        Self { read: BufReader::with_capacity(BLOCK_BYTES, read), max_bytes, line: Vec::new() }
    }

    /// Waits for the next line. Returns `None` at the end of the stream.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        self.line.shrink_to(BLOCK_BYTES);
        self.take(self.max_bytes.saturating_add(1))?;
        if self.line.len() <= self.max_bytes || self.line.ends_with(b"\n") {
            if !self.line.is_empty() && !self.line.ends_with(b"\n") {
                self.line.push(b'\n');
            }
            let line = Line { bytes: self.line.as_slice().into(), is_oversized: false };
            return Ok(Some(line).filter(|line| !line.bytes.is_empty()));
        }
        // The limit can be inside a number, such as the id.
        let start =
            valid_start(&self.line).trim_end_matches(|c: char| c.is_alphanumeric() || "+-.".contains(c));
        let head = MessageHead::read(start);
        let id = head.id.map(str::to_owned);
        let kind = if head.is_response() { "result" } else { "method" };
        while !self.line.ends_with(b"\n") {
            self.line.drain(..self.line.len().saturating_sub(END_BYTES));
            self.line.shrink_to(2 * BLOCK_BYTES);
            if self.take(BLOCK_BYTES)? == 0 {
                break;
            }
        }
        let id = id.or_else(|| id_at_end_of(&self.line));
        let head = format!("{{\"id\":{},\"{kind}\":\"\"}}", id.as_deref().unwrap_or("null"));
        Ok(Some(Line { bytes: head.into_bytes().into(), is_oversized: true }))
    }

    /// Buffers the rest of the line, up to `max_bytes`. Returns the number of bytes.
    fn take(&mut self, max_bytes: usize) -> io::Result<usize> {
        (&mut self.read).take(max_bytes as u64).read_until(b'\n', &mut self.line)
    }
}

/// Returns the start of a line up to the first byte that is not UTF-8.
pub(super) fn valid_start(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_else(|error| valid_start(line.split_at(error.valid_up_to()).0))
}

/// Returns an error response, as one line. `id` is JSON.
pub(super) fn error_reply(id: &str, code: i32, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n")
}
