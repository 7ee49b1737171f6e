//! Runs commands. Ends each command together with all processes that it started.
//!
//! A command is a shell in its own process group. Its output is one pipe. The command ends when the shell has exited
//! and the pipe is empty. If a background process keeps the pipe open, the result waits only briefly: the process keeps
//! running, and cutline adds its output to the saved file.
//!
//! If a command is cancelled, times out or loses its caller, cutline ends all its processes. When the server ends, it
//! ends the processes that stayed in the command's group or still hold the command's pipe open. After a server was
//! killed, the next server ends the processes that stayed in the killed server's session or still hold a command's pipe
//! open.
//!
//! Modules in reading order: `start` starts a command, `supervise` follows it until it ends, `drain` and `capture` read
//! its output, `pipeline` gets the exit codes of its last pipeline, `registry` lists the processes to end,
//! `process_tree` ends them.

mod capture;
mod command;
mod drain;
pub mod environment;
mod permits;
mod pipeline;
mod process_tree;
mod registry;
pub mod sandbox;
mod start;
mod supervise;
mod tag;
mod temp_folder;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::blocking;
use crate::fs::workspace::Root;
use crate::saved_output::{self, Store};
use crate::sys;
use environment::Environment;
use permits::CommandPermits;
use pipeline::PipelineReports;
use registry::{GRACE, Registry};
use sandbox::Sandbox;

pub use crate::sys::Ending;
pub(crate) use crate::sys::{
    InputPipe, close_inherited_on_exec, is_program, leave_terminal, on_path, signal_name,
};
pub use capture::{Capture, Captured, Latest, View};
pub use command::{Background, Cause, LateEnd, Outcome, Request, Running, State, StatusLine, Times};
pub use permits::{CommandPermit, TooManyCommands};
pub use start::Program;

/// Delay after the start before cutline looks for processes of killed servers, so that the first results do not wait
/// for it.
const END_STALE_AFTER: Duration = Duration::from_millis(300);
/// Maximum time for the sweep of saved outputs when the server ends.
const LAST_SWEEP_TIME: Duration = Duration::from_millis(500);
/// Time between two sweeps of old saved outputs.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// The commands of a server.
#[derive(Debug)]
pub struct Commands {
    /// The path of the shell, or its name if no folder of `PATH` has it.
    pub shell: PathBuf,
    /// The sandbox rules, if `--sandbox` is on.
    pub sandbox: Option<Sandbox>,
    /// The folder of saved outputs.
    pub store: Arc<Store>,
    environment: Environment,
    registry: Arc<Registry>,
    permits: CommandPermits,
    pipelines: PipelineReports,
}

impl Commands {
    /// Creates the command runner with the rules of `sandbox`, if any, and the variables of `environment`. `saved` are
    /// the settings of saved outputs. Opens the folder of saved outputs. Starts no process.
    pub fn new(
        saved: saved_output::Settings,
        mut sandbox: Option<Sandbox>,
        environment: Environment,
    ) -> Self {
        let store = Store::new(saved);
        if let (Some(sandbox), Some(folder)) = (&mut sandbox, store.given_path()) {
            sandbox.own.push(("the folder of saved outputs", Root::followed(folder.to_owned())));
        }
        Self {
            registry: Arc::new(Registry::new()),
            shell: sys::find_shell(),
            sandbox,
            environment,
            store: Arc::new(store),
            permits: CommandPermits::new(),
            pipelines: PipelineReports::default(),
        }
    }

    /// Returns a warning if cutline cannot find all processes of a command.
    pub fn warning(&self) -> Option<&'static str> {
        (!sys::has_process_table()).then_some(
            "/proc shows no processes of this PID namespace, so cutline can only end the processes that stay in \
             the process group of their command",
        )
    }

    /// Starts the background work: creates the folder of saved outputs if the user named one, ends processes and
    /// removes folders of killed servers, and removes old saved outputs now and once an hour. Needs a tokio runtime.
    /// `shutdown` ends the work.
    pub fn start(&self) {
        let (store, over) = (Arc::clone(&self.store), self.registry.closing.clone());
        store.make_named();
        sys::survive_large_files();
        if let Some(warning) = self.warning() {
            tracing::warn!("{warning}");
        }
        tokio::spawn(async move {
            let end_stale = || {
                process_tree::end_orphans(GRACE);
                temp_folder::remove_stale();
            };
            tokio::time::sleep(END_STALE_AFTER).await;
            let _no_thread = blocking::run(end_stale).await;
            while !over.is_cancelled() {
                sweep(&store).await;
                let _next_sweep_or_end = tokio::time::timeout(SWEEP_INTERVAL, over.cancelled()).await;
            }
        });
    }

    /// Returns the folders outside the roots that sandboxed commands can write to.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(Sandbox::writable)
    }

    /// Waits for a permit to run a command.
    pub async fn permit(&self) -> Result<CommandPermit, TooManyCommands> {
        self.registry.reap();
        self.permits.take().await
    }

    /// Ends all commands and their background processes. Waits about 1.5 seconds at most. No further command can start.
    pub async fn shutdown(&self) {
        self.registry.shutdown().await;
        if let Some(sandbox) = &self.sandbox {
            sandbox.temp.remove();
            sandbox.shared_memory.remove();
        }
        self.pipelines.remove();
        // A server for a single call exits before its first sweep.
        let _skip_a_folder_that_hangs = tokio::time::timeout(LAST_SWEEP_TIME, sweep(&self.store)).await;
    }
}

/// Removes old saved outputs.
async fn sweep(store: &Arc<Store>) {
    let store = Arc::clone(store);
    let _no_thread = blocking::run(move || store.sweep(SystemTime::now())).await;
}

#[cfg(test)]
mod tests;
