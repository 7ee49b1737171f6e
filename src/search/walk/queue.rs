//! The work queue of a walk and its waiting results, in the order of the walk.
//!
//! The results of an item, and new work from it, replace the item. Workers take the first part of the first pending
//! item, so that they do not work further ahead than necessary. Their results are buffered up to a limit. The head of
//! the queue can always be processed, so the walk always makes progress.
#![expect(clippy::indexing_slicing, reason = "indexes come from a search of the items")]

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::Searched;
use super::dir::{Dir, Position, Task};
use crate::search::ignore_rules::IgnoreRules;

/// Maximum number of entries that are visited as one item. With fewer, workers would wait for the queue.
const BATCH: usize = 32;
/// Number of buffered bytes above which only the head of the queue is started. Work that is already running can add to
/// them.
const FULL_BYTES: usize = 4 * 1024 * 1024;
/// Additional bytes that each item with results counts. They limit the number of these items to 1024, because the queue
/// is searched linearly.
const ITEM_BYTES: usize = 4096;
/// The calling thread is woken when what was searched reaches a multiple of one of these numbers, also without results.
/// If it wakes for another reason, it reports what was searched then.
const REPORTED: Searched = Searched { names: 2000, visited: 500, bytes: 2_000_000 };

/// Consecutive entries of a folder: all that no worker has taken yet, or those that one worker took, which are one
/// folder to list or several entries to visit.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) dir: Arc<Dir>,
    pub(super) range: Range<usize>,
    /// The rules that apply in the folder.
    pub(super) rules: IgnoreRules,
}

impl Work {
    /// Creates the work for all entries of a folder.
    pub(super) fn new(dir: Arc<Dir>, rules: IgnoreRules) -> Self {
        let range = 0..dir.entries.iter().len();
        Self { dir, range, rules }
    }

    /// Removes the part that one worker processes at a time: a folder to enter if it is the first entry, otherwise the
    /// entries to visit before the next folder to enter, at most [`BATCH`]. The parts of a folder do not depend on the
    /// workers.
    fn take_first(&mut self) -> Self {
        let Range { start, end } = self.range;
        let end = end.min(start + BATCH);
        let folder = (start..end).find(|&index| self.dir.entries.get(index).2 == Task::Enter);
        self.range.start = folder.map_or(end, |folder| folder.max(start + 1));
        Self { dir: Arc::clone(&self.dir), range: start..self.range.start, rules: self.rules.clone() }
    }

    /// Returns the position of the first entry.
    pub(super) fn position(&self) -> (Arc<Dir>, usize) {
        (Arc::clone(&self.dir), self.range.start)
    }
}

/// An item of the queue.
#[derive(Debug)]
pub(super) enum Item<F> {
    /// Work that no worker has started.
    Pending(Work),
    /// Work that this worker has started, and the position of its first entry. Results of that entry and later ones can
    /// already be in an item before this one.
    Running(usize, Position),
    /// Results of completed work, or of its first part. Work without results remains only as what was searched.
    Done {
        /// The results.
        found: Vec<F>,
        /// The bytes that they count.
        bytes: usize,
        /// What was searched for them.
        searched: Searched,
        /// What was searched in the work without results that follows.
        after: Searched,
    },
    /// Work that was stopped at a position. These are the results of the incomplete entry there.
    Unfinished(Position, Vec<F>),
}

/// The queue of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    /// All items in reverse order, so that changes at the head do not move the others. The head is the last one.
    items: Vec<Item<F>>,
    /// The bytes that the results of all items count.
    buffered_bytes: usize,
    /// What was searched before the head.
    searched: Searched,
    /// True if the calling thread works itself, so that nothing else takes the results while it works.
    pub(super) never_waits: bool,
    /// The panic of a worker.
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

impl<F> Queue<F> {
    /// Creates a queue in which the first worker lists the root of the walk.
    pub(super) fn new() -> Self {
        Self {
            items: vec![Item::Running(0, None)],
            buffered_bytes: 0,
            searched: Searched::default(),
            never_waits: false,
            panic: None,
        }
    }

