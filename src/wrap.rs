//! `cutline wrap`: truncates the results of any MCP server.
//!
//! The client starts `cutline wrap`, which starts the server. Every valid message passes unchanged, byte for byte,
//! except errors, states of tasks and results of tools that exceed a limit, and those whose text ends like a notice. cutline
//! truncates those over a limit, saves the full result, and adds a notice. Errors are shortened and not saved.
//! A request for input over a limit becomes an error.
//!
//! Batches and messages over the limit of a message do not pass. Neither does what the server sends if it is invalid, a
//! response to no open request, or a response or a state of a task with more than 4 KB around it. Other lines of the
//! client pass, whatever they are.
//!
//! `relay` forwards the two directions and has the open requests, `message` reads their lines, `parts` reads a result,
//! `limit` truncates it, and `shrink` shortens JSON. This file starts and ends the server.

mod limit;
mod message;
mod parts;
mod relay;
mod shrink;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use cutline_core::truncate::Keep;
use futures_util::FutureExt as _;
use globset::GlobMatcher;
use tokio::time::{sleep, timeout};

use crate::blocking;
use crate::call_stats::{CallStats, StatsFile};
use crate::fit::{Client, Fit, Given};
use crate::limits::Limits;
use crate::process::{Commands, Ending, Program, signal_name};
use crate::saved_output::Store;
use crate::signals::signals;
use limit::ToolLimits;
use relay::Session;

/// Time for the server to end after its input is closed, and again after SIGTERM.
const END_GRACE: Duration = Duration::from_secs(2);
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
    /// Which part of a text is kept, if the user set it.
    pub keep: Option<KeepPart>,
    /// Which part is kept for tools with names that match a glob. The last matching glob applies.
    pub keep_for: Vec<(GlobMatcher, KeepPart)>,
    /// Text that is added after each notice.
    pub hint: Option<String>,
    /// Maximum size of a message in bytes.
    pub max_message_bytes: usize,
}

/// Which part of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepPart {
    /// The start.
    #[default]
    Head,
    /// The end.
    Tail,
    /// Both ends: a fifth of the lines from the start, and the others from the end.
    Ends,
}

impl KeepPart {
    /// Returns the ends to keep of a text that is limited to `lines` lines. With one line, `Ends` keeps the end.
    pub fn of_lines(self, lines: u64) -> Keep {
        match self {
            Self::Head => Keep::Head,
            Self::Ends if lines > 1 => Keep::Both { head: (lines / 5).max(1) },
            Self::Tail | Self::Ends => Keep::Tail,
        }
    }
}

impl Settings {
    /// Returns the limits for the results of `tool` for a client with this profile. The full outputs are saved in `store`.
    fn of_tool<'a>(&'a self, tool: &str, profile: Option<&Client>, store: &'a Arc<Store>) -> ToolLimits<'a> {
        let own = self.keep_for.iter().rev().find(|(glob, _)| glob.is_match(tool)).map(|(_, keep)| *keep);
        let fitted = profile.map(|profile| profile.fitted(&self.limits, self.given, store.path().as_deref()));
        ToolLimits {
            settings: self,
            bounds: fitted.as_ref().unwrap_or(&self.limits).bounds(),
            short: self.limits.short().filter(|_| own.or(self.keep).is_none()),
            shows_all: profile.is_some_and(|profile| profile.omits_details),
            keep: own.or(self.keep).unwrap_or_default(),
            store,
        }
    }
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
    let (mut served, server_input, server_output) = commands.start_server(program, arguments)?;
    commands.start();
    let store = Arc::clone(&commands.store);
    let records = (CallStats::new(records), store);
    let session = Session::start(settings, records, (input, output), (server_output, server_input))?;
    let code = tokio::select! {
        biased;
        number = signals.next() => {
            session.close_server_input();
            served.end_and_unregister(LEFT_GRACE).await;
            let _may_time_out = timeout(LEFT_GRACE, session.server_over.cancelled()).await;
            answer_waiting(&session, format!("The wrap was ended (signal {})", signal_name(number))).await;
            Ending::Signal(number).exit_code()
        }
        code = end(&mut served, &session) => code,
    };
    commands.shutdown().await;
    for line in session.stats.summary() {
        tracing::info!("{line}");
    }
    Ok(code)
}

/// Waits for the end of the server or of the session, and ends the remaining processes. Returns the exit code.
async fn end(served: &mut Program, session: &Arc<Session>) -> i32 {
    let mut own_end = tokio::select! {
        ending = served.wait() => Some(ending),
        () = session.client_over.cancelled() => None,
        () = session.server_over.cancelled() => None,
    };
    if own_end.is_none() {
        session.close_server_input();
        own_end = timeout(END_GRACE, served.wait()).await.ok();
    }
    let grace = if own_end.is_some() { LEFT_GRACE } else { END_GRACE };
    let killed = served.end_and_unregister(grace).await;
    tokio::select! {
        () = session.server_over.cancelled() => {}
        // A slow client gets everything, but one that has closed its side may not read.
        () = session.client_over.cancelled().then(|()| sleep(END_GRACE)) => {}
        // A process that left the server can keep its output open.
        () = session.idle(END_GRACE) => {}
    }
    let code = own_end.unwrap_or(killed).exit_code();
    answer_waiting(session, format!("The server ended (exit code {code})")).await;
    // If the client closed its side, the end was expected. Otherwise the server closed its output without ending.
    if own_end.is_some() { code } else { i32::from(!session.client_over.is_cancelled()) }
}

/// Replies to all open requests with the error `why`. The client may not read.
async fn answer_waiting(session: &Arc<Session>, why: String) {
    let session = Arc::clone(session);
    let _may_time_out = timeout(END_GRACE, blocking::run(move || session.finish(&why))).await;
}
