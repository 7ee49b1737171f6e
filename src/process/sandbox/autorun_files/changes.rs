//! Finds the autorun files that commands created or changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::AutorunFiles;
use super::repositories::{MODULES, WORK_TREES};
use crate::fs::lines::first_bytes;
use crate::process::sandbox::can_be_protected;
use crate::sys::{FileKind, Opened, Stat};

/// Files above this size in bytes are compared by metadata only.
const MAX_COMPARED_BYTES: usize = 64 * 1024;
/// Maximum number of bytes that one comparison reads. Further files are compared by metadata only.
const MAX_READ_BYTES: usize = 4 * 1024 * 1024;
/// The content of `commondir` that git writes for a new work tree.
const COMMON_FOLDER: &[u8] = b"../..\n";
/// A folder with more entries is compared by its own metadata only.
const MAX_ENTRIES: usize = 256;

/// An autorun file that a command created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutorunChange {
    /// Its absolute path.
    pub path: PathBuf,
    /// True if it did not exist at the last comparison.
    pub is_new: bool,
}

/// The state of the autorun files at the last comparison, and at first before the first command that uses it started.
/// Commands that run at the same time with the same writable folders share it.
#[derive(Debug)]
pub(in crate::process) struct Baseline {
    files: Arc<AutorunFiles>,
    folders: Vec<PathBuf>,
    hasher: RandomState,
    known: Mutex<BTreeMap<PathBuf, State>>,
    /// True if no process of a command remained at the last comparison.
    is_over: AtomicBool,
}

/// The state of one file.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The metadata. `None` for a link without a target, or with a target outside the folders.
    stat: Option<Stat>,
    /// A hash of the content, or of the target of such a link. `None` for large and non-regular files.
    content: Option<u64>,
    /// True if commands could not write to the file.
    is_protected: bool,
}

impl Baseline {
    /// Reads the state of the autorun files in `folders`. If `can_mount`, commands can't write to those that exist.
    pub(in crate::process::sandbox) fn new(
        files: Arc<AutorunFiles>,
        folders: Vec<PathBuf>,
        can_mount: bool,
    ) -> Self {
        let hasher = RandomState::new();
        let mut known = read_states(&files, &folders, &hasher);
        let mounted = if can_mount { files.found_in(&as_paths(&folders)) } else { BTreeSet::new() };
        for (path, state) in &mut known {
            let is_mounted = path.ancestors().any(|above| mounted.contains(above));
            state.is_protected = is_mounted && can_be_protected(path);
        }
        Self { files, folders, hasher, known: Mutex::new(known), is_over: AtomicBool::new(false) }
    }

    /// Returns true if this baseline is for `folders` and processes may still change the files.
    pub(in crate::process::sandbox) fn is_shared_with(&self, folders: &[PathBuf]) -> bool {
        self.folders == folders && !self.is_over.load(Ordering::Relaxed)
    }

    /// Returns the files that were created or changed since the last call. Set `is_over` if no process of a command
    /// remains.
    pub(in crate::process) fn changes(&self, is_over: bool) -> Vec<AutorunChange> {
        self.is_over.store(is_over, Ordering::Relaxed);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = read_states(&self.files, &self.folders, &self.hasher);
        let change = |(path, state): (&PathBuf, &State)| {
            let before = known.get(path);
            let is_changed = match before {
                None => !self.is_of_new_work_tree(path, state),
                // Only a process outside the sandbox can have changed a protected file.
                Some(before) => !before.is_protected && before.differs_from(state),
            };
            is_changed.then(|| AutorunChange { path: path.clone(), is_new: before.is_none() })
        };
        let changes = now.iter().filter_map(change).collect();
        // A file that was replaced is no longer protected.
        let keep_protection = |(path, state): (PathBuf, State)| {
            let before = known.get(&path).filter(|before| !before.differs_from(&state)).copied();
            (path, before.unwrap_or(state))
        };
        *known = now.into_iter().map(keep_protection).collect();
        changes
    }

