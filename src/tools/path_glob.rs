//! Globs that are paths: absolute, from the home folder, or through the parent folder.
//!
//! Below the searched folder, such a glob matches paths with any spelling of a root. If it refers to another location,
//! the call gets an error, because an empty result would mean that there is no such file.

#![expect(clippy::string_slice, reason = "the ranges end at what was found")]

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::slice::from_ref;

use crate::fs::open::{FileKind, OpenError, OpenedPath};
use crate::fs::workspace::{lexical, shown};
use crate::limits::GLOBS;
use crate::search::globs::{self, Glob, has_wildcard, literal_folders};
use crate::search::names::{EntryKind, NameQuery};
use cutline_core::notice::Notice;
use cutline_core::text::show;

use super::resolve::{self, ExpectedKind};
use super::walk_support::{self, COUNTED, Ignored};
use super::{Context, ToolError};

/// Compiles a glob for the paths below `base`. An error shows it as it was `given`.
pub(super) fn compile(
    cx: &Context,
    glob: &str,
    given: &str,
    base: &OpenedPath,
    ignore_case: bool,
) -> Result<Glob, ToolError> {
    let below = if base.stat.kind == FileKind::Folder {
        with_real_folders(cx, glob, &base.real)
    } else {
        Ok(glob.into())
    };
    let compiled = below.and_then(|below| Glob::new(&below, &base.real, ignore_case));
    compiled.map_err(|message| ToolError::Glob { glob: given.to_owned(), message })
}

/// Compiles lists of globs for the paths below `base`. Returns the globs of which a path must match one, and the negated
/// globs that exclude paths, with those of `exclude`.
///
/// Globs are separated by commas outside of braces and brackets.
pub(super) fn selections(
    cx: &Context,
    lists: &[String],
    exclude: Option<&Vec<String>>,
    base: &OpenedPath,
    ignore_case: bool,
) -> Result<[Vec<Glob>; 2], ToolError> {
    let globs = lists.iter().flat_map(|list| globs_of(list));
    let globs: Vec<String> =
        globs.flat_map(|glob| of_negated_part(&glob).unwrap_or_else(|| vec![glob])).collect();
    check_count("the list of globs", globs.len())?;
    let is_single = globs.len() == 1;
    let (mut selected, mut excluded) = (Vec::new(), Vec::new());
    // An empty glob that is alone is an error.
    for glob in globs.into_iter().filter(|glob| is_single || !glob.is_empty()) {
        let kind = if glob.starts_with('!') { &mut excluded } else { &mut selected };
        kind.push(compile(cx, &glob, &glob, base, ignore_case)?);
    }
    excluded.extend(exclusions(cx, exclude, base)?);
    Ok([selected, excluded])
}

/// Compiles the globs in `exclude` for the paths below `base`. Each compiled glob is negated.
///
/// Globs are separated as in [`selections`]. A `!` before a glob is ignored, because agents know it from options that
/// exclude.
pub(super) fn exclusions(
    cx: &Context,
    lists: Option<&Vec<String>>,
    base: &OpenedPath,
) -> Result<Vec<Glob>, ToolError> {
    let globs: Vec<String> = lists.into_iter().flatten().flat_map(|list| globs_of(list)).collect();
    let globs = globs.iter().map(|glob| glob.trim_start_matches('!')).filter(|glob| !glob.is_empty());
    let globs: Vec<&str> = globs.collect();
    check_count("exclude", globs.len())?;
    globs.into_iter().map(|glob| compile(cx, &format!("!{glob}"), glob, base, false)).collect()
}

/// Returns an error if a list has too many globs, because each uses memory.
fn check_count(list: &str, globs: usize) -> Result<(), ToolError> {
    if globs > GLOBS {
        return Err(ToolError::Argument(format!("{list}: must be at most {GLOBS} globs, got {globs}")));
    }
    Ok(())
}

/// Returns the globs of a list. Two plain names may also be one name with a comma.
fn globs_of(list: &str) -> Vec<String> {
    let mut globs = split(list);
    if globs.len() == 2 && !has_wildcard(list) && !list.contains(['!', '\\']) {
        globs.push(list.replace(',', "\\,"));
    }
    globs
}

