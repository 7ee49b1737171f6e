//! What one worker of a walk does: read a folder, visit some entries, and again.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::queue::{Key, Work};
use super::{GIT, ProgressUnit, Shared, Visit, lock};
use crate::fs::folder::{EntryKind, Listing, Reader, Task};
use crate::search::ignore_rules::{RuleFiles, Rules};
use crate::sys::{self, Folder, Stat, below};

/// Bytes that one piece of work may hold until its turn comes.
const PIECE_BYTES: usize = 1024 * 1024;

/// An entry that is visited.
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// What the folder says it is.
    pub kind: EntryKind,
    listing: &'a Arc<Listing>,
    root: &'a Folder,
    held: &'a mut OpenListing,
}

/// The folder that a worker opened last, with its listing.
type OpenListing = Option<(Arc<Listing>, Folder)>;

impl Entry<'_> {
    /// Its path, relative to where the walk began.
    pub fn path(&self) -> Vec<u8> {
        self.listing.join(self.name)
    }

    /// Opens it for reading; `None` where it is gone, or no regular file any more.
    pub fn open(&mut self) -> io::Result<Option<(std::fs::File, Stat)>> {
        let name = self.name;
        match self.folder().and_then(|folder| below::file(folder, name)) {
            Err(error) if sys::is_gone(&error) => Ok(None),
            opened => opened,
        }
    }

    /// What the system says of it; of a link itself.
    pub fn stat(&mut self) -> io::Result<Stat> {
        let name = self.name;
        below::stat(self.folder()?, name)
    }

    fn folder(&mut self) -> io::Result<&Folder> {
        if !self.held.as_ref().is_some_and(|(listing, _)| Arc::ptr_eq(listing, self.listing)) {
            let fd = below::folder(self.root, &self.listing.path)?;
            *self.held = Some((Arc::clone(self.listing), fd));
        }
        self.held.as_ref().map(|(_, folder)| folder).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// One worker.
pub(super) struct Worker<'a, V: Visit, S> {
    shared: &'a Shared<'a, V, S>,
    own: V::Worker,
    reader: Reader,
    held: OpenListing,
    path: Vec<u8>,
}

/// Stops everybody where a worker panics: the others would wait for what it had taken.
struct StopOnPanic<'a, V: Visit, S>(&'a Shared<'a, V, S>);

impl<V: Visit, S> Drop for StopOnPanic<'_, V, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.walk.stop.stop();
            let _queue = lock(&self.0.queue);
            self.0.news.notify_all();
        }
    }
}

impl<'a, V: Visit, S: FnMut(V::Found) -> ControlFlow<()>> Worker<'a, V, S> {
    pub(super) fn new(shared: &'a Shared<'a, V, S>) -> Self {
        let own = shared.visit.worker();
        Self { shared, own, reader: Reader::default(), held: None, path: Vec::new() }
    }

    /// Works until all is done.
    pub(super) fn run(&mut self) {
        while self.step().is_some() {}
    }

    /// Does the next thing there is to do; `None` when all is done.
    pub(super) fn step(&mut self) -> Option<()> {
        let shared = self.shared;
        let _guard = StopOnPanic(shared);
        let (key, work) = shared.next()?;
        match work {
            Work::Folder { path, rules } => self.read(key, &path, &rules),
            Work::Batch { listing, from, to } => self.visit_ahead(key, &listing, from, to),
            Work::Streamed { listing, from, to } => self.visit_at_front(key, &listing, from, to),
            Work::Entries { .. } => shared.finish(key, Vec::new(), 0, Some(work)),
        }
        Some(())
    }

    fn read(&mut self, key: Key, path: &[u8], rules: &Rules) {
        let shared = self.shared;
        match self.list(path.to_vec(), rules) {
            Ok((listing, rules)) => {
                let then = (!listing.is_empty()).then_some(Work::Entries { listing, from: 0, rules });
                shared.finish(key, Vec::new(), 0, then);
            }
            // Gone since its name was read: it is as if it had never been.
            Err(error) if sys::is_gone(&error) && !path.is_empty() => {
                shared.finish(key, Vec::new(), 0, None);
            }
            Err(_) => {
                let found = shared.visit.unreadable(path);
                let weight = shared.visit.weight(&found);
                shared.finish(key, vec![found], weight, None);
            }
        }
    }

