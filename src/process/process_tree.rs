//! The processes that belong to a command: which they are, which survive its shell, and how all are ended.
//!
//! On Unix they are known by their group, by descent, and by a mark in their environment, by which the next
//! server also finds what a killed one left. On Windows a job holds them, and goes with the server. No other
//! room asks which it is.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::time::Duration;

use tokio::sync::oneshot;

use super::Background;

#[cfg(unix)]
pub(super) use unix::{Scope, can_list_processes, end_all, end_orphans, kill_group, reap_inherited};
#[cfg(windows)]
pub(super) use windows::{Scope, can_list_processes, end_all, end_orphans, kill_group, reap_inherited};

/// The outcome of an attempt to end commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Outcome {
    /// No process is known to be left: without a process table, none but the group's can be.
    Done,
    /// A process may be left: one that can't be killed yet, or that could not be seen.
    Unsure,
}

/// The processes that survive the shell of a command that ended by itself.
#[derive(Debug)]
pub(super) struct Survivors {
    /// The processes that are ended with the server.
    pub(super) scope: Scope,
    /// Those of them that an answer names.
    pub(super) shown: Vec<Background>,
    /// True if a process is left in the group (on Windows, in the job), or that can't be told; those outside it do not count.
    pub(super) in_group: bool,
}

/// Calls [`end_all`] on a thread of its own.
pub(super) async fn end(scopes: Vec<Scope>, grace: Duration) -> Outcome {
    let copies = scopes.clone();
    match run_on_own_thread(move || end_all(&copies, grace)).await {
        Some(outcome) => outcome,
        // There is no thread to be had: rather is this one kept waiting than a process left alive.
        None => end_all(&scopes, grace),
    }
}

/// Does `work`, which blocks, on a thread of its own: the shared ones may all be busy with what is
/// less urgent. `None` where no thread can be had.
pub(super) async fn run_on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, result) = oneshot::channel();
    let work = move || drop(done.send(work()));
    std::thread::Builder::new().name("end".to_owned()).spawn(work).ok()?;
    result.await.ok()
}
