//! The workers of a walk, and their shared state. A worker reads a folder, visits some entries, and again.
#![expect(clippy::indexing_slicing, reason = "the paths that the rules take begin with their base")]

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::Walk;
use super::dir::{self, Dir, OpenDirs, Position, Task};
use super::queue::{Queue, Work};
use super::visit::{Entry, Visit, Walked};
use crate::fs::listing::{Listing, Order};
use crate::search::ignore_rules::{GIT, RuleFilesPresent, Rules};
use crate::sys::{self, FileKind, Folder};

/// Bytes that one piece of work may hold until its turn comes.
const PIECE_BYTES: usize = 1024 * 1024;
/// Bytes of names that the kernel returns at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// State shared by the workers of one walk.
pub(super) struct Shared<'a, V: Visit, S> {
    pub(super) walk: &'a Walk,
    pub(super) sink: Mutex<S>,
    pub(super) queue: Mutex<Queue<Walked<V::Found>>>,
    /// Notified when workers that wait for work may go on.
    pub(super) changed: Condvar,
    /// Notified when the front may be another piece of work, whose turn it is then.
    pub(super) turn: Condvar,
}

impl<V: Visit, S: FnMut(Walked<V::Found>) -> ControlFlow<()>> Shared<'_, V, S> {
    /// The next piece of work for a worker; waits for it. `None` when all is done.
    fn next(&self, worker: usize) -> Option<Work> {
        let mut queue = lock(&self.queue);
        while !self.is_stopped() && !queue.is_empty() {
            if let Some(next) = queue.next(worker) {
                // Each worker that goes on wakes another, as long as there is something for it.
                if queue.waiting > 0 && queue.has_pending() && !queue.is_full() {
                    self.changed.notify_one();
                }
                return Some(next);
            }
            queue.waiting += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
        }
        self.changed.notify_all();
        self.turn.notify_all();
        None
    }

    fn is_stopped(&self) -> bool {
        self.walk.stop.is_cancelled()
    }

    /// Ends the work of a worker, which goes on with the next, and hands over what is ready then.
    fn finish(&self, worker: usize, found: Vec<Walked<V::Found>>, then: Option<Work>) {
        let bytes = found.iter().map(Self::weight).sum();
        let mut queue = lock(&self.queue);
        queue.finish(worker, found, bytes, then);
        if !queue.draining {
            queue.draining = true;
            while let Some(found) = queue.ready() {
                drop(queue);
                let _flow = self.give(found); // the walk is stopped
                queue = lock(&self.queue);
            }
            queue.draining = false;
        }
        self.turn.notify_all();
    }

    /// Gives what was found to the sink, and stops the walk where that breaks.
    fn give(&self, found: Vec<Walked<V::Found>>) -> ControlFlow<()> {
        let mut sink = lock(&self.sink);
        for one in found {
            if self.is_stopped() || sink(one).is_break() {
                self.walk.stop.cancel();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Gives what a worker has found so far, once its turn has come. Whoever works on what is before it does not
    /// wait, since workers take the front-most work first.
    fn give_in_turn(&self, worker: usize, found: Vec<Walked<V::Found>>) -> ControlFlow<()> {
        let is_early = |queue: &mut Queue<_>| !queue.is_at_front(worker) && !self.is_stopped();
        drop(self.turn.wait_while(lock(&self.queue), is_early));
        self.give(found)
    }

    /// Bytes that something holds until its turn comes.
    fn weight(one: &Walked<V::Found>) -> usize {
        let of_it = match one {
            Walked::Found(found) => V::weight(found),
            Walked::Unreadable(path) => path.len(),
            Walked::RulesLeftAside => 0,
        };
        size_of::<Walked<V::Found>>() + of_it
    }
}

/// Locks. A panic of another worker is reported by that worker's thread; the data is whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker.
pub(super) struct Worker<'a, V: Visit, S> {
    shared: &'a Shared<'a, V, S>,
    /// Its number among the workers.
    id: usize,
    search: V,
    /// The names of a folder come through it.
    buffer: Vec<u8>,
    open: OpenDirs<'a>,
    /// The folder whose path `path` begins with; `None` where that folder could not be listed.
    listed: Option<Weak<Dir>>,
    /// A folder's path with a `/` after it, as the rules take it, and then the name of one entry or another.
    path: Vec<u8>,
    /// Length of that folder's path with the `/`.
    path_len: usize,
}

impl<V: Visit, S> Drop for Worker<'_, V, S> {
    /// Stops all workers where one panics: the others would wait for what it had taken.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.walk.stop.cancel();
            let _guard = lock(&self.shared.queue);
            self.shared.changed.notify_all();
            self.shared.turn.notify_all();
        }
    }
}

impl<'a, V: Visit, S: FnMut(Walked<V::Found>) -> ControlFlow<()>> Worker<'a, V, S> {
    pub(super) fn new(shared: &'a Shared<'a, V, S>, search: V, id: usize) -> Self {
        Self {
            shared,
            id,
            search,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            open: OpenDirs::new(&shared.walk.root),
            listed: None,
            path: Vec::new(),
            path_len: 0,
        }
    }