    /// What is to be done in a folder, and the rules that hold below it.
    fn list(&mut self, path: Vec<u8>, rules: &Rules) -> io::Result<(Arc<Listing>, Rules)> {
        let visit = self.shared.visit;
        let fd = below::folder(self.shared.walk.root, &path)?;
        let mut all = Listing::new(path);
        let mut files = RuleFiles::default();
        self.reader.read(&fd, |name, kind| {
            files.see(name);
            if name != GIT {
                all.push(name, kind, &[Task::Visit]);
            }
        })?;
        self.count(ProgressUnit::Names, all.len());
        let rules = rules.within(&fd, &all.path, files);
        let mut listing = Listing::new(all.path.clone());
        self.path.clear();
        self.path.extend_from_slice(&all.path);
        if !all.path.is_empty() {
            self.path.push(b'/');
        }
        let folder_len = self.path.len();
        for index in 0..all.len() {
            let Some((name, kind, _)) = all.get(index) else { continue };
            self.path.truncate(folder_len);
            self.path.extend_from_slice(name);
            let enters = kind == EntryKind::Folder && visit.enters(&self.path);
            let tasks: &[Task] = match (visit.wants(&self.path, kind), enters) {
                (true, true) => &[Task::Visit, Task::Enter],
                (true, false) => &[Task::Visit],
                (false, true) => &[Task::Enter],
                (false, false) => continue,
            };
            if !rules.leave_out(&self.path, kind == EntryKind::Folder) {
                listing.push(name, kind, tasks);
            }
        }
        listing.sort();
        let listing = Arc::new(listing);
        self.held = Some((Arc::clone(&listing), fd));
        Ok((listing, rules))
    }

    /// Visits entries ahead of their turn. Where one gives more than may be held, it is left for the
    /// time when its results can be handed over as they come.
    fn visit_ahead(&mut self, key: Key, listing: &Arc<Listing>, from: usize, to: usize) {
        let shared = self.shared;
        let (mut found, mut weight) = (Vec::new(), 0);
        shared.visit.begin(&mut self.own);
        for index in from..to {
            let (kept, kept_weight) = (found.len(), weight);
            let mut overflows = false;
            self.visit(listing, index, &mut |one| {
                weight += shared.visit.weight(&one);
                found.push(one);
                overflows = weight > PIECE_BYTES;
                if overflows { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if overflows {
                found.truncate(kept);
                let rest = Work::Streamed { listing: Arc::clone(listing), from: index, to };
                return shared.finish(key, found, kept_weight, Some(rest));
            }
            if shared.walk.stop.is_stopped() {
                break;
            }
        }
        self.count(ProgressUnit::Visits, to - from);
        shared.finish(key, found, weight, None);
    }

    /// Visits entries whose turn it is: what they give goes straight to the sink.
    fn visit_at_front(&mut self, key: Key, listing: &Arc<Listing>, from: usize, to: usize) {
        let shared = self.shared;
        {
            let mut sink = lock(&shared.sink);
            shared.visit.begin(&mut self.own);
            for index in from..to {
                if shared.walk.stop.is_stopped() {
                    break;
                }
                self.visit(listing, index, &mut |one| {
                    if shared.walk.stop.is_stopped() {
                        return ControlFlow::Break(());
                    }
                    let flow = sink(one);
                    if flow.is_break() {
                        shared.walk.stop.stop();
                    }
                    flow
                });
            }
        }
        self.count(ProgressUnit::Visits, to - from);
        shared.finish(key, Vec::new(), 0, None);
    }

    fn visit(
        &mut self,
        listing: &Arc<Listing>,
        index: usize,
        emit: &mut dyn FnMut(V::Found) -> ControlFlow<()>,
    ) {
        let Some((name, kind, _)) = listing.get(index) else { return };
        let root = self.shared.walk.root;
        let mut entry = Entry { name, kind, listing, root, held: &mut self.held };
        self.shared.visit.visit(&mut self.own, &mut entry, emit);
    }

    fn count(&self, counted: ProgressUnit, number: usize) {
        let entries = if counted == V::PROGRESS_UNIT { number as u64 } else { 0 };
        let visited = self.shared.visited.fetch_add(entries, Ordering::Relaxed) + entries;
        (self.shared.walk.progress)(visited);
    }
}
