//! The walk of grep and find: in parallel, and in order.
//!
//! Results come by path, byte by byte per component, whatever the number of workers: a folder's content is located
//! where its name is. Workers read folders and visit entries ahead of the order; their results wait in a reorder
//! buffer, and the worker that completes the head passes on all results that are ready. A sink that has enough stops
//! all of them at once.
//!
//! At the deadline the workers stop. Results that follow an incomplete entry are passed on too, in order, after a
//! [`Walked::Stopped`] with the path up to which everything is complete. A worker that is blocked in the system does
//! not hold this up: another thread may conclude the walk.
//!
//! Memory is bounded by how far ahead the workers may be (`queue`) and by the names of the folders that they are in,
//! descriptors by six for each worker. Links are not followed, `.git` is never
//! entered; outside the folder nothing is opened but rule files of git's and of the folders above.

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
    /// Number of threads that work on it, this one included.
    pub workers: usize,
    /// Ends it early.
    pub stop: Stop,
    /// Takes the number of files searched since it was called before.
    pub progress: Box<dyn Fn(usize) + Send + Sync>,
}

/// A search of a tree.
pub trait TreeSearch: Send + Sync {
    /// Searches until all is done, the sink has enough, or the search has to stop. May not return while the system does
    /// not answer.
    fn run(&self);

    /// Passes the remaining results from before the deadline to the sink, and ends the search. Another thread than
    /// that of [`run`](Self::run) may call this.
    fn conclude(&self);
}

/// A walk. Each worker visits entries with its own search, which `search` makes.
struct Running<V: Visit, S, M> {
    shared: Shared<V, S>,
    search: M,
}

impl Walk {
    /// Returns the search of the tree below the folder. Each worker visits entries with a search that `search` makes.
    /// Results go to `sink`, in order, until it breaks.
    pub(super) fn search<V: Visit + 'static>(
        self,
        search: impl Fn() -> V + Send + Sync + 'static,
        sink: impl FnMut(Walked<V::Found>) -> ControlFlow<()> + Send + 'static,
    ) -> Arc<dyn TreeSearch> {
        Arc::new(Running { shared: Shared::new(self, sink), search })
    }
}

impl<V, S, M> TreeSearch for Running<V, S, M>
where
    V: Visit,
    S: FnMut(Walked<V::Found>) -> ControlFlow<()> + Send,
    M: Fn() -> V + Send + Sync,
{
    fn run(&self) {
        let Self { shared, search } = self;
        let rules = &shared.walk.rules;
        if (0..rules.left_aside_above()).any(|_| lock(&shared.sink)(Walked::RulesLeftAside).is_break()) {
            return shared.walk.stop.cancel();
        }
        let mut own = Worker::new(shared, search(), 0);
        own.read(&None, rules.clone());
        let Some(mut first) = shared.next(0) else { return };
        // A folder of a few files is done before another thread would have begun.
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
                // If the system gives no thread, the others do all the work.
                let _fewer =
                    thread.spawn_scoped(scope, move || Worker::new(shared, search(), id).run()).is_err();
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
