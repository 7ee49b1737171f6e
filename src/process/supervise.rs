//! A running command and its outcome. One task supervises each command from its start to its end.
//!
//! The task outlives the call. If the call is dropped, the task ends the command and waits for its end.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::drain::{Drain, DrainProgress};
use super::pipeline::{PipelineReport, remove_broken_xargs};
use super::process_tree::{GRACE, ProcessScope};
use super::sandbox::{AutorunChange, Sandbox, notices};
use super::start::KILLED_WAIT;
use super::{CommandPermit, Ending, Program, signal_name};
use crate::blocking;
use crate::capture::{Capture, Captured, Latest};
use crate::fs::workspace::shown;
use crate::limits::TIMEOUT_GRACE;
use cutline_core::notice::{PipelineExitCodes, Status};
use cutline_core::text::show;
use cutline_core::truncate::KeyForms;

/// Time without output after the shell has ended. After it, the result no longer waits for a pipe that other processes
/// keep open.
const QUIET_PERIOD: Duration = Duration::from_millis(40);
/// Maximum time that the result waits, after the shell has ended, for output of other processes.
const BACKGROUND_WAIT: Duration = Duration::from_millis(200);
/// Maximum time that a result waits for the output of the shell itself. A disk can hang.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

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
    outcome: oneshot::Receiver<CommandOutcome>,
    pub(super) drain: Arc<Drain>,
    /// Ends the command when dropped. `None` if the command has ended, or keeps running after its result.
    kill_on_drop: Option<DropGuard>,
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

/// Returns the status of a command that ended in this way, or `None` if it succeeded. `timeout` is its maximum run
/// time.
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

/// A command that has started.
pub(super) struct SupervisedCommand {
    pub(super) shell: Program,
    /// The file for the exit codes of its pipelines, if it has one.
    pub(super) report: Option<PipelineReport>,
    pub(super) drain: Arc<Drain>,
    pub(super) permit: CommandPermit,
    pub(super) began: Instant,
    pub(super) times: Times,
    pub(super) sandbox: Option<Arc<Sandbox>>,
}

impl SupervisedCommand {
    /// Starts the task that supervises the command. Needs a tokio runtime.
    pub(super) fn spawn(self) -> Running {
        let cancel = CancellationToken::new();
        let (sender, outcome) = oneshot::channel();
        let drain = Arc::clone(&self.drain);
        tokio::spawn(self.supervise(cancel.clone(), sender));
        Running { outcome, drain, kill_on_drop: Some(cancel.drop_guard()) }
    }

