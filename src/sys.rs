//! The interface to the operating system. Other modules do not check which system it is.
//!
//! `sys/linux` and `sys/macos` have what differs: how a path is opened without reading it, and the process table.
//! `docs/security.md` lists the guarantees that macOS can't give.

pub(crate) mod below;
mod files;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod processes;
mod removal;
mod shell;
mod streams;

use std::fmt::Display;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;

pub use files::{FileKind, Stat};
pub(crate) use files::{
    Folder, Opened, append, copy_acl, each_name, folder_from, is_absent, is_gone, is_missing, is_procfs,
    lock, name, names_in, nanos, open_folder, read_into,
};
#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(target_os = "macos")]
pub(crate) use macos::*;
pub(crate) use processes::{Process, TAG, adopt_orphans, pid};
pub(crate) use removal::remove_tree;
pub use shell::Ending;
pub(crate) use shell::{
    close_inherited_on_exec, ending_of, find_shell, leave_terminal, on_path, prepare_spawn, signal_name,
};
pub(crate) use streams::{InputPipe, LogStream, OutputPipe, stdin, stdout};

/// Returns a new random number that other processes can't guess.
///
/// The keys of the standard library's hasher are random bytes from the system.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Returns the text of an error without the numbers of the system's errors: `No space left on device`.
pub(crate) fn reason(error: &impl Display) -> String {
    let text = format!("{error:#}");
    let mut parts = text.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once(')')).fold(first, |text, (_, after)| text + after)
}

/// Returns the id of the user of this process.
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Returns the temp folder. Treats an empty `TMPDIR` as not set, as other programs do.
pub(crate) fn temp_dir() -> PathBuf {
    let configured = std::env::temp_dir();
    if configured.as_os_str().is_empty() { "/tmp".into() } else { configured }
}
