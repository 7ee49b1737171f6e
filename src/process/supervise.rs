//! One command from its start to its end, looked after by a task of its own.
//!
//! The task outlives whoever asked for the command: when that one goes away, the task ends the
//! command and stays until it is ended.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::process::Child;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::capture::{Capture, Captured};
use super::drain::{Drain, DrainProgress};
use super::process_tree::{self, Outcome, Scope, end_all};
use super::registry::{GRACE, Registry};
use super::shell::Shell;
use super::{Background, Cause, CommandPermit, Ending, Finished, Request, Running};
use crate::process::spill::Store;
use crate::sys;

/// How long the processes of a command that ran out of time have until they are made to end.
const TIMEOUT_GRACE: Duration = Duration::from_secs(2);
/// How long nothing must come, after the shell's end, until what still holds the pipe is left to it.
const QUIET_PERIOD: Duration = Duration::from_millis(40);
/// How long after the shell's end its answer waits for what others write.
const BACKGROUND_WAIT: Duration = Duration::from_millis(200);
/// How long is waited for what the shell itself wrote, where it is not to be had.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long is waited for a shell that was killed, and for its pipe's end.
const KILLED: Duration = Duration::from_millis(500);

/// Starts a command, and the task that looks after it.
pub(super) fn run(
    shell: &Shell,
    store: &Arc<Store>,
    registry: &Arc<Registry>,
    place: CommandPermit,
    request: Request<'_>,
) -> io::Result<Running> {
    let began = Instant::now();
    let mut scope = registry.announce()?;
    let mark = scope.mark().to_owned();
    // Also where it says that it could not be started, something may run: by its mark it is known.
    let mut leash = KillOnDrop { registry: Arc::clone(registry), scope: Some(scope.clone()), mark };
    let mut started = shell.start(request.command, request.roots, &leash.mark)?;
    scope.started(&mut started.child)?;
    leash.scope = Some(scope.clone());
    registry.started(scope);
    sys::send_command(&mut started.child, request.command);

    let capture = Capture::new(Arc::clone(store), request.keep, request.max_bytes);
    let drain = Arc::new(Drain::start(started.output, capture)?);
    let cancel = CancellationToken::new();
    let (tell, finished) = oneshot::channel();
    let command = Command { child: started.child, drain: Arc::clone(&drain), leash, place, began };
    let (time, over) = (request.timeout, cancel.clone());
    tokio::spawn(async move {
        let finished = command.supervise(time, over).await;
        // Nobody listens where the caller went away; then there is nothing to tell.
        let _or_nobody = tell.send(finished);
    });
    Ok(Running { finished, drain, _kill_on_drop: cancel.clone().drop_guard(), cancel })
}

/// Holds a command: let go while it runs, it kills it.
struct KillOnDrop {
    registry: Arc<Registry>,
    mark: String,
    /// What is to be ended; `None` where there is nothing any more.
    scope: Option<Scope>,
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // Only where the runtime itself is taken down, or the command could not be looked after.
        match self.scope.take() {
            Some(scope) if end_all(std::slice::from_ref(&scope), Duration::ZERO) == Outcome::Unsure => {
                self.registry.unsure(scope);
            }
            _ => self.registry.done(&self.mark),
        }
    }
}

/// A command that was started.
struct Command {
    child: Child,
    drain: Arc<Drain>,
    leash: KillOnDrop,
    place: CommandPermit,
    began: Instant,
}

impl Command {
    async fn supervise(mut self, time: Duration, cancel: CancellationToken) -> Finished {
        let closing = self.leash.registry.closing();
        let (cause, status) = tokio::select! {
            biased;
            // The registry ends all that runs, together.
            () = closing.cancelled() => (Cause::Cancelled, self.ended().await),
            status = self.child.wait() => (Cause::Itself, status.ok()),
            () = cancel.cancelled() => (Cause::Cancelled, self.end(GRACE).await),
            () = tokio::time::sleep(time) => (Cause::Timeout, self.end(TIMEOUT_GRACE).await),
        };
        let duration = self.began.elapsed();
        let cause = match cause {
            Cause::Itself => tokio::select! {
                () = self.wait_until_drained() => Cause::Itself,
                () = cancel.cancelled() => {
                    self.end(GRACE).await;
                    Cause::Cancelled
                }
            },
            cause => cause,
        };
        let (output, background) = match cause {
            Cause::Itself => self.collect_output().await,
            Cause::Timeout => (self.close().await, Vec::new()),
            Cause::Cancelled => {
                // There is no answer that could name the file.
                self.captured(Capture::discard).await;
                (self.close().await, Vec::new())
            }
        };
        let ending = sys::ending_of(status, cause != Cause::Itself).map_or_else(Ending::Signal, Ending::Code);
        Finished { ending, cause, output, background, duration }
    }

