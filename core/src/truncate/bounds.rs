//! The limits of a text, and the measure of its lines, bytes and tokens.

use derive_more::{Add, Display, Mul};

use super::TruncatedBy;
use crate::text::{ESCAPE_BYTES, Size, TokenCounter, json_bytes};

/// The most of a text that may be kept. `lines` and `bytes` of a [`Collector`](super::Collector) are above 0.
///
/// ```
/// use cutline_core::truncate::{Bounds, BytesAs, Keep, truncate};
/// let bounds = Bounds { bytes_as: BytesAs::Json, ..Bounds::new(2000, 12) };
/// assert_eq!(truncate("\"a\",\"b\"\n\"c\"", bounds, Keep::Head).content, "\"a\",\"b\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lines at most.
    pub lines: u64,
    /// Bytes at most, with the newlines between lines and without a final one.
    pub bytes: u64,
    /// Whether bytes of the text or of its JSON are counted.
    pub bytes_as: BytesAs,
    /// Tokens at most, by the estimate of [`tokens`](crate::text::tokens); any number if `None`.
    pub tokens: Option<u64>,
}

/// Whether bytes of the text or of its JSON are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BytesAs {
    /// UTF-8.
    #[default]
    Text,
    /// A JSON string without its quotes ([`json_bytes`]), for clients that limit the JSON of a result. There are never fewer
    /// JSON bytes than bytes of the text, or UTF-16 units, which JavaScript counts.
    Json,
}

impl Bounds {
    /// Returns bounds of lines and bytes of UTF-8, with any number of tokens.
    pub const fn new(lines: u64, bytes: u64) -> Self {
        Self { lines, bytes, bytes_as: BytesAs::Text, tokens: None }
    }

    /// Returns the limit of the kind `by`.
    pub fn limit(&self, by: TruncatedBy) -> Limit {
        match (by, self.bytes_as) {
            (TruncatedBy::Lines, _) => Limit::Lines(self.lines),
            (TruncatedBy::Bytes, BytesAs::Text) => Limit::Bytes(self.bytes),
            (TruncatedBy::Bytes, BytesAs::Json) => Limit::Json(self.bytes),
            (TruncatedBy::Tokens, _) => Limit::Tokens(self.tokens.unwrap_or(u64::MAX)),
        }
    }

    /// Returns the words for the limit of bytes: `30KB`, `6.9KB as JSON`.
    pub fn bytes_words(&self) -> String {
        format!("{}{}", Size(self.bytes), if self.bytes_as == BytesAs::Json { " as JSON" } else { "" })
    }

    /// Returns the limit that `text` is over. A newline at its end counts, and begins a line.
    pub fn exceeded_by(&self, text: &str) -> Option<TruncatedBy> {
        let mut meter = Meter::new(*self);
        meter.push(text);
        meter.exceeded()
    }

    /// Returns the bytes of `text`, as they are counted.
    pub fn bytes_of(&self, text: &str) -> u64 {
        match self.bytes_as {
            BytesAs::Text => text.len() as u64,
            BytesAs::Json => json_bytes(text),
        }
    }

    /// Returns the bytes of UTF-8 that are within the limits of bytes and tokens whatever the text is.
    pub fn sure_bytes(&self) -> u64 {
        let bytes = match self.bytes_as {
            BytesAs::Text => self.bytes,
            BytesAs::Json => self.bytes / ESCAPE_BYTES,
        };
        self.tokens.map_or(bytes, |tokens| tokens.min(bytes))
    }

    /// Returns the same with `change` applied to each limit.
    pub(super) fn each(self, change: impl Fn(u64) -> u64) -> Self {
        Self { lines: change(self.lines), bytes: change(self.bytes), tokens: self.tokens.map(change), ..self }
    }

    /// Returns the lower one of each limit. Both count bytes in the same way.
    pub(super) fn min(self, other: Self) -> Self {
        Self {
            lines: self.lines.min(other.lines),
            bytes: self.bytes.min(other.bytes),
            tokens: self.tokens.min(other.tokens),
            ..self
        }
    }

