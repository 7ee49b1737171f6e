//! The pending work of a walk and its results so far, in the order of the walk.
//!
//! The results of an item and the work that it leads to take its place. Workers take the first item that waits, so
//! that they look ahead of the front no further than they must. Their results are buffered, up to a limit. The item
//! at the front may always be worked on, so that the walk always continues.
#![expect(clippy::indexing_slicing, reason = "indexes are those of items just found")]

use std::ops::Range;
use std::sync::Arc;

use super::dir::{Dir, Position, Task};
use crate::search::ignore_rules::IgnoreRules;

/// Entries that are visited in one go: fewer would have workers wait for the queue.
const BATCH: usize = 32;
/// Bytes that may be buffered before only the front is worked on.
const HELD_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that each item counts in addition, so that there are 1024 at most: the queue looks through them.
const ITEM_BYTES: usize = 4096;

/// Consecutive entries of a folder. As a worker takes them they are one folder to list, or several entries to visit.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) dir: Arc<Dir>,
    pub(super) range: Range<usize>,
    /// The rules that apply in the folder.
    pub(super) rules: IgnoreRules,
}

impl Work {
    /// Returns the work for all entries of a folder.
    pub(super) fn new(dir: Arc<Dir>, rules: IgnoreRules) -> Self {
        let range = 0..dir.entries.iter().len();
        Self { dir, range, rules }
    }

    /// Takes out what one worker does at once.
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
    /// Work that no worker has begun.
    Pending(Work),
    /// Work that this worker does, and the position of its first entry.
    Running(usize, Position),
    /// Results of work that is complete, or in part if they follow an unfinished item.
    Found {
        /// The results.
        found: Vec<F>,
        /// Bytes that they count for.
        bytes: usize,
    },
    /// Work that was stopped; nothing from this position on is complete.
    Unfinished(Position),
}

/// The end of a worker's piece of work.
#[derive(Debug)]
pub(super) enum End<F> {
    /// It is complete.
    Complete,
    /// It is complete, and leads to more work.
    LeadsTo(Work),
    /// It was stopped at a position, where this much was found of an entry that is not complete.
    Stopped(Position, Vec<F>),
}

/// The items of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    /// All items, the front last: the changes are there, and what waits behind is not moved.
    items: Vec<Item<F>>,
    held_bytes: usize,
    /// True while a worker passes results to the sink.
    pub(super) draining: bool,
    /// Number of workers that wait for a change.
    pub(super) waiting: usize,
}

impl<F> Queue<F> {
    /// Returns a queue in which a worker lists the root of the walk.
    pub(super) fn new(worker: usize) -> Self {
        Self { items: vec![Item::Running(worker, None)], held_bytes: 0, draining: false, waiting: 0 }
    }

    /// Returns true if nothing is left of the walk.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the first piece of work that may be done now, which `worker` takes.
    pub(super) fn next(&mut self, worker: usize) -> Option<Work> {
        let front = self.items.len().checked_sub(1)?;
        let last_allowed = if self.is_full() { front } else { 0 };
        let is_pending = |&at: &usize| matches!(self.items[at], Item::Pending(_));
        let at = (last_allowed..=front).rev().find(is_pending)?;
        let Item::Pending(work) = &mut self.items[at] else { return None };
        let first = work.take_first();
        let running = Item::Running(worker, Some(first.position()));
        if work.range.is_empty() {
            self.items[at] = running;
        } else {
            self.items.insert(at + 1, running);
        }
        Some(first)
    }

    /// Returns true if the work of `worker` is at the front, and everything before it was passed to the sink.
    pub(super) fn is_at_front(&self, worker: usize) -> bool {
        let is_front = matches!(self.items.last(), Some(Item::Running(front, _)) if *front == worker);
        is_front && !self.draining
    }

    /// Ends a worker's piece of work. Its results, of this many bytes, replace it, followed by its end.
    pub(super) fn finish(&mut self, worker: usize, found: Vec<F>, bytes: usize, end: End<F>) {
        let is_it = |item: &Item<F>| matches!(item, Item::Running(running, _) if *running == worker);
        let Some(at) = self.items.iter().rposition(is_it) else { return };
        if found.is_empty() {
            self.items.remove(at);
        } else {
            let bytes = bytes + ITEM_BYTES;
            self.held_bytes += bytes;
            self.items[at] = Item::Found { found, bytes };
        }
        match end {
            End::LeadsTo(work) if !work.range.is_empty() => self.items.insert(at, Item::Pending(work)),
            End::Complete | End::LeadsTo(_) => {}
            End::Stopped(position, part) => {
                self.items.insert(at, Item::Unfinished(position));
                self.items.insert(at, Item::Found { found: part, bytes: 0 });
            }
        }
    }

    /// Takes the results at the front that are ready to be passed on.
    pub(super) fn ready(&mut self) -> Option<Vec<F>> {
        let front = self.items.pop_if(|front| matches!(front, Item::Found { .. }))?;
        let Item::Found { found, bytes } = front else { return None };
        self.held_bytes -= bytes;
        Some(found)
    }

    /// Takes all items, the front first.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Item<F>> + use<F> {
        std::mem::take(&mut self.items).into_iter().rev()
    }

    /// Returns true if so much is buffered that only the front may be worked on.
    pub(super) fn is_full(&self) -> bool {
        self.held_bytes > HELD_BYTES
    }

    /// Returns true if there is something for another worker to take.
    pub(super) fn has_pending(&self) -> bool {
        // Workers rarely begin work that is far from the head.
        self.items.iter().any(|item| matches!(item, Item::Pending(_)))
    }
}
