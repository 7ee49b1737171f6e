//! Messages, one to a line, as bytes. None is held beyond the limit.

use std::io::{self, BufRead as _, BufReader, Cursor, Read};

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::message::{Member, Object};

/// Bytes of one read.
const BLOCK_BYTES: usize = 64 * 1024;

/// The next thing on a stream.
#[derive(Debug)]
pub(super) enum Next {
    /// A line; [`Lines::line`] has its bytes.
    Line,
    /// A line over the limit, of which only this is known.
    Oversized(Skimmed),
    /// The end of the stream.
    End,
}

/// The members at the top level of a message that was too long to be held.
#[derive(Debug, Default)]
pub(super) struct Skimmed {
    pub(super) id: Option<Box<RawValue>>,
    pub(super) method: Option<String>,
}

/// Takes lines from a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    max_bytes: usize,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// The lines of `read`, of `max_bytes` at most each.
    pub(super) fn new(read: R, max_bytes: usize) -> Self {
        Self { read: BufReader::with_capacity(BLOCK_BYTES, read), max_bytes, line: Vec::new() }
    }

    /// The bytes of the line that came last, with its end. A last line may have none.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self) -> io::Result<Next> {
        self.line.clear();
        self.line.shrink_to(BLOCK_BYTES);
        let most = self.max_bytes.saturating_add(1) as u64;
        (&mut self.read).take(most).read_until(b'\n', &mut self.line)?;
        if self.line.is_empty() {
            return Ok(Next::End);
        }
        if self.line.len() <= self.max_bytes || self.line.ends_with(b"\n") {
            return Ok(Next::Line);
        }
        let start = std::mem::take(&mut self.line);
        let mut rest = Rest { read: &mut self.read, is_over: false };
        let all = BufReader::with_capacity(BLOCK_BYTES, Cursor::new(start).chain(&mut rest));
        let object: Option<Object<Skim>> = serde_json::from_reader(all).ok();
        // What can't be read as one object has no id to answer to.
        io::copy(&mut rest, &mut io::sink())?;
        let mut skimmed = Skimmed::default();
        for (_, member) in object.into_iter().flat_map(|object| object.0) {
            match member {
                Skim::Id(id) => skimmed.id = Some(id),
                Skim::Method(method) => skimmed.method = Some(method),
                Skim::Other => {}
            }
        }
        Ok(Next::Oversized(skimmed))
    }
}

/// The rest of a line.
struct Rest<'a, R> {
    read: &'a mut BufReader<R>,
    is_over: bool,
}

impl<R: Read> Read for Rest<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        let available = self.read.fill_buf()?;
        let newline = memchr::memchr(b'\n', available);
        let line = available.split_at(newline.unwrap_or(available.len())).0;
        let taken = line.len().min(buffer.len());
        let (to, from) = (buffer.split_at_mut(taken).0, line.split_at(taken).0);
        to.copy_from_slice(from);
        self.is_over = available.is_empty() || (newline.is_some() && taken == line.len());
        let newline = usize::from(self.is_over && newline.is_some());
        self.read.consume(taken + newline);
        Ok(taken)
    }
}

enum Skim {
    Id(Box<RawValue>),
    Method(String),
    Other,
}

impl<'de> Member<'de> for Skim {
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error> {
        match name {
            "id" => Box::deserialize(value).map(Self::Id),
            "method" => String::deserialize(value).map(Self::Method),
            _ => IgnoredAny::deserialize(value).map(|_| Self::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_what_is_too_long() {
        let long = "x".repeat(200_000);
        let oversized = format!("{{\"method\":\"m\",\"params\":[\"{long}\\\"\"],\"id\":7}}\n");
        let input = format!("{{}}\r\n\n{oversized}[\"{long}\"]\nlast");
        let mut lines = Lines::new(input.as_bytes(), 100);
        let mut seen = Vec::new();
        loop {
            seen.push(match lines.next().unwrap() {
                Next::Line => String::from_utf8(lines.line().to_vec()).unwrap(),
                Next::Oversized(Skimmed { id, method }) => {
                    format!("{:?} {method:?}", id.map(|id| id.to_string()))
                }
                Next::End => break,
            });
        }
        assert_eq!(seen, ["{}\r\n", "\n", "Some(\"7\") Some(\"m\")", "None None", "last"]);
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_held() {
        for (len, held) in [(99, true), (100, true), (101, false)] {
            let input = format!("{}\n", "x".repeat(len));
            let mut lines = Lines::new(input.as_bytes(), 100);
            assert_eq!(matches!(lines.next().unwrap(), Next::Line), held, "{len}");
            assert!(matches!(lines.next().unwrap(), Next::End));
        }
    }
}
