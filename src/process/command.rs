//! The interface of a command: the request, the running command and its outcome.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

use super::Ending;
use super::capture::{Captured, Latest, View};
use super::drain::Drain;
use super::sandbox::AutorunChange;
use crate::fs::workspace::Root;
use crate::saved_output::Unsaved;
use cutline_core::truncate::KeyForms;

/// A command to run, and the part of its output that is shown.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The command line.
    pub command: &'a str,
    /// The workspace: a sandbox lets the command write in these folders.
    pub roots: &'a [Root],
    /// The working directory, a path without links.
    pub folder: &'a Path,
    /// The part of its output that is shown.
    pub view: View,
    /// Its times.
    pub times: Times,
}

/// The times of a command, from its start, and the format of the status line in its saved output.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// The longest that it may run.
    pub timeout: Duration,
    /// The time after which it is answered for though it still runs, if any.
    pub answer_within: Option<Duration>,
    /// Formats the status footer of a command that outlived its result, with the reason if part of the output was not
    /// saved.
    pub status_line: StatusLine,
}

/// Formats the status footer of a saved output.
pub type StatusLine = fn(&LateEnd, Option<&Unsaved>) -> String;

/// The end of a command that outlived its result.
#[derive(Debug, Clone)]
pub struct LateEnd {
    /// The shell's exit code or signal.
    pub ending: Ending,
    /// The reason for its end.
    pub cause: Cause,
    /// The longest that it was allowed to run.
    pub timeout: Duration,
    /// The exit codes of its last pipeline, if a stage before the last one failed.
    pub pipeline: Option<Vec<i32>>,
    /// The autorun files that it created or changed since its result.
    pub autorun_changes: Vec<AutorunChange>,
}

/// A command that runs. Dropped, it is ended.
#[derive(Debug)]
pub struct Running {
    pub(super) outcome: oneshot::Receiver<Outcome>,
    pub(super) drain: Arc<Drain>,
    /// Ends the command when dropped. `None` if the command has ended or keeps running without its caller.
    pub(super) kill_on_drop: Option<DropGuard>,
}

impl Running {
    /// Returns the counts and the end of its output so far, or `None` while the reader uses them.
    pub fn latest(&self) -> Option<Latest> {
        self.drain.try_with(|capture| capture.latest())
    }

    /// Returns how many bytes it printed so far.
    pub fn bytes(&self) -> u64 {
        self.drain.bytes()
    }

    /// Ends it, at once.
    pub fn cancel(&mut self) {
        drop(self.kill_on_drop.take());
    }

    /// Waits until it has ended or keeps running without its caller. The future can be dropped and created again.
    pub async fn outcome(&mut self) -> io::Result<Outcome> {
        let outcome = (&mut self.outcome).await.map_err(|_| io::Error::other("the command was lost"))?;
        if let (State::StillRunning { .. }, Some(guard)) = (&outcome.state, self.kill_on_drop.take()) {
            guard.disarm();
        }
        Ok(outcome)
    }
}

/// A command when its call is answered.
#[derive(Debug)]
pub struct Outcome {
    /// Its state: over, or still running.
    pub state: State,
    /// Its output so far.
    pub output: Captured,
    /// Time from its start to the end of the shell, or to the result if that is earlier.
    pub duration: Duration,
    /// The exit codes of its last pipeline, if a stage before the last one failed.
    pub pipeline: Option<Vec<i32>>,
    /// The autorun files that it created or changed in a sandbox.
    pub autorun_changes: Vec<AutorunChange>,
}

impl Outcome {
    /// Returns true if the command failed: by its exit code, a signal, its timeout, or a stage of its last pipeline.
    pub fn failed(&self) -> bool {
        let State::Finished { ending, cause, .. } = &self.state else { return false };
        has_failed(*ending, *cause, self.pipeline.as_deref())
    }
}

/// Returns true if a command that ended in this way failed. `pipeline` has the exit codes of its last pipeline, if a stage
/// before the last one failed.
fn has_failed(ending: Ending, cause: Cause, pipeline: Option<&[i32]>) -> bool {
    ending != Ending::Code(0) || cause != Cause::Itself || pipeline.is_some()
}

/// Returns the key lines that are shown of a command that ended in this way.
pub(super) fn key_forms(ending: Ending, cause: Cause, pipeline: Option<&[i32]>) -> KeyForms {
    if has_failed(ending, cause, pipeline) { KeyForms::All } else { KeyForms::None }
}

/// The state of a command when its call is answered.
#[derive(Debug)]
pub enum State {
    /// It is over.
    Finished {
        /// The shell's exit code or signal.
        ending: Ending,
        /// The reason for its end.
        cause: Cause,
        /// The processes that still hold its output open.
        background: Vec<Background>,
    },
    /// It keeps running, and its output is added to the saved file, until it ends, its timeout passes or the server ends.
    StillRunning {
        /// The shell's number.
        id: u32,
    },
}

/// The reason for a command's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It came to its end.
    Itself,
    /// It ran out of time.
    Timeout,
    /// It was cancelled.
    Cancelled,
}

/// A process that outlives its command and holds its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    /// Its number.
    pub id: u32,
    /// Its program's name.
    pub name: String,
}
