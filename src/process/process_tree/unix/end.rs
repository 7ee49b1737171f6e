//! Ends commands: sends SIGTERM to every process of a command, and SIGKILL after a grace period.
//!
//! The scope of a command determines how its processes are found: by process group, by the tag in the environment, or
//! by the output pipe. Children of a found process are found by their parent, even if they left the group. The search
//! repeats until no process remains, so it also finds processes that start in the meantime.
//!
//! The start time of a process is checked before it gets a signal. With a pidfd, another process with the same id can't
//! get the signal. On a system without pidfds, only the short time between check and signal remains. The number of
//! searches is limited, but each takes as long as the system needs to read the process table.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::snapshot::ProcessSnapshot;
use super::{ProcessKey, ProcessScope, Reach, key};
use crate::sys::{self, Process, Unreadable, pid};

/// Maximum wait for killed processes. A process in uninterruptible sleep may remain.
const GIVE_UP: Duration = Duration::from_secs(1);
/// The first pause between two snapshots, and each pause after SIGKILL. Before SIGKILL it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// The maximum pause between two snapshots, and so the maximum delay until an end is noticed.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Ends all processes of `scopes` with SIGTERM, and with SIGKILL after `grace`. Blocks until they have ended, and starts
/// no further search one second after `grace`. Returns true if no known process remains.
///
/// Without a process table, it signals only the process groups of running commands, blocks for `grace`, and returns
/// true.
pub(in crate::process) fn end_scopes_blocking(scopes: &[ProcessScope], grace: Duration) -> bool {
    if !sys::has_process_table() {
        end_groups(scopes, grace);
        return true;
    }
    let began = Instant::now();
    let mut targets = Targets::default();
    let mut pause = FIRST_PAUSE;
    loop {
        let signal = if began.elapsed() < grace { Signal::TERM } else { Signal::KILL };
        if signal_all(&mut targets, scopes, signal) == 0 {
            return true;
        }
        if began.elapsed() > grace + GIVE_UP {
            return false;
        }
        let rest = grace.saturating_sub(began.elapsed());
        std::thread::sleep(if rest.is_zero() { FIRST_PAUSE } else { pause.min(rest) });
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Ends the process groups of commands without a process table. Skips background commands, because another group can
/// have their id. A shell that was reaped just now is not skipped. Blocks for `grace`.
fn end_groups(scopes: &[ProcessScope], grace: Duration) {
    let groups = scopes.iter().filter(|scope| scope.reach == Reach::Everything);
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

/// The processes found so far, each with the last signal that it was sent.
type Targets = BTreeMap<ProcessKey, Option<Signal>>;

/// Finds the processes of `scopes` again and sends `signal` to those that did not get it yet. Returns the number of
/// remaining processes, plus one if some could not be examined.
fn signal_all(targets: &mut Targets, scopes: &[ProcessScope], signal: Signal) -> usize {
    let snapshot = ProcessSnapshot::fresh();
    for scope in scopes {
        add_processes(targets, &snapshot, scope);
    }
    let alive: BTreeSet<ProcessKey> = snapshot.others().map(key).collect();
    // A stopped process receives SIGTERM only after SIGCONT.
    let signals = if signal == Signal::TERM { &[signal, Signal::CONT][..] } else { &[signal] };
    let mut remaining = 0;
    for (key, last) in targets {
        // If the list of processes could not be read, each of them may still run.
        if !snapshot.processes.is_empty() && !alive.contains(key) {
            continue;
        }
        if *last != Some(signal) {
            match sys::send_signals(key.0, key.1, signals) {
                Ok(true) => *last = Some(signal),
                // It has just ended, or belongs to another user.
                Ok(false) => continue,
                Err(Unreadable) => {}
            }
        }
        remaining += 1;
    }
    remaining + usize::from(snapshot.is_partial())
}

/// Adds the processes of `scope` and their descendants.
fn add_processes(targets: &mut Targets, snapshot: &ProcessSnapshot, scope: &ProcessScope) {
    let candidates: Vec<&Process> =
        snapshot.others().filter(|process| process.start >= scope.since).collect();
    let has_group = owns_group(snapshot, scope);
    let is_known = |process: &&&Process| {
        let in_group = has_group && process.group == scope.group;
        in_group || targets.contains_key(&key(process)) || has_tag_or_pipe(snapshot, process, scope)
    };
    let known = candidates.iter().filter(is_known);
    let mut belonging: BTreeSet<u32> = known.map(|process| process.id).collect();
    let mut before = 0;
    while belonging.len() > before {
        before = belonging.len();
        let children = candidates.iter().filter(|process| belonging.contains(&process.parent));
        belonging.extend(children.map(|process| process.id).collect::<Vec<_>>());
    }
    for process in candidates.iter().filter(|process| belonging.contains(&process.id)) {
        targets.entry(key(process)).or_default();
    }
}

/// Returns true if the process group still belongs to the command. This is the case if its shell was not reaped, or if
/// a process in it was known before or has the tag. Once a group is empty, the kernel can reuse its id.
fn owns_group(snapshot: &ProcessSnapshot, scope: &ProcessScope) -> bool {
    let is_shell = |process: &Process| key(process) == (scope.group, scope.since);
    let was_in_it =
        |process| matches!(&scope.reach, Reach::Background { known, .. } if known.contains(&key(process)));
    let mut in_group = snapshot.others().filter(|process| process.group == scope.group);
    scope.group != 0
        && (snapshot.processes.iter().any(is_shell)
            || in_group.any(|process| was_in_it(process) || snapshot.carries(process, &scope.tag)))
}

/// Returns true if a process belongs to the command by its tag or its pipe, in whatever group.
fn has_tag_or_pipe(snapshot: &ProcessSnapshot, process: &Process, scope: &ProcessScope) -> bool {
    match scope.reach {
        Reach::Background { pipe, .. } => pipe.is_some_and(|pipe| snapshot.holds(process, pipe)),
        Reach::Everything => snapshot.carries(process, &scope.tag),
        // Root can read the environment of all users' processes, so the owner is checked too.
        Reach::Orphans { session } => {
            snapshot.carries(process, &scope.tag)
                && sys::owner(process.id) == Some(sys::user())
                && (process.session == session || sys::has_lost_its_reader(process.id))
        }
    }
}
