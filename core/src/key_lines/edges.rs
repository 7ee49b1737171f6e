//! The conditions on the text before and after a form.

use super::forms::{Edge, Form};
use crate::text;

/// Bytes before and after a form that the conditions read.
const SIDE_BYTES: usize = 256;

/// Words before a match that negate it.
const NEGATIONS: [&str; 7] = ["no", "No", "0", "without", "zero", "not", "standard"];
/// Words of source code before the name of an error.
const CODE: [&str; 12] = [
    "raise",
    "throw",
    "throws",
    "new",
    "except",
    "catch",
    "class",
    "import",
    "rescue",
    "extends",
    "instanceof",
    "as",
];
/// Words before `error` in sentences that do not report one.
const PROSE: [&str; 11] = ["an", "any", "the", "this", "for", "no", "of", "fix", "fixed", "fixes", "handle"];
/// Names of a log level.
const LEVELS: [&str; 3] = ["level", "lvl", "severity"];
/// Values after a name such as `errors` that negate it.
const NOTHING: [&str; 10] = ["none", "None", "null", "nil", "false", "False", "[]", "{", "\"\"", "undefined"];

/// True if `form` is in `line` at `start`.
pub(super) fn matches(line: &str, start: usize, form: &Form) -> bool {
    let end = start + form.text.len();
    let Some(found) = line.get(start..end) else { return false };
    let is_text = if form.any_case { found.eq_ignore_ascii_case(form.text) } else { found == form.text };
    let before = text::suffix(&line[..start], SIDE_BYTES);
    let after = text::prefix(&line[end..], SIDE_BYTES);
    is_text && is_before(before, form.before) && is_after(after, form.after) && !is_denied(before, after)
}

fn is_before(before: &str, edge: Edge) -> bool {
    let last = before.chars().next_back();
    match edge {
        Edge::LineStart => before.is_empty(),
        Edge::Type => {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
            let prefix = before.trim_end_matches(is_name);
            let name = before[prefix.len()..].rsplit(['.', ':']).next().unwrap_or_default();
            last.is_some_and(char::is_alphabetic)
                && name.trim_start_matches('_').starts_with(char::is_uppercase)
                && is_start(prefix)
                && !prefix.ends_with('(')
        }
        Edge::Level => {
            let name = before.trim_end_matches([' ', '"', '\'', ':', '=']);
            before[name.len()..].contains([':', '=']) && LEVELS.iter().any(|level| ends_with(name, level))
        }
        Edge::Raised => {
            let prefix =
                before.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'));
            prefix.len() < before.len() && prefix.ends_with(" (")
        }
        Edge::Label => {
            let start = before.trim_end().trim_end_matches(char::is_alphabetic);
            let word = before[start.len()..].trim_end();
            let is_label = !PROSE.iter().any(|prose| word.eq_ignore_ascii_case(prose));
            is_start(before) || before.ends_with(' ') && is_label && is_start(start)
        }
        Edge::Word => last.is_none_or(|c| !is_joined(c)) && !before.ends_with("::"),
        Edge::Start => is_start(before),
        _ => true,
    }
}

/// True if a message can begin after `before`.
pub(super) fn is_start(before: &str) -> bool {
    // The message may be emphasized, as in `...*failed*`.
    let before = before.trim_end_matches('*');
    let trimmed = before.trim_end();
    let gap = before.len() - trimmed.len();
    let Some(last) = trimmed.chars().next_back() else { return true };
    if before.ends_with("::") {
        return false;
    }
    let ends_prefix = matches!(
        last,
        ':' | ']' | ')' | '}' | '>' | '[' | '(' | '│' | '┃' | '∙' | '·' | '•' | '●' | '✗' | '×'
    );
    ends_prefix
        || last == '|'
        || last == '"' && is_value(trimmed)
        || gap > 1
        || trimmed.ends_with("..")
        || before.ends_with('\t')
        || gap == 1 && matches!(last, '-' | '*' | '#' | '=' | '\'' | '+' | '$')
}

/// True if the quote at the end of `before` begins a value, as in `"message": "…"`, and not a name in a sentence.
fn is_value(before: &str) -> bool {
    let before = before.trim_end_matches('"').trim_end();
    before.is_empty() || before.ends_with([':', '=', '[', '{', ',', '('])
}