    /// Supervises the command until it ends. Sends its outcome once: at the end, or earlier if the command outlives its
    /// result.
    async fn supervise(mut self, cancel: CancellationToken, sender: oneshot::Sender<CommandOutcome>) {
        let Times { timeout, answer_within } = self.times;
        let closing = self.shell.registry.closing.clone();
        // `None` after the outcome was sent.
        let (began, mut sender) = (self.began, Some(sender));
        let (mut cause, ending) = loop {
            let was_sent = sender.is_none();
            let is_timeout = tokio::select! {
                biased;
                // The server ends all commands together.
                () = closing.cancelled() => break (Cause::Cancelled, self.shell.wait_or_kill().await),
                ending = self.shell.wait() => break (Cause::Itself, ending),
                () = cancel.cancelled() => break (Cause::Cancelled, self.shell.end_and_wait(GRACE).await),
                () = wait_until(began, timeout) => true,
                () = wait_until(began, answer_within.unwrap_or(Duration::MAX)), if !was_sent => false,
            };
            // The server may have been stopped, and the event of an earlier end not handled yet.
            if let Some(ending) = self.shell.ended() {
                break (Cause::Itself, ending);
            }
            if is_timeout {
                // The client may not wait longer for the result.
                let left =
                    answer_within.filter(|_| !was_sent).map(|within| within.saturating_sub(began.elapsed()));
                let grace = left.map_or(TIMEOUT_GRACE, |left| left.clamp(GRACE, TIMEOUT_GRACE));
                break (Cause::Timeout, self.shell.end_and_wait(grace).await);
            }
            // The command outlives its result. Later output goes to the saved file.
            let output = self.with_capture(|capture| capture.take_output(true, KeyForms::All)).await;
            let state = State::StillRunning { id: self.shell.child.id().unwrap_or_default() };
            self.keep_autorun_changes();
            let (duration, pipelines) = (began.elapsed(), PipelineExitCodes::default());
            let outcome = CommandOutcome { state, output, duration, pipelines };
            if let Some(sender) = sender.take() {
                let _caller_went_away = sender.send(outcome);
            }
        };
        let duration = began.elapsed();
        // The report is removed also if nobody reads its codes.
        let report = self.report.take().filter(|_| cause != Cause::Cancelled);
        let mut pipelines = report.and_then(|report| report.codes().ok()).unwrap_or_default();
        if !matches!((cause, ending), (Cause::Itself, Ending::Code(_))) {
            // An interrupted shell reports the codes of the pipeline before the last one.
            pipelines.earlier.extend(pipelines.last.take());
        }
        if cause == Cause::Itself {
            tokio::select! {
                () = self.wait_until_drained() => {}
                () = cancel.cancelled() => {
                    self.shell.end_and_wait(GRACE).await;
                    cause = Cause::Cancelled;
                }
            }
        }
        if !pipelines.is_empty() {
            let latest = self.with_capture(|capture| capture.latest()).await;
            remove_broken_xargs(&mut pipelines, &latest.recent);
        }
        // `None` also if the command exited with code 0.
        let status = status(ending, cause, timeout);
        if sender.is_none() {
            // The footer must be in the file before `finish` closes it.
            let footer = self.footer(cause, status, &pipelines);
            self.with_capture(move |capture| capture.stream.end_with(&footer)).await;
        }
        if cause == Cause::Cancelled && sender.is_some() {
            // No result can name the saved file.
            self.with_capture(|capture| capture.stream.discard()).await;
        }
        let has_failed = status.is_some() || cause != Cause::Itself || !pipelines.is_empty();
        let forms = if has_failed { KeyForms::All } else { KeyForms::Strong };
        let (output, background) = self.finish(cause, forms).await;
        drop(self.permit);
        if let Some(sender) = sender {
            let state = State::Finished { ending, cause, background };
            let _caller_went_away = sender.send(CommandOutcome { state, output, duration, pipelines });
        }
        self.drain.ended.cancelled().await;
        self.shell.registry.clean_up();
    }

    /// Returns the lines that end the saved output of a command that outlived its result: autorun files that it created
    /// after that, the exit codes of its pipelines, and its status.
    fn footer(&self, cause: Cause, status: Option<Status>, pipelines: &PipelineExitCodes) -> String {
        let status = match cause {
            // The call has returned, so only the end of the server can have cancelled the command.
            Cause::Cancelled => Status::EndedWithServer,
            _ => status.unwrap_or(Status::Exited(0)),
        };
        let changes = self.keep_autorun_changes();
        let created = notices(&changes, |path| show::name(shown(path)).into_owned());
        let lines = created.map(|notice| notice.to_string()).chain(pipelines.lines());
        lines.chain([format!("[{status}]")]).map(|line| line + "\n").collect()
    }

    /// Returns the autorun files that were created or changed. The next result shows them.
    fn keep_autorun_changes(&self) -> Vec<AutorunChange> {
        self.sandbox.iter().flat_map(|sandbox| sandbox.keep_changes()).collect()
    }

    /// Ends the supervision. Returns the output with key lines of these forms, and the background processes.
    ///
    /// If processes of a command that ended by itself remain, the command becomes a background command: the registry
    /// lists its processes until the group is empty and no process has the output open. Otherwise the reader stops.
    async fn finish(&mut self, cause: Cause, forms: KeyForms) -> (Captured, Vec<Background>) {
        let survivors = self.survivors(cause).await;
        if survivors.is_none() {
            let _pipe_still_open = timeout(KILLED_WAIT, self.drain.ended.cancelled()).await;
            self.drain.pipe.stop();
        }
        let is_open = survivors.is_some() && !self.drain.ended.is_cancelled();
        let output = self.with_capture(move |capture| capture.take_output(is_open, forms)).await;
        let (scope, background) = survivors.unzip();
        self.shell.registry.replace(&self.shell.tag, scope);
        self.keep_autorun_changes();
        (output, background.filter(|_| is_open).unwrap_or_default())
    }

