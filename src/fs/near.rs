//! Finds similar names if the requested name does not exist.
//!
//! A model copies names from screens and prompts. Accents can then be composed in another way, typographic quotes can
//! become plain, spaces can differ, and some characters cannot be shown. If an entry is equal except for such
//! differences, it is used. Otherwise the most similar names are suggested.

use std::ffi::OsString;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use super::open::OpenedPath;
use crate::sys;
use cutline_core::text::show;

/// Maximum number of entries of a folder to compare.
const MAX_ENTRIES: usize = 20_000;
/// Maximum number of character pairs to compare. This is enough for ordinary names of a full folder, but for fewer long
/// names, because a comparison takes the product of both lengths.
const MAX_PAIRS: usize = 10_000_000;
/// Minimum similarity of a suggested name, where 1 is equal. Unrelated names of the same length are below it.
const ALIKE: f64 = 0.75;
/// Maximum number of suggested names.
const OFFERED: usize = 3;

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
        .filter(is_affordable(wanted.len()))
        .map(|entry| (likeness(&wanted, &entry.to_lowercase()), entry))
        .filter(|(likeness, entry)| *likeness >= ALIKE && entry != name)
        .collect();
    near.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    near.dedup_by(|(_, left), (_, right)| left == right);
    near.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// Returns a filter for names that can be compared with a name of `bytes` bytes within [`MAX_PAIRS`]. Each accepted
/// name uses up a part of that.
fn is_affordable(bytes: usize) -> impl FnMut(&String) -> bool {
    let mut left = MAX_PAIRS;
    move |entry| {
        let rest = left.checked_sub(bytes * entry.len());
        left = rest.unwrap_or(left);
        rest.is_some()
    }
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
        let mut is_affordable = is_affordable(255);
        let (long, short) = ("n".repeat(255), "short.rs".to_owned());
        let compared = (0..MAX_ENTRIES).filter(|_| is_affordable(&long)).count();
        assert_eq!(compared, MAX_PAIRS / (255 * 255));
        assert!(is_affordable(&short));
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
