//! Notices about a text that was cut, and the text of a result.
//!
//! A notice is a line in square brackets after the body. It reports what was omitted. Where a notice can name a next
//! call, the caller provides that sentence, because it depends on the runtime and its tools. A runtime can also define
//! notices of its own: [`Answer`] takes any type that implements [`Display`](fmt::Display). The same facts as data are
//! in [`crate::details`].

mod answer;
mod limit;
mod lookalike;
mod names;
mod saved;
mod shown;

use std::fmt;

use derive_more::Display;

use crate::text::Size;
use crate::truncate::Limit;
use limit::cut_by;

pub use answer::{Answer, PipelineExitCodes, Status};
pub use limit::over;
pub use lookalike::NoticeLike;
pub use names::{NAMES_LISTED, Names};
pub use saved::Saved;
pub use shown::{Part, PartUnit, ResultShown, Shown};

/// The line between the first and the last lines of an output.
///
/// ```
/// use cutline_core::notice::Omission;
/// assert_eq!(Omission(1).to_string(), "[...Output truncated: 1 line omitted...]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("[...Output truncated: {} omitted...]", Count(*_0, "line", "lines"))]
pub struct Omission(
    /// Number of omitted lines.
    pub u64,
);

/// A line in square brackets after the body.
///
/// ```
/// use cutline_core::notice::Notice;
/// use cutline_core::truncate::Limit;
/// let (first, last, total, limit) = (1, 2000, 5000, Limit::Lines(2000));
/// let next = Some("Call view_file with start_line 2001 for more".to_owned());
/// let page = Notice::Page { first, last, total, is_at_least: false, limit, next };
/// assert_eq!(
///     page.to_string(),
///     "[Showing lines 1-2000 of 5000. Call view_file with start_line 2001 for more]",
/// );
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
    /// The definitions in the part of a source file that is not shown.
    #[display("{_0}")]
    Outline(crate::outline::Listed),
    /// A page of a text: the numbers of its lines.
    #[display(
        "[Showing lines {first}-{last} of {}{total}{}{}]",
        at_least(*is_at_least),
        cut_by(*limit),
        between(". ", next.as_ref(), "")
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
        /// The sentence that names the call for the next page, without a full stop.
        next: Option<String>,
    },
    /// A line that alone is over the byte limit, at the start of a page.
    #[display(
        "[Line {line} is {}{}{}]",
        at_least(*is_at_least),
        over(*bytes, *limit),
        between(". ", next.as_ref(), "")
    )]
    LineTooLong {
        /// Its number.
        line: u64,
        /// Its bytes.
        bytes: u64,
        /// True if it may have more bytes: they were not counted to its end.
        is_at_least: bool,
        /// The limit.
        limit: Limit,
        /// The sentences that name the call for a part of this line or for the next line, without the last full stop.
        next: Option<String>,
    },
    /// A file without content.
    #[display("[File is empty]")]
    FileEmpty,
    /// A body of nothing but white space.
    #[display("[{_0} white space]")]
    Blank(Blank),
    /// Reports a part of the output of a command, and the location of the full output.
    #[display("[Showing {shown}. {saved}]")]
    Output {
        /// The part that is shown.
        shown: Shown,
        /// The location of the full output.
        saved: Saved,
    },
    /// A command's output that is not text.
    #[display("[Binary output: {}. {saved}]", Size(*bytes))]
    OutputBinary {
        /// All its bytes.
        bytes: u64,
        /// The location of the full output.
        saved: Saved,
    },
    /// Reports a part of the result of a wrapped server, and the location of the full result.
    #[display("[Showing {}. {saved}]", shown.with_blocks(*blocks))]
    Result {
        /// The part that is shown.
        shown: ResultShown,
        /// Text blocks shown, and text blocks in all, where some are not shown.
        blocks: Option<(u64, u64)>,
        /// The file with the rest.
        saved: Saved,
    },
    /// Lines were cut to a number of characters.
    #[display("[Some lines truncated to {max_chars} chars{}]", between(". ", next.as_ref(), ""))]
    LinesTruncated {
        /// Characters of a line at most.
        max_chars: usize,
        /// The sentence that names the call for the complete lines, without a full stop.
        next: Option<String>,
    },
    /// The place of an output of which only long lines were cut.
    #[display("[{_0}]")]
    FullOutput(Saved),
    /// The reason why no more of an output was saved: a line in the saved output itself, before the command's status.
    #[display("[Output after this was not saved: {_0}]")]
    RestNotSaved(String),
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

/// A number with its word, in one or in many.
#[derive(Display)]
#[display("{_0} {}", if *_0 == 1 { _1 } else { _2 })]
pub struct Count(pub u64, pub &'static str, pub &'static str);

/// Returns the words before a number that is a lower bound.
fn at_least(is_lower_bound: bool) -> &'static str {
    if is_lower_bound { "at least " } else { "" }
}

/// Returns `value` after `start` and before `end`, or an empty string without a value.
pub fn between(start: &str, value: Option<impl fmt::Display>, end: &str) -> String {
    value.map_or_else(String::new, |value| format!("{start}{value}{end}"))
}

#[cfg(test)]
mod tests;
