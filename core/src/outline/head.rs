//! The head of a definition: the line in which it begins.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use std::cell::Cell;
use std::ops::{ControlFlow, Range};

use super::{Syntax, c_head};
use crate::source::line::{holds_function, is_name_byte, points};
use crate::source::table::{self, kind};

/// Points from which a line defines a name.
const LEAST_POINTS: i32 = kind::DEFINES - 100;
/// Names in a line that are examined.
pub(super) const NAMES: usize = 12;
/// Bytes of a definition that are shown.
const TEXT_BYTES: usize = 80;

/// A definition that begins in a line.
pub(super) struct Head {
    /// What it defines; empty for a block that only contains definitions.
    pub(super) text: String,
    /// True if its members are listed.
    pub(super) has_members: bool,
}

impl Head {
    /// A block without a name, whose members are listed.
    pub(super) fn block() -> Self {
        Self { text: String::new(), has_members: true }
    }
}

/// Where a line is.
pub(super) struct Place<'a> {
    pub(super) syntax: Syntax,
    /// The text from the line on, without its indentation.
    pub(super) rest: &'a [u8],
    /// The last line before it that is not blank.
    pub(super) before: &'a [u8],
    /// False if the line is indented more than the members around it.
    pub(super) is_outer: bool,
    /// True within a type or a namespace.
    pub(super) in_type: bool,
    pub(super) at_line_start: bool,
    /// Bytes that may still be read ahead.
    pub(super) ahead: &'a Cell<usize>,
}

/// Returns the definition that begins in `line`, which is the first line of `place.rest`.
pub(super) fn head(line: &[u8], place: &Place<'_>) -> Option<Head> {
    let syntax = place.syntax;
    match syntax {
        Syntax::Python => return python(line),
        Syntax::Ruby if ruby_method(line).is_some() => {
            return Some(Head { text: format!("def {}", shown(ruby_method(line)?)), has_members: false });
        }
        Syntax::Rust if begins_impl(line) => {
            let text = &line[..memchr::memchr(b'{', line).unwrap_or(line.len())];
            let text = memchr::memmem::find(text, b" where").map_or(text, |at| &text[..at]);
            return Some(Head { text: shown(text), has_members: true });
        }
        Syntax::Rust if is_rust_value(line) => return None,
        Syntax::Go if place.at_line_start && line.starts_with(b"type (") => return Some(Head::block()),
        Syntax::C | Syntax::Cpp => {
            if let ControlFlow::Break(found) = c_head::head(line, place) {
                return found;
            }
        }
        _ => {}
    }
    let roles = table::roles(&line[..name_len(line)]);
    let defines_by_keyword = matches!(syntax, Syntax::Rust | Syntax::Php | Syntax::Ruby)
        || syntax == Syntax::Go && !place.in_type
        || !place.is_outer;
    if defines_by_keyword
        && roles & !table::STATEMENT == 0
        && !line.starts_with(b"@")
        && !line.starts_with(b"alias_method ")
        || roles & table::IMPORTS != 0 && roles & table::DEFINES == 0
        || !place.is_outer && (syntax.is_c() || syntax == Syntax::Java)
        || !place.in_type && roles & table::STATEMENT != 0 && roles & table::DEFINES == 0
    {
        return None;
    }
    let line = line.strip_prefix(b"friend ").unwrap_or(line);
    // A space tells that the line is indented.
    let indented;
    let (line, from) = if place.at_line_start || syntax == Syntax::Cpp {
        (line, 0)
    } else {
        indented = [b" ", line].concat();
        (&indented[..], 1)
    };
    named(line, from, place)
}

