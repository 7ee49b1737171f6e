//! An entry of a client's file that starts another server, turned into its wrapped form and back.
//!
//! The text is changed in two places, the command and the start of its arguments, and nowhere else; the
//! way back takes out exactly what was put in. So an entry that was not edited meanwhile is to the byte
//! what it was, and edits made meanwhile stay.

mod find;

use std::ops::Range;

use super::clients::Row;
use super::entry::is_cutline;

pub(in crate::cli) use find::entries;
pub(super) use find::entry_of;

/// The word by which a wrap is told.
const WRAP: &str = "wrap";
/// The word before the wrapped command.
const DASHES: &str = "--";
/// The space before the closing bracket of arguments that an entry did not have before.
const WERE_NONE: &str = " ";

/// An entry that starts a program, as places in the text.
#[derive(Debug)]
pub(super) struct Found {
    command: Command,
    /// The whole entry.
    pub(super) whole: Range<usize>,
}

/// The command of an entry.
#[derive(Debug)]
enum Command {
    /// The program, and its arguments elsewhere.
    Apart {
        program: Word,
        args: Option<Args>,
        /// The text between the program and arguments that are added.
        before_args: String,
    },
    /// One list that begins with the program.
    OneList(Args),
}

/// A list of words.
#[derive(Debug)]
struct Args {
    /// The list, with its brackets.
    place: Range<usize>,
    words: Vec<Word>,
    /// True if it has a line for each word, and no brackets.
    is_block: bool,
}

/// A string and its place, with its quotes.
#[derive(Debug)]
struct Word {
    place: Range<usize>,
    value: String,
}

/// A file in which an entry was looked for.
#[derive(Debug)]
pub(super) enum Lookup {
    /// It is there.
    Entry(Found),
    /// It is there, and names a server elsewhere.
    Remote(String),
    /// It is not; these are.
    Missing(Vec<String>),
}

impl Lookup {
    /// Looks for the entry `name` below `keys`; an error where the text can't be understood.
    pub(super) fn of(row: &Row, keys: &[String], text: &str, name: &str) -> Result<Self, String> {
        find::find(row, keys, text, name)
    }
}

/// Returns the number of the word before the wrapped command; `None` where nothing is wrapped.
fn dashes(words: &[&str]) -> Option<usize> {
    let is_wrap = words.first().is_some_and(|program| is_cutline(program)) && words.get(1) == Some(&WRAP);
    let dashes = words.iter().position(|word| *word == DASHES)?;
    (is_wrap && dashes + 1 < words.len()).then_some(dashes)
}

/// Returns the wrapped command and its arguments, of a command that is a wrap.
pub(in crate::cli) fn wrapped_words<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    words.get(dashes(words)? + 1..)
}

impl Args {
    /// The text between two words.
    fn separator(&self, text: &str) -> String {
        let space = self.space(text);
        if !self.is_block {
            return format!(",{}", if space.is_empty() { " " } else { space });
        }
        let line = text[..self.place.start].rsplit('\n').next().unwrap_or_default();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        format!("{newline}{}- ", " ".repeat(line.chars().count()))
    }

    /// The space between the opening bracket and the first word.
    fn space<'a>(&self, text: &'a str) -> &'a str {
        let inside = if self.is_block { "" } else { &text[self.place.start + 1..self.place.end - 1] };
        &inside[..inside.len() - inside.trim_start().len()]
    }

    /// The text that joins words that are put in.
    fn joined(&self, words: &[String], text: &str) -> String {
        words.join(if self.is_block { self.separator(text) } else { ", ".to_owned() }.as_str())
    }

    /// The change that puts these words before its own.
    fn with(&self, words: &[String], text: &str) -> (Range<usize>, String) {
        let at = self.place.start + if self.is_block { 0 } else { 1 + self.space(text).len() };
        let at = if self.is_block { start_of(&self.words, 0) } else { at };
        let end = if self.words.is_empty() { String::new() } else { self.separator(text) };
        (at..at, format!("{}{end}", self.joined(words, text)))
    }

    /// The change that takes out its words up to the one before number `next`.
    fn without(&self, next: usize, text: &str) -> (Range<usize>, String) {
        let start = start_of(&self.words, 0);
        let end = end_of(&self.words, next - 1);
        if next >= self.words.len() {
            return (start..end, String::new());
        }
        if self.is_block {
            return (start..start_of(&self.words, next), String::new());
        }
        let rest = &text[end..self.place.end];
        let after = rest.trim_start().strip_prefix(',').unwrap_or(rest);
        let separator = self.separator(text);
        let after = after.strip_prefix(&separator[1..]).unwrap_or(after);
        (start..self.place.end - after.len(), String::new())
    }
}

