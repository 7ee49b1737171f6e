//! Compiling what is searched for.
//!
//! A pattern is of a line without what ends it. One that names `\r` is of lines that keep it, so that `\r$` finds
//! those that end in `\r\n`.

#![expect(clippy::indexing_slicing, reason = "matches end within their text")]

use std::sync::{Arc, OnceLock};

use grep_matcher::Matcher as _;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::literal::{Extractor, Literal};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::automata::{Automata, TABLE_BYTES};
use crate::limits::{REGEX_BYTES, REGEX_POSITIONS};

/// Beginnings of a match that are looked for one by one.
const BEGINNINGS: usize = 16;
/// Notice in the error for a pattern that takes more than a text is worth.
pub const TOO_COSTLY: &str = "[Pattern is too costly]";
/// Positions of a pattern that has a permit to run beside all others: each may be a step for each byte.
const CHEAP_POSITIONS: usize = 64;

/// A pattern as it was given.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The regular expression, or the text.
    pub pattern: &'a str,
    /// The syntax of its text.
    pub syntax: Syntax,
    /// The treatment of upper and lower case.
    pub case: Case,
    /// The lines that a match may span: one, or several.
    pub reach: LineMode,
}

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// As a regular expression.
    Regex,
    /// As the text itself.
    Literal,
}

/// The treatment of upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does.
    Counts,
    /// It does not.
    Ignored,
}

/// The lines that a match may span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineMode {
    /// Within a line.
    Line,
    /// Across lines.
    Lines,
}

/// Why a pattern can't be searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It has a newline, and its matches may not span lines.
    Newline,
    /// It would take more than a text is worth.
    TooCostly,
    /// It can't be compiled; the text shows it and where it is wrong.
    Wrong(String),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Finds it, in text whose lines end with `\n`.
    pub(super) regex: RegexMatcher,
    /// True if a match can hold a newline.
    pub(super) spans_lines: bool,
    /// The treatment of `\r\n` in the text searched.
    pub(super) line_ends: LineEnds,
    /// Bytes of the longest match there can be, where there is a bound.
    pub(super) max_len: Option<usize>,
    /// Bytes of each match, where all have as many.
    pub(super) fixed_len: Option<usize>,
    /// True if it looks at what is beside a match: `^`, `$`, `\b`.
    pub(super) looks: bool,
    /// True if it looks at words: `\b`, `\B`.
    pub(super) looks_at_words: bool,
    /// Literals of which every match begins with one; empty where none are known.
    beginnings: Vec<Vec<u8>>,
    /// The word that it is, where it is one: `\bWORD\b`.
    word: Option<Box<[u8]>>,
    /// Places in the pattern, with each repetition written out: at worst each is looked at for each byte.
    pub(super) positions: usize,
    hir: Arc<Hir>,
    automata: Arc<OnceLock<Option<Automata>>>,
}

/// The treatment of the `\r` of a `\r\n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// It is taken out before the text is searched.
    Normalized,
    /// It is left: the pattern neither tells it from the line's end nor takes it in, and finds the same either way.
    Irrelevant,
    /// It is left and searched: the pattern names `\r`, other than to leave it out.
    Searched,
}

impl Pattern {
    /// Compiles a pattern.
    pub fn new(source: &Source<'_>) -> Result<Self, Refused> {
        let text = match source.syntax {
            Syntax::Regex => source.pattern.to_owned(),
            Syntax::Literal => regex_syntax::escape(source.pattern),
        };
        let hir = parse(&text, source.case).map_err(Refused::Wrong)?;
        let positions = positions(&hir);
        if positions > REGEX_POSITIONS {
            return Err(Refused::TooCostly);
        }
        let text = closed(text);
        let build = |reach: LineMode| {
            let mut builder = RegexMatcherBuilder::new();
            builder.multi_line(true).size_limit(REGEX_BYTES).dfa_size_limit(TABLE_BYTES);
            builder.case_insensitive(source.case == Case::Ignored);
            builder.line_terminator((reach == LineMode::Line).then_some(b'\n'));
            builder.build(&text).map_err(|error| refused(&error, source.pattern))
        };
        let across = match source.reach {
            LineMode::Lines => Some(build(LineMode::Lines)?).filter(|regex| can_match(regex, b'\n')),
            LineMode::Line => None,
        };
        let spans_lines = across.is_some();
        let regex = across.map_or_else(|| build(LineMode::Line), Ok)?;
        let look_set = hir.properties().look_set();
        let looks = !look_set.is_empty();
        // A `\r` is as little of a word as the line's end is; only an empty match can be beyond it.
        let looks_at_ends = look_set.contains_anchor() || looks && hir.properties().minimum_len() == Some(0);
        let line_ends = if names_return(&text) {
            LineEnds::Searched
        } else if spans_lines || looks_at_ends || can_match(&regex, b'\r') {
            LineEnds::Normalized
        } else {
            LineEnds::Irrelevant
        };
        Ok(Self {
            spans_lines,
            line_ends,
            max_len: hir.properties().maximum_len(),
            fixed_len: hir
                .properties()
                .minimum_len()
                .filter(|len| hir.properties().maximum_len() == Some(*len)),
            looks,
            looks_at_words: look_set.contains_word_unicode(),
            beginnings: beginnings(&hir),
            word: whole_word(&hir),
            positions,
            regex,
            hir: Arc::new(hir),
            automata: Arc::default(),
        })
    }

    /// The automata of the pattern, made when they are first asked for; none where they are too large.
    pub(super) fn automata(&self) -> Option<&Automata> {
        self.automata.get_or_init(|| Automata::new(&self.hir)).as_ref()
    }

    /// True if what ends at `end` in `text` is a match, as far as can be told without searching: the pattern is a word,
    /// and it stands there with ASCII on both sides.
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

