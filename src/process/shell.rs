//! The shell that a command runs by, and how it is started.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};

use tokio::process::{Child, Command};

use super::environment::{Environment, OWN};
use crate::fs::workspace::Root;
use crate::process::sandbox::Sandbox;
use crate::sys::{self, MARK};

/// The bytes that the pipe is asked to hold: a command that prints much waits less often.
const PIPE_BYTES: usize = 1 << 20;

/// The shell of all commands.
#[derive(Debug)]
pub(super) struct Shell {
    program: PathBuf,
    /// The rules that its commands are held to, where they are.
    sandbox: Option<Sandbox>,
    environment: Environment,
}

/// A shell that was started, and the one end of the pipe that its output comes from.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) output: PipeReader,
}

impl Shell {
    /// Returns the system's, under the rules of `sandbox`, where there are any.
    pub(super) fn new(sandbox: Option<Sandbox>, environment: Environment) -> Self {
        Self { program: sys::find_shell(), sandbox, environment }
    }

    /// Returns its path, or its name where `PATH` has none.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the rules that its commands are held to, where they are.
    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    /// Removes what only its commands needed; none of them runs any more.
    pub(super) fn discard(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.discard();
        }
    }

    /// Starts `command` in the first of `roots`, apart from the server, its output one stream. Where the
    /// system needs it, it waits for [`sys::send_command`].
    pub(super) fn start(&self, command: &str, roots: &[Root], mark: &str) -> io::Result<Started> {
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        let mut shell = self.command(sys::shell_arguments(command), roots)?;
        shell.env(MARK, mark).stdout(input.try_clone()?).stderr(input);
        // `shell` holds the pipe's other end; it goes when this returns, so that the end is seen.
        Ok(Started { child: shell.spawn()?, output })
    }

    /// Returns the shell with these arguments, under the rules, not started yet. Nothing of it may need
    /// code between fork and exec: that would cost the fast way to start.
    fn command(&self, arguments: Vec<OsString>, roots: &[Root]) -> io::Result<Command> {
        if let Some(sandbox) = &self.sandbox {
            let words = [vec![self.program.clone().into_os_string()], arguments].concat();
            return sandbox.command(roots, &words, self.environment.variables());
        }
        let folder = roots.first().map_or(Path::new("/"), |root| &root.real);
        let mut shell = Command::new(&self.program);
        shell.args(arguments).current_dir(sys::as_others_take_it(folder)).envs(OWN);
        for name in self.environment.left_out() {
            shell.env_remove(name);
        }
        sys::prepare_spawn(&mut shell);
        Ok(shell)
    }
}

/// Returns the path of a program, by `PATH`.
pub fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    sys::on_path(program.as_ref())
}

/// True if a file can be started by this user.
pub fn is_program(path: &Path) -> bool {
    sys::program_at(path).is_some()
}