    /// Returns true if the walk is complete, and all results were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Assigns the first part of the first pending item that can be started now to `worker`, and returns it. The rest
    /// of the item remains pending.
    pub(super) fn next(&mut self, worker: usize) -> Option<Work> {
        let allowed = if self.is_full() { 1 } else { self.items.len() };
        let mut in_order = self.items.iter_mut().enumerate().rev().take(allowed);
        let (at, work) = in_order.find_map(|(at, item)| match item {
            Item::Pending(work) => Some((at, work)),
            _ => None,
        })?;
        let first = work.take_first();
        let running = Item::Running(worker, Some(first.position()));
        if work.range.is_empty() {
            self.items[at] = running;
        } else {
            self.items.insert(at + 1, running);
        }
        Some(first)
    }

    /// Adds the first results of `worker`, which continues its work.
    pub(super) fn add_part(&mut self, worker: usize, found: Vec<F>, bytes: usize) {
        let Some(at) = self.running(worker) else { return };
        let bytes = bytes + ITEM_BYTES;
        self.buffered_bytes += bytes;
        let (searched, after) = Default::default();
        self.items.insert(at + 1, Item::Done { found, bytes, searched, after });
    }

    /// Returns true if `worker` must wait before it adds more results. The head never waits for others.
    pub(super) fn must_wait(&self, worker: usize) -> bool {
        let is_head = matches!(self.items.last(), Some(Item::Running(running, _)) if *running == worker);
        self.is_full() && !is_head && !self.never_waits
    }

    /// Ends the work of `worker`. Replaces it with its results, which have this many bytes, and the item that follows
    /// from it. Returns true if the calling thread has something to do: the head can be given out, or enough was
    /// searched to report it.
    pub(super) fn finish(
        &mut self,
        worker: usize,
        (found, bytes): (Vec<F>, usize),
        done: Searched,
        next: Option<Item<F>>,
    ) -> bool {
        let Some(at) = self.running(worker) else { return false };
        // In reverse order, `at + 1` is the item before this one.
        match self.items.get_mut(at + 1) {
            Some(Item::Done { after, .. }) if found.is_empty() => {
                *after += done;
                self.items.remove(at);
            }
            _ => {
                let bytes = if found.is_empty() { 0 } else { bytes + ITEM_BYTES };
                self.buffered_bytes += bytes;
                self.items[at] = Item::Done { found, bytes, searched: done, after: Searched::default() };
            }
        }
        if let Some(next) = next {
            self.items.insert(at, next);
        }
        let before = self.searched;
        let is_empty = |head: &mut Item<F>| matches!(head, Item::Done { found, .. } if found.is_empty());
        while let Some(Item::Done { searched, after, .. }) = self.items.pop_if(is_empty) {
            self.searched += searched + after;
        }
        let reports = |searched: Searched| {
            let Searched { names, visited, bytes } = searched;
            [names / REPORTED.names, visited / REPORTED.visited, bytes / REPORTED.bytes]
        };
        reports(before) != reports(self.searched) || self.is_ready()
    }

    /// Removes and returns the head if it can be given out. If `is_late`, this includes work that no worker starts any
    /// more. If `is_too_late`, it includes work that a worker has not finished. Also returns what was searched up to the end
    /// of the head, so that the sink can refuse its results, whatever other workers did meanwhile.
    pub(super) fn take_ready(&mut self, is_late: bool, is_too_late: bool) -> (Searched, Option<Item<F>>) {
        let head = self.items.pop_if(|head| match head {
            Item::Done { .. } | Item::Unfinished(..) => true,
            Item::Pending(_) => is_late,
            Item::Running(..) => is_too_late,
        });
        let mut up_to = self.searched;
        if let Some(Item::Done { bytes, searched, after, .. }) = &head {
            self.buffered_bytes -= bytes;
            up_to += *searched;
            self.searched = up_to + *after;
        }
        (up_to, head)
    }

    /// Returns true if the head can be given out, or if the walk is complete.
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.items.last(), None | Some(Item::Done { .. } | Item::Unfinished(..)))
    }

    /// Returns true if the buffer is full, so that only the head of the queue may be processed.
    pub(super) fn is_full(&self) -> bool {
        self.buffered_bytes > FULL_BYTES
    }

    /// Returns true if there is a pending item.
    pub(super) fn has_pending(&self) -> bool {
        // The search starts at the end of the queue, where most items are pending.
        self.items.iter().any(|item| matches!(item, Item::Pending(_)))
    }

    fn running(&self, worker: usize) -> Option<usize> {
        self.items.iter().rposition(|item| matches!(item, Item::Running(running, _) if *running == worker))
    }
}
