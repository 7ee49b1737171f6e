//! find: searches for files by name.
//!
//! Results are sorted by path, by modification time (newest first), or by relevance for the words of the pattern. Ties
//! are sorted by path, so the same call on the same tree returns the same bytes.

use std::cell::LazyCell;
use std::ops::ControlFlow;
use std::slice::from_ref;
use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::open::{FileKind, OpenedPath};
use crate::limits;
use crate::search::best::Best;
use crate::search::content::ContextLines;
use crate::search::globs::{Glob, has_wildcard};
use crate::search::names::{self, EntryKind, FoundEntry, Key, NameQuery};
use crate::search::relevance::NameScorer;
use crate::search::walk::Searched;
use cutline_core::notice::{InAll, Notice, Unit};
use cutline_core::text::{Total, as_index, show};

use super::error::check_most;
use super::page::{Group, PageRequest, Sort};
use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, COUNTED, IGNORED_CHECK, Ignored, Search};
use super::{Context, Output, ToolError, path_glob};

/// Maximum number of names in a tree that is always searched again for names in another case, which takes some
/// milliseconds. A larger tree is searched again only if the pattern has capital letters.
const SMALL_FOLDER_NAMES: u64 = 20_000;

/// The arguments of find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindArgs {
    /// Glob; without / of names at any depth, with one of paths below path. By relevance: words
    pub pattern: String,
    /// Folder to search; default: the workspace
    pub path: Option<String>,
    /// Most results; default 1000, by relevance 20
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip
    pub offset: Option<u64>,
    /// The kind of the entries.
    #[schemars(description = "What to find: file (the default), dir or any")]
    #[serde(rename = "type")]
    pub kind: Option<EntryKind>,
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
pub async fn run(cx: &Context, args: FindArgs) -> Result<Output, ToolError> {
    cx.blocking(move |cx| search(cx, args)).await
}

fn search(cx: &Context, mut args: FindArgs) -> Result<Output, ToolError> {
    let asked = args.path.as_deref().unwrap_or(".");
    let mut place = resolve::open(cx, asked, ExpectedKind::Directory)
        .map_err(|error| glob_as_path(&args, asked, &error).unwrap_or(error))?;
    if args.sort != Some(Sort::Relevance)
        && let Some((linked, rest)) = path_glob::through_link(cx, &args.pattern, &place)
    {
        place = linked;
        args.pattern = rest;
    }
    let args = &args;
    let query = query(cx, args, &place)?;
    let ranked = matches!(query.key, Key::Relevance(_)).then(ContextLines::default);
    let request = PageRequest::new(args.offset, args.limit, Unit::Results, ranked)?;
    let new_search = || Search::new(cx, request, args.no_ignore);
    let mut search = find(new_search(), &place, query.clone())?;
    // A name without an extension is often that of a folder.
    let others_match = query.other_matches.load(Ordering::Relaxed);
    let may_be_folders = others_match && args.kind.is_none() && query.kind == EntryKind::File;
    let may_be_links = others_match && query.kind == EntryKind::Dir && ranked.is_none();
    if may_be_links && (search.is_known_empty() || is_name(args)) {
        search.page.notices.push(Notice::OthersMatch("Links"));
    } else if may_be_folders && search.is_known_empty() {
        let folders = find(new_search(), &place, NameQuery { kind: EntryKind::Dir, ..query.clone() })?;
        let count = folders.page.found;
        if count > 0 {
            search = folders;
            search.page.notices.push(Notice::FoldersMatch(count));
        }
    } else if may_be_folders && is_name(args) && !search.is_late && !search.page.has_more() {
        // A link to a folder is among the files.
        search.page.notices.push(Notice::FoldersMatchToo);
    }
    let globs = path_glob::split(&args.pattern);
    let linked = ranked.is_none().then(|| path_glob::linked_folders(cx, &globs, &place)).flatten();
    search.page.notices.extend(linked);
    if search.is_known_empty() && search.page.notices.is_empty() {
        let path = args.path.as_deref();
        let repeats = path.and_then(|path| path_glob::repeats_path("pattern", path, &globs));
        let by_glob = repeats.or_else(|| path_glob::of_git(cx, &globs, &place));
        let cause = by_glob.or_else(|| cause(args, &place, &query, &search));
        search.page.notices.extend(cause);
    }
    let count = Total::new(search.page.found, search.counting.is_at_least);
    search.finish(InAll { count, unit: Unit::Results, files: None })
}

