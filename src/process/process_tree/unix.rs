//! Finds the processes of a command on Unix, by group, parents, tag and pipe.

mod end;
mod snapshot;

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::{
    Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, test_kill_process_group, waitid, waitpid,
};
use tokio::process::Child;

use super::Survivors;
use crate::process::Background;
use crate::process::tag::ServerId;
use crate::sys::{self, Process, TAG, pid};
use snapshot::ProcessSnapshot;

pub(in crate::process) use end::end_scopes_blocking;

/// The process id and start time. No two processes have the same pair.
type ProcessKey = (u32, u64);

/// The processes that belong to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::process) struct ProcessScope {
    /// The tag in the environment of the processes, or a prefix of it: all tags of a server.
    tag: String,
    /// The process group, which has the shell's process id; 0 if unknown.
    group: u32,
    /// The start time of the shell. Older processes do not belong to the command.
    since: u64,
    /// Which of the processes cutline ends.
    reach: Reach,
}

/// Which of a command's processes cutline ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reach {
    /// All processes, until the supervision of the command ends.
    Everything,
    /// After the shell has ended: those that stayed in the group or hold the output open.
    Background {
        /// The inode of the output pipe, if a process keeps it open. No other pipe has this inode, because this server
        /// has the pipe open too.
        pipe: Option<u64>,
        /// The processes that were in the group or held the pipe when the shell ended.
        known: BTreeSet<ProcessKey>,
    },
    /// After the server was killed: those that stayed in its session, or whose output no process reads.
    Orphans {
        /// The session of the server.
        session: u32,
    },
}

impl ProcessScope {
    /// Creates the scope of a command of `server` that is about to start: all processes with a tag that starts with
    /// `tag`.
    pub(in crate::process) fn new(server: ServerId, tag: &str) -> Self {
        Self { tag: tag.to_owned(), group: 0, since: server.start, reach: Reach::Everything }
    }

    /// Adds the group and the start time of the shell.
    pub(in crate::process) fn attach_shell(&mut self, shell: &Child) {
        self.group = shell.id().unwrap_or(0);
        if let Ok(Some(process)) = sys::process_info(self.group) {
            self.since = process.start;
        }
    }

    /// Returns true if the process group is empty. Processes that left the group may remain.
    pub(in crate::process) fn has_empty_group(&self) -> bool {
        pid(self.group).is_none_or(|group| test_kill_process_group(group).is_err())
    }

    /// Returns the processes that survive the shell, which has ended, or `None` if there are none. `pipe` is the output
    /// pipe, if it is still open. Blocks.
    pub(in crate::process) fn survivors(self, pipe: Option<u64>) -> Option<Survivors> {
        let snapshot = ProcessSnapshot::fresh();
        let in_group = |process: &&Process| process.group == self.group && process.start >= self.since;
        let holds = |process: &&Process| pipe.is_some_and(|pipe| snapshot.holds(process, pipe));
        let group: Vec<&Process> = snapshot.others().filter(in_group).collect();
        let holders: Vec<&Process> = snapshot.others().filter(holds).collect();
        // Processes outside the group count only while they hold the output open.
        if pipe.is_none() && group.is_empty() && !snapshot.is_partial() {
            return None;
        }
        let known = group.iter().chain(&holders).map(|process| key(process)).collect();
        // The pipes of another user's processes are unknown, but their group is known.
        let shown = if holders.is_empty() { group } else { holders };
        let shown =
            shown.into_iter().map(|process| Background { id: process.id, name: process.name.clone() });
        Some((Self { reach: Reach::Background { pipe, known }, ..self }, shown.collect()))
    }
}

/// Reaps ended child processes that this process inherited, as the init process of a container or as a subreaper. No
/// other process reaps them, and each keeps its process id. The shells of `scopes` are reaped elsewhere.
pub(in crate::process) fn reap_inherited(scopes: impl FnOnce() -> Vec<ProcessScope>) {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // Usually no child has ended. One call is enough to check that.
    if !sys::inherits_orphans() || !matches!(waitid(WaitId::All, look), Ok(Some(_))) {
        return;
    }
    let Ok(processes) = sys::list_processes() else { return };
    let (own, scopes) = (std::process::id(), scopes());
    let ended = processes.iter().filter(|process| process.ended && process.parent == own);
    for inherited in ended.filter(|process| !scopes.iter().any(|scope| scope.group == process.id)) {
        let _waited_for_already = waitpid(pid(inherited.id), WaitOptions::NOHANG);
    }
}

/// Kills the process group of a shell that was not reaped. Until then, no other group can have its id. Needs no file
/// descriptor.
pub(in crate::process) fn kill_group(shell: &mut Child) {
    if let Some(group) = shell.id().and_then(pid) {
        let _ended_just_now = kill_process_group(group, Signal::KILL);
    }
}

/// Ends processes of servers that no longer run, usually because they were killed. Blocks.
///
/// These are processes of this user with the tag of a server that is not in the process table. A process that left the
/// session and closed its output is a daemon and keeps running.
pub(in crate::process) fn end_orphans(grace: Duration) {
    let namespace = sys::pid_namespace();
    // The server whose command started this one still runs, so its processes are no orphans.
    let own = std::env::var(TAG).ok().and_then(|tag| ServerId::of_tag(&tag));
    let snapshot = ProcessSnapshot::fresh();
    let servers: BTreeSet<ServerId> =
        snapshot.others().filter_map(|process| ServerId::of_tag(&sys::tag_of(process.id).ok()??)).collect();
    let is_gone = |server: &ServerId| {
        server.namespace == namespace && Some(*server) != own && !sys::may_be_alive(server.id, server.start)
    };
    let orphans = |server: ServerId| {
        let reach = Reach::Orphans { session: server.session };
        ProcessScope { reach, ..ProcessScope::new(server, &server.tag_prefix()) }
    };
    let scopes: Vec<ProcessScope> = servers.into_iter().filter(is_gone).map(orphans).collect();
    if !scopes.is_empty() {
        let _the_next_server_tries_again = end_scopes_blocking(&scopes, grace);
    }
}

fn key(process: &Process) -> ProcessKey {
    (process.id, process.start)
}