/// Returns the globs for `src/!(a|b).ts`, as bash has it: `src/*.ts`, `!src/a.ts`, `!src/b.ts`, and the text itself,
/// `!src/(a|b).ts`. Returns `None` for another glob.
fn of_negated_part(glob: &str) -> Option<Vec<String>> {
    let (before, part) = glob.split_at(if glob.starts_with("!(") { 0 } else { glob.find("/!(")? + 1 });
    let (names, after) = part.strip_prefix("!(")?.split_once(')').filter(|_| !before.starts_with('!'))?;
    let own_text = format!("({names})");
    let excluded = names.split('|').chain([&*own_text]).map(|name| format!("!{before}{name}{after}"));
    Some([format!("{before}*{after}")].into_iter().chain(excluded).collect())
}

/// Splits a list of globs at its commas. Removes spaces next to them, and in braces next to commas and at the ends.
pub(super) fn split(list: &str) -> Vec<String> {
    let (mut globs, mut glob) = (Vec::new(), String::new());
    let (mut braces, mut in_class, mut is_escaped) = (0_usize, false, false);
    for c in list.chars() {
        match c {
            _ if is_escaped || c == '\\' => is_escaped = !is_escaped,
            '[' => in_class = true,
            ']' => in_class = false,
            _ if in_class => {}
            '{' => braces += 1,
            ' ' if braces > 0 && glob.ends_with(['{', ',']) => continue,
            ',' if braces == 0 => {
                globs.push(std::mem::take(&mut glob));
                continue;
            }
            ',' | '}' if braces > 0 => {
                glob.truncate(glob.trim_end_matches(' ').len());
                braces -= usize::from(c == '}');
            }
            _ => {}
        }
        glob.push(c);
    }
    globs.push(glob);
    if globs.len() > 1 { globs.iter().map(|glob| glob.trim().to_owned()).collect() } else { globs }
}

/// Returns the notice about the first of `globs` that begins with the last folders of `path`, as `src/*.rs` does if `path`
/// is `src`.
pub(super) fn repeats_path(argument: &'static str, path: &str, globs: &[String]) -> Option<Notice> {
    let glob = globs.iter().find_map(|glob| without_end_of(path, glob))?;
    let glob = show::path(glob);
    Some(Notice::GlobRepeatsPath { argument, glob })
}

/// Returns the notice about git's own folder in `place`, if one of `globs` is or begins with its name.
pub(super) fn of_git(cx: &Context, globs: &[String], place: &OpenedPath) -> Option<Notice> {
    let is_named = globs.iter().any(|glob| Path::new(glob).starts_with(".git"));
    let path = || cx.workspace.show_below(&place.asked, b".git");
    (is_named && place.real.join(".git").exists()).then(|| Notice::GitNotSearched(path()))
}

/// Returns the rest of a glob after the longest of its starts that is also an end of `path`.
fn without_end_of<'a>(path: &str, glob: &'a str) -> Option<&'a str> {
    let path = path.trim_end_matches('/');
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let is_end = |start: &str| {
        path.strip_suffix(start).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let slashes = glob.rmatch_indices('/').map(|(at, _)| at);
    let at = slashes.into_iter().find(|&at| at > 0 && is_end(&glob[..at]))?;
    Some(&glob[at + 1..]).filter(|rest| !rest.is_empty())
}

/// Returns the folder that the first components of a glob name through a link, and the rest of the glob. A search below
/// `base` does not follow links.
pub(super) fn through_link(cx: &Context, glob: &str, base: &OpenedPath) -> Option<(OpenedPath, String)> {
    let plain = glob.strip_prefix("./").unwrap_or(glob);
    let (folder, rest) = plain.split_at(literal_folders(plain).len());
    if folder.is_empty() || folder.starts_with(['/', '!', '~']) || rest.is_empty() || split(glob).len() > 1 {
        return None;
    }
    let path = lexical(&base.real.join(folder));
    let opened = OpenedPath::open(&cx.workspace, &path).ok()?;
    (opened.stat.kind == FileKind::Folder && opened.real != path).then(|| (opened, format!("./{rest}")))
}

