//! The transport: lines over stdio, each request answered, outstanding requests bounded, and an end
//! that is noticed.
//!
//! rmcp has a transport for lines, but it passes over what it can't parse, and a request that gets no
//! answer hangs its client.

mod lines;
mod message;
mod output;
mod outstanding;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Weak};

use futures_util::StreamExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, GetExtensions as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::task::JoinSet;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use crate::limits::{CALLS_AT_ONCE, REQUESTS_AT_ONCE};
use lines::{Line, LineDecoder};
use message::Refusal;
use output::Output;
pub(super) use outstanding::Permit;
use outstanding::{Queue, UnreadBytes};

use super::stdio::{self, Input, Written, output_closed};

/// A transport that fires `shutdown` when the input ends, and ends when `shutdown` fires.
///
/// Before the first request it passes over notifications: rmcp takes one there for the end of the
/// session, and a client that sends one early is not to lose its server for it.
pub(super) struct Wire {
    lines: FramedRead<Input, LineDecoder>,
    calls: Queue,
    other_requests: Queue,
    /// The permits of requests whose answers are not written yet. The handler of each holds it too.
    unanswered: HashMap<RequestId, Arc<Permit>>,
    /// The permits of requests that were cancelled, of which the handler may still hold one.
    cancelled: HashMap<RequestId, Weak<Permit>>,
    output: Output,
    /// Answers to lines that were no messages, on their way out.
    refusals: JoinSet<()>,
    shutdown: CancellationToken,
    opened: bool,
    /// True once the input is at its end.
    ended: bool,
}

impl Wire {
    pub(super) fn new(
        read: Input,
        write: stdio::Output,
        written: Written,
        shutdown: CancellationToken,
    ) -> Self {
        let unread = UnreadBytes::default();
        Self {
            lines: FramedRead::new(read, LineDecoder::default()),
            calls: Queue::new(CALLS_AT_ONCE, Arc::clone(&unread)),
            // They take no time: one waits only where answers are not read.
            other_requests: Queue::new(REQUESTS_AT_ONCE, unread),
            unanswered: HashMap::new(),
            cancelled: HashMap::new(),
            output: Output::new(write, written),
            refusals: JoinSet::new(),
            shutdown,
            opened: false,
            ended: false,
        }
    }

    /// The next message, with its permit where it is a request; lines that are none are answered or
    /// passed over. `None` once the input is at its end and all that came is answered, or `shutdown` fires before that.
    ///
    /// Notifications and answers never wait: a cancellation has to overtake the calls that wait.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // The end of the input fires it too.
            let shutdown = self.shutdown.clone();
            if !self.ended && shutdown.is_cancelled() {
                return None;
            }
            let reads = !self.ended && self.calls.has_room() && self.other_requests.has_room();
            let waiting = self.other_requests.try_next().or_else(|| self.calls.try_next());
            let (line, permit) = if let Some((line, permit)) = waiting {
                (line, Some(permit))
            } else {
                let is_over = async {
                    self.other_requests.all_answered().await;
                    self.calls.all_answered().await;
                };
                tokio::select! {
                    biased;
                    () = shutdown.cancelled(), if !self.ended => return None,
                    () = self.other_requests.may_go_on() => continue,
                    () = self.calls.may_go_on() => continue,
                    () = is_over, if self.ended => return None,
                    line = self.lines.next(), if reads => {
                        let Some(Ok(line)) = line else {
                            if let Some(Err(error)) = line {
                                tracing::error!(%error, "reading the input failed");
                            }
                            self.ended = true;
                            self.shutdown.cancel();
                            continue;
                        };
                        if let Some(queue) = self.queue_of(&line) {
                            queue.push(line);
                            continue;
                        }
                        (line, None)
                    }
                    // The end of the input can't be seen while it is not read.
                    () = output_closed(), if !reads => return None,
                }
            };
            match message::take(&line) {
                // A request that was written so as to look like none.
                Ok(JsonRpcMessage::Request(_)) | Err(Some(_)) if permit.is_none() => {
                    self.other_requests.push(line);
                }
                // Answered as well, it would take the place of the one that is open: that could not be cancelled.
                Ok(JsonRpcMessage::Request(request)) if self.is_open(&request.id) => {
                    let words =
                        format!("Invalid request: id {} is that of a request that is open", request.id);
                    self.refuse((ErrorData::invalid_request(words, None), Some(request.id)), permit);
                }
                Ok(mut message) => {
                    self.note(&mut message, permit);
                    return Some(message);
                }
                Err(Some(refusal)) => self.refuse(refusal, permit),
                Err(None) => {}
            }
        }
    }

    /// True if a request with that id is not answered yet, or was cancelled and its handler has not ended.
    fn is_open(&self, id: &RequestId) -> bool {
        let is_held = |permit: &Weak<Permit>| permit.strong_count() > 0;
        self.unanswered.contains_key(id) || self.cancelled.get(id).is_some_and(is_held)
    }

    /// The queue that a line has to wait in; `None` where it does not wait.
    fn queue_of(&mut self, line: &Line) -> Option<&mut Queue> {
        match &line.envelope {
            envelope if envelope.is_call() => Some(&mut self.calls),
            envelope if envelope.is_notification_or_answer() => None,
            _ => Some(&mut self.other_requests),
        }
    }

    /// Hands a request its permit; takes back what a cancellation takes back.
    fn note(&mut self, message: &mut ClientJsonRpcMessage, permit: Option<Arc<Permit>>) {
        match message {
            JsonRpcMessage::Request(message) => {
                if let Some(permit) = permit {
                    self.unanswered.insert(message.id.clone(), permit.clone());
                    message.request.extensions_mut().insert(permit);
                }
            }
            JsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &message.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // rmcp sends no answer to it any more.
                    if let Some(permit) = self.unanswered.remove(id) {
                        self.cancelled.retain(|_, permit| permit.strong_count() > 0);
                        self.cancelled.insert(id.clone(), Arc::downgrade(&permit));
                    }
                    self.calls.cancel(id);
                    self.other_requests.cancel(id);
                }
            }
            _ => {}
        }
    }

    fn refuse(&mut self, (error, id): Refusal, permit: Option<Arc<Permit>>) {
        while self.refusals.try_join_next().is_some() {}
        let sent = self.output.send(ServerJsonRpcMessage::error(error, id));
        self.refusals.spawn(async move {
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
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_ref(),
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
            self.opened |= matches!(message, JsonRpcMessage::Request(_));
            if self.opened {
                return Some(message);
            }
            tracing::debug!("passed over a message before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        while self.refusals.join_next().await.is_some() {}
        self.output.close().await;
        Ok(())
    }
}
