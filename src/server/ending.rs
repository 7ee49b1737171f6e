//! From the first message to the exit code.
//!
//! A session ends at the end of input or by a signal. Commands are ended at once; other calls get
//! a moment to answer; then the process exits, whatever is still at work.

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
    let Stdio { read, write, written } = Stdio::open()?;
    let mut signals = Signals::new()?;
    let shared = std::sync::Arc::clone(&config.shared);
    shared.threads.start();
    shared.commands.start();
    let server = Server::new(config, shutdown.clone());
    let wire = Wire::new(read, write, shutdown.clone());
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
            let _over = tokio::time::timeout(ANSWER_GRACE, session).await;
        }
        if let Some(written) = written {
            let _left_where_it_is_not_read = tokio::time::timeout(ANSWER_GRACE, written).await;
        }
    };
    tokio::join!(shared.commands.shutdown(), answers);
    for line in server.finish().await {
        tracing::info!("{line}");
    }
    Ok(ending)
}

async fn session(
    server: Server,
    wire: Wire<
        impl tokio::io::AsyncRead + Send + Unpin + 'static,
        impl tokio::io::AsyncWrite + Send + Unpin + 'static,
    >,
) {
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
