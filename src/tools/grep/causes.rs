//! The reason why a search found nothing, or why its pattern matches every line or is refused, if there is one that the
//! model can act on.
//!
//! A reason that depends on files is checked by a search, within the bounds for counting. Only the notice about ignored
//! files is also returned if the search for them ends at these bounds.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::results::Results;
use super::targets::Target;
use super::{Context, GrepArgs, Query, ToolError};
use crate::fs::open::FileKind;
use crate::search::content::pattern::Source;
use crate::search::content::{self, ContextLines, Found, IncompleteReason, OutputMode, Pattern};
use crate::search::globs::has_wildcard;
use crate::search::names::{EntryKind, NameQuery};
use crate::search::walk::{Searched, Walked};
use crate::tools::walk_support::{self, COUNTED, Counting, IGNORED_CHECK, Ignored};
use crate::tools::{path_glob, resolve};
use cutline_core::notice::Notice;
use cutline_core::text::{Total, show};

/// Characters that are special in regular expressions.
const SPECIAL: &[char] = &['.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '^', '$', '\\'];

/// Parts of a pattern that match any characters, newlines included.
const ANY: [&str; 5] = [r"[\s\S]", r"[\S\s]", r"[\d\D]", r"[\w\W]", "(?s)"];

/// A notice about the lines that another pattern matches.
type OfLines = fn(Total) -> Notice;

/// Returns what is to say about a search without results, or about a pattern that matches every line.
pub(super) fn of(args: &GrepArgs, targets: &[Target], results: &Results<'_>) -> Option<Notice> {
    let Results { query, search, .. } = results;
    let cx = search.cx;
    if query.pattern.has_empty_alternative && args.invert != Some(true) {
        return Some(Notice::EmptyAlternative);
    }
    let folders = || targets.iter().filter(|target| target.is_folder());
    let lists = args.glob.as_deref().unwrap_or_default();
    let globs: Vec<String> = lists.iter().flat_map(|list| path_glob::split(list)).collect();
    let listed = folders().find_map(|target| path_glob::linked_folders(cx, &globs, &target.place));
    if listed.is_some() || !search.is_known_empty() {
        return listed;
    }
    if let Some([path]) = args.path.as_deref()
        && let Some(repeats) = path_glob::repeats_path("glob", path, &globs)
    {
        return Some(repeats);
    }
    let ignored_any = search.ignored_any();
    let has_files = folders().count() < targets.len();
    let is_by_path = globs.iter().any(|glob| glob.contains('/'))
        || args.path.iter().flatten().any(|path| has_wildcard(path));
    let is_none_selected = !has_files && search.counting.searched.visited == 0;
    let linked = || {
        folders().find_map(|Target { place, filter }| {
            let first = if is_none_selected { FileKind::File } else { FileKind::Folder };
            search.links_not_searched(place, first, |path, kind, is_elsewhere| match kind {
                FileKind::Folder => (is_by_path || is_elsewhere) && filter.enters(path),
                FileKind::File => (is_by_path || is_none_selected || is_elsewhere) && filter.selects(path),
                _ => false,
            })
        })
    };
    let in_ignored = |query: &Query, most| {
        if ignored_any { count(cx, folders(), query, Ignored::Only, most) } else { Total::Exact(0) }
    };
    let same = counted(query, query.pattern.clone());
    let is_filtered = (args.glob.is_some() || args.file_type.is_some()) && is_none_selected;
    if is_filtered && in_ignored(&same, COUNTED).count() == 0 {
        let place = &targets.first()?.place;
        if let Some(git) = path_glob::of_git(cx, &globs, place) {
            return Some(git);
        }
        let exclude = path_glob::exclusions(cx, args.exclude.as_ref(), place).ok()?;
        let like = NameQuery { exclude, kind: EntryKind::File, no_links: true, ..NameQuery::default() };
        let near = path_glob::meant(cx, lists, place, search.ignored, &like);
        if near.is_none() {
            // A link that leads outside is the reason only if a glob begins with it.
            let is_named = || folders().any(|target| path_glob::begins_outside(cx, &globs, &target.place));
            let linked = linked().filter(|linked| !matches!(linked, Notice::LinksOutside(_)) || is_named());
            // A notice about work trees with matching paths says enough.
            if linked.is_some() || is_by_path && !search.work_trees.is_empty() {
                return linked;
            }
        }
        let named = |before: &str, list: &Option<Vec<String>>| {
            Some(before.to_owned() + &show::path(&list.as_ref()?.join(",")))
        };
        let filters = [named("glob ", &args.glob), named("type ", &args.file_type)];
        let filters = filters.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        let mut filter = filters + &named(" outside exclude ", &args.exclude).unwrap_or_default();
        if in_ignored(&any_line(query)?, COUNTED).count() > 0 {
            filter += " outside ignored files";
        }
        return Some(Notice::NoFileMatches { filter, near });
    }
    if args.invert != Some(true) {
        if args.literal != Some(true) && args.pattern.contains('\u{8}') {
            return Some(Notice::HasBackspace);
        }
        let source = super::source(args);
        let lines_of = |source: &Source<'_>, most| {
            let query = counted(query, Pattern::new(source).ok()?);
            let lines = count(cx, targets.iter(), &query, search.ignored, most);
            (lines.count() > 0).then_some(lines)
        };
        let by_pattern = meant(args).into_iter().find_map(|(pattern, literal, notice)| {
            lines_of(&Source { pattern: &pattern, literal, ..source }, COUNTED).map(notice)
        });
        let by_pattern = by_pattern.or_else(|| args.escapes_bar().then_some(Notice::BarEscaped));
        if by_pattern.is_some() {
            return by_pattern;
        }
        // In a large tree, only the first files are searched again, and only for a pattern with uppercase letters.
        let is_large = search.counting.searched.visited > COUNTED.visited;
        let (most, letter): (_, fn(char) -> bool) =
            if is_large { (IGNORED_CHECK, char::is_uppercase) } else { (COUNTED, char::is_alphabetic) };
        let any_case = Source { ignore_case: true, ..source };
        if args.pattern.contains(letter) && !source.ignore_case && lines_of(&any_case, most).is_some() {
            return Some(Notice::CaseDiffers("Lines"));
        }
        // A search across lines needs another permit, so this is not checked.
        if !source.literal && !source.multiline && ANY.iter().any(|part| args.pattern.contains(part)) {
            return Some(Notice::WithinLines);
        }
    }
    // With a filter that selects only ignored files, they have matches, as counted above.
    let may_be_in_ignored = is_filtered || ignored_any && search.exceeds_ignored_check() || {
        let ignored = in_ignored(&same, IGNORED_CHECK);
        ignored.count() > 0 || ignored.is_at_least()
    };
    if may_be_in_ignored { Some(Notice::IgnoredNotSearched) } else { linked() }
}

