//! Commands: started, drained, ended with all that they started.
//!
//! A command is a shell with a process group of its own, whose output is one pipe. It is over when
//! the shell has ended and the pipe is empty: a background process that still holds the pipe delays
//! no answer for long, lives on, and its output goes on to the saved file. A command that is cancelled, runs
//! out of time, or whose caller goes away is ended with every process that belongs to it. When the
//! server ends, so does all that stayed in the command's group or kept its output; what stayed in the session or
//! kept its output after a server is gone, the next server ends.
//!
//! In the order of a first reading: `start` starts, `supervise` has the life of one command, `drain` and
//! `capture` take its output, `pipeline` gets the exit codes of its last pipeline, `registry` owns what is to be ended, `process_tree` ends it.

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
    /// The rules that they are held to, if any.
    pub sandbox: Option<Sandbox>,
    /// The folder of saved outputs.
    pub store: Arc<Store>,
    environment: Environment,
    registry: Arc<Registry>,
    permits: CommandPermits,
    pipelines: PipelineReports,
}

impl Commands {
    /// Returns commands that are held to the rules of `sandbox`, if any, have the variables of `environment`, and have their
    /// outputs saved as `saved` says. Opens that folder; starts nothing yet.
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

    /// Returns a warning where not all processes of a command can be told.
    pub fn warning(&self) -> Option<&'static str> {
        (!sys::has_process_table()).then_some(
            "/proc has no processes of this namespace: of what commands start, only what stays in their process \
             group is ended",
        )
    }

    /// Begins the work beside the commands: a folder for outputs that the user named is made, what killed servers left is
    /// ended and removed, old saved outputs are removed, now and once an hour. Needs a runtime; `shutdown` ends it.
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

    /// Returns the folders beside the roots in which commands under a sandbox may write.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(Sandbox::writable)
    }

    /// Waits for a permit to run one more command.
    pub async fn permit(&self) -> Result<CommandPermit, TooManyCommands> {
        self.registry.reap();
        self.permits.take().await
    }

    /// Ends all commands that run, and all that those which have ended left behind. Waits for it, not much over a second
    /// and a half in all; no command starts any more.
    pub async fn shutdown(&self) {
        self.registry.shutdown().await;
        if let Some(sandbox) = &self.sandbox {
            sandbox.temp.remove();
            sandbox.shared_memory.remove();
        }
        self.pipelines.remove();
        // Where a server is started for each call, none lives until its first sweep.
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
