//! The autorun files that commands created or changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::AutorunFiles;
use crate::fs::lines::first_bytes;
use crate::process::sandbox::is_protected;
use crate::sys::{FileKind, Opened, Stat};

/// Larger files are compared by their metadata only.
const MAX_COMPARED_BYTES: usize = 64 * 1024;
/// A folder with more entries is compared by its own metadata only.
const MAX_ENTRIES: usize = 256;

/// An autorun file that a command created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutorunChange {
    /// Its absolute path.
    pub path: PathBuf,
    /// True if it did not exist before the command.
    pub is_new: bool,
}

/// The autorun files as they were before any running command started. Commands that run at the same time share it.
#[derive(Debug)]
pub(in crate::process) struct Baseline {
    files: Arc<AutorunFiles>,
    folders: Vec<PathBuf>,
    hasher: RandomState,
    known: Mutex<BTreeMap<PathBuf, State>>,
    /// True once no process of a command was left when it was last compared.
    is_over: AtomicBool,
}

/// The state of one file.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The metadata of what it leads to; `None` if that does not exist.
    stat: Option<Stat>,
    /// A hash of its content, unless it is large or not a regular file.
    content: Option<u64>,
    /// True if commands could not write it.
    is_protected: bool,
}

impl Baseline {
    /// Reads the state of the autorun files in `folders`. Commands can't write those that exist if `can_mount`.
    pub(in crate::process::sandbox) fn new(
        files: Arc<AutorunFiles>,
        folders: Vec<PathBuf>,
        can_mount: bool,
    ) -> Self {
        let hasher = RandomState::new();
        let state = |path: PathBuf| {
            let is_protected = can_mount && is_protected(&path);
            let state = State { is_protected, ..State::read(&path, &hasher) };
            (path, state)
        };
        let known = all_paths(&files, &folders).into_iter().map(state).collect();
        Self { files, folders, hasher, known: Mutex::new(known), is_over: AtomicBool::new(false) }
    }

    /// True if it is of `folders`, and processes may still change the files.
    pub(in crate::process::sandbox) fn is_shared_with(&self, folders: &[PathBuf]) -> bool {
        self.folders == folders && !self.is_over.load(Ordering::Relaxed)
    }

    /// Returns the files that were created or changed since the last call. `is_over` is true if no process of a command
    /// is left.
    pub(in crate::process) fn changes(&self, is_over: bool) -> Vec<AutorunChange> {
        self.is_over.store(is_over, Ordering::Relaxed);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Vec::new();
        let mut now = BTreeMap::new();
        for path in all_paths(&self.files, &self.folders) {
            let before = known.get(&path).copied();
            let state = match before {
                Some(before) if before.stat == stat_of(&path) => before,
                _ => State::read(&path, &self.hasher),
            };
            let is_changed = match before {
                None => !is_of_new_work_tree(&path),
                // Only a process outside can have changed a protected file.
                Some(before) => !before.is_protected && before.differs_from(&state),
            };
            if is_changed {
                changes.push(AutorunChange { path: path.clone(), is_new: before.is_none() });
            }
            now.insert(path, state);
        }
        *known = now;
        changes
    }
}

impl State {
    /// Reads the state of the file at `path`, through links.
    fn read(path: &Path, hasher: &RandomState) -> Self {
        let opened = Opened::through_links(path).ok();
        let content = opened.as_ref().and_then(|opened| content_of(opened).ok().flatten());
        let content = content.map(|content| hasher.hash_one(content));
        Self { stat: opened.map(|opened| opened.stat), content, is_protected: false }
    }

    fn differs_from(&self, other: &Self) -> bool {
        let is_same_content = self.content.is_some() && self.content == other.content;
        self.stat != other.stat && !is_same_content
    }
}

/// Returns the metadata of what `path` leads to.
fn stat_of(path: &Path) -> Option<Stat> {
    Opened::through_links(path).ok().map(|opened| opened.stat)
}

/// Returns the content of a small regular file.
fn content_of(opened: &Opened) -> io::Result<Option<Vec<u8>>> {
    if opened.stat.kind != FileKind::File || opened.stat.bytes > MAX_COMPARED_BYTES as u64 {
        return Ok(None);
    }
    first_bytes(&opened.file()?, MAX_COMPARED_BYTES).map(Some)
}

/// Returns the autorun files in `folders`; of an autorun folder its entries.
fn all_paths(files: &AutorunFiles, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    files.found_in(&folders).into_iter().flat_map(entries_of).collect()
}

/// Returns the entries of an autorun folder; for a file, or a folder with many entries, `path` itself.
fn entries_of(path: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(&path) else { return vec![path] };
    let entries: Vec<_> = entries.flatten().take(MAX_ENTRIES + 1).map(|entry| entry.path()).collect();
    if entries.len() > MAX_ENTRIES {
        return vec![path];
    }
    // git starts no sample of a hook.
    entries.into_iter().filter(|entry| entry.extension().is_none_or(|end| end != "sample")).collect()
}

/// True for a file that git itself makes for each new work tree.
fn is_of_new_work_tree(path: &Path) -> bool {
    let mut above = path.ancestors();
    above.any(|above| above.ends_with(super::GIT_WORK_TREES))
}
