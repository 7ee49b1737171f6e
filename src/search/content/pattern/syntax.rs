//! Analyses the syntax of a pattern.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, ClassSet, ClassSetItem};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::Source;

/// A parsed pattern.
pub(super) struct Parsed {
    /// The text of the regular expression.
    pub(super) text: String,
    /// The abstract syntax tree.
    pub(super) ast: Ast,
    /// The high-level representation.
    pub(super) hir: Hir,
}

/// Parses a pattern. The error message shows the position.
pub(super) fn parse(source: &Source<'_>) -> Result<Parsed, String> {
    let escaped = source.literal.then(|| regex_syntax::escape(source.pattern));
    let mut text = escaped.unwrap_or_else(|| source.pattern.to_owned());
    let message = |error: regex_syntax::Error| error.to_string();
    let parsed = Parser::new().parse_with_comments(&text).map_err(|error| message(error.into()))?;
    let mut translator = TranslatorBuilder::new();
    translator.utf8(false).multi_line(true).case_insensitive(source.ignore_case);
    translator.dot_matches_new_line(source.multiline);
    let hir = translator.build().translate(&text, &parsed.ast).map_err(|error| message(error.into()))?;
    // The matcher adds a group around the pattern. With `(?x)`, a final comment would include the closing parenthesis.
    if parsed.comments.last().is_some_and(|comment| comment.span.end.offset == text.len()) {
        text.push('\n');
    }
    Ok(Parsed { text, ast: parsed.ast, hir })
}

/// Returns the literal alternatives of an alternation, with or without a group or `\b` around it. Some may be empty.
pub(super) fn alternatives(ast: &Ast) -> Vec<String> {
    match ast {
        Ast::Group(group) => alternatives(&group.ast),
        Ast::Alternation(alternation) => alternation.asts.iter().filter_map(text_of).collect(),
        Ast::Concat(concat) => {
            let mut parts = concat.asts.iter().filter(|part| !matches!(part, Ast::Assertion(_)));
            match (parts.next(), parts.next()) {
                (Some(only), None) => alternatives(only),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// Returns the text of a part of a pattern that is a literal.
fn text_of(ast: &Ast) -> Option<String> {
    match ast {
        Ast::Literal(literal) => Some(literal.c.to_string()),
        Ast::Group(group) => text_of(&group.ast),
        Ast::Assertion(_) => Some(String::new()),
        Ast::Concat(concat) => concat.asts.iter().map(text_of).collect(),
        _ => None,
    }
}

/// Returns true if a pattern contains the carriage return, other than in a range or to exclude it.
pub(super) fn names_return(ast: &Ast) -> bool {
    match ast {
        Ast::Literal(literal) => literal.c == '\r',
        Ast::ClassBracketed(class) => !class.negated && set_names_return(&class.kind),
        Ast::Repetition(repetition) => names_return(&repetition.ast),
        Ast::Group(group) => names_return(&group.ast),
        Ast::Alternation(alternation) => alternation.asts.iter().any(names_return),
        Ast::Concat(concat) => concat.asts.iter().any(names_return),
        _ => false,
    }
}

fn set_names_return(set: &ClassSet) -> bool {
    match set {
        ClassSet::Item(item) => item_names_return(item),
        ClassSet::BinaryOp(sets) => set_names_return(&sets.lhs) || set_names_return(&sets.rhs),
    }
}

fn item_names_return(item: &ClassSetItem) -> bool {
    match item {
        ClassSetItem::Literal(literal) => literal.c == '\r',
        ClassSetItem::Bracketed(class) => !class.negated && set_names_return(&class.kind),
        ClassSetItem::Union(union) => union.items.iter().any(item_names_return),
        _ => false,
    }
}

/// Returns the number of positions of a pattern after expanding all repetitions. A pattern that is only a literal text
/// or an alternation of literal texts counts as one. In other patterns, each byte of a literal counts.
pub(super) fn positions(hir: &Hir) -> usize {
    if hir.properties().is_alternation_literal() { 1 } else { written_out(hir) }
}

fn written_out(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(written_out).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Capture(group) => written_out(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            written_out(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
    }
}

/// Returns the word of a pattern that is `\bWORD\b`.
pub(super) fn whole_word(hir: &Hir) -> Option<Box<[u8]>> {
    let HirKind::Concat(parts) = hir.kind() else { return None };
    let [start, word, end] = &parts[..] else { return None };
    let is_boundary = |part: &Hir| matches!(part.kind(), HirKind::Look(Look::WordUnicode | Look::WordAscii));
    let HirKind::Literal(word) = word.kind() else { return None };
    let is_word_byte =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_word = is_word_byte(word.0.first()) && is_word_byte(word.0.last());
    (is_boundary(start) && is_boundary(end) && is_word).then(|| word.0.clone())
}
