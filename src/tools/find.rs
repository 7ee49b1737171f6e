//! find: searches for files by name.
//!
//! Results are sorted by path, by modification time (newest first), or by relevance for the words of the pattern. Ties
//! are sorted by path, so the same call on the same tree returns the same bytes.

use std::ops::ControlFlow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::open::OpenedPath;
use crate::limits;
use crate::search::best::Best;
use crate::search::content::ContextLines;
use crate::search::globs::{Glob, has_wildcard};
use crate::search::names::{self, Found, Key, Kind, Query};
use crate::search::walk::Walked;
use cutline_core::details::Details;
use cutline_core::text::{as_index, show};

use super::notice::Unit;
use super::page::{Group, Page, PageRequest, Sort};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, Paths, Shared, SkippedEntries};
use super::{Conclusion, Context, Output, ToolError, path_glob};

/// The arguments of find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Glob; without / of names at any depth, with one of paths below path. By relevance: words
    pub pattern: String,
    /// Folder to search; default: the workspace
    pub path: Option<String>,
    /// Most results; default 1000, by relevance 20
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// The kind of the entries.
    #[schemars(description = "What to find: file (the default), dir or any")]
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Order: path (the default), modified (newest first) or relevance (best match of the words first)
    pub sort: Option<Sort>,
    /// Also find ignored files
    pub no_ignore: Option<bool>,
    /// Glob of files and folders to skip
    #[schemars(with = "Option<String>", extend("x-list" = true))]
    pub exclude: Option<Vec<String>>,
    /// Most levels below path
    #[schemars(range(min = 1))]
    pub max_depth: Option<u64>,
    /// Match names without regard to case
    #[schemars(extend("x-unlisted" = true))]
    pub ignore_case: Option<bool>,
}

/// Runs one call.
pub async fn run(cx: &Context, args: Args) -> Result<Output, ToolError> {
    cx.blocking(move |cx, conclusion| search(cx, args, conclusion)).await
}

fn search(cx: &Context, args: Args, conclusion: &Conclusion<Output>) -> Result<Output, ToolError> {
    let asked = args.path.as_deref().unwrap_or(".");
    let place = resolve::open(cx, asked, ExpectedKind::Directory)
        .map_err(|error| glob_as_path(&args, asked, &error).unwrap_or(error))?;
    let query = query(cx, &args, &place)?;
    let ranked = matches!(query.key, Key::Relevance(_)).then(ContextLines::default);
    let request = PageRequest::new(args.offset, args.limit, Unit::Results, ranked)?;
    let walk = walk_support::walk(cx, &place, args.no_ignore.unwrap_or(false))?;
    let rules = walk.rules.clone();
    let is_sorted = !matches!(query.key, Key::Path);
    let results = Shared::new(Results {
        paths: Paths::below(&cx.workspace, &place.asked),
        page: Page::new(cx, request),
        best: is_sorted.then(|| Best::new(as_index(request.kept()))),
        skipped: SkippedEntries::default(),
    });
    let search = names::tree(walk, query, results.sink(Results::take));
    let ended = Arc::clone(&search);
    conclusion.prepare(move || {
        ended.conclude();
        results.take()?.conclude(&args, rules.ignored_any())
    });
    search.run();
    conclusion.conclude()
}

/// The results of a call.
struct Results {
    paths: Paths,
    page: Page,
    /// The results to show, if they are not sorted by path.
    best: Option<Best<i128, Vec<u8>>>,
    skipped: SkippedEntries,
}

impl Results {
    fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        let Self { paths, page, best, skipped } = self;
        let Some(Found { path, key }) = skipped.take(walked, paths) else { return ControlFlow::Continue(()) };
        let name = || Group::name(paths.show(&path));
        let Some(best) = best else { return page.take(name) };
        page.count(name);
        best.push(key, path);
        ControlFlow::Continue(())
    }

    /// Builds the result of the call. If nothing was found, it has a notice if ignore rules excluded something.
    fn conclude(self, args: &Args, ignored_any: bool) -> Result<Output, ToolError> {
        let Self { paths, mut page, best, mut skipped } = self;
        let to_skip = as_index(page.request.offset);
        for (_, path) in best.into_iter().flat_map(|best| best.into_sorted().skip(to_skip)) {
            page.body.group(Group::name(paths.show(&path)));
        }
        let mut details = Details::default();
        let is_empty = page.found == 0;
        page.stopped = skipped.stopped.take().map(|stopped| stopped.at(!is_empty, Unit::Results));
        let path = args.path.as_deref().filter(|_| is_empty);
        let repeats = path.and_then(|path| path_glob::repeats_path("pattern", path, [&args.pattern]));
        let skipped = skipped.notices(is_empty && ignored_any, &mut details);
        page.answer(None, repeats.into_iter().chain(skipped).collect(), details)
    }
}

fn query(cx: &Context, args: &Args, place: &OpenedPath) -> Result<Query, ToolError> {
    let sort = args.sort.unwrap_or_default();
    let key = match sort {
        Sort::Relevance => Key::Relevance(words(&args.pattern)?),
        Sort::Modified => Key::Modified,
        Sort::Path => Key::Path,
    };
    let [globs, mut exclude] = if sort == Sort::Relevance {
        Default::default()
    } else {
        path_glob::selections(cx, [&args.pattern], place, args.ignore_case == Some(true))?
    };
    // A glob for folders would find nothing among files.
    let is_of_folders =
        !globs.is_empty() && globs.iter().all(Glob::is_of_folders) && !args.pattern.starts_with('!');
    let kind = args.kind.unwrap_or(if is_of_folders { Kind::Dir } else { Kind::File });
    exclude.extend(path_glob::exclusions(cx, args.exclude.as_ref(), place)?);
    Ok(Query { globs, exclude, max_depth: args.max_depth.map(as_index), kind, key })
}

/// Returns the error for a glob in `path` that belongs in `pattern`. Returns `None` if `path` is not a glob.
fn glob_as_path(args: &Args, path: &str, error: &ToolError) -> Option<ToolError> {
    let has_glob = args.sort != Some(Sort::Relevance) && has_wildcard(path);
    if !has_glob || !matches!(error, ToolError::NotFound { .. }) {
        return None;
    }
    let is_of_names = !args.pattern.trim_end_matches('/').contains('/');
    let folders = path.trim_end_matches('/');
    let pattern = [folders, if is_of_names { "/**/" } else { "/" }, &args.pattern].concat();
    let [path, pattern] = [path, &pattern].map(|glob| show::path(&show::name(glob.as_bytes())));
    let message = format!("path: must be a folder, got the glob {path}. Use pattern={pattern} without path");
    Some(ToolError::Argument(message))
}

/// Returns the words of a pattern. Returns an error if it is a glob.
fn words(pattern: &str) -> Result<String, ToolError> {
    if pattern.len() > limits::GLOB_BYTES {
        let (most, given) = (limits::GLOB_BYTES, pattern.len());
        return Err(ToolError::Argument(format!("pattern: must be at most {most} bytes, got {given}")));
    }
    if pattern.trim().is_empty() || pattern.contains(['*', '?', '[', ']', '{', '}', '!']) {
        let given = show::name(pattern.as_bytes());
        return Err(ToolError::Argument(format!(
            "pattern: must be words without wildcards with sort=relevance, got \"{given}\""
        )));
    }
    Ok(pattern.to_owned())
}

#[cfg(test)]
mod tests;
