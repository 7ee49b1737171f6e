//! Parses the rules of one ignore file as git does, and matches paths against them.
//!
//! Rules are stored as text and not compiled, so memory is proportional to the size of the file. Rules without
//! wildcards are found by binary search, because a file can have thousands of them.

#![expect(clippy::indexing_slicing, reason = "ranges of the text and indexes of rules are created here")]

mod respell;

use std::borrow::Cow;

use crate::limits::{GLOB_BYTES, RULES_BYTES, RULES_IN_FORCE_BYTES};

/// Cost of each file in bytes, in addition to its rules. It limits the number of files.
const FILE_COST: usize = 4096;
/// Cost of each rule in bytes, in addition to its text: its fields and its index.
const RULE_COST: usize = size_of::<Rule>() + size_of::<u32>();
/// Additional cost of a rule with wildcards in bytes, and the factor for its text. A comparison takes that much longer
/// than finding a name.
const GLOB_COST: usize = 1024;
const GLOB_FACTOR: usize = 32;

/// The rules of one file, in their order.
#[derive(Debug, Default)]
pub(super) struct ParsedRules {
    text: Vec<u8>,
    rules: Vec<Rule>,
    /// Indexes of the rules that are a plain name or path, sorted by that and then by index.
    plain: Vec<u32>,
    /// Indexes of all other rules, in order.
    others: Vec<u32>,
    cost: usize,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    start: u32,
    end: u32,
    /// Number of bytes at the end of a glob that a name must end with.
    tail: u16,
    form: Form,
    /// True if it matches only folders.
    folders: bool,
    /// True if the rule includes matching entries again.
    negated: bool,
}

/// The form of a rule's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Name,
    Path,
    /// The end of a name, such as `*.o`.
    Ending,
    NameGlob,
    PathGlob,
}

