//! Heads of definitions in C and C++, where they depend on more than one line.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the text that they were found in")]

use std::ops::ControlFlow::{self, Break, Continue};

use super::Syntax;
use super::head::{Head, NAMES, Place, name_len, shown, skip};
use crate::source::line::is_name_byte;

/// Bytes that are read ahead of a head at most.
const AHEAD_BYTES: usize = 4096;
/// Declarations of arguments in old style before the body of a function.
const OLD_STYLE_LINES: usize = 12;

/// Words before brackets that are not the name of a function.
const STATEMENTS: &[&[u8]] = &[
    b"if",
    b"for",
    b"while",
    b"switch",
    b"return",
    b"catch",
    b"else",
    b"do",
    b"sizeof",
    b"new",
    b"delete",
    b"throw",
    b"case",
    b"goto",
    b"static_assert",
    b"assert",
    b"defined",
    b"requires",
    b"typeof",
    b"asm",
    b"__asm__",
    b"decltype",
    b"noexcept",
    b"alignas",
];

/// Breaks with the definition that begins in a line of C or C++, or with `None` if none can. Continues if the general rules
/// decide.
pub(super) fn head(line: &[u8], place: &Place<'_>) -> ControlFlow<Option<Head>> {
    let is_block = matches!(line, b"namespace {" | b"namespace") || line.starts_with(b"extern \"C");
    if is_block && !line.ends_with(b";") && !line.contains(&b'(') {
        return Break(Some(Head::block()));
    }
    if let Some((text, is_type)) = tag(line, place) {
        return Break(Some(Head { text, has_members: is_type && place.syntax == Syntax::Cpp }));
    }
    let is_destructor = line.starts_with(b"~");
    let start = usize::from(is_destructor);
    let end = start + name_len(&line[start..]);
    let name = &line[..end];
    if end > start && line[end..].trim_ascii_start().starts_with(b"(") {
        // Its type is in the line before, or it is a constructor or a call.
        let before = place.before;
        let is_continued = matches!(before.last(), Some(b',' | b'(' | b'=' | b'|' | b'?' | b'+' | b'<'))
            || before.ends_with(b"&&")
            || before.ends_with(b"):")
            || before.starts_with(b":") && !before.starts_with(b"::");
        if is_continued || STATEMENTS.contains(&name) {
            return Break(None);
        }
        let ends_type = |byte: u8| is_name_byte(byte) || matches!(byte, b'>' | b'*' | b'&');
        let is_typed = before.last().is_some_and(|&byte| ends_type(byte))
            && !before.starts_with(b"#")
            && !before.ends_with(b"else");
        if (is_typed || is_destructor) && has_body(&place.rest[end..], place) {
            return Break(Some(Head { text: format!("{}()", shown(name)), has_members: false }));
        }
    }
    let operator = if place.syntax == Syntax::Cpp { operator(line, place) } else { None };
    operator.map_or(Continue(()), |text| Break(Some(Head { text, has_members: false })))
}

/// Returns the text for `#define NAME`.
pub(super) fn define(line: &[u8]) -> Option<String> {
    let rest = line[1..].trim_ascii_start().strip_prefix(b"define")?;
    let name = rest.trim_ascii_start();
    let name = &name[..name_len(name)];
    let is_define = rest.first().is_some_and(u8::is_ascii_whitespace) && !name.is_empty();
    is_define.then(|| format!("#define {}", shown(name)))
}

/// Returns the text for the name after the brace that ends a `typedef`, with which `line` begins.
pub(super) fn typedef_end(line: &[u8]) -> Option<String> {
    let rest = &line[1..];
    let rest = &rest[rest.iter().take_while(|byte| matches!(byte, b' ' | b'*')).count()..];
    let name = &rest[..name_len(rest)];
    let next = rest[name.len()..].trim_ascii_start().first();
    let is_end = !name.is_empty() && matches!(next, Some(b';' | b',' | b'['));
    is_end.then(|| format!("typedef {}", shown(name)))
}

/// Returns the class, structure, union, enumeration or namespace whose body follows, and true if it may contain functions.
fn tag(line: &[u8], place: &Place<'_>) -> Option<(String, bool)> {
    let rest = &place.rest[..place.rest.len().min(AHEAD_BYTES)];
    let space = |at: usize| rest[at..].len() - rest[at..].trim_ascii_start().len();
    let (mut at, mut keyword) = (0, None);
    for _ in 0..NAMES {
        at += space(at);
        let word = &rest[at..at + name_len(&rest[at..])];
        let end = at + word.len();
        match word {
            b"" if rest[at..].starts_with(b"[[") => at = skip(rest, at),
            b"template" => at = skip(rest, end + space(end)),
            b"static" | b"extern" | b"const" | b"friend" | b"inline" | b"export" if keyword.is_none() => {
                at = end;
            }
            b"class" | b"struct" | b"union" | b"enum" | b"namespace" if end <= line.len() => {
                keyword = Some((at, word));
                at = end;
            }
            _ => {
                let (start, keyword) = keyword?;
                let is_macro = !word.is_empty() && !word.iter().any(u8::is_ascii_lowercase);
                let next = rest[end..].trim_ascii_start();
                if next.starts_with(b"(") && (is_macro || word.starts_with(b"__")) {
                    // `class __attribute__((x)) NAME`, `class API(x) NAME`.
                    at = skip(rest, rest.len() - next.len());
                } else if is_macro
                    && next.first().is_some_and(|&byte| is_name_byte(byte))
                    && !next.starts_with(b"final")
                {
                    at = end;
                } else {
                    let name_end = begins_body(place, rest, end, keyword)?;
                    return Some((shown(&rest[start..name_end]), keyword != b"enum"));
                }
            }
        }
    }
    None
}

