//! Ignore rules: the entries that a search leaves out.
//!
//! `.gitignore` and `.ignore` of every folder from the top down, `.git/info/exclude` and git's global
//! excludes file, in a git repository or not. The nearest `.ignore` that says anything about an entry
//! wins, then the nearest `.gitignore`, then the repository's excludes, then the global ones. Inside a
//! repository `.gitignore` files above its top do not count; `.ignore` files do, as in ripgrep. Rule
//! files are read where their folder is read, through that open folder; a link in their place is passed
//! over, as git does.
//!
//! The rules in force in one folder, its own and those above, have one budget. Those of a folder that
//! would exceed it are left aside, whatever the number of workers, and the search says so.
#![expect(clippy::indexing_slicing, reason = "paths are longer than those of the folders they are in")]

mod files;
mod rule_file;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::RULES_IN_FORCE_BYTES;
use crate::sys::{self, Folder};
use rule_file::ParsedRules;

/// The name of a repository's own folder, which is never searched or entered.
pub(super) const GIT: &[u8] = b".git";

/// The rules that hold in one folder of a walk.
#[derive(Debug, Clone)]
pub struct IgnoreRules {
    shared: Option<Arc<Shared>>,
    nearest: Option<Arc<DirRules>>,
}

/// Facts shared by the rules of all folders of a walk.
#[derive(Debug)]
struct Shared {
    global: ParsedRules,
    /// The path of the folder where the walk begins, with the `/` after it, which the paths of all entries begin with.
    base: Vec<u8>,
    ignored_any: AtomicBool,
    /// Folders above the walk whose rules were left aside.
    left_aside_above: u64,
}

/// The rules of one folder, and of those above it.
#[derive(Debug)]
struct DirRules {
    above: Option<Arc<DirRules>>,
    /// Bytes of a path that lead to the folder, the `/` after it included.
    path_len: usize,
    ignore: Option<ParsedRules>,
    gitignore: Option<ParsedRules>,
    /// `.git/info/exclude`, at the top of a repository.
    exclude: Option<ParsedRules>,
    /// True if it is the top of a repository: git's rules above do not count.
    top: bool,
    /// The cost of these rules and of all above.
    cost: usize,
}

impl Drop for DirRules {
    /// Folder by folder: a tree may be deeper than a stack.
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(rules) = above {
            above = Arc::into_inner(rules).and_then(|mut rules| rules.above.take());
        }
    }
}

/// The rule files that a folder has, by its own entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleFilesPresent {
    ignore: bool,
    gitignore: bool,
    git: bool,
}

impl RuleFilesPresent {
    /// Takes note of an entry.
    pub fn see(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            GIT => self.git = true,
            _ => {}
        }
    }
}

impl IgnoreRules {
    /// No rules at all.
    pub fn none() -> Self {
        Self { shared: None, nearest: None }
    }

    /// The rules for a walk that begins at `base`, an absolute path without links: those of the folders
    /// above it.
    pub fn above(base: &Path) -> Self {
        let mut found = Vec::new();
        let mut in_repository = files::in_folder(base).git;
        for folder in base.ancestors().skip(1) {
            let mut files = files::in_folder(folder);
            if in_repository {
                (files.gitignore, files.git) = (false, false);
            }
            if files.ignore || files.gitignore || files.git {
                found.push((folder, files));
            }
            in_repository |= files.git;
        }
        let mut rules = Self::none();
        let mut left_aside_above = 0;
        for (folder, files) in found.into_iter().rev() {
            let Ok(open) = sys::open_folder(folder) else { continue };
            left_aside_above += u64::from(rules.add(&open, with_slash(folder).len(), files));
        }
        let global = files::global().unwrap_or_default(); // without the file there are no rules
        let (base, ignored_any) = (with_slash(base), AtomicBool::new(false));
        rules.shared = Some(Arc::new(Shared { global, base, ignored_any, left_aside_above }));
        rules
    }

    /// The path that all paths of the walk begin with here; empty where there are no rules.
    pub fn base(&self) -> &[u8] {
        self.shared.as_ref().map_or(b"", |shared| &shared.base)
    }

