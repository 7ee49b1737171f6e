//! The notices of the tools, with the suggested next calls.
//!
//! A notice is a line in square brackets after the body. It reports what is missing, and the exact next call that
//! returns it. A notice with a next call comes last. [`cutline_core::notice`] formats notices about truncated text and
//! does not know the tools. [`cutline_core::details`] has the same information as data.

mod image;
mod limit;
mod rest;
mod running;
mod skipped;
mod stopped;

use derive_more::Display;

use cutline_core::details::FileChange;
use cutline_core::notice::{self as of_text, Count, Names, Saved, between};
use cutline_core::truncate::Limit;

pub use image::ImageShown;
pub use limit::{PageOf, Unit};
pub use rest::{FullLines, LineHint};
pub use skipped::WhySkipped;
pub use stopped::StoppedAt;

/// The parts of the text of a result.
pub type Answer = of_text::Answer<Notice>;

/// The texts that replace an empty body.
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

/// A line in square brackets after the body.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum Notice {
    /// A notice about a truncated, empty or saved text.
    #[display("{_0}")]
    Text(of_text::Notice),
    /// An image that was reduced in pixels or bytes.
    #[display("[Image is {}x{}, {}]", from.0, from.1, to.instead_of(from.2))]
    ImageChanged {
        /// The original width, height and size in bytes.
        from: (u32, u32, u64),
        /// The image that is shown.
        to: ImageShown,
    },
    /// An image that is not shown, because the client does not support images.
    #[display("[This client shows no images]")]
    ImagesOff,
    /// An image that exceeds a limit, such as `12 megapixels` or `25MB`.
    #[display("[Image is over {_0} and can't be shown]")]
    ImageTooLarge(String),
    /// An image that can't be decoded.
    #[display("[Image is damaged and can't be shown]")]
    ImageDamaged,
    /// The call requested a timeout above the maximum.
    #[display("[Timeout lowered to {}]", Count(*secs, "second", "seconds"))]
    TimeoutLowered {
        /// The maximum in seconds.
        secs: u64,
    },
    /// A command that keeps running after its result.
    #[display(
        "[Still running after {} (pid {id}). Its {}. Use bash to wait for it: tail --pid={id} -f /dev/null]",
        Count(*secs, "second", "seconds"),
        running::continues(saved)
    )]
    StillRunning {
        /// The run time so far in seconds.
        secs: u64,
        /// The process id of the shell.
        id: u32,
        /// The file with later output.
        saved: Saved,
    },
    /// Files that a sandboxed command created or changed, and that start programs outside the sandbox.
    #[display(
        "[The command {change} {names}{}, which {} programs outside the sandbox]",
        between(" and ", names.unlisted(), " more"),
        if names.count() == 1 { "starts" } else { "start" }
    )]
    AutorunFiles {
        /// Whether they were created or changed.
        change: FileChange,
        /// Their names.
        names: Names,
    },
    /// Processes that outlive the command and hold its output open.
    #[display("[Background {} {}]", running::still_running(named, *count), running::continues(saved))]
    Background {
        /// The ids and names of the first three.
        named: Vec<(u32, String)>,
        /// Their number.
        count: usize,
        /// The file with later output.
        saved: Saved,
    },
    /// A search or a listing stopped at the limit of the call.
    #[display("[{}{}]", unit.limit_reached(*limit), between(". ", saved.as_ref(), ""))]
    LimitReached {
        /// The limit.
        limit: u64,
        /// What the limit counts.
        unit: Unit,
        /// The location of the full output, if it is saved.
        saved: Option<Saved>,
    },
    /// A search stopped at the byte limit or the line limit.
    #[display("[{by} limit reached{}{}]", between(" (", *of, " shown)"), between(". ", saved.as_ref(), ""))]
    PageLimit {
        /// The limit that was reached.
        by: Limit,
        /// The number of shown results and of all results, if the tool reports them.
        of: Option<PageOf>,
        /// The location of the full output, if it is saved.
        saved: Option<Saved>,
    },
    /// The most relevant of the results are shown.
    #[display("[{of}{}, most relevant first{}]", between(" (", *by, " limit)"), between(". Use offset=", *next, " to continue"))]
    Ranked {
        /// The number of shown results and of all results.
        of: PageOf,
        /// The limit that truncated the page, if there is one.
        by: Option<Limit>,
        /// The offset of the next page, if there are more results.
        next: Option<u64>,
    },
    /// Context of the first match that does not fit together with the match.
    #[display(
        "[{} of the first match left out{}]",
        Count(*lines, "context line", "context lines"),
        if *can_read { ". Use read tool to see them" } else { "" }
    )]
    ContextLeftOut {
        /// Number of lines.
        lines: u64,
        /// True if read is registered.
        can_read: bool,
    },
    /// Files or folders that were not searched, or only in part.
    #[display("[{}: {names}]", why.of(names.count()))]
    Skipped {
        /// The reason.
        why: WhySkipped,
        /// Their names.
        names: Names,
    },
    /// The ignore rules of this number of folders were skipped.
    #[display("[Ignore rules of {} were too large and left aside]", Count(*_0, "folder", "folders"))]
    RulesSkipped(u64),
    /// Nothing was found for a pattern with `\|`, which is an alternation in grep's basic syntax.
    #[display("[An escaped | is the character itself. Use a plain | between alternatives]")]
    BarEscaped,
    /// Nothing was found for a glob that begins with the last folders of `path`.
    #[display("[{argument} is relative to path. Use {argument}={glob}]")]
    GlobRepeatsPath {
        /// The argument with the glob.
        argument: &'static str,
        /// The glob below `path`.
        glob: String,
    },
    /// Arguments of the call that the tool does not have.
    #[display("[Ignored unknown {}: {_0}]", if _0.count() == 1 { "argument" } else { "arguments" })]
    ArgumentsIgnored(Names),
    /// Nothing was found, and ignore rules excluded something.
    #[display("[Ignored files were not searched. Use noIgnore=true to include them]")]
    IgnoredNotSearched,
    /// A search or a listing that stopped at its deadline.
    #[display("[Stopped after {}: {at}]", Count(*secs, "second", "seconds"))]
    Stopped {
        /// The time limit of the call in seconds.
        secs: u64,
        /// How far the search or listing got.
        at: StoppedAt,
    },
    /// The offset of the next page, for tools that skip results.
    #[display("[Use offset={offset} to continue]")]
    Continue {
        /// The offset.
        offset: u64,
    },
}

impl From<of_text::Notice> for Notice {
    fn from(notice: of_text::Notice) -> Self {
        Self::Text(notice)
    }
}

/// Returns the sentence for continuing after line `last`, or `None` if there are no more lines.
pub fn continue_after(last: u64, total: u64) -> Option<String> {
    (last < total).then(|| format!("Use offset={} to continue", last + 1))
}

#[cfg(test)]
mod tests;
