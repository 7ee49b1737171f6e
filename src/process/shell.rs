//! The shell that a command runs by, and how it is started.

use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};

use tokio::process::{Child, Command};

use crate::fs::workspace::Root;
use crate::process::sandbox::Sandbox;
use crate::sys::{self, MARK};

/// What each command's environment has beside the server's: nothing asks, nothing pages, nothing
/// draws.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
];

/// The bytes that the pipe is asked to hold: a command that prints much waits less often.
const PIPE_BYTES: usize = 1 << 20;

/// The shell of all commands.
#[derive(Debug)]
pub(super) struct Shell {
    program: PathBuf,
    /// The rules that its commands are held to, where they are.
    sandbox: Option<Sandbox>,
}

/// A shell that was started, and the one end of the pipe that its output comes from.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) output: PipeReader,
}

impl Shell {
    /// The system's, under the rules of `sandbox`, where there are any.
    pub(super) fn new(sandbox: Option<Sandbox>) -> Self {
        Self { program: sys::find_shell(), sandbox }
    }

    /// The program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The folders beside the roots in which commands under a sandbox may write.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.sandbox.iter().flat_map(Sandbox::writable)
    }

    /// Removes what only its commands needed; none of them runs any more.
    pub(super) fn discard(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.discard();
        }
    }

    /// The words that run `command`.
    fn argv(&self, command: &str, roots: &[Root]) -> Vec<OsString> {
        let mut shell = vec![self.program.clone().into_os_string()];
        shell.extend(sys::shell_arguments(command));
        match &self.sandbox {
            None => shell,
            Some(sandbox) => sandbox
                .wrap(roots.iter().filter(|root| root.writable).map(|root| root.real.as_path()), &shell),
        }
    }

    /// Starts `command` in the first of `roots`, apart from the server, its output one stream. Where the
    /// system needs it, it waits for [`sys::let_go`].
    pub(super) fn start(&self, command: &str, roots: &[Root], mark: &str) -> io::Result<Started> {
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        let mut argv = self.argv(command, roots).into_iter();
        let program = argv.next().unwrap_or_default();
        // Nothing here may need code between fork and exec: that would cost the fast way to start.
        let mut shell = Command::new(program);
        shell
            .args(argv)
            .current_dir(sys::as_others_take_it(roots.first().map_or(Path::new("/"), |root| &root.real)))
            .envs(self.sandbox.as_ref().map(|sandbox| ("TMPDIR", sandbox.temp())))
            .envs(ENVIRONMENT)
            .env(MARK, mark)
            .stdout(input.try_clone()?)
            .stderr(input);
        sys::new_process_group(&mut shell);
        // `shell` holds the pipe's other end; it goes when this returns, so that the end is seen.
        Ok(Started { child: shell.spawn()?, output })
    }
}

/// Where a program is, by `PATH`.
pub fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    sys::on_path(program.as_ref())
}

/// Whether a file can be started by this user.
pub fn is_program(path: &Path) -> bool {
    sys::program_at(path).is_some()
}
