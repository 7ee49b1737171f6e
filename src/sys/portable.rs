//! The parts for every Unix, with calls of macOS where those are not enough.

mod opened;

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process};
use sysinfo::{ProcessRefreshKind, UpdateKind};

use super::not_linux::with_process;
use super::{Folder, TAG, Unreadable, pid, process_info};

pub(super) use opened::LOOK;

/// Returns an error, because this system can't open a path below a folder in one call.
pub(super) fn open_beneath(_: impl AsFd, _: &[u8], _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Gives this user all rights to the folder `name` in `base`. Returns an error if that is no folder.
pub(super) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    rustix::fs::chmodat(base, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// Checks the start time of a process and sends `signals` to it. Another process could get the id between the two;
/// these systems have no better way. Returns false if the process has ended or belongs to another user.
pub(crate) fn send_signals(id: u32, start: u64, signals: &[Signal]) -> Result<bool, Unreadable> {
    let is_same = process_info(id)?.is_some_and(|now| start > 0 && now.start == start && !now.ended);
    let Some(pid) = pid(id).filter(|_| is_same) else { return Ok(false) };
    Ok(signals.iter().all(|signal| kill_process(pid, *signal).is_ok()))
}

/// False, because this reader returns no more names after any error.
pub(super) const GOES_ON_AFTER_INTR: bool = false;

/// Returns a reader of the names in `folder`. It does not use the buffer.
pub(super) fn dir_reader(folder: &Folder, _: &mut Vec<u8>) -> Result<Dir, Errno> {
    Dir::read_from(folder)
}

/// Returns the tag in the initial environment of a process.
pub(crate) fn tag_of(id: u32) -> Result<Option<String>, Unreadable> {
    Ok(with_process(id, ProcessRefreshKind::nothing().with_environ(UpdateKind::Always), |process| {
        let tag = |entry: &str| Some(entry.strip_prefix(TAG)?.strip_prefix('=')?.to_owned());
        process.environ().iter().find_map(|entry| tag(entry.to_str()?))
    }))
}

/// Returns the id of the user that runs the process.
pub(crate) fn owner(id: u32) -> Option<u32> {
    let user = ProcessRefreshKind::nothing().with_user(UpdateKind::Always);
    with_process(id, user, |process| process.effective_user_id().map(|user| **user))
}

/// Returns an empty list, because this system does not report the pipes of a process.
pub(crate) fn pipes(_: u32) -> Result<Vec<u64>, Unreadable> {
    Ok(Vec::new())
}

/// Returns false, because this system does not report the pipes of a process.
pub(crate) fn has_lost_its_reader(_: u32) -> bool {
    false
}

/// Returns the process group of a process.
#[cfg(target_os = "macos")]
pub(super) fn group(id: u32) -> Option<u32> {
    let group = rustix::process::getpgid(Some(pid(id)?)).ok()?;
    Some(group.as_raw_nonzero().get().unsigned_abs())
}

/// Returns the process group of a process. On Linux it is unknown if the process is in another namespace.
#[cfg(target_os = "linux")]
pub(super) fn group(id: u32) -> Option<u32> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name in parentheses can contain anything. State, parent and group follow it.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(2)?.parse().ok()
}
