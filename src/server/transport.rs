//! The stdio transport: one JSON-RPC message per line, a response to every request, and a limit on open requests.
//!
//! rmcp has a transport for lines, but it ignores lines that are too long or not JSON, its error responses to other
//! invalid lines have no id, and it drops a last line without a newline. A client would wait forever for the response.

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

use super::message::{self, LineCodec, Refusal};
use super::stdio::{InputStream, MessageOutput, output_closed};

/// The permit of one request. The transport and the handler share it. It is released when the response was written, or
/// when the handler of a cancelled request returns.
type RequestPermit = Arc<OwnedSemaphorePermit>;

/// A transport over two streams.
///
/// When no more input is read, it fires `shutdown`, and ends when all requests have their responses and the handlers of
/// cancelled requests have returned. `session` can end the process before that. If `shutdown` fires earlier, the
/// transport ends at once.
///
/// Until `initialize` (or a complete stateless request), rmcp ends the session at the first message that is not a
/// request. Such messages are dropped.
pub(super) struct StdioTransport {
    lines: FramedRead<InputStream, LineCodec>,
    /// One permit for each open request: one without a written response, or a cancelled one whose handler is still
    /// running. rmcp starts a task for each request without a limit.
    request_permits: Arc<Semaphore>,
    /// A request or refusal that was read and has no permit yet. Until it has one, no input is read.
    waiting: Option<Result<JsonRpcRequest<ClientRequest>, Refusal>>,
    /// The requests whose response was not passed to `send`, with their permits.
    unanswered: HashMap<RequestId, RequestPermit>,
    /// The cancelled requests. Their handlers may still be running.
    cancelled: HashMap<RequestId, Weak<OwnedSemaphorePermit>>,
    output: MessageOutput,
    shutdown: CancellationToken,
    /// True after `initialize` or a complete stateless request.
    opened: bool,
    /// True if no more input is read: after its end, if reading failed, or if nothing reads the output.
    ended: bool,
}

impl StdioTransport {
    pub(super) fn new(read: InputStream, output: MessageOutput, shutdown: CancellationToken) -> Self {
        Self {
            lines: FramedRead::new(read, LineCodec::default()),
            request_permits: Arc::new(Semaphore::new(REQUESTS_AT_ONCE as usize)),
            waiting: None,
            unanswered: HashMap::new(),
            cancelled: HashMap::new(),
            output,
            shutdown,
            opened: false,
            ended: false,
        }
    }

    /// Returns the next message. Returns `None` at the end of input, if reading fails, or if nothing reads the output
    /// before a request or refusal has its permit. Sends error responses to invalid lines. Cancel-safe: the bytes that
    /// were read are in `self`.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.waiting.is_some() {
                let permit = tokio::select! {
                    biased;
                    // Checked for each request, because the end of input is not noticed while no input is read.
                    () = output_closed() => return None,
                    permit = Arc::clone(&self.request_permits).acquire_owned() => Arc::new(permit.ok()?),
                };
                match self.waiting.take()? {
                    Ok(request) => match self.admit(request, permit) {
                        Some(request) => return Some(JsonRpcMessage::Request(request)),
                        None => continue,
                    },
                    Err(refusal) => self.refuse(refusal, permit),
                }
            }
            let line = match self.lines.next().await? {
                Ok(line) => line,
                Err(error) => {
                    tracing::error!(%error, "reading the input failed");
                    return None;
                }
            };
            match message::parse(line.as_deref()) {
                Ok(JsonRpcMessage::Request(request)) => self.waiting = Some(Ok(request)),
                Ok(_) if !self.opened => {
                    tracing::debug!("ignored a message before the first request of a session");
                }
                Ok(message) => {
                    self.note_cancellation(&message);
                    return Some(message);
                }
                Err(refusal) => self.waiting = refusal.map(Err),
            }
        }
    }

    /// Gives a request its permit and returns it. Refuses the id of an open request, because a cancellation would be
    /// ambiguous. Returns `None` then.
    fn admit(
        &mut self,
        mut request: JsonRpcRequest<ClientRequest>,
        permit: RequestPermit,
    ) -> Option<JsonRpcRequest<ClientRequest>> {
        let is_running = |permit: &Weak<_>| permit.strong_count() > 0;
        let id = request.id.clone();
        if self.unanswered.contains_key(&id) || self.cancelled.get(&id).is_some_and(is_running) {
            let message = format!("Invalid request: id {id} is that of a request that is open");
            self.refuse((ErrorData::invalid_request(message, None), Some(id)), permit);
            return None;
        }
        self.opened |= opens_session(&request.request);
        self.unanswered.insert(id, Arc::clone(&permit));
        request.request.extensions_mut().insert(permit);
        Some(request)
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

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

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
        let shutdown = self.shutdown.clone();
        if !self.ended {
            let message = tokio::select! {
                biased;
                () = shutdown.cancelled() => return None,
                message = self.next() => message,
            };
            if message.is_some() {
                return message;
            }
            self.ended = true;
            shutdown.cancel();
        }
        // rmcp calls this again while it sends the remaining responses.
        let _all = self.request_permits.acquire_many(REQUESTS_AT_ONCE).await;
        None
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
