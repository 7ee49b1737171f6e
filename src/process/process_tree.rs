//! The commands of a server and their processes: finds those that survive the shell, and ends them.
//!
//! A process belongs to a running command if it is the shell, or by its process group, a tag in its environment, or its
//! parents. It belongs to a command that has ended by its process group, the output pipe that it holds open, or its
//! parents. This process is a subreaper: it becomes the parent of a process whose parent has ended.
//!
//! A command can make a process outside open its output pipe. So the pipe counts only for a younger process that has the
//! tag or descends from this process.
//!
//! The start time of a process is checked before it gets a signal. With a pidfd, another process with the same id can't
//! get the signal. On a system without pidfds, only the short time between check and signal remains.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{
    Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, kill_process, kill_process_group,
    test_kill_process_group, waitid, waitpid,
};
use tokio::process::Child;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Background;
use crate::blocking;
use crate::sys::{self, Process, pid};

/// Default time between SIGTERM and SIGKILL.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// Maximum time that the end of the server waits for commands to end: enough for the signals to a few thousand
/// processes.
const SHUTDOWN: Duration = Duration::from_millis(1500);
/// Time in which processes are searched and get SIGKILL. A process can start others in the meantime.
const KILL_TIME: Duration = Duration::from_secs(1);
/// Maximum wait for the processes that one search found. A process in uninterruptible sleep may remain.
const KILL_WAIT: Duration = Duration::from_millis(300);
/// The first pause between two looks at the processes. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// The maximum pause between two looks, and so the maximum delay until an end is noticed.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Looks for ended children without reaping them.
const LOOK: WaitIdOptions = WaitIdOptions::EXITED.union(WaitIdOptions::NOHANG).union(WaitIdOptions::NOWAIT);

/// The commands of a server that may still have processes.
#[derive(Debug, Default)]
pub(super) struct Registry {
    /// The commands by their tags.
    commands: watch::Sender<BTreeMap<String, ProcessScope>>,
    /// Cancelled when the server starts to end all commands. No further command starts then.
    pub(super) closing: CancellationToken,
}

impl Registry {
    /// Adds the scope of a command that has started.
    pub(super) fn add(&self, tag: &str, scope: ProcessScope) {
        self.commands.send_modify(|commands| drop(commands.insert(tag.to_owned(), scope)));
    }

    /// Returns the scope of the command with this tag, or `None` if the command no longer runs.
    pub(super) fn scope(&self, tag: &str) -> Option<ProcessScope> {
        self.commands.borrow().get(tag).filter(|scope| scope.is_running()).cloned()
    }

    /// Replaces a command, which has ended, by the scope of the processes that it left. Removes it with `None`. Has no
    /// effect if the command no longer runs.
    pub(super) fn replace(&self, tag: &str, left: Option<ProcessScope>) {
        if self.scope(tag).is_some() {
            self.commands.send_modify(|commands| {
                commands.remove(tag);
                commands.extend(left.map(|left| (tag.to_owned(), left)));
            });
        }
    }

    /// Returns true if no command runs and no known process is left.
    pub(super) fn is_idle(&self) -> bool {
        self.commands.borrow().is_empty()
    }

    /// Returns the number of ended commands with processes that hold their output open.
    pub(super) fn background_commands(&self) -> usize {
        self.commands.borrow().values().filter(|scope| scope.holds_output()).count()
    }

    /// Reaps ended child processes that this process adopted as a subreaper, or as the init process of a container. No
    /// other process reaps them. Before that, finds the processes that they started in the groups of ended commands.
    pub(super) fn reap(&self) {
        // Usually no child has ended. One call is enough to check that.
        if !matches!(waitid(WaitId::All, LOOK), Ok(Some(_))) {
            return;
        }
        let Ok(processes) = sys::list_processes() else { return };
        let refresh = |scope: &mut ProcessScope| scope.refresh(&processes);
        self.commands.send_modify(|commands| commands.values_mut().for_each(refresh));
        let (own, commands) = (std::process::id(), self.commands.borrow());
        // The shells of commands are reaped elsewhere.
        let is_shell = |id| commands.values().any(|scope| scope.group == id);
        let ended = processes.iter().filter(|process| process.ended && process.parent == own);
        for adopted in ended.filter(|process| !is_shell(process.id)) {
            let _waited_for_already = waitpid(pid(adopted.id), WaitOptions::NOHANG);
        }
    }

