//! The stdio transport: one JSON-RPC message per line, a response to every request, and a limit on requests without a
//! response.
//!
//! rmcp has a transport for lines, but it ignores lines that are too long or not JSON, its error responses to other
//! invalid lines have no id, and it drops a last line without a newline. A client would wait forever for the response.

mod lines;
mod message;
mod output;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Weak};

use futures_util::StreamExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use crate::limits::REQUESTS_AT_ONCE;
use lines::LineDecoder;
use message::Refusal;
use output::MessageOutput;

use super::stdio::{InputStream, OutputStream, Written, output_closed};

/// The permit of one request. The transport and the handler share it. It is released when the response was written, or
/// when the handler of a cancelled request returns.
type RequestPermit = Arc<OwnedSemaphorePermit>;

/// A transport over two streams.
///
/// At the end of input it fires `shutdown`, and ends when all requests have their responses and the handlers of
/// cancelled requests have returned. If `shutdown` fires earlier, it ends at once.
///
/// Until `initialize` (or a complete stateless request), rmcp ends the session at the first message that is not a
/// request. Such messages are dropped.
pub(super) struct Wire {
    lines: FramedRead<InputStream, LineDecoder>,
    /// One permit for each open request: one without a written response, or a cancelled one whose handler is still
    /// running. rmcp starts a task for each request without a limit.
    permits: Arc<Semaphore>,
    /// A request or refusal that waits for a permit. Until then, no input is read.
    waiting: Option<Result<JsonRpcRequest<ClientRequest>, Refusal>>,
    /// The requests without a written response, with their permits.
    unanswered: HashMap<RequestId, RequestPermit>,
    /// The cancelled requests. Their handlers may still be running.
    cancelled: HashMap<RequestId, Weak<OwnedSemaphorePermit>>,
    output: MessageOutput,
    shutdown: CancellationToken,
    /// True after `initialize` or a complete stateless request.
    opened: bool,
    /// True after the end of input.
    ended: bool,
}

impl Wire {
    pub(super) fn new(
        read: InputStream,
        write: OutputStream,
        written: Written,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            lines: FramedRead::new(read, LineDecoder::default()),
            permits: Arc::new(Semaphore::new(REQUESTS_AT_ONCE as usize)),
            waiting: None,
            unanswered: HashMap::new(),
            cancelled: HashMap::new(),
            output: MessageOutput::new(write, written),
            shutdown,
            opened: false,
            ended: false,
        }
    }

    /// Returns the next message. Sends error responses to invalid lines.
    ///
    /// Returns `None` if `shutdown` fires, or at the end of input when no request is open. Cancel-safe: the bytes that
    /// were read are in `self`.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        let shutdown = self.shutdown.clone();
        loop {
            // After the end of input, the responses are still written.
            if !self.ended && shutdown.is_cancelled() {
                return None;
            }
            let permits = Arc::clone(&self.permits);
            if self.waiting.is_some() {
                let permit = tokio::select! {
                    biased;
                    () = shutdown.cancelled() => return None,
                    permit = permits.acquire_owned() => Arc::new(permit.ok()?),
                    // While no input is read, its end is not noticed.
                    () = output_closed() => return None,
                };
                if let Some(request) = self.waiting.take().and_then(|waiting| self.admit(waiting, permit)) {
                    return Some(request);
                }
                continue;
            }
            let line = tokio::select! {
                biased;
                () = shutdown.cancelled(), if !self.ended => return None,
                _all = permits.acquire_many(REQUESTS_AT_ONCE), if self.ended => return None,
                line = self.lines.next(), if !self.ended => line,
            };
            let Some(Ok(line)) = line else {
                if let Some(Err(error)) = line {
                    tracing::error!(%error, "reading the input failed");
                }
                self.ended = true;
                self.shutdown.cancel();
                continue;
            };
            match message::parse(&line) {
                Ok(JsonRpcMessage::Request(request)) => self.waiting = Some(Ok(request)),
                Ok(message) => {
                    self.note_cancellation(&message);
                    return Some(message);
                }
                Err(Some(refusal)) => self.waiting = Some(Err(refusal)),
                Err(None) => {}
            }
        }
    }

    /// Gives a request its permit and returns it. Sends the error response to an invalid line.
    fn admit(
        &mut self,
        waiting: Result<JsonRpcRequest<ClientRequest>, Refusal>,
        permit: RequestPermit,
    ) -> Option<ClientJsonRpcMessage> {
        let mut request = match waiting {
            Ok(request) => request,
            Err(refusal) => {
                self.refuse(refusal, permit);
                return None;
            }
        };
        // If two open requests had the same id, a cancellation would be ambiguous.
        if self.is_open(&request.id) {
            let message = format!("Invalid request: id {} is that of a request that is open", request.id);
            self.refuse((ErrorData::invalid_request(message, None), Some(request.id)), permit);
            return None;
        }
        self.unanswered.insert(request.id.clone(), Arc::clone(&permit));
        request.request.extensions_mut().insert(permit);
        Some(JsonRpcMessage::Request(request))
    }

    /// Returns true if a request with this id has no response yet, or if it was cancelled and its handler is still
    /// running.
    fn is_open(&self, id: &RequestId) -> bool {
        let is_running = |permit: &Weak<_>| permit.strong_count() > 0;
        self.unanswered.contains_key(id) || self.cancelled.get(id).is_some_and(is_running)
    }

    /// Drops the transport's share of the permit of a cancelled request, because rmcp sends no response to it.
    fn note_cancellation(&mut self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Notification(message) = message
            && let ClientNotification::CancelledNotification(cancelled) = &message.notification
            && let Some(id) = &cancelled.params.request_id
            && let Some(permit) = self.unanswered.remove(id)
        {
            self.cancelled.retain(|_, permit| permit.strong_count() > 0);
            self.cancelled.insert(id.clone(), Arc::downgrade(&permit));
        }
    }

    /// Sends an error response. Its permit delays the end of the session at the end of input until it was written.
    fn refuse(&self, (error, id): Refusal, permit: RequestPermit) {
        let sent = self.output.send(ServerJsonRpcMessage::error(error, id));
        tokio::spawn(async move {
            let _output_is_gone = sent.await.is_err();
            drop(permit);
        });
    }
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(response) => response.id.as_ref(),
            _ => None,
        };
        let permit = id.and_then(|id| self.unanswered.remove(id));
        let sent = self.output.send(item);
        async move {
            let result = sent.await;
            drop(permit);
            result
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.next().await else {
                self.shutdown.cancel();
                return None;
            };
            if let JsonRpcMessage::Request(request) = &message {
                self.opened |= opens_session(&request.request);
            } else if !self.opened {
                tracing::debug!("ignored a message before the first request of a session");
                continue;
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await;
        Ok(())
    }
}

/// Returns true if rmcp starts the session with this request: `initialize`, or a request with a known revision and all
/// metadata of a stateless request. rmcp responds to other requests, `ping` and `server/discover` without starting the
/// session.
fn opens_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            let meta = request.get_meta();
            let is_known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.protocol_version().is_some_and(is_known)
                && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}
