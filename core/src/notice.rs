//! Every text that is said in an answer beside the body, once.
//!
//! A notice is a line in square brackets after the body: what was left out, and the exact next
//! call that gets it. The one that says how to continue comes last. The same facts as data are in
//! [`crate::details`].

mod compose;
mod list;
mod words;

pub use compose::{Answer, BodyEnd};
pub use list::{NAMES_LISTED, Names};
pub use words::Count;

use crate::truncate::{Bounds, SizeLimit, TruncatedBy};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omission(
    /// Lines that are left out.
    pub u64,
);

/// A line in square brackets after the body.
///
/// ```
/// use cutline_core::notice::Notice;
/// let page = Notice::Page { first: 1, last: 2000, total: 5000, limit: None };
/// assert_eq!(page.to_string(), "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A page of a file: its lines, and the line at which the next one begins.
    Page {
        /// Number of the first line shown.
        first: u64,
        /// Number of the last line shown.
        last: u64,
        /// Lines in the file.
        total: u64,
        /// The limit of bytes or tokens, where that cut the page.
        limit: Option<SizeLimit>,
    },
    /// A line that alone is over the byte limit, at the start of a page.
    LineTooLong {
        /// Its number.
        line: u64,
        /// Its bytes.
        bytes: u64,
        /// The limit.
        limit: SizeLimit,
        /// The way to get at it.
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
    /// An image that was encoded anew, because its file has more bytes than are shown.
    ImageEncoded {
        /// Its size as it is on disk: width, height, bytes.
        from: (u32, u32, u64),
        /// The name of the format that is shown.
        format: &'static str,
        /// The bytes that are shown.
        bytes: u64,
    },
    /// An image that is not shown, because the client shows none.
    ImagesOff,
    /// An image of more pixels than are decoded.
    ImageTooLarge {
        /// Millions of pixels that an image may have.
        megapixels: u64,
    },
    /// An image that can't be decoded.
    ImageDamaged,
    /// A command's output that was cut, and the place of all of it.
    Output {
        /// The part that is shown.
        shown: Shown,
        /// The place of the whole.
        saved: Saved,
    },
    /// A command's output that is not text.
    OutputBinary {
        /// All its bytes.
        bytes: u64,
        /// The place of the whole.
        saved: Saved,
    },
    /// The call asked for more seconds than a command may run.
    TimeoutLowered {
        /// Seconds that it may run.
        secs: u64,
    },
    /// Another server's result that was cut, and where all of it is.
    Result {
        /// The part that is shown.
        shown: ResultShown,
        /// Text blocks shown, and text blocks in all, where some are not shown.
        blocks: Option<(u64, u64)>,
        /// The file with the rest.
        saved: Saved,
    },
    /// A command that goes on after its answer.
    StillRunning {
        /// Seconds that it has run.
        secs: u64,
        /// Its shell's number.
        id: u32,
        /// The file to which its output goes on.
        saved: Saved,
    },
    /// Processes that outlive the command and hold its output.
    Background {
        /// The id and name of each of the first three.
        named: Vec<(u32, String)>,
        /// Their number.
        count: usize,
        /// The place to which their output goes on.
        saved: Saved,
    },
    /// The call's limit ended a search or a listing.
    LimitReached {
        /// The limit.
        limit: u64,
        /// The things that it counts.
        unit: Unit,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// The byte limit, or the line limit, ended a search.
    PageLimit {
        /// The limit that cut.
        by: PageLimit,
        /// The number of things shown and in all, if the tool says so.
        of: Option<PageOf>,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// The most relevant of the results are shown.
    Ranked {
        /// The number shown and in all.
        of: PageOf,
        /// The limit that cut the page, where one did.
        by: Option<PageLimit>,
        /// The way to the results that follow, if any do.
        next: Option<RankedNext>,
    },
    /// The one name that is shown is over the byte limit alone.
    NameTooLong {
        /// Its bytes.
        bytes: u64,
        /// The limit.
        limit: SizeLimit,
        /// The place of the whole, if that is saved.
        saved: Option<Saved>,
    },
    /// Lines were cut to a number of characters.
    LinesTruncated {
        /// Characters of a line at most.
        max_chars: usize,
        /// The way to see the whole lines.
        hint: FullLines,
    },
    /// The place of an output of which only long lines were cut.
    FullOutput(Saved),
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
    /// The ignore rules of this many folders were not applied.
    RulesLeftAside(u64),
    /// Nothing was found, and ignore rules left something out.
    IgnoredNotSearched,
    /// The offset at which the next page begins, for the tools that skip results.
    Continue {
        /// The offset.
        offset: u64,
    },
}

/// The way to get at a line that no page can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHint {
    /// The start of it, by the shell.
    Shell {
        /// The file's path, quoted for the shell.
        path: String,
        /// True if it is in UTF-16: its bytes are to be made text first.
        is_utf16: bool,
    },
    /// There is no shell: search in it, or go on after it.
    Tools {
        /// True if grep is there.
        grep: bool,
        /// The next line, where there is one.
        next: Option<u64>,
    },
}

/// The way to see the whole of lines that were cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullLines {
    /// The tool that reads files.
    Read,
    /// The tools that show parts of long lines.
    Tools {
        /// True if grep is there.
        grep: bool,
        /// True if bash is there.
        bash: bool,
    },
}

