//! Wraps and unwraps the entry of another server in a client's file.
//!
//! Only the command and the start of its arguments change. Unwrapping removes exactly the inserted text. It restores an
//! unedited entry byte for byte, and preserves later edits.

#![expect(
    clippy::indexing_slicing,
    reason = "ranges and words come from the parsed text; an error here must panic"
)]

use std::ops::Range;

use super::Program;
use super::server::{ConfiguredServer, is_cutline, starter};
use super::tree::{Format, Node};

/// The subcommand that identifies a wrapped entry.
const WRAP: &str = "wrap";
/// The word before the wrapped command.
const DASHES: &str = "--";
/// The white space between the brackets of inserted arguments, if the entry had no arguments before.
const WERE_NONE: &str = " ";

/// Returns the index of the word before the wrapped command, or `None` if the entry is not wrapped.
fn dashes(words: &[&str]) -> Option<usize> {
    let is_wrap = is_cutline(words) && words.get(1) == Some(&WRAP);
    let dashes = words.iter().position(|word| *word == DASHES)?;
    (is_wrap && dashes + 1 < words.len()).then_some(dashes)
}

impl<'a> ConfiguredServer<'a> {
    /// Returns the wrapped command, if the entry is wrapped.
    pub(in crate::cli) fn wrapped(&self) -> Option<Vec<&'a str>> {
        let words = self.words();
        dashes(&words).map(|dashes| words[dashes + 1..].to_vec())
    }

    /// Returns the wrapped command, or the command of an entry that is not wrapped.
    pub(super) fn command(&self) -> Vec<&'a str> {
        self.wrapped().unwrap_or_else(|| self.words())
    }

    /// Returns the number of leading words in the list that belong to `cutline wrap`.
    fn wraps_words(&self) -> usize {
        dashes(&self.words()).map_or(0, |dashes| dashes + usize::from(self.program.is_none()))
    }

    /// Returns `text` with the entry wrapped by `program`. If it is already wrapped, replaces the flags.
    pub(super) fn wrap(&self, text: &str, Program { binary, flags, .. }: &Program) -> String {
        let own = [WRAP].into_iter().chain(flags.iter().map(String::as_str)).chain([DASHES]);
        let mut words: Vec<String> = own.map(quoted).collect();
        let (before, mut edits) = (self.wraps_words(), Vec::new());
        match self.program {
            None => words.insert(0, quoted(binary)),
            Some(program) => {
                edits.push((program.place.clone(), quoted(binary)));
                words.extend((before == 0).then(|| text[program.place.clone()].to_owned()));
            }
        }
        edits.push(match (self.list, self.program) {
            (Some(list), _) if before == 0 => with(list, &words, text),
            (Some(list), _) => {
                let items = list.items();
                (items[0].place.start..items[before - 1].place.end, joined(list, &words, text))
            }
            (None, program) => {
                let end = program.unwrap_or(self.entry).place.end;
                (end..end, format!("{}[{}{WERE_NONE}]", self.before_args(text), words.join(", ")))
            }
        });
        replaced(text, edits)
    }

    /// Returns `text` with the entry unwrapped, or `None` if it is not wrapped.
    pub(super) fn unwrap(&self, text: &str) -> Option<String> {
        let before = self.wraps_words();
        let list = self.list.filter(|_| before > 0)?;
        let Some(program) = self.program else {
            return Some(replaced(text, vec![without(list, before, text)]));
        };
        // In a wrapped entry, the first of these words is the program.
        let wrapped = list.items()[before].place.clone();
        let were_none = !list.is_block
            && text[wrapped.end..list.place.end] == format!("{WERE_NONE}]")
            && text.get(program.place.end..list.place.start) == Some(&self.before_args(text));
        let change = if were_none {
            (program.place.end..list.place.end, String::new())
        } else {
            without(list, before + 1, text)
        };
        Some(replaced(text, vec![(program.place.clone(), text[wrapped].to_owned()), change]))
    }

    /// Returns the text between the program and new arguments.
    fn before_args(&self, text: &str) -> String {
        let in_brackets = text[self.entry.place.clone()].starts_with('{');
        match self.format {
            Format::Json => ", \"args\": ".to_owned(),
            Format::Toml if in_brackets => ", args = ".to_owned(),
            Format::Toml => format!("{}args = ", newline(text)),
            Format::Yaml if in_brackets => ", args: ".to_owned(),
            Format::Yaml => format!("{}args: ", indented(starter(self.entry), text)),
        }
    }
}

/// Returns the text between two words of a list.
fn separator(list: &Node, text: &str) -> String {
    let space = space(list, text);
    if !list.is_block {
        return format!(",{}", if space.is_empty() { " " } else { space });
    }
    format!("{}- ", indented(list, text))
}

/// Returns a newline and the indentation of a block.
fn indented(block: &Node, text: &str) -> String {
    let before = text[..block.place.start].chars().rev().take_while(|c| *c != '\n').count();
    format!("{}{}", newline(text), " ".repeat(before))
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the white space between the opening bracket and the first word.
fn space<'a>(list: &Node, text: &'a str) -> &'a str {
    let inside = if list.is_block { "" } else { &text[list.place.start + 1..list.place.end - 1] };
    &inside[..inside.len() - inside.trim_start().len()]
}

/// Returns the text for inserted words.
fn joined(list: &Node, words: &[String], text: &str) -> String {
    words.join(if list.is_block { separator(list, text) } else { ", ".to_owned() }.as_str())
}

/// Returns the edit that inserts these words at the start of the list.
fn with(list: &Node, words: &[String], text: &str) -> (Range<usize>, String) {
    let first = list.items().first();
    let at = match first {
        Some(first) if list.is_block => first.place.start,
        _ => list.place.start + 1 + space(list, text).len(),
    };
    let end = first.map_or_else(String::new, |_| separator(list, text));
    (at..at, joined(list, words, text) + &end)
}

/// Returns the edit that removes the words of the list before the index `next`.
fn without(list: &Node, next: usize, text: &str) -> (Range<usize>, String) {
    let items = list.items();
    let (start, end) = (items[0].place.start, items[next - 1].place.end);
    let end = match items.get(next) {
        None => end,
        Some(next) if list.is_block => next.place.start,
        Some(_) => {
            let rest = &text[end..list.place.end];
            let after = rest.trim_start().strip_prefix(',').unwrap_or(rest);
            list.place.end - after.strip_prefix(&separator(list, text)[1..]).unwrap_or(after).len()
        }
    };
    (start..end, String::new())
}

/// Returns a string in a notation that is valid in JSON, TOML and YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the text after these edits, which do not overlap.
pub(super) fn replaced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = text.to_owned();
    for (place, new) in edits {
        text.replace_range(place, &new);
    }
    text
}

#[cfg(test)]
mod tests;