/// Returns the definition of a name in a line, by the rules of the ranking.
fn named(line: &[u8], from: usize, place: &Place<'_>) -> Option<Head> {
    let syntax = place.syntax;
    let name = find_name(line, from, syntax)?;
    let (text, keyword) = text_of(line, from, &name, syntax);
    let roles = keyword.map_or(0, table::roles);
    // Constants and variables are listed only if they are functions.
    let is_value = roles & table::HOLDS != 0 && roles & (table::DEFINES | table::TAGS) == 0;
    if is_value && !holds_function(line, &name, syntax.language())
        || !place.is_outer && roles & table::DEFINES == 0
        || syntax.is_c()
            && !line.starts_with(b"typedef")
            && line[name.end..].trim_ascii_start().starts_with(b"(")
            && !c_head::has_body(after(place.rest, &line[name.clone()]), place)
    {
        return None;
    }
    let contains = |word: &[u8]| {
        matches!(
            word,
            b"class"
                | b"trait"
                | b"interface"
                | b"enum"
                | b"mod"
                | b"module"
                | b"namespace"
                | b"union"
                | b"struct"
        )
    };
    let has_members = keyword.is_some_and(contains) && !matches!(syntax, Syntax::C | Syntax::Go);
    Some(Head { text, has_members })
}

/// Returns the text after the first occurrence of `name`.
fn after<'a>(text: &'a [u8], name: &[u8]) -> &'a [u8] {
    memchr::memmem::find(text, name).map_or(&[], |at| &text[at + name.len()..])
}

/// True for a constant or a static of Rust.
fn is_rust_value(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"pub").unwrap_or(line);
    let line = if line.starts_with(b"(") { &line[skip(line, 0)..] } else { line }.trim_ascii_start();
    let is_function = |rest: &[u8]| {
        [b"fn ".as_slice(), b"unsafe ", b"async ", b"extern "].iter().any(|word| rest.starts_with(word))
    };
    line.starts_with(b"static ") || line.strip_prefix(b"const ").is_some_and(|rest| !is_function(rest))
}

fn begins_impl(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"unsafe ").unwrap_or(line);
    line.starts_with(b"impl ") || line.starts_with(b"impl<")
}

/// Returns the name after `def`, with its owner: `self.name`, `[]=`.
fn ruby_method(line: &[u8]) -> Option<&[u8]> {
    let visibility =
        [b"private ".as_slice(), b"protected ", b"public ", b"private_class_method ", b"module_function "];
    let code = visibility.iter().find_map(|word| line.strip_prefix(*word)).unwrap_or(line);
    let rest = code.strip_prefix(b"def ")?.trim_ascii_start();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b';');
    let name = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    Some(name).filter(|name| !name.is_empty())
}

fn python(line: &[u8]) -> Option<Head> {
    let code = line.strip_prefix(b"async ").unwrap_or(line);
    let (rest, keyword) = match code.strip_prefix(b"def ") {
        Some(rest) => (rest, "def"),
        None => (code.strip_prefix(b"class ")?, "class"),
    };
    let rest = rest.trim_ascii_start();
    let name = &rest[..name_len(rest)];
    let next = rest[name.len()..].trim_ascii_start().first();
    let is_head = !name.is_empty() && matches!(next, Some(b'(' | b':' | b'[' | b'\\') | None);
    is_head.then(|| Head { text: format!("{keyword} {}", shown(name)), has_members: keyword == "class" })
}

