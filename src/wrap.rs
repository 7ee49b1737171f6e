//! `cutline wrap`: truncates the results of any MCP server.
//!
//! The client starts `cutline wrap`, which starts the server. Every valid message passes unchanged, byte for byte,
//! except results of tools that exceed a limit. cutline truncates those, saves the full result, and adds a notice.
//! `relay` forwards the two directions, `incoming` parses the messages of the server, `session` decides which messages
//! pass, and `result` truncates results with `text` and `json`. This file starts and ends the server.

mod calls;
mod full_result;
mod incoming;
mod json;
mod lines;
mod message;
mod relay;
mod replies;
mod result;
mod schema;
mod session;
mod text;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cutline_core::truncate::KeyForms;
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout};

use crate::blocking;
use crate::call_stats::{CallStats, StatsFile};
use crate::fit::{Client, Fit, Given};
use crate::limits::Limits;
use crate::process::{Commands, Ending, Program, signal_name};
use crate::signals::signals;
use relay::{Over, ServerInput};
use result::ResultRules;
use schema::OutputSchema;
use session::Session;

pub use result::KeepPart;

/// Time for the server to end after its input is closed, and again after SIGTERM.
const END_GRACE: Duration = Duration::from_secs(2);
/// Time to read the output of a server that has ended. A child process can keep the output open.
const OUTPUT_GRACE: Duration = Duration::from_millis(200);
/// Interval between two checks whether the output has been read.
const OUTPUT_LOOK: Duration = Duration::from_millis(2);
/// Time between SIGTERM and SIGKILL for the remaining processes of a server that has ended, and for the server if
/// cutline receives a signal.
const LEFT_GRACE: Duration = Duration::from_millis(100);

/// The settings of a wrap.
#[derive(Debug)]
pub struct Settings {
    /// The limits of a result.
    pub limits: Limits,
    /// The client profile option.
    pub fit: Fit,
    /// The limits that the user set. The client profile does not change them.
    pub given: Given,
    /// Which part of a text is kept.
    pub keep: KeepPart,
    /// Which part is kept for tools with names that match a glob. The last matching glob applies.
    pub keep_for: Vec<(String, KeepPart)>,
    /// Text that is added after each notice.
    pub hint: Option<String>,
    /// Maximum size of a message in bytes.
    pub max_message_bytes: usize,
}

impl Settings {
    /// Returns the limits for the results of `tool` for `client`. The full outputs are saved in `saved_in`.
    fn rules<'a>(
        &'a self,
        tool: &str,
        client: Option<&Client>,
        saved_in: Option<&Path>,
        schema: OutputSchema,
    ) -> ResultRules<'a> {
        let own = self.keep_for.iter().rev().find(|(glob, _)| matches(glob, tool)).map(|(_, keep)| *keep);
        ResultRules {
            bounds: client
                .map_or(self.limits.bounds(), |row| row.fitted(&self.limits, self.given, saved_in).bounds()),
            shows_all: client.is_some_and(|client| client.omits_details),
            keep: own.unwrap_or(self.keep),
            // A result does not state whether the reported operation failed.
            key_forms: if self.limits.key_lines { KeyForms::Strong } else { KeyForms::None },
            hint: self.hint.as_deref(),
            schema,
        }
    }
}

/// Returns true if a glob matches the name of a tool. A `/` is an ordinary character.
fn matches(glob: &str, tool: &str) -> bool {
    globset::Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(tool))
}