/// Returns what may be meant by a pattern that matches nothing: another pattern, true if that is literal, and the notice if it
/// matches. Most are the pattern without backslashes that other programs or another notation of strings need.
fn meant(args: &GrepArgs) -> Vec<(String, bool, OfLines)> {
    let (pattern, is_literal) = (&args.pattern, args.literal == Some(true));
    let unescaped = |chars: &[&str]| {
        chars.iter().fold(pattern.clone(), |text, char| text.replace(&format!("\\{char}"), char))
    };
    let mut all: Vec<(String, bool, OfLines)> = Vec::new();
    if !is_literal && pattern.contains(SPECIAL) {
        all.push((pattern.clone(), true, Notice::OccursAsText));
    }
    if is_literal || pattern.contains(r"\\") {
        all.push((with_single_backslashes(pattern), is_literal, Notice::BackslashesDoubled));
    } else {
        // Without a group, another notice is about the bar.
        let group: &[&str] = if pattern.contains(r"\(") { &["(", ")", "|"] } else { &[] };
        all.extend([
            (
                unescaped(&["+", "{", "}"]),
                false,
                (|lines| Notice::Escaped { chars: "+ { }", lines }) as OfLines,
            ),
            (unescaped(group), false, |lines| Notice::Escaped { chars: "( ) |", lines }),
            (unescaped(&["<", ">"]), false, Notice::BoundaryEscaped),
        ]);
    }
    if is_literal {
        all.push((pattern.replace('\\', ""), true, Notice::BackslashesLiteral));
        all.push((pattern.clone(), false, Notice::MatchesAsRegex));
    } else {
        all.extend(half_escaped(pattern).map(|text| (text, true, Notice::OccursUnescaped as OfLines)));
        all.push((with_any_spaces(pattern), false, Notice::SpacesDiffer));
    }
    all.retain(|(other, literal, _)| other != pattern || *literal != is_literal);
    all
}

/// Returns a pattern without its backslashes, if they precede only some of its special characters, and no letters.
fn half_escaped(pattern: &str) -> Option<String> {
    let (first, others) = pattern.split_once('\\')?;
    let after = others.split('\\').map(|part| part.strip_prefix(|escaped: char| !escaped.is_alphanumeric()));
    let plain = after.collect::<Option<Vec<_>>>()?;
    let has_special = first.contains(SPECIAL) || plain.iter().any(|part| part.contains(SPECIAL));
    has_special.then(|| pattern.replace('\\', ""))
}

