//! Messages of long work, sent to a client that asked for them.

use std::time::Instant;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::Request;
use crate::tools::Progress;

/// Messages that wait to be sent; more are dropped, for a client that does not read them.
const WAITING: usize = 16;

/// Returns the sender of a call's progress, and the task that sends it on in order: it ends once every holder of the
/// sender is gone. The sender does nothing where the client gave no token.
pub(super) fn forwarded(request: &Request) -> (Progress, Option<JoinHandle<()>>) {
    let Some(token) = request.meta.get_progress_token() else { return (Progress::default(), None) };
    let (messages, waiting) = mpsc::channel(WAITING);
    let progress = Progress::new(move |message| {
        let _dropped_where_full = messages.try_send(message);
    });
    (progress, Some(tokio::spawn(send(token, request.peer.clone(), request.ct.clone(), waiting))))
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
        if !matches!(cancel.run_until_cancelled(peer.notify_progress(messages)).await, Some(Ok(()))) {
            return;
        }
    }
}
