//! The processes of a command: finds them, finds those that survive its shell, and ends them.
//!
//! On Unix, they are found by their process group, their parents, and a tag in their environment. The next server also uses the
//! tag to find processes of a killed server. On Windows, they are in a job, which ends with the server. Other modules do not
//! depend on the platform.

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
