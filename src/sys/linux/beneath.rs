//! Opening below a folder in one step: the kernel refuses what leaves it or leads through a link.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// What no path below a folder may do: leave it, or lead through a link.
const BELOW: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Opens `path` below `base`; `NOSYS` or `PERM` where the kernel is older, or a filter refuses it.
pub(in crate::sys) fn open_beneath(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(base, path, flags, Mode::empty(), BELOW)
}
