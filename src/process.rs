//! Runs commands, and ends a command together with all processes that it started.
//!
//! A command is a shell in its own process group. Its output is one pipe. The command ends when the shell has exited
//! and the pipe is empty. If a background process keeps the pipe open, the result waits only briefly: the process keeps
//! running, and cutline adds its output to the saved file.
//!
//! If a command is cancelled, times out or loses its caller, cutline ends all its processes. When the server ends, it
//! ends all running commands in the same way. Of the commands that had ended before, it ends the processes that stayed
//! in the command's group or still hold the command's pipe open.
//!
//! Modules in reading order: `environment` and `sandbox` restrict what a command can see and change, `start` starts it,
//! `supervise` follows it until it ends and has its outcome, `drain` reads its output, `pipeline` gets the exit codes
//! of its pipelines, `process_tree` lists the processes to end, and ends them.

mod drain;
pub mod environment;
mod pipeline;
mod process_tree;
pub mod sandbox;
mod start;
mod supervise;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::blocking;
use crate::capture::{Capture, View};
use crate::fs::own_folder::{OwnFolder, remove_stale_temp_folders};
use crate::fs::saved_name::SavedKind;
use crate::fs::workspace::Root;
use crate::limits::{BACKGROUND_COMMANDS, COMMANDS_AT_ONCE};
use crate::saved_output::{self, Store};
use crate::sys;
use drain::Drain;
use environment::Environment;
use pipeline::PipelineReport;
use process_tree::Registry;
use sandbox::Sandbox;
use supervise::SupervisedCommand;

pub use crate::sys::Ending;
pub(crate) use crate::sys::{
    InputPipe, adopt_orphans, close_inherited_on_exec, leave_terminal, on_path, signal_name,
};
pub use pipeline::{has_pipe, without_quoted};
pub use start::Program;
pub use supervise::{Background, Cause, CommandOutcome, Running, State, Times, status};

/// Delay after the start before cutline removes folders of killed servers, so that the first results do not wait for
/// it.
const REMOVE_STALE_AFTER: Duration = Duration::from_millis(300);
/// Delay after the end of a child process before cutline reaps those that it adopted. Many can end at the same time.
const REAP_AFTER: Duration = Duration::from_millis(200);
/// Maximum time to compare autorun files and to remove temp folders and old saved outputs when the server ends.
const LAST_REMOVAL_TIME: Duration = Duration::from_millis(500);
/// Time between two sweeps of old saved outputs.
const SWEEP_INTERVAL: Duration = Duration::from_hours(1);

/// The commands of a server.
#[derive(Debug)]
pub struct Commands {
    /// The path of the shell, or its name if no folder of `PATH` has it.
    pub shell: PathBuf,
    /// The sandbox rules, if `--sandbox` is on.
    pub sandbox: Option<Arc<Sandbox>>,
    /// The folder of saved outputs.
    pub store: Arc<Store>,
    /// True after a result explained why a program of a version manager was not found.
    pub has_named_remedy: AtomicBool,
    environment: Environment,
    registry: Arc<Registry>,
    /// One permit for each command that can run at the same time.
    permits: Arc<Semaphore>,
    /// The folder with the startup file of pipelines, and without a sandbox with the reports. It is created for the
    /// first command with a pipeline. Sandboxed commands cannot write there.
    temp: Mutex<Option<Arc<OwnFolder>>>,
}

/// A permit to run one command. Dropping it lets another command run.
pub type CommandPermit = Option<OwnedSemaphorePermit>;

/// No further command can start: this number of earlier commands have processes that hold their output open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCommands(pub usize);

impl Commands {
    /// Creates the command runner with the rules of `sandbox`, if any, and the variables of `environment`. `saved` are
    /// the settings of saved outputs. Opens the folder of saved outputs. Starts no process.
    pub fn new(saved: saved_output::Settings, sandbox: Option<Sandbox>, environment: Environment) -> Self {
        Self {
            registry: Arc::default(),
            shell: sys::find_shell(),
            sandbox: sandbox.map(Arc::new),
            environment,
            store: Arc::new(Store::new(saved)),
            permits: Arc::new(Semaphore::new(COMMANDS_AT_ONCE)),
            temp: Mutex::default(),
            has_named_remedy: AtomicBool::new(false),
        }
    }

    /// Prepares the process for commands, and starts the background work. Needs a tokio runtime. `shutdown` ends the
    /// work.
    ///
    /// After a short delay, removes folders of killed servers. Then removes old saved outputs, and again every hour.
    /// Reaps the processes that this one adopts.
    pub fn start(&self) {
        let (store, registry) = (Arc::clone(&self.store), Arc::clone(&self.registry));
        if !sys::has_process_table() {
            tracing::warn!(
                "/proc shows no processes of this PID namespace, so cutline can only end the processes in the process \
                 groups of running commands, and no background processes of commands that have ended"
            );
        }
        tokio::spawn(async move {
            let removal = async {
                tokio::time::sleep(REMOVE_STALE_AFTER).await;
                let _no_thread = blocking::run(remove_stale_temp_folders).await;
                loop {
                    sweep(&store).await;
                    tokio::time::sleep(SWEEP_INTERVAL).await;
                }
            };
            let reaping = async {
                let Ok(mut child_ended) = signal(SignalKind::child()) else { return };
                while child_ended.recv().await.is_some() {
                    tokio::time::sleep(REAP_AFTER).await;
                    registry.reap();
                    registry.clean_up();
                }
            };
            registry.closing.run_until_cancelled(async { tokio::join!(removal, reaping) }).await;
        });
    }

