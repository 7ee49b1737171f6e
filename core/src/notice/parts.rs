//! The parts of notices: locations, names, numbers with their words, and what is shown.

use std::fmt;

use derive_more::Display;
use serde::Serialize;

use super::Notice;
use crate::text::{Size, Total, show};
use crate::truncate::{Limit, Reports};

/// A number with its word: the singular for 1, otherwise the plural.
#[derive(Display)]
#[display("{_0} {}", if *_0 == 1 { _1 } else { _2 })]
pub struct Count(pub u64, pub &'static str, pub &'static str);

/// Returns `value` after `start` and before `end`, or an empty string without a value.
pub fn between(start: &str, value: Option<impl fmt::Display>, end: &str) -> String {
    value.map_or_else(String::new, |value| format!("{start}{value}{end}"))
}

/// Returns ` (30KB limit)` for a limit of bytes or tokens, and nothing for others.
pub(super) fn cut_by(limit: Limit) -> String {
    between(" (", Some(limit).filter(|limit| !matches!(limit, Limit::Lines(_))), " limit)")
}

/// Returns bytes and the limit that they exceed: `31KB, exceeds 30KB limit`.
pub(super) fn over(bytes: Total, limit: Limit) -> String {
    let (size, limit) = match limit {
        Limit::Bytes(limit) => Size(bytes.count()).beside(limit),
        _ => (Size(bytes.count()).to_string(), limit.to_string()),
    };
    format!("{}{size}, exceeds {limit} limit", bytes.at_least())
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Matching lines.
    Matches,
    /// Files with a match.
    Files,
    /// Matching names.
    Results,
    /// Entries of a folder.
    Entries,
    /// Items of an array.
    Items,
    /// Members of an object.
    Members,
    /// Characters of a string.
    Characters,
    /// Blocks of a result.
    Blocks,
}

impl Unit {
    /// Returns the singular and the plural, such as `match` and `matches`.
    pub fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Matches => ("match", "matches"),
            Self::Files => ("file", "files"),
            Self::Results => ("result", "results"),
            Self::Entries => ("entry", "entries"),
            Self::Items => ("item", "items"),
            Self::Members => ("member", "members"),
            Self::Characters => ("character", "characters"),
            Self::Blocks => ("block", "blocks"),
        }
    }

    /// Returns a number of these.
    pub fn count(self, count: u64) -> Count {
        let (one, many) = self.nouns();
        Count(count, one, many)
    }

    /// Returns the text that a search or a listing stopped after `limit` of these, and how to get more.
    pub(super) fn limit_reached(self, limit: u64) -> String {
        let twice = limit.saturating_mul(2);
        let refine = if self == Self::Entries { "" } else { ", or refine pattern" };
        format!("{} limit reached. Use limit={twice} for more{refine}", self.count(limit))
    }
}

/// The number of shown results and of all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("{shown} of {}{} {}", total.count(), if total.is_at_least() { "+" } else { "" }, unit.nouns().1)]
pub struct PageOf {
    /// The number that is shown.
    pub shown: u64,
    /// The total number, up to the limit of the call.
    pub total: Total,
    /// What is counted.
    pub unit: Unit,
}

/// The kind of a body of nothing but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Blank {
    /// A whole file, of this many lines.
    #[display("File is {} of", Count(*_0, "line", "lines"))]
    File(u64),
    /// The full output of a command has this many lines.
    #[display("Output is {} of", Count(*_0, "line", "lines"))]
    Output(u64),
    /// A part of a file or an output, from one line to another.
    #[display("{}", if _0 == _1 { format!("Line {_0} is") } else { format!("Lines {_0}-{_1} are") })]
    Lines(u64, u64),
    /// This many names.
    #[display("{} {} of", if *_0 == 1 { "Result is" } else { "Results are" }, Count(*_0, "name", "names"))]
    Results(u64),
}

/// The location of the full output.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum Saved {
    /// In this file. Its path is whole, however long: it is to be opened.
    #[display("Full output: {path}{}", between(" (first ", first.map(Size), ")"))]
    At {
        /// Its path.
        path: String,
        /// Bytes of the output in it, if it does not hold all.
        first: Option<u64>,
    },
    /// Nowhere.
    #[display("Full output could not be saved: {reason}")]
    Not {
        /// The system's reason.
        reason: String,
    },
}

