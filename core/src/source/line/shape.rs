//! Definitions that are recognized by their shape: a type and a name, a name and brackets, a name and `=`.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use super::super::table::{self, Language, kind};
use super::Line;
use super::words::{closes, first_word, has_word, is_name_byte, last_word, skip_brackets, words_are};

/// Methods of Ruby that declare their arguments.
const DECLARING_CALLS: &[&[u8]] = &[
    b"attr_accessor",
    b"attr_reader",
    b"attr_writer",
    b"cattr_accessor",
    b"class_attribute",
    b"delegate",
    b"mattr_accessor",
    b"scope",
];

impl Line<'_> {
    /// Returns the points for the shape of the line around the name.
    pub(super) fn shape(&self) -> Option<i32> {
        let of_language = match self.language {
            Language::C | Language::Java => self.typed(),
            Language::Script | Language::Other => self.member(),
            Language::Go => self.go(),
            Language::Python | Language::Hash => self.hash(),
            Language::Dash => {
                // The type of a function in Haskell.
                let is_type = self.before.is_empty() && self.at_line_start && self.after.starts_with(b"::");
                is_type.then_some(kind::DEFINES)
            }
            Language::Semicolon => self.lisp(),
            Language::Keywords | Language::Php | Language::Data => None,
        };
        of_language.or_else(|| self.assigned())
    }

    /// In Go: a type within `type (…)`, and a method of an interface.
    fn go(&self) -> Option<i32> {
        if !self.before.is_empty() || self.at_line_start {
            return None;
        }
        if matches!(first_word(self.after), b"struct" | b"interface" | b"func" | b"map" | b"chan") {
            return Some(kind::DEFINES);
        }
        let rest = Some(self.after).filter(|after| after.starts_with(b"(")).map(skip_brackets)?;
        let result = rest.trim_ascii_start().first();
        let has_result = result.is_some_and(|&byte| is_name_byte(byte) || matches!(byte, b'(' | b'*' | b'['));
        has_result.then_some(kind::DECLARES)
    }

    /// `NAME() {` of shells, `alias :NAME`, `attr_reader :NAME` of Ruby.
    fn hash(&self) -> Option<i32> {
        if self.language == Language::Hash
            && self.before.is_empty()
            && let Some(rest) = self.after.strip_prefix(b"()")
        {
            let rest = rest.trim_ascii_start();
            let is_body =
                rest.starts_with(b"{") || rest.starts_with(b"(") || rest.is_empty() && self.at_line_start;
            return is_body.then_some(kind::DEFINES);
        }
        if matches!(
            self.before,
            b"alias" | b"alias :" | b"alias_method :" | b"define_method(:" | b"define_method :"
        ) {
            return Some(kind::DEFINES - 20);
        }
        let declares = self.before.ends_with(b":") && DECLARING_CALLS.contains(&first_word(self.before));
        declares.then_some(kind::DECLARES)
    }

    /// `(defun NAME`, and a label of an assembler.
    fn lisp(&self) -> Option<i32> {
        let is_label = self.at_line_start && self.before.is_empty() && self.after.starts_with(b":");
        let form = self.before.strip_prefix(b"(").unwrap_or_default();
        let word = form.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let is_first = matches!(form[word.len()..].trim_ascii(), b"" | b"(");
        (is_label || word.starts_with(b"def") && is_first).then_some(kind::DEFINES)
    }

    /// Returns the points for an assignment to the name.
    fn assigned(&self) -> Option<i32> {
        let value = match self.after {
            [b'=', b'=' | b'~' | b'>', ..] => return None,
            [b'=', rest @ ..] | [b':' | b'?' | b'+' | b'|', b'=', rest @ ..] => rest,
            [b'<', b'-', rest @ ..] if self.language == Language::Hash => rest,
            [b'?' | b'"' | b'\'', b':', rest @ ..] | [b':', rest @ ..] if !rest.starts_with(b":") => {
                return self.keyed(rest);
            }
            _ => return None,
        };
        let count = |byte| memchr::memchr_iter(byte, self.before).count();
        // A type follows a colon.
        let is_argument = count(b'(') > count(b')') || self.before.ends_with(b":");
        if is_argument || matches!(first_word(self.before), b"if" | b"while" | b"return" | b"assert") {
            return None;
        }
        // `T.prototype.name = function`, `exports.name = class`, `name = (x) =>`.
        Some(match self.is_function(value) {
            true => kind::DEFINES - 60,
            false if self.is_object(value) => kind::DECLARES - 40,
            false => kind::ASSIGNS,
        })
    }

    /// Returns the points for a key, or for a name with its type. `value` follows the colon.
    fn keyed(&self, value: &[u8]) -> Option<i32> {
        let is_key = matches!(
            self.before,
            b"" | b"{" | b"\"" | b"'" | b"-" | b"," | b"--" | b"$" | b"." | b"&" | b"@"
        );
        if !is_key && !self.is_clean(self.before) {
            return None;
        }
        // The type of a function has no keyword and no body.
        let has_body = matches!(first_word(value.trim_ascii_start()), b"function" | b"class" | b"async")
            || memchr::memmem::find(value, b"=> {").is_some();
        Some(match self.language == Language::Script && self.is_function(value) {
            true if has_body => kind::DEFINES - 80,
            true => kind::DECLARES,
            false if self.is_object(value) => kind::DECLARES - 80,
            false => kind::ASSIGNS,
        })
    }

    /// Returns the points for a name after a type, as in C and similar languages.
    fn typed(&self) -> Option<i32> {
        let (before, after) = (self.before, self.after);
        if before.starts_with(b"#") {
            return None;
        }
        if before.starts_with(b"typedef") {
            let is_pointer = before.ends_with(b"*") && before.contains(&b'(') && after.starts_with(b")");
            let ends = matches!(after.first(), Some(b';' | b'[' | b',')) || is_pointer;
            let is_function = after.starts_with(b"(") && self.is_type(before);
            return (ends || is_function).then_some(kind::DEFINES);
        }
        if let Some(open) = before.strip_suffix(b"(") {
            return self.macro_argument(open);
        }
        if before.starts_with(b"}")
            && !before.contains(&b'(')
            && matches!(after.first(), Some(b';' | b',' | b'_'))
        {
            return Some(if self.at_line_start { kind::DEFINES } else { kind::ASSIGNS });
        }
        if after.starts_with(b"(") {
            return self.typed_function();
        }
        if !self.is_type(before) {
            return None;
        }
        match after {
            [b'=', b'=', ..] => None,
            [b'=' | b';' | b'[' | b',', ..] if self.at_line_start => Some(kind::DECLARES - 60),
            [b'=' | b';' | b'[' | b',', ..] => Some(kind::ASSIGNS),
            // A property: `public int Name { get; }`.
            [b'{', ..] if self.language == Language::Java => Some(kind::DEFINES - 20),
            [] if self.language == Language::Java && before.contains(&b' ') => Some(kind::ASSIGNS),
            _ => None,
        }
    }

    /// Returns the points for the first argument of a defining macro: `DEFINE_THING(NAME, …)`.
    fn macro_argument(&self, open: &[u8]) -> Option<i32> {
        let word = last_word(open);
        let has = |part: &[u8]| memchr::memmem::find(word, part).is_some();
        match word.len() == open.len() && !self.after.is_empty() {
            true if has(b"DEFINE") => Some(kind::DEFINES - 60),
            true if has(b"DECLARE") => Some(kind::DECLARES - 60),
            _ => None,
        }
    }

    /// Returns the points for a name before brackets: a function, a prototype, or a call.
    fn typed_function(&self) -> Option<i32> {
        let (before, after) = (self.before, self.after);
        let is_closed = closes(after);
        if before.is_empty() {
            // The type may be in the line before, and a constructor has none. Anything else is a call.
            let is_macro = !self.name.iter().any(u8::is_ascii_lowercase)
                || memchr::memmem::find(self.name, b"DEFINE").is_some();
            let begins = match self.language {
                Language::C => self.at_line_start && !after.ends_with(b";") && !is_macro,
                _ => !self.at_line_start && after.ends_with(b"{") && is_closed,
            };
            return begins.then_some(kind::DEFINES - 20);
        }
        if !self.is_type(before) {
            return None;
        }
        let has_body = after.contains(&b'{') || after.ends_with(b"= 0;") || after.ends_with(b"default;");
        if after.ends_with(b";") && !has_body {
            // A call of a constructor looks the same as a prototype within a function.
            let is_sure = self.at_line_start || self.language == Language::Java;
            return Some(if is_sure { kind::DECLARES } else { kind::DECLARES - 40 });
        }
        let is_nested = !self.at_line_start
            && self.language == Language::C
            && !has_word(before, b"static")
            && !has_word(before, b"inline");
        let is_prototype = !is_closed && (is_nested || first_word(before) == b"extern");
        Some(if is_prototype { kind::DECLARES } else { kind::DEFINES })
    }

    /// Returns the points for a member of a class, an interface or an object in JavaScript and TypeScript.
    fn member(&self) -> Option<i32> {
        let before = self.before.strip_suffix(b"*").unwrap_or(self.before).trim_ascii_end();
        let before = before.strip_suffix(b"#").unwrap_or(before).trim_ascii_end();
        if !self.is_clean(before) || !(self.is_apart || before.len() < self.before.len()) {
            return None;
        }
        let after = self.after.strip_prefix(b"?").unwrap_or(self.after);
        let after = if after.starts_with(b"<") { skip_brackets(after).trim_ascii_start() } else { after };
        if !after.starts_with(b"(") {
            return None;
        }
        let rest = skip_brackets(after).trim_ascii_start();
        let has_modifier = !before.is_empty();
        if rest.starts_with(b"{")
            || (rest.starts_with(b":")
                && (rest.ends_with(b"{")
                    || rest.ends_with(b"}") && memchr::memmem::find(rest, b" { ").is_some()))
        {
            return Some(kind::DEFINES);
        }
        if rest.starts_with(b":") {
            return Some(kind::DECLARES);
        }
        if !closes(after) && !self.at_line_start {
            // The arguments continue in the next line. A call can begin like this too.
            let is_generic = after.len() < self.after.len();
            if has_modifier || is_generic {
                return Some(kind::DEFINES - 20);
            }
            return (after == b"(").then_some(kind::ASSIGNS);
        }
        None
    }

    /// True if `value` begins an object with members. In JavaScript, such objects often serve as types or modules.
    pub(super) fn is_object(&self, value: &[u8]) -> bool {
        let members = value.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        self.language == Language::Script && members.is_some_and(|members| !members.starts_with(b"}"))
    }

    /// True if `value` begins a function or a class.
    pub(super) fn is_function(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii_start();
        let word = first_word(value);
        if matches!(
            word,
            b"function" | b"class" | b"lambda" | b"fn" | b"func" | b"struct" | b"interface" | b"async"
        ) {
            return true;
        }
        if self.language != Language::Script {
            return false;
        }
        if !word.is_empty() {
            // `x => …`
            return value[word.len()..].trim_ascii_start().starts_with(b"=>");
        }
        let mut rest = value;
        for open in [b'<', b'('] {
            if rest.first() == Some(&open) {
                if !closes(rest) {
                    // The arguments continue in the next line.
                    return true;
                }
                rest = skip_brackets(rest).trim_ascii_start();
            }
        }
        rest.len() < value.len()
            && (rest.starts_with(b"=>")
                || rest.starts_with(b":") && memchr::memmem::find(rest, b"=>").is_some())
    }

    /// True if `text` contains only words that may precede a definition, with their brackets.
    pub(super) fn is_clean(&self, text: &[u8]) -> bool {
        let may_come_before = table::MODIFIES | table::HOLDS | table::DEFINES;
        words_are(text, |word| self.roles(word) & may_come_before != 0, false)
    }

    /// True if `text` is a type: words that begin no statement, with `*`, `&`, `::`, `<…>` and `[]`.
    fn is_type(&self, text: &[u8]) -> bool {
        if text.is_empty() {
            return false;
        }
        let mut types = 0;
        let are_words = words_are(
            text,
            |word| {
                types += 1;
                let of_word = table::roles(word);
                of_word & table::STATEMENT == 0
                    || of_word & table::MODIFIES != 0
                        && word != b"case"
                        && word != b"if"
                        && word != b"not"
                        && word != b"or"
            },
            true,
        );
        let has_dot = self.language == Language::C && text.contains(&b'.');
        are_words
            && types > 0
            && !has_dot
            && (self.is_apart || matches!(text.last(), Some(b'*' | b'&' | b':' | b'~')))
    }
}
