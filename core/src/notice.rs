//! Every text that is said in an answer beside the body, once.
//!
//! A notice is a line in square brackets after the body: what was left out, and the exact next
//! call that gets it. The one that says how to continue comes last. Each variant has its words
//! beside it; the same facts as data are in [`crate::details`].

mod answer;
mod limit;
mod lookalike;
mod names;
mod rest;
mod saved;
mod shown;
mod stopped;

use std::fmt;

use derive_more::Display;
use serde::Serialize;

use crate::text::Size;
use crate::truncate::Limit;
use limit::{cut_by, over};

pub use answer::{Answer, BodyEnd, PipelineExitCodes, Status};
pub use limit::{PageOf, Unit};
pub use lookalike::NoticeLike;
pub use names::{NAMES_LISTED, Names};
pub use rest::{FullLines, LineHint, RankedNext};
pub use saved::Saved;
pub use shown::{ImageShown, Part, PartUnit, ResultShown, Shown};
pub use stopped::StoppedAt;

/// The texts in the place of a body that has nothing in it.
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

/// The line between the first and the last lines of an output.
///
/// ```
/// use cutline_core::notice::Omission;
/// assert_eq!(Omission(1).to_string(), "[...Output truncated: 1 line omitted...]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("[...Output truncated: {} omitted...]", Count(*_0, "line", "lines"))]
pub struct Omission(
    /// Lines that are left out.
    pub u64,
);

