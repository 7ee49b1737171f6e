//! Ignore rules: which entries a search skips.
//!
//! Rules come from `.gitignore` and `.ignore` in every folder from the root of the file system down, from
//! `.git/info/exclude`, and from git's global excludes file, whether or not there is a git repository. The order of
//! precedence is: the nearest `.ignore` with a matching rule, the nearest `.gitignore`, the repository's excludes, the
//! global excludes. Inside a repository, `.gitignore` files above its top folder do not apply, but `.ignore` files do,
//! as in ripgrep, whose crate `ignore` matches the rules of one file. Rule files are read through the open folder that
//! contains them, and links are skipped, as in git. Links are followed to the global excludes, and along the paths in a
//! `.git` file.
//!
//! If a rule file is too large, or the rules of a folder and of those above it are too large together, all rules of the
//! folder are skipped, and the search reports it.
#![expect(clippy::indexing_slicing, reason = "paths are longer than those of their folders")]

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::fs::lines::first_bytes;
use crate::fs::workspace::lexical;
use crate::limits::{GLOB_BYTES, RULES_BYTES, RULES_CLASSES, RULES_IN_FORCE_BYTES};
use crate::sys::{self, FileKind, Folder, Opened, Stat, below};
use cutline_core::text::as_index;

/// The name of git's own folder, which is never searched or entered.
pub(super) const GIT: &[u8] = b".git";
/// Bytes that are read of a file. One byte more than the limit shows that a rule file is too large.
const READ_BYTES: usize = RULES_BYTES + 1;
/// Maximum number of compiled rule files that are kept for folders with the same rules. Together they have at most
/// [`RULES_BYTES`].
const KEPT_FILES: usize = 16;

/// The rules that apply in one folder of a walk.
#[derive(Debug, Clone, Default)]
pub struct IgnoreRules {
    shared: Arc<SharedRules>,
    nearest: Option<Arc<DirRules>>,
    /// True if the walk leaves out files that are not ignored. It leaves out no folder.
    only_ignored: bool,
    /// Number of folders above the walk whose rules were skipped, because they are too large.
    pub(super) skipped_above: u64,
}

/// The rules of git's global excludes file. They are read once, because a command can keep the file or git's
/// configuration from being opened.
static GLOBAL: LazyLock<Option<Arc<Gitignore>>> =
    LazyLock::new(|| global().and_then(|content| compile(&content).ok().flatten()));

/// Reads git's global excludes file, if that was not done yet.
pub(crate) fn read_global_rules() {
    LazyLock::force(&GLOBAL);
}

/// State shared by the rules of all folders of a walk.
#[derive(Debug, Default)]
struct SharedRules {
    global: Option<Arc<Gitignore>>,
    /// The path of the root of the walk with a `/` at the end. The paths of all entries start with it. Empty if there are
    /// no rules.
    base: Vec<u8>,
    ignored_any: AtomicBool,
    /// Compiled rules by content, because many folders of a tree can have the same.
    compiled: Mutex<HashMap<Vec<u8>, Arc<Gitignore>>>,
}

/// The rules of one folder, with a link to those above it.
#[derive(Debug, Default)]
struct DirRules {
    above: Option<Arc<DirRules>>,
    /// Length of the folder's path in bytes, with the `/` at the end.
    path_len: usize,
    ignore: Option<Arc<Gitignore>>,
    gitignore: Option<Arc<Gitignore>>,
    /// The rules of `.git/info/exclude`, if this is the top folder of a repository.
    exclude: Option<Arc<Gitignore>>,
    /// True for the top folder of a repository. `.gitignore` rules above do not apply.
    top: bool,
    /// The bytes of these rules and of all rules above.
    bytes: u64,
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

/// Which rule files a folder has.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleFilesPresent {
    ignore: bool,
    gitignore: bool,
    /// True if the folder has a `.git` folder or file.
    git: bool,
}

