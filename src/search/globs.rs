//! Globs for the paths of a walk: `*.rs`, `src/**/*.ts`, `!*.min.js`, `{a,b}`.
//!
//! Paths are relative to the root of the walk. A glob without `/` matches names at any depth; a glob with `/` matches
//! complete paths. `*` and `?` do not match `/`. `**` matches several components if it is a complete component itself.
//! `[id]` and `{id}` also match their own text. A leading `/` or `./` refers to the root of the walk, a trailing `/`
//! restricts the glob to folders, and a leading `!` negates the glob.

#![expect(clippy::string_slice, reason = "the ranges end at found characters")]

use std::path::Path;

use globset::{Candidate, GlobBuilder, GlobSet};

use crate::fs::workspace::shown;
use crate::limits::GLOB_BYTES;

/// Maximum bytes of all starts of a glob that are compiled, because each uses memory.
const STARTS_BYTES: usize = 2 * GLOB_BYTES;

/// A compiled glob.
#[derive(Debug, Clone)]
pub struct Glob {
    /// Matches paths. A set with one glob is faster than a single matcher for common forms such as `*.rs`.
    matcher: GlobSet,
    negated: bool,
    /// True if the glob matches only folders.
    folders: bool,
    /// Matches the folders above paths that can match. `None` means all folders.
    leading: Option<GlobSet>,
}

impl Glob {
    /// Compiles `glob`, without regard to case if `ignore_case` is true. `base` is the absolute path of the root of the
    /// walk.
    ///
    /// # Errors
    ///
    /// Returns a description of what is wrong with the glob.
    pub fn new(glob: &str, base: &Path, ignore_case: bool) -> Result<Self, String> {
        if glob.len() > GLOB_BYTES {
            return Err(format!("it may have {GLOB_BYTES} bytes"));
        }
        let (negated, rest) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let below_base = Path::new(rest).is_absolute().then(|| below(rest, base)).flatten();
        let (anchored, rest) = match (below_base, rest.strip_prefix("./")) {
            (Some(below), _) => (true, below),
            (None, Some(below)) => (true, below.trim_start_matches('/')),
            (None, None) => (rest.starts_with('/'), rest.trim_start_matches('/')),
        };
        let plain = rest.trim_end_matches('/');
        if plain.is_empty() {
            return Err("it is empty".to_owned());
        }
        let of_names = !anchored && !plain.contains('/');
        let any_depth = if of_names { format!("**/{plain}") } else { plain.to_owned() };
        let glob = with_own_text(&any_depth);
        let matcher = matcher_of([&*glob], ignore_case)?;
        let several_levels = glob.contains("**").then_some(&*glob);
        let starts = glob.match_indices('/').map(|(slash, _)| &glob[..slash]).chain(several_levels);
        let is_pruned = !negated && !of_names && starts.clone().map(str::len).sum::<usize>() <= STARTS_BYTES;
        // A start that ends inside of braces cannot be compiled.
        let leading = if is_pruned { matcher_of(starts, ignore_case).ok() } else { None };
        Ok(Self { matcher, negated, folders: plain.len() < rest.len(), leading })
    }

    /// Returns true if the glob matches only folders.
    pub fn is_of_folders(&self) -> bool {
        self.folders
    }

    /// Returns true if the glob selects the path: if it matches, or, for a negated glob, if it does not match. A glob
    /// for folders matches only folders.
    pub fn selects(&self, path: &[u8], is_folder: bool) -> bool {
        (self.matches(path) && (is_folder || !self.folders)) != self.negated
    }

    /// Returns true if the glob selects a file in a search of contents. A glob for folders selects the files below
    /// them; otherwise the result is that of [`selects`](Self::selects).
    pub fn selects_content(&self, file: &[u8]) -> bool {
        let matches = if self.folders { self.matches_above(file) } else { self.matches(file) };
        matches != self.negated
    }

    /// Returns true if a path below a folder can match, or can be in a folder that matches. A search of contents then
    /// enters the folder.
    pub fn can_select_content_below(&self, folder: &[u8]) -> bool {
        self.can_select_below(folder) || self.folders && (self.matches(folder) || self.matches_above(folder))
    }

    /// Returns true if a path below a folder can match. A search of names then enters the folder.
    pub fn can_select_below(&self, folder: &[u8]) -> bool {
        self.leading.as_ref().is_none_or(|leading| folder.is_empty() || is_match(leading, folder))
    }

