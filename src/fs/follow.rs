//! Resolves a path link by link. Returns the resolved path and all entries on the way to it.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::sys::{self, Opened, is_absent};

/// Maximum number of links in a path, as in the kernel.
const MAX_LINKS: usize = 40;
/// Maximum number of entries that a [`Followed`] has. Usual paths have fewer than 50. A few long links can have many
/// thousands, which the kernel resolves much faster.
const MAX_ENTRIES: usize = 128;
/// Bytes of a path from which the kernel refuses it. It may accept the same path with links.
const PATH_BYTES: usize = 4096;

/// A resolved path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// The path without links. The part after the first missing entry is unchanged.
    pub end: PathBuf,
    /// The paths, without links, of the first 128 entries on the way, including the end. If one of them becomes a link,
    /// the path refers to another location.
    pub entries: Vec<PathBuf>,
    /// False if the way has more entries or is too long, if an entry cannot be checked, or if `..` follows a missing
    /// one. Also if it has a link in `/proc`, which can lead another process elsewhere.
    pub is_certain: bool,
}

impl Followed {
    /// Resolves `path`. A relative path starts from the current folder.
    pub fn new(path: &Path) -> Self {
        let start = if path.is_absolute() { "/".into() } else { std::env::current_dir().unwrap_or_default() };
        Self::below(&start, path)
    }

    /// Resolves `path` relative to the folder `start`, a path without links.
    pub fn below(start: &Path, path: &Path) -> Self {
        let mut entries = Vec::new();
        let visit = |entry: &Path| {
            entries.push(entry.to_owned());
            entries.len() < MAX_ENTRIES && entry.as_os_str().len() < PATH_BYTES
        };
        let end = follow(start.to_owned(), path, |target| target, visit);
        let is_certain = end.as_ref().is_some_and(|(_, is_clear)| *is_clear);
        let path = start.join(path);
        let end = end.map(|(end, _)| end).or_else(|| Some(Opened::through_links(&path).ok()?.real));
        Self { end: end.unwrap_or(path), entries, is_certain }
    }

    /// Returns the folder of `folders` (paths without links) that contains an entry of the way, if there is one. A
    /// process that can write to it can redirect the path.
    pub fn way_through<'a>(&self, folders: &[&'a Path]) -> Option<&'a Path> {
        let inside =
            |folder: &Path| self.entries.iter().any(|entry| entry != folder && entry.starts_with(folder));
        folders.iter().copied().find(|folder| inside(folder))
    }
}

/// Resolves `rest` link by link from the folder `start`, a path without links. Calls `visit` with each entry before
/// reading it. Returns the resolved path, or `None` if `visit` returned false or a link cannot be read. Also returns
/// false if an entry cannot be checked, if `..` follows a missing entry, or if a link is in `/proc`. `respelled`
/// converts the target of an absolute link to the form to use.
///
/// After a missing entry, and after [`MAX_LINKS`] links, the rest of the path stays unchanged.
pub(super) fn follow(
    start: PathBuf,
    rest: &Path,
    respelled: impl Fn(PathBuf) -> PathBuf,
    mut visit: impl FnMut(&Path) -> bool,
) -> Option<(PathBuf, bool)> {
    let mut here = start;
    let mut ahead = reversed(rest);
    let (mut links, mut exists, mut is_clear) = (0, true, true);
    while let Some(name) = ahead.pop() {
        if name == ".." {
            is_clear &= exists;
            here.pop();
            continue;
        }
        here.push(&name);
        if !visit(&here) {
            return None;
        }
        let found = if exists { here.symlink_metadata() } else { Err(io::ErrorKind::NotFound.into()) };
        is_clear &= found.as_ref().err().is_none_or(is_absent);
        exists = found.is_ok();
        if found.is_ok_and(|found| found.is_symlink()) {
            links += 1;
            is_clear &= !here.parent().is_some_and(sys::is_procfs);
            let mut target = here.read_link().ok()?;
            if links > MAX_LINKS {
                return Some((here, is_clear));
            }
            here.pop();
            if target.is_absolute() {
                target = respelled(target);
                here = "/".into();
            }
            ahead.extend(reversed(&target));
        }
    }
    Some((here, is_clear))
}

/// Returns the components of a path, the last one first.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn end_is_resolved_and_every_entry_is_reported() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let at = |path: &str| base.join(path);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir(at("c")).unwrap();
        for (link, to) in
            [("a/to-c", "../c"), ("hop", "a/to-c"), ("circle", "circle"), ("dangling", "c/none")]
        {
            symlink(to, at(link)).unwrap();
        }
        symlink(at("hop"), at("absolute")).unwrap();
        let cases: [(&str, &str, &[&str]); 7] = [
            ("a/b", "a/b", &["a", "a/b"]),
            ("hop", "c", &["hop", "a", "a/to-c", "c"]),
            ("absolute/", "c", &["absolute", "hop", "a", "a/to-c", "c"]),
            ("a/b/../../c", "c", &["a", "a/b", "c"]),
            ("hop/../a", "a", &["hop", "a", "a/to-c", "c", "a"]),
            ("dangling/x", "c/none/x", &["dangling", "c", "c/none", "c/none/x"]),
            ("none/../x", "x", &["none", "x"]),
        ];
        for (path, end, entries) in cases {
            let followed = Followed::new(&at(path));
            assert_eq!(followed.end, at(end), "{path}");
            if let Ok(real) = at(path).canonicalize() {
                assert_eq!(followed.end, real, "{path}");
            }
            let below = |entry: &&PathBuf| entry.starts_with(&base) && **entry != base;
            let seen: Vec<&PathBuf> = followed.entries.iter().filter(below).collect();
            assert_eq!(
                seen,
                entries.iter().map(|entry| at(entry)).collect::<Vec<_>>().iter().collect::<Vec<_>>(),
                "{path}"
            );
        }
        assert_eq!(Followed::new(&at("circle/x")).end, at("circle"));
        assert!(Followed::new(&at("dangling/x")).is_certain && !Followed::new(&at("none/../x")).is_certain);
    }

    #[test]
    fn long_way_has_few_entries_and_the_right_end() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("a")).unwrap();
        let mut next = "a".to_owned();
        for link in 0..30 {
            symlink("a/../".repeat(700) + &next, base.join(format!("to-{link}"))).unwrap();
            next = format!("to-{link}");
        }
        let followed = Followed::new(&base.join(next));
        assert_eq!((followed.end, followed.entries.len()), (base.join("a"), MAX_ENTRIES));
        assert!(!followed.is_certain && Followed::new(&base).is_certain);
        assert!(!Followed::new(Path::new("/proc/self/cwd/a")).is_certain || !cfg!(target_os = "linux"));
    }

    #[test]
    fn path_passes_through_the_folder() {
        let entries = ["/a", "/a/b", "/a/b/c"].map(PathBuf::from).to_vec();
        let followed = Followed { end: "/d".into(), entries, is_certain: true };
        let through = |folder: &str| followed.way_through(&[Path::new(folder)]).is_some();
        assert!(through("/") && through("/a") && through("/a/b"));
        // A path is not inside itself, and not inside a sibling whose name starts with the same letters.
        assert!(!through("/a/b/c") && !through("/a/b/cc") && !through("/d"));
    }
}
