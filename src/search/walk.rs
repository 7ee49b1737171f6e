//! The parallel walk of `grep` and `find`, with results in path order.
//!
//! Results are sorted by path, component by component and byte by byte, whatever the number of workers. The contents of
//! a folder come at the position of its name. Workers read folders and visit entries ahead of this order; their results
//! wait in the queue. Only the calling thread gives results out, from the head of the queue. It stops at the first item
//! that no worker started before the deadline, or did not end within `HEAD_GRACE` after it: what it gave out is
//! complete up to a path, even if a worker is blocked in the system.
//!
//! The queue limits the bytes of waiting results (`queue`). The other memory is for the names in folders with pending
//! work, and in the folders above them. Each worker has at most six open descriptors: its last folder, the folder that
//! it enters, and up to four to reach the excludes of a repository. Links are not followed, and `.git` is never
//! entered. Outside the folder, only rule files of git and of the folders above are opened.

mod dir;
mod queue;
mod worker;

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use derive_more::{Add, AddAssign};

use super::ignore_rules::IgnoreRules;
use crate::blocking::Threads;
use crate::stop::Stop;
use crate::sys::{self, FileKind, Folder, Stat, below};
use dir::{Dir, OpenDirs};
use queue::{Item, Queue};
use worker::Worker;

/// Time after the deadline in which the worker at the head of the queue can still end its work. It is shorter than the
/// time for which a call waits for its work after the deadline (`tools::LATE_GRACE`).
const HEAD_GRACE: Duration = Duration::from_secs(1);
/// Maximum time between two checks whether the call was cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A walk through a folder.
pub struct Walk {
    /// The folder.
    pub root: Folder,
    /// The ignore rules.
    pub rules: IgnoreRules,
    /// Maximum number of threads that search. At least one does.
    pub workers: usize,
    /// The threads of the server. A worker that still works after the end of the walk counts as stuck.
    pub threads: Threads,
    /// Stops the walk early. The walk cancels it at its end, so it needs a token of its own.
    pub stop: Stop,
    /// Set once the walk lists a link.
    pub has_links: Arc<AtomicBool>,
    /// Called with the number of names listed since the previous call. It is 0 after each batch of visits, as a sign
    /// that the walk continues.
    pub progress: Box<dyn Fn(usize) + Send + Sync>,
}

/// A visitor: selects the entries of a walk, and searches them. Each worker has its own visitor.
pub(in crate::search) trait Visit: 'static {
    /// A result. The sink receives results in order.
    type Result: Send + 'static;

    /// Returns true if the walk visits an entry. `path` is relative to the root of the walk.
    fn wants(&self, path: &[u8], kind: FileKind) -> bool;

    /// Returns true if the walk enters a folder.
    fn enters(&self, path: &[u8]) -> bool;

    /// Visits an entry, and passes the results to `emit` until it breaks. Returns the number of bytes that were
    /// searched.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the entry can't be read, or [`Stopped`](crate::stop::Stopped) if the visit
    /// stopped before its end.
    fn visit(
        &mut self,
        entry: &mut Entry<'_, '_>,
        stop: &Stop,
        emit: &mut Emit<'_, Self::Result>,
    ) -> io::Result<u64>;

    /// Returns about how many bytes a result uses outside of its own structure.
    fn weight(found: &Self::Result) -> usize;
}

/// Receives the results of a visit. Breaks if no more are needed.
pub(in crate::search) type Emit<'a, F> = dyn FnMut(F) -> ControlFlow<()> + 'a;

/// An item for the sink. Paths are relative to the root of the walk.
#[derive(Debug)]
pub enum Walked<F> {
    /// A result of a visit.
    Found(F),
    /// A file or folder that can't be read.
    Unreadable(Vec<u8>),
    /// A folder whose ignore rules were skipped.
    RulesSkipped,
    /// A linked work tree of git inside the main one, whose entries the walk neither visits nor enters.
    WorkTree(Vec<u8>),
    /// All that the walk has searched, up to and including the next results. Before results, it does not depend on the
    /// workers. It is also given out now and then without results, and then depends on them.
    Searched(Searched),
    /// The deadline passed before the end of the walk. Only results of the entry after `complete` may follow. Results
    /// of that entry and later ones can also precede it, if there were too many to buffer.
    Late {
        /// Everything up to and including this path is complete. A folder whose contents are complete has a `/` at the
        /// end, and a folder that was only visited itself has none. `None` if nothing is complete.
        complete: Option<Vec<u8>>,
        /// True if such results follow. Those that precede it do not count.
        has_later: bool,
    },
}

/// How much a walk has searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Add, AddAssign)]
pub struct Searched {
    /// Number of listed names.
    pub names: u64,
    /// Number of visited entries: files in a search of contents, entries of any kind in a search of names.
    pub visited: u64,
    /// Number of searched bytes.
    pub bytes: u64,
}

/// An entry to visit.
pub(in crate::search) struct Entry<'a, 'w> {
    dir: &'a Arc<Dir>,
    index: usize,
    open: &'a mut OpenDirs<'w>,
}

