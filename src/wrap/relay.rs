//! The two directions, each on a thread of its own: a message is read, looked at and written before the
//! next one is read, so order is kept and a slow reader slows down its writer.

use std::io::{self, PipeReader, PipeWriter, Read, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::lines::{Lines, Next};
use super::session::{Passed, Session};
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
        loop {
            match lines.next() {
                Ok(Next::Line) => {
                    session.note_client(lines.line());
                    // A server that reads no more may still write: its own end is the end.
                    let _closed = server.write(lines.line());
                }
                Ok(Next::Oversized(message)) => {
                    if let Some(reply) = session.oversized_from_client(&message) {
                        let _closed = server.write(reply.as_bytes());
                    }
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
        loop {
            let line = match lines.next() {
                Ok(Next::Line) => lines.line(),
                Ok(Next::Oversized(message)) => {
                    if let Some(reply) = session.oversized_from_server(&message) {
                        // Not on this thread: the server may read nothing before its output is taken.
                        let server = server.clone();
                        let _best_effort = thread("reply", move || drop(server.write(reply.as_bytes())));
                    }
                    continue;
                }
                Ok(Next::End) | Err(_) => break,
            };
            let is_written = match session.judge_server(line, &**commands.store()) {
                Passed::AsItIs => session.to_client(line),
                Passed::Instead(new) => session.to_client(&new),
                Passed::Dropped(why) => {
                    if let Some(why) = why {
                        tracing::warn!("a line of the server was passed over, as {why}: {}", start_of(line));
                    }
                    true
                }
            };
            if !is_written {
                let _gone = over.send(Over::Client);
                break;
            }
        }
        let _gone = over.send(Over::Server);
    })?;
    Ok(waits)
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
