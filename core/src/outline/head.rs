//! The head of a definition: its keyword, or its type, and its name.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use std::ops::Range;

use super::Syntax;
use super::syntax::Kind;
use crate::source::Language;
use crate::source::line::{first_word, holds_function, is_name_byte, last_word, skip_brackets};
use crate::source::table;

/// Words of a head that are examined.
const WORDS: usize = 16;
/// Bytes of a definition that are shown.
const TEXT_BYTES: usize = 80;

/// A definition that begins in a text.
pub(super) struct Head {
    /// What it defines.
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Where its name is in the text.
    pub(super) name: Range<usize>,
}

/// Returns the definition with which `text` begins, if it has a keyword.
pub(super) fn keyword(text: &[u8], syntax: Syntax) -> Option<Head> {
    let mut keyword: Option<(Kind, usize)> = None;
    let mut at = 0;
    for _ in 0..WORDS {
        let rest = text[at..].trim_ascii_start();
        at = text.len() - rest.len();
        let word = first_word(rest);
        let end = at + word.len();
        let next = text.get(end).copied().unwrap_or(b'\n');
        let is_before_name = || {
            let next = text[end..].trim_ascii_start().first().copied().unwrap_or(b'\n');
            is_name_byte(next) || matches!(next, b'*' | b'&' | b'[' | b'"' | b'~')
        };
        let roles = table::roles(word);
        let found = syntax.keyword(word, roles);
        at = match (found, rest.first()?) {
            (Some(kind), b'i') if word == b"impl" && matches!(next, b' ' | b'<') => {
                return Some(impl_head(text, at, kind));
            }
            (Some(kind), _) if syntax == Syntax::Ruby && next == b' ' => {
                let start = end + text[end..].len() - text[end..].trim_ascii_start().len();
                let start = start + usize::from(text[start..].starts_with(b":"));
                return named(text, at, start, kind, syntax);
            }
            (Some(kind), _)
                if is_before_name() || matches!(rest[word.len()..], [b' ', b'(', ..]) && word == b"func" =>
            {
                let start =
                    keyword.filter(|(kind, _)| *kind != Kind::Variable).map_or(at, |(_, start)| start);
                keyword = Some((kind, start));
                after_brackets(text, end + usize::from(word == b"func"))
            }
            (Some(kind), _) if word.starts_with(b"macro_rules") => {
                keyword = Some((kind, at));
                end + usize::from(next == b'!')
            }
            (_, b'@') => after_annotation(text, at),
            (_, b'/') => after_comment(text, at)?,
            (_, b'#') if rest.starts_with(b"#[") => text.len() - skip_brackets(&rest[1..]).len(),
            (_, b'[') => after_brackets(text, at),
            (_, b'"') if keyword.is_none() => at + 2 + memchr::memchr(b'"', &rest[1..])?,
            (_, b'*' | b'&') if keyword.is_some() => at + 1,
            _ if is_modifier(word, roles, syntax, keyword.is_some()) && is_before(text, end) => {
                after_brackets(text, end)
            }
            _ => {
                let (kind, start) = keyword?;
                return named(text, start, at, kind, syntax);
            }
        };
    }
    None
}

/// Returns the definition of the name at `at`, whose keyword is at `start`.
fn named(text: &[u8], start: usize, at: usize, kind: Kind, syntax: Syntax) -> Option<Head> {
    let name = at..name_end(text, at, syntax, kind);
    let is_name = !name.is_empty() && !text[at].is_ascii_digit();
    let is_listed = kind != Kind::Variable || holds_function(text, &name, Language::Script);
    let text = shown(&text[start..name.end]);
    (is_name && is_listed).then_some(Head { text, kind, name })
}

/// Returns true if a name follows a modifier that ends at `end`, and its brackets.
fn is_before(text: &[u8], end: usize) -> bool {
    let next = text[after_brackets(text, end)..].trim_ascii_start().first();
    next.is_some_and(|&next| is_name_byte(next) || matches!(next, b'"' | b'*' | b'[' | b'@' | b'/'))
}

/// Returns true for a word that may precede a keyword or, in C, a name after it.
fn is_modifier(word: &[u8], roles: u16, syntax: Syntax, has_keyword: bool) -> bool {
    let modifies = roles & (table::MODIFIES | table::EXPORTS | table::HOLDS) != 0;
    syntax.is_c() && is_macro(word) || !has_keyword && (modifies || word == b"friend")
}

/// Returns true for a word that is a macro by its form: `LIB_API`, `__attribute__`.
fn is_macro(word: &[u8]) -> bool {
    word.starts_with(b"__")
        || word == b"alignas"
        || word.len() > 1 && !word.iter().any(u8::is_ascii_lowercase)
}

