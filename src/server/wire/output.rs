//! The messages of the server, a line each.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

use crate::server::stdio::Written;

/// Capacity that is kept from one line to the next: that of an ordinary answer.
const KEPT_BYTES: usize = 256 * 1024;

/// The stream to the client. Clones write to the same one.
#[derive(Debug)]
pub(super) struct Output<W>(Arc<Mutex<State<W>>>);

#[derive(Debug)]
struct State<W> {
    /// `None` once it is closed.
    write: Option<W>,
    written: Written,
    line: Vec<u8>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Output<W> {
    /// Writes to `write`, and counts that in `written`.
    pub(super) fn new(write: W, written: Written) -> Self {
        Self(Arc::new(Mutex::new(State { write: Some(write), written, line: Vec::new() })))
    }

    /// Writes a message, after those that wait already. It is made JSON when its turn comes, so that one
    /// message at a time is held twice.
    pub(super) fn send(
        &self,
        message: TxJsonRpcMessage<RoleServer>,
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
                written.count(taken);
            }
            write.flush().await
        }
    }

    /// Closes the stream.
    pub(super) async fn close(&self) {
        self.0.lock().await.write = None;
    }
}
