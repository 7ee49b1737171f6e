//! The pipes of the server. Each has a thread, so that no pipe can block a test.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Writes all sent bytes to the server until the sender is dropped.
pub(super) fn write_from(mut stdin: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, receiver) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in receiver {
            if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Returns a channel that receives each line of the server.
pub(super) fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n') {
            let Ok(line) = line else { return };
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Collects the output of the server on stderr.
pub(super) fn collect(mut stderr: ChildStderr, into: Arc<Mutex<Vec<u8>>>) {
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut piece) {
            into.lock().expect("stderr").extend_from_slice(&piece[..read]);
        }
    });
}
