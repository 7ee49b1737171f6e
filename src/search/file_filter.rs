//! Selects the files of a tree to search.

use super::file_types::FileTypes;
use super::globs::{Glob, any_or_none, folders_of, none_excludes};

/// Selects the files that pass all parts of the filter. Paths are relative to the root of the walk.
#[derive(Debug, Clone, Default)]
pub struct FileFilter {
    /// Selects files that match one of these globs. Empty for all files.
    pub globs: Vec<Glob>,
    /// Negated globs. A file or folder that one of them excludes is skipped.
    pub exclude: Vec<Glob>,
    /// Selects files of these types.
    pub types: Option<FileTypes>,
    /// Selects files in these parts of the tree. `None` means all parts.
    pub selected: Option<Vec<Selector>>,
}

/// Selects a part of a tree.
#[derive(Debug, Clone)]
pub struct Selector {
    /// The path of a file or folder. Empty for the root of the tree.
    pub path: Vec<u8>,
    /// Selects files below the path that match, and files in folders that match. It is relative to the path. `None`
    /// selects all.
    pub glob: Option<Glob>,
}

impl Selector {
    fn selects(&self, file: &[u8]) -> bool {
        let Some(below) = below(file, &self.path) else { return false };
        let Some(glob) = &self.glob else { return true };
        glob.selects(below, false) || glob.matches_above(below)
    }

    fn enters(&self, folder: &[u8]) -> bool {
        if below(&self.path, folder).is_some() {
            return true;
        }
        let Some(below) = below(folder, &self.path) else { return false };
        let Some(glob) = &self.glob else { return true };
        glob.can_select_below(below) || glob.selects(below, true) || glob.matches_above(below)
    }
}

/// Returns the rest of `path` below `folder`. Empty for the folder itself.
fn below<'a>(path: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(folder)?;
    if folder.is_empty() || rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
}

impl FileFilter {
    /// Returns true if a file passes the filter. The walk asks only for files in folders that it enters.
    pub fn selects(&self, file: &[u8]) -> bool {
        self.passes(file)
            && self.selected.as_ref().is_none_or(|parts| parts.iter().any(|part| part.selects(file)))
    }

    /// Returns true if a folder can contain files that pass the filter.
    pub fn enters(&self, folder: &[u8]) -> bool {
        any_or_none(&self.globs, |glob| glob.can_select_content_below(folder))
            && none_excludes(&self.exclude, folder, true)
            && self.selected.as_ref().is_none_or(|parts| parts.iter().any(|part| part.enters(folder)))
    }

    /// Returns true if the filter lets a search of the complete tree reach this path, whatever parts are selected. Of a
    /// file, all other parts of the filter count; of a folder, only the globs in `exclude`.
    pub fn reaches(&self, path: &[u8], is_folder: bool) -> bool {
        let mut folders = folders_of(path).chain(is_folder.then_some(path));
        folders.all(|folder| none_excludes(&self.exclude, folder, true)) && (is_folder || self.passes(path))
    }

    /// Adds a part to the selected parts of the tree. If all parts are selected, nothing changes. A part that is the
    /// complete tree selects all.
    pub fn select(&mut self, part: Selector) {
        if part.path.is_empty() && part.glob.is_none() {
            self.selected = None;
        } else if let Some(parts) = &mut self.selected {
            parts.push(part);
        }
    }

    /// Returns true if a file passes the filter, whatever parts are selected.
    fn passes(&self, file: &[u8]) -> bool {
        any_or_none(&self.globs, |glob| glob.selects_content(file))
            && self.types.as_ref().is_none_or(|types| types.selects(file))
            && none_excludes(&self.exclude, file, false)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn selected_parts_are_paths_and_globs() {
        let part = |path: &str, glob: Option<&str>| Selector {
            path: path.into(),
            glob: glob.map(|glob| Glob::new(&format!("./{glob}"), Path::new("/work"), false).unwrap()),
        };
        let parts = vec![part("a", None), part("src", Some("*/x/*.rs")), part("", Some("t*"))];
        let filter = FileFilter { selected: Some(parts), ..FileFilter::default() };
        for (file, is_selected) in [
            ("a", true),
            ("a/b/c", true),
            ("ab", false),
            ("src/x/y.rs", false),
            ("src/w/x/y.rs", true),
            ("src/w/x/y.rs/z", true),
            ("src/w/x/y.py", false),
            ("tests/a/b", true),
            ("b/tests/a", false),
        ] {
            assert_eq!(filter.selects(file.as_bytes()), is_selected, "{file}");
            let mut folders = folders_of(file.as_bytes());
            assert!(!is_selected || folders.all(|folder| filter.enters(folder)), "{file}");
        }
        for folder in ["b", "src/a/b/c", "src/a/x/b.py"] {
            assert!(!filter.enters(folder.as_bytes()), "{folder}");
        }
    }

    #[test]
    fn excluded_names_are_files_or_folders() {
        let glob = |glob: &str| Glob::new(&format!("!{glob}"), Path::new("/work"), false).unwrap();
        let filter = FileFilter {
            exclude: vec![glob("target"), glob("*.min.js"), glob("src/gen/**"), glob("old/")],
            ..FileFilter::default()
        };
        for folder in ["target", "a/target", "old", "a/old", "src/gen/x"] {
            assert!(!filter.enters(folder.as_bytes()), "{folder}");
        }
        for folder in ["src", "src/gen", "targets"] {
            assert!(filter.enters(folder.as_bytes()), "{folder}");
        }
        for (file, is_selected) in [
            ("target", false),
            ("a.min.js", false),
            ("a/b.min.js", false),
            ("src/gen/a", false),
            ("gen/a", true),
            ("old", true),
            ("a.js", true),
        ] {
            assert_eq!(filter.selects(file.as_bytes()), is_selected, "{file}");
        }
    }
}
