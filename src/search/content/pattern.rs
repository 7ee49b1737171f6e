//! Compiles patterns.
//!
//! A pattern matches a line without its line ending. If the pattern contains `\r`, lines keep their `\r`, so that `\r$` finds
//! lines that end with `\r\n`.

#![expect(clippy::indexing_slicing, reason = "matches end within their text")]

mod syntax;

use std::sync::Arc;

use grep_matcher::Matcher as _;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::literal::{Extractor, Literal};
use regex_syntax::hir::{Hir, Properties};
use syntax::{Parsed, positions};

use crate::limits::{GREP_MULTILINE_BYTES, GREP_MULTILINE_LARGE_BYTES, REGEX_BYTES, REGEX_POSITIONS};

/// Beginnings of a match that are looked for one by one.
const BEGINNINGS: usize = 16;
/// Bytes of the tables that a search builds lazily, for each thread.
const TABLE_BYTES: usize = 4_000_000;
/// Positions of a pattern up to which a search across lines takes large files.
const SMALL_POSITIONS: usize = 64;

/// A pattern of a call.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The regular expression, or the text.
    pub pattern: &'a str,
    /// True if it is the text itself.
    pub literal: bool,
    /// True if upper and lower case are the same.
    pub ignore_case: bool,
    /// True if a match may span lines; `.` matches a newline then.
    pub multiline: bool,
}

/// Why a pattern can't be searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It has a newline, and its matches may not span lines.
    Newline,
    /// It has more positions, or more bytes when compiled, than a pattern may have.
    TooLarge,
    /// It cannot be compiled. The text shows the pattern and the position of the error.
    Wrong(String),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Finds the pattern in text with lines that end with `\n`.
    pub(super) regex: RegexMatcher,
    /// True if a match can hold a newline.
    pub(super) spans_lines: bool,
    /// The treatment of `\r\n` in the text searched.
    pub(super) line_ends: LineEnds,
    /// The words of the pattern if it is an alternation of words; otherwise empty.
    pub alternatives: Vec<String>,
    /// The word, if the pattern is `\bWORD\b`.
    word: Option<Box<[u8]>>,
    /// Bytes of a file that a search across lines takes.
    pub multiline_bytes: u64,
    hir: Arc<Hir>,
}

/// The treatment of the `\r` of a `\r\n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// It is removed before the text is searched.
    Normalized,
    /// It is left: the pattern neither tells it from the line's end nor takes it in, and finds the same either way.
    Irrelevant,
    /// It is left and searched: the pattern names `\r`, other than to leave it out.
    Searched,
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(source: &Source<'_>) -> Result<Self, Refused> {
        let Parsed { text, ast, hir } = syntax::parse(source).map_err(Refused::Wrong)?;
        let positions = positions(&hir);
        if positions > REGEX_POSITIONS {
            return Err(Refused::TooLarge);
        }
        let build = |multiline: bool| {
            let mut builder = RegexMatcherBuilder::new();
            builder.multi_line(true).size_limit(REGEX_BYTES).dfa_size_limit(TABLE_BYTES);
            builder.case_insensitive(source.ignore_case).dot_matches_new_line(source.multiline);
            builder.line_terminator((!multiline).then_some(b'\n'));
            builder.build(&text).map_err(|error| refused(&error, source.pattern))
        };
        let mut regex = build(source.multiline)?;
        let spans_lines = source.multiline && can_match(&regex, b'\n');
        if source.multiline && !spans_lines {
            regex = build(false)?;
        }
        let look_set = hir.properties().look_set();
        // A `\r` is as little of a word as the line's end is; only an empty match can be beyond it.
        let looks_at_ends =
            look_set.contains_anchor() || !look_set.is_empty() && hir.properties().minimum_len() == Some(0);
        let line_ends = if syntax::names_return(&ast) {
            LineEnds::Searched
        } else if spans_lines || looks_at_ends || can_match(&regex, b'\r') {
            LineEnds::Normalized
        } else {
            LineEnds::Irrelevant
        };
        Ok(Self {
            spans_lines,
            line_ends,
            alternatives: syntax::alternatives(&ast),
            word: syntax::whole_word(&hir),
            multiline_bytes: if positions <= SMALL_POSITIONS {
                GREP_MULTILINE_BYTES
            } else {
                GREP_MULTILINE_LARGE_BYTES
            },
            regex,
            hir: Arc::new(hir),
        })
    }

    /// Returns true if the text before `end` is certainly a match: the pattern is a word, and the word is there with ASCII on
    /// both sides.
    pub(super) fn is_word_before(&self, text: &[u8], end: usize) -> bool {
        let Some(before) = self.word.as_ref().and_then(|word| text[..end].strip_suffix(&**word)) else {
            return false;
        };
        let ends = |byte: Option<&u8>| {
            byte.is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_')
        };
        ends(before.last()) && ends(text.get(end))
    }

    /// Returns a line without what ends it.
    pub(super) fn unended<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let Some(ended) = line.strip_suffix(b"\n") else { return line };
        // Where line ends were made alike, a `\r` that is left ends nothing.
        match self.line_ends {
            LineEnds::Normalized => ended,
            LineEnds::Irrelevant | LineEnds::Searched => ended.strip_suffix(b"\r").unwrap_or(ended),
        }
    }

    /// Returns the properties of matches: assertions and possible lengths.
    pub(super) fn properties(&self) -> &Properties {
        self.hir.properties()
    }

    /// Returns false if certainly no match begins in `text`.
    pub(super) fn may_begin_in(&self, text: &[u8]) -> bool {
        let mut beginnings = Extractor::new();
        let beginnings = beginnings.limit_total(BEGINNINGS).extract(&self.hir);
        let is_in_text = |literal: &Literal| memchr::memmem::find(text, literal.as_bytes()).is_some();
        beginnings.literals().is_none_or(|literals| literals.iter().any(is_in_text))
    }
}

/// True if a match can hold `byte`, or look at it as the end of a line.
fn can_match(regex: &RegexMatcher, byte: u8) -> bool {
    regex.non_matching_bytes().is_none_or(|bytes| !bytes.contains(byte))
}

fn refused(error: &grep_regex::Error, pattern: &str) -> Refused {
    match error.kind() {
        ErrorKind::NotAllowed(_) => Refused::Newline,
        ErrorKind::Regex(message) if message.contains("size limit") => Refused::TooLarge,
        _ => Refused::Wrong(format!("{pattern}\n{error}")),
    }
}
