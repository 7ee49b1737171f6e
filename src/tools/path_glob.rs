//! Globs of a call: lists of them, and globs that are paths (absolute, from the home folder, or through the parent folder).
//!
//! Below the searched folder, a glob that is a path matches paths with any spelling of a root. If it refers to another
//! location, the call gets an error, because an empty result would mean that there is no such file.

mod meant;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use crate::fs::open::{FileKind, OpenError, OpenedPath};
use crate::fs::workspace::{lexical, shown};
use crate::limits::GLOBS;
use crate::search::globs::{self, Glob, has_wildcard, literal_folders};
use cutline_core::notice::{Names, Notice};
use cutline_core::text::show;

use super::error::check_most;
use super::{Context, ToolError};
pub(super) use meant::{meant, of_git, repeats_path};

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
    // Each glob uses memory.
    check_most("the list of globs", globs.len(), GLOBS, "globs")?;
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
    check_most("exclude", globs.len(), GLOBS, "globs")?;
    globs.into_iter().map(|glob| compile(cx, &format!("!{glob}"), glob, base, false)).collect()
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

/// Returns the notice about linked folders in `base` with which some of several `globs` begin. Only the link of a single glob
/// is followed.
pub(super) fn linked_folders(cx: &Context, globs: &[String], base: &OpenedPath) -> Option<Notice> {
    let mut names = Names::default();
    for glob in globs.iter().filter(|_| globs.len() > 1) {
        if let Some((folder, _)) = through_link(cx, glob, base) {
            names.push(&cx.workspace.show(&folder.asked));
        }
    }
    names.reported_as(Notice::LinksNotSearched)
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
}