impl ParsedRules {
    /// Parses the rules in `content`. Returns `None` if there are none. If the file is too large, the result has no
    /// rules, and its cost exceeds the budget.
    pub(super) fn new(content: &[u8]) -> Option<Self> {
        if content.len() as u64 > RULES_BYTES {
            return Some(Self { cost: RULES_IN_FORCE_BYTES + 1, ..Self::default() });
        }
        let mut file = Self { cost: FILE_COST, ..Self::default() };
        for line in content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content).split(|&byte| byte == b'\n') {
            file.add(line.strip_suffix(b"\r").unwrap_or(line));
        }
        let mut plain = std::mem::take(&mut file.plain);
        plain.sort_by_key(|&number| file.text(number));
        file.plain = plain;
        (!file.rules.is_empty()).then_some(file)
    }

    fn add(&mut self, line: &[u8]) {
        let line = without_trailing_spaces(line);
        if line.starts_with(b"#") || line.len() > GLOB_BYTES {
            return;
        }
        let (negated, line) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (folders, line) = line.strip_suffix(b"/").map_or((false, line), |rest| (true, rest));
        let is_path = line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let is_special = |text: &[u8]| text.iter().any(|byte| b"*?[\\".contains(byte));
        let (form, text) = match line.strip_prefix(b"*") {
            Some(ending) if !is_path && !is_special(ending) => (Form::Ending, Cow::Borrowed(ending)),
            _ if is_special(line) => {
                let Some(text) = respell::for_fast_glob(line) else { return };
                (if is_path { Form::PathGlob } else { Form::NameGlob }, Cow::Owned(text))
            }
            _ => (if is_path { Form::Path } else { Form::Name }, Cow::Borrowed(line)),
        };
        let is_glob = matches!(form, Form::NameGlob | Form::PathGlob);
        if line.is_empty() || is_glob && fast_glob::validate(&text).is_err() {
            return;
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let is_plain = matches!(form, Form::Name | Form::Path);
        let numbers = if is_plain { &mut self.plain } else { &mut self.others };
        numbers.push(number(self.rules.len()));
        self.cost += RULE_COST + if is_glob { GLOB_COST + text.len() * GLOB_FACTOR } else { text.len() };
        let tail = text.rsplit(|byte| b"*?[]{}\\/".contains(byte)).next().map_or(0, <[u8]>::len);
        // A line has at most 1024 bytes.
        let tail = u16::try_from(tail).unwrap_or(0);
        let start = number(self.text.len());
        self.text.extend_from_slice(&text);
        let end = number(self.text.len());
        self.rules.push(Rule { start, end, tail, form, folders, negated });
    }

    /// Returns the cost of the rules in bytes, which reflects memory and time.
    pub(super) fn cost(&self) -> usize {
        self.cost
    }

    /// Returns the decision of the last matching rule for an entry: true if the entry is ignored. `path` is relative to
    /// the folder of the file.
    pub(super) fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = &path[memchr::memrchr(b'/', path).map_or(0, |at| at + 1)..];
        let plain = self.last_plain((Form::Name, name), is_folder);
        let plain = plain.max(self.last_plain((Form::Path, path), is_folder));
        let later = self.others.iter().rev().take_while(|&&number| Some(number) > plain);
        let other = later.copied().find(|&number| self.matches_entry(number, name, path, is_folder));
        other.or(plain).map(|number| !self.rules[number as usize].negated)
    }

    /// Returns the last plain rule with the text `wanted`.
    fn last_plain(&self, wanted: (Form, &[u8]), is_folder: bool) -> Option<u32> {
        let end = self.plain.partition_point(|&number| self.text(number) <= wanted);
        let same = self.plain[..end].iter().rev().take_while(|&&number| self.text(number) == wanted);
        same.copied().find(|&number| is_folder || !self.rules[number as usize].folders)
    }

    /// Returns true if a rule of `others` matches an entry.
    fn matches_entry(&self, number: u32, name: &[u8], path: &[u8], is_folder: bool) -> bool {
        let rule = self.rules[number as usize];
        let (form, text) = self.text(number);
        (is_folder || !rule.folders)
            && name.ends_with(&text[text.len() - usize::from(rule.tail)..])
            && match form {
                Form::Ending => name.ends_with(text),
                Form::NameGlob => fast_glob::glob_match(text, name),
                Form::PathGlob => fast_glob::glob_match(text, path),
                Form::Name | Form::Path => false, // these are in `plain`
            }
    }

    fn text(&self, number: u32) -> (Form, &[u8]) {
        let rule = self.rules[number as usize];
        (rule.form, &self.text[rule.start as usize..rule.end as usize])
    }
}

/// Removes the spaces at the end of a line, except an escaped one.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let len = line.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    let escapes = line[..len].iter().rev().take_while(|&&byte| byte == b'\\').count();
    &line[..(len + escapes % 2).min(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_rule_of_an_entry_decides() {
        let rules =
            b"*.o\n!keep.o\n/top\nsub/\na/**/b\nx**/**\n\\!n\n{a,b}\n[q\ntail\\\nkeep.o/\n**/c/**/d\nn[[:digit:]_]\n";
        let rules = ParsedRules::new(rules).unwrap();
        for (path, is_folder, expected) in [
            ("a.o", false, Some(true)),
            ("y/keep.o", false, Some(false)),
            ("keep.o", true, Some(true)),
            ("top", false, Some(true)),
            ("y/top", false, None),
            ("x/sub", true, Some(true)),
            ("sub", false, None),
            ("a/b", false, Some(true)),
            ("a/x/y/b", false, Some(true)),
            ("xy", false, None),
            ("xy/z", false, Some(true)),
            ("!n", false, Some(true)),
            ("{a,b}", false, Some(true)),
            ("a", false, None),
            ("q", false, None),
            ("tail", false, None),
            ("c/d", false, Some(true)),
            ("d", false, None),
            ("n7", false, Some(true)),
            ("n_", false, Some(true)),
            ("n:", false, None),
        ] {
            assert_eq!(rules.verdict(path.as_bytes(), is_folder), expected, "{path}");
        }
    }
}
