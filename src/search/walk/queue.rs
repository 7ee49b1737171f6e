//! The work of a walk that is still to be done, and what it has found already, in the walk's order.
//!
//! An item's results and the work it leads to take its place. Workers take the first item that waits, so that they look
//! ahead of the front no further than they must; what they find there is held, up to a bound. The
//! front-most item may always be worked on, so that the walk always goes on.
#![expect(clippy::indexing_slicing, reason = "indexes are those of items just found")]

use std::ops::Range;
use std::sync::Arc;

use super::dir::{Dir, Task};
use crate::search::ignore_rules::Rules;

/// Entries that are visited in one go: fewer would have workers wait for the queue.
const BATCH: usize = 32;
/// Bytes that may be held for their turn before only the front is worked on.
const HELD_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that each item counts as besides, so that there are 1024 at most: the queue looks through them.
const ITEM_BYTES: usize = 4096;

/// Consecutive entries of a folder. As a worker takes them they are one folder to list, or several entries to visit.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) dir: Arc<Dir>,
    pub(super) range: Range<usize>,
    /// The rules that hold in the folder.
    pub(super) rules: Rules,
}

impl Work {
    /// All that a folder leads to.
    pub(super) fn new(dir: Arc<Dir>, rules: Rules) -> Self {
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
}

#[derive(Debug)]
enum Item<F> {
    Pending(Work),
    /// A worker is at it, the one of this number.
    Running(usize),
    Found {
        found: Vec<F>,
        bytes: usize,
    },
}

/// The items of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    /// All of them, the front-most last: the changes are there, and what waits behind is not moved.
    items: Vec<Item<F>>,
    held_bytes: usize,
    /// True while a worker hands over what is ready.
    pub(super) draining: bool,
    /// Number of workers that wait for a change.
    pub(super) waiting: usize,
}

impl<F> Queue<F> {
    /// One in which a worker lists the folder where the walk begins.
    pub(super) fn new(worker: usize) -> Self {
        Self { items: vec![Item::Running(worker)], held_bytes: 0, draining: false, waiting: 0 }
    }

    /// True if nothing is left of the walk.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The first piece of work that may be done now, which `worker` takes.
    pub(super) fn next(&mut self, worker: usize) -> Option<Work> {
        let front = self.items.len().checked_sub(1)?;
        let last_allowed = if self.is_full() { front } else { 0 };
        let is_allowed = |&at: &usize| match &self.items[at] {
            Item::Pending(_) => true,
            Item::Running(_) | Item::Found { .. } => false,
        };
        let at = (last_allowed..=front).rev().find(is_allowed)?;
        let Item::Pending(work) = &mut self.items[at] else { return None };
        let first = work.take_first();
        if work.range.is_empty() {
            self.items[at] = Item::Running(worker);
        } else {
            self.items.insert(at + 1, Item::Running(worker));
        }
        Some(first)
    }

    /// True if it is a worker's turn: all that is before its work is with the sink.
    pub(super) fn is_at_front(&self, worker: usize) -> bool {
        let is_front = matches!(self.items.last(), Some(Item::Running(front)) if *front == worker);
        is_front && !self.draining
    }

    /// Ends a worker's piece of work: what it found, of so many bytes, takes its place, what it leads to follows.
    pub(super) fn finish(&mut self, worker: usize, found: Vec<F>, bytes: usize, then: Option<Work>) {
        let is_it = |item: &Item<F>| matches!(item, Item::Running(running) if *running == worker);
        let Some(at) = self.items.iter().rposition(is_it) else { return };
        if found.is_empty() {
            self.items.remove(at);
        } else {
            let bytes = bytes + ITEM_BYTES;
            self.held_bytes += bytes;
            self.items[at] = Item::Found { found, bytes };
        }
        if let Some(work) = then.filter(|work| !work.range.is_empty()) {
            self.items.insert(at, Item::Pending(work));
        }
    }

    /// Takes the results at the front that are ready to be handed over.
    pub(super) fn ready(&mut self) -> Option<Vec<F>> {
        let front = self.items.pop_if(|front| matches!(front, Item::Found { .. }))?;
        let Item::Found { found, bytes } = front else { return None };
        self.held_bytes -= bytes;
        Some(found)
    }

    /// True if so much is held that only the front may be worked on.
    pub(super) fn is_full(&self) -> bool {
        self.held_bytes > HELD_BYTES
    }

    /// True if there is something for another worker to take.
    pub(super) fn has_pending(&self) -> bool {
        // What is far from the front is hardly ever begun.
        self.items.iter().any(|item| matches!(item, Item::Pending(_)))
    }
}
