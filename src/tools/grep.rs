//! grep: searching what files hold.
//!
//! Match lines come in path order, then by line, or the most relevant first, ties in that order; the same call on
//! the same tree gives the same bytes.
//! The answer is cut to the limits: lines to their characters, the whole to its lines and bytes, and each
//! cut is said.

mod results;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::lines;
use crate::fs::open::{FileKind, OpenedPath};
use crate::limits;
use crate::search::content::pattern::{Refused, Source};
use crate::search::content::{Found, OutputMode, PassedOver, Pattern, Query, Ranking};
use crate::search::matches;
use crate::search::relevance::Words;
use crate::search::walk::Walked;
use crate::stop::{Stopped, stopped_by};
use cutline_core::notice::Unit;
use cutline_core::text::{as_index, show};

use super::catalog::Load;
use super::page::{Page, PageRequest, SHOWN_BYTES, Sort};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, Shared};
use super::{Conclusion, Context, Output, SaveMode, ToolError, path_glob};
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
    pub mode: Option<OutputMode>,
    /// Order: path (the default), or relevance: definitions first
    #[schemars(extend("enum" = ["path", "relevance"]))]
    pub sort: Option<Sort>,
    /// Let a match span lines
    pub multiline: Option<bool>,
    /// Also search ignored files
    pub no_ignore: Option<bool>,
}

/// Characters of what is said of a pattern that is wrong: it repeats the pattern.
const MESSAGE_CHARS: usize = 600;

/// The error for a newline that no match can hold.
const NEWLINE: &str =
    "pattern: a newline can't match within a line. Use multiline=true to match across lines";

/// Does one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx, conclusion| search(cx, args, conclusion)).await
}

fn search(cx: &Context, args: Args, conclusion: &Conclusion<Output>) -> Result<Output, ToolError> {
    let place = resolve::open(cx, args.path.as_deref().unwrap_or("."), ExpectedKind::Path)?;
    let (query, request) = plan(cx, &args)?;
    let glob = args.glob.as_ref().map(|glob| path_glob::compile(cx, glob, &place)).transpose()?;
    let results = Shared::new(Results::new(cx, &query, Page::new(cx, request), &place));
    let sink = results.sink(Results::take);
    if place.stat.kind != FileKind::Folder {
        return search_file(cx, args, &place, &query, (results, sink), conclusion);
    }
    let walk = walk_support::walk(cx, &place, args.no_ignore == Some(true))?;
    let rules = walk.rules.clone();
    let search = matches::tree(walk, query, glob, sink);
    let ended = Arc::clone(&search);
    conclusion.prepare(move || {
        ended.conclude();
        results.take()?.conclude(&args, Some(&rules))
    });
    search.run();
    conclusion.conclude()
}

/// Searches one file, whatever the glob is.
fn search_file(
    cx: &Context,
    args: Args,
    place: &OpenedPath,
    query: &Query,
    (results, sink): (Shared<Results>, impl Fn(Walked<Found>) -> ControlFlow<()>),
    conclusion: &Conclusion<Output>,
) -> Result<Output, ToolError> {
    let file = resolve::file(cx, place)?;
    let is_complete = Arc::new(AtomicBool::new(false));
    let searched = Arc::clone(&is_complete);
    conclusion.prepare(move || {
        let mut results = results.take()?;
        results.is_part_of_file = !searched.load(Ordering::Acquire);
        results.conclude(&args, None)
    });
    let mut is_binary = false;
    let done = matches::file(query, &file, place.stat.bytes, &cx.stop(), |found| {
        is_binary |= matches!(found, Walked::Found(Found::PassedOver(_, PassedOver::Binary)));
        sink(found)
    });
    match done {
        Ok(()) => is_complete.store(true, Ordering::Release),
        Err(error) if stopped_by(&error) == Some(Stopped::Late) => {}
        Err(error) => return Err(ToolError::Io(cx.workspace.show(&place.real), error)),
    }
    if is_binary {
        // The one file that was asked for: that nothing was found in it would say too much.
        let start = lines::first_bytes(&resolve::file(cx, place)?, limits::BINARY_SNIFF_BYTES);
        return Err(resolve::binary(cx, place, place.stat.bytes, &start.unwrap_or_default()));
    }
    conclusion.conclude()
}

/// Returns the search that the arguments ask for, and the page of its results.
fn plan(cx: &Context, args: &Args) -> Result<(Query, PageRequest), ToolError> {
    let is_literal = args.literal == Some(true);
    let most = if is_literal { limits::LITERAL_BYTES } else { limits::PATTERN_BYTES };
    if args.pattern.len() > most {
        let given = args.pattern.len();
        return Err(ToolError::Argument(format!("pattern: must be at most {most} bytes, got {given}")));
    }
    let pattern = Pattern::new(&source(args)).map_err(|refused| match refused {
        // Not a wrong pattern: as plain text it would be refused too.
        Refused::Newline => ToolError::Argument(NEWLINE.to_owned()),
        Refused::TooLarge => {
            ToolError::PatternTooLarge(show::middle_out(&args.pattern, MESSAGE_CHARS).into_owned())
        }
        Refused::Wrong(message) => ToolError::Pattern(show::middle_out(&message, MESSAGE_CHARS).into_owned()),
    })?;
    let mode = args.mode.unwrap_or_default();
    let (context, unit) = match mode {
        OutputMode::Content => (args.context.unwrap_or(0), Unit::Matches),
        OutputMode::Files | OutputMode::Count => (0, Unit::Files),
    };
    let ranked = (args.sort == Some(Sort::Relevance)).then_some(context);
    let request = PageRequest::new(args.offset, args.limit, unit, ranked)?;
    let ranking = ranked.map(|_| {
        let words = Words::new(pattern.alternatives.clone(), args.ignore_case == Some(true));
        // Of each file only the best line counts where files are ranked.
        let kept = if mode == OutputMode::Content { as_index(request.kept()) } else { 1 };
        Arc::new(Ranking::new(kept, words))
    });
    let goes_to_the_end = ranked.is_some() || cx.shared.save == SaveMode::All;
    let enough = if goes_to_the_end { u64::MAX } else { request.enough() };
    // Never more than a page has bytes, so that the match is within what is shown of a line that is over the limit alone.
    let page_bytes = as_index(cx.limits.max_bytes.max(SHOWN_BYTES));
    let max_line_chars = cx.limits.max_line_chars.min(page_bytes);
    Ok((Query { pattern, mode, context, enough, max_line_chars, ranking }, request))
}

impl Args {
    /// Returns the kind of permit that the call needs.
    pub fn load(&self) -> Load {
        if self.multiline == Some(true) { Load::AcrossLines } else { Load::Heavy }
    }

    /// True if the pattern has a `\|` outside of brackets, by which grep's own syntax means an alternative.
    fn escapes_bar(&self) -> bool {
        let (mut chars, mut in_class) = (self.pattern.chars(), self.literal == Some(true));
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

fn source(args: &Args) -> Source<'_> {
    Source {
        pattern: &args.pattern,
        literal: args.literal == Some(true),
        ignore_case: args.ignore_case == Some(true),
        multiline: args.multiline == Some(true),
    }
}

#[cfg(test)]
mod tests;
