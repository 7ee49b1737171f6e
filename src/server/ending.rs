//! From the first message to the exit code.
//!
//! A session ends at the end of input or by a signal. Commands are ended at once; other calls get
//! a moment to answer, and at the end of input another one for as long as the client takes answers; then the
//! process exits, whatever is still at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use crate::signals::Signals;

use super::stdio::Stdio;
use super::wire::Wire;
use super::{Config, Server};

/// Time that calls other than commands have to answer at the end: enough for a page, not noticed by a user.
const ANSWER_GRACE: Duration = Duration::from_millis(500);
/// Looks at what was written in that time. Time in which this process does not run is not counted by them.
const LOOKS: u32 = 10;

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The client closed its side.
    EndOfInput,
    /// A signal, by its number.
    Signal(i32),
}

impl Ending {
    /// The process's exit code for it.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::EndOfInput => 0,
            Self::Signal(number) => 128 + number,
        }
    }
}

/// Serves one session over stdin and stdout, to its end.
pub async fn serve(config: Config) -> std::io::Result<Ending> {
    let shutdown = CancellationToken::new();
    let Stdio { read, write, written, all_out } = Stdio::open()?;
    let mut signals = Signals::new()?;
    let shared = Arc::clone(&config.shared);
    shared.threads.start();
    shared.commands.start();
    let server = Server::new(config, shutdown.clone());
    let wire = Wire::new(read, write, Arc::clone(&written), shutdown.clone());
    let mut session = tokio::spawn(session(server.clone(), wire));
    let ending = tokio::select! {
        biased;
        number = signals.next() => Ending::Signal(number),
        () = shutdown.cancelled() => Ending::EndOfInput,
        _ = &mut session => Ending::EndOfInput,
    };
    shutdown.cancel();
    let answers = async {
        if !session.is_finished() {
            let _over = session.await;
        }
        let _session_is_over = all_out.await;
    };
    let answers = async {
        tokio::select! {
            () = answers => {}
            () = no_more_taken(&written, ending) => {}
            _ = signals.next() => {}
        }
    };
    tokio::join!(shared.commands.shutdown(), answers);
    for line in server.finish().await {
        tracing::info!("{line}");
    }
    Ok(ending)
}

/// Waits until the time for answers is over. At the end of input it begins anew with each that is taken: they were
/// asked for before it, and the client reads them.
async fn no_more_taken(written: &AtomicUsize, ending: Ending) {
    let (mut before, mut looks) = (written.load(Ordering::Relaxed), 0);
    while looks < LOOKS {
        tokio::time::sleep(ANSWER_GRACE / LOOKS).await;
        looks += 1;
        let now = written.load(Ordering::Relaxed);
        if ending == Ending::EndOfInput && now != before {
            (before, looks) = (now, 0);
        }
    }
}

async fn session(server: Server, wire: Wire) {
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
