//! Runs commands, and ends them with all processes that they started.
//!
//! A command is a shell in a separate process group. Its output is one pipe. The command ends when the shell has ended and
//! the pipe is empty. A background process that keeps the pipe open delays the result only briefly: it keeps running, and
//! its output is added to the saved file. If a command is cancelled, times out or loses its caller, cutline ends every
//! process of it. At the end of the server, it ends the processes that stayed in the command's group or kept its output.
//! The next server ends processes of a killed server that stayed in its session or kept the output of a command.
//!
//! In reading order: `start` starts a command, `supervise` follows it to its end, `drain` and `capture` read its output,
//! `pipeline` gets the exit codes of its last pipeline, `registry` lists the processes to end, `process_tree` ends them.

mod capture;
mod command;
mod drain;
pub mod environment;
mod mark;
mod permits;
mod pipeline;
mod process_tree;
mod registry;
pub mod sandbox;
mod start;
mod supervise;
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

/// Time from the start until what killed servers left is looked for: the first answers come before.
const END_STALE_AFTER: Duration = Duration::from_millis(300);
/// Time for the sweep of a server that ends.
const LAST_SWEEP_TIME: Duration = Duration::from_millis(500);
/// Time between two sweeps of old saved outputs.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// The commands of a server.
#[derive(Debug)]
pub struct Commands {
    /// The path of the shell that they run by, or its name where `PATH` has none.
    pub shell: PathBuf,
    /// The rules of the sandbox, if there is one.
    pub sandbox: Option<Sandbox>,
    /// The folder of saved outputs.
    pub store: Arc<Store>,
    environment: Environment,
    registry: Arc<Registry>,
    permits: CommandPermits,
    pipelines: PipelineReports,
}

impl Commands {
    /// Returns commands with the rules of `sandbox`, if any, and the variables of `environment`. `saved` are the settings of
    /// saved outputs. Opens their folder and starts no process.
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
            "/proc has no processes of this namespace: of what commands start, only what stays in their process \
             group is ended",
        )
    }

    /// Starts the work in the background: creates the folder for outputs that the user named, ends and removes leftovers
    /// of killed servers, and removes old saved outputs now and once an hour. Needs a runtime. `shutdown` ends the work.
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
                let _time_for_the_next = tokio::time::timeout(SWEEP_INTERVAL, over.cancelled()).await;
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

    /// Ends all commands and their background processes, and waits about one and a half seconds at most. No further
    /// command can start.
    pub async fn shutdown(&self) {
        self.registry.shutdown().await;
        if let Some(sandbox) = &self.sandbox {
            sandbox.temp.remove();
            sandbox.shared_memory.remove();
        }
        self.pipelines.remove();
        // A server that is started for a single call does not live until its first sweep.
        let _a_folder_that_hangs_is_left = tokio::time::timeout(LAST_SWEEP_TIME, sweep(&self.store)).await;
    }
}

/// Removes old saved outputs.
async fn sweep(store: &Arc<Store>) {
    let store = Arc::clone(store);
    let _no_thread = blocking::run(move || store.sweep(SystemTime::now())).await;
}

#[cfg(test)]
mod tests;
