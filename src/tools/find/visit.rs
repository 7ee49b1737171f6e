//! Which entries of a walk find names.

use std::ops::ControlFlow;

use crate::fs::folder::EntryKind;
use crate::search::globs::Glob;
use crate::search::walk::{Emit, Entry, ProgressUnit, Visit};

use super::newest::Modified;
use super::{Kind, Sort};

/// Bytes of something found beside its path.
const OVERHEAD: usize = 64;

/// The entries that a call asks for.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) glob: Glob,
    pub(super) kind: Kind,
    pub(super) sort: Sort,
}

/// Something found.
#[derive(Debug)]
pub(super) enum Found {
    /// An entry that is asked for; a folder's path ends with `/`.
    Entry {
        path: Vec<u8>,
        /// When it was modified, where the order is by that.
        modified: Modified,
    },
    /// A folder that could not be read.
    Unreadable(Vec<u8>),
}

impl Visit for Named {
    type Found = Found;
    type Worker = ();
    const PROGRESS_UNIT: ProgressUnit = ProgressUnit::Names;

    fn worker(&self) {}

    fn wants(&self, path: &[u8], kind: EntryKind) -> bool {
        let wanted = match (self.kind, kind) {
            (Kind::Any, _) | (Kind::File, EntryKind::File | EntryKind::Link) => true,
            (Kind::File, EntryKind::Folder | EntryKind::Other) => false,
            (Kind::Dir, kind) => kind == EntryKind::Folder,
        };
        wanted && self.glob.names(path, kind == EntryKind::Folder)
    }

    fn enters(&self, path: &[u8]) -> bool {
        self.glob.reaches_into(path)
    }

    fn begin(&self, (): &mut ()) {}

    fn visit(&self, (): &mut (), entry: &mut Entry<'_>, emit: &mut Emit<'_, Found>) {
        let mut path = entry.path();
        if entry.kind == EntryKind::Folder {
            path.push(b'/');
        }
        let modified = match self.sort {
            Sort::Path => 0,
            // One that is gone by now is the oldest of all.
            Sort::Modified => entry.stat().map_or(i128::MIN, |stat| stat.modified),
        };
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = emit(Found::Entry { path, modified });
    }

    fn unreadable(&self, path: &[u8]) -> Found {
        Found::Unreadable(path.to_vec())
    }

    fn weight(&self, found: &Found) -> usize {
        let (Found::Entry { path, .. } | Found::Unreadable(path)) = found;
        OVERHEAD + path.len()
    }
}
