//! Runs blocking work on the thread pool of the runtime.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use tokio::task::spawn_blocking;

/// Runs `work` on a thread of the pool and returns its result. Needs a tokio runtime. Dropping the future does not stop
/// the work.
///
/// # Errors
///
/// Returns an error if the pool has no free thread and the system refuses to start one.
///
/// # Panics
///
/// Propagates a panic of `work`.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    // tokio panics if it cannot start the first thread of the pool.
    let task = catch_unwind(AssertUnwindSafe(|| spawn_blocking(work)));
    let task = task.map_err(|_| io::Error::other("no thread could be started"))?;
    task.await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(error) => io::Error::other(error),
    })
}

/// Runs `work` like [`run`], but on the calling thread if the pool has no thread.
pub(crate) async fn run_anyway<T: Send + 'static>(work: impl FnOnce() -> T + Clone + Send + 'static) -> T {
    match run(work.clone()).await {
        Ok(result) => result,
        Err(_) => work(),
    }
}

/// Shows that somebody waits for the work of a thread.
pub type Waiting = Arc<()>;

/// Runs blocking work and counts stuck threads: those that are still working after their caller stopped waiting.
#[derive(Debug, Clone, Default)]
pub struct Threads {
    /// One reference for each piece of work that has not returned.
    running: Arc<()>,
    /// One reference for each waiting caller.
    waiting: Arc<()>,
}

impl Threads {
    /// Returns the number of stuck threads.
    pub(crate) fn stuck(&self) -> usize {
        Arc::strong_count(&self.running).saturating_sub(Arc::strong_count(&self.waiting))
    }

    /// Starts a thread for `work`. The thread counts as stuck if it still works after the returned value was dropped.
    pub(crate) fn start(&self, work: impl FnOnce() + Send + 'static) -> io::Result<Waiting> {
        let (running, waiting) = (Arc::clone(&self.running), Arc::clone(&self.waiting));
        std::thread::Builder::new().spawn(move || {
            work();
            drop(running);
        })?;
        Ok(waiting)
    }

    /// Runs `work` like [`run`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let (running, _waiting) = (Arc::clone(&self.running), Arc::clone(&self.waiting));
        run(move || {
            let result = work();
            drop(running);
            result
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn abandoned_work_counts_as_stuck_until_it_returns() {
        let threads = Threads::default();
        let ((go, wait), (tell, running)) = (channel::<()>(), channel());
        let work = threads.run(move || {
            tell.send(()).unwrap();
            let _until_dropped = wait.recv();
        });
        {
            let mut work = std::pin::pin!(work);
            tokio::select! {
                biased;
                _ = &mut work => panic!("it blocks"),
                () = tokio::task::yield_now() => {}
            }
            running.recv().unwrap();
            assert_eq!(threads.stuck(), 0);
        }
        assert_eq!(threads.stuck(), 1);
        drop(go);
        while threads.stuck() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
