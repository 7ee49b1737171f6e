//! Starts programs (the shell of a command, or a wrapped server) and ends them with all their processes.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader};
use std::path::Path;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::pipeline::PipelineReport;
use super::process_tree::kill_group;
use super::registry::RegisteredCommand;
use super::{Commands, Ending};
use crate::fs::workspace::Root;
use crate::sys::{self, InputPipe, MARK};

/// Requested capacity of the pipe in bytes, so that a command with much output waits less often.
const PIPE_BYTES: usize = 1 << 20;
/// The longest wait for a program that was killed, and for its pipe's end.
pub(super) const KILLED_WAIT: Duration = Duration::from_millis(500);

/// A running program with all processes that it started. Dropping it kills them.
#[derive(Debug)]
pub struct Program {
    pub(super) child: Child,
    pub(super) registered: RegisteredCommand,
}

impl Commands {
    /// Starts `program` with its mark. Returns it with the one end of the pipe that its output comes from, its errors too
    /// where `with_errors`. Needs a runtime.
    pub(super) fn start_program(
        &self,
        mut program: Command,
        with_errors: bool,
    ) -> io::Result<(Program, PipeReader)> {
        let registered = self.registry.add()?;
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        if with_errors {
            program.stderr(input.try_clone()?);
        }
        // `program` holds the pipe's other end; it goes when this returns, so that the end is seen.
        let mut child = program.env(MARK, &registered.mark).stdout(input).spawn()?;
        registered.attach_shell(&mut child)?;
        Ok((Program { child, registered }, output))
    }

    /// Returns the shell that runs `command` in `folder`, not started yet. A sandbox lets it write in `roots`. It must not
    /// need code between fork and exec, which would prevent the fast way to start. On some systems the shell waits for
    /// [`sys::send_command`].
    pub(super) fn shell_for(
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

    /// Starts the server that `program` with `arguments` is, in the folder and the environment of this process, to which
    /// its stderr goes too. Returns it with the pipes that it reads and writes. Needs a runtime.
    pub(crate) fn serve(
        &self,
        program: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(Program, InputPipe, PipeReader)> {
        let (from_input, input) = io::pipe()?;
        // Use the full path of a program on `PATH`, because on Windows its name can lack the extension.
        let is_name = Path::new(program).components().count() == 1;
        let found = is_name.then(|| sys::on_path(program)).flatten();
        let mut command = Command::new(found.as_deref().map_or(program, Path::as_os_str));
        sys::prepare_spawn(&mut command);
        command.args(arguments).stdin(from_input);
        let (program, output) = self.start_program(command, false)?;
        Ok((program, InputPipe::new(input)?, output))
    }
}

impl Program {
    /// Waits until it has ended. The future can be dropped and made again.
    pub async fn wait(&mut self) -> Ending {
        sys::ending_of(self.child.wait().await.ok(), false)
    }

    /// Ends it with all its processes: SIGTERM, and SIGKILL after `grace`.
    pub async fn end(&mut self, grace: Duration) -> Ending {
        let ending = self.kill(grace).await;
        self.registered.unregister();
        ending
    }

    /// Ends it with all its processes. The end of the server waits for the rest of this work.
    pub(super) async fn kill(&mut self, grace: Duration) -> Ending {
        self.registered.end(grace).await;
        self.wait_for_killed().await
    }

    /// Waits for its end after a kill.
    pub(super) async fn wait_for_killed(&mut self) -> Ending {
        let mut status = timeout(KILLED_WAIT, self.child.wait()).await;
        if status.is_err() {
            // It could not be seen, for want of descriptors, or it was started after the last look.
            kill_group(&mut self.child);
            status = timeout(KILLED_WAIT, self.child.wait()).await;
        }
        sys::ending_of(status.ok().and_then(Result::ok), true)
    }
}
