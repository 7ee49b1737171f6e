//! `cutline sandboxed COMMAND`: becomes a command under the rules of `--sandbox`, which stdin holds. The server
//! starts its commands so; it is not for people, and no help names it.

use std::ffi::OsString;

use crate::process::sandbox;

/// Becomes the command; returns only where that fails.
pub(super) fn run() -> anyhow::Result<i32> {
    let command: Vec<OsString> = std::env::args_os().skip(2).collect();
    Err(anyhow::Error::new(sandbox::enter(&command)).context("the sandbox could not be entered"))
}