    /// Adds the rules of a folder of the walk, which has these rule files; true if they were left aside. `path_len` is
    /// the length of the folder's path with the `/` after it.
    pub fn enter(&mut self, folder: &Folder, path_len: usize, files: RuleFilesPresent) -> bool {
        self.shared.is_some() && self.add(folder, path_len, files)
    }

    /// Adds the rules of a folder; true if they were left aside.
    fn add(&mut self, folder: &Folder, path_len: usize, files: RuleFilesPresent) -> bool {
        let read = |there: bool, name: &str| if there { files::rules(folder, name) } else { None };
        let mut own = [
            read(files.ignore, ".ignore"),
            read(files.gitignore, ".gitignore"),
            if files.git { files::exclude(folder) } else { None },
        ];
        let above = self.nearest.take();
        let mut cost = above.as_ref().map_or(0, |above| above.cost);
        let of_own: usize = own.iter().flatten().map(ParsedRules::cost).sum();
        let left_aside = cost + of_own > RULES_IN_FORCE_BYTES;
        if left_aside {
            own = Default::default();
        } else {
            cost += of_own;
        }
        let top = files.git;
        self.nearest = if top || own.iter().any(Option::is_some) {
            let [ignore, gitignore, exclude] = own;
            Some(Arc::new(DirRules { above, path_len, ignore, gitignore, exclude, top, cost }))
        } else {
            above
        };
        left_aside
    }

    /// True if an entry is to be left out, which is noted. `path` begins with that of the folder that is walked.
    pub fn ignores(&self, path: &[u8], is_folder: bool) -> bool {
        let Some(shared) = &self.shared else { return false };
        let ignored = self.verdict(shared, path, is_folder).unwrap_or(false);
        if ignored {
            shared.ignored_any.store(true, Ordering::Relaxed);
        }
        ignored
    }

    /// True if an entry is to be left out, false if it is let in, by the rule that decides.
    fn verdict(&self, shared: &Shared, path: &[u8], is_folder: bool) -> Option<bool> {
        let says = |rules: &Option<ParsedRules>, path: &[u8]| rules.as_ref()?.verdict(path, is_folder);
        let (mut by_git, mut by_exclude) = (None, None);
        let mut below_top = None;
        for rules in std::iter::successors(self.nearest.as_deref(), |rules| rules.above.as_deref()) {
            let below = &path[rules.path_len..];
            if let Some(verdict) = says(&rules.ignore, below) {
                return Some(verdict);
            }
            if below_top.is_none() {
                by_git = by_git.or_else(|| says(&rules.gitignore, below));
                if rules.top {
                    by_exclude = says(&rules.exclude, below);
                    below_top = Some(below);
                }
            }
        }
        let below_top = below_top.unwrap_or(&path[shared.base.len()..]);
        by_git.or(by_exclude).or_else(|| shared.global.verdict(below_top, is_folder))
    }

    /// Returns true if a walk of the folder `base`, for which these rules were made, reaches what is at `below` in it.
    pub fn let_in(mut self, base: &Path, below: &Path, is_folder: bool) -> bool {
        let (mut folder, mut path) = (base.to_owned(), with_slash(base));
        let mut names = below.iter().peekable();
        while let Some(name) = names.next() {
            if name.as_encoded_bytes() == GIT {
                return false;
            }
            if let Ok(open) = sys::open_folder(&folder) {
                let _is_left_aside = self.enter(&open, path.len(), files::in_folder(&folder));
            }
            folder.push(name);
            path.extend_from_slice(name.as_encoded_bytes());
            if self.ignores(&path, names.peek().is_some() || is_folder) {
                return false;
            }
            path.push(b'/');
        }
        true
    }

    /// True if anything was left out so far.
    pub fn ignored_any(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.ignored_any.load(Ordering::Relaxed))
    }

    /// Folders above the walk whose rules were left aside.
    pub(super) fn left_aside_above(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.left_aside_above)
    }
}

/// The path of a folder with the `/` after it.
fn with_slash(folder: &Path) -> Vec<u8> {
    let names = folder.components().flat_map(|name| [name.as_os_str().as_encoded_bytes(), b"/"]);
    names.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests;
