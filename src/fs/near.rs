//! Finds similar names if the exact name does not exist.
//!
//! A model copies names from screens and prompts. Accents can be composed in another way, typographic quotes can become plain,
//! spaces can differ, and some characters cannot be shown. An entry that is equal apart from these is used. Otherwise the
//! nearest names are suggested.

use std::ffi::OsString;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use super::open::OpenedPath;
use crate::sys;
use cutline_core::text::show;

/// Maximum number of entries of a folder to compare.
const MAX_ENTRIES: usize = 20_000;
/// Maximum number of pairs of characters to compare: enough for ordinary names of a full folder. Fewer long names are compared,
/// because each comparison takes the product of the two lengths.
const MAX_PAIRS: usize = 10_000_000;
/// Least likeness of a name that is offered, 1 being equal: below it are other names of the same length.
const ALIKE: f64 = 0.75;
/// Near names offered at most: an error stays short.
const OFFERED: usize = 3;

/// Returns the entry of `folder` with an equivalent name. Returns `None` if there are several.
pub fn same(folder: &OpenedPath, name: &str) -> Option<OsString> {
    let wanted = folded(name);
    let entries = entries(folder);
    let mut names = entries.iter().filter(|entry| folded(&show::name(entry)) == wanted);
    let one = names.next()?;
    names.next().is_none().then(|| sys::name(one).into_owned())
}

/// The names in `folder` that are nearest to `name`, the nearest first; never that name itself,
/// which may be there and yet open nothing.
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

/// Returns true of each name that can be compared with one of `bytes` bytes, and then counts what that takes.
fn is_affordable(bytes: usize) -> impl FnMut(&String) -> bool {
    let mut left = MAX_PAIRS;
    move |entry| {
        let rest = left.checked_sub(bytes * entry.len());
        left = rest.unwrap_or(left);
        rest.is_some()
    }
}

/// From 0 to 1: the same letters in another case are 1; the same name before the ending is near.
fn likeness(wanted: &str, entry: &str) -> f64 {
    let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let same_stem = !wanted.starts_with('.') && stem(wanted) == stem(entry);
    let edits = strsim::normalized_damerau_levenshtein(wanted, entry);
    let alike = strsim::jaro_winkler(wanted, entry) * 0.5 + edits * 0.5;
    if same_stem { alike.max(0.9) } else { alike }
}

/// Returns a name in a normal form, without the differences that copying causes.
fn folded(name: &str) -> String {
    name.nfc()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{A0}' | '\u{202F}' => ' ',
            c => c,
        })
        .collect()
}

/// Returns the names of a folder in any order. Returns none if the folder cannot be read.
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
