//! The read end of a pipe. One thread reads it, and other threads can stop that thread.

use std::io::{self, PipeReader};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};

/// The read end of a pipe.
pub(crate) struct OutputPipe {
    pipe: PipeReader,
    /// A descriptor that the thread also waits for. The second one, if it is separate, wakes the thread permanently.
    waker: (OwnedFd, Option<OwnedFd>),
    /// True while the thread waits because the pipe is empty.
    idle: AtomicBool,
}

impl OutputPipe {
    /// Takes ownership of the pipe.
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        // This end alone does not block, because the write end is another open file.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe, waker: waker()?, idle: AtomicBool::new(false) })
    }

    /// Waits until there are bytes, and reads them. Returns 0 at the end of the pipe, or if the reader was stopped.
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
                // A command opened its own output for reading and took the bytes first.
                Err(Errno::AGAIN) => {}
                read => return Ok(read?),
            }
        }
    }

    /// Stops the reader. Programs that still write get an error when this pipe is dropped.
    pub(crate) fn stop(&self) {
        let (waited_for, wakes) = &self.waker;
        let _never_full = rustix::io::write(wakes.as_ref().unwrap_or(waited_for), &1_u64.to_ne_bytes());
    }

    /// Returns the number of unread bytes in the pipe.
    pub(crate) fn waiting(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.pipe).unwrap_or(0)
    }

    /// Returns true if the reader waits because the pipe is empty.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Returns the pipe's inode, which identifies the processes that have it open.
    pub(crate) fn id(&self) -> u64 {
        rustix::fs::fstat(&self.pipe).map_or(0, |stat| stat.st_ino)
    }
}

/// Creates a descriptor that stays readable once it was written to. The second descriptor writes to it, if it needs
/// one.
#[cfg(target_os = "linux")]
fn waker() -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    Ok((rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?, None))
}

/// Creates a pipe for this, on systems that have nothing else.
#[cfg(not(target_os = "linux"))]
fn waker() -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    let (waited_for, wakes) = io::pipe()?;
    Ok((waited_for.into(), Some(wakes.into())))
}
