//! Finds similar names if the requested name does not exist.
//!
//! A model copies names from screens and prompts. Accents can then be composed in another way, typographic quotes can
//! become plain, spaces can differ, and some characters cannot be shown. If an entry is equal except for such
//! differences, it is used. Otherwise existing paths with the same end are suggested, or else the most similar names.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

use super::open::OpenedPath;
use crate::sys::{self, FileKind, below};
use cutline_core::text::show;

/// Maximum number of entries of a folder to compare.
const MAX_ENTRIES: usize = 20_000;
/// Size in bytes of the buffer for the names in a folder.
const NAMES_BYTES: usize = 16 * 1024;
/// Maximum number of character pairs to compare. This is enough for ordinary names of a full folder, but for fewer long
/// names, because a comparison takes the product of both lengths.
const MAX_PAIRS: usize = 10_000_000;
/// Maximum number of folders above the same end of a path.
const MAX_LEVELS: usize = 12;
/// Folders in which no path is suggested.
const SKIPPED: [&[u8]; 2] = [b".git", b"node_modules"];
/// Minimum similarity of a suggested name, where 1 is equal. Unrelated names of the same length are below it.
const ALIKE: f64 = 0.75;
/// Maximum number of suggested names.
pub const OFFERED: usize = 3;

/// Returns the entry of `folder` with an equivalent name, or `None` if there is not exactly one.
pub fn same(folder: &OpenedPath, name: &str) -> Option<OsString> {
    let wanted = folded(name);
    let entries = entries(folder);
    let mut names = entries.iter().filter(|entry| folded(&show::name(entry)) == wanted);
    let one = names.next()?;
    names.next().is_none().then(|| sys::name(one).into_owned())
}

/// Returns the names in `folder` that are most similar to `name`, the most similar first. Omits `name` itself, which
/// can exist and still not be accessible.
pub fn names(folder: &OpenedPath, name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let mut near: Vec<(f64, String)> = entries(folder)
        .iter()
        .map(|entry| show::name(entry).into_owned())
        .filter(|entry| entry.len() <= 2 * wanted.len().max(8))
        .take(most_compared(wanted.len()))
        .map(|entry| (likeness(&wanted, &entry.to_lowercase()), entry))
        .filter(|(likeness, entry)| *likeness >= ALIKE && entry != name)
        .collect();
    near.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    near.dedup_by(|(_, left), (_, right)| left == right);
    near.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// Returns the maximum number of names of at most twice the length that are compared with a name of `bytes` bytes.
fn most_compared(bytes: usize) -> usize {
    MAX_PAIRS / (2 * bytes.max(8) * bytes.max(1))
}

/// Maximum number of names at the end of a path that are searched elsewhere.
const MAX_NAMES: usize = 16;
/// Maximum number of paths that may have the same end.
const MAX_FOUND: usize = 1000;

/// Returns the paths below `root` that end with the same names as `asked`, a path relative to it: those with the most
/// equal names, and of those the ones in the fewest folders. Omits paths that do not exist by `exists`.
///
/// Reads the folders level by level, because useful paths are rarely deep.
pub fn with_same_end(root: &OpenedPath, asked: &Path, exists: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(base) = root.folder() else { return Vec::new() };
    let count = asked.iter().count();
    let ends: Vec<PathBuf> = (count.saturating_sub(MAX_NAMES)..count)
        .map(|omitted| asked.iter().skip(omitted).collect())
        .collect();
    let mut found: Vec<(usize, PathBuf)> = Vec::new();
    let mut folders = VecDeque::from([(PathBuf::new(), 0)]);
    let (mut entries_left, mut buffer) = (MAX_ENTRIES, Vec::with_capacity(NAMES_BYTES));
    while let Some((path, level)) = folders.pop_front().filter(|_| entries_left > 0) {
        let Ok(folder) = below::folder(&base, path.as_os_str().as_encoded_bytes()) else { continue };
        let _unreadable_folders_have_none = sys::each_name(&folder, &mut buffer, |name, kind| {
            let same = |end: &Path| end.iter().next().is_some_and(|first| first.as_encoded_bytes() == name);
            let beginning = ends.iter().enumerate().filter(|(_, end)| same(end));
            let paths = beginning.map(|(omitted, end)| (omitted, path.join(end)));
            found.extend(paths.take(MAX_FOUND - found.len()));
            if kind == FileKind::Folder && level < MAX_LEVELS && !SKIPPED.contains(&name) {
                folders.push_back((path.join(sys::name(name)), level + 1));
            }
            entries_left -= 1;
            if entries_left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    found.sort_by_cached_key(|(omitted, path)| (*omitted, path.iter().count(), path.clone()));
    let existing = found.into_iter().map(|(omitted, path)| (omitted, root.real.join(path)));
    let mut existing = existing.filter(|(_, path)| exists(path)).peekable();
    let most_equal = existing.peek().map(|(omitted, _)| *omitted);
    existing
        .take_while(|(omitted, _)| Some(*omitted) == most_equal)
        .take(OFFERED)
        .map(|(_, path)| path)
        .collect()
}

/// Returns the similarity of two names from 0 to 1. Names that differ only in case have 1. Names that differ only in
/// the extension are similar.
fn likeness(wanted: &str, entry: &str) -> f64 {
    let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let same_stem = !wanted.starts_with('.') && stem(wanted) == stem(entry);
    let edits = strsim::normalized_damerau_levenshtein(wanted, entry);
    let alike = strsim::jaro_winkler(wanted, entry) * 0.5 + edits * 0.5;
    if same_stem { alike.max(0.9) } else { alike }
}

/// Normalizes a name: removes the differences that copying causes.
fn folded(name: &str) -> String {
    name.nfc()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{A0}' | '\u{202F}' => ' ',
            c => c,
        })
        .collect()
}

/// Returns the names in a folder in any order. Returns none if the folder cannot be read.
fn entries(folder: &OpenedPath) -> Vec<Vec<u8>> {
    let Ok(folder) = folder.folder() else { return Vec::new() };
    sys::names_in(&folder, MAX_ENTRIES, |_| true).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_names_are_equal() {
        assert_eq!(folded("cafe\u{301} \u{2019}a\u{202F}b"), folded("caf\u{e9} 'a b"));
        assert_ne!(folded("a"), folded("A"));
    }

    #[test]
    fn long_names_are_compared_in_bounded_work() {
        assert!(most_compared("main.rs".len()) >= MAX_ENTRIES);
        for bytes in [1, 30, 255, 765] {
            assert!(most_compared(bytes) * bytes * 2 * bytes <= MAX_PAIRS, "{bytes}");
        }
    }

    #[test]
    fn mistyped_names_are_alike() {
        for (wanted, entry) in [
            ("mian.rs", "main.rs"),
            ("main.ts", "main.rs"),
            ("readme.md", "readme.txt"),
            ("cargo.tml", "cargo.toml"),
        ] {
            assert!(likeness(wanted, entry) >= ALIKE, "{wanted} {entry}");
        }
        for (wanted, entry) in [("main.rs", "lib.rs"), ("alpha.rs", "zebra.toml")] {
            assert!(likeness(wanted, entry) < ALIKE, "{wanted} {entry}");
        }
    }
}
