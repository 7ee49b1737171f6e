//! grep: searching what files hold.
//!
//! Match lines come in path order, then by line, or the most relevant first, ties in that order; the same call on
//! the same tree gives the same bytes.
//! The answer is cut to the limits: lines to their characters, the whole to its lines and bytes, and each
//! cut is said.

mod ranked;
mod results;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::lines;
use crate::fs::open::{FileKind, OpenedPath};
use crate::limits::{self, Limits};
use crate::search::content::pattern::{self, Case, LineMode, Refused, Source, Syntax};
use crate::search::content::{OutputMode, Pattern, Query, Ranking, Row, RowKind};
use crate::search::globs::Glob;
use crate::search::matches;
use crate::search::relevance::Words;
use cutline_core::notice::Unit;
use cutline_core::text::{as_index, show};

use super::page::{Line, PageRequest, SHOWN_BYTES, Sort};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, Paths};
use super::{Context, Output, SaveMode, ToolError, ToolName, path_glob};
use results::Results;

/// The arguments of grep.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Regular expression (Rust syntax)
    pub pattern: String,
    /// File or folder to search; default: the workspace
    pub path: Option<String>,
    /// Only these files, e.g. *.rs, src/**/*.ts, !*.min.js
    pub glob: Option<String>,
    /// Search without regard to case
    pub ignore_case: Option<bool>,
    /// Take the pattern as plain text
    pub literal: Option<bool>,
    /// Lines to show before and after each match
    #[schemars(range(min = 0, max = 100))]
    pub context: Option<u64>,
    /// Most matches to return; default 100, by relevance 20
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Matches to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// The kind of the answer.
    #[schemars(
        description = "What to return: content (the default), files (names alone) or count (of each file)"
    )]
    pub mode: Option<Mode>,
    /// Order: path (the default), or relevance: definitions first
    #[schemars(extend("enum" = ["path", "relevance"]))]
    pub sort: Option<Sort>,
    /// Let a match span lines
    pub multiline: Option<bool>,
    /// Also search ignored files
    pub no_ignore: Option<bool>,
}

/// The kind of answer that grep gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
pub enum Mode {
    #[default]
    Content,
    Files,
    Count,
}

/// Characters of what is said of a pattern that is wrong: it repeats the pattern.
const MESSAGE_CHARS: usize = 600;

/// The error for a newline that no match can hold.
const NEWLINE: &str =
    "pattern: a newline can't match within a line. Use multiline=true to match across lines";

/// The plan of a call, made of its arguments.
#[derive(Debug)]
struct Plan {
    pattern: String,
    query: Query,
    glob: Option<Glob>,
    request: PageRequest,
    mode: Mode,
    no_ignore: bool,
    /// True if the pattern has a `\|`, by which grep's own syntax means an alternative.
    escapes_bar: bool,
}

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx| {
        let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Either)?;
        search(cx, &place, &plan(cx, &args, &place)?)
    })
    .await
}

fn plan(cx: &Context, args: &Args, place: &OpenedPath) -> Result<Plan, ToolError> {
    let is = |flag: Option<bool>| flag.unwrap_or(false);
    let most = if is(args.literal) { limits::LITERAL_BYTES } else { limits::PATTERN_BYTES };
    if args.pattern.len() > most {
        let given = args.pattern.len();
        return Err(ToolError::Argument(format!("pattern: must be at most {most} bytes, got {given}")));
    }
    let pattern = Pattern::new(&source(args)).map_err(|refused| match refused {
        // Not a wrong pattern: as plain text it would be refused too.
        Refused::Newline => ToolError::Argument(NEWLINE.to_owned()),
        Refused::TooCostly => too_costly(&args.pattern),
        Refused::Wrong(message) => ToolError::Pattern(show::middle_out(&message, MESSAGE_CHARS).into_owned()),
    })?;
    let glob = args.glob.as_ref().map(|glob| path_glob::compile(cx, glob, place));
    let mode = args.mode.unwrap_or_default();
    let context = if mode == Mode::Content { args.context.unwrap_or(0) } else { 0 };
    let (what, unit) = match mode {
        Mode::Content => (OutputMode::Lines, Unit::Matches),
        Mode::Files => (OutputMode::Any, Unit::Files),
        Mode::Count => (OutputMode::Count, Unit::Files),
    };
    let ranked = (args.sort == Some(Sort::Relevance)).then_some(context);
    let request = PageRequest::new(args.offset, args.limit, unit, ranked)?;
    let ranking = ranked.map(|_| {
        let words = Words::new(pattern.alternatives.clone(), is(args.ignore_case));
        // Of each file only the best line counts where files are ranked.
        let kept = if mode == Mode::Content { as_index(request.kept()) } else { 1 };
        Arc::new(Ranking::new(kept, words))
    });
    let goes_to_the_end = ranked.is_some() || cx.shared.save == SaveMode::All;
    let enough = if goes_to_the_end { u64::MAX } else { request.enough() };
    let query = Query { pattern, what, context, enough, max_line_chars: max_line_chars(&cx.limits), ranking };
    let (pattern, no_ignore) = (args.pattern.clone(), is(args.no_ignore));
    let escapes_bar = !is(args.literal) && escapes_bar(&pattern);
    Ok(Plan { pattern, query, glob: glob.transpose()?, request, mode, no_ignore, escapes_bar })
}

