//! An entry of a client's file that starts another server, turned into its wrapped form and back.
//!
//! The text is changed in two places, the command and the start of its arguments, and nowhere else; the
//! way back takes out exactly what was put in. So an entry that was not edited meanwhile is to the byte
//! what it was, and edits made meanwhile stay.

mod find;

use std::ops::Range;
use std::path::Path;

use crate::cli::{Client, NAME};

pub(in crate::cli) use find::entries;

/// The word by which a wrap is told.
const WRAP: &str = "wrap";
/// The word before the wrapped command.
const DASHES: &str = "--";
/// The space before the closing bracket of arguments that an entry did not have before.
const WERE_NONE: &str = " ";

/// An entry that starts a program, as places in the text.
#[derive(Debug)]
pub(super) struct Found {
    /// The command, with its quotes.
    command: Word,
    /// The arguments, with their brackets; each with its quotes.
    args: Option<(Range<usize>, Vec<Word>)>,
    /// The text between the command and arguments that are added.
    before_args: &'static str,
    /// The whole entry.
    pub(super) whole: Range<usize>,
}

/// A string and its place.
#[derive(Debug)]
pub(super) struct Word {
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
    /// Looks for the entry `name`; an error where the text can't be understood.
    pub(super) fn of(client: Client, text: &str, name: &str) -> Result<Self, String> {
        find::find(client, text, name)
    }
}

impl Found {
    /// Returns the number of the word before the wrapped command; `None` where nothing is wrapped.
    fn dashes(&self) -> Option<usize> {
        let (_, words) = self.args.as_ref()?;
        let file = self.command.value.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_wrap = Path::new(file).file_stem().is_some_and(|stem| stem == NAME)
            && words.first().is_some_and(|word| word.value == WRAP);
        let dashes = words.iter().position(|word| word.value == DASHES)?;
        (is_wrap && dashes + 1 < words.len()).then_some(dashes)
    }

    /// True if it starts a wrap.
    pub(super) fn is_wrapped(&self) -> bool {
        self.dashes().is_some()
    }

    /// Returns `text` with the entry wrapped by `binary` with `flags`; one that is wrapped gets these flags.
    pub(super) fn wrap(&self, text: &str, binary: &str, flags: &[String]) -> String {
        let mut words: Vec<String> = vec![quoted(WRAP)];
        words.extend(flags.iter().map(|flag| quoted(flag)));
        words.push(quoted(DASHES));
        let command = (self.command.place.clone(), quoted(binary));
        let old = part(text, &self.command.place);
        let (place, new) = match (&self.args, self.dashes()) {
            (Some((_, args)), Some(dashes)) => (start_of(args, 0)..end_of(args, dashes), words.join(", ")),
            (Some((brackets, args)), None) => {
                words.push(old.to_owned());
                let inside = part(text, &(brackets.start + 1..brackets.end - 1));
                let space = inside.split_at(inside.len() - inside.trim_start().len()).0;
                let at = brackets.start + 1 + space.len();
                let separator = if space.is_empty() { " " } else { space };
                let end = if args.is_empty() { String::new() } else { format!(",{separator}") };
                (at..at, format!("{}{end}", words.join(", ")))
            }
            (None, _) => {
                words.push(old.to_owned());
                let at = self.command.place.end;
                (at..at, format!("{}[{}{WERE_NONE}]", self.before_args, words.join(", ")))
            }
        };
        replaced(text, vec![command, (place, new)])
    }

    /// Returns `text` with the entry as it was before it was wrapped; `None` where it is not wrapped.
    pub(super) fn unwrap(&self, text: &str) -> Option<String> {
        let dashes = self.dashes()?;
        let (brackets, args) = self.args.as_ref()?;
        let wrapped = args.get(dashes + 1)?;
        let command = (self.command.place.clone(), part(text, &wrapped.place).to_owned());
        let (start, end) = (start_of(args, 0), wrapped.place.end);
        let added = self.command.place.end..brackets.end;
        let between = part(text, &(self.command.place.end..brackets.start));
        let rest = part(text, &(end..brackets.end));
        let place = if rest == format!("{WERE_NONE}]") && between == self.before_args {
            added
        } else if args.len() == dashes + 2 {
            start..end
        } else {
            let space = part(text, &(brackets.start + 1..start));
            let separator = if space.is_empty() { " " } else { space };
            let after = rest.trim_start().strip_prefix(',').unwrap_or(rest);
            start..brackets.end - after.strip_prefix(separator).unwrap_or(after).len()
        };
        Some(replaced(text, vec![command, (place, String::new())]))
    }

    /// Returns the wrapped command and its arguments.
    pub(super) fn wrapped_words(&self) -> Option<Vec<&str>> {
        let (_, args) = self.args.as_ref()?;
        Some(args.iter().skip(self.dashes()? + 1).map(|word| word.value.as_str()).collect())
    }
}

fn start_of(words: &[Word], n: usize) -> usize {
    words.get(n).map_or(0, |word| word.place.start)
}

fn end_of(words: &[Word], n: usize) -> usize {
    words.get(n).map_or(0, |word| word.place.end)
}

fn part<'a>(text: &'a str, place: &Range<usize>) -> &'a str {
    text.get(place.clone()).unwrap_or_default()
}

/// A string as JSON and TOML both write it.
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