impl Saved {
    /// Returns where later output is saved. The text follows `Its` or `Their`.
    pub(super) fn later(&self) -> String {
        match self {
            Self::At { path, .. } => format!("output goes on to {path}"),
            Self::Not { reason } => format!("output could not be saved: {reason}"),
        }
    }
}

/// Names that a notice lists before it only counts.
pub const NAMES_LISTED: usize = 3;
/// Bytes that the names of one list may take together; the first is always named.
const LIST_BYTES: usize = 300;

/// Counts names, and keeps the first ones.
///
/// ```
/// use cutline_core::notice::Names;
/// let mut names = Names::default();
/// for name in ["a", "b", "c", "d"] {
///     names.push(name);
/// }
/// assert_eq!((names.count(), names.to_string()), (4, "a, b, c".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Display)]
#[display("{}", first.join(", "))]
pub struct Names {
    first: Vec<String>,
    count: u64,
}

impl Names {
    /// Counts a name, and stores it if there is room for it and for all names before it.
    pub fn push(&mut self, name: &str) {
        if self.count == self.first.len() as u64 && self.first.len() < NAMES_LISTED {
            let name = show::in_notice(name);
            let bytes: usize = self.first.iter().map(String::len).sum();
            if self.first.is_empty() || bytes + name.len() <= LIST_BYTES {
                self.first.push(name);
            }
        }
        self.count += 1;
    }

    /// Returns the number of names.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Keeps only the first name, shortened.
    pub(super) fn shorten(&mut self) {
        self.first.truncate(1);
        for name in &mut self.first {
            *name = show::with_pairs(&show::middle_out(name, SHORT_NAME_CHARS));
        }
    }

    /// Returns the text of the listed names, and the number of the others.
    pub(super) fn with_rest(&self) -> String {
        let rest = self.count - self.first.len() as u64;
        format!("{self}{}", between(" and ", (rest > 0).then_some(rest), " more"))
    }

    /// Returns `one` if there is one name, otherwise `many`.
    pub(super) fn word(&self, one: &'static str, many: &'static str) -> &'static str {
        if self.count == 1 { one } else { many }
    }

    /// Returns how to search a folder of these.
    pub(super) fn as_path(&self) -> &'static str {
        self.word("Use it as path", "Use one as path")
    }

    /// True if there was none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the notice with these names, unless there was none.
    pub fn reported_as(self, notice: fn(Self) -> Notice) -> Option<Notice> {
        (!self.is_empty()).then(|| notice(self))
    }
}

/// Why files or folders were not searched, or only in part. In the order of the notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhySkipped {
    /// They can't be read.
    Unreadable,
    /// A line is too long to search.
    LongLine,
    /// They are larger than this limit of a search across lines.
    TooLarge(u64),
    /// They have no known size, and were searched up to this limit.
    SearchedUpTo(u64),
    /// Parts of them have another encoding.
    Mixed,
}

impl WhySkipped {
    /// Formats the reason, of that many files.
    pub(super) fn of(self, count: u64) -> String {
        let files_have = Count(count, "file has", "files have");
        let over = |limit| format!("{} over {}", Count(count, "file is", "files are"), Size(limit));
        match self {
            Self::Unreadable => format!("{} could not be read", Count(count, "path", "paths")),
            Self::LongLine => format!("{files_have} a line too long to search"),
            Self::TooLarge(limit) => format!("{}, too large for multiline", over(limit)),
            Self::SearchedUpTo(limit) => format!("{}, searched up to there", over(limit)),
            Self::Mixed => format!("{files_have} parts in another encoding, which were not searched"),
        }
    }

    /// Returns what helps.
    pub(super) fn remedy(self) -> &'static str {
        let of_mixed = r". Use bash to search them: tr -d '\000' < FILE | grep -n PATTERN";
        if self == Self::Mixed { of_mixed } else { "" }
    }
}

