//! Starting programs: the shell of a command, and another program's server.

use std::io::{self, PipeReader};
use std::path::Path;

use tokio::process::{Child, Command};

use super::Commands;
use super::registry::RegisteredCommand;
use crate::fs::workspace::Root;
use crate::sys::{self, MARK};

/// The bytes that the pipe is asked to hold: a command that prints much waits less often.
const PIPE_BYTES: usize = 1 << 20;

impl RegisteredCommand {
    /// Starts `program` with its mark. Returns it with the one end of the pipe that its output comes from, its errors too
    /// where `with_errors`.
    pub(super) fn start(&self, mut program: Command, with_errors: bool) -> io::Result<(Child, PipeReader)> {
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        if with_errors {
            program.stderr(input.try_clone()?);
        }
        // `program` holds the pipe's other end; it goes when this returns, so that the end is seen.
        let mut child = program.env(MARK, &self.mark).stdout(input).spawn()?;
        self.attach_shell(&mut child)?;
        Ok((child, output))
    }
}

impl Commands {
    /// Returns the shell that runs `command` in the first of `roots`, under the rules, not started yet. Nothing of it may
    /// need code between fork and exec: that would cost the fast way to start. Where the system needs it, the shell waits
    /// for [`sys::send_command`].
    pub(super) fn shell_for(&self, command: &str, roots: &[Root]) -> io::Result<Command> {
        let arguments = sys::shell_arguments(command);
        if let Some(sandbox) = &self.sandbox {
            let words = [vec![self.shell.clone().into_os_string()], arguments].concat();
            return sandbox.command(roots, words, self.environment.variables());
        }
        let folder = roots.first().map_or(Path::new("/"), |root| &root.real);
        let mut shell = Command::new(&self.shell);
        shell.args(arguments).current_dir(sys::as_others_take_it(folder));
        shell.env_clear().envs(self.environment.variables());
        sys::prepare_spawn(&mut shell);
        Ok(shell)
    }
}
