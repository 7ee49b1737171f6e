//! The walk of grep and find: in parallel, and in order.
//!
//! Results come by path, byte by byte per component, whatever the number of workers: a folder's
//! content stands where its name does. Workers read folders and visit entries ahead of the order;
//! what they find waits for its turn, and the worker that completes the front hands over all that is
//! ready then. A sink that has enough stops all of them at once.
//!
//! Memory is bounded by how far ahead the workers may be (`queue`) and by the names of the folders that they are in,
//! descriptors by six for each worker. Links are not followed, `.git` is never
//! entered; outside the folder nothing is opened but rule files of git's and of the folders above.

mod dir;
mod queue;
mod visit;
mod work;

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex};

use super::ignore_rules::Rules;
use crate::stop::Stop;
use crate::sys::Folder;
use queue::Queue;
use work::{Shared, Worker, lock};

pub use visit::Walked;
pub(super) use visit::{Emit, Entry, Visit};

/// A walk through a folder.
pub struct Walk {
    /// The folder.
    pub root: Folder,
    /// The rules that leave entries out.
    pub rules: Rules,
    /// Number of threads that work on it, this one included.
    pub workers: usize,
    /// Ends it early.
    pub stop: Stop,
    /// Takes the number of files searched since it was called before.
    pub progress: Box<dyn Fn(usize) + Sync>,
}

impl Walk {
    /// Visits what is below the folder, each worker by what `search` makes, and gives what is found to `sink`, in order,
    /// until that breaks.
    pub(super) fn run<V: Visit>(
        &self,
        search: impl Fn() -> V + Sync,
        mut sink: impl FnMut(Walked<V::Found>) -> ControlFlow<()> + Send,
    ) {
        if (0..self.rules.left_aside_above()).any(|_| sink(Walked::RulesLeftAside).is_break()) {
            return;
        }
        let shared = &Shared::<V, _> {
            walk: self,
            sink: Mutex::new(sink),
            queue: Mutex::new(Queue::new(0)),
            changed: Condvar::new(),
            turn: Condvar::new(),
        };
        let mut own = Worker::new(shared, search(), 0);
        // A folder of a few files is done before another thread would have begun.
        own.read(&None, self.rules.clone());
        own.step();
        if !lock(&shared.queue).has_pending() {
            return own.run();
        }
        std::thread::scope(|scope| {
            let search = &search;
            for id in 1..self.workers {
                let thread = std::thread::Builder::new();
                // Where there is no thread to be had, those that there are do all the work.
                let _fewer =
                    thread.spawn_scoped(scope, move || Worker::new(shared, search(), id).run()).is_err();
            }
            own.run();
        });
    }
}

#[cfg(test)]
mod tests;
