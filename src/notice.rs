//! Every text that cutline itself says in an answer, once.
//!
//! A notice is a line in square brackets after the body: what was left out, and the exact next
//! call that gets it. The one that says how to continue comes last. What the model reads as an
//! error is in `tools::error`; what a client reads as data is in `details`.

mod compose;
mod list;

use std::fmt;

use crate::text::show;
use crate::text::{Size, SizePair};

pub use compose::Answer;
pub use list::Names;

/// What stands for a body that has nothing in it.
pub mod empty {
    /// A command that printed nothing.
    pub const NO_OUTPUT: &str = "(no output)";
    /// A folder without entries.
    pub const NO_ENTRIES: &str = "(empty directory)";
    /// A search without matches.
    pub const NO_MATCHES: &str = "No matches found";
    /// A search for names without results.
    pub const NO_FILES: &str = "No files found matching pattern";
}

/// What stands between the first and the last lines of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omission(
    /// How many lines are left out.
    pub u64,
);

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[...Output truncated: {} omitted...]", Count(self.0, "line", "lines"))
    }
}

/// A line in square brackets after the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A page of a file; what it holds and where the next one begins.
    Page {
        /// Number of the first line shown.
        first: u64,
        /// Number of the last line shown.
        last: u64,
        /// Lines in the file.
        total: u64,
        /// The byte limit, where that cut the page.
        byte_limit: Option<u64>,
    },
    /// A line that alone is over the byte limit, at the start of a page.
    LineTooLong {
        /// Its number.
        line: u64,
        /// Its bytes.
        bytes: u64,
        /// The byte limit.
        limit: u64,
        /// How to get at it.
        hint: LineHint,
    },
    /// A file without content.
    FileEmpty,
    /// A body of nothing but white space.
    Blank(Blank),
    /// An image that was made smaller.
    ImageScaled {
        /// Its size as it is on disk: width, height, bytes.
        from: (u32, u32, u64),
        /// Width and height as it is shown.
        to: (u32, u32),
    },
    /// An image of more pixels than are decoded.
    ImageTooLarge {
        /// Millions of pixels that an image may have.
        megapixels: u64,
    },
    /// An image that can't be decoded.
    ImageDamaged,
    /// A command's output that was cut, and where all of it is.
    Output {
        /// What is shown.
        shown: Shown,
        /// Where the rest is.
        saved: Saved,
    },
    /// A command's output that is not text.
    OutputBinary {
        /// All its bytes.
        bytes: u64,
        /// Where they are.
        saved: Saved,
    },
    /// Processes that outlive the command and hold its output.
    Background {
        /// Each one's id and name; three at most, `count` says how many there are.
        named: Vec<(u32, String)>,
        /// How many there are.
        count: usize,
        /// Where their output goes on to.
        saved: Saved,
    },
    /// The call's limit ended a search or a listing.
    LimitReached {
        /// The limit.
        limit: u64,
        /// What it counts.
        unit: Unit,
    },
    /// The byte limit, or the line limit, ended a search.
    PageLimit {
        /// The limit that cut.
        by: PageLimit,
        /// What is shown and of how many, where the tool says so.
        of: Option<PageOf>,
    },
    /// Lines were cut to a number of characters.
    LinesTruncated {
        /// How many characters.
        max_chars: usize,
        /// Whether the read tool is there to see the whole line.
        read: bool,
    },
    /// Files or folders that could not be read.
    Unreadable(Names),
    /// Files with a line that is too long to search.
    TooLong(Names),
    /// Files too large for a search across lines.
    TooLarge {
        /// Their names.
        names: Names,
        /// The size that was the limit.
        limit: u64,
    },
    /// Nothing was found, and ignore rules left something out.
    IgnoredNotSearched,
    /// The offset at which the next page begins, for the tools that skip results.
    Continue {
        /// The offset.
        offset: u64,
    },
}

/// How to get at a line that no page can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHint {
    /// The start of a file's first line; the path is quoted for the shell.
    ShellHead(String),
    /// The start of another line; the path is quoted for the shell.
    ShellLine(String),
    /// There is no shell: search in it, or go on after it.
    Tools {
        /// Whether grep is there.
        grep: bool,
        /// The next line, where there is one.
        next: Option<u64>,
    },
}

/// What a body of nothing but white space is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// A whole file, of so many lines.
    File(u64),
    /// A command's whole output, of so many lines.
    Output(u64),
    /// A part of a file, from one line to another.
    Lines(u64, u64),
}

