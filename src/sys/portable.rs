//! What every Unix has, and macOS where that is not enough.

mod dir_reader;
mod opened;
mod process_handle;
mod processes;
mod waker;

use std::fs::File;
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;

pub(super) use dir_reader::each_name;
pub(super) use opened::LOOK;
pub(crate) use opened::PathHandle;
pub(crate) use process_handle::{ProcessHandle, ended};
pub(crate) use processes::{boot, list_processes, mark, pipes, process_info};
pub(super) use waker::Waker;

/// It can't be had in one step here.
pub(super) fn open_beneath(_: impl AsFd, _: &[u8], _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Nothing tells here whether a file is in memory.
pub(crate) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// A pipe has the size here that the system gives it.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

/// What nobody can guess; zero where the system has nothing of the kind.
pub(crate) fn random() -> u64 {
    let mut random = [0_u8; 8];
    let _filled = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random));
    u64::from_ne_bytes(random)
}

/// Processes are seen here without a descriptor: there is nothing to be held back for it.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn make_ready() -> io::Result<()> {
    Ok(())
}