    /// Removes ended commands without processes.
    pub(super) fn clean_up(&self) {
        let may_be_left =
            |scope: &ProcessScope| scope.is_running() || scope.holds_output() || !scope.has_empty_group();
        self.commands.send_modify(|commands| commands.retain(|_, scope| may_be_left(scope)));
    }

    /// Ends all commands and their remaining processes, and waits for them. No further command can start.
    pub(super) async fn shutdown(&self) {
        let mut commands = self.commands.subscribe();
        self.closing.cancel();
        let scopes = self.scopes();
        let ended = async {
            end_scopes(scopes, GRACE).await;
            let none_runs = |all: &BTreeMap<_, ProcessScope>| !all.values().any(ProcessScope::is_running);
            // The value is locked while the guard exists.
            let _closed_with_this = commands.wait_for(none_runs).await.map(drop);
            // A command may have ended by itself just now and left processes.
            end_scopes(self.scopes(), GRACE).await;
        };
        if tokio::time::timeout(SHUTDOWN, ended).await.is_err() {
            // A process can delay the reading of its environment.
            signal_known(&self.scopes(), &sys::list_processes().unwrap_or_default(), &[Signal::KILL]);
        }
        self.commands.send_replace(BTreeMap::new());
    }

    fn scopes(&self) -> Vec<ProcessScope> {
        self.commands.borrow().values().cloned().collect()
    }
}

/// The process id and start time. No two processes have the same pair.
type ProcessKey = (u32, u64);

/// The processes that belong to a command.
#[derive(Debug, Clone)]
pub(super) struct ProcessScope {
    /// The tag in the environment of the processes.
    tag: String,
    /// The process group, which has the shell's process id; 0 if unknown.
    group: u32,
    /// The start time of the shell. Older processes do not belong to the command.
    since: u64,
    /// `None` while the command runs.
    left: Option<LeftProcesses>,
}

/// The processes of a command that has ended by itself.
#[derive(Debug, Clone)]
struct LeftProcesses {
    /// The inode of the output pipe, if a process keeps it open. No other pipe has this inode, because this server has
    /// the pipe open too.
    pipe: Option<u64>,
    /// The processes of the command that were in the group or held the pipe when the shell ended, and later ones of the
    /// group.
    known: BTreeSet<ProcessKey>,
    /// Cancelled when no process holds the output open.
    output_ended: CancellationToken,
}

impl ProcessScope {
    /// Creates the scope of a command whose shell has just started.
    pub(super) fn new(tag: &str, shell: &Child) -> Self {
        let group = shell.id().unwrap_or(0);
        let since = sys::process_info(group).ok().flatten().map_or(0, |process| process.start);
        Self { tag: tag.to_owned(), group, since, left: None }
    }

    /// Creates the scope of a command whose shell is unknown.
    pub(super) fn of_tag(tag: &str) -> Self {
        let own = sys::process_info(std::process::id()).ok().flatten();
        Self { tag: tag.to_owned(), group: 0, since: own.map_or(0, |own| own.start), left: None }
    }

    /// Returns true while the command runs.
    pub(super) fn is_running(&self) -> bool {
        self.left.is_none()
    }

    /// Returns true if the command has ended and processes hold its output open.
    pub(super) fn holds_output(&self) -> bool {
        self.left.as_ref().is_some_and(|left| !left.output_ended.is_cancelled())
    }

    /// Returns true if the process group is empty. Processes that left the group may remain.
    pub(super) fn has_empty_group(&self) -> bool {
        pid(self.group).is_none_or(|group| test_kill_process_group(group).is_err())
    }

