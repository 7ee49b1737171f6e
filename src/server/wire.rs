//! The transport as this server wants it: lines over stdio, each request answered, and an end that
//! is noticed.
//!
//! rmcp writes; the lines are read here, as rmcp passes over what it can't parse, and a request
//! that gets no answer hangs its client.

mod envelope;
mod lines;
mod message;

use std::borrow::Cow;
use std::io;
use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, Empty};
use tokio_util::sync::CancellationToken;

use crate::limits::MAX_MESSAGE_BYTES;
use lines::Lines;
use message::Taken;

/// A transport that fires `shutdown` when the input ends, and ends when `shutdown` fires.
///
/// Before the first request it passes over notifications: rmcp takes one there for the end of the
/// session, and a client that sends one early is not to lose its server for it.
pub(super) struct Wire<R: AsyncRead, W: AsyncWrite> {
    lines: Lines<R>,
    answers: AsyncRwTransport<RoleServer, Empty, W>,
    /// The answer to a line that was no message, on its way out. Held here, as `receive` may be
    /// dropped at any time.
    refusal: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    shutdown: CancellationToken,
    opened: bool,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W, shutdown: CancellationToken) -> Self {
        let lines = Lines::new(read, MAX_MESSAGE_BYTES);
        let answers = AsyncRwTransport::new_server(tokio::io::empty(), write);
        Self { lines, answers, refusal: None, shutdown, opened: false }
    }

    /// The next message; what is none is answered or passed over. `None` at the end.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                let sent = refusal.await;
                self.refusal = None;
                sent.ok()?;
            }
            match message::take(self.lines.next().await?, MAX_MESSAGE_BYTES) {
                Taken::Message(message) => return Some(*message),
                Taken::Refused(answer) => self.refusal = Some(Box::pin(self.answers.send(*answer))),
                Taken::Nothing => {}
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.answers.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let shutdown = self.shutdown.clone();
            let message = tokio::select! {
                biased;
                () = shutdown.cancelled() => None,
                message = self.next() => message,
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
        self.answers.close().await
    }
}
