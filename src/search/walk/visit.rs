//! The face of a search to the walk: the entries that it wants, and its visits.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::dir::{Dir, OpenDirs};
use crate::sys::{self, FileKind, Stat, below};

/// A search; each worker of a walk has one of its own.
pub(in crate::search) trait Visit {
    /// Something found, handed to the sink in order.
    type Found: Send;

    /// True if the walk's progress is the names that were looked at, false if it is the entries that were visited.
    const COUNTS_NAMES: bool;

    /// True if an entry is to be visited; `path` is relative to where the walk began.
    fn wants(&self, path: &[u8], kind: FileKind) -> bool;

    /// True if anything below a folder may be wanted.
    fn enters(&self, path: &[u8]) -> bool;

    /// Visits an entry, and passes what is found to `emit` until that breaks.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the entry can't be read, or [`Stopped`](crate::stop::Stopped) if the visit
    /// stopped before its end.
    fn visit(&mut self, entry: &mut Entry<'_, '_>, emit: &mut Emit<'_, Self::Found>) -> io::Result<()>;

    /// Bytes that something found holds beside itself.
    fn weight(found: &Self::Found) -> usize;
}

/// Something that a walk gives. Paths are relative to where it began.
#[derive(Debug)]
pub enum Walked<F> {
    /// Something that a visit found.
    Found(F),
    /// A file or folder that can't be read.
    Unreadable(Vec<u8>),
    /// A folder whose ignore rules were left aside.
    RulesLeftAside,
    /// The search stopped at its deadline. Everything up to this path, which has a `/` at the end if it is a folder,
    /// was passed on completely; `None` if nothing was. Results of later entries may follow.
    Stopped(Option<Vec<u8>>),
}

/// Takes what a visit finds; breaks where no more of it is wanted now.
pub(in crate::search) type Emit<'a, F> = dyn FnMut(F) -> ControlFlow<()> + 'a;

/// An entry that is visited.
pub(in crate::search) struct Entry<'a, 'w> {
    pub(super) dir: &'a Arc<Dir>,
    pub(super) index: usize,
    pub(super) open: &'a mut OpenDirs<'w>,
}

impl Entry<'_, '_> {
    /// Its kind, as the folder says.
    pub(in crate::search) fn kind(&self) -> FileKind {
        self.dir.entries.get(self.index).1
    }

    /// Its path, relative to where the walk began.
    pub(in crate::search) fn path(&self) -> Vec<u8> {
        self.dir.path(self.index)
    }

    /// Opens it for reading; `None` where it is gone, or no regular file any more.
    pub(in crate::search) fn open(&mut self) -> io::Result<Option<(File, Stat)>> {
        let (name, ..) = self.dir.entries.get(self.index);
        match self.open.get(self.dir).and_then(|folder| below::file(folder, name)) {
            Err(error) if sys::is_gone(&error) => Ok(None),
            opened => opened,
        }
    }

    /// Its status; of a link, the link's own.
    pub(in crate::search) fn stat(&mut self) -> io::Result<Stat> {
        let (name, ..) = self.dir.entries.get(self.index);
        below::stat(self.open.get(self.dir)?, name)
    }
}