impl RuleFilesPresent {
    /// Checks which rule files exist in a folder that is not listed.
    fn in_folder(folder: &Path) -> Self {
        let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
        Self { ignore: there(".ignore"), gitignore: there(".gitignore"), git: there(".git") }
    }

    /// Records an entry of the folder.
    pub fn see(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            GIT => self.git = true,
            _ => {}
        }
    }

    /// Returns true if the folder is a linked work tree of a repository whose own work tree contains it. Its files are
    /// copies. `path` is the absolute path of the folder, with a `/` at the end.
    pub fn is_linked_work_tree(self, folder: &Folder, path: &[u8]) -> bool {
        self.git && main_work_tree(folder, path).is_some_and(|main| path.starts_with(&main))
    }
}

impl IgnoreRules {
    /// Returns an empty set of rules.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the rules for a walk from `base`, an absolute path without links: the global excludes and the rules of
    /// the folders above it. Global excludes that are too large are skipped, and the search does not report it.
    pub fn for_walk_from(base: &Path) -> Self {
        let mut found = Vec::new();
        let mut in_repository = RuleFilesPresent::in_folder(base).git;
        for folder in base.ancestors().skip(1) {
            let mut files = RuleFilesPresent::in_folder(folder);
            if in_repository {
                (files.gitignore, files.git) = (false, false);
            }
            if files.ignore || files.gitignore || files.git {
                found.push((folder, files));
            }
            in_repository |= files.git;
        }
        let global = GLOBAL.clone();
        let shared = Arc::new(SharedRules { global, base: with_slash(base), ..SharedRules::default() });
        let mut rules = Self { shared, ..Self::default() };
        for (folder, files) in found.into_iter().rev() {
            let Ok(open) = sys::open_folder(folder) else { continue };
            let is_skipped = rules.enter(&open, with_slash(folder).len(), files);
            rules.skipped_above += u64::from(is_skipped);
        }
        rules
    }

    /// Returns the rules for a walk to ignored entries. Such a walk visits and enters all folders, but of the other
    /// entries only ignored ones.
    #[must_use]
    pub fn of_ignored(self) -> Self {
        Self { only_ignored: true, ..self }
    }

    /// Returns the path with which all paths of the walk start. Empty if there are no rules.
    pub fn base(&self) -> &[u8] {
        &self.shared.base
    }

    /// Adds the rules of a folder, above the walk or in it, which has these rule files. Returns true if all of them
    /// were skipped. `path_len` is the length of the folder's path with a `/` at the end.
    pub fn enter(&mut self, folder: &Folder, path_len: usize, files: RuleFilesPresent) -> bool {
        let shared = &self.shared;
        if shared.base.is_empty() {
            return false;
        }
        let read = |there: bool, name: &str| if there { content(folder, name) } else { None };
        let contents = [
            read(files.ignore, ".ignore"),
            read(files.gitignore, ".gitignore"),
            if files.git { exclude(folder) } else { None },
        ];
        let above = self.nearest.take();
        let above_bytes = above.as_ref().map_or(0, |above| above.bytes);
        let bytes = above_bytes + contents.iter().flatten().map(|content| content.len() as u64).sum::<u64>();
        let compiled = contents.map(|content| match content {
            None => Ok(None),
            Some(_) if bytes > RULES_IN_FORCE_BYTES => Err(TooLarge),
            Some(content) => shared.compiled(content),
        });
        let skipped = compiled.iter().any(Result::is_err);
        let [ignore, gitignore, exclude] = compiled.map(|rules| rules.ok().filter(|_| !skipped).flatten());
        let has_rules = ignore.is_some() || gitignore.is_some() || exclude.is_some();
        self.nearest = if files.git || has_rules {
            let bytes = if skipped { above_bytes } else { bytes };
            Some(Arc::new(DirRules { above, path_len, ignore, gitignore, exclude, top: files.git, bytes }))
        } else {
            above
        };
        skipped
    }

