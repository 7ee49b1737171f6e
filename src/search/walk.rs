//! The walk of grep and find: in parallel, and in order.
//!
//! Results come by path, byte by byte per component, whatever the number of workers: a folder's
//! content stands where its name does. Workers read folders and visit entries ahead of the order;
//! what they find waits for its turn, and whoever completes the front hands over all that is ready
//! then. A sink that has enough stops everybody at once.
//!
//! Memory is bounded by how far ahead the workers may be (`queue`), descriptors by two for each
//! worker. Links are not followed, `.git` is never entered, nothing outside the folder is opened.

mod queue;
mod work;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::ignore_rules::Rules;
use crate::fs::folder::EntryKind;
use crate::sys::Folder;
use queue::{Next, Queue, Work};

pub use work::Entry;

/// The one name that is never searched or entered, whatever the rules.
pub const GIT: &[u8] = b".git";

/// What a search does with what a walk comes by. One visitor serves all workers.
pub trait Visit: Sync {
    /// What is found, handed to the sink in order.
    type Found: Send;
    /// What each worker has for itself: buffers, caches.
    type Worker;

    /// What the news of a walk count.
    const PROGRESS_UNIT: ProgressUnit;

    /// A worker begins.
    fn worker(&self) -> Self::Worker;

    /// Whether an entry is to be visited; `path` is relative to where the walk began.
    fn wants(&self, path: &[u8], kind: EntryKind) -> bool;

    /// Whether anything below a folder may be wanted.
    fn enters(&self, path: &[u8]) -> bool;

    /// A worker begins a run of consecutive entries.
    fn begin(&self, worker: &mut Self::Worker);

    /// Visits an entry, and gives what is found to `emit` until that breaks.
    fn visit(&self, worker: &mut Self::Worker, entry: &mut Entry<'_>, emit: &mut Emit<'_, Self::Found>);

    /// What is found where a folder can't be read.
    fn unreadable(&self, path: &[u8]) -> Self::Found;

    /// How many bytes something found holds.
    fn weight(&self, found: &Self::Found) -> usize;
}

/// What the news of a walk count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressUnit {
    /// Names that were looked at.
    Names,
    /// Entries that were visited.
    Visits,
}

/// Takes what a visit finds; breaks where no more of it is wanted now.
pub type Emit<'a, F> = dyn FnMut(F) -> ControlFlow<()> + 'a;

/// Tells all who work on a search that it is over.
#[derive(Debug, Default)]
pub struct Stop {
    enough: AtomicBool,
    cancel: CancellationToken,
}

impl Stop {
    /// One that also fires when the call is taken back.
    pub fn new(cancel: CancellationToken) -> Self {
        Self { enough: AtomicBool::new(false), cancel }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }

    /// Whether it is over.
    pub fn is_stopped(&self) -> bool {
        self.enough.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    /// Whether it is over because the call was taken back.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// A walk through a folder.
pub struct Walk<'a> {
    /// The folder.
    pub root: &'a Folder,
    /// The rules that leave entries out.
    pub rules: Rules,
    /// How many threads work on it, this one included.
    pub workers: usize,
    /// Ends it early.
    pub stop: &'a Stop,
    /// Is told now and then how far it is.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// What the workers of one walk share.
struct Shared<'a, V: Visit, S> {
    walk: &'a Walk<'a>,
    visit: &'a V,
    sink: Mutex<S>,
    queue: Mutex<Queue<V::Found>>,
    news: Condvar,
    visited: AtomicU64,
}

impl Walk<'_> {
    /// Visits what is below the folder and gives what is found to `sink`, in order, until that breaks.
    pub fn run<V: Visit>(&self, visit: &V, sink: impl FnMut(V::Found) -> ControlFlow<()> + Send) {
        let first = Work::Folder { path: Vec::new(), rules: self.rules.clone() };
        let shared = Shared {
            walk: self,
            visit,
            sink: Mutex::new(sink),
            queue: Mutex::new(Queue::new(first)),
            news: Condvar::new(),
            visited: AtomicU64::new(0),
        };
        let mut own = work::Worker::new(&shared);
        // A folder of a few files is done before another thread would have begun.
        own.step();
        own.step();
        if !lock(&shared.queue).has_pending() {
            own.run();
            return;
        }
        std::thread::scope(|scope| {
            for _ in 1..self.workers.max(1) {
                scope.spawn(|| work::Worker::new(&shared).run());
            }
            own.run();
        });
    }
}

impl<V: Visit, S: FnMut(V::Found) -> ControlFlow<()>> Shared<'_, V, S> {
    /// The next thing to do; waits for it. `None` when all is done.
    fn next(&self) -> Option<(queue::Key, Work)> {
        let mut queue = lock(&self.queue);
        loop {
            if self.walk.stop.is_stopped() {
                self.news.notify_all();
                return None;
            }
            match queue.next() {
                Next::Work(key, work) => {
                    self.wake_one(&queue);
                    return Some((key, work));
                }
                Next::Over => {
                    self.news.notify_all();
                    return None;
                }
                Next::Wait => {
                    queue.waiting += 1;
                    queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner);
                    queue.waiting -= 1;
                }
            }
        }
    }

    /// Ends a piece of work, and hands over what is ready then.
    fn finish(&self, key: queue::Key, found: Vec<V::Found>, weight: usize, then: Option<Work>) {
        let mut queue = lock(&self.queue);
        let was_full = queue.is_full();
        queue.finish(key, found, weight, then);
        if !queue.draining {
            queue.draining = true;
            while let Some(found) = queue.ready() {
                drop(queue);
                self.hand_over(found);
                queue = lock(&self.queue);
            }
            queue.draining = false;
        }
        // Whoever finishes goes on with what there is next; others are woken for what is left then.
        if was_full && !queue.is_full() {
            self.news.notify_all();
        } else {
            self.wake_one(&queue);
        }
    }

    fn wake_one(&self, queue: &Queue<V::Found>) {
        if queue.waiting > 0 && queue.has_pending() && !queue.is_full() {
            self.news.notify_one();
        }
    }

    fn hand_over(&self, found: Vec<V::Found>) {
        let mut sink = lock(&self.sink);
        for one in found {
            if self.walk.stop.is_stopped() {
                return;
            }
            if sink(one).is_break() {
                self.walk.stop.stop();
            }
        }
    }
}

/// A panic of another worker is told by that worker's thread; the data is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