fn impl_head(text: &[u8], start: usize, kind: Kind) -> Head {
    let line = &text[start..];
    let line = &line[..memchr::memchr(b'{', line).unwrap_or(line.len())];
    let line = memchr::memmem::find(line, b" where").map_or(line, |at| &line[..at]);
    let line = line.trim_ascii_end();
    Head { text: shown(line), kind, name: start..start + line.len() }
}

/// Returns the offset after the brackets at `at`, or `at` if there are none.
fn after_brackets(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'(' | b'<' | b'[') => text.len() - skip_brackets(&text[at..]).len(),
        Some(b' ') if text.get(at + 1) == Some(&b'<') => text.len() - skip_brackets(&text[at + 1..]).len(),
        _ => at,
    }
}

/// Returns the offset after an annotation of Java: `@a.B(c = 1)`.
pub(super) fn after_annotation(text: &[u8], at: usize) -> usize {
    let is_end = |byte: &u8| !is_name_byte(*byte) && *byte != b'.';
    let end = at + 1 + text[at + 1..].iter().position(is_end).unwrap_or(text.len() - at - 1);
    after_brackets(text, end)
}

/// Returns the offset after a comment, or `None` if there is none.
fn after_comment(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let close: &[u8] = if rest.starts_with(b"/*") { b"*/" } else { b"\n" };
    let is_comment = rest.starts_with(b"/*") || rest.starts_with(b"//");
    memchr::memmem::find(rest, close).filter(|_| is_comment).map(|end| at + end + close.len())
}

/// Returns the end of the name at `at`, with the names that own it.
fn name_end(text: &[u8], at: usize, syntax: Syntax, kind: Kind) -> usize {
    let ends = |byte: &u8| match syntax {
        Syntax::Ruby if kind == Kind::Closed => byte.is_ascii_whitespace() || matches!(byte, b'(' | b';'),
        Syntax::Cpp | Syntax::Ruby => !is_name_byte(*byte) && *byte != b':',
        Syntax::Php => !is_name_byte(*byte) && *byte != b'\\',
        Syntax::Script => !is_name_byte(*byte) && *byte != b'.',
        _ => !is_name_byte(*byte),
    };
    let name = &text[at..at + text[at..].iter().position(ends).unwrap_or(text.len() - at)];
    at + name.strip_suffix(b":").unwrap_or(name).len()
}

/// Returns a method of JavaScript: `static async *each(a, b) {`. A body has to follow.
pub(super) fn method(line: &[u8]) -> Option<Head> {
    let mut at = 0;
    for _ in 0..WORDS {
        let word = first_word(&line[at..]);
        let end = at + word.len();
        match line.get(at)? {
            b' ' | b'*' | b'#' => at += 1,
            _ if word.is_empty() => return None,
            _ if line.get(end) == Some(&b' ')
                && table::roles(word) & (table::MODIFIES | table::HOLDS | table::EXPORTS) != 0 =>
            {
                at = end;
            }
            _ => {
                let rest = line[end..].strip_prefix(b"?").unwrap_or(&line[end..]);
                let rest = if rest.starts_with(b"<") { skip_brackets(rest) } else { rest };
                let is_method =
                    rest.trim_ascii_start().starts_with(b"(") && table::roles(word) & table::STATEMENT == 0;
                return is_method.then(|| called(line, at..end));
            }
        }
    }
    None
}

/// Returns the function or class of JavaScript that a line assigns: `Pool.prototype.close = function () {`.
pub(super) fn assigned(line: &[u8]) -> Option<Head> {
    let end = line.iter().position(|&byte| !is_name_byte(byte) && byte != b'.')?;
    let name = end - last_word(&line[..end]).len()..end;
    let is_assigned = !name.is_empty() && holds_function(line, &name, Language::Script);
    is_assigned.then(|| Head { text: shown(&line[..end]), kind: Kind::Alias, name })
}

/// Returns a type of Go in brackets after `type`.
pub(super) fn go_type(line: &[u8]) -> Option<Head> {
    let name = first_word(line);
    let is_type = !name.is_empty() && matches!(line.get(name.len()), Some(b' ' | b'['));
    is_type.then(|| Head { text: shown(name), kind: Kind::Alias, name: 0..name.len() })
}