    /// Returns true if the walk neither visits nor enters an entry. `path` starts with the path of the root of the walk.
    pub fn leaves_out(&self, path: &[u8], is_folder: bool) -> bool {
        let ignored = self.ignores(path, is_folder);
        if self.only_ignored { !ignored && !is_folder } else { ignored }
    }

    /// Returns true if the walk is one to ignored entries, and the folder at `path` is ignored. The walk then visits
    /// everything in it.
    pub fn takes_all_of(&self, path: &[u8]) -> bool {
        self.only_ignored && self.ignores(path, true)
    }

    /// Returns true if an entry is ignored, and records that. `path` starts with the path of the root of the walk.
    pub fn ignores(&self, path: &[u8], is_folder: bool) -> bool {
        let ignored = self.verdict(path, is_folder).unwrap_or(false);
        if ignored {
            self.shared.ignored_any.store(true, Ordering::Relaxed);
        }
        ignored
    }

    /// Returns true if an entry is ignored, false if a negated rule includes it, or `None` if no rule matches.
    fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let says = |rules: &Option<Arc<Gitignore>>, path: &[u8]| {
            let matched = rules.as_ref()?.matched(&*sys::name(path), is_folder);
            (!matched.is_none()).then(|| matched.is_ignore())
        };
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
        let below_top = below_top.unwrap_or(&path[self.shared.base.len()..]);
        by_git.or(by_exclude).or_else(|| says(&self.shared.global, below_top))
    }

    /// Returns true if a walk from `base`, for which these rules were created, would reach the path `below` in it.
    pub fn reaches(mut self, base: &Path, below: &Path, is_folder: bool) -> bool {
        let (mut folder, mut path) = (base.to_owned(), with_slash(base));
        let mut names = below.iter().peekable();
        while let Some(name) = names.next() {
            if name.as_encoded_bytes() == GIT {
                return false;
            }
            if let Ok(open) = sys::open_folder(&folder) {
                let _is_skipped = self.enter(&open, path.len(), RuleFilesPresent::in_folder(&folder));
            }
            folder.push(name);
            path.extend_from_slice(name.as_encoded_bytes());
            let is_folder = is_folder || names.peek().is_some();
            if self.ignores(&path, is_folder) {
                return false;
            }
            path.push(b'/');
            if is_folder && !self.base().is_empty() && is_linked_work_tree(&folder, &path) {
                return false;
            }
        }
        true
    }

    /// Returns true if [`ignores`](Self::ignores) has returned true for any entry.
    pub fn ignored_any(&self) -> bool {
        self.shared.ignored_any.load(Ordering::Relaxed)
    }
}

/// The error for rules that are too large.
#[derive(Debug)]
struct TooLarge;

impl SharedRules {
    /// Returns the compiled rules of a file.
    fn compiled(&self, content: Vec<u8>) -> Result<Option<Arc<Gitignore>>, TooLarge> {
        let lock = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = lock().get(&content) {
            return Ok(Some(Arc::clone(rules)));
        }
        let rules = compile(&content)?;
        if let Some(rules) = &rules {
            let mut kept = lock();
            let kept_bytes: usize = kept.keys().map(Vec::len).sum();
            if kept.len() >= KEPT_FILES || kept_bytes + content.len() > RULES_BYTES {
                kept.clear();
            }
            kept.insert(content, Arc::clone(rules));
        }
        Ok(rules)
    }
}

/// Compiles the rules of a file for paths relative to its folder. Skips invalid rules, as git does, and those of more
/// than [`GLOB_BYTES`].
fn compile(content: &[u8]) -> Result<Option<Arc<Gitignore>>, TooLarge> {
    if content.len() > RULES_BYTES || memchr::memchr_iter(b'[', content).count() > RULES_CLASSES {
        return Err(TooLarge);
    }
    let text = String::from_utf8_lossy(content);
    let mut rules = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines().filter(|line| line.len() <= GLOB_BYTES) {
        let _is_invalid = rules.add_line(None, line).is_err();
    }
    let rules = rules.build().map_err(|_| TooLarge)?;
    Ok((!rules.is_empty()).then(|| Arc::new(rules)))
}

