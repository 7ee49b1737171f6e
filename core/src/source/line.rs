//! What a line does with a name: defines, assigns, uses, imports or mentions it.
//!
//! Only the line itself decides, by keywords and shapes. There is no parser.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

mod keyword;
mod shape;
mod words;

use std::ops::Range;

use super::table::{self, Language, kind};
pub use words::is_name_byte;
use words::{begins_as_sentence, name_end, name_start, without_comment, without_first_comment};
use words::{first_word, skip_brackets};

/// Maximum bytes of a line that are examined on each side of a name.
const EXAMINED_BYTES: usize = 256;

/// Returns the part of the last name in a match that is in the match, or `None` if the match contains no name.
pub fn name_in(line: &[u8], found: &Range<usize>) -> Option<Range<usize>> {
    let end = found.start + line[found.clone()].iter().rposition(|&byte| is_name_byte(byte))? + 1;
    let before = line[found.start..end].iter().rposition(|&byte| !is_name_byte(byte));
    Some(before.map_or(found.start, |at| found.start + at + 1)..end)
}

/// Returns the complete name around `part`.
pub fn name_around(line: &[u8], part: Range<usize>) -> Range<usize> {
    name_start(line, part.start)..name_end(line, part.end)
}

/// Returns the next occurrence of `name` as a complete name. `from` is the end of an earlier one.
pub fn next_same(line: &[u8], name: &[u8], from: usize) -> Option<Range<usize>> {
    let first = *name.first()?;
    let starts = memchr::memchr_iter(first, &line[from..]).map(|at| from + at);
    let mut names = starts.map(|start| start..start + name.len());
    names.find(|found| {
        line[found.start..].starts_with(name)
            && !is_name_byte(line[found.start - 1])
            && line.get(found.end).is_none_or(|&byte| !is_name_byte(byte))
    })
}

/// Returns true if the line assigns a function or a class to the name at `name`.
pub fn holds_function(line: &[u8], name: &Range<usize>, language: Language) -> bool {
    Line::new(line, name, language).holds_function()
}

/// A line, divided at a name.
struct Line<'a> {
    language: Language,
    name: &'a [u8],
    /// The text before the name, without white space at both ends.
    before: &'a [u8],
    /// True if white space or the start of the line precedes the name.
    is_apart: bool,
    /// The text after the name, without white space at both ends, and without a comment.
    after: &'a [u8],
    /// True if the line begins without white space.
    at_line_start: bool,
}

/// Returns the points of a line for what it does with the name at `name`. They are exact if they exceed `needed`.
pub fn points(line: &[u8], name: &Range<usize>, language: Language, needed: i32) -> i32 {
    Line::new(line, name, language).points(needed)
}

impl<'a> Line<'a> {
    /// Divides `line` at the name at `name`.
    fn new(line: &'a [u8], name: &Range<usize>, language: Language) -> Self {
        let from = name.start.saturating_sub(EXAMINED_BYTES);
        let to = line.len().min(name.end + EXAMINED_BYTES);
        let (before, after) = (&line[from..name.start], &line[name.end..to]);
        Self {
            language,
            name: &line[name.clone()],
            before: without_first_comment(before.trim_ascii(), language),
            is_apart: before.last().is_none_or(u8::is_ascii_whitespace),
            after: without_comment(after, language).trim_ascii(),
            at_line_start: !line.first().is_some_and(u8::is_ascii_whitespace),
        }
    }

    fn points(&self, needed: i32) -> i32 {
        let mut points = self.keyword_before().or_else(|| self.shape()).unwrap_or(kind::USES);
        if points >= kind::DECLARES && self.at_line_start {
            points += table::AT_LINE_START;
        }
        if points >= kind::DECLARES && table::roles(first_word(self.before)) & table::EXPORTS != 0 {
            points += table::EXPORTED;
        }
        // The other rules only reduce the points.
        if points <= needed {
            points
        } else if self.is_comment() || self.is_import() || self.is_prose() {
            kind::IMPORTS
        } else if points == kind::USES && (self.is_alone() || self.is_in_string()) {
            kind::NAMES
        } else {
            points
        }
    }

    /// Returns the roles of a word. SQL ignores case.
    fn roles(&self, word: &[u8]) -> u16 {
        match table::roles(word) {
            0 if self.language == Language::Dash => table::roles(&word.to_ascii_lowercase()),
            roles => roles,
        }
    }

