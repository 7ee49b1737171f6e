//! The parallel walk of `grep` and `find`, with results in path order.
//!
//! Results are sorted by path, component by component and byte by byte, whatever the number of workers. The contents of
//! a folder come at the position of its name. Workers read folders and visit entries ahead of this order. Their results
//! wait in a reorder buffer, and the worker that completes the head of the queue passes on all results that are ready.
//! If the sink needs no more results, all workers stop soon.
//!
//! At the deadline the workers stop. Results after an incomplete entry are then passed on too, in order, after a
//! [`Walked::Stopped`] with the path up to which everything is complete. This does not wait for a worker that is
//! blocked in the system, because another thread can conclude the walk.
//!
//! The queue limits the bytes of buffered results (`queue`). The other memory is for the names in folders with pending
//! work, and in the folders above them. Each worker has at most six open descriptors: its last folder, the folder that
//! it enters, and up to four to reach the excludes of a repository. Links are not followed, and `.git` is never
//! entered. Outside the folder, only rule files of git and of the folders above are opened.

mod dir;
mod queue;
mod visit;
mod work;

use std::ops::ControlFlow;
use std::sync::Arc;

use super::ignore_rules::IgnoreRules;
use crate::stop::Stop;
use crate::sys::Folder;
use work::{Shared, Worker, lock};

pub use visit::Walked;
pub(super) use visit::{Emit, Entry, Visit};

/// A walk through a folder.
pub struct Walk {
    /// The folder.
    pub root: Folder,
    /// The ignore rules.
    pub rules: IgnoreRules,
    /// Number of threads, including the current one.
    pub workers: usize,
    /// Stops the walk early.
    pub stop: Stop,
    /// Called with the number of names listed since the previous call. It is 0 after each batch of visits, as a sign
    /// that the walk continues.
    pub progress: Box<dyn Fn(usize) + Send + Sync>,
}

/// A search of a tree: first [`run`](Self::run), then, for the results after a deadline, [`conclude`](Self::conclude).
pub trait TreeSearch: Send + Sync {
    /// Searches until everything is searched, the sink needs no more, or the search must stop. Can block while the
    /// system does not respond.
    fn run(&self);

    /// Ends the search. If it is incomplete because of the deadline, passes the remaining results to the sink; only
    /// they need this call. Call it after `run` has returned. At the deadline, another thread can call it while `run`
    /// is blocked.
    fn conclude(&self);
}

/// A walk with its visitors and its sink.
struct WalkSearch<V: Visit, S, M> {
    shared: Shared<V, S>,
    /// Creates the visitor of each worker.
    new_visitor: M,
}

impl Walk {
    /// Creates the search of the tree below the folder, without starting it. Each worker has its own visitor, which
    /// `new_visitor` creates. Results go to `sink` in order, until it breaks.
    pub(super) fn into_search<V: Visit + 'static>(
        self,
        new_visitor: impl Fn() -> V + Send + Sync + 'static,
        sink: impl FnMut(Walked<V::Found>) -> ControlFlow<()> + Send + 'static,
    ) -> Arc<dyn TreeSearch> {
        Arc::new(WalkSearch { shared: Shared::new(self, sink), new_visitor })
    }
}

impl<V, S, M> TreeSearch for WalkSearch<V, S, M>
where
    V: Visit,
    S: FnMut(Walked<V::Found>) -> ControlFlow<()> + Send,
    M: Fn() -> V + Send + Sync,
{
    fn run(&self) {
        let Self { shared, new_visitor } = self;
        let rules = &shared.walk.rules;
        if (0..rules.skipped_above()).any(|_| lock(&shared.sink)(Walked::RulesSkipped).is_break()) {
            return shared.walk.stop.cancel();
        }
        let mut own = Worker::new(shared, new_visitor(), 0);
        own.enter(&None, rules.clone());
        let Some(mut first) = shared.next(0) else { return };
        // A folder with a few files is complete before another thread would start.
        while !lock(&shared.queue).has_pending() {
            own.work(first);
            match shared.next(0) {
                Some(next) => first = next,
                None => return,
            }
        }
        std::thread::scope(|scope| {
            for id in 1..shared.walk.workers {
                let thread = std::thread::Builder::new();
                // If the system refuses to start a thread, the other threads do all the work.
                let _fewer =
                    thread.spawn_scoped(scope, move || Worker::new(shared, new_visitor(), id).run()).is_err();
            }
            own.work(first);
            own.run();
        });
    }

    fn conclude(&self) {
        self.shared.conclude();
    }
}

#[cfg(test)]
mod tests;
