//! The folders that a walk has listed, and how their subfolders are opened.
//!
//! A listing ([`Dir`]) stores its position in its parent's listing instead of its path, so memory is proportional to
//! the size of the tree at any depth. A folder is opened relative to its parent if that is still open, otherwise to the
//! root.

use std::io;
use std::sync::{Arc, Weak};

use crate::fs::listing::Listing;
use crate::sys::{Folder, below};

/// What the walk does with an entry. A folder can have both tasks. Their order is that of the entries with the same
/// name, so a folder is visited before it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Passes it to the visitor.
    Visit,
    /// Enters the folder.
    Enter,
}

/// The position of an entry in the walk: the listing of its folder and its index there, or `None` for the root.
pub(super) type Position = Option<(Arc<Dir>, usize)>;

/// The listing of a folder: the entries that the walk visits or enters.
#[derive(Debug)]
pub(super) struct Dir {
    /// The position of the folder itself.
    pub(super) position: Position,
    pub(super) entries: Listing<Task>,
}

impl Drop for Dir {
    /// Drops the folders iteratively, because a deep tree would overflow the stack.
    fn drop(&mut self) {
        let mut above = self.position.take();
        while let Some((dir, _)) = above {
            above = Arc::into_inner(dir).and_then(|mut dir| dir.position.take());
        }
    }
}

impl Dir {
    /// Returns the path of an entry, relative to the root of the walk.
    pub(super) fn path(&self, index: usize) -> Vec<u8> {
        let own = self.entries.get(index).0;
        let above = ancestors(&self.position).map(|(dir, index)| dir.entries.get(*index).0);
        let mut names: Vec<&[u8]> = std::iter::once(own).chain(above).collect();
        names.reverse();
        names.join(&b'/')
    }
}

/// Returns the path of a folder, relative to the root of the walk. Empty for the root.
pub(super) fn path(position: &Position) -> Vec<u8> {
    position.as_ref().map_or_else(Vec::new, |(dir, index)| dir.path(*index))
}

/// Returns the path of the entry before a position in the order of the walk, or `None` for the first. The path of a
/// folder whose contents come before the position ends with `/`.
pub(super) fn path_before(position: &Position) -> Option<Vec<u8>> {
    let before = |(dir, index): &(Arc<Dir>, usize)| Some((Arc::clone(dir), index.checked_sub(1)?));
    let (dir, index) = ancestors(position).find_map(before)?;
    let mut path = dir.path(index);
    if dir.entries.get(index).2 == Task::Enter {
        path.push(b'/');
    }
    Some(path)
}

/// Returns the positions of a folder and of the folders above it, the nearest first.
fn ancestors(position: &Position) -> impl Iterator<Item = &(Arc<Dir>, usize)> {
    std::iter::successors(position.as_ref(), |(dir, _)| dir.position.as_ref())
}

/// The folders that a worker has open: the root and the last one. It does not keep the listing of the last one in
/// memory, because other workers may have finished with it.
#[derive(Debug)]
pub(super) struct OpenDirs<'a> {
    root: &'a Folder,
    latest: Option<(Weak<Dir>, Folder)>,
}

/// Returns true if `weak` refers to this listing. A new listing cannot have the same address, because `weak` keeps the
/// allocation.
fn is_of(weak: &Weak<Dir>, dir: &Arc<Dir>) -> bool {
    weak.as_ptr() == Arc::as_ptr(dir)
}

impl<'a> OpenDirs<'a> {
    /// Creates the state with only the root open.
    pub(super) fn new(root: &'a Folder) -> Self {
        Self { root, latest: None }
    }

    /// Keeps a folder open that was just listed.
    pub(super) fn keep(&mut self, dir: &Arc<Dir>, folder: Folder) {
        self.latest = Some((Arc::downgrade(dir), folder));
    }

    /// Returns the folder of a listing. Opens it, and keeps it open instead of the last one, if it is another one.
    pub(super) fn get(&mut self, dir: &Arc<Dir>) -> io::Result<&Folder> {
        let folder = match self.latest.take() {
            Some((latest, folder)) if is_of(&latest, dir) => folder,
            latest => {
                self.latest = latest;
                self.open(&dir.position)?
            }
        };
        Ok(&self.latest.insert((Arc::downgrade(dir), folder)).1)
    }

    /// Opens the folder at a position.
    pub(super) fn open(&self, position: &Position) -> io::Result<Folder> {
        let Some((dir, index)) = position else { return below::folder(self.root, b"") };
        match self.latest.as_ref().filter(|(latest, _)| is_of(latest, dir)) {
            Some((_, folder)) => below::folder(folder, dir.entries.get(*index).0),
            None => below::folder(self.root, &dir.path(*index)),
        }
    }
}
