//! Forwards the two directions, each on its own thread. A thread reads a line, processes it and writes it before it
//! reads the next one. This preserves the order and applies backpressure.

use std::borrow::Cow;
use std::io::{self, PipeReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use tokio_util::sync::CancellationToken;

use super::lines::{BLOCK_BYTES, Lines, Next};
use super::session::{Session, Side};
use super::{END_GRACE, locked};
use crate::envelope::Envelope;
use crate::process::InputPipe;

/// Maximum number of replies to the server that wait until it reads. Further ones are dropped.
const MAX_REPLIES: usize = 16;
/// Stack size of a thread in bytes. Truncation of JSON recurses up to a thousand levels.
const STACK_BYTES: usize = 32 << 20;

/// The server's stdin. Both directions write to it, and the end of the session closes it.
#[derive(Debug, Clone)]
pub(super) struct ServerInput(Arc<Mutex<Option<InputPipe>>>);

impl ServerInput {
    pub(super) fn new(input: InputPipe) -> Self {
        Self(Arc::new(Mutex::new(Some(input))))
    }

    /// Writes all bytes. Returns an error if the client has closed its side and the server does not read.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        match locked(&self.0).as_ref().map(|input| input.write_all(bytes, END_GRACE)) {
            Some(Err(error)) if error.kind() == io::ErrorKind::TimedOut => Err(error),
            // A server that no longer reads can still write. Only its end ends the session.
            _ => Ok(()),
        }
    }

    /// Closes the input, unless a thread is writing to it.
    pub(super) fn close(&self) {
        if let Ok(mut input) = self.0.try_lock() {
            input.take();
        }
    }
}

/// Signals for the end of both sides.
#[derive(Debug, Default)]
pub(super) struct Over {
    /// Fires when the client closes its output or its input.
    pub(super) client: CancellationToken,
    /// Fires when the server closes its output.
    pub(super) server: CancellationToken,
}

/// Forwards messages from the client to the server until the end of the stream.
pub(super) fn from_client(
    session: Arc<Session>,
    read: impl Read + Send + 'static,
    server: ServerInput,
    over: &Over,
) -> io::Result<()> {
    let over = over.client.clone().drop_guard();
    thread("client", move || {
        let lines = Lines::new(read, session.settings.max_message_bytes);
        let oversized = |line: Envelope| session.oversized(Side::Client, &line).into_bytes();
        let write_all = |bytes: &[u8]| server.write_all(bytes);
        let _or_left = pass_on(lines, |line| session.note_client(line).into(), oversized, write_all);
        // This comes first, because another thread can be blocked in a write to the server until the session ends.
        drop(over);
        locked(&server.0).take();
    })
}

/// Forwards messages from the server to the client until the end of the stream. Returns the number of started and ended
/// reads, which is odd during a read.
pub(super) fn from_server(
    session: Arc<Session>,
    read: PipeReader,
    server: ServerInput,
    over: &Over,
) -> io::Result<Arc<AtomicU64>> {
    let reads = Arc::new(AtomicU64::new(0));
    let watched = Watched { read, reads: Arc::clone(&reads) };
    let (client_over, over) = (over.client.clone(), over.server.clone().drop_guard());
    let (replies, queue) = mpsc::sync_channel::<String>(MAX_REPLIES);
    // On a separate thread, because the server may not read until its own output is read.
    thread("replies", move || queue.iter().for_each(|reply| drop(server.write_all(reply.as_bytes()))))?;
    thread("server", move || {
        let _over = over;
        let lines = Lines::new(watched, session.settings.max_message_bytes);
        let oversized = |line: Envelope| {
            let reply = session.oversized(Side::Server, &line);
            if !reply.is_empty() {
                let _dropped_if_full = replies.try_send(reply);
            }
            Vec::new()
        };
        let write_all = |bytes: &[u8]| session.to_client(bytes);
        if pass_on(lines, |line| session.check_server_message(line), oversized, write_all).is_err() {
            client_over.cancel();
        }
    })?;
    Ok(reads)
}

/// Forwards the result of `check` for each line, and of `oversized` for each line over the limit. Lines from one read
/// are written together, but a line never waits for more input. Returns an error if `write_all` fails.
fn pass_on<R: Read>(
    mut lines: Lines<R>,
    check: impl for<'l> Fn(&'l [u8]) -> Cow<'l, [u8]>,
    oversized: impl Fn(Envelope) -> Vec<u8>,
    write_all: impl Fn(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut gathered = Vec::new();
    let write = |bytes: &[u8]| if bytes.is_empty() { Ok(()) } else { write_all(bytes) };
    loop {
        if !lines.has_another() {
            // Let the writer run first. Then one read returns several messages, and the writer does not wake this
            // thread for each of them.
            std::thread::yield_now();
        }
        let message = match lines.next() {
            Ok(Next::End) | Err(_) => return Ok(()),
            Ok(Next::Line(line)) => check(line),
            Ok(Next::Oversized(line)) => {
                // Earlier messages are sent before the replies to this one.
                write(&std::mem::take(&mut gathered))?;
                oversized(line).into()
            }
        };
        if gathered.len() + message.len() > BLOCK_BYTES {
            write(&std::mem::take(&mut gathered))?;
        }
        if message.len() > BLOCK_BYTES {
            write(&message)?;
        } else {
            gathered.extend_from_slice(&message);
        }
        if !lines.has_another() {
            write(&gathered)?;
            gathered.clear();
        }
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
    builder.spawn(work).map(drop)
}

/// A stream that counts the starts and ends of its reads.
struct Watched<R> {
    read: R,
    reads: Arc<AtomicU64>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads.fetch_add(1, Ordering::Release);
        let read = self.read.read(buffer);
        self.reads.fetch_add(1, Ordering::Release);
        read
    }
}
