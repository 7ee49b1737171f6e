//! The two directions, each on a thread of its own: what was read is looked at and written before more
//! is read, so order is kept and a slow reader slows down its writer.

use std::cell::Cell;
use std::io::{self, PipeReader, PipeWriter, Read, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::lines::{BLOCK_BYTES, Lines, Next};
use super::session::{Passed, Session, Side};
use crate::process::Commands;

/// The stack of a thread: JSON is looked into to a depth of a thousand.
const STACK_BYTES: usize = 32 << 20;

/// The side of a session that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// The client writes no more, or reads no more.
    Client,
    /// The server writes no more.
    Server,
}

/// The server's input, which either direction may write to and the end closes.
#[derive(Debug, Clone)]
pub(super) struct ServerInput(Arc<Mutex<Option<PipeWriter>>>);

impl ServerInput {
    pub(super) fn new(input: PipeWriter) -> Self {
        Self(Arc::new(Mutex::new(Some(input))))
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut input = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        input.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |input| input.write_all(bytes))
    }

    /// Closes it, unless it is just written to.
    pub(super) fn close(&self) {
        if let Ok(mut input) = self.0.try_lock() {
            input.take();
        }
    }
}

/// Passes on what the client writes, to its end.
pub(super) fn from_client(
    session: Arc<Session>,
    read: impl Read + Send + 'static,
    server: ServerInput,
    over: UnboundedSender<Over>,
) -> io::Result<()> {
    thread("client", move || {
        let mut lines = Lines::new(read, session.settings.max_message_bytes);
        // A server that reads no more may still write: its own end is the end.
        let mut gathered = Gathered::new(|bytes: &[u8]| drop(server.write(bytes)));
        loop {
            match lines.next() {
                Ok(Next::Line) => {
                    session.note_client(lines.line());
                    gathered.add(lines.line(), lines.has_another());
                }
                Ok(Next::Oversized(messages)) => {
                    let reply = session.oversized(Side::Client, &messages);
                    gathered.add(reply.as_bytes(), lines.has_another());
                }
                Ok(Next::End) | Err(_) => break,
            }
        }
        // Here nothing else writes but an answer to what was too long.
        server.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _gone = over.send(Over::Client);
    })
}

/// Passes on what the server writes, to its end. The flag is set while this waits for more.
pub(super) fn from_server(
    session: Arc<Session>,
    read: PipeReader,
    commands: Arc<Commands>,
    server: ServerInput,
    over: UnboundedSender<Over>,
) -> io::Result<Arc<AtomicBool>> {
    let waits = Arc::new(AtomicBool::new(false));
    let watched = Watched { read, waits: Arc::clone(&waits) };
    thread("server", move || {
        let mut lines = Lines::new(watched, session.settings.max_message_bytes);
        let is_gone = Cell::new(false);
        let mut gathered = Gathered::new(|bytes: &[u8]| {
            if !session.to_client(bytes) {
                is_gone.set(true);
            }
        });
        while !is_gone.get() {
            match lines.next() {
                Ok(Next::Line) => {
                    let line = lines.line();
                    let has_another = lines.has_another();
                    match session.judge_server(line, &**commands.store()) {
                        Passed::AsItIs => gathered.add(line, has_another),
                        Passed::Instead(new) => gathered.add(&new, has_another),
                        Passed::Dropped(why) => {
                            gathered.add(b"", has_another);
                            if let Some(why) = why {
                                tracing::warn!(
                                    "a line of the server was passed over, as {why}: {}",
                                    start_of(line)
                                );
                            }
                        }
                    }
                }
                Ok(Next::Oversized(messages)) => {
                    // What came before goes before the answers to this.
                    gathered.add(b"", false);
                    let reply = session.oversized(Side::Server, &messages);
                    if !reply.is_empty() {
                        // Not on this thread: the server may read nothing before its output is taken.
                        let server = server.clone();
                        let _best_effort = thread("reply", move || drop(server.write(reply.as_bytes())));
                    }
                }
                Ok(Next::End) | Err(_) => break,
            }
        }
        if is_gone.get() {
            let _gone = over.send(Over::Client);
        }
        let _gone = over.send(Over::Server);
    })?;
    Ok(waits)
}

/// Messages that are written together: those that came in one read. Nothing is held back while more is waited for.
struct Gathered<W> {
    bytes: Vec<u8>,
    write: W,
}

impl<W: FnMut(&[u8])> Gathered<W> {
    fn new(write: W) -> Self {
        Self { bytes: Vec::new(), write }
    }

    /// Adds a message, and writes all unless there is another to follow at once.
    fn add(&mut self, message: &[u8], has_another: bool) {
        if self.bytes.len() + message.len() > BLOCK_BYTES {
            self.write_all();
        }
        if self.bytes.is_empty() && (!has_another || message.len() > BLOCK_BYTES) {
            if !message.is_empty() {
                (self.write)(message);
            }
            return;
        }
        self.bytes.extend_from_slice(message);
        if !has_another {
            self.write_all();
        }
    }

    fn write_all(&mut self) {
        if !self.bytes.is_empty() {
            (self.write)(&self.bytes);
            self.bytes.clear();
        }
    }
}

/// The start of a line, to be shown.
fn start_of(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let start = String::from_utf8_lossy(line.split_at(line.len().min(200)).0);
    let shown = cutline_core::text::show::name(start.as_bytes());
    cutline_core::text::show::middle_out(&shown, 100).into_owned()
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
    builder.spawn(work).map(drop)
}

/// A stream that tells while it is waited for.
struct Watched<R> {
    read: R,
    waits: Arc<AtomicBool>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waits.store(true, Ordering::Release);
        let read = self.read.read(buffer);
        self.waits.store(false, Ordering::Release);
        read
    }
}
