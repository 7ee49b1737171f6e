//! Threads for work that blocks.
//!
//! Two are made at the start and never end, so that calls are worked on also where the system gives no
//! more. Work that was given up is not waited for: its thread counts as stuck until it comes back.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::oneshot;

use super::ToolError;

/// Threads that never end.
const KEPT: usize = 2;
/// Time without work after which any other thread ends.
const IDLE_TIME: Duration = Duration::from_secs(10);
/// Threads that may be stuck before no more work is begun: each holds a stack and what it works on.
const MAX_STUCK: usize = 64;

/// The threads, and the work that waits for one.
#[derive(Debug, Clone, Default)]
pub struct Threads(Arc<Pool>);

#[derive(Debug, Default)]
struct Pool {
    state: Mutex<State>,
    work_came: Condvar,
}

/// Does work; returns what then tells its result.
type Work = Box<dyn FnOnce() -> Box<dyn FnOnce() + Send> + Send>;
/// Upgrades as long as work was not given up: the future of its result holds the other side.
type Wanted = Weak<()>;

#[derive(Default)]
struct State {
    waiting: VecDeque<(Wanted, Work)>,
    running: Vec<Wanted>,
    /// Threads that wait for work.
    idle: usize,
    /// All threads, those that are stuck too.
    threads: usize,
}

impl State {
    /// Returns the number of threads whose work was given up while it ran, and still runs.
    fn stuck(&self) -> usize {
        self.running.iter().filter(|wanted| wanted.strong_count() == 0).count()
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Threads {
    /// Makes the threads that never end; where the system gives none, there are fewer.
    pub fn start(&self) {
        let mut state = self.state();
        while state.threads < KEPT && self.add(&mut state).is_ok() {}
    }

    /// Runs `work` on a thread. Returns its result, from which a panic is handed on, and which is `None` where the work was
    /// never begun; dropping it before it is there gives the work up. Fails where too many threads are stuck, or where the
    /// system gives none and there is none that could come to it.
    pub fn run<T: Send + 'static, F: FnOnce() -> T + Send + 'static>(
        &self,
        work: F,
    ) -> Result<impl Future<Output = Option<T>> + use<T, F>, ToolError> {
        // Dropped after the lock is: it may hold files, whose end may have to be waited for.
        let given_up;
        let mut state = self.state();
        let waiting = std::mem::take(&mut state.waiting).into_iter();
        (state.waiting, given_up) =
            waiting.partition::<VecDeque<_>, _>(|(wanted, _)| wanted.strong_count() > 0);
        let stuck = state.stuck();
        if stuck >= MAX_STUCK {
            return Err(ToolError::StuckThreads(stuck));
        }
        if state.idle <= state.waiting.len()
            && let Err(error) = self.add(&mut state)
            && state.threads <= stuck
        {
            return Err(ToolError::NoThread(error));
        }
        let (sender, result) = oneshot::channel();
        let run = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            let tell = move || _ = sender.send(result); // fails where the work was given up
            Box::new(tell) as Box<dyn FnOnce() + Send>
        });
        let wanted = Arc::new(());
        state.waiting.push_back((Arc::downgrade(&wanted), run));
        drop(state);
        drop(given_up);
        self.0.work_came.notify_one();
        Ok(async move {
            let result = result.await;
            drop(wanted);
            Some(result.ok()?.unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }

    fn add(&self, state: &mut State) -> io::Result<()> {
        let threads = self.clone();
        std::thread::Builder::new().name("work".to_owned()).spawn(move || threads.work())?;
        state.threads += 1;
        Ok(())
    }

    /// Does what waits, until there are enough others.
    fn work(&self) {
        let mut state = self.state();
        loop {
            if let Some((wanted, run)) = state.waiting.pop_front() {
                if wanted.strong_count() == 0 {
                    drop(state);
                    drop(run);
                    state = self.state();
                    continue;
                }
                state.running.push(wanted.clone());
                drop(state);
                let tell = run();
                state = self.state();
                state.running.retain(|one| !one.ptr_eq(&wanted));
                // Not under the lock: where nothing waits any more, the result is dropped there, with its files.
                drop(state);
                tell();
                state = self.state();
                continue;
            }
            state.idle += 1;
            let waited = self.0.work_came.wait_timeout(state, IDLE_TIME);
            let timeout;
            (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            if timeout.timed_out() && state.waiting.is_empty() && state.threads - state.stuck() > KEPT {
                state.threads -= 1;
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

    /// Work that blocks until the sender is dropped, and is running when this returns.
    fn block(threads: &Threads) -> (impl Future<Output = Option<()>>, std::sync::mpsc::Sender<()>) {
        let ((go, wait), (tell, running)) = (channel::<()>(), channel());
        let pending = threads.run(move || {
            tell.send(()).unwrap();
            let _until_dropped = wait.recv();
        });
        running.recv().unwrap();
        (pending.unwrap(), go)
    }

    #[tokio::test]
    async fn stuck_threads_come_back() {
        let threads = Threads::default();
        let (pending, go) = block(&threads);
        drop(pending);
        assert_eq!(threads.state().stuck(), 1);
        let (pending, go_on) = block(&threads);
        drop(go_on);
        assert_eq!(pending.await, Some(()));
        assert_eq!(threads.state().stuck(), 1);
        drop(go);
        while threads.state().stuck() > 0 {
            std::thread::yield_now();
        }
        assert_eq!(threads.state().threads, 2);
    }

    #[test]
    fn work_given_up_before_it_runs_is_not_run() {
        let threads = Threads::default();
        let (_pending, go) = block(&threads);
        let was_run = Arc::new(AtomicBool::new(false));
        let run = {
            let was_run = Arc::clone(&was_run);
            Box::new(move || {
                was_run.store(true, Ordering::Relaxed);
                Box::new(|| ()) as Box<dyn FnOnce() + Send>
            })
        };
        threads.state().waiting.push_back((Wanted::new(), run));
        drop(go);
        while threads.state().idle == 0 {
            std::thread::yield_now();
        }
        assert!(threads.state().waiting.is_empty() && !was_run.load(Ordering::Relaxed));
    }
}