/// A line in square brackets after the body.
///
/// ```
/// use cutline_core::notice::Notice;
/// use cutline_core::truncate::Limit;
/// let page = Notice::Page { first: 1, last: 2000, total: 5000, is_at_least: false, limit: Limit::Lines(2000) };
/// assert_eq!(page.to_string(), "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[non_exhaustive]
pub enum Notice {
    /// The end of the body has the form of a notice but is part of the text. Follows the body directly.
    #[display("[The {} part of the text, not {}]",
        if _0.lines() == 1 { "line above is".to_owned() } else { format!("{} lines above are", _0.lines()) },
        if _0.lines() == 1 { "a notice" } else { "notices" }
    )]
    PartOfText(NoticeLike),
    /// A page of a file: its lines, and the line at which the next one begins.
    #[display(
        "[Showing lines {first}-{last} of {}{total}{}{}]",
        at_least(*is_at_least),
        cut_by(*limit),
        rest::after(*last, *total)
    )]
    Page {
        /// Number of the first line shown.
        first: u64,
        /// Number of the last line shown.
        last: u64,
        /// Lines in the file.
        total: u64,
        /// True if the file may have more lines: they were not counted to its end.
        is_at_least: bool,
        /// The limit that cut the page.
        limit: Limit,
    },
    /// A line that alone is over the byte limit, at the start of a page.
    #[display("[Line {line} is {}{}{}]", at_least(*is_at_least), over(*bytes, *limit), hint.words(*line, *limit))]
    LineTooLong {
        /// Its number.
        line: u64,
        /// Its bytes.
        bytes: u64,
        /// True if it may have more bytes: they were not counted to its end.
        is_at_least: bool,
        /// The limit.
        limit: Limit,
        /// The way to get at it.
        hint: LineHint,
    },
    /// A file without content.
    #[display("[File is empty]")]
    FileEmpty,
    /// A body of nothing but white space.
    #[display("[{_0} white space]")]
    Blank(Blank),
    /// An image that was made smaller, in pixels or in bytes.
    #[display("[Image is {}x{}, {}]", from.0, from.1, to.instead_of(from.2))]
    ImageChanged {
        /// Its size as it is on disk: width, height, bytes.
        from: (u32, u32, u64),
        /// The image that is shown.
        to: ImageShown,
    },
    /// An image that is not shown, because the client shows none.
    #[display("[This client shows no images]")]
    ImagesOff,
    /// An image over a bound, such as `12 megapixels` or `25MB`.
    #[display("[Image is over {_0} and can't be shown]")]
    ImageTooLarge(String),
    /// An image that can't be decoded.
    #[display("[Image is damaged and can't be shown]")]
    ImageDamaged,
    /// A command's output that was cut, and the place of all of it.
    #[display("[Showing {shown}. {saved}]")]
    Output {
        /// The part that is shown.
        shown: Shown,
        /// The place of the whole.
        saved: Saved,
    },
    /// A command's output that is not text.
    #[display("[Binary output: {}. {saved}]", Size(*bytes))]
    OutputBinary {
        /// All its bytes.
        bytes: u64,
        /// The place of the whole.
        saved: Saved,
    },
    /// The call asked for more seconds than a command may run.
    #[display("[Timeout lowered to {}]", Count(*secs, "second", "seconds"))]
    TimeoutLowered {
        /// Seconds that it may run.
        secs: u64,
    },
    /// Another server's result that was cut, and where all of it is.
    #[display("[Showing {}. {saved}]", shown.with_blocks(*blocks))]
    Result {
        /// The part that is shown.
        shown: ResultShown,
        /// Text blocks shown, and text blocks in all, where some are not shown.
        blocks: Option<(u64, u64)>,
        /// The file with the rest.
        saved: Saved,
    },
    /// A command that goes on after its answer.
    #[display(
        "[Still running after {} (pid {id}). Its {}. Use bash to wait for it: tail --pid={id} -f /dev/null]",
        Count(*secs, "second", "seconds"),
        saved.goes_on()
    )]
    StillRunning {
        /// Seconds that it has run.
        secs: u64,
        /// Its shell's number.
        id: u32,
        /// The file to which its output goes on.
        saved: Saved,
    },
    /// Files that a sandboxed command created or changed, and that start programs outside the sandbox.
    #[display(
        "[The command {change} {names}{}, which {} programs outside the sandbox]",
        between(" and ", names.unlisted(), " more"),
        if names.count() == 1 { "starts" } else { "start" }
    )]
    AutorunFiles {
        /// What happened to them.
        change: FileChange,
        /// Their names.
        names: Names,
    },
    /// Processes that outlive the command and hold its output.
    #[display("[Background {} {}]", saved::still_running(named, *count), saved.goes_on())]
    Background {
        /// The id and name of each of the first three.
        named: Vec<(u32, String)>,
        /// Their number.
        count: usize,
        /// The place to which their output goes on.
        saved: Saved,
    },
    /// The call's limit ended a search or a listing.
    #[display("[{}{}]", unit.limit_reached(*limit), between(". ", saved.as_ref(), ""))]
    LimitReached {
        /// The limit.
        limit: u64,
        /// The things that it counts.
        unit: Unit,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// The byte limit, or the line limit, ended a search.
    #[display("[{by} limit reached{}{}]", between(" (", *of, " shown)"), between(". ", saved.as_ref(), ""))]
    PageLimit {
        /// The limit that cut.
        by: Limit,
        /// The number of things shown and in all, if the tool says so.
        of: Option<PageOf>,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// The most relevant of the results are shown.
    #[display("[{of}{}, most relevant first{}]", between(" (", *by, " limit)"), between(". ", *next, ""))]
    Ranked {
        /// The number shown and in all.
        of: PageOf,
        /// The limit that cut the page, where one did.
        by: Option<Limit>,
        /// The way to the results that follow, if any do.
        next: Option<RankedNext>,
    },
    /// The one name that is shown is over the byte limit alone.
    #[display("[Name is {}{}]", over(*bytes, *limit), between(". ", saved.as_ref(), ""))]
    NameTooLong {
        /// Its bytes.
        bytes: u64,
        /// The limit.
        limit: Limit,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// Lines were cut to a number of characters.
    #[display("[Some lines truncated to {max_chars} chars{}]", hint.words())]
    LinesTruncated {
        /// Characters of a line at most.
        max_chars: usize,
        /// The way to see the whole lines.
        hint: FullLines,
    },
    /// Context of the first match that has no room beside it.
    #[display(
        "[{} of the first match left out{}]",
        Count(*lines, "context line", "context lines"),
        if *can_read { ". Use read tool to see them" } else { "" }
    )]
    ContextLeftOut {
        /// Number of lines.
        lines: u64,
        /// True if the tool that reads files is there.
        can_read: bool,
    },
    /// The place of an output of which only long lines were cut.
    #[display("[{_0}]")]
    FullOutput(Saved),
    /// The reason why no more of an output was saved: a line in the saved output itself, before the command's status.
    #[display("[Output after this was not saved: {_0}]")]
    RestNotSaved(String),
    /// Files or folders that could not be read.
    #[display("[{} could not be read: {_0}]", Count(_0.count(), "path", "paths"))]
    Unreadable(Names),
    /// Files with a line that is too long to search.
    #[display("[{} a line too long to search: {_0}]", Count(_0.count(), "file has", "files have"))]
    TooLong(Names),
    /// Files too large for a search across lines.
    #[display(
        "[{} over {}, too large for multiline: {names}]",
        Count(names.count(), "file is", "files are"),
        Size(*limit)
    )]
    TooLarge {
        /// Their names.
        names: Names,
        /// The size that was the limit.
        limit: u64,
    },
    /// Files that say no size, and were searched up to a limit.
    #[display(
        "[{} over {}, searched up to there: {names}]",
        Count(names.count(), "file is", "files are"),
        Size(*limit)
    )]
    SearchedUpTo {
        /// Their names.
        names: Names,
        /// The size that was the limit.
        limit: u64,
    },
    /// The ignore rules of this many folders were not applied.
    #[display("[Ignore rules of {} were too large and left aside]", Count(*_0, "folder", "folders"))]
    RulesLeftAside(u64),
    /// Nothing was found for a pattern that has its alternatives as grep's basic syntax writes them.
    #[display("[An escaped | is the character itself. Use a plain | between alternatives]")]
    BarEscaped,
    /// Nothing was found for a glob that lists several, as this one lists them.
    #[display("[A comma in a glob is the character itself. Use {_0} for all of them]")]
    GlobsListed(String),
    /// Nothing was found, and ignore rules left something out.
    #[display("[Ignored files were not searched. Use noIgnore=true to include them]")]
    IgnoredNotSearched,
    /// A search or a listing that stopped at its deadline.
    #[display("[Stopped after {}: {at}]", Count(*secs, "second", "seconds"))]
    Stopped {
        /// Seconds that the call had.
        secs: u64,
        /// How far it came.
        at: StoppedAt,
    },
    /// The offset at which the next page begins, for the tools that skip results.
    #[display("[Use offset={offset} to continue]")]
    Continue {
        /// The offset.
        offset: u64,
    },
}

