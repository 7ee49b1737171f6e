//! Snapshots of the processes of the machine, shared by all threads that need one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::sys::{self, OutOfDescriptors, Process};

/// A snapshot of all processes, shared by all that asked before it began: many commands that end at once
/// would otherwise have the same processes looked at many times over.
#[derive(Debug)]
pub(super) struct ProcessSnapshot {
    began: Instant,
    /// All processes.
    pub(super) processes: Vec<Process>,
    /// The marks of those of them that were looked at since, by process number.
    marks: Mutex<BTreeMap<u32, Option<String>>>,
    /// The pipes that they can write to, in the same way.
    pipes: Mutex<BTreeMap<u32, Vec<u64>>>,
}

static LATEST: Mutex<Option<Arc<ProcessSnapshot>>> = Mutex::new(None);

impl ProcessSnapshot {
    /// Returns a snapshot that begins now or later, which another thread may have asked for too.
    pub(super) fn fresh() -> Result<Arc<Self>, OutOfDescriptors> {
        let asked = Instant::now();
        let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = latest.as_ref().filter(|snapshot| snapshot.began >= asked) {
            return Ok(Arc::clone(snapshot));
        }
        let (began, processes) = (Instant::now(), sys::list_processes()?);
        let (marks, pipes) = (Mutex::default(), Mutex::default());
        let snapshot = Arc::new(Self { began, processes, marks, pipes });
        *latest = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Returns the processes other than this one that can write to the pipe with that inode.
    pub(super) fn holders(&self, pipe: u64) -> Result<Vec<Process>, OutOfDescriptors> {
        let own = std::process::id();
        let others = self.processes.iter().filter(|process| process.id != own && !process.ended);
        let holder = |process: &Process| Ok(self.holds(process, pipe)?.then(|| process.clone()));
        others.filter_map(|process| holder(process).transpose()).collect()
    }

    /// True if a process can write to the pipe with that inode.
    pub(super) fn holds(&self, process: &Process, pipe: u64) -> Result<bool, OutOfDescriptors> {
        looked_up(&self.pipes, process, sys::pipes, |pipes| pipes.contains(&pipe))
    }

    /// True if a process has `mark` in its environment, or one that begins with it.
    pub(super) fn carries(&self, process: &Process, mark: &str) -> Result<bool, OutOfDescriptors> {
        let is_marked = |seen: &Option<String>| seen.as_ref().is_some_and(|seen| seen.starts_with(mark));
        looked_up(&self.marks, process, sys::mark_of, is_marked)
    }
}

/// Asks `test` about what `look` tells of a process. Only the first thread looks: the next finds what that saw.
fn looked_up<T>(
    known: &Mutex<BTreeMap<u32, T>>,
    process: &Process,
    look: fn(u32) -> Result<T, OutOfDescriptors>,
    test: impl FnOnce(&T) -> bool,
) -> Result<bool, OutOfDescriptors> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(test(match known.entry(process.id) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(look(process.id)?),
    }))
}
