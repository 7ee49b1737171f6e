//! What is probably meant by globs that match nothing: another glob, or git's own folder.

#![expect(clippy::string_slice, reason = "the ranges end at what was found")]

use std::path::Path;
use std::slice::from_ref;

use crate::fs::open::{OpenError, OpenedPath};
use crate::search::globs::{Glob, has_wildcard, literal_folders};
use crate::search::names::{EntryKind, NameQuery};
use cutline_core::notice::Notice;
use cutline_core::text::show;

use super::{begins_outside, selections, split, through_link};
use crate::tools::Context;
use crate::tools::resolve::{self, ExpectedKind};
use crate::tools::walk_support::{self, COUNTED, Ignored};

/// Returns the notice about the first of `globs` that begins with the last folders of `path`, as `src/*.rs` does if `path`
/// is `src`.
pub(in crate::tools) fn repeats_path(argument: &'static str, path: &str, globs: &[String]) -> Option<Notice> {
    let glob = globs.iter().find_map(|glob| without_end_of(path, glob))?;
    let glob = show::path(glob);
    Some(Notice::GlobRepeatsPath { argument, glob })
}

/// Returns the notice about git's own folder in `place`, if one of `globs` is or begins with its name. A link out of the
/// roots has no notice, which would reveal whether it leads to a file.
pub(in crate::tools) fn of_git(cx: &Context, globs: &[String], place: &OpenedPath) -> Option<Notice> {
    let is_named = globs.iter().any(|glob| Path::new(glob).starts_with(".git"));
    let path = || cx.workspace.show_below(&place.asked, b".git");
    let can_open = || OpenedPath::open(&cx.workspace, &place.join(b".git")).is_ok();
    (is_named && can_open()).then(|| Notice::GitNotSearched(path()))
}

/// Returns a glob that is probably meant by one of `globs`, which match nothing in `place`: its form here if it is
/// written as in another program, in all folders or an existing one if its folder is missing, of what is in a folder
/// of its name, in lower case, in deeper or other folders, with an extension or another one of its format, or of names
/// that end with it or contain it. It matches folders if it is of folders, or otherwise entries of the kind of `like`.
/// The exclusions, the depth and the rule for links of `like` apply.
pub(in crate::tools) fn meant(
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
            with_twin_extension(glob),
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
    found.map(|other| show::in_notice(&other))
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

/// Returns a glob with the other usual extension of the same format.
fn with_twin_extension(glob: &str) -> Option<String> {
    let (names, extension) = glob.rsplit_once('.').filter(|_| !glob.contains([',', '{']))?;
    let twin = match extension {
        "yaml" => "yml",
        "yml" => "yaml",
        "jpeg" => "jpg",
        "jpg" => "jpeg",
        "html" => "htm",
        "htm" => "html",
        "markdown" => "md",
        "md" => "markdown",
        _ => return None,
    };
    Some(format!("{names}.{twin}"))
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
    if !is_relative || cx.workspace.show(&place.asked) != "." {
        return None;
    }
    // A folder outside the roots does not count as missing, because that would reveal whether it exists.
    if !matches!(OpenedPath::open(&cx.workspace, &place.real.join(folder)), Err(OpenError::Missing)) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
