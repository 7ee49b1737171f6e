//! A server of another program, as a child whose input and output are pipes here.
//!
//! It is ended like a command: with all that it started, in whatever group or session that is.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader};
use std::path::Path;
use std::time::Duration;

use tokio::process::{Child, Command};

use super::registry::RegisteredCommand;
use super::{Commands, Ending};
use crate::sys::{self, InputPipe};

/// A server that runs. Dropped, it is killed.
#[derive(Debug)]
pub struct Served {
    child: Child,
    registered: RegisteredCommand,
}

impl Commands {
    /// Starts `program` with `arguments`, in the folder and the environment of this process, to which its
    /// stderr goes too. Returns it with the pipes that it reads and writes. Needs a runtime.
    pub(crate) fn serve(
        &self,
        program: &OsStr,
        arguments: &[OsString],
    ) -> io::Result<(Served, InputPipe, PipeReader)> {
        let (from_input, input) = io::pipe()?;
        // By its whole path where it is on `PATH`: on Windows its name may lack its ending.
        let is_name = Path::new(program).components().count() == 1;
        let found = is_name.then(|| sys::on_path(program)).flatten();
        let mut command = Command::new(found.as_deref().map_or(program, Path::as_os_str));
        sys::prepare_spawn(&mut command);
        command.args(arguments).stdin(from_input);
        let registered = self.registry.add()?;
        let (child, output) = registered.start(command, false)?;
        Ok((Served { child, registered }, InputPipe::new(input)?, output))
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
        self.registered.end(grace).await;
        self.registered.unregister();
        self.wait().await
    }
}