/// Locks `value`. A panic of another thread does not leave it inconsistent.
fn locked<T: ?Sized>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wraps the server `program` between `input` and `output` until its end. Returns the exit code. Fails if the
/// server cannot be started.
pub async fn run(
    settings: Settings,
    (program, arguments): (&OsStr, &[OsString]),
    commands: Commands,
    records: Option<StatsFile>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<i32> {
    let mut signals = signals()?;
    let (served, server_input, server_output) = commands.start_server(program, arguments)?;
    commands.start();
    let store = Arc::clone(&commands.store);
    let session = Arc::new(Session::new(settings, Box::new(output), CallStats::new(records), store));
    let server_input = ServerInput::new(server_input);
    let over = Over::default();
    let reads = relay::from_server(Arc::clone(&session), server_output, server_input.clone(), &over)?;
    relay::from_client(Arc::clone(&session), input, server_input.clone(), &over)?;
    let mut life = Life { served, session, server_input, over, reads };
    let code = tokio::select! {
        biased;
        Some(number) = signals.next() => {
            // A second signal ends the server immediately.
            tokio::select! {
                () = life.end_at_once(number) => {}
                _ = signals.next() => {}
            }
            Ending::Signal(number).exit_code()
        }
        code = life.end() => code,
    };
    tokio::select! {
        () = commands.shutdown() => {}
        _ = signals.next() => {}
    }
    for line in life.session.stats.summary() {
        tracing::info!("{line}");
    }
    if let Some(dropped) = life.session.dropped.summary() {
        tracing::warn!("{dropped}");
    }
    Ok(code)
}

/// A running server.
struct Life {
    served: Program,
    session: Arc<Session>,
    server_input: ServerInput,
    over: Over,
    /// The number of started and ended reads of the server's output. Odd during a read.
    reads: Arc<AtomicU64>,
}

impl Life {
    /// Waits for the end, and ends the remaining processes. Returns the exit code.
    async fn end(&mut self) -> i32 {
        let a_side_is_over = async {
            tokio::select! {
                () = self.over.client.cancelled() => {}
                () = self.over.server.cancelled() => {}
            }
        };
        let own_end = tokio::select! {
            ending = self.served.wait() => Some(ending),
            () = a_side_is_over => {
                self.server_input.close();
                timeout(END_GRACE, self.served.wait()).await.ok()
            }
        };
        let Some(ending) = own_end else {
            let ending = self.served.end_and_unregister(END_GRACE).await;
            self.last_output().await;
            self.answer_waiting(&server_ended(ending)).await;
            // If the client closed its side, the end was expected. Otherwise the server closed its output without
            // ending.
            return i32::from(!self.over.client.is_cancelled());
        };
        // A remaining process can write forever, so the wait is limited until that process is ended.
        let _rest_may_be_endless = timeout(END_GRACE, self.last_output()).await;
        self.served.end_and_unregister(LEFT_GRACE).await;
        self.last_output().await;
        self.answer_waiting(&server_ended(ending)).await;
        ending.exit_code()
    }

    /// Ends the server after the signal `number`.
    async fn end_at_once(&mut self, number: i32) {
        self.server_input.close();
        self.served.end_and_unregister(LEFT_GRACE).await;
        // The client may no longer read.
        self.over.client.cancel();
        let _may_time_out = timeout(OUTPUT_GRACE, self.last_output()).await;
        self.answer_waiting(&format!("The wrap was ended (signal {})", signal_name(number))).await;
    }

    /// Waits until the server's output has been forwarded: until its end, or for a short time if another
    /// process keeps it open. Waits for a slow client, unless the client has closed its side.
    async fn last_output(&mut self) {
        let (since, mut last) = (Instant::now(), 0);
        while !self.over.server.is_cancelled() {
            // A read that has not returned since the last check has no data.
            let reads = self.reads.load(Ordering::Acquire);
            let waits = reads % 2 == 1 && std::mem::replace(&mut last, reads) == reads;
            let is_taken = since.elapsed() >= OUTPUT_GRACE && waits;
            if is_taken || (self.over.client.is_cancelled() && since.elapsed() >= END_GRACE) {
                return;
            }
            let _looks_again = timeout(OUTPUT_LOOK, self.over.server.cancelled()).await;
        }
    }

    /// Replies to all open requests with the error `why`.
    async fn answer_waiting(&self, why: &str) {
        let (session, why) = (Arc::clone(&self.session), why.to_owned());
        let answers = blocking::run(move || session.finish(&why));
        if self.over.client.is_cancelled() {
            // The client may no longer read.
            let _may_time_out = timeout(OUTPUT_GRACE, answers).await;
        } else {
            let _no_thread = answers.await;
        }
    }
}

/// Describes how a server ended.
fn server_ended(ending: Ending) -> String {
    match ending {
        Ending::Code(code) => format!("The server ended (exit code {code})"),
        Ending::Signal(number) => format!("The server ended (signal {})", signal_name(number)),
    }
}
