//! Compiling what is searched for.

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{Extractor, Literal};

use crate::limits::REGEX_BYTES;

/// Beginnings of a match that are looked for one by one.
const BEGINNINGS: usize = 16;
/// Bytes of the tables that a search builds as it goes, for each thread.
const TABLE_BYTES: usize = 4_000_000;

/// A pattern as it was given.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The regular expression, or the text.
    pub pattern: &'a str,
    /// How it is to be read.
    pub syntax: Syntax,
    /// Whether case counts.
    pub case: Case,
    /// Whether a match may span lines.
    pub reach: Reach,
}

/// How a pattern is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// As a regular expression.
    Regex,
    /// As the text itself.
    Literal,
}

/// Whether case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does.
    Counts,
    /// It does not.
    Ignored,
}

/// How far a match may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Within a line.
    Line,
    /// Across lines.
    Lines,
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Whether matches can span lines.
    pub(super) spans: bool,
    /// Bytes of the longest match there can be, where there is a bound.
    pub(super) max_len: Option<usize>,
    /// Whether it looks at what is beside a match: `^`, `$`, `\b`.
    pub(super) looks: bool,
    /// What every match begins with, one or the other; none where that is not known.
    beginnings: Vec<Vec<u8>>,
}

impl Pattern {
    /// Compiles a pattern; the error shows it and where it is wrong.
    pub fn new(source: &Source<'_>) -> Result<Self, String> {
        let text = match source.syntax {
            Syntax::Regex => source.pattern.to_owned(),
            Syntax::Literal => regex_syntax::escape(source.pattern),
        };
        let hir = parse(&text, source.case)?;
        let mut spans = source.reach == Reach::Lines;
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).size_limit(REGEX_BYTES).dfa_size_limit(TABLE_BYTES);
        builder.case_insensitive(source.case == Case::Ignored);
        let mut matcher = None;
        if spans {
            // `$` before `\r\n` here too, yet no byte that a match may not hold.
            let built =
                builder.crlf(true).line_terminator(None).build(&text).map_err(|error| error.to_string())?;
            spans = built.non_matching_bytes().is_none_or(|bytes| !bytes.contains(b'\n'));
            matcher = spans.then_some(built);
        }
        let matcher = match matcher {
            Some(matcher) => matcher,
            None => builder.crlf(true).build(&text).map_err(|error| worded(&error, source.pattern))?,
        };
        let properties = hir.properties();
        Ok(Self {
            matcher,
            spans,
            max_len: properties.maximum_len(),
            looks: !properties.look_set().is_empty(),
            beginnings: beginnings(&hir),
        })
    }

    /// Whether a match can begin anywhere in `text`, as far as can be told without searching.
    pub(super) fn may_begin_in(&self, text: &[u8]) -> bool {
        let mut beginnings = self.beginnings.iter();
        self.beginnings.is_empty() || beginnings.any(|bytes| memchr::memmem::find(text, bytes).is_some())
    }
}

fn beginnings(hir: &Hir) -> Vec<Vec<u8>> {
    let found = Extractor::new().extract(hir);
    let literals = found.literals().unwrap_or_default();
    if literals.len() > BEGINNINGS || literals.iter().any(Literal::is_empty) {
        return Vec::new();
    }
    literals.iter().map(|literal| literal.as_bytes().to_vec()).collect()
}

fn parse(text: &str, case: Case) -> Result<Hir, String> {
    let mut parser = ParserBuilder::new();
    parser.utf8(false).multi_line(true).crlf(true).case_insensitive(case == Case::Ignored);
    parser.build().parse(text).map_err(|error| error.to_string())
}

fn worded(error: &grep_regex::Error, pattern: &str) -> String {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => {
            format!("{pattern}\n\\n can't match within a line. Use multiline=true to match across lines")
        }
        grep_regex::ErrorKind::Regex(message) if message.contains("size limit") => {
            format!("{pattern}\nit is too large to compile")
        }
        _ => format!("{pattern}\n{error}"),
    }
}
