//! The files and folders that a call of grep searches.
//!
//! `path` is a file, a folder, a glob, an array of these, or several of them separated by spaces or commas. Each is
//! opened inside the roots. A path inside another one becomes a part of that search, so that grep searches no file
//! twice. If the search of the other one would not reach it, it comes after that search.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::fs::open::{FileKind, OpenedPath};
use crate::search::file_filter::{FileFilter, Selector};
use crate::search::file_types::FileTypes;
use crate::search::globs::{Glob, has_wildcard, literal_folders};
use crate::search::names::{self, NameQuery};
use crate::search::walk::Walked;

use super::{Context, GrepArgs, ToolError};
use crate::limits::GREP_PATHS;
use crate::tools::resolve::{self, ExpectedKind};
use crate::tools::walk_support::{self, Ignored, links_of};
use crate::tools::{ToolName, path_glob};
use cutline_core::notice::Notice;
use cutline_core::text::show;

/// A file, or a folder with a filter for its files.
pub(super) struct Target {
    pub(super) place: OpenedPath,
    /// The filter for the files, if the target is a folder.
    pub(super) filter: FileFilter,
}

impl Target {
    /// Returns true if the target is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.place.stat.kind == FileKind::Folder
    }
}

/// A path of the call: the file or folder, or the folder before the first wildcard of a glob, and the glob below it.
type PathPart = (OpenedPath, Option<Glob>);

/// Opens the paths of the call. Returns at least one target, sorted by path after following links, and notices about
/// paths that match nothing.
///
/// # Errors
///
/// Returns an error if no path matches, or if one has another error.
pub(super) fn open(cx: &Context, args: &GrepArgs) -> Result<(Vec<Target>, Vec<Notice>), ToolError> {
    let mut opened = Vec::new();
    let workspace = [".".to_owned()];
    for text in args.path.as_deref().unwrap_or(&workspace) {
        opened.extend(parts_of(cx, args, text));
        if opened.len() > GREP_PATHS {
            return Err(ToolError::Argument(format!("path: must be at most {GREP_PATHS} paths")));
        }
    }
    let (mut parts, mut missing, mut first_error) = (Vec::new(), Vec::new(), None);
    for part in opened {
        match part {
            Ok(part) => parts.push(part),
            Err(error) => {
                let (ToolError::NotFound { path, .. } | ToolError::NoPathMatches { glob: path, .. }) = &error
                else {
                    return Err(error);
                };
                missing.push(Notice::NotShown { part: show::in_notice(path), why: error.why_not_shown() });
                first_error.get_or_insert(error);
            }
        }
    }
    if let Some(error) = first_error.filter(|_| parts.is_empty()) {
        return Err(error);
    }
    parts.sort_by(|(a, _), (b, _)| a.real.cmp(&b.real));
    let mut targets: Vec<Target> = Vec::new();
    for part in parts {
        match targets.iter_mut().rev().find_map(|target| Some((path_in(target, &part.0, args)?, target))) {
            Some((path, target)) => target.filter.select(Selector { path, glob: part.1 }),
            None => targets.push(target(cx, args, part)?),
        }
    }
    Ok((targets, missing))
}

/// Returns the target for a path, with the filter for its files.
fn target(cx: &Context, args: &GrepArgs, (mut place, glob): PathPart) -> Result<Target, ToolError> {
    let mut globs = Cow::Borrowed(args.glob.as_deref().unwrap_or_default());
    if let [glob] = &*globs
        && place.stat.kind == FileKind::Folder
        && let Some((linked, rest)) = path_glob::through_link(cx, glob, &place)
    {
        place = linked;
        globs = vec![rest].into();
    }
    let types = args.file_type.as_ref().map(|given| {
        let names = given.iter().flat_map(|names| names.split([',', ' '])).filter(|name| !name.is_empty());
        FileTypes::new(names).map_err(ToolError::UnknownType)
    });
    let [globs, exclude] = path_glob::selections(cx, &globs, args.exclude.as_ref(), &place, false)?;
    let selected = glob.map(|glob| vec![Selector { path: Vec::new(), glob: Some(glob) }]);
    Ok(Target { place, filter: FileFilter { globs, exclude, types: types.transpose()?, selected } })
}

