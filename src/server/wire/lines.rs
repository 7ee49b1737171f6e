//! The lines of the input: one message each, none of them held beyond the limit.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::envelope::Envelope;

/// Capacity that is kept from one line to the next.
const KEPT_BYTES: usize = 64 * 1024;

/// A line that has come to its end.
#[derive(Debug)]
pub(super) enum Line {
    /// All its bytes, without its end.
    Whole(Vec<u8>),
    /// What was seen of one that is over the limit; its bytes are gone.
    Oversized(Envelope),
}

/// Takes lines from a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    max_bytes: usize,
    /// The line so far. Here and not in [`next`](Self::next), which may be dropped at any time.
    line: Vec<u8>,
    /// What was seen of the line so far, where it is over the limit.
    oversized: Option<Envelope>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R, max_bytes: usize) -> Self {
        Self { read: BufReader::new(read), max_bytes, line: Vec::new(), oversized: None }
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
            let part = newline.and_then(|at| available.get(..at)).unwrap_or(available);
            if let Some(envelope) = &mut self.oversized {
                envelope.take(part);
            } else if self.line.len() + part.len() > self.max_bytes {
                let mut envelope = Envelope::default();
                envelope.take(&std::mem::take(&mut self.line));
                envelope.take(part);
                self.oversized = Some(envelope);
            } else {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(newline.is_some());
            self.read.consume(taken);
            if newline.is_some() {
                return Some(self.ended());
            }
        }
    }

    fn ended(&mut self) -> Line {
        if let Some(envelope) = self.oversized.take() {
            return Line::Oversized(envelope);
        }
        let next = Vec::with_capacity(self.line.capacity().min(KEPT_BYTES));
        let mut line = std::mem::replace(&mut self.line, next);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Line::Whole(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_of_any_length() {
        let input: &[u8] = b"one\r\n\n12345678\n123456789\n{\"id\":1,\"method\":\"x\"}\nrest";
        let mut lines = Lines::new(input, 8);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().await {
            seen.push(match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::Oversized(envelope) => format!("over, id {:?}", envelope.id()),
            });
        }
        assert_eq!(seen, ["one", "", "12345678", "over, id None", "over, id Some(Number(1))"]);
    }
}
