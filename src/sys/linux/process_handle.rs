//! A handle on exactly one process: a pidfd, opened and then proven to be of the process that was seen.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::processes::{process_info, seen};
use crate::sys::{OutOfDescriptors, pid};

/// A handle on one process.
pub(crate) struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// Returns a handle on exactly that process; `None` where it has ended, or is not this user's.
    pub(crate) fn on(id: u32, start: u64) -> Result<Option<Self>, OutOfDescriptors> {
        let Some(pid) = pid(id) else { return Ok(None) };
        let fd = seen(pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from))?;
        // What was opened is the one that was seen only if it is so now that it is open.
        let same = process_info(id)?.is_some_and(|now| now.start == start && !now.ended);
        Ok(fd.filter(|_| same).map(Self))
    }

    /// Sends it `signal`.
    pub(crate) fn send(&self, signal: Signal) -> Result<(), Errno> {
        pidfd_send_signal(&self.0, signal)
    }
}

/// Waits until one of the processes has ended, at most `pause`; returns for each whether it has.
pub(crate) fn ended(handles: &[ProcessHandle], pause: Duration) -> Result<Vec<bool>, Errno> {
    let mut fds: Vec<PollFd<'_>> =
        handles.iter().map(|handle| PollFd::new(&handle.0, PollFlags::IN)).collect();
    poll(&mut fds, Timespec::try_from(pause).ok().as_ref())?;
    Ok(fds.iter().map(|fd| !fd.revents().is_empty()).collect())
}
