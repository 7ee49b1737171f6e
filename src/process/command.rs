//! The interface of a command: the time limits, the running command and the outcome.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

use super::Ending;
use super::drain::Drain;
use super::signal_name;
use crate::capture::{Captured, Latest};
use cutline_core::notice::{PipelineExitCodes, Status};

/// The time limits of a command. All times start with the command.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// The maximum run time.
    pub timeout: Duration,
    /// If set, the result is returned after this time even if the command still runs.
    pub answer_within: Option<Duration>,
}

/// A running command. Dropping it ends the command.
pub struct Running {
    pub(super) outcome: oneshot::Receiver<CommandOutcome>,
    pub(super) drain: Arc<Drain>,
    /// Ends the command when dropped. `None` if the command has ended, or keeps running after its result.
    pub(super) kill_on_drop: Option<DropGuard>,
}

impl Running {
    /// Returns the counts and the last bytes of the output so far, or `None` while the reader thread uses them.
    pub fn latest(&self) -> Option<Latest> {
        self.drain.try_with(|capture| capture.latest())
    }

    /// Returns the number of output bytes so far.
    pub fn bytes(&self) -> u64 {
        self.drain.bytes()
    }

    /// Ends the command immediately.
    pub fn cancel(&mut self) {
        drop(self.kill_on_drop.take());
    }

    /// Waits for the outcome: the command has ended, or keeps running after its result. Cancel-safe: the future can be
    /// dropped and created again.
    pub async fn outcome(&mut self) -> io::Result<CommandOutcome> {
        let outcome = (&mut self.outcome)
            .await
            .map_err(|_| io::Error::other("the task that supervises the command has ended"))?;
        if let (State::StillRunning { .. }, Some(guard)) = (&outcome.state, self.kill_on_drop.take()) {
            guard.disarm();
        }
        Ok(outcome)
    }
}

/// The outcome of a command when its result is returned.
#[derive(Debug)]
pub struct CommandOutcome {
    /// Whether the command has ended or still runs.
    pub state: State,
    /// The output so far.
    pub output: Captured,
    /// Time from the start to the end of the shell, or to the result if that is earlier.
    pub duration: Duration,
    /// The exit codes of pipelines in which a stage before the last one failed.
    pub pipelines: PipelineExitCodes,
}

/// Returns the status of a command that ended in this way, or `None` if it succeeded. `timeout` is its maximum run time.
pub fn status(ending: Ending, cause: Cause, timeout: Duration) -> Option<Status> {
    match (cause, ending) {
        (Cause::Timeout, _) => Some(Status::TimedOut(timeout.as_secs())),
        (_, Ending::Code(0)) => None,
        (_, Ending::Code(code)) => Some(Status::Exited(code)),
        (_, Ending::Signal(number)) => {
            Some(Status::Killed { signal: signal_name(number), code: ending.exit_code() })
        }
    }
}

/// The state of a command when its result is returned.
#[derive(Debug)]
pub enum State {
    /// The command has ended.
    Finished {
        /// The shell's exit code or signal.
        ending: Ending,
        /// Why the command ended.
        cause: Cause,
        /// The processes that still hold the output open.
        background: Vec<Background>,
    },
    /// The command keeps running until it ends, times out or the server ends. Later output is added to the saved file.
    StillRunning {
        /// The process id of the shell.
        id: u32,
    },
}

/// Why a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The shell exited by itself.
    Itself,
    /// The command exceeded its timeout.
    Timeout,
    /// The call was cancelled, or the server ends.
    Cancelled,
}

/// A process that outlives its command and holds the output open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    /// The process id.
    pub id: u32,
    /// The name of the program.
    pub name: String,
}