/// Returns the name that a line defines.
fn find_name(line: &[u8], from: usize, syntax: Syntax) -> Option<Range<usize>> {
    let language = syntax.language();
    let is_typedef = line.starts_with(b"typedef");
    if is_typedef && let Some(close) = memchr::memrchr(b'}', line) {
        let start =
            close + 1 + line[close + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'*')).count();
        let end = start + name_len(&line[start..]);
        return (end > start).then_some(start..end);
    }
    let mut has_receiver = syntax == Syntax::Go && line[from..].starts_with(b"func (");
    let (mut at, mut names) = (from, 0);
    while let Some(&byte) = line.get(at) {
        match byte {
            // `extern "C" fn`.
            b'"' if line[from..at].trim_ascii_end().ends_with(b"extern") => {
                at += 1 + memchr::memchr(b'"', &line[at + 1..]).map_or(line.len(), |end| end + 1);
            }
            b'<' => at = skip(line, at),
            b'[' if syntax != Syntax::Go => at = skip(line, at),
            b'(' if is_typedef => at += 1,
            b'(' if has_receiver || has_brackets(&line[from..at], syntax) => {
                has_receiver = false;
                at = skip(line, at);
            }
            b'=' | b';' | b'{' | b'(' | b'"' | b'\'' | b'`' => return None,
            byte if is_name_byte(byte) => {
                let end = at + name_len(&line[at..]);
                names += 1;
                if names > NAMES {
                    return None;
                }
                // A keyword before another word is no name.
                let is_keyword = table::roles(&line[at..end]) & !(table::STATEMENT | table::IMPORTS) != 0
                    && line[end..]
                        .trim_ascii_start()
                        .first()
                        .is_some_and(|&byte| is_name_byte(byte) || byte == b'&');
                if !byte.is_ascii_digit()
                    && !is_keyword
                    && points(line, &(at..end), language, LEAST_POINTS - 1) >= LEAST_POINTS
                {
                    return Some(at..end);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

/// True if the last word of `text` takes brackets that are no arguments: `pub(crate)`, `@Size(min = 1)`, `LIB_API(int)`.
fn has_brackets(text: &[u8], syntax: Syntax) -> bool {
    let text = text.trim_ascii_end();
    let start = text.iter().rposition(|&byte| !is_name_byte(byte)).map_or(0, |before| before + 1);
    let word = &text[start..];
    let is_macro = word.len() > 2 && !word.iter().any(u8::is_ascii_lowercase) && syntax != Syntax::Java;
    is_macro
        || word.starts_with(b"__")
        || matches!(word, b"pub" | b"alignas")
        || start > 0 && text[start - 1] == b'@'
}

/// Returns the offset after the bracket that closes the one at `at`, or the line's end.
pub(super) fn skip(line: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, byte) in line[at..].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            // The end of `=>` and `->` is no bracket.
            b'>' if index > 0 && matches!(line[at + index - 1], b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + index + 1;
                }
            }
            _ => {}
        }
    }
    line.len()
}

/// Returns the text that shows a definition, and its keyword.
fn text_of<'a>(
    line: &'a [u8],
    from: usize,
    name: &Range<usize>,
    syntax: Syntax,
) -> (String, Option<&'a [u8]>) {
    if line.starts_with(b"typedef") {
        return (format!("typedef {}", shown(&line[name.clone()])), None);
    }
    let is_called = line[name.end..].trim_ascii_start().starts_with(b"(");
    let is_typed_function = is_called && (syntax.is_c() || syntax == Syntax::Java);
    let (mut at, mut keyword) = (from, None);
    while at < name.start && !is_typed_function {
        let len = name_len(&line[at..name.start]);
        let word = &line[at..at + len];
        let roles = table::roles(word);
        let defines = roles & (table::DEFINES | table::TAGS | table::EXTENDS) != 0;
        if defines || roles & table::HOLDS != 0 && !is_called {
            keyword = Some((at, word));
            if syntax == Syntax::Go {
                break;
            }
        }
        at += len.max(1);
    }
    if let Some((start, word)) = keyword {
        return (shown(&line[start..name.end]), Some(word));
    }
    // With its owner: `Pool::size`, `Pool.prototype.size`.
    let is_apart =
        |byte: &u8| !is_name_byte(*byte) && !matches!(byte, b':' | b'.' | b'~' | b'#' | b'<' | b'>');
    let start = line[from..name.start].iter().rposition(is_apart).map_or(from, |before| from + before + 1);
    let owned = &line[start..name.end];
    let owned = owned.strip_prefix(b":").filter(|_| syntax == Syntax::Ruby).unwrap_or(owned);
    let brackets = if is_called { "()" } else { "" };
    (format!("{}{brackets}", shown(owned)), None)
}

/// Returns the number of bytes of the name at the start of a text.
pub(super) fn name_len(text: &[u8]) -> usize {
    text.iter().position(|&byte| !is_name_byte(byte)).unwrap_or(text.len())
}

/// Returns a text on one line, with single spaces, without control characters, and not too long.
pub(super) fn shown(text: &[u8]) -> String {
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
