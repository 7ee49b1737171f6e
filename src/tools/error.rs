//! The texts of all errors for the model.
//!
//! They become results with `isError`, so that the model can correct its call. `server` has the errors of the protocol.
//! Paths are formatted by the workspace.

use std::io;

use crate::limits::COMMANDS_AT_ONCE;
use crate::search::file_types::UnknownType;
use crate::tools::resolve::ExpectedKind;
use cutline_core::notice::{Count, Unit, between};
use cutline_core::text::{Size, show};

pub(crate) use crate::sys::reason;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// An argument is missing, unknown, of the wrong type or out of bounds, or the tool panicked. Has the full message.
    #[error("{0}")]
    Argument(String),
    /// A path does not exist.
    #[error(
        "{wanted} not found: {}{}{}{}",
        show::path(path),
        if *broken_link { " (broken link)" } else { "" },
        suggestion(near),
        if *ls_glob { "\nUse ls with this path to list what matches" } else { "" }
    )]
    NotFound {
        /// The kind of file that the tool needs.
        wanted: ExpectedKind,
        /// The requested path.
        path: String,
        /// True if the path is a link whose target, inside the roots, does not exist.
        broken_link: bool,
        /// Existing paths with similar names.
        near: Vec<String>,
        /// True if the path is a glob that ls can list.
        ls_glob: bool,
    },
    /// The tool needs a file, but the path is a folder.
    #[error("Is a directory: {}{}", folder(path), if *ls { ". Use ls to list it" } else { "" })]
    IsDirectory {
        /// The folder.
        path: String,
        /// True if ls is registered.
        ls: bool,
    },
    /// The tool needs a folder, but the path is something else.
    #[error("Not a directory: {}. Use its folder: {folder}", show::path(path))]
    NotDirectory {
        /// The path.
        path: String,
        /// The parent folder of the path.
        folder: String,
    },
    /// A glob for ls that does not match names of a single directory.
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
    /// A FIFO, socket or device, which is never opened. Has the path and the file type.
    #[error("Not a regular file: {} ({})", show::path(.0), .1)]
    NotRegular(String, &'static str),
    /// A binary file.
    #[error(
        "Binary file: {} ({}, {mime}){}",
        show::path(path),
        Size(*bytes),
        between(". Use bash to inspect it: ", inspect.as_ref(), "")
    )]
    Binary {
        /// The file.
        path: String,
        /// The size in bytes.
        bytes: u64,
        /// The type that the content indicates.
        mime: &'static str,
        /// A command that shows what it contains, if bash is registered.
        inspect: Option<String>,
    },
    /// This user has no permission to read the path.
    #[error("Permission denied: {}", show::path(.0))]
    PermissionDenied(String),
    /// The path is outside the roots. The text is the same whether or not the file exists.
    #[error(
        "Path is outside the workspace: {}. The user can allow it with --root DIR or --allow-outside{}",
        show::path(path),
        between("\nDid you mean: ", near.as_ref(), "?")
    )]
    OutsideRoots {
        /// The path.
        path: String,
        /// The path in the workspace, if the end of the path exists there.
        near: Option<String>,
    },
    /// None of the client's roots can be used.
    #[error(
        "There is no workspace: the client has no usable folder open. The user can set one with --root DIR"
    )]
    NoRoots,
    /// Another system error for a path.
    #[error("Cannot read {}: {}", show::path(.0), reason(.1))]
    Io(String, io::Error),
    /// The offset is beyond the end of the file.
    #[error("Offset {} is beyond end of file ({total} lines total)", offset.unsigned_abs())]
    OffsetBeyondFile {
        /// The requested line.
        offset: i64,
        /// Lines in the file.
        total: u64,
    },
    /// The offset is after the last result.
    #[error("Offset {offset} is beyond the last {} ({total} in all)", unit.nouns().0)]
    OffsetBeyondLast {
        /// The number of results to skip.
        offset: u64,
        /// The number of all results.
        total: u64,
        /// The unit of the results.
        unit: Unit,
    },
    /// An invalid regular expression: the pattern, the position and the reason.
    #[error("Invalid pattern: {0}\nUse literal=true to search for the text itself")]
    Pattern(String),
    /// The same for a pattern that has matches if each double backslash is a single one.
    #[error("Invalid pattern: {0}\nWith single backslashes, it has matches")]
    PatternDoubled(String),
    /// The same for a pattern that is a glob, as `*name*`, and a regular expression for it.
    #[error("Invalid pattern: {0}\nA pattern is a regular expression, not a glob. Use pattern={1}")]
    PatternGlob(String, String),
    /// A regular expression with a part that only other engines support, such as look-around or a backreference.
    #[error("Invalid pattern: {0}\nUse grep -P in bash for it")]
    PatternUnsupported(String),
    /// A regular expression with too many positions, or too large when compiled.
    #[error("Pattern is too large: {0}\nUse smaller or open repetitions: x{{10,}} instead of x{{10,2000}}")]
    PatternTooLarge(String),
    /// An invalid glob.
    #[error("Invalid glob '{}': {message}", show::path(glob))]
    Glob {
        /// The glob.
        glob: String,
        /// The reason.
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
        /// True if ignore rules excluded something.
        ignored: bool,
        /// True if find is registered.
        find: bool,
    },
    /// An unknown file type.
    #[error("Unknown file type: {}{}", show::path(&.0.name), if .0.near.is_empty() { ". Use glob instead, such as *.txt".to_owned() } else { suggestion(&.0.near) })]
    UnknownType(UnknownType),
    /// A command could not be started in a folder, which may have been removed.
    #[error("Command could not be started in {}: {}", show::path(.0), reason(.1))]
    Spawn(String, io::Error),
    /// A command was started, but the task that supervises it failed.
    #[error("The command was started, but its result was lost: {}", reason(.0))]
    ResultLost(io::Error),
    /// Too many earlier commands have background processes.
    #[error(
        "Command could not be started: background processes of {0} earlier commands hold their output. Send the \
         output of such processes to a file"
    )]
    TooManyCommands(usize),
    /// The maximum number of commands runs, and none ended while the call could wait.
    #[error(
        "Command was not started: {} others run, and none of them ended within {}. Try again later",
        COMMANDS_AT_ONCE,
        Count(*.0, "second", "seconds")
    )]
    NotStarted(u64),
    /// The system refused to start a thread.
    #[error("The system could not start a thread: {}. Try again later", reason(.0))]
    NoThread(io::Error),
    /// This number of threads is blocked in the work of cancelled calls.
    #[error("{0} cancelled calls are still blocked in the system. No new work starts until one of them ends")]
    StuckThreads(usize),
    /// The deadline of the call, in seconds, passed during an operation that cannot stop, usually of the file
    /// system.
    #[error("Stopped after {}: the file system may not respond", Count(*.0, "second", "seconds"))]
    NoResponse(u64),
    /// The deadline of the call, in seconds, passed before it could start.
    #[error("Not started within {}: other calls were running. Try again later", Count(*.0, "second", "seconds"))]
    NoPermit(u64),
    /// The deadline passed before the start of a page was reached.
    #[error(
        "Offset {offset} was not reached within {}: the file has at least {counted} lines",
        Count(*secs, "second", "seconds")
    )]
    OffsetNotReached {
        /// The requested line.
        offset: i64,
        /// Lines that were counted.
        counted: u64,
        /// Time limit of the call in seconds.
        secs: u64,
    },
    /// The client cancelled the call, or the server ended.
    #[error("Cancelled")]
    Cancelled,
}