    /// Returns the processes that survive the shell, which has ended: the scope of those that end with the server, and
    /// those that the result shows. Returns `None` if there are none. `pipe` is the output pipe, if it is still open,
    /// and `output_ended` is cancelled when it is closed. Blocks.
    pub(super) fn survivors(
        self,
        pipe: Option<u64>,
        output_ended: CancellationToken,
    ) -> Option<(Self, Vec<Background>)> {
        let listed = sys::list_processes();
        let is_unknown = listed.is_err() || !sys::has_process_table();
        let processes = listed.unwrap_or_default();
        let younger: Vec<_> = processes.iter().filter(|process| process.start >= self.since).collect();
        let own = with_descendants(BTreeSet::from([std::process::id()]), &younger);
        let is_own = |process: &Process| {
            own.contains(&process.id) || sys::tag_of(process.id).as_ref() == Some(&self.tag)
        };
        let candidates = || younger.iter().copied().filter(|process| is_other(process));
        let group: Vec<&Process> = candidates().filter(|process| process.group == self.group).collect();
        let holders: Vec<&Process> =
            candidates().filter(|process| holds(process, pipe) && is_own(process)).collect();
        // Processes outside the group count only while they hold the output open.
        if pipe.is_none() && group.is_empty() && !is_unknown {
            return None;
        }
        let known = group.iter().chain(&holders).map(|process| key(process)).collect();
        // The pipes of another user's processes are unknown, but their group is known.
        let shown = if holders.is_empty() { group } else { holders };
        let shown =
            shown.into_iter().map(|process| Background { id: process.id, name: process.name.clone() });
        let left = LeftProcesses { pipe, known, output_ended };
        Some((Self { left: Some(left), ..self }, shown.collect()))
    }

    /// If a known process of an ended command is still in its group, adds the other processes of the group. Removes
    /// processes that no longer exist. `processes` includes ended processes: until they are reaped, the kernel does not
    /// reuse the id of the group.
    pub(super) fn refresh(&mut self, processes: &[Process]) {
        let Some(left) = &mut self.left else { return };
        let is_known = |process: &Process| left.known.contains(&key(process));
        let in_group = |process: &Process| process.group == self.group;
        let owns_group = processes.iter().any(|process| in_group(process) && is_known(process));
        let found = processes.iter().filter(|process| is_known(process) || owns_group && in_group(process));
        left.known = found.map(key).collect();
    }

    /// Returns true for a process that certainly belongs to this scope.
    fn knows(&self, process: &Process) -> bool {
        match &self.left {
            None => self.group != 0 && process.group == self.group,
            Some(left) => left.known.contains(&key(process)),
        }
    }

    /// Returns the ids of the members of this scope, without their descendants.
    fn members(&self, candidates: &[Candidate<'_>]) -> Vec<u32> {
        let candidates = candidates.iter().filter(|candidate| candidate.process.start >= self.since);
        let in_group = |it: &Candidate<'_>| self.group != 0 && it.process.group == self.group;
        let carries_tag = |it: &Candidate<'_>| it.tag.as_ref() == Some(&self.tag);
        // The shell can leave its group.
        let is_shell = |it: &Candidate<'_>| key(it.process) == (self.group, self.since);
        let is_member = |it: &Candidate<'_>| {
            self.knows(it.process)
                || match &self.left {
                    None => is_shell(it) || carries_tag(it),
                    Some(left) => {
                        left.pipe.is_some_and(|pipe| it.pipes.contains(&pipe))
                            && (it.is_descendant || carries_tag(it))
                    }
                }
        };
        // Once a group is empty, the kernel can reuse its id.
        let owns_group = candidates.clone().any(|it| in_group(it) && (is_member(it) || carries_tag(it)));
        let members = candidates.filter(|it| is_member(it) || owns_group && in_group(it));
        members.map(|it| it.process.id).collect()
    }
}

/// A process, and what shows the scope that it belongs to.
struct Candidate<'a> {
    process: &'a Process,
    /// True for a descendant of this process.
    is_descendant: bool,
    tag: Option<String>,
    /// The inodes of the pipes that it can write to.
    pipes: Vec<u64>,
}

