//! A session: which messages pass, which are truncated, and which get an error.

mod client;
mod dropped;
mod oversized;
mod server;

use std::hash::RandomState;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::calls::{Asks, Calls, PendingCall};
use super::replies::{self, SERVER_ENDED};
use super::schema::OutputSchemas;
use super::{Settings, locked};
use crate::call_stats::CallStats;
use crate::clock::now_ms;
use crate::fit::Client;
use crate::saved_output::Store;
use crate::stats::{Outcome, Record, Tool};
use dropped::Dropped;
pub(super) use oversized::Side;

/// The state that both directions share.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) stats: CallStats,
    /// The folder for saved outputs.
    store: Arc<Store>,
    /// The client profile for the client name in the handshake.
    client_row: Mutex<Option<&'static Client>>,
    calls: Mutex<Calls>,
    pub(super) dropped: Dropped,
    /// The hash function for saved results of tasks.
    hashes: RandomState,
    schemas: Mutex<OutputSchemas>,
    /// The output to the client. `None` after the end of the session.
    client: Mutex<Option<ClientOutput>>,
}

/// The stream to the client.
struct ClientOutput {
    stream: Box<dyn Write + Send>,
    /// True if the last message had no newline.
    is_within_line: bool,
}

impl Session {
    pub(super) fn new(
        settings: Settings,
        client: Box<dyn Write + Send>,
        stats: CallStats,
        store: Arc<Store>,
    ) -> Self {
        Self {
            client_row: Mutex::new(settings.fit.client(None)),
            settings,
            stats,
            store,
            calls: Mutex::default(),
            dropped: Dropped::default(),
            hashes: RandomState::new(),
            schemas: Mutex::default(),
            client: Mutex::new(Some(ClientOutput { stream: client, is_within_line: false })),
        }
    }

    /// Writes messages to the client, starting on a new line. Returns an error if the client has closed its stdin.
    pub(super) fn to_client(&self, bytes: &[u8]) -> io::Result<()> {
        let mut client = locked(&self.client);
        let out = client.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        // The last message of the server can lack a newline.
        if std::mem::replace(&mut out.is_within_line, !bytes.ends_with(b"\n")) {
            out.stream.write_all(b"\n")?;
        }
        out.stream.write_all(bytes).and_then(|()| out.stream.flush())
    }

    /// Counts a tool call. A cancelled call is counted when it is cancelled, and not again.
    fn count(&self, call: &PendingCall, outcome: Outcome) {
        let Some(tool) = call.asks.tool() else { return };
        if let Some(tool) = Tool::named(tool).filter(|_| !call.is_cancelled || outcome == Outcome::Cancelled)
        {
            self.stats.add(&Record::new(now_ms(), tool, call.since.elapsed(), outcome));
        }
    }

    /// Counts a failed call, and returns the error response.
    fn failed(&self, call: &PendingCall, why: &str) -> String {
        self.count(call, Outcome::Error);
        match call.asks {
            Asks::Tool(_) | Asks::TaskResult(_) => replies::tool_error(&call.raw_id, why, call.is_stateless),
            Asks::TaskState(_) | Asks::List | Asks::Other => replies::error(&call.raw_id, SERVER_ENDED, why),
        }
    }

    /// Responds to all open requests with the error `why`, and closes the output.
    pub(super) fn finish(&self, why: &str) {
        let waiting = locked(&self.calls).take_waiting();
        for call in waiting {
            let reply = self.failed(&call, why);
            let _where_it_is_gone = self.to_client(reply.as_bytes());
        }
        locked(&self.client).take();
    }
}
