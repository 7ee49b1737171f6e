//! The lines of the input: one message each, none of them held beyond the limits.

#![expect(clippy::indexing_slicing, reason = "a newline is at a place in what was searched")]

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::envelope::Envelope;
use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_VALUES};
use cutline_core::text::Size;

/// Capacity that is kept from one line to the next: that of an ordinary message.
const KEPT_BYTES: usize = 64 * 1024;

/// A line that has come to its end.
#[derive(Debug)]
pub(super) struct Line {
    /// The bytes, without the line's end; none where the line is over a limit.
    pub(super) bytes: Vec<u8>,
    /// The members of its top level.
    pub(super) envelope: Envelope,
    /// The limit that the line is over, in words.
    pub(super) over: Option<String>,
}

/// Takes lines from a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    /// The line so far. Here and not in [`next`](Self::next), which may be dropped at any time.
    line: Line,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R) -> Self {
        Self { read: BufReader::new(read), line: Line::with_capacity(0) }
    }

    /// The next line; `None` at the end of the stream, which does not end a line.
    ///
    /// Dropped while it waits, it loses nothing: bytes are taken over as soon as they are there.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) => return None,
                Ok(available) => available,
                Err(error) => {
                    tracing::error!(%error, "reading the input failed");
                    return None;
                }
            };
            let newline = memchr::memchr(b'\n', available);
            let part = &available[..newline.unwrap_or(available.len())];
            self.line.take(part);
            let taken = part.len() + usize::from(newline.is_some());
            self.read.consume(taken);
            if newline.is_some() {
                let next = Line::with_capacity(self.line.bytes.capacity().min(KEPT_BYTES));
                let mut line = std::mem::replace(&mut self.line, next);
                if line.bytes.last() == Some(&b'\r') {
                    line.bytes.pop();
                }
                return Some(line);
            }
        }
    }
}

impl Line {
    fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), envelope: Envelope::default(), over: None }
    }

    fn take(&mut self, part: &[u8]) {
        self.envelope.take(part);
        if self.over.is_some() {
            return;
        }
        let over = if self.bytes.len() + part.len() > MAX_MESSAGE_BYTES {
            Size(MAX_MESSAGE_BYTES as u64).to_string()
        } else if self.envelope.values > MAX_MESSAGE_VALUES {
            format!("{MAX_MESSAGE_VALUES} values")
        } else {
            return self.bytes.extend_from_slice(part);
        };
        (self.bytes, self.over) = (Vec::new(), Some(over));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_over_a_limit_keep_their_id() {
        let long = " ".repeat(MAX_MESSAGE_BYTES);
        let values = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let (most, too_many) = (values(MAX_MESSAGE_VALUES), values(MAX_MESSAGE_VALUES + 1));
        let input = format!(
            "one\r\n\n{long}\n1{long}\n{{\"id\":1,\"method\":\"x\"{long}}}\n{most}\n{too_many}\nrest"
        );
        let mut lines = Lines::new(input.as_bytes());
        let mut seen = Vec::new();
        while let Some(line) = lines.next().await {
            seen.push(match line.over {
                None => String::from_utf8(line.bytes).unwrap(),
                Some(over) => format!("{over}, id {:?}", line.envelope.id::<u8>()),
            });
        }
        let over = "4MB, id Some(1)";
        let expected = ["one", "", &long, "4MB, id None", over, &most, "10000 values, id None"];
        assert!(seen == expected, "{:?}", seen.iter().map(String::len).collect::<Vec<_>>());
    }
}
