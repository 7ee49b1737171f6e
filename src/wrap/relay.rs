//! The two directions, each on a thread of its own: what was read is looked at and written before more
//! is read, so order is kept and a slow reader slows down its writer.

use std::io::{self, PipeReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::UnboundedSender;

use super::lines::{BLOCK_BYTES, Lines, Next};
use super::session::{Passed, Session, Side};
use super::{END_GRACE, locked};
use crate::process::{Commands, InputPipe};

/// The stack of a thread: JSON is looked into to a depth of a thousand.
const STACK_BYTES: usize = 32 << 20;

/// The server's input, which either direction may write to and the end closes.
#[derive(Debug, Clone)]
pub(super) struct ServerInput(Arc<Mutex<Option<InputPipe>>>);

impl ServerInput {
    pub(super) fn new(input: InputPipe) -> Self {
        Self(Arc::new(Mutex::new(Some(input))))
    }

    /// Writes to it; false where the client has written its last and the server takes no more.
    fn write(&self, bytes: &[u8]) -> bool {
        let written = locked(&self.0).as_ref().map(|input| input.write_all(bytes, END_GRACE));
        // A server that reads no more may still write: its own end is the end.
        !matches!(written, Some(Err(error)) if error.kind() == io::ErrorKind::TimedOut)
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
    over: UnboundedSender<Side>,
) -> io::Result<()> {
    thread("client", move || {
        let judge = |next: Next, line: &[u8]| match next {
            Next::Oversized(line) => Passed::Instead(session.oversized(Side::Client, &line).into_bytes()),
            Next::Line | Next::End => {
                session.note_client(line);
                Passed::AsItIs
            }
        };
        let lines = Lines::new(read, session.settings.max_message_bytes);
        pass_on(lines, judge, |bytes| server.write(bytes));
        // Here nothing else writes but an answer to what was too long.
        locked(&server.0).take();
        let _gone = over.send(Side::Client);
    })
}

/// Passes on what the server writes, to its end. The flag is set while this waits for more.
pub(super) fn from_server(
    session: Arc<Session>,
    read: PipeReader,
    commands: Arc<Commands>,
    server: ServerInput,
    over: UnboundedSender<Side>,
) -> io::Result<Arc<AtomicBool>> {
    let waits = Arc::new(AtomicBool::new(false));
    let watched = Watched { read, waits: Arc::clone(&waits) };
    thread("server", move || {
        let judge = |next: Next, line: &[u8]| match next {
            Next::Oversized(line) => {
                let reply = session.oversized(Side::Server, &line);
                if !reply.is_empty() {
                    let server = server.clone();
                    // Not on this thread: the server may read nothing before its output is taken.
                    let _best_effort = thread("reply", move || {
                        server.write(reply.as_bytes());
                    });
                }
                Passed::Dropped
            }
            Next::Line | Next::End => session.judge_server(line, &**commands.store()),
        };
        let lines = Lines::new(watched, session.settings.max_message_bytes);
        if !pass_on(lines, judge, |bytes| session.to_client(bytes)) {
            let _gone = over.send(Side::Client);
        }
        let _gone = over.send(Side::Server);
    })?;
    Ok(waits)
}

/// Passes lines on as `judge` decides, until their end; false where `write` can write no more. Those that came in one read
/// are written together, and nothing is held back while more is waited for.
fn pass_on<R: Read>(
    mut lines: Lines<R>,
    mut judge: impl FnMut(Next, &[u8]) -> Passed,
    mut write: impl FnMut(&[u8]) -> bool,
) -> bool {
    let mut gathered = Vec::new();
    let mut write = |bytes: &[u8]| bytes.is_empty() || write(bytes);
    loop {
        if !lines.has_another() {
            // Whoever waits for this processor runs first: what is written meanwhile comes in one read, and its writer
            // need not wake this thread for each message.
            std::thread::yield_now();
        }
        let next = match lines.next() {
            Ok(Next::End) | Err(_) => return true,
            Ok(next) => next,
        };
        let mut is_written = true;
        if matches!(next, Next::Oversized(_)) {
            // What came before goes before the answers to this.
            is_written = write(&std::mem::take(&mut gathered));
        }
        let passed = judge(next, lines.line());
        let message: &[u8] = match &passed {
            Passed::AsItIs => lines.line(),
            Passed::Instead(new) => new,
            Passed::Dropped => b"",
        };
        let has_another = lines.has_another();
        if gathered.len() + message.len() > BLOCK_BYTES {
            is_written &= write(&gathered);
            gathered.clear();
        }
        if gathered.is_empty() && (!has_another || message.len() > BLOCK_BYTES) {
            is_written &= write(message);
        } else {
            gathered.extend_from_slice(message);
            if !has_another {
                is_written &= write(&gathered);
                gathered.clear();
            }
        }
        if !is_written {
            return false;
        }
    }
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
