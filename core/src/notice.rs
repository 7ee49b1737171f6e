//! Every text that cutline itself says in an answer, once.
//!
//! A notice is a line in square brackets after the body: what was left out, and the exact next
//! call that gets it. The one that says how to continue comes last. What the model reads as an
//! error is in `tools::error`; what a client reads as data is in `details`.

mod compose;
mod list;
mod words;

pub use compose::{Answer, BodyEnd};
pub use list::{NAMES_LISTED, Names};
pub use words::Count;

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
    /// The call asked for more seconds than a command may run.
    TimeoutLowered {
        /// Seconds that it may run.
        secs: u64,
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
    /// The one name that is shown is over the byte limit alone.
    NameTooLong {
        /// Its bytes.
        bytes: u64,
        /// The byte limit.
        limit: u64,
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
    /// The start of a file's first line.
    ShellHead(ShellFile),
    /// The start of another line.
    ShellLine(ShellFile),
    /// There is no shell: search in it, or go on after it.
    Tools {
        /// Whether grep is there.
        grep: bool,
        /// The next line, where there is one.
        next: Option<u64>,
    },
}

/// A file as a command takes it; the path is quoted for the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellFile {
    /// Its bytes are the text.
    Plain(String),
    /// It is in UTF-16: its bytes are to be made text first.
    Utf16(String),
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
    /// So many names.
    Results(u64),
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
