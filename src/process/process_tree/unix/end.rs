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
/// Handles by which one command is waited for: with the four descriptors that a command has while it is
/// ended, and one to look by, that is what its permit accounts for.
const HANDLES_EACH: usize = 3;
/// Handles by which any number of commands are waited for.
const HANDLES: usize = 16;

/// Ends all processes of all `scopes`: SIGTERM, and after `grace` SIGKILL. Blocks until they are
/// gone, at most a second longer than `grace`.
pub(in crate::process) fn end_all(scopes: &[Scope], grace: Duration) -> Outcome {
    if !sys::has_process_table() {
        end_groups(scopes, grace);
        return Outcome::Done;
    }
    let began = Instant::now();
    let most_handles = HANDLES.min(HANDLES_EACH * scopes.len());
    let mut targets = Targets::default();
    let mut pause = FIRST_PAUSE;
    loop {
        let signal = if began.elapsed() < grace { Signal::TERM } else { Signal::KILL };
        let Signalled { handles, left } = targets.signal(scopes, signal, most_handles);
        if left == 0 {
            return Outcome::Done;
        }
        if began.elapsed() > grace + GIVE_UP {
            return Outcome::Unsure;
        }
        let rest = grace.saturating_sub(began.elapsed());
        // What has no handle could alone be waited for.
        let is_short = rest.is_zero() || handles.len() < left;
        wait(handles, if is_short { FIRST_PAUSE } else { pause.min(rest) });
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Waits until all of these have ended, at most `pause`; that long where there is none.
fn wait(mut handles: Vec<ProcessHandle>, pause: Duration) {
    let until = Instant::now() + pause;
    let rest = || until.saturating_duration_since(Instant::now());
    if handles.is_empty() {
        std::thread::sleep(pause);
    }
    while !handles.is_empty() && !rest().is_zero() {
        let Ok(ended) = sys::ended(&handles, rest()) else { continue };
        let mut ended = ended.into_iter();
        handles.retain(|_| ended.next() == Some(false));
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
    /// True if a process could not be looked at or signalled: no descriptor was left.
    unseen: bool,
}

enum Target {
    /// It runs, and had this signal last.
    Alive(Option<Signal>),
    /// It has ended, or is another user's.
    Gone,
}

/// The processes that are left after a look.
struct Signalled {
    /// Handles on some of them.
    handles: Vec<ProcessHandle>,
    /// Number of them, and one more where some may not have been seen.
    left: usize,
}

impl Targets {
    /// Looks for the processes of `scopes` once more, and sends `signal` to all that did not have it. Of those that are
    /// left up to `most_handles` handles stay open.
    fn signal(&mut self, scopes: &[Scope], signal: Signal, most_handles: usize) -> Signalled {
        self.unseen = false;
        let snapshot = ProcessSnapshot::new();
        match &snapshot {
            Ok(snapshot) => scopes.iter().for_each(|scope| self.add(&snapshot.processes, scope)),
            Err(OutOfDescriptors) => self.unseen = true,
        }
        let (mut handles, mut left) = (Vec::new(), 0);
        for (&(id, start), target) in &mut self.found {
            let Target::Alive(last) = target else { continue };
            let Ok(handle) = ProcessHandle::on(id, start) else {
                self.unseen = true;
                continue;
            };
            let had_it = last.replace(signal) == Some(signal);
            let Some(handle) = handle.filter(|handle| had_it || handle.send(signal).is_ok()) else {
                *target = Target::Gone;
                continue;
            };
            if signal == Signal::TERM && !had_it {
                // One that is stopped takes it only when it goes on.
                let _may_have_ended = handle.send(Signal::CONT);
            }
            left += 1;
            if handles.len() < most_handles {
                handles.push(handle);
            }
        }
        Signalled { handles, left: left + usize::from(self.unseen) }
    }

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
            self.found.entry(key(process)).or_insert(Target::Alive(None));
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
        Entry::Vacant(entry) => {
            let seen = look(key.0);
            *unseen |= seen.is_err();
            seen.ok().map(|seen| &*entry.insert(seen))
        }
    }
}
