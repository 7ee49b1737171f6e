//! `cutline` without a command: serves MCP over stdin and stdout.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::fs;
use crate::process::{self, Ending};
use crate::search::ignore_rules::read_global_rules;
use crate::server::{self, Config};
use crate::signals;

use super::{Options, refuse_in, values};

/// The time after which an idle thread of the pool ends. It is long, so that the server still works if the system later
/// refuses to start threads.
const KEEP_ALIVE: Duration = Duration::from_hours(24);
/// The text for a user who starts the server on a terminal.
const ON_A_TERMINAL: &str =
    "cutline is an MCP server. An MCP client starts it and talks to it over stdin and stdout.
To add it to a client, run:  cutline config CLIENT --write  (cutline config --help lists the clients)
To try a tool, run:          cutline call ls
To list all flags, run:      cutline --help
";

/// Serves until the session ends. Returns the exit code.
pub(super) fn run(options: &Options) -> anyhow::Result<i32> {
    log_to_stderr(options);
    let is_started_by_hand = !leave_terminal();
    let runtime = runtime()?;
    let config = config(options).unwrap_or_else(|message| refuse_in(&[], message));
    if is_started_by_hand {
        let _closed = std::io::stderr().write_all(ON_A_TERMINAL.as_bytes());
    }
    // Before the first command, and not on this thread: the home folder can be on a slow file system.
    let _read_by_the_first_search = std::thread::Builder::new().spawn(read_global_rules);
    let signal = runtime.block_on(server::serve(config));
    // This does not wait for blocking work.
    runtime.shutdown_background();
    Ok(signal?.map_or(0, |number| Ending::Signal(number).exit_code()))
}

fn config(options: &Options) -> anyhow::Result<Config> {
    let shared = options.shared()?;
    let workspace = options.workspace(&shared)?;
    Ok(Config {
        shared,
        workspace,
        follows_client_roots: options.roots.is_empty(),
        fit: options.fit,
        given: options.given(),
        format: options.result_format(),
        stats_file: options.stats_file()?,
    })
}

/// Leaves the terminal of the client and returns true. Returns false if a user started the server on a terminal. Call
/// it before any code reads the session id.
pub(super) fn leave_terminal() -> bool {
    let is_client = !std::io::stdin().is_terminal();
    if is_client {
        process::leave_terminal();
    }
    is_client
}

/// Creates the runtime: one thread for asynchronous work, and a pool for blocking work. With several asynchronous
/// threads, each message would wake another thread. Call it before the first process or thread starts.
pub(super) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    process::adopt_orphans();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().thread_keep_alive(KEEP_ALIVE).build()?;
    runtime.block_on(async { signals::reset_inherited() })?;
    Ok(runtime)
}

/// Starts logging to stderr without blocking. The filter is `--log` or `RUST_LOG`. The default is `info` on a terminal
/// and `warn` for a client, because many clients show everything on stderr as an error.
pub(super) fn log_to_stderr(options: &Options) {
    let from_rust_log = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty());
    let by_default = if std::io::stderr().is_terminal() { "info" } else { "warn" };
    let texts = [from_rust_log.as_deref(), Some(by_default)].into_iter().flatten();
    let filter = options.log.clone().or_else(|| texts.flat_map(values::log_filter).next());
    let lines = tracing_subscriber::fmt::layer().with_writer(|| fs::LogStream);
    let lines = lines.with_ansi(false).with_target(false);
    tracing_subscriber::registry().with(filter).with(lines).init();
    // The default hook blocks if stderr is full. A call that panics must still return a result.
    std::panic::set_hook(Box::new(|panic| {
        let _lost = writeln!(fs::LogStream, "{panic}");
    }));
}
