//! The errors that the model reads when a call could not be done: each text, once.
//!
//! These become results with `isError`, which the model reads and can act on; what is wrong with the
//! protocol itself is not said here (`server`). Paths are as the workspace shows them.

use std::io;

use crate::limits::COMMANDS_AT_ONCE;
use crate::tools::notice::Unit;
use crate::tools::resolve::ExpectedKind;
use cutline_core::notice::Count;
use cutline_core::text::{Size, show};

/// The reason for which a call could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// An argument is missing, unknown, of the wrong type or out of its bounds.
    #[error("{0}")]
    Argument(String),
    /// Nothing stands at a path.
    #[error(
        "{wanted} not found: {}{}{}",
        show::path(path),
        near_words(near),
        if *ls_glob { "\nUse ls with this path to list what matches" } else { "" }
    )]
    NotFound {
        /// The kind of thing that is wanted there.
        wanted: ExpectedKind,
        /// The path that was asked for.
        path: String,
        /// Names near it that do exist.
        near: Vec<String>,
        /// True if the path is a glob that ls can list.
        ls_glob: bool,
    },
    /// A folder where a file is wanted.
    #[error("Is a directory: {}{}", folder(path), if *ls { ". Use ls to list it" } else { "" })]
    IsDirectory {
        /// The folder.
        path: String,
        /// True if ls is there to list it.
        ls: bool,
    },
    /// Something else where a folder is wanted.
    #[error("Not a directory: {}. Use its folder: {folder}", show::path(path))]
    NotDirectory {
        /// The path.
        path: String,
        /// The folder that it is in.
        folder: String,
    },
    /// A glob for ls that is not of names of one directory.
    #[error(
        "ls takes a glob in the last component only: {}{}",
        show::path(path),
        if *find { format!(". Use find with pattern={path} and type=any") } else { String::new() }
    )]
    GlobInFolder {
        /// The path with the glob.
        path: String,
        /// True if find is registered.
        find: bool,
    },
    /// A FIFO, socket or device, which is never opened: its path and its kind.
    #[error("Not a regular file: {} ({})", show::path(.0), .1)]
    NotRegular(String, &'static str),
    /// A file that is not text.
    #[error("Binary file: {} ({}, {mime}){}", show::path(path), Size(*bytes), if *bash { ". Use bash to inspect it" } else { "" })]
    Binary {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
        /// Its type by its content.
        mime: &'static str,
        /// True if bash is there to inspect it.
        bash: bool,
    },
    /// The system does not let this user read it.
    #[error("Permission denied: {}", show::path(.0))]
    PermissionDenied(String),
    /// The path is outside the roots. The text is the same whether or not a file is there.
    #[error(
        "Path is outside the workspace: {}. The user can allow it with --root DIR or --allow-outside",
        show::path(.0)
    )]
    OutsideRoots(String),
    /// The client gives the roots, and none of them can be used.
    #[error("There is no workspace: the client opened no folder that can be used (--root DIR gives one)")]
    NoRoots,
    /// Some other refusal of the system to read a path.
    #[error("Cannot read {}: {}", show::path(.0), reason(.1))]
    Io(String, io::Error),
    /// A page that begins after the file's end.
    #[error("Offset {} is beyond end of file ({total} lines total)", given(offset.unsigned_abs()))]
    OffsetBeyondFile {
        /// The line asked for.
        offset: i64,
        /// Lines in the file.
        total: u64,
    },
    /// A page that begins after the last result.
    #[error("Offset {} is beyond the last {} ({total} in all)", given(*offset), unit.words().0)]
    OffsetBeyondLast {
        /// The number to be skipped.
        offset: u64,
        /// The number in all.
        total: u64,
        /// The things that are counted.
        unit: Unit,
    },
    /// A regular expression that can't be compiled: the pattern, where it is wrong, and why.
    #[error("Invalid pattern: {0}\nUse literal=true to search for the text itself")]
    Pattern(String),
    /// A regular expression with too many positions, or too large when compiled.
    #[error("Pattern is too large: {0}\nUse smaller or open repetitions: x{{10,}} instead of x{{10,2000}}")]
    PatternTooLarge(String),
    /// A glob that can't be compiled.
    #[error("Invalid glob '{}': {message}", show::path(glob))]
    Glob {
        /// The glob.
        glob: String,
        /// The reason for which it is wrong.
        message: String,
    },
    /// A glob as a path that matches nothing.
    #[error(
        "No file or folder matches path: {}{}{}",
        show::path(glob),
        if *ignored { ". Ignored files do not count: use noIgnore=true to include them" } else { "" },
        if *find { ". Use find to see what is there" } else { "" }
    )]
    NoPathMatches {
        /// The glob.
        glob: String,
        /// True if ignore rules skipped something.
        ignored: bool,
        /// True if find is registered.
        find: bool,
    },
    /// A name that is not a file type.
    #[error("Unknown file type: {}{}", show::path(name), if near.is_empty() { ". Use glob instead, such as *.txt".to_owned() } else { near_words(near) })]
    UnknownType {
        /// The name.
        name: String,
        /// Types that may be meant.
        near: Vec<String>,
    },
    /// A command that could not be started in the workspace's folder, which may be gone.
    #[error("Command could not be started in {}: {}", show::path(.0), reason(.1))]
    Spawn(String, io::Error),
    /// No command may start: too many earlier commands left background processes.
    #[error(
        "Command could not be started: background processes of {0} earlier commands hold their output. Send the \
         output of such processes to a file"
    )]
    TooManyCommands(u32),
    /// As many commands run as may, and none ended while the call could wait.
    #[error(
        "Command was not started: {} others run, and none of them ended within {}. Try again later",
        COMMANDS_AT_ONCE,
        Count(*.0, "second", "seconds")
    )]
    NotStarted(u64),
    /// The system gives no thread for the work.
    #[error("The system gives no thread to work on this: {}. Try again later", reason(.0))]
    NoThread(io::Error),
    /// Too many threads, this number, are stuck in the work of calls that were taken back.
    #[error("{0} calls that were taken back still hang in the system; no more work is begun until one ends")]
    StuckThreads(usize),
    /// The deadline passed while the call waited for the file system.
    #[error("Stopped after {}: the file system did not respond", Count(*secs, "second", "seconds"))]
    NoResponse {
        /// Seconds that the call had.
        secs: u64,
    },
    /// The deadline passed before the call could begin.
    #[error("Not started within {}: other calls were running. Try again later", Count(*secs, "second", "seconds"))]
    NoPermit {
        /// Seconds that the call had.
        secs: u64,
    },
    /// The deadline passed before the first line of a page was reached.
    #[error(
        "Offset {} was not reached within {}: the file has at least {counted} lines",
        given_offset(*offset),
        Count(*secs, "second", "seconds")
    )]
    OffsetNotReached {
        /// The line asked for.
        offset: i64,
        /// Lines that were counted.
        counted: u64,
        /// Seconds that the call had.
        secs: u64,
    },
    /// The client took the call back, or the server ended.
    #[error("Cancelled")]
    Cancelled,
}

/// Returns a number as it was given in a call. The largest one stands for all that can't be counted in.
pub(super) fn given(number: u64) -> String {
    if number < i64::MAX.unsigned_abs() { number.to_string() } else { "over 10^18".to_owned() }
}

/// Returns an offset as it was given in a call.
fn given_offset(offset: i64) -> String {
    if offset < 0 { format!("-{}", given(offset.unsigned_abs())) } else { given(offset.unsigned_abs()) }
}

/// Returns a folder's path before a full stop: the workspace, which is shown as `.`, is `./` there.
fn folder(path: &str) -> String {
    let shown = show::path(path);
    if shown.ends_with('.') { format!("{shown}/") } else { shown }
}

/// Returns the system's words for an error: `No space left on device`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Returns `Did you mean: A, B, C?` on a line of its own, where there are such names. They are whole, to be given as they stand.
fn near_words(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("\nDid you mean: {}?", near.join(", ")) }
}
