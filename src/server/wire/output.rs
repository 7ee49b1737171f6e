//! The messages of the server, a line each.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

use crate::server::stdio::{self, Written};

/// Capacity that is kept from one line to the next: that of an ordinary answer.
const KEPT_BYTES: usize = 256 * 1024;

/// The stream to the client, which the future of each message shares.
pub(super) struct Output(Arc<Mutex<State>>);

struct State {
    /// `None` once it is closed.
    write: Option<stdio::Output>,
    written: Written,
    line: Vec<u8>,
}

impl Output {
    /// Writes to `write`, and counts that in `written`.
    pub(super) fn new(write: stdio::Output, written: Written) -> Self {
        Self(Arc::new(Mutex::new(State { write: Some(write), written, line: Vec::new() })))
    }

    /// Writes a message, after those that wait already. It is made JSON when its turn comes, so that one
    /// message at a time is held twice.
    pub(super) fn send(
        &self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let state = Arc::clone(&self.0);
        async move {
            let mut state = state.lock().await;
            let State { write, written, line } = &mut *state;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            line.clear();
            line.shrink_to(KEPT_BYTES);
            serde_json::to_writer(&mut *line, &message)?;
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
        self.0.lock().await.write = None;
    }
}