/// Returns a pattern that matches any white space in place of its spaces and tabs.
fn with_any_spaces(pattern: &str) -> String {
    let mut spaces = pattern.replace('\t', " ");
    while spaces.contains("  ") {
        spaces = spaces.replace("  ", " ");
    }
    spaces.replace(' ', r"\s+")
}

/// Returns a pattern that was escaped twice as it was meant.
fn with_single_backslashes(pattern: &str) -> String {
    pattern.replace(r"\\", r"\")
}

/// Returns a regular expression for a glob of a text, as `*name*` or `*.py`. Returns `None` for other patterns.
fn of_glob(pattern: &str) -> Option<String> {
    let text = pattern.strip_prefix('*')?.trim_matches('*').replace(['*', '.'], "");
    let is_text = !text.is_empty() && !text.contains(SPECIAL) && !text.contains(char::is_control);
    is_text.then(|| pattern.trim_matches('*').replace('.', r"\.").replace('*', ".*"))
}

/// Returns an error about a pattern. That of a pattern with double backslashes says if it has matches with single ones. That
/// of a glob has a regular expression, unless its text occurs.
pub(super) fn of_refused(cx: &Context, args: &GrepArgs, targets: &[Target], error: ToolError) -> ToolError {
    let ToolError::Pattern(message) = error else { return error };
    let has_matches = |pattern: &str, literal: Option<bool>| {
        let args = GrepArgs { pattern: pattern.to_owned(), literal, ..args.clone() };
        let query = (args.invert != Some(true)).then(|| super::plan(cx, &args).ok()).flatten();
        query.is_some_and(|(query, _)| {
            let query = counted(&query, query.pattern.clone());
            count(cx, targets.iter(), &query, Ignored::of(args.no_ignore), COUNTED).count() > 0
        })
    };
    let single = with_single_backslashes(&args.pattern);
    if single != args.pattern && has_matches(&single, args.literal) {
        return ToolError::PatternDoubled(message);
    }
    match of_glob(&args.pattern).filter(|_| !has_matches(&args.pattern, Some(true))) {
        Some(pattern) => ToolError::PatternGlob(message, pattern),
        None => ToolError::Pattern(message),
    }
}

/// Returns the same query for another pattern, which only counts.
fn counted(query: &Query, pattern: Pattern) -> Query {
    let (mode, is_counting) = (OutputMode::Count, Arc::new(AtomicBool::new(false)));
    Query { pattern, mode, is_counting, context: ContextLines::default(), ranking: None, ..query.clone() }
}

/// Returns a query that each file with a line matches.
fn any_line(query: &Query) -> Option<Query> {
    let pattern = Pattern::new(&Source { pattern: "", ..Source::default() }).ok()?;
    Some(Query { mode: OutputMode::Files, invert: false, ..counted(query, pattern) })
}

/// Counts match lines, or files with a match, within the bounds `most`.
fn count<'a>(
    cx: &Context,
    targets: impl Iterator<Item = &'a Target>,
    query: &Query,
    ignored: Ignored,
    most: Searched,
) -> Total {
    let (mut lines, mut counting) = (0, Counting::within(most));
    let mut take = |walked, counting: &mut Counting| {
        match walked {
            Walked::Found(Found::File(_, matches)) => lines += matches,
            // Binary files do not count in the search either.
            Walked::Found(Found::Incomplete(_, IncompleteReason::Binary)) => {}
            Walked::Found(Found::Incomplete(..)) | Walked::Late { .. } => counting.is_at_least = true,
            Walked::Searched(searched) => return counting.record(searched),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    for Target { place, filter } in targets {
        counting.begin_target();
        if place.stat.kind != FileKind::Folder {
            let file = resolve::file(cx, place).ok();
            // A second search of a large file takes as long as the search itself, or longer.
            let bytes = place.stat.bytes.min(IGNORED_CHECK.bytes);
            counting.is_at_least |= bytes < place.stat.bytes;
            let searched = file.map(|file| {
                content::search_file(query, &file, bytes, &cx.stop(), |found| take(found, &mut counting))
            });
            counting.is_at_least |= !matches!(searched, Some(Ok(())));
        } else if let Ok(walk) = walk_support::walk(cx, place, ignored) {
            content::search_tree(walk, query.clone(), filter.clone(), |walked| take(walked, &mut counting));
        }
    }
    Total::new(lines, counting.is_at_least)
}
