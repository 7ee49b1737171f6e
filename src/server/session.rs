//! Runs a session from the first message to the exit code.
//!
//! A session ends at the end of input, with a signal, if it fails, or if nothing reads the output when a request comes
//! or while one waits for its `RequestPermit`. cutline then ends all commands immediately, and their calls return
//! `Cancelled` without the output. Meanwhile, other calls get a short time to return their results. At the end of input,
//! this time starts again whenever the stream to the client accepts more bytes. After this time, and after
//! `process::Commands::shutdown`, the process exits, even if work is still running.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use crate::blocking;
use crate::signals::signals;

use super::stdio::{MessageOutput, Stdio};
use super::transport::StdioTransport;
use super::{Config, Server};

/// Time at the end for calls other than commands to return their results: enough for a page, and too short for a user
/// to notice.
const RESULT_GRACE: Duration = Duration::from_millis(500);
/// Number of checks in that time. If the process is suspended, fewer checks happen, so that time does not count.
const CHECKS: u32 = 10;

/// Serves one session over stdin and stdout. Returns the signal that ended it. Returns `None` if the input ended, if
/// nothing reads the output, or if the session failed.
///
/// # Errors
///
/// Returns the error of the system if the streams or the signals cannot be used.
pub async fn serve(config: Config) -> std::io::Result<Option<i32>> {
    let shutdown = CancellationToken::new();
    let Stdio { read, write, written, output_done } = Stdio::open()?;
    let mut signals = signals()?;
    let shared = Arc::clone(&config.shared);
    // Start one thread of the pool now. Later, the system may refuse to create one.
    let _no_thread = blocking::run(|| ()).await;
    shared.commands.start();
    let server = Arc::new(Server::new(config, shutdown.clone()));
    let output = MessageOutput::new(write, Arc::clone(&written));
    let transport = StdioTransport::new(read, output, shutdown.clone());
    let session = tokio::spawn(session(Arc::clone(&server), transport));
    let signal = tokio::select! {
        biased;
        number = signals.next() => Some(number),
        () = shutdown.cancelled() => None,
    };
    shutdown.cancel();
    let all_results_are_written = async {
        let _over = session.await;
        let _written_or_closed = output_done.await;
    };
    let remaining_results = async {
        tokio::select! {
            () = all_results_are_written => {}
            () = grace_period(&written, signal.is_none()) => {}
            // A second signal ends this wait, but not that for the end of the commands.
            _ = signals.next() => {}
        }
    };
    tokio::join!(shared.commands.shutdown(), remaining_results);
    for line in server.stats.summary() {
        tracing::info!("{line}");
    }
    Ok(signal)
}

/// Waits until the time for the remaining results is over. If `is_end_of_input`, this time starts again whenever bytes
/// were written. The client may not have read them yet.
async fn grace_period(written: &AtomicUsize, is_end_of_input: bool) {
    let (mut before, mut checks) = (written.load(Ordering::Relaxed), 0);
    while checks < CHECKS {
        tokio::time::sleep(RESULT_GRACE / CHECKS).await;
        checks += 1;
        let now = written.load(Ordering::Relaxed);
        if is_end_of_input && now != before {
            (before, checks) = (now, 0);
        }
    }
}

/// Serves one session until it ends, and then fires the token `shutdown` of the server.
async fn session(server: Arc<Server>, transport: StdioTransport) {
    let _guard = server.shutdown.clone().drop_guard();
    match Box::pin(server.serve(transport)).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the session broke");
            }
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => tracing::error!(%error, "no session"),
    }
}
