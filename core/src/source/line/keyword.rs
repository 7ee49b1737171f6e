//! Definitions that begin with a keyword.

#![expect(clippy::indexing_slicing, reason = "all ranges are within the line that they were found in")]

use super::super::table::{self, Language, kind};
use super::Line;
use super::words::{closes, first_word, is_name_byte, last_word, skip_brackets};

impl Line<'_> {
    /// Returns the points for a keyword directly before the name.
    pub(super) fn keyword_before(&self) -> Option<i32> {
        if let Some(directive) = self.directive() {
            return (directive == b"define").then_some(kind::DEFINES);
        }
        let mut before = self.before;
        // `def self.NAME`, `func (r *T) NAME`, `function M.NAME`, `fun <T> List<T>.NAME`, `defmodule A.NAME`.
        if !self.is_apart {
            before = match before.last() {
                Some(b'*' | b'&' | b'%' | b'"' | b'\'' | b'`') => before[..before.len() - 1].trim_ascii_end(),
                Some(b'.' | b':') => self.before_owner()?,
                Some(b'(') if matches!(last_word(&before[..before.len() - 1]), b"function" | b"macro") => {
                    &before[..before.len() - 1]
                }
                _ => return None,
            };
        }
        if let Some(receiver) = before.strip_prefix(b"func ").filter(|rest| rest.starts_with(b"(")) {
            let is_method = closes(receiver) && skip_brackets(receiver).is_empty();
            return is_method.then_some(kind::DEFINES - table::AT_LINE_START);
        }
        before = before.strip_suffix(b"!").unwrap_or(before);
        let word = last_word(before);
        let ahead = &before[..before.len() - word.len()];
        let mut word_roles = self.roles(word);
        let is_known_here = match self.language {
            Language::Dash => word_roles & table::IN_SQL != 0,
            Language::Keywords => word_roles & table::IN_SCHEMAS != 0,
            _ => false,
        };
        if is_known_here {
            word_roles |= table::DEFINES;
        }
        if word_roles & (table::DEFINES | table::HOLDS | table::EXTENDS) == 0 {
            return self.keyword_further_before(word, ahead);
        }
        if word_roles & table::TAGS != 0 && self.language == Language::C {
            return self.tag(ahead);
        }
        let is_clean = self.is_clean(ahead);
        if word_roles & table::DEFINES != 0 {
            if self.language == Language::Data
                || self.after.starts_with(b".") && self.language != Language::Keywords
            {
                return None;
            }
            // Ruby's other names: `def name=(value)`, `def name?`.
            if self.language.has_hash_comments() && matches!(self.after, [b'=', b'(', ..] | [b'?' | b'!', ..])
            {
                return is_clean.then_some(kind::DEFINES - 40);
            }
            return is_clean.then_some(kind::DEFINES);
        }
        if word_roles & table::EXTENDS != 0 {
            return is_clean.then_some(kind::DECLARES);
        }
        if self.language == Language::Script && word == b"static" {
            return None;
        }
        // In C, the text after them may be the type.
        let is_type = matches!(self.language, Language::C | Language::Java)
            && !self.after.is_empty()
            && !matches!(self.after[0], b'=' | b';' | b'[' | b'(' | b',' | b'{' | b')');
        if !is_clean || is_type || self.language == Language::C && self.after.starts_with(b"(") {
            return None;
        }
        let is_constant = matches!(word, b"const" | b"static" | b"constexpr");
        let object = self.after.strip_prefix(b"=").filter(|value| self.is_object(value));
        if self.holds_function() {
            Some(kind::DEFINES - 20)
        } else if self.at_line_start
            || (is_constant && self.language == Language::Keywords)
            || table::roles(first_word(ahead)) & table::EXPORTS != 0
        {
            Some(kind::DEFINES - 40)
        } else if self.language == Language::C {
            None
        } else if self.after.strip_prefix(b":").is_some_and(|of_type| self.is_function(of_type)) {
            Some(kind::DECLARES)
        } else if object.is_some() {
            Some(kind::DECLARES - 40)
        } else {
            Some(kind::ASSIGNS)
        }
    }

    /// Returns the points for a keyword before the name with one word or a list of words between them:
    /// `class API NAME`, `impl Trait for NAME`, `CREATE TABLE IF NOT EXISTS NAME`.
    fn keyword_further_before(&self, word: &[u8], ahead: &[u8]) -> Option<i32> {
        if word == b"for" && first_word(self.before) == b"impl" {
            return Some(kind::DECLARES - 20);
        }
        if self.before.starts_with(b"impl<") && self.before.ends_with(b">") {
            return Some(kind::DECLARES);
        }
        if word.eq_ignore_ascii_case(b"exists") && self.language == Language::Dash {
            let is_drop = first_word(self.before).eq_ignore_ascii_case(b"drop");
            return (!is_drop).then_some(kind::DEFINES);
        }
        let is_macro = word.len() > 2
            && word.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_' || byte.is_ascii_digit());
        if is_macro && self.language == Language::C && self.opens_body() {
            let tag = last_word(ahead.trim_ascii_end());
            return (table::roles(tag) & table::TAGS != 0).then_some(kind::DEFINES);
        }
        None
    }

    /// Returns the points after `struct`, `union`, `enum` and `class` in C. Only a definition has a body.
    fn tag(&self, ahead: &[u8]) -> Option<i32> {
        if !self.is_clean(ahead) {
            return None;
        }
        if self.opens_body() {
            Some(kind::DEFINES)
        } else if self.after.starts_with(b";") && ahead.is_empty() {
            Some(kind::ASSIGNS)
        } else {
            None
        }
    }

    /// True if a body, base classes or nothing follows the name.
    fn opens_body(&self) -> bool {
        self.after.is_empty()
            || self.after.starts_with(b"{")
            || self.after.starts_with(b":") && !self.after.starts_with(b"::")
            || self.after.starts_with(b"final")
            || self.after.starts_with(b"<") && self.after.ends_with(b"{")
            || self.after.starts_with(b"__attribute__") && self.after.ends_with(b"{")
    }

    /// Returns the text before `OWNER.` or `OWNER::`, if that directly precedes the name. It ends with the keyword.
    fn before_owner(&self) -> Option<&[u8]> {
        let first = first_word(self.before);
        let starts = table::roles(first) & (table::DEFINES | table::MODIFIES | table::HOLDS) != 0;
        if !starts {
            return None;
        }
        let owner = self.before.iter().rposition(u8::is_ascii_whitespace)?;
        let before = self.before[..owner].trim_ascii_end();
        // The parameters of a generic function: `fun <T>`.
        let generic = before.strip_suffix(b">").and_then(|text| memchr::memchr(b'<', text));
        let before = generic.map_or(before, |at| before[..at].trim_ascii_end());
        let is_plain = self.before[owner + 1..]
            .iter()
            .all(|&byte| is_name_byte(byte) || matches!(byte, b'.' | b':' | b'<' | b'>' | b'?'));
        is_plain.then_some(before)
    }

    /// True if a function or a class follows `=` or `:`.
    pub(super) fn holds_function(&self) -> bool {
        let value = match self.after {
            [b'=', rest @ ..] if !matches!(rest.first(), Some(b'=' | b'>')) => rest,
            [b':', b'=', rest @ ..] => rest,
            _ => return false,
        };
        self.is_function(value)
    }
}
