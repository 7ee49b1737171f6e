//! The processes of a command on Unix, by group, descent, mark and pipe.

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
use crate::process::mark::ServerId;
use crate::sys::{self, MARK, Process, pid};
use snapshot::ProcessSnapshot;

pub(in crate::process) use end::end_all;

/// A process by number and start: no other ever has both.
type ProcessKey = (u32, u64);

/// The processes that belong to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::process) struct Scope {
    /// The mark in their environment, or how that begins.
    mark: String,
    /// The process group, which has the shell's number; 0 if unknown.
    group: u32,
    /// The start time of the shell. Older processes do not belong to the command.
    since: u64,
    /// The part of them that is ended.
    reach: KillScope,
}

/// The part of a command's processes that is ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KillScope {
    /// All that it started: its shell was not done yet.
    Everything,
    /// After the shell's end, those that stayed in the group or hold the output open.
    Background {
        /// The inode of the output pipe, if a process keeps it open. This server has it open too, so no other pipe has the inode.
        pipe: Option<u64>,
        /// The processes in the group or at the pipe when the shell ended.
        known: BTreeSet<ProcessKey>,
    },
    /// After the server's end, those that stayed in its session or have an output that no process reads.
    Orphans {
        /// The session of the server.
        session: u32,
    },
}

impl Scope {
    /// Returns the scope of a command of `server` that is about to start: all processes with a tag that begins with `mark`.
    pub(in crate::process) fn new(server: ServerId, mark: &str) -> Self {
        Self { mark: mark.to_owned(), group: 0, since: server.start, reach: KillScope::Everything }
    }

    /// Notes the shell, which was started.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(in crate::process) fn attach_shell(&mut self, shell: &mut Child) -> std::io::Result<()> {
        self.group = shell.id().unwrap_or(0);
        if let Ok(Some(process)) = sys::process_info(self.group) {
            self.since = process.start;
        }
        Ok(())
    }

    /// True if the process group is empty.
    pub(in crate::process) fn is_empty(&self) -> bool {
        pid(self.group).is_none_or(|group| test_kill_process_group(group).is_err())
    }

    /// Returns the processes that survive the shell, which has ended. `pipe` is its output, if it is still open. Blocks.
    pub(in crate::process) fn survivors(self, pipe: Option<u64>) -> Option<Survivors> {
        let snapshot = ProcessSnapshot::fresh();
        let in_group = |process: &&Process| process.group == self.group && process.start >= self.since;
        let holds = |process: &&Process| pipe.is_some_and(|pipe| snapshot.holds(process, pipe));
        let group: Vec<&Process> = snapshot.others().filter(in_group).collect();
        let holders: Vec<&Process> = snapshot.others().filter(holds).collect();
        // Those outside the group count while they hold the output.
        if pipe.is_none() && group.is_empty() && !snapshot.is_partial() {
            return None;
        }
        let known = group.iter().chain(&holders).map(|process| key(process)).collect();
        // Of a process that is another user's, its pipes are unknown; that it is in the group is not.
        let shown = if holders.is_empty() { group } else { holders };
        let shown =
            shown.into_iter().map(|process| Background { id: process.id, name: process.name.clone() });
        Some((Self { reach: KillScope::Background { pipe, known }, ..self }, shown.collect()))
    }
}

/// Waits for the ended processes that this one inherited, as the first of its namespace, as in a container, or as a
/// subreaper. Nothing else would, and each keeps its number. The shells of `scopes` are waited for elsewhere.
pub(in crate::process) fn reap_inherited(scopes: impl FnOnce() -> Vec<Scope>) {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // Mostly no child has ended, which takes one call to know.
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

/// Kills the process group of a shell that was not waited for. Needs no descriptor; until the shell was waited
/// for, no other group can have its number.
pub(in crate::process) fn kill_group(shell: &mut Child) {
    if let Some(group) = shell.id().and_then(pid) {
        let _ended_just_now = kill_process_group(group, Signal::KILL);
    }
}

/// Ends processes of servers that no longer run, usually killed servers. Blocks.
///
/// These are processes of this user with the tag of a server that is not in the process table. A process that left the session
/// and closed its output is a daemon and keeps running.
pub(in crate::process) fn end_orphans(grace: Duration) {
    let namespace = sys::pid_namespace();
    // What started this server is still at work, whatever it carries.
    let own = std::env::var(MARK).ok().and_then(|mark| ServerId::of_mark(&mark));
    let snapshot = ProcessSnapshot::fresh();
    let servers: BTreeSet<ServerId> =
        snapshot.others().filter_map(|process| ServerId::of_mark(&sys::mark_of(process.id).ok()??)).collect();
    let is_gone = |server: &ServerId| {
        server.namespace == namespace && Some(*server) != own && !sys::may_be_alive(server.id, server.start)
    };
    let orphans = |server: ServerId| {
        let reach = KillScope::Orphans { session: server.session };
        Scope { reach, ..Scope::new(server, &server.mark_prefix()) }
    };
    let scopes: Vec<Scope> = servers.into_iter().filter(is_gone).map(orphans).collect();
    if !scopes.is_empty() {
        let _the_next_server_tries_again = end_all(&scopes, grace);
    }
}

fn key(process: &Process) -> ProcessKey {
    (process.id, process.start)
}