    /// Returns true for a new path that is not reported: everything in the folder of work trees, except a `commondir` with
    /// other content than git writes. Git creates these files for each new work tree.
    fn is_of_new_work_tree(&self, path: &Path, state: &State) -> bool {
        let leads_to_the_repository = || state.content == Some(self.hasher.hash_one(COMMON_FOLDER.to_vec()));
        is_below(path, WORK_TREES) && (!path.ends_with("commondir") || leads_to_the_repository())
    }
}

impl State {
    /// Reads the state of the file at `path`. Reads only files in `folders`, and at most `bytes_left` bytes.
    fn read(path: &Path, folders: &[PathBuf], hasher: &RandomState, bytes_left: &mut usize) -> Self {
        let opened = Opened::through_links(path).ok();
        let opened = opened.filter(|opened| folders.iter().any(|folder| opened.real.starts_with(folder)));
        let content = match &opened {
            Some(opened) => content_of(opened, bytes_left).ok().flatten(),
            None => fs::read_link(path).ok().map(|target| target.into_os_string().into_encoded_bytes()),
        };
        let content = content.map(|content| hasher.hash_one(content));
        Self { stat: opened.map(|opened| opened.stat), content, is_protected: false }
    }

    fn differs_from(&self, other: &Self) -> bool {
        match (self.content, other.content) {
            (Some(before), Some(after)) => before != after,
            _ => self.stat != other.stat,
        }
    }
}

/// Returns the content of a regular file, or `None` if it exceeds `bytes_left` or [`MAX_COMPARED_BYTES`].
fn content_of(opened: &Opened, bytes_left: &mut usize) -> io::Result<Option<Vec<u8>>> {
    let most = MAX_COMPARED_BYTES.min(*bytes_left);
    if opened.stat.kind != FileKind::File || opened.stat.bytes > most as u64 {
        return Ok(None);
    }
    let content = first_bytes(&opened.file()?, most)?;
    *bytes_left -= content.len();
    Ok(Some(content))
}

/// Reads the state of the autorun files in `folders`.
fn read_states(files: &AutorunFiles, folders: &[PathBuf], hasher: &RandomState) -> BTreeMap<PathBuf, State> {
    let mut bytes_left = MAX_READ_BYTES;
    let mut states = BTreeMap::new();
    for path in all_paths(files, folders) {
        let state = State::read(&path, folders, hasher, &mut bytes_left);
        states.insert(path, state);
    }
    states
}

/// Returns the autorun files in `folders`, and the entries of autorun folders.
fn all_paths(files: &AutorunFiles, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folders = as_paths(folders);
    files.found_in(&folders).into_iter().chain(files.found_in_nested(&folders)).flat_map(entries_of).collect()
}

fn as_paths(folders: &[PathBuf]) -> Vec<&Path> {
    folders.iter().map(PathBuf::as_path).collect()
}

/// Returns the entries of an autorun folder. Returns `path` itself for a file, for a folder with many entries, and for
/// the hooks of a submodule.
fn entries_of(path: PathBuf) -> Vec<PathBuf> {
    if is_below(&path, MODULES) || path.ends_with(WORK_TREES) {
        return vec![path];
    }
    let Ok(entries) = fs::read_dir(&path) else { return vec![path] };
    let entries: Vec<_> = entries.flatten().take(MAX_ENTRIES + 1).map(|entry| entry.path()).collect();
    if entries.len() > MAX_ENTRIES {
        return vec![path];
    }
    // git does not run sample hooks.
    entries.into_iter().filter(|entry| entry.extension().is_none_or(|end| end != "sample")).collect()
}

/// Returns true if `path` is a folder of that name or below one.
fn is_below(path: &Path, name: &str) -> bool {
    path.ancestors().any(|above| above.ends_with(name))
}
