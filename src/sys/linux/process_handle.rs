//! A hold on exactly one process: a pidfd of it, opened and then proven to be of the one that was seen.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::processes::process_info;
use super::reserve::{self, ReservedFd};
use crate::sys::OutOfDescriptors;

/// A hold on one process.
pub(crate) struct ProcessHandle(ReservedFd);

impl ProcessHandle {
    /// A hold on exactly that process, which has not ended; `None` where it has, or is not this user's.
    pub(crate) fn on(id: u32, start: u64) -> Result<Option<Self>, OutOfDescriptors> {
        let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return Ok(None) };
        let fd = reserve::lend(|| pidfd_open(pid, PidfdFlags::empty()))?;
        // What was opened is the one that was seen only if it is so now that it is held.
        let same = process_info(id)?.is_some_and(|now| now.start == start && !now.ended);
        Ok(fd.filter(|_| same).map(Self))
    }

    /// Whether others need what it takes: it is to be let go soon.
    pub(crate) fn is_spare(&self) -> bool {
        self.0.is_spare()
    }

    /// Sends it `signal`.
    pub(crate) fn send(&self, signal: Signal) -> Result<(), Errno> {
        pidfd_send_signal(&self.0, signal)
    }
}

/// Waits until one of them has ended, at most `pause`; which of them have.
pub(crate) fn ended(grips: &[&ProcessHandle], pause: Duration) -> Result<Vec<bool>, Errno> {
    let mut fds: Vec<PollFd<'_>> = grips.iter().map(|grip| PollFd::new(&grip.0, PollFlags::IN)).collect();
    poll(&mut fds, Timespec::try_from(pause).ok().as_ref())?;
    Ok(fds.iter().map(|fd| !fd.revents().is_empty()).collect())
}
