//! `cutline sandboxed … -- COMMAND`: becomes a command under the rules of `--sandbox`. The server
//! starts its commands so; it is not for people, and no help names it.

use anyhow::Context as _;

use crate::process::sandbox::{self, Entry};

/// Becomes the command; returns only where that fails.
pub(super) fn run() -> anyhow::Result<i32> {
    let entry = Entry::of(std::env::args_os().skip(2)).context("`sandboxed` is for the server alone")?;
    Err(anyhow::Error::new(sandbox::enter(&entry)).context("the sandbox could not be entered"))
}
