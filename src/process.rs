//! Commands: started, drained, ended with all that they started.
//!
//! A command is a shell with a process group of its own, whose output is one pipe. It is over when
//! the shell has ended and the pipe is dry: a background process that still holds the pipe delays
//! no answer, lives on, and its output goes on to the saved file. A command that is cancelled, runs
//! out of time, or whose caller goes away is ended with every process that belongs to it. When the
//! server ends, so does all that stayed with it; what a killed server could not end, the next does.

mod capture;
mod drain;
mod mark;
mod permits;
mod process_tree;
mod registry;
pub mod sandbox;
mod shell;
mod signal;
pub mod spill;
mod supervise;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::fs::workspace::Root;
use crate::sys;
use cutline_core::truncate::Keep;
use drain::Drain;
use permits::CommandPermits;
use registry::Registry;
use sandbox::Sandbox;
use shell::Shell;
use spill::Store;

pub use capture::{Captured, Latest, SavedOutput};
pub use permits::{CommandPermit, TooManyCommands};
pub use shell::{is_program, on_path};
pub use signal::signal_name;

/// How often old saved outputs are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// The name of this server, which no other process has or will have.
pub fn this_server() -> String {
    mark::Server::this().name()
}

/// Closes for every command, now and later, each descriptor that this process was started with, but for
/// its input, its output and stderr.
pub fn close_inherited_on_exec() {
    sys::close_inherited_on_exec();
}

/// How commands are run.
#[derive(Debug, Default)]
pub struct Settings {
    /// Where outputs are saved.
    pub spill: spill::Settings,
    /// The rules that commands are held to, where they are.
    pub sandbox: Option<Sandbox>,
}

/// The commands of a server.
#[derive(Debug)]
pub struct Commands {
    shell: Shell,
    store: Arc<Store>,
    registry: Arc<Registry>,
    permits: CommandPermits,
    background: CancellationToken,
}

/// What is to be run, and what is to be kept of its output.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The command line.
    pub command: &'a str,
    /// The folders it is for; it starts in the first.
    pub roots: &'a [Root],
    /// How long it may run.
    pub timeout: Duration,
    /// Which ends of the output are kept.
    pub keep: Keep,
    /// Bytes of it that are kept.
    pub max_bytes: u64,
}

/// A command that runs. Dropped, it is ended.
#[derive(Debug)]
pub struct Running {
    finished: oneshot::Receiver<Finished>,
    drain: Arc<Drain>,
    /// Ends the command when dropped.
    _kill_on_drop: DropGuard,
    cancel: CancellationToken,
}

/// A command that is over.
#[derive(Debug)]
pub struct Finished {
    /// How the shell ended.
    pub ending: Ending,
    /// What ended it.
    pub cause: Cause,
    /// What it printed.
    pub output: Captured,
    /// The processes that still hold its output.
    pub background: Vec<Background>,
    /// How long it took.
    pub duration: Duration,
}

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a code.
    Code(i32),
    /// By the signal of that number.
    Signal(i32),
}

/// What ended a command.
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
    /// Commands that run as `settings` say. Nothing is started or looked at yet.
    pub fn new(settings: Settings) -> Self {
        let store = Arc::new(Store::new(settings.spill));
        let temp = settings.sandbox.as_ref().map(|sandbox| sandbox.temp().to_owned());
        Self {
            registry: Arc::new(Registry::new(Arc::clone(&store), temp)),
            shell: Shell::new(settings.sandbox),
            store,
            permits: CommandPermits::new(),
            background: CancellationToken::new(),
        }
    }

    /// Begins the work beside the commands: what killed servers left is ended, old saved outputs
    /// are removed, now and once an hour. Needs a runtime; `shutdown` ends it.
    pub fn start(&self) {
        let (store, over) = (Arc::clone(&self.store), self.background.clone());
        let large_files = sys::survive_large_files();
        tokio::spawn(async move {
            let reaped = Arc::clone(&store);
            let _at_the_start = tokio::task::spawn_blocking(move || registry::end_stale(&reaped)).await;
            while !over.is_cancelled() {
                let swept = Arc::clone(&store);
                let _each_hour = tokio::task::spawn_blocking(move || swept.sweep(SystemTime::now())).await;
                let _or_over = tokio::time::timeout(SWEEP_INTERVAL, over.cancelled()).await;
            }
            drop(large_files);
        });
    }

    /// The folder of saved outputs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The folders beside the roots in which commands under a sandbox may write.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.shell.writable()
    }

    /// The program that commands run by.
    pub fn shell(&self) -> &Path {
        self.shell.program()
    }

    /// The rules that commands are held to, where they are.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.shell.sandbox()
    }

    /// How many commands can run at once.
    pub fn at_once(&self) -> u32 {
        self.permits.at_once()
    }

    /// Waits until one more command can run: each needs descriptors, and there are only so many.
    pub async fn place(&self) -> Result<CommandPermit, TooManyCommands> {
        self.registry.reap();
        self.permits.take().await
    }

    /// Starts a command. It needs a runtime, which then looks after it.
    pub fn run(&self, place: CommandPermit, request: Request<'_>) -> io::Result<Running> {
        supervise::run(&self.shell, &self.store, &self.registry, place, request)
    }

    /// Ends all commands that run, and all that those which have ended left behind. Waits for it,
    /// not much over a second; no command starts any more.
    pub async fn shutdown(&self) {
        self.background.cancel();
        registry::shutdown(&self.registry).await;
        self.shell.discard();
    }
}

impl Running {
    /// How far it is; `None` where that can't be known without waiting.
    pub fn latest(&self) -> Option<Latest> {
        self.drain.try_with(|capture| capture.latest())
    }

    /// How many bytes it printed so far.
    pub fn bytes(&self) -> u64 {
        self.drain.bytes()
    }

    /// Ends it, at once.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until it is over. Can be dropped and called again.
    pub async fn finished(&mut self) -> io::Result<Finished> {
        (&mut self.finished).await.map_err(|_| io::Error::other("the command was lost"))
    }
}

#[cfg(test)]
mod tests;