/// Returns true if the first folders of one of `globs`, or a glob without folders, name a link in `base` that leads out of
/// the roots.
pub(super) fn begins_outside(cx: &Context, globs: &[String], base: &OpenedPath) -> bool {
    globs.iter().any(|glob| {
        let folders = literal_folders(glob);
        let start = base.real.join(if folders.is_empty() { glob } else { folders });
        matches!(OpenedPath::open(&cx.workspace, &start), Err(OpenError::Outside))
    })
}

/// Returns a glob that is probably meant by one of `globs`, which match nothing in `place`: its form here if it is
/// written as in another program, in all folders or an existing one if its folder is missing, of what is in a folder of
/// its name, in lower case, in deeper or other folders, with an extension, or of names that end with it or contain it.
/// It matches folders if it is of folders, or otherwise entries of the kind of `like`. The exclusions, the depth and
/// the rule for links of `like` apply.
pub(super) fn meant(
    cx: &Context,
    globs: &[String],
    place: &OpenedPath,
    ignored: Ignored,
    like: &NameQuery,
) -> Option<String> {
    let others = |glob: &String| {
        let in_folders = glob.strip_prefix("*/").map(|rest| format!("**/{rest}"));
        // The name of a link is no part of a name. Links have another notice.
        let is_link = || place.real.join(glob).is_symlink();
        let [ending, around] = around_name(glob).map(|other| other.filter(|_| !is_link()));
        let anywhere = in_any_folder(glob).filter(|_| !begins_outside(cx, from_ref(glob), place));
        // find has its own notices about folders and case, and only its query has globs.
        let is_of_contents = like.globs.is_empty();
        let in_itself = (is_of_contents && !has_wildcard(glob) && !glob.contains(['!', ','])).then(|| {
            let anywhere = if glob.contains('/') { "" } else { "**/" };
            format!("{anywhere}{}/**", glob.trim_end_matches('/'))
        });
        let lowercase = Some(glob.to_lowercase()).filter(|lowercase| is_of_contents && lowercase != glob);
        let elsewhere = in_other_folder(cx, glob, place);
        let deeper = at_any_depth(glob);
        let below_others = below_other_folders(glob).filter(|_| !begins_outside(cx, from_ref(glob), place));
        let with_extension = with_any_extension(glob);
        let other_with_extension = below_others.as_deref().and_then(with_any_extension);
        [
            of_other_program(glob),
            in_folders,
            in_itself,
            elsewhere,
            lowercase,
            deeper,
            with_extension,
            below_others,
            other_with_extension,
            anywhere,
            ending,
            around,
        ]
    };
    let found = globs.iter().flat_map(others).flatten().find(|other| {
        let linked = through_link(cx, other, place);
        let (place, glob) = linked.as_ref().map_or((place, other), |(place, rest)| (place, rest));
        let (Ok([globs, mut exclude]), Ok(walk)) =
            (selections(cx, from_ref(glob), None, place, false), walk_support::walk(cx, place, ignored))
        else {
            return false;
        };
        let is_of_folders = globs.iter().all(Glob::is_of_folders);
        let kind = if is_of_folders { EntryKind::Dir } else { like.kind };
        exclude.extend_from_slice(&like.exclude);
        let query = NameQuery { globs, exclude, kind, ..like.clone() };
        walk_support::finds_any(walk, query, Some(COUNTED)) == Some(true)
    });
    found.map(|other| show::path(&other))
}

/// Returns a glob without quotes, with slashes, and with commas and braces for alternatives, if it has other forms of them or
/// is a regular expression.
fn of_other_program(glob: &str) -> Option<String> {
    let mut plain = glob.trim_matches(['"', '\'']).to_owned();
    if plain.contains("\\.") || plain.starts_with('^') || plain.starts_with(".*") || plain.ends_with('$') {
        let (is_start, is_end) = (plain.starts_with('^'), plain.ends_with('$'));
        let unanchored = plain.trim_start_matches('^').trim_end_matches('$');
        plain = unanchored.replace(".*", "*").replace("\\.", ".");
        if is_end && !is_start && !plain.starts_with('*') && !plain.contains('/') {
            plain.insert(0, '*');
        } else if is_start && !is_end && !plain.ends_with('*') {
            plain.push('*');
        }
    }
    if plain.contains('|') {
        plain = plain
            .replace("@(", "{")
            .replace("(?:", "{")
            .replace('(', "{")
            .replace(')', "}")
            .replace('|', ",");
    }
    let words: Vec<&str> = plain.split([' ', ';']).filter(|word| !word.is_empty()).collect();
    if words.iter().all(|word| word.contains(['*', '.'])) {
        plain = words.join(",");
    }
    // Windows separates folders by backslashes.
    if [r"\,", r"\[", r"\{"].iter().all(|escaped| !plain.contains(escaped)) {
        plain = plain.replace('\\', "/");
    }
    (plain != glob).then_some(plain)
}

