//! The interface between a walk and a search: the visitor of the search, the entries that it visits, and its results.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::dir::{Dir, OpenDirs};
use crate::stop::Stop;
use crate::sys::{self, FileKind, Stat, below};

/// A visitor: selects the entries of a walk, and searches them. Each worker has its own visitor.
pub(in crate::search) trait Visit {
    /// A result. The sink receives results in order.
    type Found: Send;

    /// Returns true if the walk visits an entry. `path` is relative to the root of the walk.
    fn wants(&self, path: &[u8], kind: FileKind) -> bool;

    /// Returns true if the walk enters a folder.
    fn enters(&self, path: &[u8]) -> bool;

    /// Visits an entry, and passes the results to `emit` until it breaks.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the entry can't be read, or [`Stopped`](crate::stop::Stopped) if the visit
    /// stopped before its end.
    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, Self::Found>,
    ) -> io::Result<()>;

    /// Returns about how many bytes a result uses outside of its own structure.
    fn weight(found: &Self::Found) -> usize;
}

/// An item for the sink. Paths are relative to the root of the walk.
#[derive(Debug)]
pub enum Walked<F> {
    /// A result of a visit.
    Found(F),
    /// A file or folder that can't be read.
    Unreadable(Vec<u8>),
    /// A folder whose ignore rules were skipped.
    RulesSkipped,
    /// The search stopped at its deadline. Everything up to and including this path is complete. A folder whose
    /// contents are complete has a `/` at the end, and a folder that was only visited itself has none. `None` if
    /// nothing is complete. Results of later entries may follow.
    Stopped(Option<Vec<u8>>),
}

/// Receives the results of a visit. Breaks if no more are needed.
pub(in crate::search) type Emit<'a, F> = dyn FnMut(F) -> ControlFlow<()> + 'a;

/// An entry to visit.
pub(in crate::search) struct Entry<'a, 'w> {
    pub(super) dir: &'a Arc<Dir>,
    pub(super) index: usize,
    pub(super) open: &'a mut OpenDirs<'w>,
}

impl Entry<'_, '_> {
    /// Returns the kind from the listing of the folder.
    pub(in crate::search) fn kind(&self) -> FileKind {
        self.dir.entries.get(self.index).1
    }

    /// Returns the path, relative to the root of the walk.
    pub(in crate::search) fn path(&self) -> Vec<u8> {
        self.dir.path(self.index)
    }

    /// Opens the entry for reading. Returns `None` if it no longer exists or is not a regular file.
    pub(in crate::search) fn open(&mut self) -> io::Result<Option<(File, Stat)>> {
        let (name, ..) = self.dir.entries.get(self.index);
        match self.open.get(self.dir).and_then(|folder| below::file(folder, name)) {
            Err(error) if sys::is_gone(&error) => Ok(None),
            opened => opened,
        }
    }

    /// Returns the metadata of the entry. Does not follow a link.
    pub(in crate::search) fn stat(&mut self) -> io::Result<Stat> {
        let (name, ..) = self.dir.entries.get(self.index);
        below::stat(self.open.get(self.dir)?, name)
    }
}
