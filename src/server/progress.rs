//! Sends progress messages of long calls to clients that requested them.

use std::time::Instant;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Request;
use crate::tools::Progress;

/// Maximum number of unsent messages. Further ones are dropped if the client does not read.
const WAITING: usize = 16;

/// The task that sends the progress of one call to the client, in order.
pub(super) struct Forwarding {
    task: JoinHandle<()>,
    ended: CancellationToken,
}

impl Forwarding {
    /// Sends the queued messages. Later ones are dropped, because a thread that is blocked in the system may still have
    /// the sender.
    pub(super) async fn end(self) {
        self.ended.cancel();
        let _panicked = self.task.await;
    }
}

/// Returns the sender for a call's progress, and the task that forwards it. Without a progress token, the sender does
/// nothing.
pub(super) fn forwarded(request: &Request) -> (Progress, Option<Forwarding>) {
    let Some(token) = request.meta.get_progress_token() else { return (Progress::default(), None) };
    let (messages, waiting) = mpsc::channel(WAITING);
    let progress = Progress::new(move |message| {
        let _dropped_where_full = messages.try_send(message);
    });
    let ended = request.ct.child_token();
    let task = tokio::spawn(send(token, request.peer.clone(), (request.ct.clone(), ended.clone()), waiting));
    (progress, Some(Forwarding { task, ended }))
}

async fn send(
    token: ProgressToken,
    peer: Peer<RoleServer>,
    (cancel, ended): (CancellationToken, CancellationToken),
    mut waiting: mpsc::Receiver<String>,
) {
    let start = Instant::now();
    let mut last = 0.0;
    loop {
        let message = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            message = waiting.recv() => message,
            () = ended.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
        };
        let Some(message) = message else { return };
        // The value must increase, even if the clock returns the same time twice.
        let elapsed = start.elapsed().as_secs_f64();
        last = if elapsed > last { elapsed } else { last + 0.001 };
        let value = (last * 1000.0).round() / 1000.0;
        let messages = ProgressNotificationParam::new(token.clone(), value).with_message(message);
        if !matches!(cancel.run_until_cancelled(peer.notify_progress(messages)).await, Some(Ok(()))) {
            return;
        }
    }
}
