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

use super::Background;
use crate::blocking;

#[cfg(unix)]
pub(super) use unix::{Scope, end_all, end_orphans, kill_group, reap_inherited};
#[cfg(windows)]
pub(super) use windows::{Scope, end_all, end_orphans, kill_group, reap_inherited};

/// Processes that survive the shell of a command that ended by itself: those that are ended with the server, and those
/// of them that an answer names.
pub(super) type Survivors = (Scope, Vec<Background>);

/// Calls [`end_all`] on another thread. Returns true if no process is known to be left.
pub(super) async fn end(scopes: Vec<Scope>, grace: Duration) -> bool {
    scopes.is_empty() || blocking::run_anyway(move || end_all(&scopes, grace)).await
}
