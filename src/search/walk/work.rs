//! The workers of a walk and their shared state. A worker repeatedly lists a folder or visits some entries.
#![expect(clippy::indexing_slicing, reason = "paths for the rules start with their base")]

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Walk;
use super::dir::{self, Dir, OpenDirs, Position, Task};
use super::queue::{End, Item, Queue, Work};
use super::visit::{Entry, Visit, Walked};
use crate::fs::listing::{Listing, Order};
use crate::search::ignore_rules::{GIT, IgnoreRules, RuleFilesPresent};
use crate::stop::stopped_by;
use crate::sys::{self, FileKind, Folder};

/// Bytes of results of one piece of work from which its worker waits until it can pass them on.
const MAX_PIECE_RESULT_BYTES: usize = 1024 * 1024;
/// Size in bytes of the buffer for names from the kernel.
const BUFFER_BYTES: usize = 64 * 1024;
/// Maximum time to wait at the deadline for a worker that passes results to the sink.
const DRAINING_TIME: Duration = Duration::from_millis(500);

/// State that the workers of one walk share.
pub(super) struct Shared<V: Visit, S> {
    pub(super) walk: Walk,
    pub(super) sink: Mutex<S>,
    pub(super) queue: Mutex<Queue<Walked<V::Found>>>,
    /// For each worker, the results of its current piece of work.
    pub(super) found: Vec<Mutex<Vec<Walked<V::Found>>>>,
    /// Notified when workers that wait for work may continue.
    pub(super) work_available: Condvar,
    /// Notified when another piece of work may have become the head of the queue.
    pub(super) head_changed: Condvar,
}

impl<V: Visit, S: FnMut(Walked<V::Found>) -> ControlFlow<()>> Shared<V, S> {
    pub(super) fn new(walk: Walk, sink: S) -> Self {
        let found = (0..walk.workers.max(1)).map(|_| Mutex::default()).collect();
        let (sink, queue) = (Mutex::new(sink), Mutex::new(Queue::new(0)));
        Self { walk, sink, queue, found, work_available: Condvar::new(), head_changed: Condvar::new() }
    }

    /// Waits for the next piece of work for a worker. Returns `None` when the walk is complete or must stop.
    pub(super) fn next(&self, worker: usize) -> Option<Work> {
        let mut queue = lock(&self.queue);
        while self.walk.stop.check().is_ok() && !queue.is_empty() {
            if let Some(next) = queue.next(worker) {
                // Each worker that continues wakes another one if there is pending work.
                if queue.waiting_for_work > 0 && queue.has_pending() && !queue.is_full() {
                    self.work_available.notify_one();
                }
                return Some(next);
            }
            queue.waiting_for_work += 1;
            queue = self.wait(&self.work_available, queue);
            queue.waiting_for_work -= 1;
        }
        self.work_available.notify_all();
        self.head_changed.notify_all();
        None
    }

    /// Waits for a change, or until the deadline. A cancellation does not end the wait: waiting workers continue when
    /// another one ends its work.
    fn wait<'a, T>(&self, change: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let left = self.walk.stop.deadline().left().unwrap_or(Duration::MAX);
        change.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends a worker's piece of work, and passes all results that are ready to the sink.
    fn finish(&self, worker: usize, found: Vec<Walked<V::Found>>, end: End<Walked<V::Found>>) {
        let bytes = found.iter().map(Self::weight).sum();
        let mut queue = lock(&self.queue);
        queue.finish(worker, found, bytes, end);
        if !queue.draining {
            queue.draining = true;
            while let Some(found) = queue.ready() {
                drop(queue);
                let _flow = self.give(found); // a break has stopped the walk
                queue = lock(&self.queue);
            }
            queue.draining = false;
        }
        self.head_changed.notify_all();
    }

