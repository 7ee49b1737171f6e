//! The calls that every Unix has, and macOS' own where they are not enough.

mod opened;

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process};

use super::{Folder, OutOfDescriptors, pid, process_info};

pub(super) use opened::{LOOK, PathHandle};

/// Fails: this system can't open below a folder in one step.
pub(super) fn open_beneath(_: impl AsFd, _: &[u8], _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Lets this user list and change the folder `name` of `base`; fails where that is no folder.
pub(super) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    rustix::fs::chmodat(base, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// Sends `signals` to exactly that process, looked at just before: between the two another could get its number, and
/// these systems offer nothing better. Returns false where it has ended, or is not this user's.
pub(crate) fn send_signals(id: u32, start: u64, signals: &[Signal]) -> Result<bool, OutOfDescriptors> {
    let is_same = process_info(id)?.is_some_and(|now| start > 0 && now.start == start && !now.ended);
    let Some(pid) = pid(id).filter(|_| is_same) else { return Ok(false) };
    Ok(signals.iter().all(|signal| kill_process(pid, *signal).is_ok()))
}

/// True if a reader of names gives the rest after it was interrupted. This one gives no more after any error.
pub(super) const GOES_ON_AFTER_INTR: bool = false;

/// Returns a reader of the names in `folder`, which needs no buffer of the caller's.
pub(super) fn dir_reader(folder: &Folder, _: &mut Vec<u8>) -> Result<Dir, Errno> {
    Dir::read_from(folder)
}
