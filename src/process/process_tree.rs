//! The processes of a command: finds them, finds those that survive the shell, and ends them.
//!
//! A process belongs to a running command by its process group, its parents, or a tag in its environment. It
//! belongs to a command that has ended by its process group, its parents, or the output pipe that it holds open. The
//! next server uses the tag to find processes of a killed server.

mod unix;

use std::time::Duration;

use super::Background;
use crate::blocking;

pub(super) use unix::{ProcessScope, end_orphans, end_scopes_blocking, kill_group, reap_inherited};

/// The processes that survive the shell of a command that ended by itself. The scope has those that cutline ends with
/// the server; the list has those that the result shows.
pub(super) type Survivors = (ProcessScope, Vec<Background>);

/// Ends all processes of `scopes` with [`end_scopes_blocking`]. Does so on another thread, or on this one if the system
/// refuses to start a thread. Returns true if no known process remains.
pub(super) async fn end_scopes(scopes: Vec<ProcessScope>, grace: Duration) -> bool {
    scopes.is_empty() || blocking::run_anyway(move || end_scopes_blocking(&scopes, grace)).await
}
