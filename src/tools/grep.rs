//! grep: searches the contents of files.
//!
//! Matches are sorted by target (`targets`), path and line, or by relevance with ties in that order, so the same call
//! on the same tree returns the same bytes. Results are truncated to the limits for characters of a line, and for lines
//! and bytes of the result. Notices report each truncation.

mod causes;
mod functions;
mod results;
mod targets;

use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::lines;
use crate::fs::open::{FileKind, OpenedPath};
use crate::limits;
use crate::search::content::pattern::{Refused, Source};
use crate::search::content::{
    self, BinaryFiles, ContextLines, FileSearcher, Found, OutputMode, Pattern, Query, Ranking,
};
use crate::search::walk::Walked;
use crate::stop::{Stopped, stopped_by};
use crate::sys::below;
use cutline_core::notice::{StoppedAt, Unit, WhySkipped};
use cutline_core::text::binary::{DECIDING_BYTES, media_type};
use cutline_core::text::{as_index, show};

use super::error::check_most;
use super::page::{PageRequest, SHOWN_BYTES, Sort};
use super::resolve;
use super::walk_support::COUNTED;
use super::{Context, Load, Output, ToolError, ToolName};
use results::Results;
use targets::Target;

/// The arguments of grep.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrepArgs {
    /// Regular expression (Rust syntax)
    pub pattern: String,
    /// File, folder or glob, or several with spaces between; default: the workspace
    #[schemars(with = "Option<String>", extend("x-list" = true))]
    pub path: Option<Vec<String>>,
    /// Only these files, e.g. *.rs, src/**/*.ts, !*.min.js
    #[schemars(with = "Option<String>", extend("x-list" = true))]
    pub glob: Option<Vec<String>>,
    /// Skip these files and folders, with commas between, e.g. *.min.js,dist
    #[schemars(with = "Option<String>", extend("x-list" = true))]
    pub exclude: Option<Vec<String>>,
    /// File types as `rg --type` has them. Agents know this argument from other tools.
    #[serde(rename = "type")]
    #[schemars(with = "Option<String>", extend("x-list" = true, "x-unlisted" = true))]
    pub file_type: Option<Vec<String>>,
    /// Ignore case
    pub ignore_case: Option<bool>,
    /// Take the pattern as plain text
    pub literal: Option<bool>,
    /// Lines to show before and after each match
    #[schemars(range(min = 0, max = limits::MAX_CONTEXT))]
    pub context: Option<u64>,
    /// Lines before only
    #[schemars(range(min = 0, max = limits::MAX_CONTEXT))]
    pub before: Option<u64>,
    /// Lines after only
    #[schemars(range(min = 0, max = limits::MAX_CONTEXT))]
    pub after: Option<u64>,
    /// Most matches to return; default 100, by relevance 20
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Matches to skip
    pub offset: Option<u64>,
    /// The kind of the answer.
    #[schemars(
        description = "What to return: content (the default), files (names alone) or count (of each file)"
    )]
    pub mode: Option<OutputMode>,
    /// Order: path (the default), or relevance: definitions first
    #[schemars(extend("enum" = ["path", "relevance"]))]
    pub sort: Option<Sort>,
    /// Lines that do not match
    pub invert: Option<bool>,
    /// Only whole words
    pub word: Option<bool>,
    /// Show the definition around each match before it, as line= text
    pub show_function: Option<bool>,
    /// Let a match span lines; . matches newlines too
    pub multiline: Option<bool>,
    /// Also search ignored files
    pub no_ignore: Option<bool>,
}

/// Maximum number of matches that have their definitions by default with `--lean`.
pub(super) const FEW_MATCHES: usize = 20;
/// Maximum bytes of a binary file that are searched for a match.
const BINARY_FILE_BYTES: u64 = 16_000_000;
/// Maximum characters of the message about an invalid pattern. The message repeats the pattern.
const MESSAGE_CHARS: usize = 600;

/// Escapes and groups that other engines support.
const PERL: [&str; 16] = [
    r"\Z", r"\K", r"\G", r"\R", r"\Q", r"\X", r"\h+", r"\h*", r"\g{", r"\k<", r"\k{", "(?>", "(?|", "(?(",
    "(?&", "(?#",
];

/// The error for a newline in a pattern whose matches cannot span lines.
const NEWLINE: &str =
    "pattern: a newline can't match within a line. Use multiline=true to match across lines";

/// Runs one call.
pub async fn run(cx: &Context, args: GrepArgs) -> Result<Output, ToolError> {
    cx.blocking(move |cx| search(cx, &args)).await
}

