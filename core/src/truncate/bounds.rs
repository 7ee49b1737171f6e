//! The limits of a text, and a measure of its tokens and JSON bytes.

use derive_more::Display;

use super::TruncatedBy;
use crate::text::{ESCAPE_BYTES, Size, TokenCounter, json_bytes};

/// The most of a text that may be kept; lines and bytes above 0.
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

    /// Returns the same with at most this many tokens, if any.
    #[must_use]
    pub const fn with_tokens(self, tokens: Option<u64>) -> Self {
        Self { tokens, ..self }
    }

    /// Returns the same with bytes that are counted so.
    ///
    /// ```
    /// use cutline_core::truncate::{Bounds, BytesAs, Keep, truncate};
    /// let bounds = Bounds::new(2000, 12).counted_as(BytesAs::Json);
    /// assert_eq!(truncate("\"a\",\"b\"\n\"c\"", bounds, Keep::Head).content, "\"a\",\"b\"");
    /// ```
    #[must_use]
    pub const fn counted_as(self, bytes_as: BytesAs) -> Self {
        Self { bytes_as, ..self }
    }

    /// Returns the limit that `by` says.
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

    /// Returns the limit of bytes or tokens that `text` is over, which has no final newline that does not count.
    pub fn exceeded_by(&self, text: &str) -> Option<TruncatedBy> {
        let mut meter = Meter::new(*self);
        meter.push(text);
        if text.len() as u64 > self.bytes { Some(TruncatedBy::Bytes) } else { meter.exceeded() }
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

    /// Returns the limits of bytes and tokens that `text` leaves.
    pub(super) fn less(&self, text: &str) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(self.bytes_of(text)),
            tokens: self.tokens.map(|tokens| tokens.saturating_sub(TokenCounter::of(text).count())),
            ..*self
        }
    }
}

/// Measures the tokens and JSON bytes of a text. Does nothing if they have no limit.
///
/// ```
/// use cutline_core::truncate::{Bounds, BytesAs, Meter, TruncatedBy};
/// let mut meter = Meter::new(Bounds::new(2000, 10).counted_as(BytesAs::Json));
/// meter.push("a\tb\n");
/// assert_eq!(meter.exceeded(), None);
/// meter.push("\u{1b}[m");
/// assert_eq!(meter.exceeded(), Some(TruncatedBy::Bytes));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Meter {
    bounds: Bounds,
    tokens: TokenCounter,
    json_bytes: u64,
}

impl Meter {
    /// Returns a measure of nothing, by the limits of `bounds`.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, tokens: TokenCounter::default(), json_bytes: 0 }
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
        if self.bounds.tokens.is_some() {
            count(&mut self.tokens, text);
        }
        if self.bounds.bytes_as == BytesAs::Json {
            self.json_bytes += json_bytes(text);
        }
    }

    /// Returns the limit that the text so far exceeds.
    pub fn exceeded(&self) -> Option<TruncatedBy> {
        if self.json_bytes > self.bounds.bytes {
            return Some(TruncatedBy::Bytes);
        }
        self.bounds.tokens.filter(|max| self.tokens.count() > *max).map(|_| TruncatedBy::Tokens)
    }
}

/// A limit of a text, as notices show it before the word `limit`: `30KB`, `8000 token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Limit {
    /// This many lines.
    #[display("{_0} {}", if *_0 == 1 { "line" } else { "lines" })]
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
