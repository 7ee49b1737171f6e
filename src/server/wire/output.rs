//! Writes the messages of the server, one line each.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

use crate::server::stdio::{OutputStream, Written};

/// Buffer capacity in bytes that is kept between messages: enough for ordinary results.
const KEPT_BYTES: usize = 256 * 1024;

/// The stream to the client. The future of each message shares it.
pub(super) struct MessageOutput(Arc<Mutex<State>>);

struct State {
    /// `None` after it was closed.
    write: Option<OutputStream>,
    written: Written,
    line: Vec<u8>,
}

impl MessageOutput {
    /// Creates an output that writes to `write` and counts the bytes in `written`.
    pub(super) fn new(write: OutputStream, written: Written) -> Self {
        Self(Arc::new(Mutex::new(State { write: Some(write), written, line: Vec::new() })))
    }

    /// Writes a message after all queued ones. It is serialized only when its turn comes, so that at most one message
    /// is in memory twice.
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
            serde_json::to_writer(&mut *line, &message)?;
            drop(message);
            line.push(b'\n');
            let mut rest = line.as_slice();
            while !rest.is_empty() {
                let taken = write.write(rest).await?;
                rest = rest.get(taken..).filter(|_| taken > 0).ok_or(io::ErrorKind::WriteZero)?;
                written.fetch_add(taken, Ordering::Relaxed);
            }
            line.clear();
            line.shrink_to(KEPT_BYTES);
            write.flush().await
        }
    }

    /// Closes the stream.
    pub(super) async fn close(&self) {
        self.0.lock().await.write = None;
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorData;

    use super::*;

    #[tokio::test]
    async fn buffer_shrinks_after_a_large_message() {
        let output = MessageOutput::new(Box::new(tokio::io::sink()), Written::default());
        let error = ErrorData::invalid_request("x".repeat(10 * KEPT_BYTES), None);
        output.send(ServerJsonRpcMessage::error(error, None)).await.unwrap();
        assert!(output.0.lock().await.line.capacity() <= KEPT_BYTES);
    }
}
