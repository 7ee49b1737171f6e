//! Messages of long work, sent to a client that asked for them.

use std::time::Instant;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::tools::Progress;

/// Messages that wait to be sent; more are dropped, for a client that does not read them.
const WAITING: usize = 16;

/// Sends the messages of one call, in order, until it is finished.
pub(super) struct Forwarder {
    progress: Progress,
    sending: Option<JoinHandle<()>>,
}

impl Forwarder {
    /// A forwarder for a call: it does nothing where the client gave no token.
    pub(super) fn new(request: &RequestContext<RoleServer>) -> Self {
        let Some(token) = request.meta.get_progress_token() else {
            return Self { progress: Progress::default(), sending: None };
        };
        let (messages, waiting) = mpsc::channel(WAITING);
        let sending = tokio::spawn(send(token, request.peer.clone(), request.ct.clone(), waiting));
        let progress = Progress::new(move |message| {
            let _dropped_where_full = messages.try_send(message);
        });
        Self { progress, sending: Some(sending) }
    }

    /// Returns the sender of the call's progress.
    pub(super) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Waits until all is sent: nothing may follow the answer. Every other holder is gone by then.
    pub(super) async fn finish(self) {
        drop(self.progress);
        if let Some(sending) = self.sending {
            let _panicked = sending.await;
        }
    }
}

async fn send(
    token: ProgressToken,
    peer: Peer<RoleServer>,
    cancel: CancellationToken,
    mut waiting: mpsc::Receiver<String>,
) {
    let start = Instant::now();
    let mut last = 0.0;
    // A call that was taken back may leave a thread that holds on to its end of this.
    while let Some(Some(message)) = cancel.run_until_cancelled(waiting.recv()).await {
        // The value must grow, whatever the clock's grain.
        let elapsed = start.elapsed().as_secs_f64();
        last = if elapsed > last { elapsed } else { last + 0.001 };
        let value = (last * 1000.0).round() / 1000.0;
        let messages = ProgressNotificationParam::new(token.clone(), value).with_message(message);
        tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            sent = peer.notify_progress(messages) => if sent.is_err() { return },
        }
    }
}
