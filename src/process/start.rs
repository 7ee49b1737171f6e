//! Starts programs (the shell of a command, or a wrapped server), and ends them with all their processes.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::process_tree::{
    ProcessScope, Registry, end_scopes, end_scopes_blocking, kill_with_group, shell_runs,
};
use super::{Commands, Ending};
use crate::sys::{self, InputPipe, TAG};

/// Requested capacity of the pipe in bytes. A larger pipe makes a command with much output wait less often.
const PIPE_BYTES: usize = 1 << 20;
/// Maximum wait for a killed program to end, and for its pipe to close.
pub(super) const KILLED_WAIT: Duration = Duration::from_millis(500);

/// A running program and all processes that it started. Dropping it kills them, unless it was removed from the
/// registry or became a background command.
#[derive(Debug)]
pub struct Program {
    pub(super) child: Child,
    /// The tag of its processes.
    pub(super) tag: String,
    /// The registry that lists it.
    pub(super) registry: Arc<Registry>,
}

impl Commands {
    /// Starts an MCP server, `program` with `arguments`, in the folder and environment of this process and with its
    /// stderr. Returns it with the pipes to its stdin and from its stdout. Needs a tokio runtime.
    pub(crate) fn start_server(
        &self,
        program: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(Program, InputPipe, PipeReader)> {
        let (from_input, input) = io::pipe()?;
        // For a name without a path and a changed environment, std uses the slower fork.
        let mut command = Command::new(program);
        sys::prepare_spawn(&mut command);
        command.args(arguments).stdin(from_input);
        let (program, output) = Program::start(&self.registry, command, false)?;
        Ok((program, InputPipe::new(input)?, output))
    }
}

impl Program {
    /// Starts `program` with a new tag in its environment. Returns it with the read end of a pipe to its stdout, and to
    /// its stderr if `with_errors`. Needs a tokio runtime.
    pub(super) fn start(
        registry: &Arc<Registry>,
        mut program: Command,
        with_errors: bool,
    ) -> io::Result<(Self, PipeReader)> {
        if registry.closing.is_cancelled() {
            return Err(io::Error::other("the server is shutting down"));
        }
        let (output, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        if with_errors {
            program.stderr(input.try_clone()?);
        }
        // `program` has the write end of the pipe. It is dropped here, so that the reader sees the end of the pipe when
        // all processes have closed theirs.
        let tag = format!("{}.{:016x}", std::process::id(), sys::random());
        let child = program.env(TAG, &tag).stdout(input).spawn().inspect_err(|_| {
            // `spawn` can also fail after the program has started, if the runtime cannot watch it. This ends the program.
            end_scopes_blocking(&[ProcessScope::of_tag(&tag)], Duration::ZERO);
        })?;
        // The runtime has one thread, so the end of the server cannot begin between the check above and this.
        registry.add(&tag, ProcessScope::new(&tag, &child));
        Ok((Self { child, tag, registry: Arc::clone(registry) }, output))
    }

    /// Waits until the program has ended. Cancel-safe: the future can be dropped and created again.
    pub async fn wait(&mut self) -> Ending {
        sys::ending_of(self.child.wait().await.ok())
    }

    /// Returns how the program ended, or `None` if it still runs. Asks the system, also if its event was not handled
    /// yet.
    pub(super) fn ended(&mut self) -> Option<Ending> {
        if shell_runs(&self.child) {
            return None;
        }
        self.child.try_wait().ok().flatten().map(|status| sys::ending_of(Some(status)))
    }

    /// Ends the program and all its processes with SIGTERM, and with SIGKILL after `grace`. Removes it from the
    /// registry.
    pub async fn end_and_unregister(&mut self, grace: Duration) -> Ending {
        let ending = self.end_and_wait(grace).await;
        self.registry.replace(&self.tag, None);
        ending
    }

    /// Does the same as [`end_and_unregister`](Self::end_and_unregister), but keeps the program in the registry, so
    /// that the end of the server waits for it.
    pub(super) async fn end_and_wait(&mut self, grace: Duration) -> Ending {
        end_scopes(self.registry.scope(&self.tag).into_iter().collect(), grace).await;
        self.wait_or_kill().await
    }

    /// Waits for the end of a program that was sent its signals. Kills it with its process group if that takes too long.
    pub(super) async fn wait_or_kill(&mut self) -> Ending {
        let mut status = timeout(KILLED_WAIT, self.child.wait()).await;
        if status.is_err() {
            // cutline did not find it: no file descriptor was free, or it started after the last snapshot.
            kill_with_group(&self.child);
            status = timeout(KILLED_WAIT, self.child.wait()).await;
        }
        sys::ending_of(status.ok().and_then(Result::ok))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The command still runs only if it could not be supervised, or if the runtime shuts down.
        if let Some(scope) = self.registry.scope(&self.tag) {
            end_scopes_blocking(&[scope], Duration::ZERO);
            self.registry.replace(&self.tag, None);
        }
    }
}