    /// True if a match can begin anywhere in `text`, as far as can be told without searching.
    pub(super) fn may_begin_in(&self, text: &[u8]) -> bool {
        let mut beginnings = self.beginnings.iter();
        self.beginnings.is_empty() || beginnings.any(|bytes| memchr::memmem::find(text, bytes).is_some())
    }
}

/// Returns the words of a pattern that is an alternation of such, in brackets or with `\b` or not; else none.
pub fn alternatives(source: &Source<'_>) -> Vec<String> {
    let parsed = ast::parse::Parser::new().parse(source.pattern);
    match (source.syntax, parsed) {
        (Syntax::Regex, Ok(ast)) => alternatives_of(&ast),
        _ => Vec::new(),
    }
}

fn alternatives_of(ast: &Ast) -> Vec<String> {
    match ast {
        Ast::Group(group) => alternatives_of(&group.ast),
        Ast::Alternation(alternation) => alternation.asts.iter().filter_map(text_of).collect(),
        Ast::Concat(concat) => {
            let mut parts = concat.asts.iter().filter(|part| !matches!(part, Ast::Assertion(_)));
            match (parts.next(), parts.next()) {
                (Some(only), None) => alternatives_of(only),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The text of a part of a pattern that is nothing else.
fn text_of(ast: &Ast) -> Option<String> {
    match ast {
        Ast::Literal(literal) => Some(literal.c.to_string()),
        Ast::Group(group) => text_of(&group.ast),
        Ast::Assertion(_) => Some(String::new()),
        Ast::Concat(concat) => concat.asts.iter().map(text_of).collect(),
        _ => None,
    }
    .filter(|text: &String| !text.is_empty() || matches!(ast, Ast::Assertion(_)))
}

/// True if a search for a pattern may take so long that it is not to hold up others.
pub fn is_costly(source: &Source<'_>) -> bool {
    let is_literal = source.syntax == Syntax::Literal && source.case == Case::Counts;
    source.reach == LineMode::Lines
        || !is_literal
            && parse(source.pattern, source.case).is_ok_and(|hir| positions(&hir) > CHEAP_POSITIONS)
}

/// The places in a pattern, with each repetition written out. A text is looked for in one step.
fn positions(hir: &Hir) -> usize {
    if hir.properties().is_alternation_literal() { 1 } else { places(hir) }
}

fn places(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(places).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(group) => places(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            places(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    }
}

/// True if a match can hold `byte`, or look at it as the end of a line.
fn can_match(regex: &RegexMatcher, byte: u8) -> bool {
    regex.non_matching_bytes().is_none_or(|bytes| !bytes.contains(byte))
}

fn whole_word(hir: &Hir) -> Option<Box<[u8]>> {
    let HirKind::Concat(parts) = hir.kind() else { return None };
    let [start, word, end] = &parts[..] else { return None };
    let is_boundary = |part: &Hir| matches!(part.kind(), HirKind::Look(Look::WordUnicode | Look::WordAscii));
    let HirKind::Literal(word) = word.kind() else { return None };
    let is_word_byte =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_word = is_word_byte(word.0.first()) && is_word_byte(word.0.last());
    (is_boundary(start) && is_boundary(end) && is_word).then(|| word.0.clone())
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
    parser.utf8(false).multi_line(true).case_insensitive(case == Case::Ignored);
    parser.build().parse(text).map_err(|error| error.to_string())
}

/// A pattern that can be put in a group, as the matcher does: in a comment at its end, which `(?x)`
/// allows, the group's own bracket would be a part of the comment.
fn closed(mut text: String) -> String {
    let parsed = ast::parse::Parser::new().parse_with_comments(&text);
    let last = parsed.ok().and_then(|parsed| parsed.comments.last().map(|comment| comment.span.end.offset));
    if last == Some(text.len()) {
        text.push('\n');
    }
    text
}

/// True if a pattern names the carriage return, other than to leave it out.
fn names_return(text: &str) -> bool {
    let Ok(ast) = ast::parse::Parser::new().parse(text) else { return false };
    ast::visit(&ast, Returns::default()).unwrap_or(false)
}

/// Looks for `\r` in a pattern.
#[derive(Default)]
struct Returns {
    named: bool,
    /// Negated classes around what is being visited.
    negations: usize,
}

impl Returns {
    fn literal(&mut self, literal: &ast::Literal) {
        self.named |= self.negations == 0 && literal.c == '\r';
    }
}

impl ast::Visitor for Returns {
    type Output = bool;
    type Err = ();

    fn finish(self) -> Result<bool, ()> {
        Ok(self.named)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        match ast {
            Ast::Literal(literal) => self.literal(literal),
            Ast::ClassBracketed(class) => self.negations += usize::from(class.negated),
            _ => {}
        }
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), ()> {
        if let Ast::ClassBracketed(class) = ast {
            self.negations -= usize::from(class.negated);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        match item {
            ClassSetItem::Literal(literal) => self.literal(literal),
            // `[\x0d-\x0d]`
            ClassSetItem::Range(range) if range.start.c == range.end.c => self.literal(&range.start),
            ClassSetItem::Bracketed(class) => self.negations += usize::from(class.negated),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_post(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        if let ClassSetItem::Bracketed(class) = item {
            self.negations -= usize::from(class.negated);
        }
        Ok(())
    }
}

fn refused(error: &grep_regex::Error, pattern: &str) -> Refused {
    match error.kind() {
        ErrorKind::NotAllowed(_) => Refused::Newline,
        ErrorKind::Regex(message) if message.contains("size limit") => Refused::TooCostly,
        _ => Refused::Wrong(format!("{pattern}\n{error}")),
    }
}
