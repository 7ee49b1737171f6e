//! The parts for Linux: `O_PATH`, `openat2`, `/proc`, pidfds.

mod opened;
mod processes;

use std::fs::File;
use std::io::{IoSliceMut, PipeReader};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, ResolveFlags};
use rustix::io::{Errno, ReadWriteFlags};

use super::Folder;

pub(super) use opened::{LOOK, PathHandle};
pub(crate) use processes::{
    has_lost_its_reader, has_process_table, list_processes, owner, pid_namespace, pipes, process_info,
    send_signals, tag_of,
};

/// Refuses paths that leave the folder or pass through a link.
const BELOW: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Returns all `size` bytes of a file if they are in the page cache. Never waits for a disk.
pub(crate) fn read_cached(file: &File, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    let whole = &mut [IoSliceMut::new(&mut bytes)];
    let read = rustix::io::preadv2(file, whole, 0, ReadWriteFlags::NOWAIT).ok()?;
    (read == size).then_some(bytes)
}

/// Sets the capacity of a pipe to `bytes`, if the system allows it.
pub(crate) fn enlarge(pipe: &PipeReader, bytes: usize) {
    let _smaller_works_too = rustix::pipe::fcntl_setpipe_size(pipe, bytes);
}

/// True if a reader of names can continue after it was interrupted.
pub(super) const GOES_ON_AFTER_INTR: bool = true;

/// Returns a reader of the names in `folder`. Each read returns as many names as fit in `buffer`.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(super) fn dir_reader<'a>(
    folder: &'a Folder,
    buffer: &'a mut Vec<u8>,
) -> Result<RawDir<'a, &'a Folder>, Errno> {
    Ok(RawDir::new(folder, buffer.spare_capacity_mut()))
}

/// Opens `path` below `base` in one call. Returns `NOSYS` or `PERM` if the kernel does not support the call or a filter
/// refuses it.
pub(super) fn open_beneath(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(base, path, flags, Mode::empty(), BELOW)
}

/// Gives this user all rights to the folder `name` in `base`. Returns an error if that is no folder.
pub(super) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(base, name, flags, Mode::empty())?;
    // `fchmod` refuses a descriptor that was opened with `O_PATH`.
    rustix::fs::chmodat(CWD, super::path_of(&folder), Mode::RWXU, AtFlags::empty())
}