/// Returns those of `processes` that run and are members of `scopes` or in `found`, with their descendants. Reads the
/// tag and the pipes of each process once, except for processes that are known: they can delay this.
fn members<'a>(
    scopes: &[ProcessScope],
    found: &BTreeSet<ProcessKey>,
    processes: &'a [Process],
) -> Vec<&'a Process> {
    let since = scopes.iter().map(|scope| scope.since).min().unwrap_or_default();
    let have_pipes = scopes.iter().any(|scope| scope.left.as_ref().is_some_and(|left| left.pipe.is_some()));
    let is_younger = |process: &&Process| process.start >= since && process.id != std::process::id();
    let younger: Vec<_> = processes.iter().filter(is_younger).collect();
    let own = with_descendants(BTreeSet::from([std::process::id()]), &younger);
    let candidate = |process: &&'a Process| {
        let is_descendant = own.contains(&process.id);
        if scopes.iter().any(|scope| scope.knows(process)) {
            return Candidate { process, is_descendant, tag: None, pipes: Vec::new() };
        }
        let pipes = if have_pipes { sys::pipes(process.id).unwrap_or_default() } else { Vec::new() };
        Candidate { process, is_descendant, tag: sys::tag_of(process.id), pipes }
    };
    let candidates: Vec<_> = younger.iter().map(candidate).collect();
    let mut ids: BTreeSet<u32> = scopes.iter().flat_map(|scope| scope.members(&candidates)).collect();
    ids.extend(processes.iter().filter(|process| found.contains(&key(process))).map(|process| process.id));
    let ids = with_descendants(ids, &younger);
    processes.iter().filter(|process| is_other(process) && ids.contains(&process.id)).collect()
}

/// Returns `ids` with the ids of their descendants in `processes`.
fn with_descendants(mut ids: BTreeSet<u32>, processes: &[&Process]) -> BTreeSet<u32> {
    let mut before = 0;
    while ids.len() > before {
        before = ids.len();
        let children = processes.iter().filter(|process| ids.contains(&process.parent));
        ids.extend(children.map(|process| process.id).collect::<Vec<_>>());
    }
    ids
}

/// Ends all processes of `scopes` with SIGTERM, and with SIGKILL after `grace`. Does so on another thread, or on this
/// one if the system refuses to start a thread.
pub(super) async fn end_scopes(scopes: Vec<ProcessScope>, grace: Duration) {
    if !scopes.is_empty() {
        blocking::run_anyway(move || end_scopes_blocking(&scopes, grace)).await;
    }
}

/// Ends all processes of `scopes` like [`end_scopes`]. Blocks until they have ended, about one second after `grace` at
/// most. Without a process table, it ends only the process groups of running commands.
pub(super) fn end_scopes_blocking(scopes: &[ProcessScope], grace: Duration) {
    // A process that was found once is ended even if it then loses its parent.
    let mut found = BTreeSet::new();
    if !grace.is_zero() {
        // A stopped process receives SIGTERM only after SIGCONT.
        found = signal_all(scopes, &found, &[Signal::TERM, Signal::CONT]).unwrap_or_default();
        wait_for_end(scopes, &found, grace);
    }
    let start = Instant::now();
    while start.elapsed() < KILL_TIME {
        match signal_all(scopes, &found, &[Signal::KILL]) {
            Ok(now) if now.is_empty() => return,
            Ok(now) => {
                wait_for_end(scopes, &now, KILL_WAIT);
                found.extend(now);
            }
            // Usually no descriptor was free.
            Err(_) => std::thread::sleep(LONGEST_PAUSE),
        }
    }
}

/// Sends `signals` to the groups of running commands, and to the other processes of `scopes`, which are found by one
/// reading of the process table, also by those `found` before. Returns all that are found.
fn signal_all(
    scopes: &[ProcessScope],
    found: &BTreeSet<ProcessKey>,
    signals: &[Signal],
) -> io::Result<BTreeSet<ProcessKey>> {
    // Before the signals, because a process whose parent has ended may not be found.
    let listed = sys::list_processes();
    let processes = listed.as_deref().unwrap_or_default();
    signal_known(scopes, processes, signals);
    // After these signals, because it takes longer.
    let members = members(scopes, found, processes);
    for process in members.iter().filter(|process| !scopes.iter().any(|scope| scope.knows(process))) {
        let _ended_or_unreadable = sys::send_signals(process.id, process.start, signals);
    }
    let found = members.into_iter().map(key).collect();
    listed.map(|_| found)
}

