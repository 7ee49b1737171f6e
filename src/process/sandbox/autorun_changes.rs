//! The changes of autorun files by commands and between them: each comparison finds those since the one before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use super::Sandbox;
use super::autorun_files::{AutorunFile, Kind, MAX_ENTRIES, first_entries};
use crate::fs::workspace::{Root, shown};
use crate::process::process_tree::Registry;
use cutline_core::notice::{FileChange, Names, Notice};
use cutline_core::text::show;

/// The device and the inode of an existing autorun file, and the time of its last change in seconds and nanoseconds; 0
/// for a git folder, also behind a link. A process cannot set this time, unlike that of the last modification. With
/// [`Kind::Contents`], the set also has those of the target of a link, and of the entries of a folder. Links among
/// these are not followed: resolving many takes long.
type FileState = BTreeSet<(u64, u64, i64, i64)>;

/// Returns the state of the file at `path`, or `None` if it is missing.
fn state_of(path: &Path, kind: Kind) -> Option<FileState> {
    let found = path.symlink_metadata().ok()?;
    let state = |of: Metadata| (of.dev(), of.ino(), of.ctime(), of.ctime_nsec());
    let which = |of: Metadata| if of.is_dir() { (of.dev(), of.ino(), 0, 0) } else { state(of) };
    Some(match kind {
        Kind::Git => path.metadata().into_iter().chain([found]).map(which).collect(),
        Kind::Link => [state(found)].into(),
        Kind::Contents => {
            let target = path.metadata().ok();
            let folder = target.iter().filter(|target| target.is_dir());
            let entries = folder.filter_map(|_| first_entries(path)).flatten().take(MAX_ENTRIES);
            let entries = entries.filter_map(|entry| entry.metadata().ok());
            entries.chain(target.clone()).chain([found]).map(state).collect()
        }
    })
}

/// Autorun files and their states by their paths. The state of a missing file is `None`.
type KnownFiles = BTreeMap<PathBuf, (Option<FileState>, AutorunFile)>;

/// The autorun files at the last comparison. All commands share them.
#[derive(Debug, Default)]
pub(super) struct Watched {
    roots: Vec<Root>,
    known: KnownFiles,
    /// The changes that no result has shown yet, by their paths.
    unshown: BTreeMap<PathBuf, AutorunChange>,
}

impl Sandbox {
    /// Prepares the comparison after a command for `roots`. If no process of `earlier` commands remains, or the roots
    /// differ, keeps the changes until now for the next result. Otherwise, these changes count as those of the commands
    /// that run.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if a file is unknown.
    pub(in crate::process) fn watch(&self, roots: &[Root], earlier: &Registry) -> io::Result<()> {
        let mut watched = self.watched();
        if earlier.is_idle() || watched.roots != roots {
            self.compare(&mut watched);
        }
        if watched.roots != roots {
            watched.known = self.known_files(roots)?;
            watched.roots = roots.to_vec();
        }
        // No result of an earlier command has shown these.
        watched.unshown.values_mut().for_each(|change| change.is_since_last = true);
        Ok(())
    }

    /// Returns the autorun files that were created or changed since the last comparison, and keeps them for the next
    /// result.
    ///
    /// Blocks the asynchronous thread while it looks at these few files, so that no command starts in the meantime.
    pub(in crate::process) fn keep_changes(&self) -> Vec<AutorunChange> {
        self.compare(&mut self.watched())
    }

    /// Returns the changes that no result has shown yet, for a result that shows them.
    pub fn take_changes(&self) -> Vec<AutorunChange> {
        std::mem::take(&mut self.watched().unshown).into_values().collect()
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the autorun files of a command for `roots` in their current state.
    fn known_files(&self, roots: &[Root]) -> io::Result<KnownFiles> {
        let mut files = self.find_autorun_files(roots)?;
        // The state of an autorun file replaces that of the same path as a link or a git folder.
        files.sort_by_key(|file| file.kind);
        let with_state = |file: AutorunFile| (file.path.clone(), (state_of(&file.path, file.kind), file));
        Ok(files.into_iter().map(with_state).collect())
    }

    fn compare(&self, watched: &mut Watched) -> Vec<AutorunChange> {
        // No command starts while a file is unknown. The others are compared.
        let now = self.known_files(&watched.roots).unwrap_or_else(|_unknown| {
            let files = watched.known.iter();
            let with_state = |(path, (_, file)): (&PathBuf, &(Option<FileState>, AutorunFile))| {
                (path.clone(), (state_of(path, file.kind), file.clone()))
            };
            files.map(with_state).collect()
        });
        let change = |(path, (before, file)): (&PathBuf, &(Option<FileState>, AutorunFile))| {
            // A link can have left the way to an autorun file.
            let state = now.get(path).map_or_else(|| state_of(path, file.kind), |(state, _)| state.clone());
            let change = if before.is_none() { FileChange::Created } else { FileChange::Changed };
            // A command cannot change a read-only file. A background process, the user, or a write to a hard link can.
            let is_since_last = self.is_read_only(file) && !file.is_behind_link;
            let is_change = state.is_some() && state != *before;
            is_change.then(|| AutorunChange { path: path.clone(), change, is_since_last })
        };
        let changes: Vec<_> = watched.known.iter().filter_map(change).collect();
        for change in &changes {
            let path = show::name(shown(&change.path));
            tracing::warn!("{path}, which starts programs outside the sandbox, was {}", change.change);
        }
        watched.unshown.extend(changes.iter().map(|change| (change.path.clone(), change.clone())));
        watched.known = now;
        changes
    }
}

/// An autorun file that was created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutorunChange {
    /// Its absolute path.
    pub path: PathBuf,
    /// Created if it did not exist at the last comparison.
    pub change: FileChange,
    /// True if it happened before the last command started, or if the file was read-only for commands.
    pub is_since_last: bool,
}

/// Returns the notices about `changes`. `show` formats a path.
pub fn notices(changes: &[AutorunChange], show: impl Fn(&Path) -> String) -> impl Iterator<Item = Notice> {
    let notice = |(is_since_last, change)| {
        let mut names = Names::default();
        for file in changes.iter().filter(|file| (file.is_since_last, file.change) == (is_since_last, change))
        {
            names.push(&show(&file.path));
        }
        (!names.is_empty()).then_some(Notice::AutorunFiles { change, is_since_last, names })
    };
    let [new, old] = [FileChange::Created, FileChange::Changed];
    [(true, new), (true, old), (false, new), (false, old)].map(notice).into_iter().flatten()
}