/// Returns the function of C, C++ or Java in a text before a body.
pub(super) fn function(text: &[u8]) -> Option<Head> {
    if let Some(at) = memchr::memmem::find(text, b"operator") {
        let symbol = at + b"operator".len();
        let first = text[symbol..].trim_ascii_start();
        let call = if first.starts_with(b"()") { 2 } else { 0 };
        let from = text.len() - first.len() + call;
        let end = from + memchr::memchr(b'(', &text[from..])?;
        let is_operator = !text[..at].contains(&b'(') && !is_name_byte(text[symbol]);
        return is_operator.then(|| called(text, at..end));
    }
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'=' | b'"' => return None,
            b'@' => at = after_annotation(text, at),
            b'/' => at = after_comment(text, at)?,
            b'<' | b'[' => at = after_brackets(text, at),
            b'(' => {
                let before = text[..at].trim_ascii_end();
                let word = last_word(before);
                let rest = skip_brackets(&text[at..]);
                if (is_macro(word) || word == b"requires")
                    && rest.trim_ascii_start().first().is_some_and(|&byte| is_name_byte(byte))
                {
                    at = text.len() - rest.len();
                    continue;
                }
                let is_apart = |byte: &u8| !is_name_byte(*byte) && !matches!(byte, b':' | b'~' | b'<' | b'>');
                let start = before.iter().rposition(is_apart).map_or(0, |at| at + 1);
                let kind = before[..start].trim_ascii();
                let is_statement =
                    |word: &[u8]| table::roles(word) & table::STATEMENT != 0 && word != b"friend";
                // A macro that is used looks like a function without a type.
                let is_use = word.is_empty() || kind.is_empty() && is_macro(word);
                let is_function = !is_use && !is_statement(word) && !is_statement(first_word(text));
                let is_value = rest.trim_ascii_start().starts_with(b"=");
                return (is_function && !is_value).then(|| called(text, start..before.len()));
            }
            _ => at += 1,
        }
    }
}

/// Returns true if the body of a structure, class or namespace follows its head.
pub(super) fn is_tag(text: &[u8], head: &Head) -> bool {
    let rest = text[head.name.end..].trim_ascii_start();
    let rest = if rest.starts_with(b"<") { skip_brackets(rest).trim_ascii_start() } else { rest };
    rest.is_empty()
        || rest.starts_with(b":")
        || rest.starts_with(b"final")
        || head.text.starts_with("namespace")
}

/// Returns true for a block of C++ that only contains definitions.
pub(super) fn is_block(text: &[u8], syntax: Syntax) -> bool {
    let text = text.trim_ascii();
    text.is_empty() && syntax == Syntax::Cpp
        || text == b"namespace"
        || text == b"inline namespace"
        || text.starts_with(b"extern \"C") && !text.contains(&b'(')
}

/// Returns the macro in a directive of C's preprocessor.
pub(super) fn define(line: &[u8]) -> Option<Head> {
    let rest = line[1..].trim_ascii_start().strip_prefix(b"define")?;
    let name = first_word(rest.trim_ascii_start());
    let is_define = rest.first().is_some_and(u8::is_ascii_whitespace) && !name.is_empty();
    is_define.then(|| Head { text: format!("#define {}", shown(name)), kind: Kind::Alias, name: 0..0 })
}

/// Returns the type that a statement of C or C++ names: `typedef int NAME;`, `using NAME = int;`.
pub(super) fn alias(text: &[u8]) -> Option<Head> {
    let template = if text.starts_with(b"template") { after_brackets(text, b"template".len()) } else { 0 };
    if let Some(rest) = text[template..].trim_ascii_start().strip_prefix(b"using ") {
        let start = text.len() - rest.trim_ascii_start().len();
        let name = start..start + first_word(&text[start..]).len();
        let is_alias = text[name.end..].trim_ascii_start().starts_with(b"=");
        return is_alias.then(|| Head {
            text: format!("using {}", shown(&text[name.clone()])),
            kind: Kind::Alias,
            name,
        });
    }
    text.strip_prefix(b"typedef")?;
    let end = match memchr::memmem::find(text, b"(*") {
        Some(pointer) => pointer + 2 + first_word(&text[pointer + 2..]).len(),
        None => text.iter().position(|byte| matches!(byte, b'[' | b'(')).unwrap_or(text.len()),
    };
    let name = last_word(text[..end].trim_ascii_end());
    typedef(name, text[..end].trim_ascii_end().len() - name.len())
}

/// Returns the type that the rest of a line after the `}` of a `typedef` names.
pub(super) fn typedef_end(rest: &[u8]) -> Option<Head> {
    let start = rest.iter().take_while(|byte| matches!(byte, b' ' | b'*')).count();
    typedef(first_word(&rest[start..]), start)
}

fn typedef(name: &[u8], start: usize) -> Option<Head> {
    let text = format!("typedef {}", shown(name));
    (!name.is_empty()).then_some(Head { text, kind: Kind::Alias, name: start..start + name.len() })
}

/// Returns the head of a function without a keyword.
fn called(text: &[u8], name: Range<usize>) -> Head {
    Head { text: format!("{}()", shown(&text[name.clone()])), kind: Kind::Closed, name }
}

/// Returns a text on one line, with single spaces, without control characters, and not too long.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut words = String::with_capacity(text.len());
    for word in
        text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty())
    {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    if words.len() > TEXT_BYTES {
        words.truncate(words.floor_char_boundary(TEXT_BYTES - '…'.len_utf8()));
        words.push('…');
    }
    words
}