/// Sends `signals` to the groups of running commands, and to the known processes of commands that have ended.
fn signal_known(scopes: &[ProcessScope], processes: &[Process], signals: &[Signal]) {
    for scope in scopes {
        // Only for a running command: later, another group can have this id. Needs no file descriptor.
        if let Some(group) = pid(scope.group).filter(|_| scope.is_running()) {
            for signal in signals {
                let _ended_already = kill_process_group(group, *signal);
            }
        }
        for process in processes.iter().filter(|process| !scope.is_running() && scope.knows(process)) {
            let _ended_or_unreadable = sys::send_signals(process.id, process.start, signals);
        }
    }
}

/// Waits until the processes `found` have ended, at most for `time`. Without a process table, waits until the groups of
/// `scopes` are empty.
fn wait_for_end(scopes: &[ProcessScope], found: &BTreeSet<ProcessKey>, time: Duration) {
    let runs = |(id, start): &ProcessKey| matches!(sys::process_info(*id), Ok(Some(process)) if process.start == *start && !process.ended);
    let is_over = || {
        if sys::has_process_table() {
            !found.iter().any(runs)
        } else {
            scopes.iter().all(ProcessScope::has_empty_group)
        }
    };
    let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
    while !is_over() && began.elapsed() < time {
        std::thread::sleep(pause.min(time.saturating_sub(began.elapsed())));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Returns true if a shell has not ended. `try_wait` also returns a status when a shell stops that this process traces.
pub(super) fn shell_runs(shell: &Child) -> bool {
    let found = shell.id().and_then(pid).map(|shell| waitid(WaitId::Pid(shell), LOOK));
    let has_ended = |status: WaitIdStatus| status.exited() || status.killed() || status.dumped();
    found.is_some_and(|found| found.is_ok_and(|status| !status.is_some_and(has_ended)))
}

/// Kills a shell that was not reaped, and its process group. Until then, no other process and group can have its id.
/// Needs no file descriptor.
pub(super) fn kill_with_group(shell: &Child) {
    if let Some(shell) = shell.id().and_then(pid) {
        let _ended_just_now = kill_process_group(shell, Signal::KILL);
        let _left_its_group = kill_process(shell, Signal::KILL);
    }
}

/// Returns true for a process that has not ended and is not this one.
fn is_other(process: &Process) -> bool {
    !process.ended && process.id != std::process::id()
}

/// Returns true if a process can write to the pipe with that inode.
fn holds(process: &Process, pipe: Option<u64>) -> bool {
    pipe.is_some_and(|pipe| sys::pipes(process.id).is_ok_and(|pipes| pipes.contains(&pipe)))
}

fn key(process: &Process) -> ProcessKey {
    (process.id, process.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_an_unknown_shell_are_ended_by_their_tag() {
        use std::os::unix::process::ExitStatusExt as _;

        let mut shell =
            std::process::Command::new("sleep").arg("600").env(sys::TAG, "9.tag").spawn().unwrap();
        end_scopes_blocking(&[ProcessScope::of_tag("9.other")], Duration::ZERO);
        assert_eq!(shell.try_wait().unwrap(), None);
        end_scopes_blocking(&[ProcessScope::of_tag("9.tag")], Duration::ZERO);
        assert_eq!(shell.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
    }

    #[test]
    fn known_processes_are_those_that_exist() {
        let process =
            |id, group| Process { id, group, parent: 1, start: 5, name: String::new(), ended: false };
        let known = BTreeSet::from([(10, 5), (11, 5), (20, 5)]);
        let left = LeftProcesses { pipe: None, known, output_ended: CancellationToken::new() };
        let mut scope = ProcessScope { tag: String::new(), group: 10, since: 0, left: Some(left) };
        let known = |scope: &ProcessScope| scope.left.clone().unwrap().known;
        scope.refresh(&[process(11, 10), process(12, 10), process(20, 20), process(30, 30)]);
        assert_eq!(known(&scope), BTreeSet::from([(11, 5), (12, 5), (20, 5)]));
        // Another group has the same id now.
        scope.refresh(&[process(13, 10), process(20, 20)]);
        assert_eq!(known(&scope), BTreeSet::from([(20, 5)]));
    }
}