/// Returns true if the pattern is a name or a path without wildcards.
fn is_name(args: &FindArgs) -> bool {
    args.sort != Some(Sort::Relevance) && !has_wildcard(&args.pattern) && !args.pattern.starts_with('!')
}

/// Searches the folder at `place`.
fn find<'a>(mut search: Search<'a>, place: &OpenedPath, query: NameQuery) -> Result<Search<'a>, ToolError> {
    let (cx, request) = (search.cx, search.page.request);
    search.asked.clone_from(&place.asked);
    let name = |path: &[u8]| cx.workspace.show_below(&place.asked, path);
    // The results to show, if they are not sorted by path. The saved ones always are.
    let mut best = (!matches!(query.key, Key::Path)).then(|| Best::new(as_index(request.last())));
    let walk = search.walk(place)?;
    names::search_tree(walk, query, |walked| {
        let Some(FoundEntry { path, key }) = search.take(walked)? else { return ControlFlow::Continue(()) };
        let Search { page, counting, .. } = &mut search;
        if let Some(best) = &mut best {
            page.record(|| name(&path));
            best.push(key, path);
        } else {
            page.take(|| name(&path));
            if page.is_done() {
                // Each result counts as a file, but find only reads its name.
                counting.only_count(Searched { visited: COUNTED.names, ..COUNTED });
            }
        }
        ControlFlow::Continue(())
    });
    for (_, path) in best.into_iter().flat_map(Best::into_sorted).skip(as_index(request.offset)) {
        search.page.body.group(Group::name(name(&path)));
    }
    Ok(search)
}

/// Searches for the reason why nothing was found, if there is one that the model can act on.
fn cause(args: &FindArgs, place: &OpenedPath, query: &NameQuery, search: &Search<'_>) -> Option<Notice> {
    let (cx, kind) = (search.cx, args.kind.unwrap_or_default());
    let finds_any = |ignored: Ignored, query: NameQuery, most: Searched| {
        let walk = walk_support::walk(cx, place, ignored).ok()?;
        walk_support::finds_any(walk, query, Some(most))
    };
    let any_ignored = |query: NameQuery| finds_any(Ignored::Only, query, IGNORED_CHECK);
    let is_ignored = |args: &FindArgs| any_ignored(NameQuery { kind, ..self::query(cx, args, place).ok()? });
    let has_ignored = search.ignored == Ignored::Skipped && search.ignored_any();
    // A plain name is searched in the ignored files in any case, because a match is the most likely cause.
    let ignored_match =
        LazyCell::new(
            || if search.exceeds_ignored_check() && !is_name(args) { None } else { is_ignored(args) },
        );
    if has_ignored && is_name(args) && *ignored_match == Some(true) {
        return Some(Notice::IgnoredNotSearched);
    }
    let is_glob = args.sort != Some(Sort::Relevance);
    let any_file =
        || finds_any(search.ignored, NameQuery { kind: EntryKind::File, ..query.clone() }, COUNTED);
    // A ranking has no glob that another type could match.
    let others = match args.kind.filter(|_| is_glob) {
        Some(EntryKind::File) if query.other_matches.load(Ordering::Relaxed) => Some("Folders"),
        Some(EntryKind::Dir) if any_file() == Some(true) => Some("Files"),
        _ => None,
    };
    if let Some(others) = others {
        return Some(Notice::OthersMatch(others));
    }
    let like = NameQuery { kind, ..query.clone() };
    if is_glob && let Some(near) = path_glob::meant(cx, from_ref(&args.pattern), place, search.ignored, &like)
    {
        let filter = format!("glob {}", show::path(&args.pattern));
        return Some(Notice::NoFileMatches { filter, near: Some(near) });
    }
    // A second walk of a large folder doubles the time.
    let is_cheap = search.counting.searched.names <= SMALL_FOLDER_NAMES;
    if is_glob && args.ignore_case != Some(true) && (is_cheap || args.pattern.contains(char::is_uppercase)) {
        let any_case = FindArgs { ignore_case: Some(true), ..args.clone() };
        let query = NameQuery { kind, ..self::query(cx, &any_case, place).ok()? };
        if finds_any(search.ignored, query, COUNTED) == Some(true) {
            return Some(Notice::CaseDiffers("Names"));
        }
    }
    // The folder above the first one of a path may be ignored.
    let is_path = args.pattern.contains('/') && args.pattern.starts_with(char::is_alphanumeric);
    if has_ignored || search.ignored == Ignored::Skipped && is_path {
        let anywhere = || FindArgs { pattern: format!("**/{}", args.pattern), ..args.clone() };
        let found = if is_path { is_ignored(&anywhere()) } else { *ignored_match };
        // After an incomplete check, ignored files may match if there are any.
        let are_there = || {
            has_ignored
                || any_ignored(NameQuery { kind: EntryKind::File, ..NameQuery::default() }) == Some(true)
        };
        if found.unwrap_or_else(are_there) {
            return Some(Notice::IgnoredNotSearched);
        }
    }
    let is_by_path = args.pattern.trim_end_matches('/').contains('/');
    search.links_not_searched(place, FileKind::Folder, |path, kind, is_elsewhere| {
        kind == FileKind::Folder && (is_by_path || is_elsewhere) && query.can_match_below(path)
    })
}

