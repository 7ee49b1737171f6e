//! Reading one folder: its names and what they are, without asking the system about each.

use std::io;
use std::ops::ControlFlow;

use crate::sys::{DirReader, FileKind, Folder};

/// Bytes of names that the kernel hands over at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// What an entry of a folder is. Links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A link, whatever it leads to.
    Link,
    /// A FIFO, socket or device.
    Other,
    /// A folder.
    Folder,
}

/// A buffer that folders are read through; each worker has its own.
#[derive(Debug)]
pub struct Reader(DirReader);

impl Default for Reader {
    fn default() -> Self {
        Self(DirReader::with_capacity(BUFFER_BYTES))
    }
}

impl Reader {
    /// Gives each entry of a folder to `take`, in no order; `.` and `..` are left out.
    pub fn read(&mut self, folder: &Folder, mut take: impl FnMut(&[u8], EntryKind)) -> io::Result<()> {
        self.0.read(folder, |name, kind| {
            take(name, kind_of(kind));
            ControlFlow::Continue(())
        })
    }
}

fn kind_of(kind: FileKind) -> EntryKind {
    match kind {
        FileKind::File => EntryKind::File,
        FileKind::Folder => EntryKind::Folder,
        FileKind::Link => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// The entries of one folder that a walk is to deal with, in its order.
#[derive(Debug, Default)]
pub struct Listing {
    /// The folder's path, relative to where the walk began; empty for that one itself.
    pub path: Vec<u8>,
    names: Vec<u8>,
    entries: Vec<Listed>,
}

/// An entry of a [`Listing`].
#[derive(Debug, Clone, Copy)]
struct Listed {
    /// The name's first bytes, so that most comparisons need no more.
    prefix: u64,
    start: usize,
    len: usize,
    kind: EntryKind,
    task: Task,
}

/// What a walk is to do with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Hand it to the visitor.
    Visit,
    /// Go into it; after it was visited itself, where it is to be.
    Enter,
}

impl Listing {
    /// An empty one.
    pub fn new(path: Vec<u8>) -> Self {
        Self { path, ..Self::default() }
    }

    /// Adds an entry and what is to be done with it.
    pub fn push(&mut self, name: &[u8], kind: EntryKind, tasks: &[Task]) {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        let prefix = prefix(name);
        let listed = |&task| Listed { prefix, start, len: name.len(), kind, task };
        self.entries.extend(tasks.iter().map(listed));
    }

    /// Puts the entries into the order of a walk: by the bytes of their names.
    pub fn sort(&mut self) {
        let names = &self.names;
        let name = |entry: &Listed| names.get(entry.start..entry.start + entry.len);
        self.entries.sort_unstable_by(|a, b| {
            let by_prefix = a.prefix.cmp(&b.prefix);
            by_prefix.then_with(|| name(a).cmp(&name(b))).then_with(|| a.task.cmp(&b.task))
        });
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name of an entry, what it is and what is to be done with it.
    pub fn get(&self, index: usize) -> Option<(&[u8], EntryKind, Task)> {
        let entry = self.entries.get(index)?;
        Some((self.names.get(entry.start..entry.start + entry.len)?, entry.kind, entry.task))
    }

    /// The path of an entry, relative to where the walk began.
    pub fn join(&self, name: &[u8]) -> Vec<u8> {
        join(&self.path, name)
    }
}

/// The first bytes of a name as a number that orders as they do.
pub fn prefix(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(name) {
        *to = *from;
    }
    u64::from_be_bytes(first)
}

/// `name` in the folder `path`, both relative to where a walk began.
pub fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(path.len() + 1 + name.len());
    joined.extend_from_slice(path);
    if !path.is_empty() {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}
