//! stdin and stdout, which the parent process may have made non-blocking, and stderr, which the parent may never read.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::PIPE_BUF;

/// stdin or stdout. It waits if it is non-blocking and not ready.
#[derive(Debug)]
pub(crate) struct Stream(BorrowedFd<'static>);

/// Returns stdin without a buffer.
pub(crate) fn stdin() -> Stream {
    Stream(rustix::stdio::stdin())
}

/// Returns stdout without a buffer.
pub(crate) fn stdout() -> Stream {
    Stream(rustix::stdio::stdout())
}

/// Writes the log to stderr. It drops lines that can't be written immediately, so that no call waits for a reader.
#[derive(Debug)]
pub(crate) struct LogStream;

/// Number of lines that were lost since the last written one. Locked while a line is written.
static LOST_LINES: Mutex<u64> = Mutex::new(0);

/// Returns the stream for log lines.
pub(crate) fn log_stream() -> LogStream {
    LogStream
}

impl Write for LogStream {
    /// Writes a complete line, or drops it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lost = LOST_LINES.lock().unwrap_or_else(PoisonError::into_inner);
        let note = format!("Lines lost before this one, as stderr was full: {lost}\n");
        let text = [if *lost > 0 { note.as_bytes() } else { b"" }, line].concat();
        *lost += 1;
        let stderr = rustix::stdio::stderr();
        // A ready pipe accepts this number of bytes without waiting.
        for part in text.chunks(PIPE_BUF) {
            let is_ready = poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], Some(&Timespec::default()));
            if is_ready != Ok(1) || rustix::io::write(stderr, part).is_err() {
                return Ok(line.len());
            }
        }
        *lost = 0;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream {
    /// Calls `transfer` when the stream is ready.
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
