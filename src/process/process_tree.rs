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
pub(super) use unix::{Scope, end_all, end_orphans, kill_group, reap_inherited};
#[cfg(windows)]
pub(super) use windows::{Scope, end_all, end_orphans, kill_group, reap_inherited};

/// Processes that survive the shell of a command that ended by itself: those that are ended with the server, and those
/// of them that an answer names.
pub(super) type Survivors = (Scope, Vec<Background>);

/// Calls [`end_all`] on a thread of its own. Returns true if no process is known to be left.
pub(super) async fn end(scopes: Vec<Scope>, grace: Duration) -> bool {
    scopes.is_empty() || on_own_thread(move || end_all(&scopes, grace)).await
}

/// Does `work`, which blocks, on a thread of its own: the shared ones may all be busy with what is less urgent.
/// This thread does it, and waits, where there is no other to be had.
pub(super) async fn on_own_thread<T: Send + 'static>(work: impl FnOnce() -> T + Clone + Send + 'static) -> T {
    let (done, result) = oneshot::channel();
    let there = work.clone();
    let thread = std::thread::Builder::new().name("end".to_owned());
    let _without_one_no_result_comes = thread.spawn(move || drop(done.send(there())));
    match result.await {
        Ok(result) => result,
        Err(_) => work(),
    }
}