/// The kind of a body of nothing but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// A whole file, of this many lines.
    File(u64),
    /// A command's whole output, of this many lines.
    Output(u64),
    /// A part of a file or an output, from one line to another.
    Lines(u64, u64),
    /// This many names.
    Results(u64),
}

/// The part of a command's output that an answer shows.
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
        /// The limit of bytes or tokens, where that cut.
        limit: Option<SizeLimit>,
    },
    /// The first lines and the last ones.
    Ends {
        /// Lines from the start.
        head: u64,
        /// Number of the first line after the gap.
        tail: u64,
        /// Lines in all.
        total: u64,
        /// The limit of bytes or tokens, where that cut.
        limit: Option<SizeLimit>,
    },
    /// The end of the last line, after `head` whole lines from the start.
    EndOfLine {
        /// Lines from the start.
        head: u64,
        /// The line's number.
        line: u64,
        /// Bytes of it that are shown.
        bytes: u64,
        /// Bytes of the whole line.
        of: u64,
    },
    /// The start of the first line that is not blank.
    StartOfLine {
        /// Number of that line.
        line: u64,
        /// Bytes of it that are shown.
        bytes: u64,
        /// Bytes of the whole line.
        of: u64,
    },
}

/// The part that is shown of another server's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultShown {
    /// Lines of text.
    Text(Shown),
    /// Items and the like, with the limit of bytes or tokens where that cut; `NAMES_LISTED` of them at most.
    Parts(Vec<Part>, Option<SizeLimit>),
}

/// A part of a result of which not everything is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Number of them shown.
    pub shown: u64,
    /// Number of them in all.
    pub total: u64,
    /// The things that are counted.
    pub unit: PartUnit,
    /// Its name; `None` for the result itself.
    pub name: Option<String>,
}

/// The things that a part of a result consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartUnit {
    /// Items of an array.
    Items,
    /// Members of an object.
    Members,
    /// Characters of a string.
    Characters,
    /// Blocks of a result.
    Blocks,
}

/// The place of the whole of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// In this file.
    At {
        /// Its path.
        path: String,
        /// Bytes of the output in it, if it does not hold all.
        first: Option<u64>,
    },
    /// Nowhere.
    Not {
        /// The system's reason.
        reason: String,
    },
}

/// The things that a limit counts.
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
    /// A number of bytes or of tokens.
    Size(SizeLimit),
    /// A number of lines.
    Lines(u64),
}

impl PageLimit {
    /// Returns the limit of `bounds` that `by` says.
    pub fn of(by: TruncatedBy, bounds: Bounds) -> Self {
        bounds.size_limit(by).map_or(Self::Lines(bounds.lines), Self::Size)
    }
}

/// The way to less relevant results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankedNext {
    /// The offset at which they begin, and the limit that the next call can have at most, if that is less
    /// than this one's.
    Offset(u64, Option<u64>),
    /// They are beyond all that is ranked; only in path order are all to be had.
    PathOrder,
}

/// The number of things that are shown, and in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOf {
    /// The number shown.
    pub shown: u64,
    /// The number in all, up to the call's limit.
    pub total: u64,
    /// True if there are more than `total`.
    pub more: bool,
    /// The things that are counted.
    pub unit: Unit,
}

/// The end of a command, if that is to be said.
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
    /// It still ran at the server's end, and was ended with it.
    EndedWithServer,
}
