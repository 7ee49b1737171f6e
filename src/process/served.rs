//! A server of another program, as a child whose input and output are pipes here.
//!
//! It is ended like a command: with all that it started, in whatever group or session that is.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader};
use std::path::Path;
use std::time::Duration;

use tokio::process::{Child, Command};

use super::registry::RegisteredCommand;
use super::shell::PIPE_BYTES;
use super::{Commands, Ending};
use crate::sys::{self, InputPipe, MARK};

/// A server that runs. Dropped, it is killed.
#[derive(Debug)]
pub struct Served {
    child: Child,
    /// `None` once it was ended.
    registered: Option<RegisteredCommand>,
}

/// The ends of its pipes.
#[derive(Debug)]
pub struct ServedPipes {
    /// The pipe that it reads.
    pub(crate) input: InputPipe,
    /// The pipe that it writes.
    pub output: PipeReader,
}

impl Commands {
    /// Starts `program` with `arguments`, in the folder and the environment of this process, to which its
    /// stderr goes too. Needs a runtime.
    pub fn serve(&self, program: &OsStr, arguments: &[OsString]) -> io::Result<(Served, ServedPipes)> {
        let registered = self.registry.add()?;
        let (output, to_output) = io::pipe()?;
        let (from_input, input) = io::pipe()?;
        sys::enlarge(&output, PIPE_BYTES);
        // By its whole path where it is on `PATH`: on Windows its name may lack its ending.
        let is_name = Path::new(program).components().count() == 1;
        let found = is_name.then(|| sys::on_path(program)).flatten();
        let mut command = Command::new(found.as_deref().map_or(program, Path::as_os_str));
        sys::prepare_spawn(&mut command);
        command.args(arguments).env(MARK, registered.mark()).stdin(from_input).stdout(to_output);
        let mut child = command.spawn()?;
        registered.attach_shell(&mut child)?;
        let input = InputPipe::new(input)?;
        Ok((Served { child, registered: Some(registered) }, ServedPipes { input, output }))
    }
}

impl Served {
    /// Waits until the server has ended. The future can be dropped and made again.
    pub async fn wait(&mut self) -> Ending {
        let status = self.child.wait().await;
        Ending::of(status.ok(), false)
    }

    /// Ends the server with all that it started: SIGTERM, and after `grace` SIGKILL.
    pub async fn end(&mut self, grace: Duration) -> Ending {
        if let Some(registered) = self.registered.take() {
            registered.end(grace).await;
            registered.unregister();
        }
        self.wait().await
    }
}
