//! The processes of a command: finds them, finds those that survive the shell, and ends them.
//!
//! On Unix, a process belongs to a command by its process group, its parents, or a tag in its environment. The next
//! server also uses the tag to find processes of a killed server. On Windows, the processes are in a job object, which
//! ends with the server. Other modules do not depend on the platform.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::time::Duration;

use super::Background;
use crate::blocking;

#[cfg(unix)]
pub(super) use unix::{ProcessScope, end_all, end_orphans, kill_group, reap_inherited};
#[cfg(windows)]
pub(super) use windows::{ProcessScope, end_all, end_orphans, kill_group, reap_inherited};

/// The processes that survive the shell of a command that ended by itself. The scope has those that cutline ends with
/// the server; the list has those that the result shows.
pub(super) type Survivors = (ProcessScope, Vec<Background>);

/// Calls [`end_all`] on another thread. Returns true if no known process remains.
pub(super) async fn end(scopes: Vec<ProcessScope>, grace: Duration) -> bool {
    scopes.is_empty() || blocking::run_anyway(move || end_all(&scopes, grace)).await
}
