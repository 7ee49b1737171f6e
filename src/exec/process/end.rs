//! Ending commands: every process that belongs to one, asked first, then made to.
//!
//! Who belongs to a command is found by its process group, by descent, and by the mark in the
//! environment, so that a child that left the group or lost its parents goes too. It is looked for
//! again until nobody is left, so that what is started meanwhile goes as well. Signals go through
//! a pidfd of a process whose start time was the expected one: never to another of the same number.
//! All of it is bounded in time, whatever the processes do.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::oneshot;

use super::proc::{self, Process};

/// How long is waited for processes that were killed: one that sleeps uninterruptibly may be left.
const GIVE_UP: Duration = Duration::from_secs(1);
/// The first pause between two looks, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// Which processes belong to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// The mark they were given.
    pub(super) mark: String,
    /// The process group, which has the shell's number; 0 where that is not known.
    pub(super) group: u32,
    /// When the shell was started: nothing older belongs to it.
    pub(super) since: u64,
    /// How far it reaches.
    pub(super) reach: Reach,
}

/// How far a command's end reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// To all that it started: it was running.
    All,
    /// To those that stayed: in the group, or holding the output of that pipe. It had ended.
    Stayed {
        /// The pipe's inode.
        pipe: u64,
        /// The group as it was when the shell ended: by number and start.
        known: Vec<(u32, u64)>,
    },
}

/// The same as [`end_all`], on a thread of its own.
pub(super) async fn end(scopes: Vec<Scope>, grace: Duration) {
    let there = scopes.clone();
    if aside(move || end_all(&there, grace)).await.is_none() {
        // There is no thread to be had: rather is this one kept waiting than a process left alive.
        end_all(&scopes, grace);
    }
}

/// Does `work`, which blocks, on a thread of its own: the shared ones may all be busy with what is
/// less urgent. `None` where no thread can be had.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (tell, done) = oneshot::channel();
    let tell = move || drop(tell.send(work()));
    std::thread::Builder::new().name("end".to_owned()).spawn(tell).ok()?;
    done.await.ok()
}

