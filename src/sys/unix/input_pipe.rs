//! The write end of a pipe to another program, which may read nothing for a long time.

#![expect(
    clippy::indexing_slicing,
    reason = "a write returns at most the length of its input, and two descriptors are polled"
)]

use std::io::{self, ErrorKind, PipeWriter, Write as _};
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::retry_on_intr;

/// The events that signal the end of stdin, in addition to those that are always reported. Linux has an event for a
/// socket that is closed in one direction.
#[cfg(target_os = "linux")]
const END: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const END: PollFlags = PollFlags::empty();

/// The write end of a pipe.
#[derive(Debug)]
pub(crate) struct InputPipe(PipeWriter);

impl InputPipe {
    /// Takes ownership of the pipe.
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Self> {
        // This end alone does not block, because the read end is another open file.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self(pipe))
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    ///
    /// Returns `TimedOut` if stdin has lost its writer and the pipe accepts no byte for `grace`.
    pub(crate) fn write_all(&self, mut bytes: &[u8], grace: Duration) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.0).write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(grace)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the pipe accepts more bytes.
    fn wait(&self, grace: Duration) -> io::Result<()> {
        let stdin = rustix::stdio::stdin();
        let pipe = PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::OUT);
        // A file has no writer that could close it.
        if !FileType::from_raw_mode(rustix::fs::fstat(stdin)?.st_mode).is_file() {
            let mut both = [pipe.clone(), PollFd::new(&stdin, END)];
            retry_on_intr(|| poll(&mut both, None))?;
            if !both[0].revents().is_empty() {
                return Ok(());
            }
        }
        let grace = Timespec::try_from(grace).map_err(io::Error::other)?;
        match retry_on_intr(|| poll(&mut [pipe.clone()], Some(&grace)))? {
            0 => Err(ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }
}
