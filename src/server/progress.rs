//! Sends progress messages of long calls to clients that requested them.

use std::time::Instant;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::mpsc::{self, Receiver};
use tokio_util::sync::CancellationToken;

use super::Request;
use crate::tools::Progress;

/// Maximum number of unsent messages. Further ones are dropped if the client does not read.
const MAX_QUEUED: usize = 16;

/// Runs `work` and sends its progress to the client, in order and before the result. Without a progress token, nothing
/// is sent.
pub(super) async fn forwarded<W: Future>(request: &Request, work: impl FnOnce(Progress) -> W) -> W::Output {
    let Some(token) = request.meta.get_progress_token() else { return work(Progress::default()).await };
    let (sender, queue) = mpsc::channel(MAX_QUEUED);
    let work = work(Progress::new(move |message| {
        let _dropped_if_full = sender.try_send(message);
    }));
    // The end of the work does not close the queue, because a thread that is blocked in the system may still have the
    // sender.
    let ended = CancellationToken::new();
    let work = async {
        let output = work.await;
        ended.cancel();
        output
    };
    tokio::join!(work, send(token, request, &ended, queue)).0
}

/// Sends the queued messages until the work has `ended` and the queue is empty.
async fn send(
    token: ProgressToken,
    request: &Request,
    ended: &CancellationToken,
    mut queue: Receiver<String>,
) {
    let start = Instant::now();
    let mut last = 0.0;
    loop {
        let message = tokio::select! {
            biased;
            Some(message) = queue.recv() => message,
            () = ended.cancelled() => return,
        };
        // The value must increase, even if the clock returns the same time twice.
        last = start.elapsed().as_secs_f64().max(last + 0.001);
        let value = (last * 1000.0).round() / 1000.0;
        let param = ProgressNotificationParam::new(token.clone(), value).with_message(message);
        let sent = request.peer.notify_progress(param);
        if !matches!(request.ct.run_until_cancelled(sent).await, Some(Ok(()))) {
            return;
        }
    }
}
