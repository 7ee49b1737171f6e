//! Looks at the processes of the machine, shared by all who want one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::sys::{self, OutOfDescriptors, Process};

/// One look at all processes, shared by all who asked before it began: many ends at once would
/// otherwise look at the same processes many times over.
#[derive(Debug)]
pub(super) struct ProcessSnapshot {
    began: Instant,
    /// All that there were.
    pub(super) processes: Vec<Process>,
    /// What was seen of some of them since, by number.
    pipes: Mutex<BTreeMap<u32, Vec<u64>>>,
}

static LATEST: Mutex<Option<Arc<ProcessSnapshot>>> = Mutex::new(None);

impl ProcessSnapshot {
    /// A look that begins now or later.
    pub(super) fn new() -> Result<Arc<Self>, OutOfDescriptors> {
        let asked = Instant::now();
        let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = latest.as_ref().filter(|look| look.began >= asked) {
            return Ok(Arc::clone(look));
        }
        let began = Instant::now();
        let look = Arc::new(Self { began, processes: sys::list_processes()?, pipes: Mutex::default() });
        *latest = Some(Arc::clone(&look));
        Ok(look)
    }

    /// The processes other than this one that can write to the pipe with that inode.
    pub(super) fn holders(&self, pipe: u64) -> Result<Vec<Process>, OutOfDescriptors> {
        let own = std::process::id();
        // One at a time: the next finds what this one saw.
        let mut seen = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut holders = Vec::new();
        for process in self.processes.iter().filter(|process| process.id != own && !process.ended) {
            let held = match seen.entry(process.id) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(sys::pipes(process.id)?),
            };
            if held.contains(&pipe) {
                holders.push(process.clone());
            }
        }
        Ok(holders)
    }
}
