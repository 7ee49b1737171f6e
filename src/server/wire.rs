//! The transport as this server wants it: rmcp's lines over stdio, and an end that is noticed.

use std::borrow::Cow;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::limits::MAX_MESSAGE_BYTES;

/// A transport that fires `shutdown` when the input ends, and ends when `shutdown` fires.
///
/// Before the first request it passes over notifications: rmcp takes one there for the end of the
/// session, and a client that sends one early is not to lose its server for it.
pub(super) struct Wire<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, R, W>,
    shutdown: CancellationToken,
    opened: bool,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W, shutdown: CancellationToken) -> Self {
        let lines = AsyncRwTransport::new_server(read, write).with_max_line_length(MAX_MESSAGE_BYTES);
        Self { lines, shutdown, opened: false }
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                biased;
                () = self.shutdown.cancelled() => None,
                message = self.lines.receive() => message,
            };
            match message {
                None => {
                    self.shutdown.cancel();
                    return None;
                }
                Some(JsonRpcMessage::Request(_)) => self.opened = true,
                Some(_) if !self.opened => {
                    tracing::debug!("passed over a message before the first request");
                    continue;
                }
                Some(_) => {}
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}
