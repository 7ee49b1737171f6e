//! Ignore rules: which entries a search skips.
//!
//! Rules come from `.gitignore` and `.ignore` in every folder from the root of the file system down, from
//! `.git/info/exclude`, and from git's global excludes file, whether or not there is a git repository. The order of
//! precedence is: the nearest `.ignore` with a matching rule, the nearest `.gitignore`, the repository's excludes, the
//! global excludes. Inside a repository, `.gitignore` files above its top folder do not apply, but `.ignore` files do,
//! as in ripgrep. Rule files are read through the open folder that contains them, and links are skipped, as in git.
//! Links are followed to the global excludes, to git's settings that name them, and along the paths in a `.git` file.
//!
//! All rules that apply in one folder, its own and those of the folders above, have a common budget, except the global
//! excludes. If the rules of a folder would exceed it, they are skipped, and the search reports it. This does not
//! depend on the number of workers.
#![expect(clippy::indexing_slicing, reason = "paths are longer than those of their folders")]

mod files;
mod rule_file;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::RULES_IN_FORCE_BYTES;
use crate::sys::{self, Folder};
use rule_file::ParsedRules;

/// The name of git's own folder, which is never searched or entered.
pub(super) const GIT: &[u8] = b".git";

/// The rules that apply in one folder of a walk.
#[derive(Debug, Clone)]
pub struct IgnoreRules {
    shared: Option<Arc<Shared>>,
    nearest: Option<Arc<DirRules>>,
}

/// State shared by the rules of all folders of a walk.
#[derive(Debug)]
struct Shared {
    global: ParsedRules,
    /// The path of the root of the walk with a `/` at the end. The paths of all entries start with it.
    base: Vec<u8>,
    ignored_any: AtomicBool,
    /// Number of folders above the walk whose rules were skipped.
    skipped_above: u64,
}

/// The rules of one folder, with a link to those above it.
#[derive(Debug)]
struct DirRules {
    above: Option<Arc<DirRules>>,
    /// Length of the folder's path in bytes, with the `/` at the end.
    path_len: usize,
    ignore: Option<ParsedRules>,
    gitignore: Option<ParsedRules>,
    /// The rules of `.git/info/exclude`, if this is the top folder of a repository.
    exclude: Option<ParsedRules>,
    /// True for the top folder of a repository. `.gitignore` rules above do not apply.
    top: bool,
    /// The cost of these rules and of all rules above.
    cost: usize,
}

impl Drop for DirRules {
    /// Drops the folders iteratively, because a deep tree would overflow the stack.
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(rules) = above {
            above = Arc::into_inner(rules).and_then(|mut rules| rules.above.take());
        }
    }
}

/// Which rule files a folder has, from its listing.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleFilesPresent {
    ignore: bool,
    gitignore: bool,
    git: bool,
}

impl RuleFilesPresent {
    /// Records an entry of the folder.
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
    /// Returns an empty set of rules.
    pub fn none() -> Self {
        Self { shared: None, nearest: None }
    }

    /// Returns the rules for a walk from `base`, an absolute path without links: the global excludes and the rules of
    /// the folders above it. Global excludes that are too large are skipped, and the search does not report it.
    pub fn for_walk_from(base: &Path) -> Self {
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
        let mut skipped_above = 0;
        for (folder, files) in found.into_iter().rev() {
            let Ok(open) = sys::open_folder(folder) else { continue };
            skipped_above += u64::from(rules.add(&open, with_slash(folder).len(), files));
        }
        let global = files::global().unwrap_or_default(); // without the file there are no rules
        let (base, ignored_any) = (with_slash(base), AtomicBool::new(false));
        rules.shared = Some(Arc::new(Shared { global, base, ignored_any, skipped_above }));
        rules
    }

    /// Returns the path with which all paths of the walk start. Empty if there are no rules.
    pub fn base(&self) -> &[u8] {
        self.shared.as_ref().map_or(b"", |shared| &shared.base)
    }

    /// Adds the rules of a folder of the walk, which has these rule files. Returns true if they were skipped.
    /// `path_len` is the length of the folder's path with a `/` at the end.
    pub fn enter(&mut self, folder: &Folder, path_len: usize, files: RuleFilesPresent) -> bool {
        self.shared.is_some() && self.add(folder, path_len, files)
    }

    /// Adds the rules of a folder, above the walk or in it. Returns true if they were skipped.
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
        let skipped = cost + of_own > RULES_IN_FORCE_BYTES;
        if skipped {
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
        skipped
    }

    /// Returns true if an entry is ignored, and records that. `path` starts with the path of the root of the walk.
    pub fn ignores(&self, path: &[u8], is_folder: bool) -> bool {
        let Some(shared) = &self.shared else { return false };
        let ignored = self.verdict(shared, path, is_folder).unwrap_or(false);
        if ignored {
            shared.ignored_any.store(true, Ordering::Relaxed);
        }
        ignored
    }

    /// Returns true if an entry is ignored, false if a negated rule includes it, or `None` if no rule matches.
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
        // Outside of a repository, the global excludes apply relative to the root of the walk.
        let below_top = below_top.unwrap_or(&path[shared.base.len()..]);
        by_git.or(by_exclude).or_else(|| shared.global.verdict(below_top, is_folder))
    }

    /// Returns true if a walk from `base`, for which these rules were created, would reach the path `below` in it.
    pub fn let_in(mut self, base: &Path, below: &Path, is_folder: bool) -> bool {
        let (mut folder, mut path) = (base.to_owned(), with_slash(base));
        let mut names = below.iter().peekable();
        while let Some(name) = names.next() {
            if name.as_encoded_bytes() == GIT {
                return false;
            }
            if let Ok(open) = sys::open_folder(&folder) {
                let _is_skipped = self.enter(&open, path.len(), files::in_folder(&folder));
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

    /// Returns true if any entry was ignored so far.
    pub fn ignored_any(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.ignored_any.load(Ordering::Relaxed))
    }

    /// Returns the number of folders above the walk whose rules were skipped.
    pub(super) fn skipped_above(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.skipped_above)
    }
}

/// Returns the path of a folder with a `/` at the end.
fn with_slash(folder: &Path) -> Vec<u8> {
    let names = folder.components().flat_map(|name| [name.as_os_str().as_encoded_bytes(), b"/"]);
    names.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests;
