//! The shell that a command runs by, and how it is started.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::path::Path;

use tokio::process::{Child, Command};

use super::Commands;
use crate::fs::workspace::Root;
use crate::sys::{self, MARK};

/// The bytes that the pipe is asked to hold: a command that prints much waits less often.
pub(super) const PIPE_BYTES: usize = 1 << 20;

impl Commands {
    /// Starts `command` in the first of `roots`, apart from the server. Returns the shell, and the one end of the pipe
    /// that its output comes from. Where the system needs it, the shell waits for [`sys::send_command`].
    pub(super) fn start_shell(
        &self,
        command: &str,
        roots: &[Root],
        mark: &str,
    ) -> io::Result<(Child, PipeReader)> {
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        let mut shell = self.prepare_shell(sys::shell_arguments(command), roots)?;
        shell.env(MARK, mark).stdout(input.try_clone()?).stderr(input);
        // `shell` holds the pipe's other end; it goes when this returns, so that the end is seen.
        Ok((shell.spawn()?, output))
    }

    /// Returns the shell with these arguments, under the rules, not started yet. Nothing of it may need
    /// code between fork and exec: that would cost the fast way to start.
    fn prepare_shell(&self, arguments: Vec<OsString>, roots: &[Root]) -> io::Result<Command> {
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