    /// Returns what these limits allow.
    pub(super) fn amount(self) -> Amount {
        Amount { lines: self.lines, bytes: self.bytes, tokens: self.tokens.unwrap_or_default() }
    }

    /// Returns the limits that `used` leaves; 0 if it is over a limit.
    pub(super) fn without(self, used: Amount) -> Self {
        Self {
            lines: self.lines.saturating_sub(used.lines),
            bytes: self.bytes.saturating_sub(used.bytes),
            tokens: self.tokens.map(|tokens| tokens.saturating_sub(used.tokens)),
            ..self
        }
    }

    /// Returns the limits that `text`, with this number of lines, leaves; 0 if it is over a limit.
    #[must_use]
    pub fn after(self, text: &str, lines: u64) -> Self {
        self.without(Amount { lines, bytes: self.bytes_of(text), tokens: TokenCounter::of(text).count() })
    }
}

/// Lines, bytes as they are counted, and tokens.
#[derive(Debug, Clone, Copy, Default, Add, Mul)]
pub(super) struct Amount {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) tokens: u64,
}

impl Amount {
    /// Returns an upper bound of what a line takes with its newline.
    pub(super) fn of_line(line: &str, bounds: Bounds) -> Self {
        let mut tokens = TokenCounter::default();
        if bounds.tokens.is_some() {
            tokens.push(line);
            tokens.push("\n");
        }
        Self { lines: 1, bytes: bounds.bytes_of(line) + bounds.bytes_of("\n"), tokens: tokens.count() }
    }

    pub(super) fn is_within(self, bounds: Bounds) -> bool {
        let Self { lines, bytes, tokens } = self;
        lines <= bounds.lines && bytes <= bounds.bytes && bounds.tokens.is_none_or(|most| tokens <= most)
    }
}

/// Measures the lines, bytes and tokens of a text. Tokens without a limit are not measured.
///
/// ```
/// use cutline_core::truncate::{Bounds, BytesAs, Meter, TruncatedBy};
/// let mut meter = Meter::new(Bounds { bytes_as: BytesAs::Json, ..Bounds::new(2, 10) });
/// meter.push("a\tb\nc");
/// assert_eq!(meter.exceeded(), None);
/// meter.push("\u{1b}[m");
/// assert_eq!(meter.exceeded(), Some(TruncatedBy::Bytes));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Meter {
    bounds: Bounds,
    pub(super) newlines: u64,
    bytes: u64,
    tokens: TokenCounter,
}

impl Meter {
    /// Returns a measure of nothing, by the limits of `bounds`.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, newlines: 0, bytes: 0, tokens: TokenCounter::default() }
    }

    /// Takes the next piece.
    pub fn push(&mut self, text: &str) {
        self.take(text, TokenCounter::push);
    }

    /// Takes a line, or the last part of one, before or after the text so far.
    pub(super) fn add_line(&mut self, line: &str) {
        self.take(line, TokenCounter::add_line);
    }

    fn take(&mut self, text: &str, count: fn(&mut TokenCounter, &str)) {
        self.newlines += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        self.bytes += self.bounds.bytes_of(text);
        if self.bounds.tokens.is_some() {
            count(&mut self.tokens, text);
        }
    }

    /// Returns the limit that the text so far exceeds. A newline at its end begins a line.
    pub fn exceeded(&self) -> Option<TruncatedBy> {
        if self.newlines >= self.bounds.lines {
            return Some(TruncatedBy::Lines);
        }
        if self.bytes > self.bounds.bytes {
            return Some(TruncatedBy::Bytes);
        }
        self.bounds.tokens.filter(|max| self.tokens.count() > *max).map(|_| TruncatedBy::Tokens)
    }
}

/// A limit of a text, as notices show it before the word `limit`: `30KB`, `8000 token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Limit {
    /// This many lines.
    #[display("{_0}-line")]
    Lines(u64),
    /// This many bytes.
    #[display("{}", Size(*_0))]
    Bytes(u64),
    /// This many bytes of the text as a JSON string.
    #[display("{} JSON", Size(*_0))]
    Json(u64),
    /// This many tokens, about.
    #[display("{_0} token")]
    Tokens(u64),
}
