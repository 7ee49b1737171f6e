//! Ending commands: every process that belongs to one, asked first, then made to.
//!
//! Who belongs to a command is found by its process group, by descent, and by the mark in the
//! environment, so that a child that left the group or lost its parents goes too. It is looked for
//! again until nobody is left, so that what is started meanwhile goes as well. Signals go to a
//! process whose start time was the expected one: never to another of the same number.
//! The group of a shell that was not waited for is the exception: its number can't be another's, and
//! where not all can be seen it is signalled as a whole. All of it is bounded in time, whatever the processes do, and it
//! works where this process has no descriptor left.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::snapshot::ProcessSnapshot;
use super::{KillScope, Pipe, Scope};
use crate::process::process_tree::Outcome;
use crate::sys::{self, OutOfDescriptors, Process, ProcessHandle};

/// How long is waited for processes that were killed: one that sleeps uninterruptibly may be left.
const GIVE_UP: Duration = Duration::from_secs(1);
/// The first pause between two looks, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// Ends all processes of all `scopes`: SIGTERM, and after `grace` SIGKILL. Blocks until they are
/// gone, at most a second longer than `grace`.
pub(in crate::process) fn end_all(scopes: &[Scope], grace: Duration) -> Outcome {
    let began = Instant::now();
    let mut targets = Targets::default();
    let mut pause = PAUSES.0;
    loop {
        let signal = if began.elapsed() < grace { Signal::TERM } else { Signal::KILL };
        match ProcessSnapshot::new() {
            Ok(look) => {
                for scope in scopes {
                    targets.add(&look.processes, scope);
                }
            }
            Err(OutOfDescriptors) => targets.missed = true,
        }
        if targets.missed {
            // Not before a look that tells all: who left the group without the mark is known only by
            // its parents, while these live.
            for scope in scopes {
                signal_group(scope, signal);
            }
        }
        if !targets.signal(signal) {
            return Outcome::Over;
        }
        if began.elapsed() > grace + GIVE_UP {
            return Outcome::Unsure;
        }
        let left = grace.saturating_sub(began.elapsed());
        targets.wait(if left.is_zero() { PAUSES.0 } else { pause.min(left) });
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Signals the group of a command whose shell was not waited for, which needs no descriptor. Until
/// then the number can't be another's, even where the shell has ended.
fn signal_group(scope: &Scope, signal: Signal) {
    let Some(group) = i32::try_from(scope.group).ok().and_then(Pid::from_raw) else { return };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if scope.reach != KillScope::All || waitid(WaitId::Pid(group), look).is_err() {
        return;
    }
    let told = kill_process_group(group, signal);
    if told.is_ok() && signal == Signal::TERM {
        let _may_have_ended = kill_process_group(group, Signal::CONT);
    }
}

/// A process by number and start.
type Key = (u32, u64);

/// The processes found so far.
#[derive(Default)]
struct Targets {
    seen: BTreeMap<Key, Target>,
    /// What was seen of each process, for all scopes: it needs no second look.
    marks: BTreeMap<Key, Option<String>>,
    pipes: BTreeMap<Key, Vec<u64>>,
    /// Whether one could not be looked at, or not be opened: no descriptor was left.
    missed: bool,
}

enum Target {
    /// Still there, and the last signal it was sent. Where descriptors are few it is opened for each
    /// signal anew.
    Alive(Option<ProcessHandle>, Option<Signal>),
    /// Ended, or not this user's to end.
    Gone,
}

impl Targets {
    /// Adds those of `processes` that belong to `scope`, with all that descend from them.
    fn add(&mut self, processes: &[Process], scope: &Scope) {
        let own = std::process::id();
        let candidates: Vec<&Process> = processes
            .iter()
            .filter(|process| process.id != own && !process.ended && process.start >= scope.since)
            .collect();
        let group = self.owns_group(scope, &candidates).then_some(scope.group);
        let mut belonging: BTreeSet<u32> = candidates
            .iter()
            .filter(|process| Some(process.group) == group || self.belongs(process, scope))
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
    fn belongs(&mut self, process: &Process, scope: &Scope) -> bool {
        let key = (process.id, process.start);
        if self.seen.contains_key(&key) {
            return true;
        }
        match &scope.reach {
            KillScope::All => self.carries(key, &scope.mark),
            KillScope::Stayed { pipe: Pipe::Held(pipe), .. } => self.holds(key, *pipe),
            KillScope::Stayed { pipe: Pipe::Recorded(pipe), .. } => {
                self.carries(key, &scope.mark) && self.holds(key, *pipe)
            }
        }
    }

    /// Whether the group of that number is the command's still. That of a shell that ended long ago
    /// may be another's by now, unless one who was in it, or who has the mark, still is.
    fn owns_group(&mut self, scope: &Scope, candidates: &[&Process]) -> bool {
        let mut members = candidates.iter().filter(|process| process.group == scope.group);
        let mut of_command = |process: &Process| match &scope.reach {
            KillScope::All => true,
            KillScope::Stayed { pipe: Pipe::Held(_), known }
                if known.contains(&(process.id, process.start)) =>
            {
                true
            }
            KillScope::Stayed { .. } => self.carries((process.id, process.start), &scope.mark),
        };
        scope.group > 0 && members.any(|process| of_command(process))
    }

    /// Whether a process was given `mark`, or one that begins with it.
    fn carries(&mut self, key: Key, mark: &str) -> bool {
        if !self.marks.contains_key(&key) {
            let Ok(seen) = sys::mark(key.0) else {
                self.missed = true;
                return false;
            };
            self.marks.insert(key, seen);
        }
        self.marks.get(&key).and_then(Option::as_ref).is_some_and(|seen| seen.starts_with(mark))
    }

    /// Whether a process can write to that pipe.
    fn holds(&mut self, key: Key, pipe: u64) -> bool {
        if !self.pipes.contains_key(&key) {
            let Ok(seen) = sys::pipes(key.0) else {
                self.missed = true;
                return false;
            };
            self.pipes.insert(key, seen);
        }
        self.pipes.get(&key).is_some_and(|seen| seen.contains(&pipe))
    }

    fn open(&mut self, process: &Process) {
        let key = (process.id, process.start);
        if self.seen.contains_key(&key) {
            return;
        }
        let target = match ProcessHandle::on(key.0, key.1) {
            // A spare is not kept: others need it.
            Ok(Some(grip)) => Target::Alive(Some(grip).filter(|grip| !grip.is_spare()), None),
            Ok(None) => Target::Gone,
            Err(OutOfDescriptors) => {
                self.missed = true;
                return;
            }
        };
        self.seen.insert(key, target);
    }

    /// Sends `signal` to all that did not have it; whether anybody is left.
    fn signal(&mut self, signal: Signal) -> bool {
        self.note_ended(Duration::ZERO);
        for (key, target) in &mut self.seen {
            let Target::Alive(held, last) = target else { continue };
            let anew = if held.is_none() { ProcessHandle::on(key.0, key.1) } else { Ok(None) };
            let Ok(anew) = anew else {
                self.missed = true;
                continue;
            };
            let Some(grip) = held.as_ref().or(anew.as_ref()) else {
                *target = Target::Gone;
                continue;
            };
            if *last == Some(signal) {
                continue;
            }
            *last = Some(signal);
            if grip.send(signal).is_err() {
                *target = Target::Gone;
            } else if signal == Signal::TERM {
                // One that is stopped takes it only when it goes on.
                let _may_have_ended = grip.send(Signal::CONT);
            }
        }
        let missed = std::mem::take(&mut self.missed);
        missed || self.seen.values().any(|target| matches!(target, Target::Alive(..)))
    }

    /// Waits until all have ended, at most `pause`. Those that are not held tell nothing by
    /// themselves: they are looked at again soon.
    fn wait(&mut self, pause: Duration) {
        let alive = |held: bool| move |target: &Target| matches!(target, Target::Alive(grip, _) if grip.is_some() == held);
        let held = self.seen.values().any(alive(true));
        let unheld = self.seen.values().any(alive(false));
        let until = Instant::now() + if unheld { pause.min(PAUSES.0) } else { pause };
        while self.note_ended(until.saturating_duration_since(Instant::now())) && Instant::now() < until {}
        if unheld || !held {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Waits until one that is held has ended, at most `pause`, and notes who has; whether anybody is
    /// left.
    fn note_ended(&mut self, pause: Duration) -> bool {
        let mut alive = Vec::new();
        let mut grips = Vec::new();
        for (key, target) in &self.seen {
            if let Target::Alive(Some(grip), _) = target {
                alive.push(*key);
                grips.push(grip);
            }
        }
        if grips.is_empty() {
            return false;
        }
        let Ok(ended) = sys::ended(&grips, pause) else { return true };
        let ended: Vec<Key> =
            alive.iter().zip(ended).filter(|(_, ended)| *ended).map(|(key, _)| *key).collect();
        let left = alive.len() > ended.len();
        for key in ended {
            self.seen.insert(key, Target::Gone);
        }
        left
    }
}
