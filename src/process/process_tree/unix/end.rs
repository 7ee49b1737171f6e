//! Ending commands: SIGTERM to every process that belongs to one, SIGKILL after a grace.
//!
//! The processes of a command are found by its process group, by descent, and by the mark in the
//! environment, so that a child that left the group or lost its parents is ended too. They are looked for
//! again until none is left, so that what is started meanwhile is ended as well. Signals go to a process
//! whose start was the expected one: never to another of the same number. All of it is bounded in time,
//! whatever the processes do.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::snapshot::ProcessSnapshot;
use super::{KillScope, ProcessKey, Scope, key};
use crate::process::process_tree::Outcome;
use crate::sys::{self, OutOfDescriptors, Process, ProcessHandle, pid};

/// The longest wait for processes that were killed: one that sleeps uninterruptibly may be left.
const GIVE_UP: Duration = Duration::from_secs(1);
/// The first pause between two looks: it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// Handles that are kept open for one command: with the four descriptors that a command has while it is
/// ended, and one to look by, that is what its permit accounts for.
const HANDLES_EACH: usize = 3;
/// Handles that are kept open for any number of commands.
const HANDLES: usize = 16;

/// Ends all processes of all `scopes`: SIGTERM, and after `grace` SIGKILL. Blocks until they are
/// gone, at most a second longer than `grace`.
pub(in crate::process) fn end_all(scopes: &[Scope], grace: Duration) -> Outcome {
    if !sys::has_process_table() {
        end_groups(scopes, grace);
        return Outcome::Over;
    }
    let began = Instant::now();
    let mut targets =
        Targets { most_handles: HANDLES.min(HANDLES_EACH * scopes.len()), ..Targets::default() };
    let mut pause = FIRST_PAUSE;
    loop {
        let signal = if began.elapsed() < grace { Signal::TERM } else { Signal::KILL };
        match ProcessSnapshot::new() {
            Ok(snapshot) => scopes.iter().for_each(|scope| targets.add(&snapshot.processes, scope)),
            Err(OutOfDescriptors) => targets.unseen = true,
        }
        if !targets.signal(signal) {
            return Outcome::Over;
        }
        if began.elapsed() > grace + GIVE_UP {
            return Outcome::Unsure;
        }
        let rest = grace.saturating_sub(began.elapsed());
        targets.wait(if rest.is_zero() { FIRST_PAUSE } else { pause.min(rest) });
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Ends the process groups of commands where nothing tells their processes. A group whose shell was waited for may
/// have given its number to another one, and is left. Blocks for `grace`.
fn end_groups(scopes: &[Scope], grace: Duration) {
    let groups = scopes.iter().filter(|scope| scope.reach == KillScope::Everything);
    let groups: Vec<Pid> = groups.filter_map(|scope| pid(scope.group)).collect();
    let send = |signal| {
        for group in &groups {
            let _ended_already = kill_process_group(*group, signal);
        }
    };
    if !groups.is_empty() && !grace.is_zero() {
        send(Signal::TERM);
        send(Signal::CONT);
        std::thread::sleep(grace);
    }
    send(Signal::KILL);
}

/// The processes found so far.
#[derive(Default)]
struct Targets {
    found: BTreeMap<ProcessKey, Target>,
    /// The mark of each process that was looked at, for all scopes.
    marks: BTreeMap<ProcessKey, Option<String>>,
    /// The pipes of each process that was looked at, for all scopes.
    pipes: BTreeMap<ProcessKey, Vec<u64>>,
    /// Handles that may be kept open.
    most_handles: usize,
    /// True if a process could not be looked at or signalled: no descriptor was left.
    unseen: bool,
}

enum Target {
    /// It runs. Without a handle that is kept, one is opened for each signal.
    Alive { handle: Option<ProcessHandle>, last_signal: Option<Signal> },
    /// It has ended, or is another user's.
    Gone,
}

impl Target {
    fn handle(&self) -> Option<&ProcessHandle> {
        match self {
            Self::Alive { handle, .. } => handle.as_ref(),
            Self::Gone => None,
        }
    }
}

impl Targets {
    /// Adds those of `processes` that belong to `scope`, with all that descend from them.
    fn add(&mut self, processes: &[Process], scope: &Scope) {
        let own = std::process::id();
        let candidates: Vec<&Process> = processes
            .iter()
            .filter(|process| process.id != own && !process.ended && process.start >= scope.since)
            .collect();
        let group = self.owns_group(scope, processes).then_some(scope.group);
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

    /// True if a process is known by itself, in whatever group.
    fn belongs(&mut self, process: &Process, scope: &Scope) -> bool {
        let key = key(process);
        self.found.contains_key(&key)
            || match &scope.reach {
                KillScope::Everything => self.carries(key, &scope.mark),
                KillScope::Background { pipe, .. } => self.holds(key, *pipe),
                KillScope::Orphans { session } => {
                    self.carries(key, &scope.mark) && self.is_orphan(process, *session)
                }
            }
    }

    /// True if the group of that number is still the command's: its shell was not waited for, or a process in
    /// it was in it before or has the mark. Once a group is empty its number may become another's.
    fn owns_group(&mut self, scope: &Scope, processes: &[Process]) -> bool {
        if scope.group == 0 {
            return false;
        }
        let shell = (scope.group, scope.since);
        let known = |process: &Process| match &scope.reach {
            KillScope::Background { known, .. } => known.contains(&key(process)),
            KillScope::Everything | KillScope::Orphans { .. } => false,
        };
        let members = || processes.iter().filter(|process| process.group == scope.group && !process.ended);
        processes.iter().any(|process| key(process) == shell)
            || members().any(known)
            || members().any(|process| self.carries(key(process), &scope.mark))
    }

    /// True if a process has `mark` in its environment, or one that begins with it.
    fn carries(&mut self, key: ProcessKey, mark: &str) -> bool {
        let seen = looked_up(&mut self.marks, key, sys::mark, &mut self.unseen);
        seen.and_then(Option::as_ref).is_some_and(|seen| seen.starts_with(mark))
    }

    /// True if a process can write to that pipe.
    fn holds(&mut self, key: ProcessKey, pipe: u64) -> bool {
        let seen = looked_up(&mut self.pipes, key, sys::pipes, &mut self.unseen);
        seen.is_some_and(|seen| seen.contains(&pipe))
    }

    /// True if a marked process of this user's stayed in its server's `session`, or lost who read its output.
    fn is_orphan(&mut self, process: &Process, session: u32) -> bool {
        if sys::owner(process.id) != Some(sys::user()) {
            return false;
        }
        process.session == session
            || sys::has_lost_its_reader(process.id).unwrap_or_else(|OutOfDescriptors| {
                self.unseen = true;
                false
            })
    }

    fn open(&mut self, process: &Process) {
        let key = key(process);
        if self.found.contains_key(&key) {
            return;
        }
        let kept = self.found.values().filter(|target| target.handle().is_some()).count();
        let target = match ProcessHandle::on(key.0, key.1) {
            Ok(Some(handle)) => {
                Target::Alive { handle: Some(handle).filter(|_| kept < self.most_handles), last_signal: None }
            }
            Ok(None) => Target::Gone,
            Err(OutOfDescriptors) => {
                self.unseen = true;
                return;
            }
        };
        self.found.insert(key, target);
    }

    /// Sends `signal` to all that did not have it; false if no process is left.
    fn signal(&mut self, signal: Signal) -> bool {
        self.note_ended(Duration::ZERO);
        for (key, target) in &mut self.found {
            let Target::Alive { handle: kept, last_signal } = target else { continue };
            let opened = if kept.is_none() { ProcessHandle::on(key.0, key.1) } else { Ok(None) };
            let Ok(opened) = opened else {
                self.unseen = true;
                continue;
            };
            let Some(handle) = kept.as_ref().or(opened.as_ref()) else {
                *target = Target::Gone;
                continue;
            };
            if *last_signal == Some(signal) {
                continue;
            }
            *last_signal = Some(signal);
            if handle.send(signal).is_err() {
                *target = Target::Gone;
            } else if signal == Signal::TERM {
                // One that is stopped takes it only when it goes on.
                let _may_have_ended = handle.send(Signal::CONT);
            }
        }
        let unseen = std::mem::take(&mut self.unseen);
        unseen || self.found.values().any(|target| matches!(target, Target::Alive { .. }))
    }

    /// Waits until all have ended, at most `pause`; less where some are without a handle, which alone could
    /// be waited for.
    fn wait(&mut self, pause: Duration) {
        let is_without = |target: &Target| matches!(target, Target::Alive { handle: None, .. });
        let some_without = self.found.values().any(is_without);
        let until = Instant::now() + if some_without { pause.min(FIRST_PAUSE) } else { pause };
        let rest = || until.saturating_duration_since(Instant::now());
        while self.note_ended(rest()) && !rest().is_zero() {}
        if some_without || self.found.values().all(|target| target.handle().is_none()) {
            std::thread::sleep(rest());
        }
    }

    /// Waits until one with a handle has ended, at most `pause`, and notes all that have; false if none with
    /// a handle is left.
    fn note_ended(&mut self, pause: Duration) -> bool {
        let (alive, handles): (Vec<ProcessKey>, Vec<&ProcessHandle>) =
            self.found.iter().filter_map(|(key, target)| Some((*key, target.handle()?))).unzip();
        if handles.is_empty() {
            return false;
        }
        let Ok(ended) = sys::ended(&handles, pause) else { return true };
        let ended: Vec<ProcessKey> =
            alive.iter().zip(ended).filter(|(_, ended)| *ended).map(|(key, _)| *key).collect();
        for key in &ended {
            self.found.insert(*key, Target::Gone);
        }
        alive.len() > ended.len()
    }
}

/// Returns what `look` tells of a process, which is asked once; `None` where no descriptor was left for it.
fn looked_up<'a, T>(
    known: &'a mut BTreeMap<ProcessKey, T>,
    key: ProcessKey,
    look: impl FnOnce(u32) -> Result<T, OutOfDescriptors>,
    unseen: &mut bool,
) -> Option<&'a T> {
    match known.entry(key) {
        Entry::Occupied(entry) => Some(entry.into_mut()),
        Entry::Vacant(entry) => match look(key.0) {
            Ok(seen) => Some(entry.insert(seen)),
            Err(OutOfDescriptors) => {
                *unseen = true;
                None
            }
        },
    }
}