/// Ends all processes of all `scopes`: SIGTERM, and after `grace` SIGKILL. Blocks until they are
/// gone, at most a second longer than `grace`.
pub(super) fn end_all(scopes: &[Scope], grace: Duration) {
    let began = Instant::now();
    let mut targets = Targets::default();
    let mut pause = PAUSES.0;
    loop {
        let signal = if began.elapsed() < grace { Signal::TERM } else { Signal::KILL };
        let processes = proc::all();
        for (nth, scope) in scopes.iter().enumerate() {
            targets.add(&processes, nth, scope);
        }
        if !targets.signal(signal) || began.elapsed() > grace + GIVE_UP {
            return;
        }
        let left = grace.saturating_sub(began.elapsed());
        targets.wait(if left.is_zero() { PAUSES.0 } else { pause.min(left) });
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// A process by number and start.
type Key = (u32, u64);

/// The processes found so far.
#[derive(Default)]
struct Targets {
    seen: BTreeMap<Key, Target>,
    /// Those that were looked at, for which scope, and do not belong: they need no second look.
    strangers: BTreeSet<(usize, Key)>,
    /// Whether one was found that could not be opened: there were too many at once.
    missed: bool,
}

enum Target {
    /// Still there, and the last signal it was sent.
    Alive(OwnedFd, Option<Signal>),
    /// Ended, or not this user's to end.
    Gone,
}

impl Targets {
    /// Adds those of `processes` that belong to `scope`, with all that descend from them.
    fn add(&mut self, processes: &[Process], nth: usize, scope: &Scope) {
        let own = std::process::id();
        let candidates: Vec<&Process> = processes
            .iter()
            .filter(|process| process.id != own && !process.ended && process.start >= scope.since)
            .collect();
        let group = owns_group(scope, &candidates).then_some(scope.group);
        let mut belonging: BTreeSet<u32> = candidates
            .iter()
            .filter(|process| Some(process.group) == group || self.belongs(process, nth, scope))
            .map(|process| process.id)
            .collect();
        loop {
            let children = candidates.iter().filter(|process| belonging.contains(&process.parent));
            let before = belonging.len();
            belonging.extend(children.map(|process| process.id).collect::<Vec<_>>());
            if belonging.len() == before {
                break;
            }
        }
        for process in candidates.iter().filter(|process| belonging.contains(&process.id)) {
            self.open(process);
        }
    }

    /// Whether a process is known by itself, wherever it went.
    fn belongs(&mut self, process: &Process, nth: usize, scope: &Scope) -> bool {
        let key = (process.id, process.start);
        if self.seen.contains_key(&key) {
            return true;
        }
        if self.strangers.contains(&(nth, key)) {
            return false;
        }
        let belongs = match scope.reach {
            Reach::All => proc::carries(process.id, &scope.mark),
            Reach::Stayed { pipe, .. } => proc::holds(process.id, pipe),
        };
        if !belongs {
            self.strangers.insert((nth, key));
        }
        belongs
    }

    fn open(&mut self, process: &Process) {
        let key = (process.id, process.start);
        if self.seen.contains_key(&key) {
            return;
        }
        let pid = i32::try_from(process.id).ok().and_then(Pid::from_raw);
        let opened = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty()));
        let target = match opened {
            // What was opened is the one that was seen only if it is so now that it is held.
            Some(Ok(fd)) if proc::one(process.id).is_some_and(|now| now.start == process.start) => {
                Target::Alive(fd, None)
            }
            Some(Err(Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => {
                self.missed = true;
                return;
            }
            _ => Target::Gone,
        };
        self.seen.insert(key, target);
    }

    /// Sends `signal` to all that did not have it; whether anybody is left.
    fn signal(&mut self, signal: Signal) -> bool {
        self.note_ended(Duration::ZERO);
        for target in self.seen.values_mut() {
            let Target::Alive(fd, last) = target else { continue };
            if *last == Some(signal) {
                continue;
            }
            *last = Some(signal);
            if pidfd_send_signal(&*fd, signal).is_err() {
                *target = Target::Gone;
            } else if signal == Signal::TERM {
                // One that is stopped takes it only when it goes on.
                let _may_have_ended = pidfd_send_signal(&*fd, Signal::CONT);
            }
        }
        let missed = std::mem::take(&mut self.missed);
        missed || self.seen.values().any(|target| matches!(target, Target::Alive(..)))
    }

    /// Waits until all have ended, at most `pause`.
    fn wait(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        while self.note_ended(until.saturating_duration_since(Instant::now())) && Instant::now() < until {}
    }

    /// Waits until one has ended, at most `pause`, and notes who has; whether anybody is left.
    fn note_ended(&mut self, pause: Duration) -> bool {
        let mut alive = Vec::new();
        let mut fds = Vec::new();
        for (key, target) in &self.seen {
            if let Target::Alive(fd, _) = target {
                alive.push(*key);
                fds.push(PollFd::new(fd, PollFlags::IN));
            }
        }
        if fds.is_empty() {
            return false;
        }
        let timeout = Timespec::try_from(pause).ok();
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return true;
        }
        let ended: Vec<Key> =
            alive.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty()).map(|(key, _)| *key).collect();
        let left = alive.len() > ended.len();
        for key in ended {
            self.seen.insert(key, Target::Gone);
        }
        left
    }
}

/// Whether the group of that number is the command's still. That of a shell that ended long ago may
/// be another's by now, unless one who was in it, or who has the mark, still is.
fn owns_group(scope: &Scope, candidates: &[&Process]) -> bool {
    let of_command = |process: &&&Process| match &scope.reach {
        Reach::All => true,
        Reach::Stayed { known, .. } => {
            known.contains(&(process.id, process.start)) || proc::carries(process.id, &scope.mark)
        }
    };
    scope.group > 0
        && candidates
            .iter()
            .filter(|process| process.group == scope.group)
            .any(|process| of_command(&process))
}
