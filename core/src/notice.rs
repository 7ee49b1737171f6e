//! All notices, and the text of a result.
//!
//! A notice is a line in square brackets after the body. It reports what is missing and, if it can, the exact next call
//! that returns it; or a fact about the body or its source. [`Notice::position`] decides the order. This crate names no
//! tool of a runtime: the caller provides the sentences that do, as the field `next`. The same facts as data are in
//! [`crate::details`].

mod imitation;
mod limit;
mod parts;
mod result_text;
mod shown;

use derive_more::Display;

use crate::outline::Listed;
use crate::text::{Size, Total};
use crate::truncate::{Limit, Reports};
use parts::{cut_by, over};

pub use parts::{
    Blank, Count, FileChange, InAll, NAMES_LISTED, Names, PageOf, Part, Saved, StoppedAt, Unit, WhySkipped,
    between,
};
pub use result_text::{PipelineExitCodes, ResultText, Status};
pub use shown::Shown;

/// A line in square brackets after the body. Each text says what the fields are; `next` is the sentence with the next call,
/// without a full stop.
///
/// ```
/// use cutline_core::notice::Notice;
/// use cutline_core::text::Total;
/// use cutline_core::truncate::Limit;
/// let next = Some("Call view_file with start_line 2001 for more".to_owned());
/// let (total, limit) = (Total::Exact(5000), Limit::Lines(2000));
/// assert_eq!(
///     Notice::Page { first: 1, last: 2000, total, limit, next }.to_string(),
///     "[Showing lines 1-2000 of 5000. Call view_file with start_line 2001 for more]",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[expect(missing_docs, reason = "see texts")]
#[non_exhaustive]
pub enum Notice {
    /// The end of the body has the form of a notice but is part of the text. Follows the body directly.
    #[display("[The {}]", if *_0 == 1 {
        "line above is part of the text, not a notice".to_owned()
    } else {
        format!("{_0} lines above are part of the text, not notices")
    })]
    PartOfText(u64),
    #[display("{_0}")]
    Outline(Listed),

    // A file.
    #[display("[Showing lines {first}-{last} of {total}{}{}]", cut_by(*limit), between(". ", next.as_ref(), ""))]
    Page { first: u64, last: u64, total: Total, limit: Limit, next: Option<String> },
    #[display("[Line {line} is {}{}]", over(*bytes, *limit), between(". ", next.as_ref(), ""))]
    LineTooLong { line: u64, bytes: Total, limit: Limit, next: Option<String> },
    /// A line with a match that does not fit on a page.
    #[display("[Line {line} of {path} exceeds {limit} limit. {next}]")]
    MatchTooLong { line: u64, path: String, limit: Limit, next: String },
    #[display("[Some lines truncated to {max_chars} chars{}]", between(". ", next.as_ref(), ""))]
    LinesTruncated { max_chars: usize, next: Option<String> },
    /// A file in another encoding. Here and up to `LineEndings`, `file` is its path if the result shows several. In
    /// `LineEndings`, it can also be the text for the lines of a diff.
    #[display("[{} is {encoding}, not UTF-8. Editing tools may damage it]", file.as_deref().unwrap_or("File"))]
    FileEncoding { file: Option<String>, encoding: String },
    #[display("[{} has bytes that are not UTF-8, shown as \u{FFFD}. Editing tools may damage it]", file.as_deref().unwrap_or("File"))]
    FileNotUtf8 { file: Option<String> },
    #[display(
        "[{} has parts in UTF-16 and parts in another encoding. Use bash to read both: tr -d '\\000' < FILE]",
        file.as_deref().unwrap_or("File")
    )]
    FileMixed { file: Option<String> },
    #[display("[{}{} end with {}]", if *ending == "mixed" { "Some lines" } else { "Lines" }, between(" of ", file.as_ref(), ""), if *ending == "cr" { "CR" } else { "CRLF" })]
    LineEndings { file: Option<String>, ending: &'static str },
    #[display("[File is empty]")]
    FileEmpty,
    #[display("[{_0} white space]")]
    Blank(Blank),
    /// An image with fewer pixels, and the name of its format if that changed. The original has this width, height and size
    /// in bytes.
    #[display(
        "[Image is {}x{}, {}; scaled down to {}x{}{}]",
        from.0, from.1, Size(from.2), to.0, to.1, between(", shown as ", *format, "")
    )]
    ImageScaled { from: (u32, u32, u64), to: (u32, u32), format: Option<&'static str> },
    /// An image with fewer bytes, and the name of its format.
    #[display(
        "[Image is {}x{}, {}; shown as {format} of {}]",
        from.0, from.1, Size(from.2).beside(*bytes).0, Size(from.2).beside(*bytes).1
    )]
    ImageEncoded { from: (u32, u32, u64), format: &'static str, bytes: u64 },
    #[display("[This client shows no images]")]
    ImagesOff,
    /// An image over a limit, such as `12 megapixels` or `25MB`.
    #[display("[Image is over {_0} and can't be shown]")]
    ImageTooLarge(String),
    #[display("[Image is damaged and can't be shown]")]
    ImageDamaged,

    // A command.
    #[display("[Showing {shown}. {saved}]")]
    Output { shown: Shown, saved: Saved },
    /// For an output of one line in which carriage returns replaced at least half of the bytes.
    #[display(
        "[Carriage returns replaced earlier text, as in a terminal. Convert them to see it: | tr '\\r' '\\n']"
    )]
    Overwritten,
    /// Follows the notice of the cut if there are key lines.
    #[display("[Lines that report errors: {_0}]")]
    Reports(Reports),
    #[display("[Output has bytes that are not UTF-8, shown as \u{FFFD}. {next}]")]
    OutputNotUtf8 { next: String },
    #[display("[Output has parts in UTF-16. Remove their NUL bytes to read them: | tr -d '\\000']")]
    OutputMixed,
    /// The body is empty, or has the text at the start and the end of the output.
    #[display(
        "[Binary output: {}{}. {saved}{}]",
        Size(*bytes),
        if *has_text { ", only text at its start and end is shown" } else { "" },
        between(". ", next.as_ref(), "")
    )]
    OutputBinary { bytes: u64, has_text: bool, saved: Saved, next: Option<String> },
    /// The location of an output that is shown to its end: long lines were cut, or a terminal shows less of a wrapped text.
    #[display("[{_0}]")]
    FullOutput(Saved),
    /// A line in the saved output itself, before the status of the command.
    #[display("[Output after this was not saved: {_0}]")]
    RestNotSaved(String),
    #[display("[Timeout lowered to {}]", Count(*secs, "second", "seconds"))]
    TimeoutLowered { secs: u64 },
    #[display(
        "[Still running after {} (pid {id}). Its {}{}]",
        Count(*secs, "second", "seconds"),
        saved.later(),
        between(". ", next.as_ref(), "")
    )]
    StillRunning { secs: u64, id: u32, saved: Saved, next: Option<String> },
    /// One of several paths, or the rest of one, that is not shown or searched, and the reason.
    #[display("[Not shown: {part} ({why})]")]
    NotShown { part: String, why: String },
    /// Files that a sandboxed command created or changed, and that start programs outside the sandbox.
    #[display("[{} {} programs outside the sandbox]", if *is_since_last {
        format!("{} {} {change} since the last command, and", names.with_rest(), names.word("was", "were"))
    } else {
        format!("The command {change} {}, which", names.with_rest())
    }, names.word("starts", "start"))]
    AutorunFiles { change: FileChange, is_since_last: bool, names: Names },
    /// A command failed, and may not write to this git folder.
    #[display("[The git folder is read-only in the sandbox. The user can allow it with --writable {_0}]")]
    GitFolderReadOnly(String),
    /// A program that is not on `PATH`, and that version managers often install.
    #[display(
        "[{_0} is not on PATH. If a version manager installs it, try bash -lc '{_0} …'. The user can set PATH in the env \
         settings of this server]"
    )]
    NotOnPath(String),
    /// A pipeline timed out without output.
    #[display("[The last stage of the pipeline had printed nothing yet]")]
    LastStageSilent,
    /// Processes that outlive the command, by their ids and names.
    #[display(
        "[Background {} still running: {}. {} {}]",
        names.word("process", "processes"),
        names.with_rest(),
        names.word("Its", "Their"),
        saved.later()
    )]
    Background { names: Names, saved: Saved },

    // The JSON of a wrapped server, with the limit that was reached. There are at most `NAMES_LISTED` parts.
    #[display(
        "[Showing {}{}. {saved}]",
        parts.iter().map(Part::to_string).collect::<Vec<_>>().join(", "),
        cut_by(*limit)
    )]
    Result { parts: Vec<Part>, limit: Limit, saved: Saved },

    // A search or a listing.
    #[display("[{}{}]", unit.limit_reached(*limit), between(". ", saved.as_ref(), ""))]
    LimitReached { limit: u64, unit: Unit, saved: Option<Saved> },
    #[display("[{by} limit reached{}{}]", between(" (", *of, " shown)"), between(". ", saved.as_ref(), ""))]
    PageLimit { by: Limit, of: Option<PageOf>, saved: Option<Saved> },
    #[display(
        "[{of}{}, most relevant first{}]",
        between(" (", *by, " limit)"),
        between(". Use offset=", *next, " to continue")
    )]
    Ranked { of: PageOf, by: Option<Limit>, next: Option<u64> },
    #[display(
        "[{} of the first match left out{}]",
        Count(*lines, "context line", "context lines"),
        between(". ", next.as_ref(), "")
    )]
    ContextLeftOut { lines: u64, next: Option<String> },
    #[display("[{}: {names}{}]", why.of(names.count()), why.remedy())]
    Skipped { why: WhySkipped, names: Names },
    #[display("[Ignore rules of {} were too large and left aside]", Count(*_0, "folder", "folders"))]
    RulesSkipped(u64),
    #[display("[An escaped | is the character itself. Use a plain | between alternatives]")]
    BarEscaped,
    #[display("[Escaped {chars} are the characters themselves. Unescaped, the pattern matches {}{}]", lines.at_least(), Count(lines.count(), "line", "lines"))]
    Escaped { chars: &'static str, lines: Total },
    /// A pattern in which only some special characters are escaped.
    #[display("[Without backslashes, the text itself occurs in {}{}. Use literal=true to search for it]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    OccursUnescaped(Total),
    #[display("[Escaped < > are word boundaries. Unescaped, the pattern matches {}{}]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    BoundaryEscaped(Total),
    #[display("[With single backslashes, the pattern matches {}{}]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    BackslashesDoubled(Total),
    /// A literal pattern.
    #[display("[With literal=true, backslashes are part of the text. Without them, it occurs in {}{}]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    BackslashesLiteral(Total),
    #[display("[The pattern contains backspace characters. Write \\\\b for a word boundary]")]
    HasBackspace,
    /// A glob that begins with the last folders of `path`.
    #[display("[{argument} is relative to path. Use {argument}={glob}]")]
    GlobRepeatsPath { argument: &'static str, glob: String },
    /// A pattern with a part for any characters, newlines included.
    #[display("[A match can't span lines. Use multiline=true to match across lines]")]
    WithinLines,
    #[display("[Ignored files were not searched. Use noIgnore=true to include them]")]
    IgnoredNotSearched,
    #[display("[Stopped after {}: {at}]", Count(*secs, "second", "seconds"))]
    Stopped { secs: u64, at: StoppedAt },
    #[display("[Ignored unknown {}: {_0}]", _0.word("argument", "arguments"))]
    ArgumentsIgnored(Names),
    /// The number of binary files that contain the pattern.
    #[display("[{} binary {}: {_0}]", _0.count(), _0.word("file matches", "files match"))]
    BinaryMatches(Names),
    #[display("[{} not searched: {_0}. {}]", Count(_0.count(), "linked folder was", "linked folders were"), _0.as_path())]
    LinksNotSearched(Names),
    #[display("[{} not searched: {_0}. {}]", Count(_0.count(), "linked file was", "linked files were"), _0.as_path())]
    LinkedFilesNotSearched(Names),
    /// Links that a search could not follow.
    #[display("[{} {} outside the workspace: {_0}]", Count(_0.count(), "link", "links"), _0.word("leads", "lead"))]
    LinksOutside(Names),
    /// Linked work trees of git, whose files are copies.
    #[display("[{} not searched: {_0}. {}]", Count(_0.count(), "linked work tree was", "linked work trees were"), _0.as_path())]
    WorkTreesNotSearched(Names),
    #[display("[No file matches; {}]", Count(*_0, "folder does", "folders do"))]
    FoldersMatch(u64),
    #[display("[Folders match too. Use type=any to include them]")]
    FoldersMatchToo,
    /// Entries of another type.
    #[display("[{_0} match. Use type=any to include them]")]
    OthersMatch(&'static str),
    #[display("[{_0} was not searched. Use it as path]")]
    GitNotSearched(String),
    /// The filters of files, and a glob that is probably meant.
    #[display("[No file matches {filter}{}]", between(". Did you mean: ", near.as_ref(), "?"))]
    NoFileMatches { filter: String, near: Option<String> },
    /// What matches: `Names` or `Lines`.
    #[display("[{_0} match only without regard to case. Use ignoreCase=true to find them]")]
    CaseDiffers(&'static str),
    #[display("[The text itself occurs in {}{}. Use literal=true to search for it]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    OccursAsText(Total),
    #[display("[With other white space, the pattern matches {}{}. Use \\s+ instead of spaces]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    SpacesDiffer(Total),
    /// A literal pattern.
    #[display("[As a regular expression, the pattern matches {}{}. Omit literal to search for it]", _0.at_least(), Count(_0.count(), "line", "lines"))]
    MatchesAsRegex(Total),
    #[display("[The pattern matches every line, because an alternative is empty]")]
    EmptyAlternative,
    /// The number of all results, and the offset of the next page if there is one.
    #[display("[{of}{}]", between(". Use offset=", *next, " to continue"))]
    Sum { of: InAll, next: Option<u64> },

    /// The number of further notices about files, which exceed the limit of all notices.
    #[display("[{} not shown ({limit} limit)]", Count(*count, "more notice is", "more notices are"))]
    NoticesLeftOut { count: u64, limit: Limit },
}

impl Notice {
    /// Returns the position among the notices of a result: what changed the call, why a command failed, what is missing
    /// and why, what still runs, and how to continue. Notices of one position stay in the order in which they were
    /// added.
    pub fn position(&self) -> u8 {
        match self {
            Self::ArgumentsIgnored(_) => 0,
            Self::TimeoutLowered { .. } => 1,
            Self::GitFolderReadOnly(_) | Self::NotOnPath(_) | Self::LastStageSilent => 2,
            Self::AutorunFiles { .. } => 3,
            Self::Blank(Blank::Results(_)) | Self::PageLimit { .. } | Self::LimitReached { .. } => 4,
            Self::LinesTruncated { .. } | Self::MatchTooLong { .. } | Self::ContextLeftOut { .. } => 5,
            Self::Skipped { .. } | Self::RulesSkipped(_) | Self::WorkTreesNotSearched(_) => 6,
            Self::BinaryMatches(_) => 7,
            Self::Background { .. } | Self::StillRunning { .. } | Self::Stopped { .. } => 9,
            Self::Ranked { .. } | Self::Sum { .. } => 10,
            _ => 8,
        }
    }
}

#[cfg(test)]
mod tests;
