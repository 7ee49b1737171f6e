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
const MAX_QUEUED: usize = 16;

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

/// Starts a task that sends a call's progress to the client. Returns the listener that passes progress to it, and the
/// task. Without a progress token, there is no task, and the listener does nothing.
pub(super) fn forward(request: &Request) -> (Progress, Option<Forwarding>) {
    let Some(token) = request.meta.get_progress_token() else { return (Progress::default(), None) };
    let (sender, queue) = mpsc::channel(MAX_QUEUED);
    let progress = Progress::new(move |message| {
        let _dropped_if_full = sender.try_send(message);
    });
    let ended = request.ct.child_token();
    let task = tokio::spawn(send(token, request.peer.clone(), (request.ct.clone(), ended.clone()), queue));
    (progress, Some(Forwarding { task, ended }))
}

async fn send(
    token: ProgressToken,
    peer: Peer<RoleServer>,
    (cancel, ended): (CancellationToken, CancellationToken),
    mut queue: mpsc::Receiver<String>,
) {
    let start = Instant::now();
    let mut last = 0.0;
    loop {
        let message = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            message = queue.recv() => message,
            () = ended.cancelled(), if !queue.is_closed() => {
                queue.close();
                continue;
            }
        };
        let Some(message) = message else { return };
        // The value must increase, even if the clock returns the same time twice.
        let elapsed = start.elapsed().as_secs_f64();
        last = if elapsed > last { elapsed } else { last + 0.001 };
        let value = (last * 1000.0).round() / 1000.0;
        let param = ProgressNotificationParam::new(token.clone(), value).with_message(message);
        if !matches!(cancel.run_until_cancelled(peer.notify_progress(param)).await, Some(Ok(()))) {
            return;
        }
    }
}