    /// Ends all of its processes.
    async fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        if let Some(scope) = self.leash.scope.clone()
            && process_tree::end(vec![scope.clone()], grace).await == Outcome::Unsure
        {
            // The record first, so that nothing can say that it is done.
            self.leash.registry.unsure(scope);
        }
        self.ended().await
    }

    /// Waits for the shell, which is being killed.
    async fn ended(&mut self) -> Option<ExitStatus> {
        timeout(KILLED, self.child.wait()).await.ok()?.ok()
    }

    /// Takes what an ended command printed.
    async fn close(mut self) -> Captured {
        let _or_held = timeout(KILLED, self.drain.ended()).await;
        self.leash.scope = None;
        self.drain.stop();
        self.captured(|capture| capture.answer(false)).await
    }

    /// Takes what was printed, and leaves the background processes alive.
    async fn collect_output(mut self) -> (Captured, Vec<Background>) {
        let Some(scope) = self.leash.scope.take() else { return (self.close().await, Vec::new()) };
        let held = !self.drain.has_ended();
        if scope.is_empty() && !held {
            return (self.captured(|capture| capture.answer(false)).await, Vec::new());
        }
        let (pipe, there) = (self.drain.pipe(), scope.clone());
        let stay = process_tree::run_on_own_thread(move || there.stay(pipe, held)).await;
        let stay = stay.unwrap_or_else(|| scope.unseen(pipe));
        let goes_on = !self.drain.has_ended();
        let output = self.captured(move |capture| capture.answer(goes_on)).await;
        if goes_on || stay.anybody {
            self.leash.registry.left(stay.scope, Arc::clone(&self.drain), self.place);
            let (registry, ended) = (Arc::clone(&self.leash.registry), self.drain.ended());
            tokio::spawn(async move {
                ended.await;
                registry.reap();
            });
        }
        (output, if goes_on { stay.shown } else { Vec::new() })
    }

    /// Waits until all was read that the command wrote: until the pipe's end, or, where others hold
    /// it, until it has been dry for a while.
    async fn wait_until_drained(&self) {
        let began = Instant::now();
        let end = self.drain.level();
        let mut before = end;
        while timeout(QUIET_PERIOD, self.drain.ended()).await.is_err() {
            let now = self.drain.level();
            if output_is_complete(began.elapsed(), end, before, now) {
                break;
            }
            before = now;
        }
    }

    /// Does something with what was captured; on another thread, where the reader is at work on it.
    async fn captured<T: Send + 'static>(
        &self,
        look: impl Fn(&mut Capture) -> T + Clone + Send + 'static,
    ) -> T {
        if let Some(seen) = self.drain.try_with(&look) {
            return seen;
        }
        let (drain, there) = (Arc::clone(&self.drain), look.clone());
        match process_tree::run_on_own_thread(move || drain.with(there)).await {
            Some(seen) => seen,
            None => self.drain.with(look),
        }
    }
}

/// Whether the answer need not wait for more, so long after the shell's `end`: what came since is
/// the others'. All that the shell wrote is waited for, however slowly it can be saved.
fn output_is_complete(
    elapsed: Duration,
    end: DrainProgress,
    before: DrainProgress,
    now: DrainProgress,
) -> bool {
    let quiet = now.is_drained() && now.taken == before.taken;
    let all_of_its_own = now.is_drained() || now.taken >= end.written();
    quiet || (elapsed >= BACKGROUND_WAIT && all_of_its_own) || elapsed >= DRAIN_TIMEOUT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_wrote_is_waited_for_and_no_more() {
        let millis = Duration::from_millis;
        let level = |taken, waiting, idle| DrainProgress { taken, waiting, idle };
        let end = level(1_000, 500_000, false);
        let all = end.written();
        let dry = level(501_000, 0, true);
        let cases = [
            ("all is taken, and nothing comes", 40, dry, dry, true),
            ("all is taken, and more came just now", 40, level(400_000, 0, true), dry, false),
            ("a slow disk", 300, level(1_000, 500_000, false), level(130_000, 371_000, false), false),
            (
                "the last block of it is being saved",
                300,
                level(400_000, 0, false),
                level(400_000, 0, false),
                false,
            ),
            ("others write all the time", 120, level(all, 9, false), level(all + 9, 9, false), false),
            (
                "others write all the time, for long",
                200,
                level(all, 9, false),
                level(all + 9, 9, false),
                true,
            ),
            (
                "others write now and then, for long",
                200,
                level(501_000, 0, true),
                level(501_005, 0, true),
                true,
            ),
            ("a disk that does not come back", 5_000, end, end, true),
        ];
        for (about, elapsed, before, now, expected) in cases {
            assert_eq!(output_is_complete(millis(elapsed), end, before, now), expected, "{about}");
        }
    }
}
