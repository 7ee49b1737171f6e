//! Compiles patterns.
//!
//! A pattern matches a line without its line ending. If the pattern contains `\r`, lines keep their `\r`, so that `\r$`
//! finds lines that end with `\r\n`.

#![expect(clippy::indexing_slicing, reason = "matches end inside their text")]

mod syntax;

use std::sync::Arc;

use grep_matcher::Matcher as _;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::literal::{Extractor, Literal};
use regex_syntax::hir::{Hir, Properties};
use syntax::{Parsed, positions};

use crate::limits::{GREP_MULTILINE_BYTES, GREP_MULTILINE_LARGE_BYTES, REGEX_BYTES, REGEX_POSITIONS};

/// Maximum number of possible match starts to search for separately.
const BEGINNINGS: usize = 16;
/// Maximum bytes of a search's lazy DFA cache, for each thread.
const DFA_CACHE_BYTES: usize = 4_000_000;
/// Maximum positions of a pattern for which a search across lines accepts large files.
const SMALL_POSITIONS: usize = 64;

/// The pattern arguments of a call.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The regular expression, or the literal text.
    pub pattern: &'a str,
    /// True for a literal text.
    pub literal: bool,
    /// True if case is ignored.
    pub ignore_case: bool,
    /// True if a match may span lines. `.` then matches a newline.
    pub multiline: bool,
}

/// The reason why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The pattern contains a newline, but its matches may not span lines.
    Newline,
    /// The pattern has too many positions, or its compiled form is too large.
    TooLarge,
    /// The pattern cannot be compiled. The text shows the pattern and the position of the error.
    Wrong(String),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Finds the pattern in text with lines that end with `\n`.
    pub(super) regex: RegexMatcher,
    /// True if a match can contain a newline, so that the search is across lines.
    pub(super) is_across_lines: bool,
    /// How `\r\n` in the searched text is handled.
    pub(super) line_ends: LineEnds,
    /// The literal alternatives of an alternation; otherwise empty.
    pub alternatives: Vec<String>,
    /// The word if the pattern is `\bWORD\b`.
    word: Option<Box<[u8]>>,
    /// Maximum bytes of a file for a search across lines.
    pub multiline_bytes: u64,
    hir: Arc<Hir>,
}

/// How the `\r` of a `\r\n` is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// It is removed before the search.
    Normalized,
    /// It is kept, because the pattern finds the same with and without it, and to remove it takes longer than the
    /// search.
    Irrelevant,
    /// It is kept and searched, because the pattern contains `\r`, other than to exclude it.
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
        let build = |across_lines: bool| {
            let mut builder = RegexMatcherBuilder::new();
            // `multi_line` means that `^` and `$` match at each line.
            builder.multi_line(true).size_limit(REGEX_BYTES).dfa_size_limit(DFA_CACHE_BYTES);
            builder.case_insensitive(source.ignore_case).dot_matches_new_line(source.multiline);
            builder.line_terminator((!across_lines).then_some(b'\n'));
            builder.build(&text).map_err(|error| refused(&error, source.pattern))
        };
        let mut regex = build(source.multiline)?;
        let is_across_lines = source.multiline && can_match(&regex, b'\n');
        if source.multiline && !is_across_lines {
            regex = build(false)?;
        }
        let look_set = hir.properties().look_set();
        // Neither `\r` nor `\n` is a word character, so a word boundary is at the same place with and without the `\r`.
        // Only an empty match of such an assertion can be between `\r` and `\n`.
        let looks_at_ends =
            look_set.contains_anchor() || !look_set.is_empty() && hir.properties().minimum_len() == Some(0);
        let line_ends = if syntax::names_return(&ast) {
            LineEnds::Searched
        } else if is_across_lines || looks_at_ends || can_match(&regex, b'\r') {
            LineEnds::Normalized
        } else {
            LineEnds::Irrelevant
        };
        Ok(Self {
            is_across_lines,
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

    /// Returns true if the text before `end` is certainly a match: the pattern is a word, and the text is this word
    /// between ASCII characters that are not word characters.
    pub(super) fn is_word_before(&self, text: &[u8], end: usize) -> bool {
        let Some(before) = self.word.as_ref().and_then(|word| text[..end].strip_suffix(&**word)) else {
            return false;
        };
        let ends = |byte: Option<&u8>| {
            byte.is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_')
        };
        ends(before.last()) && ends(text.get(end))
    }

    /// Returns a line without its line ending.
    pub(super) fn unended<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let Some(ended) = line.strip_suffix(b"\n") else { return line };
        // If line endings were normalized, a remaining `\r` is not part of one.
        match self.line_ends {
            LineEnds::Normalized => ended,
            LineEnds::Irrelevant | LineEnds::Searched => ended.strip_suffix(b"\r").unwrap_or(ended),
        }
    }

    /// Returns properties of the matches: assertions and possible lengths.
    pub(super) fn properties(&self) -> &Properties {
        self.hir.properties()
    }

    /// Returns false if certainly no match starts in `text`.
    pub(super) fn may_begin_in(&self, text: &[u8]) -> bool {
        let mut beginnings = Extractor::new();
        let beginnings = beginnings.limit_total(BEGINNINGS).extract(&self.hir);
        let is_in_text = |literal: &Literal| memchr::memmem::find(text, literal.as_bytes()).is_some();
        beginnings.literals().is_none_or(|literals| literals.iter().any(is_in_text))
    }
}

/// Returns true if a match can contain `byte`, or can treat it as a line ending.
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
