//! The processes that belong to a command: who they are, who of them stays, and how all are ended.
//!
//! On Unix they are known by their group, by descent, and by a mark in their environment, and a
//! record lets the next server end what a killed one left. On Windows a job holds them, and goes
//! with the server. Nobody above asks which it is.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::time::Duration;

use tokio::sync::oneshot;

use super::Background;

#[cfg(unix)]
pub(super) use unix::{Record, Scope, end_all, end_stale};
#[cfg(windows)]
pub(super) use windows::{Record, Scope, end_all, end_stale};

/// How an attempt to end commands came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Outcome {
    /// Nobody is left.
    Over,
    /// Somebody may be left: one that can't be killed yet, or that could not be seen.
    Unsure,
}

/// What stays of a command that has ended by itself.
#[derive(Debug)]
pub(super) struct Survivors {
    /// Those who stay, and are ended with the server.
    pub(super) scope: Scope,
    /// Those of them that an answer names.
    pub(super) shown: Vec<Background>,
    /// Whether anybody stays, or may.
    pub(super) anybody: bool,
}

/// The same as [`end_all`], on a thread of its own.
pub(super) async fn end(scopes: Vec<Scope>, grace: Duration) -> Outcome {
    let there = scopes.clone();
    match run_on_own_thread(move || end_all(&there, grace)).await {
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
    let (tell, done) = oneshot::channel();
    let tell = move || drop(tell.send(work()));
    std::thread::Builder::new().name("end".to_owned()).spawn(tell).ok()?;
    done.await.ok()
}