/// Opens the paths in one string.
fn parts_of(cx: &Context, args: &GrepArgs, text: &str) -> Vec<Result<PathPart, ToolError>> {
    let whole = match resolve::open(cx, text, ExpectedKind::Path) {
        // A long list of paths can be too long for a single path.
        Err(error @ (ToolError::NotFound { .. } | ToolError::Io(..))) => Err(error),
        opened => return vec![opened.map(|place| (place, None))],
    };
    let words = words(text);
    let is_list = (1..=GREP_PATHS).contains(&words.len()) && words != [text];
    let words = if is_list { words } else { Vec::new() };
    let all: Vec<_> = words.iter().map(|word| open_path(cx, args, word)).collect();
    if !all.is_empty() && all.iter().all(Result::is_ok) {
        return all;
    }
    let whole = if has_wildcard(text) { open_glob(cx, args, text) } else { whole };
    if whole.is_err() && all.iter().any(Result::is_ok) { all } else { vec![whole] }
}

/// Splits a list of paths at spaces outside of quotes, or at commas if it has no spaces.
fn words(text: &str) -> Vec<String> {
    let words = shlex::split(text).unwrap_or_default();
    match &words[..] {
        [word] => word.split(',').map(str::to_owned).collect(),
        _ => words.iter().map(|word| word.trim_end_matches(',').to_owned()).collect(),
    }
}

/// Opens one path, or the folder of a glob. Checks the deadline, because folders are searched for names that are similar to
/// those of missing paths.
fn open_path(cx: &Context, args: &GrepArgs, text: &str) -> Result<PathPart, ToolError> {
    cx.stop().check().map_err(|_stopped| ToolError::NoResponse(cx.deadline.limit.as_secs()))?;
    match resolve::open(cx, text, ExpectedKind::Path) {
        Err(ToolError::NotFound { .. }) if has_wildcard(text) => open_glob(cx, args, text),
        opened => opened.map(|place| (place, None)),
    }
}

/// Opens the folder before the first wildcard of a glob.
///
/// # Errors
///
/// Returns an error if the glob matches nothing that a search of that folder would reach.
fn open_glob(cx: &Context, args: &GrepArgs, text: &str) -> Result<PathPart, ToolError> {
    let (folder, rest) = text.split_at(literal_folders(text).len());
    let place = resolve::open(cx, if folder.is_empty() { "." } else { folder }, ExpectedKind::Directory)?;
    // A glob without `/` would match names in all folders.
    let glob = path_glob::compile(cx, &format!("./{rest}"), text, &place, false)?;
    let which = Ignored::of(args.no_ignore);
    let walk = walk_support::walk(cx, &place, which)?;
    let (rules, has_links) = (walk.rules.clone(), Arc::clone(&walk.has_links));
    let query = NameQuery { globs: vec![glob.clone()], ..NameQuery::default() };
    let selected = Some(vec![Selector { path: Vec::new(), glob: Some(glob.clone()) }]);
    let (filter, mut has_any) = (FileFilter { selected, ..FileFilter::default() }, false);
    names::search_tree(walk, query, |walked| {
        has_any = match walked {
            Walked::Found(_) | Walked::Late { .. } => true,
            // A notice of the search names it.
            Walked::WorkTree(path) => filter.enters(&path),
            _ => false,
        };
        if has_any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let is_folder = |path: &[u8], kind, _| kind == FileKind::Folder && filter.enters(path);
    let has_links = has_links.load(Ordering::Relaxed);
    if has_any || has_links && links_of(cx, &place, which, FileKind::Folder, &is_folder).is_some() {
        return Ok((place, Some(glob)));
    }
    let (find, ignored) = (cx.has(ToolName::Find), rules.ignored_any());
    Err(ToolError::NoPathMatches { glob: text.to_owned(), ignored, find })
}

/// Returns the path of `place` relative to a target, if a search of the target reaches it.
fn path_in(target: &Target, place: &OpenedPath, args: &GrepArgs) -> Option<Vec<u8>> {
    let base = &target.place.real;
    let below = place.real.strip_prefix(base).ok()?;
    if below.as_os_str().is_empty() {
        return Some(Vec::new());
    }
    let is_folder = place.stat.kind == FileKind::Folder;
    let names: Vec<&[u8]> = below.iter().map(OsStr::as_encoded_bytes).collect();
    let rules = Ignored::of(args.no_ignore).rules(base);
    let path = names.join(&b'/');
    let is_reached = target.filter.reaches(&path, is_folder) && rules.reaches(base, below, is_folder);
    is_reached.then_some(path)
}