impl Entry<'_, '_> {
    /// Returns the kind that the entry had when its folder was listed.
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

/// State that the workers of one walk share with the calling thread.
struct SharedWalk<V: Visit> {
    walk: Walk,
    /// Creates the visitor of each worker.
    new_visitor: Box<dyn Fn() -> V + Send + Sync>,
    queue: Mutex<Queue<Walked<V::Result>>>,
    /// Number of workers that wait for the queue to change.
    idle: AtomicUsize,
    /// Notified when a worker that waits may continue.
    work_changed: Condvar,
    /// Notified when the calling thread has something to do: the head of the queue can be given out, more workers can
    /// be started, or a worker has panicked.
    head_changed: Condvar,
}

/// The locked queue.
type QueueGuard<'a, V> = MutexGuard<'a, Queue<Walked<<V as Visit>::Result>>>;

impl Walk {
    /// Searches the tree below the folder. Each worker has its own visitor, which `new_visitor` creates. Passes the
    /// results to `sink` in order, on the calling thread, until `sink` breaks.
    ///
    /// # Panics
    ///
    /// Propagates the panic of a worker.
    pub(super) fn run<V: Visit>(
        self,
        new_visitor: impl Fn() -> V + Send + Sync + 'static,
        mut sink: impl FnMut(Walked<V::Result>) -> ControlFlow<()>,
    ) {
        if (0..self.rules.skipped_above).any(|_| sink(Walked::RulesSkipped).is_break()) {
            return;
        }
        let shared = Arc::new(SharedWalk {
            queue: Mutex::new(Queue::new()),
            walk: self,
            new_visitor: Box::new(new_visitor),
            idle: AtomicUsize::new(0),
            work_changed: Condvar::new(),
            head_changed: Condvar::new(),
        });
        let _ends_workers = EndOnDrop(&shared);
        give_out(&shared, &mut sink);
    }
}

/// Ends the workers, also if the sink or a worker panics.
struct EndOnDrop<'a, V: Visit>(&'a SharedWalk<V>);

impl<V: Visit> Drop for EndOnDrop<'_, V> {
    fn drop(&mut self) {
        self.0.walk.stop.cancel();
        self.0.work_changed.notify_all();
    }
}

/// Starts the workers, and gives the results at the head of the queue to `sink` until the walk ends.
fn give_out<V: Visit>(
    shared: &Arc<SharedWalk<V>>,
    sink: &mut impl FnMut(Walked<V::Result>) -> ControlFlow<()>,
) {
    let stop = &shared.walk.stop;
    let head_deadline = stop.extended(HEAD_GRACE).deadline();
    // While this has the handle of a worker, the worker does not count as stuck.
    let mut started: Vec<_> = worker::start(shared, 0).into_iter().collect();
    // If the system refuses to start a thread, the calling thread does the work between two results.
    let mut own = started.is_empty().then(|| Worker::new(shared, 0));
    shared.lock().never_waits = own.is_some();
    let mut last = Searched::default();
    while !stop.is_cancelled() {
        let mut queue = shared.lock();
        while own.is_none() && started.len() < shared.walk.workers && queue.has_pending() {
            let Ok(another) = worker::start(shared, started.len()) else { break };
            started.push(another);
        }
        if let Some(panic) = queue.panic.take() {
            drop(queue);
            std::panic::resume_unwind(panic);
        }
        let is_complete = queue.is_empty();
        let (searched, ready) = queue.take_ready(stop.deadline().has_passed(), head_deadline.has_passed());
        if let (Some(worker), None) = (&mut own, &ready) {
            drop(queue);
            worker.step();
        } else if ready.is_none() && !is_complete {
            let left = head_deadline.left().min(CHECK_INTERVAL);
            drop(shared.head_changed.wait_timeout(queue, left));
        } else {
            drop(queue);
        }
        let is_news = std::mem::replace(&mut last, searched) != searched;
        if is_news && sink(Walked::Searched(searched)).is_break() || is_complete {
            return;
        }
        let (position, found) = match ready {
            None => continue,
            Some(Item::Done { found, .. }) => (None, found),
            Some(Item::Unfinished(position, part)) => (Some(position), part),
            Some(Item::Running(_, position)) => (Some(position), Vec::new()),
            Some(Item::Pending(work)) => (Some(Some(work.position())), Vec::new()),
        };
        if shared.idle.load(Ordering::Relaxed) > 0 {
            shared.work_changed.notify_all();
        }
        let late = position.map(|position| Walked::Late {
            complete: dir::path_before(&position),
            has_later: !found.is_empty(),
        });
        let is_late = late.is_some();
        if late.into_iter().chain(found).any(|one| sink(one).is_break()) || is_late {
            return;
        }
    }
}

impl<V: Visit> SharedWalk<V> {
    /// Locks the queue. Ignores a panic of another worker, because the queue is consistent.
    fn lock(&self) -> QueueGuard<'_, V> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a worker may continue, or until it has to check whether the walk stops.
    fn wait_for_work<'a>(&self, queue: QueueGuard<'a, V>) -> QueueGuard<'a, V> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let waited = self.work_changed.wait_timeout(queue, CHECK_INTERVAL);
        self.idle.fetch_sub(1, Ordering::Relaxed);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests;
