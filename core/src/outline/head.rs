//! The head of a definition: its keyword or its type, and its name.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use std::ops::Range;

use memchr::memmem;

use super::code::Code;
use super::language::{Kind, Language, Style, is_modifier, is_statement};

/// Bytes of a line in which a definition may begin.
pub(super) const HEAD_BYTES: usize = 2000;
/// Words of a line that are examined.
const WORDS: usize = 16;
/// Bytes of a definition that are shown.
const TEXT_BYTES: usize = 80;

/// A definition that begins in a line.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Where its name is in the line.
    pub(super) name: Range<usize>,
    /// The part of the line that is shown, and the text before and after it.
    shown: (&'static str, Range<usize>, &'static str),
    /// False if it is a definition only if a body follows.
    pub(super) is_certain: bool,
}

/// Returns the definition that begins in a line, whose strings and comments are blanks. `is_member` is true within a type or
/// a module, outside of functions.
pub(super) fn find(code: &[u8], language: &Language, is_member: bool) -> Option<Head> {
    let is_outer = is_member || !code.first()?.is_ascii_whitespace();
    match language.style {
        Style::C if code.trim_ascii_start().starts_with(b"#") => define(code),
        Style::C if code.starts_with(b"typedef ") && names_type(code) => typedef(code),
        Style::C if is_outer => keyword(code, language).or_else(|| function(code)),
        Style::Java if is_member || is_modifier(first_word(code.trim_ascii_start())) => {
            keyword(code, language).or_else(|| function(code))
        }
        Style::Script => {
            keyword(code, language).or_else(|| assigned(code, is_member)).or_else(|| method(code))
        }
        _ => keyword(code, language),
    }
}

impl Language {
    /// Returns true if a line, read alone, defines the name at `name`.
    ///
    /// ```
    /// use cutline_core::outline::Language;
    /// let python = Language::of_path("a.py").unwrap();
    /// assert!(python.defines(b"    async def size(self):", &(14..18)));
    /// assert!(!python.defines(b"    return size(self)", &(11..15)));
    /// ```
    pub fn defines(&'static self, line: &[u8], name: &Range<usize>) -> bool {
        let code = Code::of(self, line.get(..HEAD_BYTES).unwrap_or(line));
        let is_outer = self.style == Style::C && !code.first().is_some_and(u8::is_ascii_whitespace);
        let end = code.trim_ascii_end().last();
        let has_body = matches!(end, Some(b'{' | b'}')) || is_outer && end != Some(&b';');
        find(&code, self, self.style != Style::Script)
            .is_some_and(|head| head.name == *name && (head.is_certain || has_body))
    }
}

/// Returns the definition of a line that begins with a keyword, after modifiers.
fn keyword(code: &[u8], language: &Language) -> Option<Head> {
    let mut found: Option<(Kind, usize)> = None;
    let mut at = 0;
    for _ in 0..WORDS {
        at = after_blanks(code, at);
        let rest = &code[at..];
        let word = first_word(rest);
        let end = at + word.len();
        at = match (rest.first()?, found) {
            (b'@', None) => after_annotation(code, at),
            (b'#', None) if rest.starts_with(b"#[") => after_brackets(code, at + 1),
            (b'[', None) | (b'(' | b'<', Some(_)) => after_brackets(code, at),
            (b'"', None) | (b'*' | b'&', Some(_)) => at + 1,
            (b':', Some(_)) if language.style == Style::Indented => at + 1,
            (b'i', None) if word == b"impl" && is_before_name(code, end) => {
                return Some(implementation(code, at));
            }
            (_, _) if language.keyword(word).is_some() && is_before_name(code, end) => {
                let start = found.map_or(at, |(_, start)| start);
                found = language.keyword(word).map(|kind| (kind, start));
                end + usize::from(word == b"macro_rules")
            }
            (_, None) if is_modifier(word) => after_brackets(code, after_blanks(code, end).min(end + 1)),
            (_, Some(_)) if language.style == Style::C && is_prefix(code, at, end) => {
                after_brackets(code, end)
            }
            _ => return named(code, found?, at, language),
        };
    }
    None
}