/// Opens the targets, compiles the pattern, and searches the targets in order, until one is not searched completely.
fn search(cx: &Context, args: &GrepArgs) -> Result<Output, ToolError> {
    let (targets, missing) = targets::open(cx, args)?;
    let (query, request) = plan(cx, args).map_err(|error| causes::of_refused(cx, args, &targets, error))?;
    let mut results = Results::new(cx, args, query, request, targets.len());
    results.search.page.notices.extend(missing);
    results.search.targets = targets.iter().map(|target| target.place.asked.clone()).collect();
    for target in &targets {
        results.begin(target);
        match results.search_target(target) {
            // If there are several targets, the others are still searched.
            Err(ToolError::PermissionDenied(_) | ToolError::Io(..)) if targets.len() > 1 => {
                results.search.skip(WhySkipped::Unreadable, b"");
            }
            searched => searched?,
        }
        if !results.search.is_complete() {
            break;
        }
        results.search.complete_up_to = Some(results.start_of(target));
    }
    let cause = causes::of(args, &targets, &results);
    results.conclude(args, cause)
}

impl Results<'_> {
    /// Searches a file or a folder.
    fn search_target(&mut self, Target { place, filter }: &Target) -> Result<(), ToolError> {
        if place.stat.kind != FileKind::Folder {
            return self.search_file(place);
        }
        let walk = self.search.walk(place)?;
        content::search_tree(walk, self.query.clone(), filter.clone(), |walked| self.take(walked));
        self.search_binaries(place)
    }

    /// Searches the binary files of a target that the search has skipped, until the deadline or until the bytes for
    /// that are used up. Does nothing if the call searches for lines that do not match.
    fn search_binaries(&mut self, place: &OpenedPath) -> Result<(), ToolError> {
        let paths = std::mem::take(&mut self.binary_paths);
        if paths.is_empty() || self.query.invert || self.search.is_late {
            return Ok(());
        }
        let cx = self.search.cx;
        let (binary, mode) = (BinaryFiles::AsBytes, OutputMode::Files);
        let query = Query { binary, mode, ranking: None, ..self.query.clone() };
        let is_folder = place.stat.kind == FileKind::Folder;
        let folder = if is_folder { Some(resolve::folder(cx, place)?) } else { None };
        let stop = cx.stop();
        let mut searcher = FileSearcher::new(&query);
        for path in paths {
            // The searcher checks `stop` only in large files.
            if self.binary_bytes == 0 || stop.check().is_err() {
                break;
            }
            let opened = match &folder {
                Some(folder) => below::file(folder, &path).ok().flatten(),
                None => resolve::file(cx, place).ok().map(|file| (file, place.stat)),
            };
            let Some((file, stat)) = opened else { continue };
            let bytes = stat.bytes.min(BINARY_FILE_BYTES).min(self.binary_bytes);
            let mut is_match = false;
            let mut take = |found| {
                is_match |= matches!(found, Found::File(..));
                ControlFlow::Continue(())
            };
            let is_searched = bytes > 0 && searcher.search(&file, bytes, &stop, &Vec::new, &mut take).is_ok();
            let matches_without_nuls = || {
                let first = |most| lines::first_bytes(&file, as_index(bytes).min(most)).unwrap_or_default();
                // Of the only file of the call, the error has a command.
                let is_text = is_folder && media_type(&first(DECIDING_BYTES)) == "text/plain";
                is_text && {
                    let mut text = first(usize::MAX);
                    text.retain(|byte| *byte != 0);
                    query.pattern.is_match(&text)
                }
            };
            if is_searched && (is_match || matches_without_nuls()) {
                self.binary_matches.push(&self.search.show(&path));
            }
            self.binary_bytes -= bytes;
        }
        Ok(())
    }

    /// Searches one file. The filter does not apply to it.
    fn search_file(&mut self, place: &OpenedPath) -> Result<(), ToolError> {
        let cx = self.search.cx;
        // As in read, the saved output of a command is text whatever it is.
        let is_saved = cx.workspace.is_saved_output(&place.real);
        let binary = if is_saved { BinaryFiles::AsText } else { BinaryFiles::Skip };
        let query = Query { binary, ..self.query.clone() };
        let file = resolve::file(cx, place)?;
        let before = self.search.page.found;
        let done =
            content::search_file(&query, &file, place.stat.bytes, &cx.stop(), |found| self.take(found));
        match done {
            Ok(()) => {}
            Err(error) if stopped_by(&error) == Some(Stopped::Late) => {
                let found = self.search.page.found > before;
                let _flow = self.take(Walked::Late { complete: None, has_later: found }); // nothing follows
                if self.search.is_late && self.is_only_target {
                    let path = self.search.show(b"");
                    // Across lines, a match is passed on only with those in the next lines.
                    let found = found || self.query.pattern.is_across_lines;
                    self.search.page.stopped = Some(StoppedAt::File { path, found });
                }
                return Ok(());
            }
            Err(error) => return Err(resolve::unreadable(cx, place, error)),
        }
        self.search_binaries(place)?;
        if self.search.binary > 0 && self.is_only_target && self.binary_matches.count() == 0 {
            // `No matches found` would be wrong if this is the only file of the call. If it has the pattern, a notice
            // says so.
            let start = lines::first_bytes(&resolve::file(cx, place)?, DECIDING_BYTES);
            return Err(resolve::binary(cx, place, place.stat.bytes, &start.unwrap_or_default()));
        }
        Ok(())
    }
}