/// What an answer shows of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Whole lines, from one number to another.
    Lines {
        /// The first one's number.
        first: u64,
        /// The last one's number.
        last: u64,
        /// Lines in all.
        total: u64,
        /// The byte limit, where that cut.
        byte_limit: Option<u64>,
    },
    /// The first lines and the last ones.
    Ends {
        /// How many lines from the start.
        head: u64,
        /// Number of the first line after the gap.
        tail: u64,
        /// Lines in all.
        total: u64,
        /// The byte limit, where that cut.
        byte_limit: Option<u64>,
    },
    /// The end of the last line, after `head` whole lines from the start.
    EndOfLine {
        /// How many lines from the start.
        head: u64,
        /// The line's number.
        line: u64,
        /// How many of its bytes are shown.
        bytes: u64,
        /// How many it has.
        of: u64,
    },
    /// The start of the first line.
    StartOfLine {
        /// How many of its bytes are shown.
        bytes: u64,
        /// How many it has.
        of: u64,
    },
}

/// Where the whole of an output is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// In this file.
    At {
        /// Its path.
        path: String,
        /// How many bytes of the output it holds, where it does not hold all.
        first: Option<u64>,
    },
    /// Nowhere, and why.
    Not {
        /// What the system said.
        reason: String,
    },
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Matching lines.
    Matches,
    /// Files that have a match.
    Files,
    /// Names that match.
    Results,
    /// Entries of a folder.
    Entries,
}

/// The limit of a page, as its notice names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLimit {
    /// So many bytes.
    Bytes(u64),
    /// So many lines.
    Lines(u64),
}

/// How many of how many are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOf {
    /// How many are shown.
    pub shown: u64,
    /// How many there are, up to the call's limit.
    pub total: u64,
    /// Whether there are more than `total`.
    pub more: bool,
    /// What is counted.
    pub unit: Unit,
}

/// How a command ended, where that is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With a code other than 0.
    Exited(i32),
    /// By a signal.
    Killed {
        /// The signal's name, `SIGKILL`.
        signal: &'static str,
        /// 128 and the signal's number.
        code: i32,
    },
    /// By its timeout, in seconds.
    TimedOut(u64),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page { first, last, total, byte_limit } => {
                write!(f, "[Showing lines {first}-{last} of {total}{}", Limit(*byte_limit))?;
                if last < total {
                    write!(f, ". Use offset={} to continue", last + 1)?;
                }
                write!(f, "]")
            }
            Self::LineTooLong { line, bytes, limit, hint } => {
                let size = SizePair::new(*bytes, *limit);
                write!(f, "[Line {line} is {}, exceeds {} limit", size.larger(), size.smaller())?;
                match hint {
                    LineHint::ShellHead(path) => {
                        write!(f, ". Use bash to read: head -c {limit} {path}]")
                    }
                    LineHint::ShellLine(path) => {
                        write!(f, ". Use bash: sed -n '{line}p' {path} | head -c {limit}]")
                    }
                    LineHint::Tools { grep, next } => {
                        if *grep {
                            write!(f, ". Use grep to see parts of it")?;
                        }
                        if let Some(next) = next {
                            write!(f, ". Use offset={next} to continue")?;
                        }
                        write!(f, "]")
                    }
                }
            }
            Self::FileEmpty => write!(f, "[File is empty]"),
            Self::Blank(blank) => write!(f, "{blank}"),
            Self::ImageScaled { from: (width, height, bytes), to } => {
                let size = Size(*bytes);
                write!(f, "[Image is {width}x{height}, {size}; scaled down to {}x{}]", to.0, to.1)
            }
            Self::ImageTooLarge { megapixels } => {
                write!(f, "[Image is over {megapixels} megapixels and can't be shown]")
            }
            Self::ImageDamaged => write!(f, "[Image is damaged and can't be shown]"),
            Self::Output { shown, saved } => write!(f, "[Showing {shown}. {saved}]"),
            Self::OutputBinary { bytes, saved } => {
                write!(f, "[Binary output: {}. {saved}]", Size(*bytes))
            }
            Self::Background { named, count, saved } => background(f, named, *count, saved),
            Self::LimitReached { limit, unit } => {
                let counted = match limit {
                    1 => unit.one(),
                    _ => unit.many(),
                };
                let refine = match unit {
                    Unit::Entries => "",
                    _ => ", or refine pattern",
                };
                let twice = limit.saturating_mul(2);
                write!(f, "[{limit} {counted} limit reached. Use limit={twice} for more{refine}]")
            }
            Self::PageLimit { by, of } => {
                match by {
                    PageLimit::Bytes(bytes) => write!(f, "[{} limit reached", Size(*bytes))?,
                    PageLimit::Lines(lines) => {
                        write!(f, "[{} limit reached", Count(*lines, "line", "lines"))?;
                    }
                }
                if let Some(PageOf { shown, total, more, unit }) = of {
                    let plus = if *more { "+" } else { "" };
                    write!(f, " ({shown} of {total}{plus} {} shown)", unit.many())?;
                }
                write!(f, "]")
            }
            Self::LinesTruncated { max_chars, read } => {
                let hint = if *read { ". Use read tool to see full lines" } else { "" };
                write!(f, "[Some lines truncated to {max_chars} chars{hint}]")
            }
            Self::Unreadable(names) => {
                let paths = Count(names.count(), "path", "paths");
                write!(f, "[{paths} could not be read: {names}]")
            }
            Self::TooLong(names) => {
                let files = Count(names.count(), "file has", "files have");
                write!(f, "[{files} a line too long to search: {names}]")
            }
            Self::TooLarge { names, limit } => {
                let files = Count(names.count(), "file is", "files are");
                write!(f, "[{files} over {}, too large for multiline: {names}]", Size(*limit))
            }
            Self::IgnoredNotSearched => {
                write!(f, "[Ignored files were not searched. Use noIgnore=true to include them]")
            }
            Self::Continue { offset } => write!(f, "[Use offset={offset} to continue]"),
        }
    }
}

