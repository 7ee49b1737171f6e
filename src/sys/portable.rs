//! What every Unix has, and macOS where that is not enough.

mod grip;
mod names;
mod opened;
mod processes;
mod wake;

use std::fs::File;
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;

pub(crate) use grip::{Grip, ended};
pub(super) use names::each_name;
pub(crate) use opened::Held;
pub(super) use opened::LOOK;
pub(crate) use processes::{all, boot, mark, one, pipes};
pub(super) use wake::Wake;

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
