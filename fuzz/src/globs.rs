//! Globs: of find and grep, and the lines of ignore files.
//!
//! The parts of the input are a glob, an ignore file, and paths, one on each line. A folder is entered if the glob can match a
//! path in it. `!` inverts a glob. A name matches itself, also escaped and in brackets. Plain stars and question marks match
//! by their definition. Rules have the same meaning in `.ignore` and in `.gitignore`. After `!*` no path is ignored.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::Path;

use cutline::limits::{GLOB_BYTES, RULES_BYTES};
use cutline::search::globs::Glob;
use cutline::search::ignore_rules::{IgnoreRules, RuleFilesPresent};
use tempfile::TempDir;

use crate::input::parts;

/// The start folder of the walk.
const BASE: &str = "/home/me/repo";
/// Maximum number of stars for the oracle, which tries all combinations.
const STARS: usize = 4;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().unwrap();
}

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let (glob, rest) = parts(bytes);
    let (rules, paths) = parts(rest);
    let paths: Vec<Vec<u8>> = paths.split(|byte| *byte == b'\n').filter_map(walked).collect();
    if let Ok(glob) = str::from_utf8(glob) {
        check(glob, &paths);
    }
    paths.iter().filter_map(|path| str::from_utf8(path).ok()).for_each(names_itself);
    if !rules.is_empty() {
        FOLDER.with(|folder| check_rules(folder.path(), rules, &paths));
    }
}

/// Returns a path in the form of a walk, with single `/` between names, or `None`.
fn walked(path: &[u8]) -> Option<Vec<u8>> {
    let names = path.split(|byte| *byte == b'/');
    let names: Vec<&[u8]> =
        names.filter(|name| !matches!(*name, b"" | b"." | b"..") && !name.contains(&0)).collect();
    (!names.is_empty()).then(|| names.join(&b'/'))
}

fn check(text: &str, paths: &[Vec<u8>]) {
    let Ok(glob) = Glob::new(text, Path::new(BASE), false) else { return };
    let inverted = Glob::new(&format!("!{text}"), Path::new(BASE), false).ok();
    let inverted = inverted.filter(|_| !text.starts_with('!'));
    for path in paths {
        let through = glob.selects_content(path);
        if through {
            for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
                assert!(glob.can_select_content_below(&path[..at]), "{text} does not reach {}", shown(path));
            }
        }
        let named = [false, true].map(|is_folder| glob.selects(path, is_folder));
        if let Some(inverted) = &inverted {
            assert_ne!(inverted.selects_content(path), through, "!{text} {}", shown(path));
            assert_ne!([false, true].map(|is_folder| inverted.selects(path, is_folder)), named);
        }
        if let Some(expected) = by_definition(text, path) {
            assert_eq!((through, named), (expected, [expected; 2]), "{text} {}", shown(path));
        }
    }
}

/// Returns whether a glob of plain characters, `*` and `?` matches a path, or `None` for another or a long glob.
fn by_definition(glob: &str, path: &[u8]) -> Option<bool> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"*?/_-.".contains(byte);
    let stars = glob.bytes().filter(|byte| *byte == b'*').count();
    let is_plain = glob.bytes().all(|byte| plain(&byte)) && path.iter().all(plain);
    let has_plain_start = !glob.starts_with("./") && !glob.starts_with(BASE);
    if !is_plain || !has_plain_start || glob.contains("**") || glob.ends_with('/') || stars > STARS {
        return None;
    }
    let below = glob.trim_start_matches('/');
    if below.contains('/') || below.len() < glob.len() {
        return Some(means(below.as_bytes(), path));
    }
    Some(means(below.as_bytes(), path.rsplit(|byte| *byte == b'/').next()?))
}

fn means(glob: &[u8], path: &[u8]) -> bool {
    match (glob, path) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            means(rest, path) || matches!(path, [first, after @ ..] if *first != b'/' && means(glob, after))
        }
        ([b'?', rest @ ..], [first, after @ ..]) => *first != b'/' && means(rest, after),
        ([wanted, rest @ ..], [first, after @ ..]) => wanted == first && means(rest, after),
        _ => false,
    }
}

/// Checks that an escaped path matches itself, and so does a path with each character in brackets.
fn names_itself(path: &str) {
    let escaped = |c: char| if "*?[]{},!\\".contains(c) { format!("\\{c}") } else { c.to_string() };
    // A backslash in brackets is a character.
    let is_special = |c: char| "/!^-{},\\".contains(c);
    let class = |c: char| if is_special(c) { escaped(c) } else { format!("[{c}]") };
    names(&path.chars().map(escaped).collect::<String>(), path);
    names(&path.chars().map(class).collect::<String>(), path);
}

fn names(escaped: &str, path: &str) {
    if escaped.len() >= GLOB_BYTES - "./".len() {
        return;
    }
    match Glob::new(&format!("./{escaped}"), Path::new(BASE), false) {
        Ok(glob) => assert!(glob.selects(path.as_bytes(), false), "{escaped:?}"),
        Err(message) => assert!(message.contains("braces"), "{escaped:?}: {message}"),
    }
}

fn check_rules(folder: &Path, rules: &[u8], paths: &[Vec<u8>]) {
    let by_git = excluded(folder, ".gitignore", rules, paths);
    assert_eq!(excluded(folder, ".ignore", rules, paths), by_git, "in .ignore");
    let all_included = [rules, b"\n!*\n"].concat();
    if all_included.len() <= RULES_BYTES {
        assert!(!excluded(folder, ".gitignore", &all_included, paths).contains(&true), "after !*");
    }
}

/// Returns for each path if a rule file excludes it, as a file and as a folder.
fn excluded(folder: &Path, name: &str, rules: &[u8], paths: &[Vec<u8>]) -> Vec<bool> {
    fs::write(folder.join(name), rules).unwrap();
    let mut files = RuleFilesPresent::default();
    files.see(name.as_bytes());
    let open = OwnedFd::from(File::open(folder).unwrap());
    let mut rules = IgnoreRules::for_walk_from(folder);
    let base = [folder.as_os_str().as_encoded_bytes(), b"/"].concat();
    let _is_skipped = rules.enter(&open, base.len(), files);
    let both = |path: &Vec<u8>| {
        let whole = [&*base, path].concat();
        [false, true].map(|is_folder| rules.ignores(&whole, is_folder))
    };
    let verdicts = paths.iter().flat_map(both).collect();
    fs::remove_file(folder.join(name)).unwrap();
    verdicts
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