/// The number of all results of a search or a listing.
///
/// ```
/// use cutline_core::notice::{InAll, Unit};
/// use cutline_core::text::Total;
/// let all = InAll { count: Total::AtLeast(2400), unit: Unit::Matches, files: Some(90) };
/// assert_eq!(all.to_string(), "At least 2400 matches in 90 files");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display(
    "{}{}{}",
    if matches!(count, Total::AtLeast(_)) { "At least " } else { "" },
    Count(count.count(), unit.nouns().0, unit.nouns().1),
    between(" in ", files.map(|files| Count(files, "file", "files")), "")
)]
pub struct InAll {
    /// The number of results.
    pub count: Total,
    /// What is counted.
    pub unit: Unit,
    /// The number of files with these results, if they are in files.
    pub files: Option<u64>,
}

/// The part of a search or a listing that was complete at its deadline.
///
/// ```
/// use cutline_core::notice::{StoppedAt, Unit};
/// let at = StoppedAt::Path { path: Some("src/a.rs".to_owned()), found: true, has_later: false, unit: Unit::Matches };
/// assert_eq!(at.to_string(), "searched up to src/a.rs. Narrow path or glob");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum StoppedAt {
    /// The search of a tree.
    #[display("{}", up_to(path.as_deref(), *found, *has_later, *unit))]
    Path {
        /// Everything up to this path was searched. `None` if nothing was searched completely.
        path: Option<String>,
        /// True if anything was found.
        found: bool,
        /// True if results of later paths are included.
        has_later: bool,
        /// The kind of the results.
        unit: Unit,
    },
    /// The search of one file.
    #[display("{}", if *found {
        format!("{} was searched in part", show::in_notice(path))
    } else {
        format!("found nothing in the part of {} that was searched", show::in_notice(path))
    })]
    File {
        /// The path of the file.
        path: String,
        /// True if anything was found.
        found: bool,
    },
    /// A listing, and the number of entries that were read.
    #[display("read {}, others are missing", Count(*_0, "entry", "entries"))]
    Entries(u64),
}

fn up_to(path: Option<&str>, found: bool, has_later: bool, unit: Unit) -> String {
    let narrow = if unit == Unit::Results { "pattern" } else { "glob" };
    let reached = match path.map(show::in_notice) {
        None => "no path was searched completely".to_owned(),
        Some(path) if !found => format!("found nothing up to {path}"),
        Some(path) if has_later => format!("searched up to {path}, and later paths in part"),
        Some(path) => format!("searched up to {path}"),
    };
    format!("{reached}. Narrow path or {narrow}")
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    /// It did not exist before.
    #[display("created")]
    Created,
    /// Its content changed.
    #[display("changed")]
    Changed,
}

/// How many lines there are, and which of them are not shown: `25 of 3 kinds. Line 812: 20 more alike`.
impl fmt::Display for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = if self.is_at_least { "at least " } else { "" };
        write!(f, "{at_least}{} of {at_least}{}", self.lines, Count(self.kinds, "kind", "kinds"))?;
        let mut rest: Vec<String> =
            self.alike.iter().map(|(line, more)| format!("line {line}: {more} more alike")).collect();
        rest.extend(self.hidden.map(|(kinds, line)| match kinds {
            1 => format!("1 more kind is not shown, in line {line}"),
            _ => format!("{kinds} more kinds are not shown, the first in line {line}"),
        }));
        match rest.first_mut() {
            None if self.is_at_least => Ok(()),
            None => f.write_str(", all shown"),
            Some(first) => {
                first.get_mut(..1).map(str::make_ascii_uppercase);
                write!(f, ". {}", rest.join("; "))
            }
        }
    }
}

/// A part of a result of which not everything is shown.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("{shown} of {}{}", unit.count(*total), between(" of \"", name.as_deref().map(short_name), "\""))]
pub struct Part {
    /// Number of its items, members, characters or blocks that are shown.
    pub shown: u64,
    /// Number of all of them.
    pub total: u64,
    /// What is counted.
    pub unit: Unit,
    /// Its path in the JSON, such as `items[0].text`; `None` for the result itself.
    pub name: Option<String>,
}

/// Characters of a name if there is little space; a longer one keeps both its ends.
const SHORT_NAME_CHARS: usize = 60;

/// Returns a name for a place in quotes. Its own quotes are escaped after it was cut.
fn short_name(name: &str) -> String {
    let name = name.replace("\\\"", "\"");
    show::in_notice(&show::middle_out(&show::name(name.as_bytes()), SHORT_NAME_CHARS)).replace('"', "\\\"")
}
