//! Waking a thread that waits for a pipe: another pipe.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd, BorrowedFd};

/// Something to wait for beside a pipe.
pub(in crate::sys) struct Waker {
    waited_for: PipeReader,
    wakes: PipeWriter,
}

impl Waker {
    /// Descriptors that it takes.
    pub(in crate::sys) const DESCRIPTORS: u32 = 2;

    /// Returns one that was not used.
    pub(in crate::sys) fn new() -> io::Result<Self> {
        let (waited_for, wakes) = io::pipe()?;
        rustix::io::ioctl_fionbio(&wakes, true)?;
        Ok(Self { waited_for, wakes })
    }

    /// Wakes the thread that waits for it, now and from now on.
    pub(in crate::sys) fn wake(&self) {
        let _full_is_awake_too = (&self.wakes).write(&[1]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.waited_for.as_fd()
    }
}
