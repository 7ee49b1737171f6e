//! The calls that every Unix has, and macOS' own where they are not enough.

mod dir_reader;
mod opened;
mod process_handle;
mod processes;
mod waker;

use std::fs::File;
use std::io::PipeReader;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

pub(super) use dir_reader::each_name;
pub(super) use opened::LOOK;
pub(crate) use opened::PathHandle;
pub(crate) use process_handle::{ProcessHandle, ended};
pub(crate) use processes::{
    has_lost_its_reader, has_process_table, list_processes, mark, owner, pid_namespace, pipes, process_info,
};
pub(super) use waker::Waker;

/// Fails: this system can't open below a folder in one step.
pub(super) fn open_beneath(_: impl AsFd, _: &[u8], _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Returns `None`: this system does not tell whether a file is in memory.
pub(crate) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// Does nothing: a pipe has the size that this system gives it.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

/// Lets this user list and change the folder `name` of `base`; fails where that is no folder.
pub(super) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    rustix::fs::chmodat(base, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}