/// The kind of a body of nothing but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Blank {
    /// A whole file, of this many lines.
    #[display("File is {} of", Count(*_0, "line", "lines"))]
    File(u64),
    /// A command's whole output, of this many lines.
    #[display("Output is {} of", Count(*_0, "line", "lines"))]
    Output(u64),
    /// A part of a file or an output, from one line to another.
    #[display("{}", if _0 == _1 { format!("Line {_0} is") } else { format!("Lines {_0}-{_1} are") })]
    Lines(u64, u64),
    /// This many names.
    #[display("{} {} of", if *_0 == 1 { "Result is" } else { "Results are" }, Count(*_0, "name", "names"))]
    Results(u64),
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    /// It did not exist before.
    #[display("created")]
    Created,
    /// Its content is another.
    #[display("changed")]
    Changed,
}

/// A number with its word, in one or in many.
#[derive(Display)]
#[display("{_0} {}", if *_0 == 1 { _1 } else { _2 })]
pub struct Count(pub u64, pub &'static str, pub &'static str);

/// Returns the words before a number that is a lower bound.
fn at_least(is_lower_bound: bool) -> &'static str {
    if is_lower_bound { "at least " } else { "" }
}

/// Returns `value` after `start` and before `end`; nothing where there is none.
fn between(start: &str, value: Option<impl fmt::Display>, end: &str) -> String {
    value.map_or_else(String::new, |value| format!("{start}{value}{end}"))
}

#[cfg(test)]
mod tests;
