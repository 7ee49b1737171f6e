//! The end of a pipe that is read from, by one thread that others can stop.

use std::io::{self, PipeReader};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};

/// The reading end of a pipe.
pub(crate) struct OutputPipe {
    pipe: PipeReader,
    /// A descriptor that the thread also waits for, and another one that wakes it for good, if that is
    /// separate.
    waker: (OwnedFd, Option<OwnedFd>),
    /// True while the thread waits, having taken all there was.
    idle: AtomicBool,
}

impl OutputPipe {
    /// Takes the pipe over.
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        // This end alone does not block; the writers' end is another open file.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe, waker: waker()?, idle: AtomicBool::new(false) })
    }

    /// Waits until there is something, and reads it; 0 at the pipe's end, or once it is stopped.
    pub(crate) fn read(&self, block: &mut [u8]) -> io::Result<usize> {
        let pipe = PollFd::from_borrowed_fd(self.pipe.as_fd(), PollFlags::IN);
        let stop = PollFd::from_borrowed_fd(self.waker.0.as_fd(), PollFlags::IN);
        let mut fds = [pipe, stop];
        loop {
            self.idle.store(true, Ordering::Release);
            let waited = retry_on_intr(|| poll(&mut fds, None));
            self.idle.store(false, Ordering::Release);
            waited?;
            if !fds[1].revents().is_empty() {
                return Ok(0);
            }
            match retry_on_intr(|| rustix::io::read(&self.pipe, &mut *block)) {
                // A command opened its own output for reading, and was quicker.
                Err(Errno::AGAIN) => {}
                read => return Ok(read?),
            }
        }
    }

    /// Stops the reader. The system tells those that still write, once this is dropped.
    pub(crate) fn stop(&self) {
        let (waited_for, wakes) = &self.waker;
        let _never_full = rustix::io::write(wakes.as_ref().unwrap_or(waited_for), &1_u64.to_ne_bytes());
    }

    /// Returns how many bytes wait in it.
    pub(crate) fn waiting(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.pipe).unwrap_or(0)
    }

    /// True if the reader waits for more, having taken all there was.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Returns the pipe's inode, which identifies the processes that have it open.
    pub(crate) fn id(&self) -> u64 {
        rustix::fs::fstat(&self.pipe).map_or(0, |stat| stat.st_ino)
    }
}

/// Returns a descriptor that stays readable once it was written, or the other one, if there is one.
#[cfg(target_os = "linux")]
fn waker() -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    Ok((rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?, None))
}

/// The same where only a pipe is like that.
#[cfg(not(target_os = "linux"))]
fn waker() -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    let (waited_for, wakes) = io::pipe()?;
    Ok((waited_for.into(), Some(wakes.into())))
}