    /// Passes results to the sink, and stops the walk if the sink breaks.
    fn give(&self, found: Vec<Walked<V::Found>>) -> ControlFlow<()> {
        let mut sink = lock(&self.sink);
        for one in found {
            if self.walk.stop.is_cancelled() || sink(one).is_break() {
                self.walk.stop.cancel();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Waits until a worker's piece of work is the head of the queue, and then passes its results so far to the sink.
    /// This ends, because the worker of the head does not wait for work, and a worker that ends its work continues with
    /// the first pending item. Breaks if the walk stops; the results then stay in `found`.
    fn give_in_turn(&self, worker: usize) -> ControlFlow<()> {
        let mut queue = lock(&self.queue);
        while !queue.may_pass_on(worker) {
            if self.walk.stop.check().is_err() {
                return ControlFlow::Break(());
            }
            queue = self.wait(&self.head_changed, queue);
        }
        queue.draining = true;
        drop(queue);
        let flow = self.give(self.take_found(worker));
        lock(&self.queue).draining = false;
        self.head_changed.notify_all();
        flow
    }

    fn take_found(&self, worker: usize) -> Vec<Walked<V::Found>> {
        self.found.get(worker).map_or_else(Vec::new, |found| std::mem::take(&mut *lock(found)))
    }

    /// Passes the results that are still in the queue to the sink: none, unless the deadline stopped the walk. A
    /// [`Walked::Stopped`] precedes the results after an incomplete entry. Then ends the walk. Waits at most
    /// [`DRAINING_TIME`] until no worker passes on results, because the flag can stay set after a panic. If a worker has
    /// locked the sink, also waits for the end of its batch.
    pub(super) fn conclude(&self) {
        let is_draining = |queue: &mut Queue<_>| queue.draining;
        let waited = self.head_changed.wait_timeout_while(lock(&self.queue), DRAINING_TIME, is_draining);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        // From now on, no other thread starts to pass on results. One that does so now completes its batch first,
        // because it has locked the sink.
        queue.draining = true;
        let items = queue.take_all();
        drop(queue);
        let mut is_complete = true;
        for item in items {
            let (found, unfinished) = match item {
                Item::Found { found, .. } => (found, None),
                Item::Running(worker, position) => (self.take_found(worker), Some(position)),
                Item::Pending(work) => (Vec::new(), Some(work.position())),
                Item::Unfinished(position) => (Vec::new(), Some(position)),
            };
            if let Some(position) = unfinished.filter(|_| is_complete) {
                is_complete = false;
                let _flow = self.give(vec![Walked::Stopped(dir::path_before(&position))]); // the walk ends anyway
            }
            let _flow = self.give(found); // the walk ends anyway
        }
        self.walk.stop.cancel();
        self.work_available.notify_all();
        self.head_changed.notify_all();
    }

    /// Returns the number of bytes that a result uses until its turn.
    fn weight(one: &Walked<V::Found>) -> usize {
        let of_it = match one {
            Walked::Found(found) => V::weight(found),
            Walked::Unreadable(path) => path.len(),
            Walked::RulesSkipped | Walked::Stopped(_) => 0,
        };
        size_of::<Walked<V::Found>>() + of_it
    }
}

/// Locks. Ignores a panic of another worker: that worker's thread reports it, and the data is consistent. Only
/// [`Queue::draining`] can stay true, so `conclude` waits for it only for a limited time.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker of a walk.
pub(super) struct Worker<'a, V: Visit, S> {
    shared: &'a Shared<V, S>,
    /// The index of the worker.
    id: usize,
    visitor: V,
    /// The buffer for the names of a folder.
    buffer: Vec<u8>,
    open: OpenDirs<'a>,
    /// The path of a folder with a `/` at the end, followed by the name of an entry. It starts with the base of the
    /// ignore rules: it is absolute, or relative to the root of the walk if there are no rules.
    path: Vec<u8>,
    /// Length of the folder's path, including the `/`.
    path_len: usize,
}

impl<V: Visit, S> Drop for Worker<'_, V, S> {
    /// Stops all workers if one panics, because they would wait for its work.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.walk.stop.cancel();
            let _guard = lock(&self.shared.queue);
            self.shared.work_available.notify_all();
            self.shared.head_changed.notify_all();
        }
    }
}

impl<'a, V: Visit, S: FnMut(Walked<V::Found>) -> ControlFlow<()>> Worker<'a, V, S> {
    pub(super) fn new(shared: &'a Shared<V, S>, visitor: V, id: usize) -> Self {
        Self {
            shared,
            id,
            visitor,
            buffer: Vec::with_capacity(BUFFER_BYTES),
            open: OpenDirs::new(&shared.walk.root),
            path: Vec::new(),
            path_len: 0,
        }
    }

    /// Works until the walk is complete.
    pub(super) fn run(mut self) {
        while let Some(work) = self.shared.next(self.id) {
            self.work(work);
        }
    }

    /// Processes a piece of work.
    pub(super) fn work(&mut self, Work { dir, range, rules }: Work) {
        if dir.entries.get(range.start).2 == Task::Enter {
            self.enter(&Some((dir, range.start)), rules);
        } else {
            self.visit(&dir, range);
        }
    }

    /// Enters a folder: lists it, and makes its entries pending work.
    pub(super) fn enter(&mut self, position: &Position, rules: IgnoreRules) {
        let mut found = Vec::new();
        let end = match self.list(position.clone(), rules, &mut found) {
            Ok(work) => End::LeadsTo(work),
            // The folder was removed or replaced after its name was read. It is treated as if it never existed.
            Err(error) if sys::is_gone(&error) && position.is_some() => End::Complete,
            Err(error) if stopped_by(&error).is_some() => End::Unfinished(position.clone(), Vec::new()),
            Err(_) => {
                found.push(Walked::Unreadable(dir::path(position)));
                End::Complete
            }
        };
        self.shared.finish(self.id, found, end);
    }

