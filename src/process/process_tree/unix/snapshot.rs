//! Snapshots of the processes of the machine, shared by all threads that need one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{ProcessKey, key};
use crate::sys::{self, Process, Unreadable};

/// A snapshot of all processes. All callers that requested it before it started share it, so that each process is
/// examined only once if many commands end at the same time.
#[derive(Debug)]
pub(super) struct ProcessSnapshot {
    began: Instant,
    /// All processes. Empty without a process table.
    pub(super) processes: Vec<Process>,
    /// The tags of the examined processes.
    tags: Mutex<BTreeMap<ProgramKey, Option<String>>>,
    /// The pipes that the examined processes can write to.
    pipes: Mutex<BTreeMap<ProgramKey, Vec<u64>>>,
    /// True if a process could not be examined: it was unreadable, or there is no process table.
    is_partial: AtomicBool,
}

/// The id and start time of a process, and the address of its environment, which identifies the program that it runs.
type ProgramKey = (ProcessKey, Option<(u64, u64)>);

static LATEST: Mutex<Option<Arc<ProcessSnapshot>>> = Mutex::new(None);

impl ProcessSnapshot {
    /// Returns a snapshot that starts after this call. Several threads may get the same one.
    pub(super) fn fresh() -> Arc<Self> {
        let asked = Instant::now();
        let mut latest = lock(&LATEST);
        if let Some(snapshot) = latest.as_ref().filter(|snapshot| snapshot.began >= asked) {
            return Arc::clone(snapshot);
        }
        let (began, listed) = (Instant::now(), sys::list_processes());
        let is_partial = AtomicBool::new(listed.is_err() || !sys::has_process_table());
        let processes = listed.unwrap_or_default();
        let tags = latest.take().map_or_else(BTreeMap::new, |before| before.unchanged_tags(&processes));
        let (tags, pipes) = (Mutex::new(tags), Mutex::default());
        let snapshot = Arc::new(Self { began, processes, tags, pipes, is_partial });
        *latest = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// Returns the tags of those `processes` that still run the same program as in this snapshot. A new program can
    /// have another environment and tag.
    fn unchanged_tags(&self, processes: &[Process]) -> BTreeMap<ProgramKey, Option<String>> {
        // A thread with the lock may be blocked in a read. The tags are then read again.
        let Ok(tags) = self.tags.try_lock() else { return BTreeMap::new() };
        let programs = processes.iter().filter(|process| process.environment.is_some()).map(program);
        programs.filter_map(|program| Some((program, tags.get(&program)?.clone()))).collect()
    }

    /// Returns true if a process could not be examined.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial.load(Ordering::Acquire)
    }

    /// Returns the processes that have not ended, other than this one.
    pub(super) fn others(&self) -> impl Iterator<Item = &Process> {
        let own = std::process::id();
        self.processes.iter().filter(move |process| process.id != own && !process.ended)
    }

    /// Returns true if a process can write to the pipe with that inode.
    pub(super) fn holds(&self, process: &Process, pipe: u64) -> bool {
        self.looked_up(&self.pipes, process, sys::pipes, |pipes| pipes.contains(&pipe))
    }

    /// Returns true if the environment of a process has a tag that starts with `tag`.
    pub(super) fn carries(&self, process: &Process, tag: &str) -> bool {
        let has_tag = |seen: &Option<String>| seen.as_ref().is_some_and(|seen| seen.starts_with(tag));
        self.looked_up(&self.tags, process, sys::tag_of, has_tag)
    }

    /// Returns the result of `test` for the facts that `look` reads of a process, or false if they cannot be read. The
    /// facts are read once and stored for other threads.
    fn looked_up<T>(
        &self,
        known: &Mutex<BTreeMap<ProgramKey, T>>,
        process: &Process,
        look: fn(u32) -> Result<T, Unreadable>,
        test: impl FnOnce(&T) -> bool,
    ) -> bool {
        let found = match lock(known).entry(program(process)) {
            Entry::Occupied(entry) => Ok(test(entry.get())),
            Entry::Vacant(entry) => look(process.id).map(|seen| test(entry.insert(seen))),
        };
        found.unwrap_or_else(|Unreadable| {
            self.is_partial.store(true, Ordering::Release);
            false
        })
    }
}

fn program(process: &Process) -> ProgramKey {
    (key(process), process.environment)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
