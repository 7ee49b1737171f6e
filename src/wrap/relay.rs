//! The two directions, each on a thread of its own: what was read is looked at and written before more
//! is read, so order is kept and a slow reader slows down its writer.

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

/// Replies to the server that wait until it reads. More are dropped.
const MAX_REPLIES: usize = 16;
/// The stack of a thread: JSON is looked into to a depth of a thousand.
const STACK_BYTES: usize = 32 << 20;

/// The server's input, which either direction may write to and the end closes.
#[derive(Debug, Clone)]
pub(super) struct ServerInput(Arc<Mutex<Option<InputPipe>>>);

impl ServerInput {
    pub(super) fn new(input: InputPipe) -> Self {
        Self(Arc::new(Mutex::new(Some(input))))
    }

    /// Writes all of it. It fails where the client has written its last and the server takes no more.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        match locked(&self.0).as_ref().map(|input| input.write_all(bytes, END_GRACE)) {
            Some(Err(error)) if error.kind() == io::ErrorKind::TimedOut => Err(error),
            // A server that reads no more may still write: its own end is the end.
            _ => Ok(()),
        }
    }

    /// Closes it, unless it is just written to.
    pub(super) fn close(&self) {
        if let Ok(mut input) = self.0.try_lock() {
            input.take();
        }
    }
}

/// The ends of both sides.
#[derive(Debug, Default)]
pub(super) struct Over {
    /// Fires once the client writes or reads no more.
    pub(super) client: CancellationToken,
    /// Fires once the server writes no more.
    pub(super) server: CancellationToken,
}

/// Passes on what the client writes, to its end.
pub(super) fn from_client(
    session: Arc<Session>,
    read: impl Read + Send + 'static,
    server: ServerInput,
    over: &Over,
) -> io::Result<()> {
    let over = over.client.clone().drop_guard();
    thread("client", move || {
        let _over = over;
        let lines = Lines::new(read, session.settings.max_message_bytes);
        let oversized = |line: Envelope| session.oversized(Side::Client, line).into_bytes();
        let write_all = |bytes: &[u8]| server.write_all(bytes);
        let _or_left = pass_on(lines, |line| session.note_client(line).into(), oversized, write_all);
        // Here nothing else writes but an answer to what was too long.
        locked(&server.0).take();
    })
}

/// Passes on what the server writes, to its end. The number is of the reads that were begun and ended: while one is open, it
/// is odd.
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
    // On a thread of its own: the server may not read before its output is read.
    thread("replies", move || queue.iter().for_each(|reply| drop(server.write_all(reply.as_bytes()))))?;
    thread("server", move || {
        let _over = over;
        let lines = Lines::new(watched, session.settings.max_message_bytes);
        let oversized = |line: Envelope| {
            let reply = session.oversized(Side::Server, line);
            if !reply.is_empty() {
                let _dropped_if_full = replies.try_send(reply);
            }
            Vec::new()
        };
        let write_all = |bytes: &[u8]| session.to_client(bytes);
        if pass_on(lines, |line| session.judge_server(line), oversized, write_all).is_err() {
            client_over.cancel();
        }
    })?;
    Ok(reads)
}

/// Passes each line on as `judge` returns it, and for one that is too long what `oversized` returns, until their end; it fails
/// where `write_all` can write no more. Those that came in one read are written together, and nothing is held back while
/// more is waited for.
fn pass_on<R: Read>(
    mut lines: Lines<R>,
    judge: impl for<'l> Fn(&'l [u8]) -> Cow<'l, [u8]>,
    oversized: impl Fn(Envelope) -> Vec<u8>,
    write_all: impl Fn(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut gathered = Vec::new();
    let write = |bytes: &[u8]| if bytes.is_empty() { Ok(()) } else { write_all(bytes) };
    loop {
        if !lines.has_another() {
            // Whoever waits for this processor runs first: what is written meanwhile comes in one read, and its writer
            // need not wake this thread for each message.
            std::thread::yield_now();
        }
        let message = match lines.next() {
            Ok(Next::End) | Err(_) => return Ok(()),
            Ok(Next::Line(line)) => judge(line),
            Ok(Next::Oversized(line)) => {
                // What came before goes before the answers to this.
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

/// A stream whose reads are counted as they begin and as they end.
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