/// Returns the definition of the name at `at`, whose keyword has a kind and a start.
fn named(code: &[u8], (kind, start): (Kind, usize), at: usize, language: &Language) -> Option<Head> {
    let name = &code[at..until(code, at, |byte| ends_name(byte, language, kind))];
    let name = at..at + name.strip_suffix(b":").unwrap_or(name).len();
    // A function of Kotlin can have the type that it extends before its name.
    let receiver = after_brackets(code, name.end);
    if code[name.end..].starts_with(b"<") && code[receiver..].starts_with(b".") {
        return named(code, (kind, start), receiver + 1, language);
    }
    let own = name.start + memchr::memrchr(b'.', &code[name.clone()]).map_or(0, |dot| dot + 1);
    let after = code[name.end..].trim_ascii_start();
    let is_certain = language.style != Style::C || kind == Kind::Alias && after.starts_with(b"=");
    let has_body = kind == Kind::Module
        || after.first().is_none_or(|byte| b"{:<".contains(byte))
        || after.starts_with(b"final");
    let is_name = !name.is_empty() && !code[at].is_ascii_digit();
    let head = Head { is_certain, ..Head::new(kind, "", start, own.min(name.end)..name.end) };
    (is_name && (is_certain || has_body)).then_some(head)
}

/// Returns true for a byte after the name of a definition.
fn ends_name(byte: u8, language: &Language, kind: Kind) -> bool {
    let is_part: &[u8] = match language.style {
        Style::Indented if kind == Kind::Function => {
            return byte.is_ascii_whitespace() || matches!(byte, b'(' | b';' | b':');
        }
        Style::C => b":",
        Style::Indented => b":.",
        _ => b"\\.",
    };
    !is_name_byte(byte) && !is_part.contains(&byte)
}

/// Returns the implementation of Rust whose keyword is at `start`.
fn implementation(code: &[u8], start: usize) -> Head {
    let code = &code[start..];
    let end = memchr::memchr(b'{', code).unwrap_or(code.len());
    let end = memmem::find(&code[..end], b" where").unwrap_or(end);
    let end = start + code[..end].trim_ascii_end().len();
    Head::new(Kind::Type, "", start, start..end)
}

/// Returns the macro that a line of C's preprocessor defines.
fn define(code: &[u8]) -> Option<Head> {
    let hash = code.len() - code.trim_ascii_start().len() + 1;
    let rest = code[hash..].trim_ascii_start().strip_prefix(b"define")?;
    let start = code.len() - rest.trim_ascii_start().len();
    let name = start..start + first_word(&code[start..]).len();
    let is_define = rest.first().is_some_and(u8::is_ascii_whitespace) && !name.is_empty();
    is_define.then(|| Head::new(Kind::Alias, "#define ", start, name))
}

/// Returns true for a `typedef` that is not continued by the body of a type.
pub(super) fn names_type(code: &[u8]) -> bool {
    code.contains(&b';') || memmem::find(code, b"(*").is_some()
}

/// Returns the type that a line of C names: `typedef int NAME;`, or `} NAME;` at the end of a type.
pub(super) fn typedef(code: &[u8]) -> Option<Head> {
    let body = memchr::memrchr(b'}', code).map_or(0, |brace| brace + 1);
    let end = match memmem::find(&code[body..], b"(*") {
        Some(pointer) => {
            let start = body + pointer + 2;
            start + first_word(&code[start..]).len()
        }
        None => until(code, body, |byte| b"[(;".contains(&byte)),
    };
    let mut end = code[..end].trim_ascii_end().len();
    if last_word(&code[..end]).starts_with(b"__") {
        end = memchr::memrchr(b';', code).unwrap_or(code.len());
    }
    let name = end - last_word(&code[..end]).len()..end;
    let is_name = name.start >= body && !name.is_empty();
    is_name.then(|| Head::new(Kind::Alias, "typedef ", name.start, name))
}

