//! From the first message to the exit code.
//!
//! A session ends at the end of input or by a signal. Commands are ended at once; other calls get
//! a moment to answer, and at the end of input another one for as long as the client takes answers; then the
//! process exits, whatever is still at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use crate::blocking;
use crate::signals::signals;

use super::stdio::Stdio;
use super::wire::Wire;
use super::{Config, Server};

/// Time that calls other than commands have to answer at the end: enough for a page, not noticed by a user.
const ANSWER_GRACE: Duration = Duration::from_millis(500);
/// Number of checks in that time. Time in which this process does not run does not count.
const LOOKS: u32 = 10;

/// Serves one session over stdin and stdout. Returns the signal that ended it, or `None` if the client closed its side.
pub async fn serve(config: Config) -> std::io::Result<Option<i32>> {
    let shutdown = CancellationToken::new();
    let Stdio { read, write, written, all_out } = Stdio::open()?;
    let mut signals = signals()?;
    let shared = Arc::clone(&config.shared);
    // One thread of the pool starts here and stays: later the system may give none.
    let _no_thread = blocking::run(|| ()).await;
    shared.commands.start();
    let server = Arc::new(Server::new(config, shutdown.clone()));
    let wire = Wire::new(read, write, Arc::clone(&written), shutdown.clone());
    let session = tokio::spawn(session(Arc::clone(&server), wire));
    let signal = tokio::select! {
        biased;
        Some(number) = signals.next() => Some(number),
        () = shutdown.cancelled() => None,
    };
    shutdown.cancel();
    let answers = async {
        let _over = session.await;
        let _session_is_over = all_out.await;
    };
    let answers = async {
        tokio::select! {
            () = answers => {}
            () = no_more_taken(&written, signal.is_none()) => {}
            _ = signals.next() => {}
        }
    };
    tokio::join!(shared.commands.shutdown(), answers);
    for line in server.stats.calls.summary() {
        tracing::info!("{line}");
    }
    Ok(signal)
}

/// Waits until the time for the remaining responses is over. At the end of input, this time starts again with each response
/// that the client reads.
async fn no_more_taken(written: &AtomicUsize, is_end_of_input: bool) {
    let (mut before, mut looks) = (written.load(Ordering::Relaxed), 0);
    while looks < LOOKS {
        tokio::time::sleep(ANSWER_GRACE / LOOKS).await;
        looks += 1;
        let now = written.load(Ordering::Relaxed);
        if is_end_of_input && now != before {
            (before, looks) = (now, 0);
        }
    }
}

async fn session(server: Arc<Server>, wire: Wire) {
    let _guard = server.shutdown.clone().drop_guard();
    match server.serve(wire).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the session broke");
            }
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => tracing::error!(%error, "no session"),
    }
}
