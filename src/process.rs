//! Commands: started, drained, ended with all that they started.
//!
//! A command is a shell with a process group of its own, whose output is one pipe. It is over when
//! the shell has ended and the pipe is empty: a background process that still holds the pipe delays
//! no answer for long, lives on, and its output goes on to the saved file. A command that is cancelled, runs
//! out of time, or whose caller goes away is ended with every process that belongs to it. When the
//! server ends, so does all that stayed in the command's group or kept its output; what stayed in the session or
//! kept its output after a server is gone, the next server ends.
//!
//! In the order of a first reading: `shell` starts, `supervise` has the life of one command, `drain` and
//! `capture` take its output, `spill` saves it, `registry` owns what is to be ended, `process_tree` ends it.

mod capture;
mod drain;
pub mod environment;
mod mark;
mod permits;
mod process_tree;
mod registry;
pub mod sandbox;
mod served;
mod shell;
mod signal;
pub mod spill;
mod supervise;
mod temp_folder;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::fs::workspace::Root;
use crate::sys;
use cutline_core::truncate::{Bounds, Keep};
use drain::Drain;
use environment::Environment;
use permits::CommandPermits;
use registry::{GRACE, Registry};
use sandbox::Sandbox;
use spill::Store;

pub(crate) use crate::sys::{InputPipe, close_inherited_on_exec, is_program, on_path};
pub use capture::{Capture, Captured, Latest};
pub use permits::{CommandPermit, TooManyCommands};
pub use served::{Served, ServedPipes};
pub use signal::signal_name;

/// Time from the start until what killed servers left is looked for: the first answers come before.
const END_STALE_AFTER: Duration = Duration::from_millis(300);
/// Time for the sweep of a server that ends before its first one.
const LAST_SWEEP_TIME: Duration = Duration::from_millis(500);
/// Time between two sweeps of old saved outputs.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// The settings for all commands.
#[derive(Debug, Default)]
pub struct Settings {
    /// The folder of saved outputs, and its limits.
    pub spill: spill::Settings,
    /// The rules that commands are held to, if any.
    pub sandbox: Option<Sandbox>,
    /// The variables that commands do not have.
    pub environment: Environment,
}

/// The commands of a server.
#[derive(Debug)]
pub struct Commands {
    /// The path of the shell, or its name where `PATH` has none.
    shell: PathBuf,
    /// The rules that commands are held to, if any.
    sandbox: Option<Sandbox>,
    environment: Environment,
    store: Arc<Store>,
    registry: Arc<Registry>,
    permits: CommandPermits,
    /// Ends the sweeping of old saved outputs.
    housekeeping_stop: CancellationToken,
}

/// A command to run, and how much of its output to keep.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The command line.
    pub command: &'a str,
    /// The workspace; it starts in the first of these folders.
    pub roots: &'a [Root],
    /// The ends of the output that are kept.
    pub keep: Keep,
    /// The most of it that is kept.
    pub bounds: Bounds,
    /// The most characters of each line of it, if there is a limit.
    pub max_line_chars: Option<usize>,
    /// Its times.
    pub times: Times,
}

/// The times of a command, counted from its start, and how its end is told in its saved output.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// The longest that it may run.
    pub timeout: Duration,
    /// The time after which it is answered for though it still runs, if any.
    pub answer_within: Option<Duration>,
    /// Returns the line that ends the saved output of a command that was answered for before its end; only the
    /// output of its background processes comes after it.
    pub status_line: fn(Ending, Cause, Duration) -> String,
}

/// A command that runs. Dropped, it is ended.
#[derive(Debug)]
pub struct Running {
    outcome: oneshot::Receiver<Outcome>,
    drain: Arc<Drain>,
    /// Ends the command when dropped; `None` once the command goes on without its caller.
    kill_on_drop: Option<DropGuard>,
    cancel: CancellationToken,
}

/// A command when its call is answered.
#[derive(Debug)]
pub struct Outcome {
    /// Its state: over, or still running.
    pub state: State,
    /// Its output so far.
    pub output: Captured,
    /// Time from its start to the shell's end, or to the answer where that comes before.
    pub duration: Duration,
}

/// The state of a command when its call is answered.
#[derive(Debug)]
pub enum State {
    /// It is over.
    Finished {
        /// The shell's exit code or signal.
        ending: Ending,
        /// The reason for its end.
        cause: Cause,
        /// The processes that still hold its output open.
        background: Vec<Background>,
    },
    /// It goes on, and its output goes on to the saved file: until its own end, its timeout, or the server's end.
    StillRunning {
        /// The shell's number.
        id: u32,
    },
}

/// The end of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exited with that code.
    Code(i32),
    /// It was killed by the signal of that number.
    Signal(i32),
}