fn query(cx: &Context, args: &FindArgs, place: &OpenedPath) -> Result<NameQuery, ToolError> {
    let sort = args.sort.unwrap_or_default();
    let key = match sort {
        Sort::Relevance => Key::Relevance(NameScorer::new(words(&args.pattern)?)),
        Sort::Modified => Key::Modified,
        Sort::Path => Key::Path,
    };
    let globs = if sort == Sort::Relevance { &[][..] } else { from_ref(&args.pattern) };
    let ignore_case = args.ignore_case == Some(true);
    let [globs, exclude] = path_glob::selections(cx, globs, args.exclude.as_ref(), place, ignore_case)?;
    // A glob for folders would find nothing among files.
    let is_of_folders = !globs.is_empty() && globs.iter().all(Glob::is_of_folders);
    let kind = args.kind.unwrap_or(if is_of_folders { EntryKind::Dir } else { EntryKind::File });
    let max_depth = args.max_depth.map(as_index);
    Ok(NameQuery { globs, exclude, max_depth, kind, key, ..NameQuery::default() })
}

/// Returns the error for a glob in `path` that belongs in `pattern`. Returns `None` if `path` is not a glob.
fn glob_as_path(args: &FindArgs, path: &str, error: &ToolError) -> Option<ToolError> {
    let has_glob = args.sort != Some(Sort::Relevance) && has_wildcard(path);
    if !has_glob || !matches!(error, ToolError::NotFound { .. }) {
        return None;
    }
    let is_of_names = !args.pattern.trim_end_matches('/').contains('/');
    let folders = path.trim_end_matches('/');
    let pattern = [folders, if is_of_names { "/**/" } else { "/" }, &args.pattern].concat();
    let [path, pattern] = [path, &pattern].map(show::path);
    let message = format!("path: must be a folder, got the glob {path}. Use pattern={pattern} without path");
    Some(ToolError::Argument(message))
}

/// Returns the words of a pattern. Returns an error if it is a glob.
fn words(pattern: &str) -> Result<&str, ToolError> {
    check_most("pattern", pattern.len(), limits::GLOB_BYTES, "bytes")?;
    if pattern.trim().is_empty() || pattern.contains(['*', '?', '[', ']', '{', '}', '!']) {
        let given = show::name(pattern.as_bytes());
        return Err(ToolError::Argument(format!(
            "pattern: must be words without wildcards with sort=relevance, got \"{given}\""
        )));
    }
    Ok(pattern)
}

#[cfg(test)]
mod tests;