    /// Returns the folders outside the roots that sandboxed commands can write to.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(|sandbox| sandbox.writable())
    }

    /// Waits for a permit to run a command, in the order of the calls.
    ///
    /// # Errors
    ///
    /// Returns an error if too many ended commands have processes that hold their output open. It does not wait for
    /// these, because they may never end.
    pub async fn permit(&self) -> Result<CommandPermit, TooManyCommands> {
        let running = Arc::clone(&self.permits).acquire_owned().await.ok();
        self.registry.clean_up();
        let background = self.registry.background_commands();
        if background < BACKGROUND_COMMANDS { Ok(running) } else { Err(TooManyCommands(background)) }
    }

    /// Starts `command`, a thread that reads its output, and a task that supervises it. Needs a tokio runtime. `folder`
    /// is the working directory, a path without links. A sandbox lets the command write to `roots`, except in read-only
    /// mode.
    pub fn run(
        &self,
        permit: CommandPermit,
        command: &str,
        roots: &[Root],
        folder: &Path,
        view: View,
        times: Times,
    ) -> io::Result<Running> {
        let began = Instant::now();
        let report = self.pipeline_report(command);
        let shell_command = self.shell_command(command, roots, folder, report.as_ref())?;
        let sandbox = self.sandbox.clone();
        let (shell, output) = Program::start(&self.registry, shell_command, true)?;
        let capture = Capture::new(Arc::clone(&self.store), SavedKind::COMMAND, view);
        let drain = Drain::start(output, capture)?;
        let supervised = SupervisedCommand { shell, report, drain, permit, began, times, sandbox };
        Ok(supervised.spawn())
    }

    /// Returns what starts the shell for `command` in `folder`. A sandbox lets it write to `roots`, and watches the
    /// autorun files from now on. The start must not need code between fork and exec, because the standard library can
    /// then use `posix_spawn`, which is faster.
    fn shell_command(
        &self,
        command: &str,
        roots: &[Root],
        folder: &Path,
        report: Option<&PipelineReport>,
    ) -> io::Result<Command> {
        // Without `--`, the shell would parse a command that starts with `-` as an option.
        let arguments = ["-c", "--", command];
        let variables =
            self.environment.variables().chain(report.into_iter().flat_map(PipelineReport::variables));
        if let Some(sandbox) = &self.sandbox {
            let words = [self.shell.as_os_str()].into_iter().chain(arguments.map(OsStr::new));
            let watched = sandbox.watch(roots, &self.registry);
            let start = watched.and_then(|()| sandbox.command(roots, folder, words, variables));
            // A process of an earlier command can have changed files. The next result shows them.
            return start.inspect_err(|_| drop(sandbox.keep_changes()));
        }
        let mut start = Command::new(&self.shell);
        start.args(arguments).current_dir(folder);
        start.env_clear().envs(variables);
        sys::prepare_spawn(&mut start);
        Ok(start)
    }

    /// Waits until [`shutdown`](Self::shutdown) starts to end the commands.
    pub async fn shutdown_started(&self) {
        self.registry.closing.cancelled().await;
    }

    /// Ends all commands and their background processes. Waits about 2 seconds at most. No further command can start.
    pub async fn shutdown(&self) {
        self.registry.shutdown().await;
        let of_sandbox = self.sandbox.iter().map(|sandbox| &sandbox.temp);
        let own = self.temp.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let folders: Vec<_> = of_sandbox.cloned().chain(own).collect();
        let sandbox = self.sandbox.clone();
        let removal = async {
            let remove = move || {
                // Logs what background processes changed after the last command.
                let _logged = sandbox.map(|sandbox| sandbox.keep_changes());
                for temp in folders {
                    let _next_server_tries_again = temp.remove();
                }
            };
            let _removed_when_dropped = blocking::run(remove).await;
            // A server for a single call exits before its first sweep.
            sweep(&self.store).await;
        };
        // The next server removes what is left.
        let _skip_a_folder_that_hangs = tokio::time::timeout(LAST_REMOVAL_TIME, removal).await;
    }
}

/// Removes old saved outputs.
async fn sweep(store: &Arc<Store>) {
    let store = Arc::clone(store);
    let _no_thread = blocking::run(move || store.sweep(SystemTime::now())).await;
}

#[cfg(test)]
mod tests;