impl Ending {
    /// Returns the end of a shell with that status, `None` where it could not be waited for.
    fn of(status: Option<ExitStatus>, was_killed: bool) -> Self {
        sys::ending_of(status, was_killed).map_or_else(Self::Signal, Self::Code)
    }
}

/// The reason for a command's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It came to its end.
    Itself,
    /// It ran out of time.
    Timeout,
    /// It was cancelled.
    Cancelled,
}

/// A process that outlives its command and holds its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    /// Its number.
    pub id: u32,
    /// Its program's name.
    pub name: String,
}

impl Default for Commands {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Commands {
    /// Returns commands that run by `settings`. Opens the folder of saved outputs; starts nothing yet.
    pub fn new(settings: Settings) -> Self {
        let store = Store::new(settings.spill);
        let sandbox = settings.sandbox.map(|sandbox| sandbox.with_saved(store.given()));
        Self {
            registry: Arc::new(Registry::new()),
            shell: sys::find_shell(),
            sandbox,
            environment: settings.environment,
            store: Arc::new(store),
            permits: CommandPermits::new(),
            housekeeping_stop: CancellationToken::new(),
        }
    }

    /// Returns a warning where not all processes of a command can be told.
    pub fn warning(&self) -> Option<&'static str> {
        (!sys::has_process_table()).then_some(
            "/proc has no processes of this namespace: of what commands start, only what stays in their process \
             group is ended",
        )
    }

    /// Begins the work beside the commands: what killed servers left is ended and removed, old saved
    /// outputs are removed, now and once an hour. Needs a runtime; `shutdown` ends it.
    pub fn start(&self) {
        let (store, over) = (Arc::clone(&self.store), self.housekeeping_stop.clone());
        let large_files = sys::survive_large_files();
        if let Some(warning) = self.warning() {
            tracing::warn!("{warning}");
        }
        tokio::spawn(async move {
            let end_stale = || {
                process_tree::end_orphans(GRACE);
                temp_folder::remove_stale();
            };
            tokio::time::sleep(END_STALE_AFTER).await;
            on_blocking_thread(end_stale).await;
            while !over.is_cancelled() {
                sweep(&store).await;
                let _time_for_the_next = tokio::time::timeout(SWEEP_INTERVAL, over.cancelled()).await;
            }
            drop(large_files);
        });
    }

    /// Returns the folder of saved outputs.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the folders beside the roots in which commands under a sandbox may write.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(Sandbox::writable)
    }

    /// Returns the path of the shell that commands run by, or its name where `PATH` has none.
    pub fn shell(&self) -> &Path {
        &self.shell
    }

    /// Returns the rules that commands are held to, if any.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    /// Returns how many commands can run at once.
    pub fn at_once(&self) -> u32 {
        self.permits.at_once()
    }

    /// Waits for a permit to run one more command: each needs descriptors, and their number is limited.
    pub async fn permit(&self) -> Result<CommandPermit, TooManyCommands> {
        self.registry.reap();
        self.permits.take().await
    }

    /// Ends all commands that run, and all that those which have ended left behind. Waits for it,
    /// not much over a second; no command starts any more.
    pub async fn shutdown(&self) {
        self.housekeeping_stop.cancel();
        self.registry.shutdown().await;
        if let Some(sandbox) = &self.sandbox {
            sandbox.discard();
        }
        // Where a server is started for each call, none lives until its first sweep.
        if !self.store.has_swept() {
            let _a_folder_that_hangs_is_left =
                tokio::time::timeout(LAST_SWEEP_TIME, sweep(&self.store)).await;
        }
    }
}

/// Removes old saved outputs.
async fn sweep(store: &Arc<Store>) {
    let store = Arc::clone(store);
    on_blocking_thread(move || store.sweep(SystemTime::now())).await;
}

/// Runs `work`, which blocks, on another thread; leaves it undone where no thread can be had.
async fn on_blocking_thread(work: impl FnOnce() + Send + 'static) {
    // The runtime panics where it gets none.
    if std::thread::Builder::new().spawn(|| ()).is_ok() {
        let _a_panic_harms_nothing_else = tokio::task::spawn_blocking(work).await;
    }
}

impl Running {
    /// Returns the counts and the end of its output so far; `None` where the reader is at work on them.
    pub fn latest(&self) -> Option<Latest> {
        self.drain.try_with(|capture| capture.latest())
    }

    /// Returns how many bytes it printed so far.
    pub fn bytes(&self) -> u64 {
        self.drain.bytes()
    }

    /// Ends it, at once.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until it is over, or goes on without its caller. The future can be dropped and made again.
    pub async fn outcome(&mut self) -> io::Result<Outcome> {
        let outcome = (&mut self.outcome).await.map_err(|_| io::Error::other("the command was lost"))?;
        if let (State::StillRunning { .. }, Some(guard)) = (&outcome.state, self.kill_on_drop.take()) {
            guard.disarm();
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests;