    /// Returns the work in a folder. Adds the items that precede its entries to `found`.
    fn list(
        &mut self,
        position: Position,
        mut rules: IgnoreRules,
        found: &mut Vec<Walked<V::Found>>,
    ) -> io::Result<Work> {
        self.path = [self.shared.walk.rules.base(), &dir::path(&position)].concat();
        if position.is_some() {
            self.path.push(b'/');
        }
        self.path_len = self.path.len();
        let folder = self.open.open(&position)?;
        let mut entries = Listing::new(Order::Bytes);
        let (names, files) = self.add_tasks(&folder, &mut entries)?;
        (self.shared.walk.progress)(names);
        found.extend(rules.enter(&folder, self.path_len, files).then_some(Walked::RulesSkipped));
        entries.retain(|name, kind| {
            self.path.truncate(self.path_len);
            self.path.extend_from_slice(name);
            !rules.ignores(&self.path, kind == FileKind::Folder)
        });
        entries.sort(usize::MAX);
        let dir = Arc::new(Dir { position, entries });
        self.open.keep(&dir, folder);
        Ok(Work::new(dir, rules))
    }

    /// Adds the tasks for the entries of a folder to `entries`. Returns the number of names in the folder, and its rule
    /// files.
    fn add_tasks(
        &mut self,
        folder: &Folder,
        entries: &mut Listing<Task>,
    ) -> io::Result<(usize, RuleFilesPresent)> {
        let (walk, visitor) = (&self.shared.walk, &self.visitor);
        let base_len = walk.rules.base().len();
        let (path, path_len) = (&mut self.path, self.path_len);
        let (mut names, mut files) = (0, RuleFilesPresent::default());
        let mut stopped = Ok(());
        sys::each_name(folder, &mut self.buffer, |name, kind| {
            files.see(name);
            if name == GIT {
                return ControlFlow::Continue(());
            }
            names += 1;
            path.truncate(path_len);
            path.extend_from_slice(name);
            let path_in_walk = &path[base_len..];
            if visitor.wants(path_in_walk, kind) {
                entries.push(name, kind, Task::Visit);
            }
            if kind == FileKind::Folder && visitor.enters(path_in_walk) {
                entries.push(name, kind, Task::Enter);
            }
            if names % 4096 == 0 {
                stopped = walk.stop.check();
            }
            if stopped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        stopped?;
        Ok((names, files))
    }

    /// Visits entries.
    fn visit(&mut self, dir: &Arc<Dir>, range: Range<usize>) {
        let mut piece =
            Piece { shared: self.shared, worker: self.id, weight: 0, count: 0, complete: 0, stopped: false };
        let (mut end, stop) = (End::Complete, &self.shared.walk.stop);
        for index in range {
            piece.complete = piece.count;
            let mut entry = Entry { dir, index, open: &mut self.open };
            let mut visited =
                self.visitor.visit(&mut entry, stop, &mut |found| piece.emit(Walked::Found(found)));
            if visited.as_ref().is_err_and(|error| stopped_by(error).is_none()) {
                let _flow = piece.emit(Walked::Unreadable(entry.path())); // nothing of it follows
                visited = Ok(());
            }
            if visited.is_err() || piece.stopped {
                end = End::Unfinished(Some((Arc::clone(dir), index)), Vec::new());
                break;
            }
        }
        let mut found = self.shared.take_found(self.id);
        if let End::Unfinished(_, part) = &mut end {
            *part = found.split_off(piece.complete.min(found.len()));
        }
        (self.shared.walk.progress)(0); // no names, but a sign that the walk continues
        self.shared.finish(self.id, found, end);
    }
}

/// The results of a worker's current piece of work. They are in `Shared::found`, so that another thread can take them
/// at the deadline even if the worker is blocked in the system.
struct Piece<'a, V: Visit, S> {
    shared: &'a Shared<V, S>,
    worker: usize,
    /// The number of bytes of the results.
    weight: usize,
    /// The number of results.
    count: usize,
    /// The number of results that belong to complete entries.
    complete: usize,
    /// True if the results could not be passed on because the walk stops.
    stopped: bool,
}

impl<V: Visit, S: FnMut(Walked<V::Found>) -> ControlFlow<()>> Piece<'_, V, S> {
    /// Adds a result. If the results exceed the buffer limit, waits for the turn of this piece and passes them on.
    fn emit(&mut self, one: Walked<V::Found>) -> ControlFlow<()> {
        self.weight += Shared::<V, S>::weight(&one);
        self.count += 1;
        if let Some(found) = self.shared.found.get(self.worker) {
            lock(found).push(one);
        }
        if self.weight <= MAX_PIECE_RESULT_BYTES {
            return ControlFlow::Continue(());
        }
        let flow = self.shared.give_in_turn(self.worker);
        self.stopped = flow.is_break();
        if flow.is_continue() {
            (self.weight, self.count, self.complete) = (0, 0, 0);
        }
        flow
    }
}
