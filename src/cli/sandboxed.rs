//! `cutline sandboxed … -- COMMAND`: becomes a command under the rules of `--sandbox`. The server
//! starts its commands so; it is not for people, and no help names it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use crate::process::sandbox;

#[derive(Debug, Parser)]
#[command(name = "cutline sandboxed")]
struct Sandboxed {
    /// A folder in which the command may write
    #[arg(long)]
    write: Vec<PathBuf>,
    /// What is made read-only for it, where it is below one of those
    #[arg(long)]
    protect: Vec<PathBuf>,
    /// The command may not make UNIX sockets
    #[arg(long)]
    deny_unix_sockets: bool,
    /// The folder that the command starts in
    #[arg(long, default_value = "/")]
    folder: PathBuf,
    /// The command
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Becomes the command; returns only where that fails.
pub(super) fn run() -> anyhow::Result<i32> {
    let Sandboxed { write, protect, deny_unix_sockets, folder, command } =
        Sandboxed::parse_from(std::env::args_os().skip(1));
    let entry = sandbox::Entry { write, protect, deny_unix_sockets, folder, command };
    Err(anyhow::Error::new(sandbox::enter(&entry)).context("the sandbox could not be entered"))
}