impl Found {
    /// Returns the program and its arguments.
    pub(super) fn words(&self) -> Vec<&str> {
        let (program, args) = match &self.command {
            Command::Apart { program, args, .. } => (Some(program), args.as_ref()),
            Command::OneList(words) => (None, Some(words)),
        };
        let args = args.into_iter().flat_map(|args| &args.words);
        program.into_iter().chain(args).map(|word| word.value.as_str()).collect()
    }

    /// True if it starts a wrap.
    pub(super) fn is_wrapped(&self) -> bool {
        dashes(&self.words()).is_some()
    }

    /// Returns the words that the entry wraps, or would wrap.
    pub(super) fn server(&self) -> Vec<&str> {
        let words = self.words();
        let first = dashes(&words).map_or(0, |dashes| dashes + 1);
        words.into_iter().skip(first).collect()
    }

    /// Returns `text` with the entry wrapped by `binary` with `flags`; one that is wrapped gets these flags.
    pub(super) fn wrap(&self, text: &str, binary: &str, flags: &[String]) -> String {
        let mut words: Vec<String> = vec![quoted(WRAP)];
        words.extend(flags.iter().map(|flag| quoted(flag)));
        words.push(quoted(DASHES));
        let dashes = dashes(&self.words());
        match &self.command {
            Command::OneList(list) => {
                words.insert(0, quoted(binary));
                let change = match dashes {
                    Some(dashes) => {
                        (start_of(&list.words, 0)..end_of(&list.words, dashes), list.joined(&words, text))
                    }
                    None => list.with(&words, text),
                };
                replaced(text, vec![change])
            }
            Command::Apart { program, args, before_args } => {
                let change = match (args, dashes) {
                    (Some(args), Some(dashes)) => {
                        let place = start_of(&args.words, 0)..end_of(&args.words, dashes - 1);
                        (place, args.joined(&words, text))
                    }
                    (args, _) => {
                        words.push(text[program.place.clone()].to_owned());
                        let end = program.place.end;
                        match args {
                            Some(args) => args.with(&words, text),
                            None => (end..end, format!("{before_args}[{}{WERE_NONE}]", words.join(", "))),
                        }
                    }
                };
                replaced(text, vec![(program.place.clone(), quoted(binary)), change])
            }
        }
    }

    /// Returns `text` with the entry as it was before it was wrapped; `None` where it is not wrapped.
    pub(super) fn unwrap(&self, text: &str) -> Option<String> {
        let dashes = dashes(&self.words())?;
        let (program, args, before_args) = match &self.command {
            Command::OneList(list) => return Some(replaced(text, vec![list.without(dashes + 1, text)])),
            Command::Apart { program, args, before_args } => (program, args.as_ref()?, before_args),
        };
        // Of its own words the first is the program.
        let wrapped = args.words.get(dashes)?.place.clone();
        let between = text.get(program.place.end..args.place.start);
        let were_none = !args.is_block
            && text[wrapped.end..args.place.end] == format!("{WERE_NONE}]")
            && between == Some(before_args);
        let change = if were_none {
            (program.place.end..args.place.end, String::new())
        } else {
            args.without(dashes + 1, text)
        };
        Some(replaced(text, vec![(program.place.clone(), text[wrapped].to_owned()), change]))
    }
}

fn start_of(words: &[Word], n: usize) -> usize {
    words.get(n).map_or(0, |word| word.place.start)
}

fn end_of(words: &[Word], n: usize) -> usize {
    words.get(n).map_or(0, |word| word.place.end)
}

/// A string as JSON, TOML and YAML all write it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn replaced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = text.to_owned();
    for (place, new) in edits {
        text.replace_range(place, &new);
    }
    text
}

#[cfg(test)]
mod tests;
