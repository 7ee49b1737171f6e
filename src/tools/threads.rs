//! Threads for work that blocks.
//!
//! Two are made at the start and never end, so that calls are worked on also where the system gives no
//! more. Work that was given up is not waited for: its thread counts as stuck until it comes back.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Threads that never end.
const KEPT: usize = 2;
/// Time without work after which any other thread ends.
const IDLE_TIME: Duration = Duration::from_secs(10);
/// Threads that may be stuck before no more work is begun: each holds a stack and what it works on.
const MAX_STUCK: usize = 64;

/// The threads, and the work that waits for one.
#[derive(Debug, Clone, Default)]
pub struct Threads(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    work_came: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Task>,
    /// Threads that wait for work.
    idle: usize,
    /// All threads, those that are stuck too.
    threads: usize,
    stuck: usize,
}

struct Task {
    run: Box<dyn FnOnce() + Send>,
    stage: Arc<Mutex<Stage>>,
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task").field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// The stage of a piece of work. It changes under the lock of [`State`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Running,
    GivenUp,
    Done,
}

/// Work that was begun. Dropped before its end, it gives the work up.
#[derive(Debug)]
#[must_use]
pub struct Handle {
    threads: Threads,
    stage: Arc<Mutex<Stage>>,
}

/// The reason why work can't be begun.
#[derive(Debug)]
pub enum NoThread {
    /// The system gives no thread, and there is none that could come to it.
    System(io::Error),
    /// Too many threads are stuck in work that was given up; their number.
    Stuck(usize),
}

impl Threads {
    /// Makes the threads that never end; where the system gives none, there are fewer.
    pub fn start(&self) {
        let mut state = self.state();
        while state.threads < KEPT && self.add(&mut state).is_ok() {}
    }

    /// Runs `work` on a thread. It must not panic.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) -> Result<Handle, NoThread> {
        let mut state = self.state();
        if state.stuck >= MAX_STUCK {
            return Err(NoThread::Stuck(state.stuck));
        }
        if state.idle <= state.waiting.len()
            && let Err(error) = self.add(&mut state)
            && state.threads <= state.stuck
        {
            return Err(NoThread::System(error));
        }
        let its_stage = Arc::new(Mutex::new(Stage::Waiting));
        state.waiting.push_back(Task { run: Box::new(work), stage: Arc::clone(&its_stage) });
        self.0.work_came.notify_one();
        Ok(Handle { threads: self.clone(), stage: its_stage })
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
            if let Some(Task { run, stage }) = state.waiting.pop_front() {
                if set(&stage, Stage::Running) != Stage::Waiting {
                    continue;
                }
                drop(state);
                run();
                state = self.state();
                if set(&stage, Stage::Done) == Stage::GivenUp {
                    state.stuck -= 1;
                }
                continue;
            }
            state.idle += 1;
            let waited = self.0.work_came.wait_timeout(state, IDLE_TIME);
            let timeout;
            (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            if timeout.timed_out() && state.waiting.is_empty() && state.threads - state.stuck > KEPT {
                state.threads -= 1;
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Changes a stage; returns the one before.
fn set(stage: &Mutex<Stage>, next: Stage) -> Stage {
    std::mem::replace(&mut *stage.lock().unwrap_or_else(PoisonError::into_inner), next)
}

impl Handle {
    /// Notes that the work has come to its end, before its thread does.
    pub fn finish(self) {
        let _state = self.threads.state();
        set(&self.stage, Stage::Done);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.threads.state();
        match set(&self.stage, Stage::GivenUp) {
            Stage::Running => state.stuck += 1,
            Stage::Waiting | Stage::GivenUp => {}
            Stage::Done => _ = set(&self.stage, Stage::Done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Work that blocks until the sender is dropped, and is running when this returns.
    fn block(threads: &Threads) -> (Handle, std::sync::mpsc::Sender<()>) {
        let ((go, wait), (tell, running)) = (channel::<()>(), channel());
        let handle = threads.run(move || {
            tell.send(()).unwrap();
            let _until_dropped = wait.recv();
        });
        running.recv().unwrap();
        (handle.unwrap(), go)
    }

    #[test]
    fn stuck_threads_come_back() {
        let threads = Threads::default();
        let (handle, go) = block(&threads);
        drop(handle);
        assert_eq!(threads.state().stuck, 1);
        let (handle, _go) = block(&threads);
        handle.finish();
        drop(go);
        while threads.state().stuck > 0 {
            std::thread::yield_now();
        }
        assert_eq!(threads.state().threads, 2);
    }

    #[test]
    fn work_given_up_before_it_runs_is_not_run() {
        let threads = Threads::default();
        // A lock held here keeps the threads from taking anything.
        let mut state = threads.state();
        let its_stage = Arc::new(Mutex::new(Stage::GivenUp));
        let run = Box::new(|| panic!("it was given up"));
        state.waiting.push_back(Task { run, stage: Arc::clone(&its_stage) });
        drop(state);
        let (_handle, _go) = block(&threads);
        assert_eq!(threads.state().stuck, 0);
    }
}