/// Returns the end of a name whose first part ends at `end`, if a body follows it.
fn begins_body(place: &Place<'_>, rest: &[u8], end: usize, keyword: &[u8]) -> Option<usize> {
    let mut after = rest[end..].trim_ascii_start();
    let mut name_end = end;
    while let Some(part) = after.strip_prefix(b"::") {
        after = part.trim_ascii_start();
        after = &after[name_len(after)..];
        name_end = rest.len() - after.len();
        after = after.trim_ascii_start();
    }
    if after.starts_with(b"<") && place.syntax == Syntax::Cpp {
        after = after[skip(after, 0)..].trim_ascii_start();
    }
    after = after.strip_prefix(b"final").unwrap_or(after).trim_ascii_start();
    if keyword == b"namespace" {
        after = without_macro(after);
    }
    let begins = match after.first()? {
        b'{' => true,
        b':' if !after.starts_with(b"::") => {
            let after = &after[..after.len().min(place.ahead.get())];
            let at = memchr::memchr2(b'{', b';', after);
            place.ahead.set(place.ahead.get() - at.unwrap_or(after.len()));
            at.is_some_and(|at| after[at] == b'{')
        }
        _ => false,
    };
    begins.then_some(name_end)
}

/// Returns the text after a macro in capitals: `namespace std _GLIBCXX_VISIBILITY(default)`.
fn without_macro(text: &[u8]) -> &[u8] {
    let len = name_len(text);
    if len == 0 || text[..len].iter().any(u8::is_ascii_lowercase) {
        return text;
    }
    let rest = text[len..].trim_ascii_start();
    if rest.starts_with(b"(") { rest[skip(rest, 0)..].trim_ascii_start() } else { rest }
}

/// Returns the operator that a line of C++ defines: `Pool::operator==()`.
fn operator(line: &[u8], place: &Place<'_>) -> Option<String> {
    let at = memchr::memmem::find(line, b"operator")?;
    let (before, after) = (line[..at].trim_ascii_end(), &line[at + b"operator".len()..]);
    let is_use = before.iter().any(|byte| matches!(byte, b'(' | b'.' | b'=' | b';' | b'"'))
        || before.starts_with(b"return")
        || before.starts_with(b"using");
    if is_use || after.first().is_none_or(|&byte| is_name_byte(byte)) {
        return None;
    }
    let symbol = after.trim_ascii_start();
    let call = if symbol.starts_with(b"()") { 2 } else { 0 };
    let from = after.len() - symbol.len() + call;
    let end = at + b"operator".len() + from + memchr::memchr(b'(', &after[from..])?;
    has_body(&place.rest[end..], place).then(|| format!("{}()", shown(&line[at..end])))
}

/// Returns true if a body follows the arguments with which `text` begins, and not the end of a declaration.
pub(super) fn has_body(text: &[u8], place: &Place<'_>) -> bool {
    let text = &text[..text.len().min(AHEAD_BYTES).min(place.ahead.get())];
    let (has_body, read) = read_body(text, place.syntax);
    place.ahead.set(place.ahead.get() - read);
    has_body
}

/// The same, with the number of bytes that were read.
fn read_body(text: &[u8], syntax: Syntax) -> (bool, usize) {
    let (mut depth, mut at, mut previous) = (0_usize, 0, 0);
    let mut closed_at = None;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && closed_at == Some(previous) {
                    return (false, at);
                }
                if depth == 0 && closed_at.is_none() {
                    closed_at = Some(at);
                }
            }
            b'{' if depth == 0 => return (true, at),
            // A call in an initializer or an expression.
            b',' | b'.' | b'+' | b'?' | b'|' if depth == 0 && closed_at == Some(previous) => {
                return (false, at);
            }
            b'=' if depth == 0 && closed_at.is_some() && syntax == Syntax::C => return (false, at),
            b'/' if text[at..].starts_with(b"/*") => {
                at += memchr::memmem::find(&text[at..], b"*/").map_or(text.len(), |end| end + 1);
            }
            b'/' if text[at..].starts_with(b"//") => {
                at += memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| end - 1);
            }
            b';' if depth == 0 => {
                let between = &text[closed_at.unwrap_or(0)..at];
                let has_default = between.ends_with(b"default") || between.ends_with(b"delete");
                return (has_default || syntax == Syntax::C && is_old_style(between, &text[at..]), at);
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = at;
        }
        at += 1;
    }
    (closed_at.is_none() && text.len() < AHEAD_BYTES, text.len())
}

/// Returns true if `between` is the first declaration of arguments in old style, and a body follows in `rest`.
fn is_old_style(between: &[u8], rest: &[u8]) -> bool {
    let declares = between.contains(&b'\n') && between.trim_ascii().contains(&b' ');
    let lines = rest.split(|&byte| byte == b'\n').skip(1).take(OLD_STYLE_LINES).map(<[u8]>::trim_ascii);
    let first_other = lines.into_iter().find(|line| !line.ends_with(b";") || line.contains(&b'('));
    declares && first_other.is_some_and(|line| line.starts_with(b"{"))
}
