//! The processes of a command on Unix, by group, descent, mark and pipe.

mod end;
mod record;
mod snapshot;

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process_group};
use tokio::process::Child;

use super::{Outcome, Survivors};
use crate::process::Background;
use crate::process::mark::Server;
use crate::sys::{self, OutOfDescriptors, Process};
use snapshot::ProcessSnapshot;

pub(in crate::process) use end::end_all;
pub(in crate::process) use record::Record;

/// Which processes belong to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::process) struct Scope {
    /// The mark they were given.
    mark: String,
    /// The process group, which has the shell's number; 0 where that is not known.
    group: u32,
    /// When the shell was started: nothing older belongs to it.
    since: u64,
    /// How far it reaches.
    reach: KillScope,
}

/// How far a command's end reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KillScope {
    /// To all that it started: it was running.
    All,
    /// To those that stayed: in the group, or holding the output of that pipe. It had ended.
    Stayed {
        /// The pipe.
        pipe: Pipe,
        /// Who was in the group or held the pipe when the shell ended: by number and start.
        known: Vec<(u32, u64)>,
    },
}

/// The pipe of a command's output, by its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pipe {
    /// It is held open here: nobody else's can have its inode.
    Held(u64),
    /// It was another server's. Another may have its inode by now, and what a record says may have been
    /// written by a command: who holds it belongs to the command only where it has the mark too.
    Recorded(u64),
}

/// Who is left: those that hold the pipe, and those in the group.
type HoldersAndKnown = (Vec<Process>, Vec<Process>);

impl Scope {
    /// All that has `mark`: a command of `server` that is about to start.
    pub(in crate::process) fn announced(server: Server, mark: String) -> Self {
        Self { mark, group: 0, since: server.start, reach: KillScope::All }
    }

    /// The mark of its processes.
    pub(in crate::process) fn mark(&self) -> &str {
        &self.mark
    }

    /// Its shell was started.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(in crate::process) fn started(&mut self, shell: &mut Child) -> std::io::Result<()> {
        self.group = shell.id().unwrap_or(0);
        if let Ok(Some(process)) = sys::process_info(self.group) {
            self.since = process.start;
        }
        Ok(())
    }

    /// Whether nobody is in its group any more.
    pub(in crate::process) fn is_empty(&self) -> bool {
        let group = i32::try_from(self.group).ok().and_then(Pid::from_raw);
        group.is_none_or(|group| test_kill_process_group(group).is_err())
    }

    /// What stays now that the shell has ended; `held` where somebody holds the output of `pipe`. Blocks.
    pub(in crate::process) fn stay(self, pipe: u64, held: bool) -> Survivors {
        match self.left(pipe, held) {
            Ok((holders, members)) => self.stayed(pipe, holders, members),
            Err(OutOfDescriptors) => self.unseen(pipe),
        }
    }

    /// The same where nothing could be seen: who was not seen may be there.
    pub(in crate::process) fn unseen(self, pipe: u64) -> Survivors {
        Survivors { anybody: true, ..self.stayed(pipe, Vec::new(), Vec::new()) }
    }

    fn left(&self, pipe: u64, held: bool) -> Result<HoldersAndKnown, OutOfDescriptors> {
        let look = ProcessSnapshot::new()?;
        let holders = if held { look.holders(pipe)? } else { Vec::new() };
        let in_group =
            |process: &&Process| process.group == self.group && !process.ended && process.start >= self.since;
        Ok((holders, look.processes.iter().filter(in_group).cloned().collect()))
    }

    fn stayed(self, pipe: u64, holders: Vec<Process>, members: Vec<Process>) -> Survivors {
        let mut known: Vec<_> =
            members.iter().chain(&holders).map(|process| (process.id, process.start)).collect();
        known.sort_unstable();
        known.dedup();
        let anybody = !members.is_empty();
        // Of a process that is another user's, what it holds is not known; that it is in the group is.
        let shown = if holders.is_empty() { members } else { holders };
        let process = |Process { id, name, .. }| Background { id, name };
        let scope = Self { reach: KillScope::Stayed { pipe: Pipe::Held(pipe), known }, ..self };
        Survivors { scope, shown: shown.into_iter().map(process).collect(), anybody }
    }
}

/// Ends what servers that were killed left behind, by their records in `folder`. Blocks.
pub(in crate::process) fn end_stale(folder: &Path, grace: Duration) {
    for (stale, scopes) in record::stale(folder) {
        if scopes.is_empty() || end_all(&scopes, grace) == Outcome::Over {
            stale.remove();
        }
    }
}