    /// Returns true if a folder that contains the path matches.
    pub fn matches_above(&self, path: &[u8]) -> bool {
        folders_of(path).any(|folder| self.matches(folder))
    }

    fn matches(&self, path: &[u8]) -> bool {
        is_match(&self.matcher, path)
    }
}

/// Compiles globs for complete paths.
fn matcher_of<'a>(globs: impl IntoIterator<Item = &'a str>, ignore_case: bool) -> Result<GlobSet, String> {
    let globs = globs.into_iter().map(|glob| {
        let mut builder = GlobBuilder::new(glob);
        builder
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(ignore_case);
        // Remove the advice in parentheses from the message.
        builder.build().map_err(|error| error.kind().to_string().split(" (").take(1).collect::<String>())
    });
    GlobSet::new(globs.collect::<Result<Vec<_>, _>>()?).map_err(|error| error.kind().to_string())
}

fn is_match(matcher: &GlobSet, path: &[u8]) -> bool {
    matcher.is_match_candidate(&Candidate::from_bytes(path))
}

/// Returns the paths of the folders that contain a path, the outermost first.
pub fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'/', path).map(|at| path.split_at(at).0)
}

/// Returns the number of components of a path. 0 for the root of the walk.
pub fn components(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { memchr::memchr_iter(b'/', path).count() + 1 }
}

/// Returns true if `condition` is true for one of the globs that select paths, or if there is none, which selects all.
pub fn any_or_none(globs: &[Glob], condition: impl Fn(&Glob) -> bool) -> bool {
    globs.is_empty() || globs.iter().any(condition)
}

/// Returns true if none of the `negated` globs excludes a path.
pub fn none_excludes(negated: &[Glob], path: &[u8], is_folder: bool) -> bool {
    negated.iter().all(|glob| glob.selects(path, is_folder))
}

/// Returns the rest of an absolute glob after the shown form of `base`. Returns `None` if the glob does not start with
/// it.
pub fn below<'a>(glob: &'a str, base: &Path) -> Option<&'a str> {
    let base = shown(base);
    let base = str::from_utf8(base).ok()?;
    let rest = glob.strip_prefix(base)?;
    if base.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns a glob in which each class and each pair of braces without a comma also match their own text, because they are
/// common in names: `app/[id]/*.ts`, `{{name}}/*`.
fn with_own_text(glob: &str) -> String {
    let (mut with, mut rest) = (String::new(), glob);
    while let Some(at) = rest.find(['\\', '[', '{']) {
        let (before, from) = rest.split_at(at);
        let (group, after) = from.split_at(group_bytes(from));
        with.push_str(before);
        if group.len() == 1 || group.contains(['/', '\\']) {
            with.push_str(group);
        } else {
            let escaped = group.chars().flat_map(|c| ['\\', c]).collect::<String>();
            with.extend(["{", group, ",", &escaped, "}"]);
        }
        rest = after;
    }
    with + rest
}

/// Returns the length of the class, of the braces around a name, or of the escaped character with which a glob starts. 1 for
/// the brace of an alternation.
fn group_bytes(glob: &str) -> usize {
    if glob.starts_with('\\') {
        return glob.chars().take(2).map(char::len_utf8).sum();
    }
    if let Some(class) = glob.strip_prefix('[') {
        let listed = class.strip_prefix(['!', '^']).unwrap_or(class);
        // A first `]` is listed.
        let first = listed.chars().next().map_or(0, char::len_utf8);
        return listed[first..].find(']').map_or(1, |end| glob.len() - listed.len() + first + end + 1);
    }
    let name = glob.trim_start_matches('{');
    let depth = glob.len() - name.len();
    let end = name.find(['}', ',', '/', '*', '?', '[', '{', '\\']).unwrap_or(0);
    if name[end..].starts_with(&"}".repeat(depth)) { depth + end + depth } else { 1 }
}

/// Returns true if a path has a character with which a wildcard, a class or an alternation begins.
pub fn has_wildcard(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns the folders at the start of a glob, before the first component with a special character. The result ends with
/// `/` or is empty.
pub fn literal_folders(glob: &str) -> &str {
    let special = glob.find(['*', '?', '[', ']', '{', '}', '\\', ',']).unwrap_or(glob.len());
    &glob[..glob[..special].rfind('/').map_or(0, |slash| slash + 1)]
}

#[cfg(test)]
mod tests;