fn background(
    f: &mut fmt::Formatter<'_>,
    named: &[(u32, String)],
    count: usize,
    saved: &Saved,
) -> fmt::Result {
    let (processes, whose) = match count {
        1 => ("process", "Its"),
        _ => ("processes", "Their"),
    };
    write!(f, "[Background {processes} still running: ")?;
    for (n, (pid, name)) in named.iter().enumerate() {
        let comma = if n > 0 { ", " } else { "" };
        write!(f, "{comma}{pid} {name}")?;
    }
    if count > named.len() {
        write!(f, " and {} more", count - named.len())?;
    }
    match saved {
        Saved::At { path, .. } => {
            write!(f, ". {whose} output goes on to {}]", show::path(path))
        }
        Saved::Not { reason } => write!(f, ". {whose} output could not be saved: {reason}]"),
    }
}

impl fmt::Display for Blank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |lines| Count(lines, "line", "lines");
        match self {
            Self::File(count) => write!(f, "[File is {} of white space]", lines(*count)),
            Self::Output(count) => write!(f, "[Output is {} of white space]", lines(*count)),
            Self::Lines(first, last) => write!(f, "[Lines {first}-{last} are white space]"),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { first, last, total, byte_limit } => {
                write!(f, "lines {first}-{last} of {total}{}", Limit(*byte_limit))
            }
            Self::Ends { head, tail, total, byte_limit } => {
                write!(f, "lines 1-{head} and {tail}-{total} of {total}{}", Limit(*byte_limit))
            }
            Self::EndOfLine { head, line, bytes, of } => {
                let size = SizePair::new(*of, *bytes);
                if *head > 0 {
                    write!(f, "lines 1-{head} and ")?;
                }
                let (shown, whole) = (size.smaller(), size.larger());
                write!(f, "last {shown} of line {line} (line is {whole})")
            }
            Self::StartOfLine { bytes, of } => {
                let size = SizePair::new(*of, *bytes);
                let (shown, whole) = (size.smaller(), size.larger());
                write!(f, "first {shown} of line 1 (line is {whole})")
            }
        }
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { path, first: None } => write!(f, "Full output: {}", show::path(path)),
            Self::At { path, first: Some(bytes) } => {
                write!(f, "Full output: {} (first {})", show::path(path), Size(*bytes))
            }
            Self::Not { reason } => write!(f, "Full output could not be saved: {reason}"),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "Command exited with code {code}"),
            Self::Killed { signal, code } => {
                write!(f, "Command killed by signal {signal} (code {code})")
            }
            Self::TimedOut(secs) => {
                write!(f, "Command timed out after {}", Count(*secs, "second", "seconds"))
            }
        }
    }
}

impl Unit {
    /// The word for one: `match`.
    pub fn one(self) -> &'static str {
        match self {
            Self::Matches => "match",
            Self::Files => "file",
            Self::Results => "result",
            Self::Entries => "entry",
        }
    }

    /// The word for several: `matches`.
    pub fn many(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Files => "files",
            Self::Results => "results",
            Self::Entries => "entries",
        }
    }
}

/// ` (30KB limit)`, where the byte limit cut.
struct Limit(Option<u64>);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |bytes| write!(f, " ({} limit)", Size(bytes)))
    }
}

/// A number with its word, in one or in many.
pub(crate) struct Count(pub(crate) u64, pub(crate) &'static str, pub(crate) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.0 == 1 { self.1 } else { self.2 };
        write!(f, "{} {word}", self.0)
    }
}