    /// Returns the remaining processes of a command that ended by itself. Returns `None` if there are none, or if
    /// cutline ended the command.
    async fn survivors(&self, cause: Cause) -> Option<(ProcessScope, Vec<Background>)> {
        let pipe = (!self.drain.ended.is_cancelled()).then(|| self.drain.pipe.id());
        let may_be_left =
            |scope: &ProcessScope| cause == Cause::Itself && (pipe.is_some() || !scope.has_empty_group());
        let scope = self.shell.registry.scope(&self.shell.tag).filter(may_be_left)?;
        let ended = self.drain.ended.clone();
        blocking::run_anyway(move || scope.survivors(pipe, ended)).await
    }

    /// Waits until the reader has captured everything that the command wrote. That is the end of the pipe, or, if other
    /// processes hold it open, a short time without new output.
    async fn wait_until_drained(&self) {
        let began = Instant::now();
        let DrainProgress { written_at_most: shell_bytes, captured: mut before, .. } = self.drain.progress();
        while timeout(QUIET_PERIOD, self.drain.ended.cancelled()).await.is_err() {
            let now = self.drain.progress();
            if output_is_complete(began.elapsed(), shell_bytes, before, now) {
                break;
            }
            before = now.captured;
        }
    }

    /// Calls `use_it` with the captured output. Does so on another thread if the reader is using it.
    async fn with_capture<T: Send + 'static>(
        &self,
        use_it: impl Fn(&mut Capture) -> T + Clone + Send + 'static,
    ) -> T {
        if let Some(result) = self.drain.try_with(&use_it) {
            return result;
        }
        let drain = Arc::clone(&self.drain);
        blocking::run_anyway(move || drain.with(use_it)).await
    }
}

/// Waits until `time` after `began`.
async fn wait_until(began: Instant, time: Duration) {
    tokio::time::sleep(time.saturating_sub(began.elapsed())).await;
}

/// Returns true if the result need not wait for more output, `elapsed` after the shell has ended. The first
/// `shell_bytes` were written before the end of the shell; the result waits for them even if saving is slow. `before`
/// is the number of captured bytes at the previous check.
fn output_is_complete(elapsed: Duration, shell_bytes: u64, before: u64, now: DrainProgress) -> bool {
    let quiet = now.is_drained && now.captured == before;
    let has_all_of_the_shell = now.is_drained || now.captured >= shell_bytes;
    quiet || (elapsed >= BACKGROUND_WAIT && has_all_of_the_shell) || elapsed >= DRAIN_TIMEOUT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::drain::BLOCK_BYTES;

    #[test]
    fn output_is_complete_after_the_output_of_the_shell() {
        let millis = Duration::from_millis;
        let progress = |captured, waiting, idle| {
            let written_at_most = captured + waiting + BLOCK_BYTES as u64;
            DrainProgress { captured, written_at_most, is_drained: idle && waiting == 0 }
        };
        let end = progress(1_000, 500_000, false);
        let all = end.written_at_most;
        let empty = progress(501_000, 0, true);
        let cases = [
            ("everything was read, and nothing follows", 40, empty, empty, true),
            ("everything was read, and more came just now", 40, progress(400_000, 0, true), empty, false),
            ("a slow disk", 300, progress(1_000, 500_000, false), progress(130_000, 371_000, false), false),
            (
                "the last block of it is being saved",
                300,
                progress(400_000, 0, false),
                progress(400_000, 0, false),
                false,
            ),
            (
                "others write without a pause",
                120,
                progress(all, 9, false),
                progress(all + 9, 9, false),
                false,
            ),
            (
                "others write without a pause, for long",
                200,
                progress(all, 9, false),
                progress(all + 9, 9, false),
                true,
            ),
            (
                "others write now and then, for long",
                200,
                progress(501_000, 0, true),
                progress(501_005, 0, true),
                true,
            ),
            ("a disk that does not respond", 5_000, end, end, true),
        ];
        for (about, elapsed, before, now, expected) in cases {
            assert_eq!(output_is_complete(millis(elapsed), all, before.captured, now), expected, "{about}");
        }
    }
}