    /// Works until all is done.
    pub(super) fn run(mut self) {
        while self.step().is_some() {}
    }

    /// Does the next piece of work; `None` when all is done.
    pub(super) fn step(&mut self) -> Option<()> {
        let Work { dir, range, rules } = self.shared.next(self.id)?;
        if dir.entries.get(range.start).2 == Task::Enter {
            self.read(&Some((dir, range.start)), rules);
        } else {
            self.visit(&dir, range);
        }
        Some(())
    }

    /// Lists a folder, and leaves its entries as work.
    pub(super) fn read(&mut self, position: &Position, rules: Rules) {
        let (mut found, mut then) = (Vec::new(), None);
        match self.list(position.clone(), rules, &mut found) {
            Ok(work) => then = Some(work),
            // Gone since its name was read: it is as if it had never been.
            Err(error) if sys::is_gone(&error) && position.is_some() => {}
            Err(_) => found.push(Walked::Unreadable(dir::path(position))),
        }
        self.shared.finish(self.id, found, then);
    }

    /// Lists what is to be done in a folder; `found` takes what is to be said before its entries.
    fn list(
        &mut self,
        position: Position,
        mut rules: Rules,
        found: &mut Vec<Walked<V::Found>>,
    ) -> io::Result<Work> {
        self.set_folder_path(&position);
        let folder = self.open.open(&position)?;
        let mut entries = Listing::new(Order::Bytes);
        let (names, files) = self.each_task(&folder, &mut entries)?;
        // Also without anything to count: it shows that the walk continues.
        (self.shared.walk.progress)(if V::COUNTS_NAMES { names } else { 0 });
        found.extend(rules.enter(&folder, self.path_len, files).then_some(Walked::RulesLeftAside));
        entries.sort(usize::MAX);
        entries.retain(|name, kind| {
            self.path.truncate(self.path_len);
            self.path.extend_from_slice(name);
            !rules.ignores(&self.path, kind == FileKind::Folder)
        });
        let dir = Arc::new(Dir { position, entries });
        self.open.keep(&dir, folder);
        self.listed = Some(Arc::downgrade(&dir));
        Ok(Work::new(dir, rules))
    }

    /// Adds each task in a folder to `entries`. Returns the number of the folder's names, and its rule files.
    fn each_task(
        &mut self,
        folder: &Folder,
        entries: &mut Listing<Task>,
    ) -> io::Result<(usize, RuleFilesPresent)> {
        let (walk, search) = (self.shared.walk, &self.search);
        let base_len = walk.rules.base().len();
        let (path, path_len) = (&mut self.path, self.path_len);
        let (mut names, mut files) = (0, RuleFilesPresent::default());
        sys::each_name(folder, &mut self.buffer, |name, kind| {
            files.see(name);
            if name == GIT {
                return ControlFlow::Continue(());
            }
            names += 1;
            path.truncate(path_len);
            path.extend_from_slice(name);
            let below_base = &path[base_len..];
            if search.wants(below_base, kind) {
                entries.push(name, kind, Task::Visit);
            }
            if kind == FileKind::Folder && search.enters(below_base) {
                entries.push(name, kind, Task::Enter);
            }
            if names % 4096 == 0 && walk.stop.is_cancelled() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok((names, files))
    }

    /// Sets `path` to a folder's path with a `/` after it. Nothing is listed until the folder is.
    fn set_folder_path(&mut self, position: &Position) {
        match (position, self.listed.take()) {
            (Some((above, index)), Some(listed)) if dir::is_of(&listed, above) => {
                self.path.truncate(self.path_len);
                self.path.extend_from_slice(above.entries.get(*index).0);
            }
            _ => self.path = [self.shared.walk.rules.base(), &dir::path(position)].concat(),
        }
        if position.is_some() {
            self.path.push(b'/');
        }
        self.path_len = self.path.len();
    }

    /// Visits entries. Where they give more than may be held ahead of their turn, that is waited for.
    fn visit(&mut self, dir: &Arc<Dir>, range: Range<usize>) {
        let (shared, id) = (self.shared, self.id);
        let (mut found, mut weight) = (Vec::new(), 0);
        let mut emit = |one| {
            weight += Shared::<V, S>::weight(&one);
            found.push(one);
            if weight <= PIECE_BYTES {
                return ControlFlow::Continue(());
            }
            weight = 0;
            shared.give_in_turn(id, std::mem::take(&mut found))
        };
        for index in range.clone().take_while(|_| !shared.is_stopped()) {
            let mut entry = Entry { dir, index, open: &mut self.open };
            let mut emit_found = |found| emit(Walked::Found(found));
            if self.search.visit(&mut entry, &mut emit_found).is_err() {
                let _either = emit(Walked::Unreadable(entry.path())); // nothing of it follows
            }
        }
        (shared.walk.progress)(if V::COUNTS_NAMES { 0 } else { range.len() });
        shared.finish(id, found, None);
    }
}
