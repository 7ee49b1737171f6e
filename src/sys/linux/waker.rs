//! Waking a thread that waits for a pipe.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;

/// Something to wait for beside a pipe.
pub(in crate::sys) struct Waker(OwnedFd);

impl Waker {
    /// Descriptors that it takes.
    pub(in crate::sys) const DESCRIPTORS: u32 = 1;

    /// Returns one that was not used.
    pub(in crate::sys) fn new() -> Result<Self, Errno> {
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map(Self)
    }

    /// Wakes the thread that waits for it, now and from now on.
    pub(in crate::sys) fn wake(&self) {
        let _full_is_awake_too = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