/// True if a bar outside of brackets is escaped.
fn escapes_bar(pattern: &str) -> bool {
    let (mut chars, mut in_class) = (pattern.chars(), false);
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

/// The error for a pattern that takes more than a text is worth.
fn too_costly(pattern: &str) -> ToolError {
    ToolError::TooCostly(show::middle_out(pattern, MESSAGE_CHARS).into_owned())
}

impl Args {
    /// True if the call may take so long over its pattern that it is not to hold up others.
    pub(super) fn is_costly(&self) -> bool {
        self.pattern.len() <= limits::LITERAL_BYTES && pattern::is_costly(&source(self))
    }
}

fn source(args: &Args) -> Source<'_> {
    let is = |flag: Option<bool>| flag.unwrap_or(false);
    Source {
        pattern: &args.pattern,
        syntax: if is(args.literal) { Syntax::Literal } else { Syntax::Regex },
        case: if is(args.ignore_case) { Case::Ignored } else { Case::Counts },
        reach: if is(args.multiline) { LineMode::Lines } else { LineMode::Line },
    }
}

/// Characters of a line that are shown: never more than a page has bytes, so that the match is within
/// what is shown of a line that is over the limit alone.
fn max_line_chars(limits: &Limits) -> usize {
    let page = limits.max_bytes.max(SHOWN_BYTES);
    limits.max_line_chars.min(as_index(page))
}

/// The line of a match, `path:3: text`, or of one beside it, `path-3- text`.
fn row_line(path: &str, kind: RowKind, row: &Row) -> Line {
    let mark = if kind == RowKind::Match { ":" } else { "-" };
    let text = [path, mark, &row.number.to_string(), mark, " ", &row.text].concat();
    Line { text, path: path.len(), cut: row.cut }
}

/// The line of a file, by mode.
fn file_line(path: String, mode: Mode, matches: u64) -> Line {
    match mode {
        Mode::Count => Line { text: format!("{path}: {matches}"), path: path.len(), cut: false },
        Mode::Content | Mode::Files => Line::name(path),
    }
}

fn search(cx: &Context, place: &OpenedPath, plan: &Plan) -> Result<Output, ToolError> {
    let refused = |error| resolve::refused(cx, &place.real.to_string_lossy(), error);
    let is_folder = place.stat.kind == FileKind::Folder;
    let shown = if is_folder { Paths::below } else { Paths::of_file };
    let mut results = Results::new(cx, plan, shown(&cx.workspace, &place.real));
    let mut ignored = false;
    let mut done = Ok(());
    if is_folder {
        let walk = walk_support::walk(cx, place, plan.no_ignore)?;
        matches::tree(&walk, &plan.query, plan.glob.as_ref(), |found| results.take(found));
        ignored = walk.rules.ignored_any();
    } else {
        let (file, stop) = (place.file().map_err(refused)?, cx.cancel.child_token());
        done = matches::file(&plan.query, file, place.stat.bytes, &stop, |found| results.take(found));
    }
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    done.map_err(|source| ToolError::Io { path: cx.workspace.show(&place.real), source })?;
    if results.is_too_costly {
        return Err(too_costly(&plan.pattern));
    }
    if !is_folder && results.passed_over_binary() {
        // The one file that was asked for: that nothing was found in it would say too much.
        let start = place.file().map_err(refused)?;
        let start = lines::first_bytes(&start, limits::BINARY_SNIFF_BYTES).unwrap_or_default();
        return Err(resolve::binary(cx, place, place.stat.bytes, &start));
    }
    results.conclude(cx, ignored)
}

#[cfg(test)]
mod tests;