    /// True if the name is in a comment.
    fn is_comment(&self) -> bool {
        let text = if self.before.is_empty() { self.after } else { self.before };
        let starts = |mark: &[u8]| self.before.starts_with(mark);
        let has = |mark: &[u8]| memchr::memmem::find(self.before, mark).is_some();
        let slashes = || {
            starts(b"//")
                || starts(b"/*") && !has(b"*/")
                || (starts(b"*") && self.before.get(1).is_none_or(|&byte| byte == b' ' || byte == b'/'))
                || has(b" //")
                || has(b" /*") && !has(b"*/")
        };
        let hash = || starts(b"#") || has(b" #");
        match self.language {
            Language::C | Language::Java | Language::Script | Language::Go | Language::Keywords => slashes(),
            Language::Php => slashes() || starts(b"#") && !starts(b"#["),
            Language::Python | Language::Hash => {
                hash() || text.starts_with(b"\"\"\"") || text.starts_with(b"'''")
            }
            Language::Dash => starts(b"--") || has(b" --"),
            Language::Semicolon => {
                starts(b";") || has(b" ;") || slashes() || starts(b"#") && !starts(b"#define")
            }
            Language::Data => starts(b"#") || starts(b"<!--") || starts(b"//") || starts(b"/*"),
            Language::Other => {
                slashes()
                    || hash() && !starts(b"#define") && !starts(b"#include")
                    || starts(b"--")
                    || starts(b"<!--")
            }
        }
    }

    /// True if the line looks like a sentence, such as a line of a docstring in Python.
    fn is_prose(&self) -> bool {
        let is_sign = |byte: &u8| {
            matches!(
                byte,
                b'=' | b'(' | b'[' | b'{' | b';' | b'$' | b'|' | b'<' | b'>' | b'/' | b'&' | b'@' | b'!'
            )
        };
        let words = |text: &[u8]| text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        if self.language == Language::Python && begins_as_sentence(self.before) {
            return true;
        }
        !matches!(self.language, Language::Dash | Language::Data | Language::Other)
            && words(self.before) + words(self.after) >= 5
            && !self.before.iter().chain(self.after).any(is_sign)
            && !self.after.ends_with(b":")
            && !self.before.ends_with(b".")
            && !self.before.starts_with(b"#")
            && table::roles(first_word(self.before)) == 0
    }

    /// True if the line imports the name, or exports an existing name again.
    fn is_import(&self) -> bool {
        let before = self.before;
        if let Some(directive) = self.directive() {
            return matches!(first_word(directive), b"include" | b"include_next" | b"import");
        }
        let mut first = first_word(before);
        let mut rest = before[first.len()..].trim_ascii_start();
        if matches!(first, b"pub" | b"export" | b"global" | b"extern" | b"public") {
            if rest.starts_with(b"(") {
                rest = skip_brackets(rest).trim_ascii_start();
            }
            if first == b"export" && (rest.starts_with(b"{") || rest.starts_with(b"*")) {
                return true;
            }
            let second = first_word(rest);
            if first == b"extern" && second == b"crate" {
                return true;
            }
            if table::roles(second) & table::IMPORTS != 0 {
                (first, rest) = (second, rest[second.len()..].trim_ascii_start());
            }
        }
        if memchr::memmem::find(before, b"require(").is_some()
            || memchr::memmem::find(self.after, b"= require(").is_some()
        {
            return true;
        }
        if table::roles(first) & table::IMPORTS == 0 {
            return false;
        }
        // `using NAME = …`, `alias NAME` and `open class NAME` are definitions, not imports.
        let defines = rest.is_empty()
            && matches!(first, b"using" | b"alias" | b"use")
            && self.after.starts_with(b"=")
            || first == b"open" && !rest.is_empty() && table::roles(first_word(rest)) != 0
            || first == b"alias" && self.language.has_hash_comments() && !self.name[0].is_ascii_uppercase()
            || first == b"include" && rest.starts_with(b"(");
        // The keyword is a name itself: `use(x)`, `from = 1`.
        !defines && !rest.starts_with(b"=") && !rest.starts_with(b".") && !rest.starts_with(b"(")
    }

    /// Returns the text after the `#` of a preprocessor directive in C.
    fn directive(&self) -> Option<&[u8]> {
        let is_comment = matches!(
            self.language,
            Language::Python | Language::Hash | Language::Php | Language::Data | Language::Keywords
        );
        self.before.strip_prefix(b"#").filter(|_| !is_comment).map(<[u8]>::trim_ascii_start)
    }

    /// True if the line contains only the name and separators.
    fn is_alone(&self) -> bool {
        self.before.is_empty() && matches!(self.after, b"" | b"," | b";" | b")" | b"),")
    }

    /// True if the quotes before the name show that it is in a string.
    fn is_in_string(&self) -> bool {
        let quotes = |quote: u8| {
            memchr::memchr_iter(quote, self.before).count() % 2 == 1
                && memchr::memchr(quote, self.after).is_some()
        };
        quotes(b'"') || quotes(b'\'') || quotes(b'`')
    }
}
