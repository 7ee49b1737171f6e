//! Asynchronous stdin and stdout.
//!
//! On Linux, they need no thread if both are pipes. Otherwise (sockets, files, terminals, and all other systems), there is
//! one thread for each direction. The threads start with the session, because the system may refuse to create one
//! later.

#![expect(clippy::indexing_slicing, reason = "a read returns at most the length of the buffer")]

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::ServerJsonRpcMessage;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};
use tokio::sync::{Mutex, oneshot};
use tokio_util::io::SyncIoBridge;

use crate::fs;

/// Size in bytes of the buffer between a thread and the runtime.
const BUFFER_BYTES: usize = 64 * 1024;
/// Stack size in bytes of a thread, which only copies.
const STACK_BYTES: usize = 256 * 1024;
/// Time between two checks whether stdout still has a reader.
const CHECK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(500);

/// A counter of written bytes. If it grows, the stream accepts bytes; the client may not have read them yet. Its value
/// means nothing else, because a thread for stdout counts each byte a second time.
pub(super) type Written = Arc<AtomicUsize>;

/// The stream of the client's messages.
pub(super) type InputStream = Box<dyn AsyncRead + Send + Unpin>;
/// The stream to the client.
pub(super) type OutputStream = Box<dyn AsyncWrite + Send + Unpin>;

/// The two streams.
pub(super) struct Stdio {
    pub(super) read: InputStream,
    pub(super) write: OutputStream,
    pub(super) written: Written,
    /// Resolves after the writer was closed and all output was written, or earlier if writing failed. Without a thread
    /// it resolves at once.
    pub(super) output_done: oneshot::Receiver<()>,
}

impl Stdio {
    /// Opens both streams. Needs a tokio runtime.
    pub(super) fn open() -> io::Result<Self> {
        let written = Written::default();
        let (done, output_done) = oneshot::channel();
        if let Some((read, write)) = pipes() {
            // All output is written when a write returns.
            drop(done);
            return Ok(Self { read: Box::new(read), write: Box::new(write), written, output_done });
        }
        let (read, written_to) = tokio::io::duplex(BUFFER_BYTES);
        let (write, read_from) = tokio::io::duplex(BUFFER_BYTES);
        let (written_to, read_from) = (SyncIoBridge::new(written_to), SyncIoBridge::new(read_from));
        start("stdin", move || copy_input(written_to))?;
        let count = Arc::clone(&written);
        start("stdout", move || {
            copy_output(read_from, &count);
            let _nobody_waits = done.send(());
        })?;
        Ok(Self { read: Box::new(read), write: Box::new(write), written, output_done })
    }
}

/// Writes the messages of the server, one line each. The future of each message shares the stream, which is `None` after
/// it was closed.
pub(super) struct MessageOutput {
    write: Arc<Mutex<Option<OutputStream>>>,
    written: Written,
}

impl MessageOutput {
    /// Creates an output that writes to `write` and counts the bytes in `written`.
    pub(super) fn new(write: OutputStream, written: Written) -> Self {
        Self { write: Arc::new(Mutex::new(Some(write))), written }
    }

    /// Writes a message after all queued ones. It is serialized only when its turn comes, so that at most one message
    /// is in memory twice.
    pub(super) fn send(
        &self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, written) = (Arc::clone(&self.write), Arc::clone(&self.written));
        async move {
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            let mut line = serde_json::to_vec(&message)?;
            drop(message);
            line.push(b'\n');
            let mut rest = line.as_slice();
            while !rest.is_empty() {
                let taken = write.write(rest).await?;
                rest = rest.get(taken..).filter(|_| taken > 0).ok_or(io::ErrorKind::WriteZero)?;
                written.fetch_add(taken, Ordering::Relaxed);
            }
            write.flush().await
        }
    }

    /// Closes the stream.
    pub(super) async fn close(&self) {
        *self.write.lock().await = None;
    }
}

/// Starts a thread with this name for `work`.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
    thread
        .spawn(work)
        .map(drop)
        .map_err(|error| io::Error::new(error.kind(), format!("no thread for {name}: {error}")))
}

/// Copies stdin until its end, or until the session ends.
fn copy_input(mut to: SyncIoBridge<DuplexStream>) {
    match io::copy(&mut fs::stdin(), &mut to) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            tracing::error!(%error, "reading the input failed");
        }
        _ => {}
    }
}

/// Copies to stdout until the end of `from`, or until stdout is closed.
fn copy_output(mut from: SyncIoBridge<DuplexStream>, written: &AtomicUsize) {
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut stdout = fs::stdout();
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let copied = stdout.write_all(&buffer[..read]);
        if copied.and_then(|()| stdout.flush()).is_err() {
            return;
        }
        written.fetch_add(read, Ordering::Relaxed);
    }
}

/// Waits until stdout has no reader.
pub(super) async fn output_closed() {
    while !output_is_closed() {
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Opens both streams again, so that making them non-blocking does not affect other processes. Returns `None` if one of
/// them is not a pipe, or without `/proc`, which only Linux has.
fn pipes() -> Option<(Receiver, Sender)> {
    let read = OpenOptions::new().open_receiver("/proc/self/fd/0").ok()?;
    Some((read, OpenOptions::new().open_sender("/proc/self/fd/1").ok()?))
}

/// Returns true if stdout has no reader.
fn output_is_closed() -> bool {
    let stdout = rustix::stdio::stdout();
    let polled = poll(&mut [PollFd::new(&stdout, PollFlags::empty())], Some(&Timespec::default()));
    polled.is_ok_and(|ready| ready > 0)
}