/// Returns globs for the same names at any depth of the same folders.
fn at_any_depth(list: &str) -> Option<String> {
    let deeper = |glob: String| match glob.rsplit_once('/') {
        Some((folders, name)) if !name.is_empty() && !folders.ends_with("**") && !glob.starts_with('!') => {
            format!("{folders}/**/{name}")
        }
        _ => glob,
    };
    let globs: Vec<String> = split(list).into_iter().map(deeper).collect();
    Some(globs.join(",")).filter(|deeper| deeper != list)
}

/// Returns a glob for the name at the end of a path without wildcards, in any folder.
fn in_any_folder(path: &str) -> Option<String> {
    let (_, name) =
        path.rsplit_once('/').filter(|_| !has_wildcard(path) && !path.contains(['!', ',', '\\']))?;
    (!name.is_empty()).then(|| format!("**/{name}"))
}

/// Returns a glob for the same paths below any other folder.
fn below_other_folders(glob: &str) -> Option<String> {
    let is_path = glob.trim_end_matches('/').contains('/') && !glob.starts_with(['/', '!', '~', '.', '*']);
    (is_path && split(glob).len() == 1).then(|| format!("**/{glob}"))
}

/// Returns a glob for a path that ends with a name without an extension, with any extension.
fn with_any_extension(path: &str) -> Option<String> {
    let (_, name) = path.rsplit_once('/').filter(|_| !path.contains(['!', ',', '\\']))?;
    (!name.is_empty() && !name.contains('.') && !has_wildcard(name)).then(|| format!("{path}.*"))
}

/// Returns globs of the names that end with `glob`, if that is an extension, and of those that contain it, if it is a
/// part of a name.
fn around_name(glob: &str) -> [Option<String>; 2] {
    let is_name = !has_wildcard(glob) && !glob.contains(['/', ' ', '!', ',']) && !glob.is_empty();
    let ending = is_name && glob.starts_with('.');
    [ending.then(|| format!("*{glob}")), is_name.then(|| format!("*{glob}*"))]
}

/// Returns a glob whose folder is missing in `place`, with the existing folders that end in the same way, or else with
/// the most similar folder. Returns `None` if `place` is not the workspace.
fn in_other_folder(cx: &Context, glob: &str, place: &OpenedPath) -> Option<String> {
    let (folder, rest) = glob.split_at(literal_folders(glob).len());
    let is_relative = !folder.is_empty() && !folder.starts_with(['/', '!', '~']);
    if !is_relative || cx.workspace.show(&place.asked) != "." || place.real.join(folder).exists() {
        return None;
    }
    match &resolve::elsewhere(cx, folder, ExpectedKind::Directory)[..] {
        [] => resolve::similar(cx, folder).first().map(|similar| [similar, "/", rest].concat()),
        [one] => Some([one, "/", rest].concat()),
        [first, ..] => {
            let ends = folder.match_indices('/').map(|(slash, _)| &folder[slash + 1..]);
            let end = std::iter::once(folder).chain(ends).find(|end| Path::new(first).ends_with(end))?;
            Some(["**/", end, rest].concat())
        }
    }
}

/// Splits a path whose last component is a glob into the directory and the glob. Returns `None` if no component has a
/// wildcard.
pub(super) fn split_last(path: &str) -> Option<(&str, &str)> {
    if !has_wildcard(path) {
        return None;
    }
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", glob)) => Some(("/", glob)),
        Some((folder, glob)) => Some((folder, glob)),
        None => Some((".", path)),
    }
}

