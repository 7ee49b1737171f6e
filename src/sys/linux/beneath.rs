//! Opening below a folder in one step: the kernel refuses what leaves it or leads through a link.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Refuses paths that leave the folder or lead through a link.
const BELOW: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Opens `path` below `base`; `NOSYS` or `PERM` where the kernel is older, or a filter refuses it.
pub(in crate::sys) fn open_beneath(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(base, path, flags, Mode::empty(), BELOW)
}

/// Lets this user list and change the folder `name` of `base`; fails where that is no folder.
pub(in crate::sys) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(base, name, flags, Mode::empty())?;
    // The call that takes a descriptor refuses one that was opened like this.
    rustix::fs::chmodat(CWD, crate::sys::path_of(&folder), Mode::RWXU, AtFlags::empty())
}
