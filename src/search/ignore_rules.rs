//! Which entries the ignore rules leave out of a search.
//!
//! `.gitignore` and `.ignore` of every folder from the top down, `.git/info/exclude` and git's global
//! excludes file, in a git repository or not. The nearest `.ignore` that says anything about an entry
//! wins, then the nearest `.gitignore`, then the repository's excludes, then the global ones. Inside a
//! repository the rules of folders above its top do not count. Rule files are read where their folder
//! is read, through that open folder; a link in their place is passed over, as git does.

mod cache;
mod files;

use std::path::{MAIN_SEPARATOR, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::walk::GIT;
use crate::sys::{self, Folder};

/// The rules that hold in one folder of a walk.
#[derive(Debug, Clone)]
pub struct Rules {
    shared: Option<Arc<Shared>>,
    nearest: Option<Arc<DirRules>>,
}

/// What the rules of all folders of a walk share.
#[derive(Debug)]
struct Shared {
    /// The absolute path of where the walk begins.
    base: Vec<u8>,
    global: Gitignore,
    left_out: AtomicBool,
}

/// The rules of one folder, and of those above it.
#[derive(Debug)]
struct DirRules {
    above: Option<Arc<DirRules>>,
    /// How many bytes of an absolute path below the folder lead to it, with the `/` after it.
    root_len: usize,
    ignore: Option<Arc<Gitignore>>,
    gitignore: Option<Arc<Gitignore>>,
    /// `.git/info/exclude`, at the top of a repository.
    exclude: Option<Arc<Gitignore>>,
    /// Whether it is the top of a repository: what is above does not count.
    top: bool,
}

impl Drop for DirRules {
    /// Level by level: a tree may be deeper than a stack.
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(level) = above {
            above = Arc::into_inner(level).and_then(|mut level| level.above.take());
        }
    }
}

/// Which rule files a folder has, by its own entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleFiles {
    ignore: bool,
    gitignore: bool,
    git: bool,
}

impl RuleFiles {
    /// Takes note of an entry.
    pub fn see(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            GIT => self.git = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.ignore || self.gitignore || self.git
    }
}

impl Rules {
    /// No rules at all.
    pub fn none() -> Self {
        Self { shared: None, nearest: None }
    }

    /// The rules for a walk that begins at `base`, an absolute path without links: those of the folders
    /// above it, up to the top of the git repository that it is in.
    pub fn above(base: &Path) -> Self {
        let (global, _unreadable_lines) = GitignoreBuilder::new(".").build_global();
        let shared = Shared { base: with_slash(base), global, left_out: AtomicBool::new(false) };
        let mut found = Vec::new();
        if !files::is_top(base) {
            for folder in base.ancestors().skip(1) {
                let files = files::in_folder(folder);
                if files.any() {
                    found.push((folder, files));
                }
                if files.git {
                    break;
                }
            }
        }
        let mut nearest = None;
        for (folder, files) in found.into_iter().rev() {
            if let Ok(fd) = sys::open_folder(folder) {
                nearest = Some(Arc::new(level(nearest, &fd, with_slash(folder).len(), files)));
            }
        }
        Self { shared: Some(Arc::new(shared)), nearest }
    }

    /// The rules below a folder of the walk, which has these rule files.
    #[must_use]
    pub fn within(&self, folder: &Folder, path: &[u8], files: RuleFiles) -> Self {
        let Some(shared) = self.shared.as_ref().filter(|_| files.any()) else { return self.clone() };
        let root_len = match path.len() {
            0 => shared.base.len(),
            len => shared.base.len() + len + 1,
        };
        let nearest = Some(Arc::new(level(self.nearest.clone(), folder, root_len, files)));
        Self { shared: Some(Arc::clone(shared)), nearest }
    }

    /// Whether an entry of the folder is to be left out; `path` is relative to where the walk began.
    pub fn leave_out(&self, path: &[u8], is_folder: bool) -> bool {
        let Some(shared) = &self.shared else { return false };
        if self.nearest.is_none() && shared.global.is_empty() {
            return false;
        }
        let mut absolute = Vec::with_capacity(shared.base.len() + path.len());
        absolute.extend_from_slice(&shared.base);
        absolute.extend_from_slice(path);
        let ignored = self.verdict(shared, &absolute, is_folder).is_ignore();
        if ignored {
            shared.left_out.store(true, Ordering::Relaxed);
        }
        ignored
    }

    fn verdict(&self, shared: &Shared, path: &[u8], is_folder: bool) -> Match<()> {
        let mut by_git = Match::None;
        let mut top_len = shared.base.len();
        let mut next = self.nearest.as_ref();
        while let Some(level) = next {
            let below = path.get(level.root_len..).unwrap_or_default();
            let by_ignore = matched(level.ignore.as_ref(), below, is_folder);
            if !by_ignore.is_none() {
                return by_ignore;
            }
            if by_git.is_none() {
                by_git = matched(level.gitignore.as_ref(), below, is_folder);
            }
            if level.top {
                by_git = by_git.or(matched(level.exclude.as_ref(), below, is_folder));
                top_len = level.root_len;
                break;
            }
            next = level.above.as_ref();
        }
        if !by_git.is_none() || shared.global.is_empty() {
            return by_git;
        }
        let below = path.get(top_len..).unwrap_or_default();
        shared.global.matched(Path::new(&sys::name(below)), is_folder).map(|_| ())
    }

    /// Whether anything was left out so far.
    pub fn ignored_any(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.left_out.load(Ordering::Relaxed))
    }
}

fn matched(rules: Option<&Arc<Gitignore>>, path: &[u8], is_folder: bool) -> Match<()> {
    rules.map_or(Match::None, |rules| rules.matched(Path::new(&sys::name(path)), is_folder).map(|_| ()))
}

fn level(above: Option<Arc<DirRules>>, folder: &Folder, root_len: usize, files: RuleFiles) -> DirRules {
    let read = |there: bool, name: &str| there.then(|| files::rules(folder, name)).flatten();
    DirRules {
        above,
        root_len,
        ignore: read(files.ignore, ".ignore"),
        gitignore: read(files.gitignore, ".gitignore"),
        exclude: files.git.then(|| files::exclude(folder)).flatten(),
        top: files.git,
    }
}

/// A folder's path with the `/` that stands before what is in it.
fn with_slash(folder: &Path) -> Vec<u8> {
    let mut path = folder.as_os_str().as_encoded_bytes().to_vec();
    if MAIN_SEPARATOR != '/' {
        path.iter_mut().filter(|byte| char::from(**byte) == MAIN_SEPARATOR).for_each(|byte| *byte = b'/');
    }
    if path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path
}

#[cfg(test)]
mod tests;