/// Returns the arguments that affect the pattern.
fn source(args: &GrepArgs) -> Source<'_> {
    Source {
        pattern: &args.pattern,
        literal: args.literal == Some(true),
        ignore_case: args.ignore_case == Some(true),
        multiline: args.multiline == Some(true),
        word: args.word == Some(true),
    }
}

/// Returns the search for the arguments, and the page of its results.
fn plan(cx: &Context, args: &GrepArgs) -> Result<(Query, PageRequest), ToolError> {
    check_most("pattern", args.pattern.len(), limits::PATTERN_BYTES, "bytes")?;
    let source = source(args);
    let pattern = Pattern::new(&source).map_err(|refused| match refused {
        // The pattern is valid, but it would also be refused as literal text.
        Refused::Newline => ToolError::Argument(NEWLINE.to_owned()),
        Refused::TooLarge => {
            ToolError::PatternTooLarge(show::middle_out(&args.pattern, MESSAGE_CHARS).into_owned())
        }
        Refused::Wrong(message) => {
            let is_of_perl = || PERL.iter().any(|part| args.pattern.contains(part));
            let is_unsupported = message.ends_with(" not supported")
                || message.contains("error: unrecognized ") && is_of_perl();
            let is_unsupported = is_unsupported && cx.has(ToolName::Bash);
            let message = show::middle_out(&message, MESSAGE_CHARS).into_owned();
            if is_unsupported { ToolError::PatternUnsupported(message) } else { ToolError::Pattern(message) }
        }
    })?;
    let mode = args.mode.unwrap_or_default();
    // As in ripgrep, `before` and `after` take precedence over `context`.
    let [before, after] = [args.before, args.after].map(|lines| lines.or(args.context).unwrap_or(0));
    let (context, unit) = match mode {
        OutputMode::Content => (ContextLines { before, after }, Unit::Matches),
        OutputMode::Files | OutputMode::Count => (ContextLines::default(), Unit::Files),
    };
    let ranked = (args.sort == Some(Sort::Relevance)).then_some(context);
    let request = PageRequest::new(args.offset, args.limit, unit, ranked)?;
    let ranking = ranked.map(|_| {
        // If files are ranked, only the best line of each file counts.
        let kept = if mode == OutputMode::Content { as_index(request.last()) } else { 1 };
        Arc::new(Ranking::new(kept))
    });
    let goes_to_the_end = ranked.is_some() || cx.shared.saves_all;
    let enough = if goes_to_the_end { u64::MAX } else { request.enough() };
    // At most the size of a page, so that the shown part of an oversized line contains the match.
    let page_bytes = as_index(cx.limits.max_bytes.max(SHOWN_BYTES));
    let max_line_chars = cx.limits.max_match_line_chars.min(page_bytes);
    let query = Query {
        pattern,
        invert: args.invert == Some(true),
        binary: BinaryFiles::Skip,
        mode,
        context,
        enough,
        is_counting: Arc::default(),
        counted_bytes: COUNTED.bytes,
        max_line_chars,
        ranking,
        ranking_prefix: Arc::default(),
    };
    Ok((query, request))
}

impl GrepArgs {
    /// Returns the kind of permit that the call needs.
    pub fn load(&self) -> Load {
        if self.multiline == Some(true) { Load::AcrossLines } else { Load::Heavy }
    }

    /// Returns true if the pattern has a `\|` outside of brackets, which the program grep treats as an alternation.
    fn escapes_bar(&self) -> bool {
        if self.literal == Some(true) {
            return false;
        }
        let (mut chars, mut in_class) = (self.pattern.chars(), false);
        while let Some(c) = chars.next() {
            match c {
                '\\' if chars.next() == Some('|') && !in_class => return true,
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
