//! Compiles patterns.
//!
//! A pattern matches a line without its line ending. If the pattern contains `\r`, lines keep their `\r`, so that `\r$`
//! finds lines that end with `\r\n`.

use grep_matcher::Matcher as _;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Hir, HirKind};

use crate::limits::{GREP_LINE_BYTES, GREP_MULTILINE_BYTES, GREP_STEPS, REGEX_BYTES, REGEX_POSITIONS};

/// Maximum bytes of a search's lazy DFA cache, for each thread.
const DFA_CACHE_BYTES: usize = 4_000_000;

/// The pattern arguments of a call.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument")]
pub struct Source<'a> {
    /// The regular expression, or the literal text.
    pub pattern: &'a str,
    /// True for a literal text.
    pub literal: bool,
    /// True if case is ignored.
    pub ignore_case: bool,
    /// True if a match must be whole words.
    pub word: bool,
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
    /// The pattern cannot be compiled. The text shows the pattern and the error.
    Wrong(String),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Finds the pattern in a text.
    pub(super) regex: RegexMatcher,
    /// True if a match can contain a newline, so that the search is across lines.
    pub is_across_lines: bool,
    /// True if `\r\n` ends a line like `\n`. False if the pattern contains `\r`, which then belongs to the line.
    pub(super) crlf: bool,
    /// True if an alternative of the pattern is empty, so that it matches every line.
    pub has_empty_alternative: bool,
    /// Maximum bytes of a match, or `None` without a limit.
    pub(super) max_match_bytes: Option<usize>,
    /// Maximum bytes of a file for a search across lines.
    pub multiline_bytes: u64,
    /// Maximum bytes of a line with its context for other searches.
    pub(super) line_bytes: usize,
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(source: &Source<'_>) -> Result<Self, Refused> {
        let text =
            if source.literal { regex_syntax::escape(source.pattern) } else { source.pattern.to_owned() };
        let mut parser = regex_syntax::ParserBuilder::new();
        parser.utf8(false).multi_line(true).case_insensitive(source.ignore_case);
        parser.dot_matches_new_line(source.multiline);
        let parse =
            |text: &str| parser.build().parse(text).map_err(|error| Refused::Wrong(error.to_string()));
        let (text, hir) = match parse(&text) {
            Ok(hir) => (text, hir),
            Err(error) => {
                let text = with_literal_braces(&text);
                let hir = parse(&text).map_err(|_| error)?;
                (text, hir)
            }
        };
        // An alternation of literal texts counts as one.
        let is_list = hir.properties().is_alternation_literal() && !hir.properties().is_literal();
        let positions = if is_list { 1 } else { positions(&hir) };
        if positions > REGEX_POSITIONS {
            return Err(Refused::TooLarge);
        }
        // A literal text of so few positions takes one step for each byte.
        let most_bytes = GREP_STEPS / if hir.properties().is_literal() { 1 } else { positions.max(1) };
        let crlf = !names_return(source);
        let build = |across_lines: bool| {
            let mut builder = RegexMatcherBuilder::new();
            // `multi_line` means that `^` and `$` match at each line.
            builder.multi_line(true).size_limit(REGEX_BYTES).dfa_size_limit(DFA_CACHE_BYTES);
            builder.case_insensitive(source.ignore_case).dot_matches_new_line(source.multiline);
            builder.word(source.word);
            if crlf && !across_lines {
                builder.crlf(true);
            } else {
                builder.line_terminator((!across_lines).then_some(b'\n'));
            }
            builder.build(&text).map_err(|error| refused(&error, source.pattern))
        };
        let mut regex = build(source.multiline)?;
        let can_match_newline = regex.non_matching_bytes().is_none_or(|bytes| !bytes.contains(b'\n'));
        let is_across_lines = source.multiline && can_match_newline;
        if source.multiline && !is_across_lines {
            regex = build(false)?;
        }
        Ok(Self {
            regex,
            is_across_lines,
            crlf,
            has_empty_alternative: has_empty_alternative(&hir),
            max_match_bytes: hir.properties().maximum_len(),
            multiline_bytes: GREP_MULTILINE_BYTES.min(most_bytes as u64),
            line_bytes: GREP_LINE_BYTES.min(most_bytes),
        })
    }

    /// Returns true if the pattern matches in a text.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text).is_ok_and(|is_match| is_match)
    }

    /// Returns true if each `\r\n` of a text is replaced by `\n` before the search.
    pub(super) fn replaces_crlf(&self) -> bool {
        self.crlf && self.is_across_lines
    }

    /// Returns a line of the searched text without its line ending.
    pub(super) fn unended<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        match line.strip_suffix(b"\n") {
            None => line,
            // Another `\r` belongs to the line.
            Some(ended) if self.replaces_crlf() => ended,
            Some(ended) => ended.strip_suffix(b"\r").unwrap_or(ended),
        }
    }
}

/// Returns a pattern in which each `{` that begins no repetition is text, as in other programs: `fn \w+\(\) {`.
fn with_literal_braces(pattern: &str) -> String {
    let mut all = String::new();
    let mut chars = pattern.char_indices();
    // After `\p` and others, a name or a number follows.
    let mut is_name = false;
    while let Some((at, char)) = chars.next() {
        let starts_repetition = || {
            let times = pattern.get(at + 1..).unwrap_or_default();
            let after = times.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
            times.starts_with(|c: char| c.is_ascii_digit()) && after.starts_with('}')
        };
        if char == '{' && !is_name && !starts_repetition() {
            all.push('\\');
        }
        all.push(char);
        is_name = false;
        if char == '\\'
            && let Some((_, escaped)) = chars.next()
        {
            all.push(escaped);
            is_name = "pPxuUb".contains(escaped);
        }
    }
    all
}

fn refused(error: &grep_regex::Error, pattern: &str) -> Refused {
    match error.kind() {
        ErrorKind::NotAllowed(_) => Refused::Newline,
        ErrorKind::Regex(message) if message.contains("size limit") => Refused::TooLarge,
        _ => Refused::Wrong(format!("{pattern}\n{error}")),
    }
}

/// Returns true if a pattern contains a carriage return, or as `\r` or `\x0d` outside of negated classes.
fn names_return(source: &Source<'_>) -> bool {
    // An escaped backslash does not escape what follows.
    let escapes = source.pattern.replace("\\\\", "").to_lowercase();
    let mut parts = escapes.split("[^");
    let first = parts.next().unwrap_or_default();
    let after_classes = parts.map(|part| part.split_once(']').map_or("", |(_, after)| after));
    let has_escape = |part: &str| !source.literal && ["\\r", "\\x0d"].iter().any(|name| part.contains(name));
    source.pattern.contains('\r') || std::iter::once(first).chain(after_classes).any(has_escape)
}

/// Returns true if a pattern is an alternation with an empty alternative.
fn has_empty_alternative(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Alternation(parts) => parts.iter().any(|part| matches!(part.kind(), HirKind::Empty)),
        HirKind::Capture(group) => has_empty_alternative(&group.sub),
        _ => false,
    }
}

/// Returns the number of positions of a pattern after expanding all repetitions. Each byte of a literal counts, and each
/// group and repetition itself, because nested ones have states of their own.
fn positions(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(positions).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(group) => positions(&group.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            positions(&repetition.sub).saturating_mul(times).saturating_add(1)
        }
    }
}
