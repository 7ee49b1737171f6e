//! Pipes to and from other programs, and the streams of this process.
//!
//! The parent process may have made stdin and stdout non-blocking, and may never read stderr.

#![expect(
    clippy::indexing_slicing,
    reason = "a write returns at most the length of its input, and two descriptors are polled"
)]

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::PIPE_BUF;

/// The events that signal the end of stdin, in addition to those that are always reported. Linux has an event for a
/// socket that is closed in one direction.
#[cfg(target_os = "linux")]
const END: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const END: PollFlags = PollFlags::empty();

/// Maximum capacity of a pipe in bytes. A program of an unprivileged user cannot set a larger one.
const MAX_PIPE_BYTES: u64 = 1 << 20;

/// The read end of a pipe. One thread reads it, and other threads can stop that thread.
pub(crate) struct OutputPipe {
    /// `None` only while this is dropped.
    pipe: Option<PipeReader>,
    /// A pipe that the thread also waits for. A byte in it stops the thread.
    stop: (PipeReader, PipeWriter),
    /// True while the thread waits because the pipe is empty.
    idle: AtomicBool,
    /// True if the thread has read the end of the pipe.
    has_ended: AtomicBool,
}

impl OutputPipe {
    /// Takes ownership of the pipe.
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        // This end alone does not block, because the write end is another open file.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let (idle, has_ended) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self { pipe: Some(pipe), stop: io::pipe()?, idle, has_ended })
    }

    /// Waits until there are bytes, and reads them. Returns 0 at the end of the pipe, or if the reader was stopped.
    pub(crate) fn read(&self, block: &mut [u8]) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        let reader = PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN);
        let stop = PollFd::from_borrowed_fd(self.stop.0.as_fd(), PollFlags::IN);
        let mut fds = [reader, stop];
        loop {
            self.idle.store(true, Ordering::Release);
            let waited = retry_on_intr(|| poll(&mut fds, None));
            self.idle.store(false, Ordering::Release);
            waited?;
            if !fds[1].revents().is_empty() {
                return Ok(0);
            }
            match retry_on_intr(|| rustix::io::read(pipe, &mut *block)) {
                // A command opened its own output for reading and took the bytes first.
                Err(Errno::AGAIN) => {}
                read => {
                    self.has_ended.store(read == Ok(0), Ordering::Release);
                    return Ok(read?);
                }
            }
        }
    }

    /// Stops the reader. Programs that still write get an error when this pipe is dropped.
    pub(crate) fn stop(&self) {
        let _never_full = (&self.stop.1).write(&[0]);
    }

    /// Returns the maximum number of unread bytes in the pipe, which is 0 if there are none. Does not ask for the number,
    /// because that waits for a process that holds the lock of the pipe, as splice does.
    pub(crate) fn waiting(&self) -> u64 {
        let Some(pipe) = &self.pipe else { return 0 };
        let mut fds = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)];
        let is_ready = poll(&mut fds, Some(&Timespec::default()));
        if is_ready.is_ok() && fds[0].revents().contains(PollFlags::IN) { MAX_PIPE_BYTES } else { 0 }
    }

    /// Returns true if the reader waits because the pipe is empty.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Acquire)
    }

    /// Returns the pipe's inode, which identifies the processes that have it open.
    pub(crate) fn id(&self) -> u64 {
        self.pipe.as_ref().and_then(|pipe| rustix::fs::fstat(pipe).ok()).map_or(0, |stat| stat.st_ino)
    }
}

impl Drop for OutputPipe {
    fn drop(&mut self) {
        // Closing a pipe waits for a process that holds its lock.
        if !self.has_ended.load(Ordering::Acquire) {
            let pipe = self.pipe.take();
            let _closed_here_without_a_thread = std::thread::Builder::new().spawn(move || drop(pipe));
        }
    }
}

/// The write end of a pipe to another program, which may read nothing for a long time.
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