/// Returns the first [`READ_BYTES`] of a regular file in `folder`, or `None` if there is none that can be read.
fn content(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    // To open a FIFO would wake a process that waits for a reader.
    below::stat(folder, name.as_bytes()).ok().filter(|stat| stat.kind == FileKind::File)?;
    let (file, stat) = below::file(folder, name.as_bytes()).ok()??;
    start_of(&file, stat)
}

/// Returns the first [`READ_BYTES`] of a file. A file that reports a size of 0 can have a content.
fn start_of(file: &File, stat: Stat) -> Option<Vec<u8>> {
    let most = if stat.bytes == 0 { READ_BYTES } else { as_index(stat.bytes).min(READ_BYTES) };
    first_bytes(file, most).ok()
}

/// Returns the first [`READ_BYTES`] of git's global excludes file.
fn global() -> Option<Vec<u8>> {
    if git_configs().iter().any(|path| path.metadata().is_ok_and(|stat| !stat.is_file())) {
        return None;
    }
    let path = ignore::gitignore::gitconfig_excludes_path()?;
    // Does not block if the file is a pipe.
    let opened = Opened::through_links(&path).ok().filter(|opened| opened.stat.kind == FileKind::File)?;
    start_of(&opened.file().ok()?, opened.stat)
}

/// Returns the paths of the user's git configurations, which the crate `ignore` reads. It would wait for a pipe.
fn git_configs() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(home.clone()?.join(".config")));
    let paths = [home.map(|home| home.join(".gitconfig")), config.map(|config| config.join("git/config"))];
    paths.into_iter().flatten().collect()
}

/// Returns the excludes of the repository with the top folder `folder`.
///
/// In a linked work tree or a submodule, `.git` is a file with the path of the repository. The files that all work
/// trees share are in another folder, and `commondir` has its path.
fn exclude(folder: &Folder) -> Option<Vec<u8>> {
    content(folder, ".git/info/exclude").or_else(|| {
        let git = sys::folder_from(folder, &git_folder(folder)?).ok()?;
        let common = content(&git, "commondir").and_then(|content| target(&content));
        let common = sys::folder_from(&git, &common.unwrap_or_else(|| ".".into())).ok()?;
        content(&common, "info/exclude")
    })
}

/// Returns true if a folder that is not listed is a linked work tree, as in [`RuleFilesPresent::is_linked_work_tree`].
fn is_linked_work_tree(folder: &Path, path: &[u8]) -> bool {
    let files = RuleFilesPresent::in_folder(folder);
    sys::open_folder(folder).is_ok_and(|open| files.is_linked_work_tree(&open, path))
}

/// Returns the path of the main work tree, with a `/` at the end, if `folder` is a linked work tree of a repository.
/// `path` is the path of the folder.
fn main_work_tree(folder: &Folder, path: &[u8]) -> Option<Vec<u8>> {
    let git = lexical(&Path::new(&*sys::name(path)).join(git_folder(folder)?));
    let worktrees = git.parent().filter(|parent| parent.ends_with(".git/worktrees"))?;
    worktrees.parent()?.parent().map(with_slash)
}

/// Returns the path in a `.git` file.
fn git_folder(folder: &Folder) -> Option<PathBuf> {
    target(content(folder, ".git")?.strip_prefix(b"gitdir:")?)
}

/// Parses the path in a file with one line.
fn target(content: &[u8]) -> Option<PathBuf> {
    let path = content.trim_ascii();
    (!path.is_empty() && !path.contains(&0)).then(|| PathBuf::from(sys::name(path).into_owned()))
}

/// Returns the path of a folder with a `/` at the end.
fn with_slash(folder: &Path) -> Vec<u8> {
    let names = folder.components().flat_map(|name| [name.as_os_str().as_encoded_bytes(), b"/"]);
    names.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests;
