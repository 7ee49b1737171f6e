//! Runs commands. Ends each command together with all processes that it started.
//!
//! A command is a shell in its own process group. Its output is one pipe. The command ends when the shell has exited
//! and the pipe is empty. If a background process keeps the pipe open, the result waits only briefly: the process keeps
//! running, and cutline adds its output to the saved file.
//!
//! If a command is cancelled, times out or loses its caller, cutline ends all its processes. When the server ends, it
//! ends all running commands in the same way. Of the commands that had ended before, it ends the processes that stayed
//! in the command's group or still hold the command's pipe open. After a server was killed, the next server ends the
//! processes that stayed in the killed server's session or still hold a command's pipe open.
//!
//! Modules in reading order: `start` starts a command, `supervise` follows it until it ends, `drain` reads
//! its output, `pipeline` gets the exit codes of its last pipeline, `registry` lists the processes to end,
//! `process_tree` ends them.

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

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::process::Command;

use crate::blocking;
use crate::capture::Capture;
use crate::fs::saved_name::SavedKind;
use crate::fs::workspace::Root;
use crate::saved_output::{self, Store};
use crate::sys;
use drain::Drain;
use environment::Environment;
use permits::CommandPermits;
use pipeline::{PipelineReport, PipelineReports};
use registry::{GRACE, Registry};
use sandbox::Sandbox;
use supervise::SupervisedCommand;

pub use crate::sys::Ending;
pub(crate) use crate::sys::{
    InputPipe, close_inherited_on_exec, is_program, leave_terminal, on_path, signal_name,
};
pub use command::{Background, Cause, CommandRequest, LateEnd, Outcome, Running, State, StatusLine, Times};
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
            sandbox.server_paths.push(("the folder of saved outputs", Root::followed(folder.to_owned())));
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
        let (store, closing) = (Arc::clone(&self.store), self.registry.closing.clone());
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
            while !closing.is_cancelled() {
                sweep(&store).await;
                let _next_sweep_or_end = tokio::time::timeout(SWEEP_INTERVAL, closing.cancelled()).await;
            }
        });
    }

    /// Returns the folders outside the roots that sandboxed commands can write to.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(Sandbox::writable)
    }

    /// Waits for a permit to run a command. First removes ended background processes from the registry.
    pub async fn permit(&self) -> Result<CommandPermit, TooManyCommands> {
        self.registry.reap();
        self.permits.take().await
    }

    /// Starts a command, a thread that reads its output, and a task that supervises it. Needs a tokio runtime.
    pub fn run(&self, permit: CommandPermit, request: CommandRequest<'_>) -> io::Result<Running> {
        let CommandRequest { command, roots, folder, view, times } = request;
        let began = Instant::now();
        let report = self.pipelines.create(&self.shell, &self.environment, command);
        let shell = self.shell_for(command, roots, folder, report.as_ref())?;
        let baseline = self.sandbox.as_ref().map(|sandbox| sandbox.baseline(roots));
        let (mut shell, output) = Program::start(&self.registry, shell, true)?;
        sys::send_command(&mut shell.child, command);

        let capture = Capture::new(Arc::clone(&self.store), SavedKind::COMMAND, view);
        let drain = Drain::start(output, capture)?;
        Ok(SupervisedCommand { shell, report, drain, permit, began, baseline }.spawn(times))
    }

    /// Returns the shell for `command` in `folder`. It is not started yet. A sandbox lets it write to `roots`. It must
    /// not need code between fork and exec, because the standard library can then use `posix_spawn`, which is faster.
    /// On some systems the shell waits for [`sys::send_command`].
    fn shell_for(
        &self,
        command: &str,
        roots: &[Root],
        folder: &Path,
        report: Option<&PipelineReport>,
    ) -> io::Result<Command> {
        let arguments = sys::shell_arguments(command);
        let variables = self.environment.variables().chain(report.map(PipelineReport::variable));
        if let Some(sandbox) = &self.sandbox {
            let words = [vec![self.shell.clone().into_os_string()], arguments].concat();
            let path = report.map(PipelineReport::path);
            return sandbox.command(roots, folder, words, variables, path.as_deref());
        }
        let mut shell = Command::new(&self.shell);
        shell.args(arguments).current_dir(sys::as_others_take_it(folder));
        shell.env_clear().envs(variables);
        sys::prepare_spawn(&mut shell);
        Ok(shell)
    }

    /// Starts an MCP server, `program` with `arguments`, in the folder and environment of this process and with its
    /// stderr. Returns it with the pipes to its stdin and from its stdout. Needs a tokio runtime.
    pub(crate) fn start_server(
        &self,
        program: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(Program, InputPipe, PipeReader)> {
        Program::start_server(&self.registry, program, arguments)
    }

    /// Ends all commands and their background processes. Waits about 1.7 seconds at most. No further command can start.
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
