//! The work queue of a walk and its reorder buffer, in the order of the walk.
//!
//! The results of an item, and new work from it, replace the item. Workers take the first pending item, so that they do
//! not work further ahead than necessary. Their results are buffered up to a limit. The head of the queue can always be
//! processed, so the walk always makes progress.
#![expect(clippy::indexing_slicing, reason = "indexes come from a search of the items")]

use std::ops::Range;
use std::sync::Arc;

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

/// Consecutive entries of a folder. A worker takes either one folder to list, or several entries to visit.
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
    /// entries to visit before the next folder to enter.
    fn take_first(&mut self) -> Self {
        let Range { start, end } = self.range;
        let end = end.min(start + BATCH);
        let folder = (start..end).find(|&index| self.dir.entries.get(index).2 == Task::Enter);
        self.range.start = folder.map_or(end, |folder| folder.max(start + 1));
        Self { dir: Arc::clone(&self.dir), range: start..self.range.start, rules: self.rules.clone() }
    }

    /// Returns the position of the first entry.
    #[expect(clippy::unnecessary_wraps, reason = "the root, which has no entry, is a position too")]
    pub(super) fn position(&self) -> Position {
        Some((Arc::clone(&self.dir), self.range.start))
    }
}

/// An item of the queue.
#[derive(Debug)]
pub(super) enum Item<F> {
    /// Work that no worker has started.
    Pending(Work),
    /// Work that this worker has started, and the position of its first entry.
    Running(usize, Position),
    /// Results of completed work, or of a part of the work if they follow an unfinished item.
    Found {
        /// The results.
        found: Vec<F>,
        /// The bytes that they count.
        bytes: usize,
    },
    /// Work that was stopped. Everything from this position on is incomplete.
    Unfinished(Position),
}

/// How a piece of work ended.
#[derive(Debug)]
pub(super) enum End<F> {
    /// It is complete.
    Complete,
    /// It is complete, and led to more work.
    LeadsTo(Work),
    /// It was stopped at a position. These are the results of the incomplete entry there.
    Unfinished(Position, Vec<F>),
}

/// The queue of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    /// All items in reverse order, so that changes at the head do not move the others.
    items: Vec<Item<F>>,
    buffered_bytes: usize,
    /// True while a worker passes results to the sink. Stays true if the sink panics.
    pub(super) draining: bool,
    /// Number of workers that wait for work.
    pub(super) waiting_for_work: usize,
}

impl<F> Queue<F> {
    /// Creates a queue in which `worker` lists the root of the walk.
    pub(super) fn new(worker: usize) -> Self {
        Self {
            items: vec![Item::Running(worker, None)],
            buffered_bytes: 0,
            draining: false,
            waiting_for_work: 0,
        }
    }

    /// Returns true if the walk is complete.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Assigns the first item that can be started now to `worker`, and returns it.
    pub(super) fn next(&mut self, worker: usize) -> Option<Work> {
        let head = self.items.len().checked_sub(1)?;
        // The items are in reverse order, so this is the lowest index.
        let lowest_allowed = if self.is_full() { head } else { 0 };
        let is_pending = |&at: &usize| matches!(self.items[at], Item::Pending(_));
        let at = (lowest_allowed..=head).rev().find(is_pending)?;
        let Item::Pending(work) = &mut self.items[at] else { return None };
        let first = work.take_first();
        let running = Item::Running(worker, first.position());
        if work.range.is_empty() {
            self.items[at] = running;
        } else {
            self.items.insert(at + 1, running);
        }
        Some(first)
    }

    /// Returns true if `worker` may pass on results: its work is the head of the queue, and everything before it was
    /// passed to the sink.
    pub(super) fn may_pass_on(&self, worker: usize) -> bool {
        let is_of_worker = matches!(self.items.last(), Some(Item::Running(running, _)) if *running == worker);
        is_of_worker && !self.draining
    }

    /// Ends the work of `worker`. Replaces it with its results, which have this many bytes, and with what follows from
    /// `end`.
    pub(super) fn finish(&mut self, worker: usize, found: Vec<F>, bytes: usize, end: End<F>) {
        let is_it = |item: &Item<F>| matches!(item, Item::Running(running, _) if *running == worker);
        let Some(at) = self.items.iter().rposition(is_it) else { return };
        if found.is_empty() {
            self.items.remove(at);
        } else {
            let bytes = bytes + ITEM_BYTES;
            self.buffered_bytes += bytes;
            self.items[at] = Item::Found { found, bytes };
        }
        match end {
            End::LeadsTo(work) if !work.range.is_empty() => self.items.insert(at, Item::Pending(work)),
            End::Complete | End::LeadsTo(_) => {}
            End::Unfinished(position, part) => {
                self.items.insert(at, Item::Unfinished(position));
                self.items.insert(at, Item::Found { found: part, bytes: 0 });
            }
        }
    }

    /// Removes and returns the results at the head that can be passed on.
    pub(super) fn ready(&mut self) -> Option<Vec<F>> {
        let head = self.items.pop_if(|head| matches!(head, Item::Found { .. }))?;
        let Item::Found { found, bytes } = head else { return None };
        self.buffered_bytes -= bytes;
        Some(found)
    }

    /// Removes all items. Returns them from the head on.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Item<F>> + use<F> {
        std::mem::take(&mut self.items).into_iter().rev()
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
}