/// Returns true if `path` is a glob that ls can list: only its last component has wildcards, and it matches names of a
/// single directory.
pub(super) fn is_listed(path: &str) -> bool {
    split_last(path)
        .is_some_and(|(folder, glob)| !has_wildcard(folder) && has_wildcard(glob) && !glob.contains("**"))
}

/// Returns `glob` with the real spelling of its first folders.
///
/// # Errors
///
/// Returns the reason if nothing below `base` can match.
fn with_real_folders<'a>(cx: &Context, glob: &'a str, base: &Path) -> Result<Cow<'a, str>, String> {
    let path = glob.strip_prefix('!').unwrap_or(glob);
    let (is_negated, is_relative) = (path.len() < glob.len(), path.starts_with("../"));
    let leads_away = is_relative || path.starts_with("~/");
    if !leads_away && (!Path::new(path).is_absolute() || globs::below(path, base).is_some()) {
        return Ok(glob.into());
    }
    let (folder, rest) = path.split_at(literal_folders(path).len());
    let folder = if is_relative { base.join(folder) } else { cx.workspace.absolute(folder) };
    let folder = lexical(&folder);
    if folder.starts_with(base) {
        let mark = if is_negated { "!" } else { "" };
        let folder = String::from_utf8_lossy(shown(&folder)).into_owned();
        return Ok(format!("{mark}{}/{rest}", folder.trim_end_matches('/')).into());
    }
    // A negated glob for another location changes nothing. A glob with a leading `/` can also start at the searched
    // folder.
    if !is_negated && (leads_away || is_elsewhere(cx, &folder, base)) {
        let [shown_base, shown_folder] = [base, &folder].map(|path| show::path(&show::name(shown(path))));
        let can_open = is_folder(cx, &folder);
        let instead = if can_open { format!("; give {shown_folder} as path") } else { String::new() };
        return Err(format!("it is not below {shown_base}{instead}"));
    }
    Ok(glob.into())
}

/// Returns true if `folder`, an absolute path, is outside the roots or a folder that the tools may open, and no folder with
/// its name is below `base`.
fn is_elsewhere(cx: &Context, folder: &Path, base: &Path) -> bool {
    let names = folder.components().filter(|part| matches!(part, Component::Normal(_)));
    let below = base.join(names.collect::<PathBuf>());
    let is_outside = || matches!(OpenedPath::open(&cx.workspace, folder), Err(OpenError::Outside));
    below != base && (is_folder(cx, folder) || is_outside()) && !is_folder(cx, &below)
}

/// Returns true if `path` is a folder that the tools may open.
fn is_folder(cx: &Context, path: &Path) -> bool {
    OpenedPath::open(&cx.workspace, path).is_ok_and(|opened| opened.stat.kind == FileKind::Folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_at_commas_outside_of_braces_and_brackets() {
        assert_eq!(split(" a"), [" a"]);
        assert_eq!(split("*.js, *.ts"), ["*.js", "*.ts"]);
        assert_eq!(split("*.{js,ts},a[,]b"), ["*.{js,ts}", "a[,]b"]);
        assert_eq!(split(r"a\,b,c"), [r"a\,b", "c"]);
    }

    #[test]
    fn spaces_in_braces_are_removed() {
        for (glob, expected) in
            [("*.{ts, tsx}", "*.{ts,tsx}"), ("{ a , b c }d e", "{a,b c}d e"), ("a b", "a b")]
        {
            assert_eq!(split(glob), [expected]);
        }
    }

    #[test]
    fn start_of_a_glob_that_ends_the_path_is_found() {
        for (path, glob, expected) in [
            ("src", "src/*.rs", Some("*.rs")),
            ("/work/app/src/", "app/src/**/*.rs", Some("**/*.rs")),
            ("a/a", "a/a/a/*", Some("a/*")),
            ("xsrc", "src/*.rs", None),
            ("src", "*.rs", None),
            ("src", "src/", None),
            (".", "src/*", None),
            ("/", "/a", None),
        ] {
            assert_eq!(without_end_of(path, glob), expected, "{path} {glob}");
        }
    }
}
