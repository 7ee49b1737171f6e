//! Sends progress messages of long calls to clients that requested them.

use std::pin::pin;
use std::time::Instant;

use rmcp::model::ProgressNotificationParam;
use tokio::sync::mpsc;

use super::Request;
use crate::tools::Progress;

/// Maximum number of unsent messages. Further ones are dropped if the client does not read.
const MAX_QUEUED: usize = 16;

/// Runs `work` and sends its progress to the client, in order and before the result. Without a progress token, nothing
/// is sent.
pub(super) async fn forwarded<W: Future>(request: &Request, work: impl FnOnce(Progress) -> W) -> W::Output {
    let Some(token) = request.meta.get_progress_token() else { return work(Progress::default()).await };
    let (sender, mut queue) = mpsc::channel(MAX_QUEUED);
    let mut work = pin!(work(Progress::new(move |message| {
        let _dropped_if_full = sender.try_send(message);
    })));
    let (start, mut last) = (Instant::now(), 0.0);
    loop {
        let message = tokio::select! {
            biased;
            Some(message) = queue.recv() => message,
            output = &mut work => return output,
        };
        // The value must increase, even if the clock returns the same time twice.
        last = start.elapsed().as_secs_f64().max(last + 0.001);
        let value = (last * 1000.0).round() / 1000.0;
        let param = ProgressNotificationParam::new(token.clone(), value).with_message(message);
        let sent = request.peer.notify_progress(param);
        if !matches!(request.ct.run_until_cancelled(sent).await, Some(Ok(()))) {
            return work.await;
        }
    }
}