/// Returns the function or class of JavaScript that a line assigns: `Pool.prototype.close = function () {`.
fn assigned(code: &[u8], is_member: bool) -> Option<Head> {
    let mut at = after_blanks(code, 0);
    let mut start = at;
    for _ in 0..WORDS {
        let word = first_word(&code[at..]);
        let is_variable = matches!(word, b"const" | b"let" | b"var");
        if !is_variable && !is_modifier(word)
            || !code.get(at + word.len()).is_some_and(u8::is_ascii_whitespace)
        {
            break;
        }
        let next = after_blanks(code, at + word.len());
        (start, at) = (if is_variable { at } else { next }, next);
    }
    let path = until(code, at, |byte| !is_name_byte(byte) && byte != b'.');
    let name = path - last_word(&code[..path]).len()..path;
    let after = code[path..].trim_ascii_start();
    let value = match after.first()? {
        b'=' => &after[1..],
        // `name: function`, or the type of a variable.
        b':' => match memmem::find(after, b" = ") {
            Some(equals) => &after[equals + 3..],
            None if is_member || start < at => return None,
            None => &after[1..],
        },
        _ => return None,
    };
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"async").map_or(value, <[u8]>::trim_ascii_start);
    let arguments =
        if first_word(value).is_empty() { after_brackets(value, 0) } else { first_word(value).len() };
    let is_arrow = memmem::find(&value[arguments..], b"=>").is_some()
        && (first_word(value).is_empty() || value[arguments..].trim_ascii_start().starts_with(b"=>"));
    let is_certain = matches!(first_word(value), b"function" | b"class") || arguments > 0 && is_arrow;
    let is_open = value.starts_with(b"(") && arguments == value.len();
    (!name.is_empty() && (is_certain || is_open)).then(|| Head {
        kind: if first_word(value) == b"class" { Kind::Type } else { Kind::Function },
        name,
        shown: ("", start..path, ""),
        is_certain,
    })
}

/// Returns the method of JavaScript, or the function of a shell, whose head is in a line: `static async *each(a, b) {`.
fn method(code: &[u8]) -> Option<Head> {
    let mut at = after_blanks(code, 0);
    for _ in 0..WORDS {
        let word = first_word(&code[at..]);
        let end = at + word.len();
        match code.get(at)? {
            b' ' | b'*' | b'#' => at += 1,
            _ if word.is_empty() || is_statement(word) => return None,
            _ if is_modifier(word) && code.get(end) == Some(&b' ') => at = end,
            _ => {
                let rest = code[end..].strip_prefix(b"?").unwrap_or(&code[end..]);
                let rest = if rest.starts_with(b"<") { &rest[after_brackets(rest, 0)..] } else { rest };
                return rest.trim_ascii_start().starts_with(b"(").then(|| called(at..end));
            }
        }
    }
    None
}

/// Returns the function of C, C++ or Java whose name is in a line: `static int Pool::size(int x)`.
fn function(code: &[u8]) -> Option<Head> {
    let mut at = after_blanks(code, 0);
    let begins = code.get(at).is_some_and(|&byte| is_name_byte(byte) || b"<@~[*".contains(&byte));
    if !begins || is_statement(first_word(&code[at..])) {
        return None;
    }
    if let Some(operator) = memmem::find(code, b"operator") {
        let symbol = operator + b"operator".len();
        let end = symbol + memchr::memchr(b'(', &code[symbol..])?;
        let is_operator =
            !code[..operator].iter().any(|byte| b"(=".contains(byte)) && !is_name_byte(code[symbol]);
        return is_operator.then(|| called(operator..end));
    }
    loop {
        match code.get(at)? {
            b'=' | b'"' | b';' => return None,
            b'@' => at = after_annotation(code, at),
            b'<' | b'[' => at = after_brackets(code, at),
            b'(' => {
                let before = code[..at].trim_ascii_end();
                let word = last_word(before);
                let end = after_brackets(code, at);
                let next = code[end..].trim_ascii_start().first();
                if (is_macro(word) || word == b"requires") && next.is_some_and(|&byte| is_name_byte(byte)) {
                    at = end;
                    continue;
                }
                let is_part = |byte: &u8| is_name_byte(*byte) || b":~<>".contains(byte);
                let start = before.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
                // A macro that is used looks like a function without a type.
                let is_use =
                    word.is_empty() || before[..start].trim_ascii().is_empty() && is_upper_case(word);
                let is_value = next.is_some_and(|next| b"=.".contains(next)) || is_statement(word);
                return (!is_use && !is_value).then(|| called(start..before.len()));
            }
            _ => at += 1,
        }
    }
}

