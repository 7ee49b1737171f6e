//! Splits the input into lines, one message each. Buffers no line beyond the limits.

#![expect(clippy::indexing_slicing, reason = "a newline is inside the searched bytes")]

use std::io;

use tokio_util::bytes::{Buf as _, BytesMut};
use tokio_util::codec::Decoder;

use crate::envelope::Envelope;
use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_VALUES};
use cutline_core::text::Size;

/// A complete line.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The bytes without the newline. Empty if the line exceeds a limit.
    pub(super) bytes: Vec<u8>,
    /// The top-level members.
    pub(super) envelope: Envelope,
    /// The limit that the line exceeds, as text.
    pub(super) exceeded_limit: Option<String>,
}

/// Splits a stream into lines. The last line needs no newline.
#[derive(Debug, Default)]
pub(super) struct LineDecoder {
    /// The line so far.
    line: Line,
}

impl Decoder for LineDecoder {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, from: &mut BytesMut) -> io::Result<Option<Line>> {
        let newline = memchr::memchr(b'\n', from);
        self.line.push(&from[..newline.unwrap_or(from.len())]);
        from.advance(newline.map_or(from.len(), |newline| newline + 1));
        Ok(newline.map(|_| self.ended()))
    }

    fn decode_eof(&mut self, from: &mut BytesMut) -> io::Result<Option<Line>> {
        let line = self.decode(from)?;
        let is_open = !self.line.bytes.is_empty() || self.line.exceeded_limit.is_some();
        Ok(line.or_else(|| is_open.then(|| self.ended())))
    }
}

impl LineDecoder {
    /// Returns the current line as complete and starts the next one.
    fn ended(&mut self) -> Line {
        let mut line = std::mem::take(&mut self.line);
        if line.bytes.last() == Some(&b'\r') {
            line.bytes.pop();
        }
        line
    }
}

impl Line {
    /// Adds the next bytes. Once a limit is exceeded, only the envelope gets them.
    fn push(&mut self, part: &[u8]) {
        self.envelope.scan(part);
        if self.exceeded_limit.is_some() {
            return;
        }
        let limit = if self.bytes.len() + part.len() > MAX_MESSAGE_BYTES {
            Size(MAX_MESSAGE_BYTES as u64).to_string()
        } else if self.envelope.values > MAX_MESSAGE_VALUES {
            format!("{MAX_MESSAGE_VALUES} values")
        } else {
            return self.bytes.extend_from_slice(part);
        };
        (self.bytes, self.exceeded_limit) = (Vec::new(), Some(limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt as _;
    use tokio_util::codec::FramedRead;

    #[tokio::test]
    async fn lines_over_a_limit_keep_their_id() {
        let long = " ".repeat(MAX_MESSAGE_BYTES);
        let values = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let (most, too_many) = (values(MAX_MESSAGE_VALUES), values(MAX_MESSAGE_VALUES + 1));
        let input = format!(
            "one\r\n\n{long}\n1{long}\n{{\"id\":1,\"method\":\"x\"{long}}}\n{most}\n{too_many}\nrest"
        );
        let mut lines = FramedRead::new(input.as_bytes(), LineDecoder::default());
        let mut seen = Vec::new();
        while let Some(Ok(line)) = lines.next().await {
            seen.push(match line.exceeded_limit {
                None => String::from_utf8(line.bytes).unwrap(),
                Some(limit) => format!("{limit}, id {:?}", line.envelope.certain_id::<u8>()),
            });
        }
        let over = "1MB, id Some(1)";
        let expected = ["one", "", &long, "1MB, id None", over, &most, "10000 values, id None", "rest"];
        assert!(seen == expected, "{:?}", seen.iter().map(String::len).collect::<Vec<_>>());
    }
}
