//! stdin and stdout, which whatever started this process may have made streams that do not block.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};

/// One of the two: it waits where nothing can be read or written at once.
#[derive(Debug)]
pub(crate) struct Stream(BorrowedFd<'static>);

/// Returns stdin, without a buffer.
pub(crate) fn stdin() -> Stream {
    Stream(rustix::stdio::stdin())
}

/// Returns stdout, without a buffer.
pub(crate) fn stdout() -> Stream {
    Stream(rustix::stdio::stdout())
}

impl Stream {
    /// Does `transfer` once the stream is ready for it.
    fn when_ready(
        &self,
        ready: PollFlags,
        mut transfer: impl FnMut(BorrowedFd<'static>) -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        loop {
            match transfer(self.0) {
                Err(Errno::AGAIN) => {
                    retry_on_intr(|| poll(&mut [PollFd::new(&self.0, ready)], None))?;
                }
                done => return Ok(done?),
            }
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::IN, |stream| rustix::io::read(stream, &mut *buffer))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::OUT, |stream| rustix::io::write(stream, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