impl ToolError {
    /// Returns the reason why one of several paths is not shown or searched.
    pub(super) fn why_not_shown(&self) -> String {
        match self {
            Self::NotFound { wanted, near, .. } => {
                let near = near.first().map(|near| show::in_notice(near));
                format!(
                    "{} not found{}",
                    wanted.to_string().to_lowercase(),
                    between(". Did you mean: ", near, "?")
                )
            }
            Self::NoPathMatches { .. } => "no file or folder matches".to_owned(),
            Self::IsDirectory { .. } => "is a directory".to_owned(),
            Self::Binary { .. } => "binary file".to_owned(),
            Self::PermissionDenied(_) => "permission denied".to_owned(),
            Self::OutsideRoots { .. } => "outside the workspace".to_owned(),
            Self::OffsetBeyondFile { total, .. } => {
                format!("the file has {}", Count(*total, "line", "lines"))
            }
            Self::Argument(message) => message.trim_start_matches("path: ").to_owned(),
            other => other.to_string(),
        }
    }
}

/// Returns an error if an argument has more bytes or parts than it may have.
pub(super) fn check_most(argument: &str, given: usize, most: usize, unit: &str) -> Result<(), ToolError> {
    if given > most {
        return Err(ToolError::Argument(format!("{argument}: must be at most {most} {unit}, got {given}")));
    }
    Ok(())
}

/// Formats the path of a folder before a full stop: `./` instead of `.` for the workspace.
fn folder(path: &str) -> String {
    let shown = show::path(path);
    if shown.ends_with('.') { format!("{shown}/") } else { shown }
}

/// Returns `Did you mean: A, B, C?` on a separate line if there are similar names. The names are complete, so that a
/// call can use them.
fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("\nDid you mean: {}?", near.join(", ")) }
}