fn is_after(after: &str, edge: Edge) -> bool {
    match edge {
        Edge::Word => {
            let mut chars = after.chars();
            match (chars.next(), chars.next()) {
                (Some(':'), next) => next != Some(':'),
                (Some('.' | '-' | '/' | '\\'), next) => next.is_none_or(|c| !c.is_alphanumeric()),
                (Some(c), _) => !c.is_alphanumeric() && c != '_',
                (None, _) => true,
            }
        }
        Edge::Colon => {
            after.starts_with(':') && !after.starts_with("::")
                || after.starts_with('!') && !after.starts_with("!(")
                || ["[", "]", " - ", " ["].iter().any(|mark| after.starts_with(mark))
                || after.strip_prefix(" -").is_some_and(|number| after_number(number).is_some())
                || is_errno(after)
        }
        Edge::Code => {
            let Some(rest) = after.strip_prefix(' ') else { return false };
            let code_end = rest.find([' ', ':']).unwrap_or(rest.len());
            let (code, end) = rest.split_at(code_end);
            (end.starts_with(':') || end.starts_with(" ("))
                && code.bytes().any(|byte| byte.is_ascii_digit())
                && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        }
        Edge::Gap => after.starts_with("  ") || after.starts_with('\t'),
        Edge::Raised => after.trim_end() == ")",
        Edge::NonZero => {
            let number = after.trim_start_matches([' ', ':', '=']);
            let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
            let is_in_sentence = rest.starts_with(" is ") || rest.starts_with(" means ");
            number.starts_with(|c: char| c.is_ascii_digit() && c != '0') && !is_in_sentence
        }
        Edge::End => after.trim_end_matches(['*', ' ']).is_empty(),
        Edge::Text => {
            let text = after.trim_start_matches([' ', '\'', '"', '`', '‘', ':', '[']);
            text.len() < after.len() && text.starts_with(char::is_alphanumeric)
        }
        Edge::Where => {
            let words = [" at ", " in ", " near ", " on ", " while ", " during ", " from "];
            words.iter().any(|word| after.starts_with(word))
        }
        _ => true,
    }
}

/// True if a text begins with the number of an error and its message, as in `(98: Address already in use)`.
fn is_errno(text: &str) -> bool {
    text.strip_prefix(" (").and_then(after_number).is_some_and(|text| text.starts_with(": "))
}

/// Returns the text after the digits with which `text` begins; `None` if there are none.
pub(super) fn after_number(text: &str) -> Option<&str> {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (after.len() < text.len()).then_some(after)
}

/// True if `text` ends with `word`, in any case.
fn ends_with(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// True for what joins letters to one identifier, path or flag.
fn is_joined(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\\' | '$' | '@')
}

/// Returns the text before a quote that is open at the end of `before`.
fn before_open_quote(before: &str, quote: u8) -> Option<&str> {
    let start = &before[..memchr::memrchr(quote, before.as_bytes())?];
    let is_open = memchr::memchr_iter(quote, start.as_bytes()).count().is_multiple_of(2);
    is_open.then_some(start)
}

/// True if `before` ends in a string of source code: `print("error: …`, `text = "error: …`.
fn is_in_string(before: &str) -> bool {
    [b'"', b'\'']
        .iter()
        .filter_map(|quote| before_open_quote(before, *quote))
        .any(|start| start.ends_with('(') || start.ends_with("= "))
}

/// True if the text around a match shows that nothing is wrong, or that it is source code.
fn is_denied(before: &str, after: &str) -> bool {
    // A string, a template of one, or a comment, or a count of zero.
    let is_template = ["{:", "%s", "%d"].iter().any(|mark| after.contains(mark));
    let is_zero = after.rsplit_once(": ").is_some_and(|(_, value)| value.trim() == "0");
    if is_template || is_in_string(before) || before.contains(" //") || before.contains("/* ") || is_zero {
        return true;
    }
    let words = before.trim_end();
    let word = words.rsplit([' ', '(', ',', '\t', '[']).next().unwrap_or_default();
    if NEGATIONS.contains(&word) || CODE.contains(&word) {
        return true;
    }
    let value = after.strip_prefix('s').unwrap_or(after).trim_start_matches(['"', '\'', ')', ' ']);
    let Some(value) = value.strip_prefix([':', '=']) else { return false };
    let value = value.trim_start();
    let end = value.find([' ', ',', ';', '}', ')']).unwrap_or(value.len());
    let (word, rest) = value.split_at(end);
    let is_last = !rest.trim_start().starts_with(char::is_alphanumeric);
    word == "0" || is_last && NOTHING.contains(&word)
}
