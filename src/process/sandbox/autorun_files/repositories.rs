//! Finds the repositories in a workspace: submodules, additional work trees, and nested repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::index;
use crate::fs::lines::first_bytes;
use crate::sys::{FileKind, Opened, Stat};

/// The git folder of a repository, or a file if that folder is elsewhere. Only the file is an autorun file, because the
/// folder changes with each commit.
pub(super) const GIT: &str = ".git";
/// The index of a repository.
pub(super) const INDEX: &str = ".git/index";
/// The settings of a repository.
const CONFIG: &str = ".git/config";
/// The folder of submodules. The name of a submodule can contain slashes, such as `libs/a`, and a submodule can have
/// submodules.
pub(super) const MODULES: &str = ".git/modules";
/// The folder with one folder for each additional work tree.
pub(super) const WORK_TREES: &str = ".git/worktrees";
/// The maximum number of folders that are searched below one of those.
const MAX_FOLDERS: usize = 256;
/// Folders in a git folder that contain no submodules.
const OF_GIT: [&str; 3] = ["objects", "refs", "logs"];
/// The maximum number of entries of folders that are read to find repositories.
const MAX_ENTRIES: usize = 20_000;
/// The maximum number of bytes of a `.git` file.
const MAX_LINK_BYTES: usize = 4096;
/// The maximum number of bytes of a settings file.
const MAX_SETTINGS_BYTES: usize = 64 * 1024;
/// The maximum number of bytes of an index with its shared indexes.
const MAX_INDEX_BYTES: usize = 64 * 1024 * 1024;

/// The repositories that git indexes list, by the folder of the index.
#[derive(Debug, Default)]
pub(super) struct IndexedRepositories(Mutex<BTreeMap<PathBuf, FromIndex>>);

/// The repositories of one index.
#[derive(Debug)]
struct FromIndex {
    /// The metadata of the files when they were read.
    files: Vec<Stat>,
    /// `None` if there are too many, or if the path of one is unknown.
    repositories: Option<Vec<PathBuf>>,
}

impl IndexedRepositories {
    /// Returns the repositories that the index of the repository at `folder` lists. Returns `None` if there are too many,
    /// or if the path of one is unknown.
    pub(super) fn by_index_of(&self, folder: &Path) -> Option<Vec<PathBuf>> {
        let git = folder.join(GIT);
        let entries = fs::read_dir(&git).into_iter().flatten().flatten();
        let shared = entries.map(|entry| entry.path()).filter(|path| {
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"sharedindex."))
        });
        let paths = shared.chain([folder.join(INDEX)]);
        let opened: Vec<Opened> = paths.filter_map(|path| Opened::without_links(&path).ok()).collect();
        let settings = Opened::without_links(&folder.join(CONFIG)).ok();
        let stats: Vec<Stat> = opened.iter().chain(&settings).map(|opened| opened.stat).collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder).filter(|known| known.files == stats) {
            return known.repositories.clone();
        }
        let is_file = |opened: &&Opened| opened.stat.kind == FileKind::File;
        let read = |opened: &Opened, most| first_bytes(&opened.file().ok()?, most).ok();
        let settings =
            settings.as_ref().filter(is_file).and_then(|settings| read(settings, MAX_SETTINGS_BYTES));
        let mut bytes_left = MAX_INDEX_BYTES;
        let indexes = opened.iter().filter(is_file).filter_map(|opened| {
            let index = read(opened, bytes_left)?;
            bytes_left -= index.len();
            Some(index)
        });
        let names = index::repositories_in(&settings.unwrap_or_default(), &indexes.collect::<Vec<_>>());
        let repositories: Option<Vec<PathBuf>> =
            names.map(|names| names.into_iter().map(|name| folder.join(name)).collect());
        known.insert(folder.to_owned(), FromIndex { files: stats, repositories: repositories.clone() });
        repositories
    }
}

/// Returns the folders below `parent`, the [`MODULES`] folder of a repository, or `None` if there are too many.
pub(super) fn below_modules(parent: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut ahead = vec![parent.to_owned()];
    while let Some(folder) = ahead.pop() {
        let is_git_folder = fs::symlink_metadata(folder.join("HEAD")).is_ok();
        for child in folders_in(&folder) {
            let is_of_git = is_git_folder && OF_GIT.iter().any(|name| child.ends_with(name));
            if is_of_git {
                continue;
            }
            if found.len() == MAX_FOLDERS {
                return None;
            }
            found.push(child.clone());
            ahead.push(child);
        }
    }
    Some(found)
}

/// Returns the folders in `parent`, the [`WORK_TREES`] folder of a repository, or `None` if there are too many.
pub(super) fn in_work_trees(parent: &Path) -> Option<Vec<PathBuf>> {
    let found: Vec<PathBuf> = folders_in(parent).take(MAX_FOLDERS + 1).collect();
    (found.len() <= MAX_FOLDERS).then_some(found)
}

/// Returns the repositories one and two folders below `folder`, and those that its index lists. git, editors and agents
/// start git in them without a request from the user.
pub(super) fn nested(folder: &Path, indexed: &IndexedRepositories) -> Vec<PathBuf> {
    let mut entries_left = MAX_ENTRIES;
    let mut nested = first_folders_in(folder, &mut entries_left);
    for child in nested.clone() {
        nested.extend(first_folders_in(&child, &mut entries_left));
    }
    // A link could point to a file system that does not respond.
    let is_folder =
        |path: &PathBuf| Opened::without_links(path).is_ok_and(|opened| opened.stat.kind == FileKind::Folder);
    nested.extend(indexed.by_index_of(folder).unwrap_or_default().into_iter().filter(is_folder));
    nested.retain(|nested| is_other_repository(nested, folder));
    nested
}

/// Returns the folders among the first entries of `folder`, except a `.git`.
fn first_folders_in(folder: &Path, entries_left: &mut usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(*entries_left) {
        *entries_left -= 1;
        if entry.file_name() != GIT && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found
}

/// Returns true if `nested` has its own `.git`. A `.git` file that points to a submodule or work tree of the repository
/// at `folder` does not count, because that repository lists it.
fn is_other_repository(nested: &Path, folder: &Path) -> bool {
    let git = nested.join(GIT);
    let Ok(found) = fs::symlink_metadata(&git) else { return false };
    !found.is_file() || !leads_into(&git, nested, folder).unwrap_or(false)
}

fn leads_into(git: &Path, nested: &Path, folder: &Path) -> Option<bool> {
    let opened = Opened::through_links(git).ok().filter(|opened| opened.stat.kind == FileKind::File)?;
    let text = String::from_utf8(first_bytes(&opened.file().ok()?, MAX_LINK_BYTES).ok()?).ok()?;
    let target = fs::canonicalize(nested.join(text.strip_prefix("gitdir: ")?.trim_end())).ok()?;
    Some([MODULES, WORK_TREES].iter().any(|known| target.starts_with(folder.join(known))))
}

/// Returns the folders in `folder`, without links.
fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}