/// Returns the head of a function without a keyword.
fn called(name: Range<usize>) -> Head {
    Head { kind: Kind::Function, shown: ("", name.clone(), "()"), name, is_certain: false }
}

impl Head {
    /// Returns a definition of `name`. The part of the line from `start` on is shown, after `before`.
    fn new(kind: Kind, before: &'static str, start: usize, name: Range<usize>) -> Self {
        Self { kind, shown: (before, start..name.end, ""), name, is_certain: true }
    }

    /// Returns what the definition in `line` defines, with single spaces, without control characters, and not too long.
    pub(super) fn text(&self, line: &[u8]) -> String {
        let (before, shown, after) = &self.shown;
        let text = String::from_utf8_lossy(&line[shown.clone()]);
        let is_between = |char: char| char.is_whitespace() || char.is_control();
        let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
        let mut text = words.join(" ");
        if text.len() > TEXT_BYTES {
            text.truncate(text.floor_char_boundary(TEXT_BYTES - '…'.len_utf8()));
            text.push('…');
        }
        format!("{before}{text}{after}")
    }
}

/// Returns true for a byte of a name. Characters beyond ASCII count as letters.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Returns the name with which `text` begins, which may be empty.
pub(super) fn first_word(text: &[u8]) -> &[u8] {
    &text[..until(text, 0, |byte| !is_name_byte(byte))]
}

/// Returns the name with which `text` ends, which may be empty.
fn last_word(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|&byte| !is_name_byte(byte)).map_or(0, |at| at + 1);
    &text[start..]
}

/// Returns true for a word that is a macro by its form: `LIB_API`, `__attribute__`.
pub(super) fn is_macro(word: &[u8]) -> bool {
    word.starts_with(b"__") || is_upper_case(word)
}

fn is_upper_case(word: &[u8]) -> bool {
    word.len() > 1 && !word.iter().any(u8::is_ascii_lowercase)
}

/// Returns true if the part of a definition that can follow a keyword begins after `at`.
fn is_before_name(code: &[u8], at: usize) -> bool {
    let next = code[at..].trim_ascii_start().first().copied().unwrap_or(b'\n');
    let is_apart = code.get(at).is_some_and(|byte| !is_name_byte(*byte) && *byte != b'.');
    is_apart && (is_name_byte(next) || b"*&[\"~:<(!".contains(&next))
}

/// Returns true for a macro that precedes the name of a type, with its arguments: `LIB_API`.
fn is_prefix(code: &[u8], at: usize, end: usize) -> bool {
    let next = first_word(code[after_brackets(code, end)..].trim_ascii_start());
    is_macro(&code[at..end]) && !next.is_empty() && next != b"final"
}

/// Returns the offset of the first byte at or after `at` that ends something, or of the end.
fn until(code: &[u8], at: usize, ends: impl Fn(u8) -> bool) -> usize {
    code[at..].iter().position(|&byte| ends(byte)).map_or(code.len(), |len| at + len)
}

/// Returns the offset of the first byte at or after `at` that is no white space.
fn after_blanks(code: &[u8], at: usize) -> usize {
    code.len() - code[at..].trim_ascii_start().len()
}

/// Returns the offset after an annotation: `@a.B(c = 1)`. `@interface` of Java is none.
fn after_annotation(code: &[u8], at: usize) -> usize {
    let end = until(code, at + 1, |byte| !is_name_byte(byte) && byte != b'.');
    if code[at..end] == *b"@interface" { at + 1 } else { after_brackets(code, end) }
}

/// Returns the offset after the brackets at `at`, or `at` if there are none. Brackets that are not closed end with the line.
fn after_brackets(code: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    if !code.get(at).is_some_and(|byte| b"(<[".contains(byte)) {
        return at;
    }
    for (offset, byte) in code[at..].iter().enumerate() {
        match byte {
            b'(' | b'<' | b'[' => depth += 1,
            b'>' if code[..at + offset].ends_with(b"-") || code[..at + offset].ends_with(b"=") => {}
            b')' | b'>' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + offset + 1;
        }
    }
    code.len()
}
