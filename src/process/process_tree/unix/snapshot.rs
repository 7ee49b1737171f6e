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
    /// The pipes of those of them that were looked at since, by process number.
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
        let began = Instant::now();
        let snapshot = Arc::new(Self { began, processes: sys::list_processes()?, pipes: Mutex::default() });
        *latest = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Returns the processes other than this one that can write to the pipe with that inode.
    pub(super) fn holders(&self, pipe: u64) -> Result<Vec<Process>, OutOfDescriptors> {
        let own = std::process::id();
        // One thread at a time: the next finds what this one saw.
        let mut seen = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut holders = Vec::new();
        for process in self.processes.iter().filter(|process| process.id != own && !process.ended) {
            if looked_up(&mut seen, process.id, || sys::pipes(process.id))?.contains(&pipe) {
                holders.push(process.clone());
            }
        }
        Ok(holders)
    }
}

/// Returns what `look` tells of a process, which is asked once.
pub(super) fn looked_up<K: Ord, T>(
    known: &mut BTreeMap<K, T>,
    process: K,
    look: impl FnOnce() -> Result<T, OutOfDescriptors>,
) -> Result<&T, OutOfDescriptors> {
    Ok(match known.entry(process) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(look()?),
    })
}
