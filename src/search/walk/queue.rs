//! The work of a walk that is still to be done, and what it has found already, in the walk's order.
//!
//! An item's results and the work it leads to take its place. Workers take the first item that waits, so that they look
//! ahead of the front no further than they must; what they find there is held, up to a bound. The
//! front-most item may always be worked on, so that the walk always goes on.
#![expect(clippy::indexing_slicing, reason = "indexes are those of items just found")]

use std::ops::Range;
use std::sync::Arc;

use super::dir::{Dir, Position, Task};
use crate::fs::listing::Rest;
use crate::search::ignore_rules::Rules;

/// Entries that are visited in one go: fewer would have workers wait for the queue.
const BATCH: usize = 32;
/// Bytes that may be held for their turn before only the front is worked on.
const HELD_BYTES: usize = 4 * 1024 * 1024;
/// Items that may be held for their turn: the queue looks through them.
const HELD_ITEMS: usize = 1024;

/// A piece of work.
#[derive(Debug)]
pub(super) enum Work {
    /// A folder to read, with the rules that hold in it, those of its own files not yet among them.
    Folder { position: Position, rules: Rules },
    /// The rest of a folder that has more names than are held at once; the rules are its own. Only for the front:
    /// what is before it is handed over then, and no longer held, and it is known how many results were only counted.
    Rest { position: Position, rules: Rules, rest: Arc<Rest<Task>> },
    /// The entries of a folder from one on.
    Entries { dir: Arc<Dir>, from: usize, rules: Rules },
    /// Consecutive entries to visit.
    Batch { dir: Arc<Dir>, range: Range<usize> },
}

/// A running item, as the queue knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket(u64);

#[derive(Debug)]
enum Item<F> {
    Pending(Work),
    Running(Ticket),
    Found { found: Vec<F>, weight: usize },
}

/// The items of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    /// All of them, the front-most last: the changes are there, and what waits behind is not moved.
    items: Vec<Item<F>>,
    pending: usize,
    tickets: u64,
    held_bytes: usize,
    held_items: usize,
    /// True while a worker hands over what is ready.
    pub(super) draining: bool,
    /// Number of workers that wait for a change.
    pub(super) waiting: usize,
}

impl<F> Queue<F> {
    /// One of all that is in the folder where the walk begins.
    pub(super) fn new(rules: Rules) -> Self {
        let items = vec![Item::Pending(Work::Folder { position: None, rules })];
        Self { items, pending: 1, tickets: 0, held_bytes: 0, held_items: 0, draining: false, waiting: 0 }
    }

    /// True if nothing is left of the walk.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The first piece of work that may be done now.
    pub(super) fn next(&mut self) -> Option<(Ticket, Work)> {
        let front = self.items.len().checked_sub(1).filter(|_| self.has_pending())?;
        let last_allowed = if self.is_full() { front } else { 0 };
        let is_allowed = |&at: &usize| match &self.items[at] {
            // What was taken from the front before it may still be on its way to the sink.
            Item::Pending(Work::Rest { .. }) => at == front && !self.draining,
            Item::Pending(_) => true,
            Item::Running(_) | Item::Found { .. } => false,
        };
        let at = (last_allowed..=front).rev().find(is_allowed)?;
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let Item::Pending(work) = std::mem::replace(&mut self.items[at], Item::Running(ticket)) else {
            return None;
        };
        self.pending -= 1;
        let (work, rest) = first_of(work);
        self.add(at, rest);
        Some((ticket, work))
    }

    /// True if it is the turn of a running item: all that is before it is with the sink.
    pub(super) fn is_at_front(&self, ticket: Ticket) -> bool {
        let is_front = matches!(self.items.last(), Some(Item::Running(front)) if *front == ticket);
        is_front && !self.draining
    }

    /// Adds work in the place after the item that stands at `at`.
    fn add(&mut self, at: usize, work: Option<Work>) {
        if let Some(work) = work {
            self.items.insert(at, Item::Pending(work));
            self.pending += 1;
        }
    }

    /// Ends a piece of work: what it found takes its place, what it leads to follows.
    pub(super) fn finish(&mut self, ticket: Ticket, found: Vec<F>, weight: usize, then: Option<Work>) {
        let is_it = |item: &Item<F>| matches!(item, Item::Running(running) if *running == ticket);
        let Some(at) = self.items.iter().rposition(is_it) else { return };
        if found.is_empty() {
            self.items.remove(at);
        } else {
            self.held_bytes += weight;
            self.held_items += 1;
            self.items[at] = Item::Found { found, weight };
        }
        self.add(at, then);
    }

    /// Takes the results at the front that are ready to be handed over.
    pub(super) fn ready(&mut self) -> Option<Vec<F>> {
        let front = self.items.pop_if(|front| matches!(front, Item::Found { .. }))?;
        let Item::Found { found, weight } = front else { return None };
        self.held_bytes -= weight;
        self.held_items -= 1;
        Some(found)
    }

    /// True if so much is held that only the front may be worked on.
    pub(super) fn is_full(&self) -> bool {
        self.held_bytes > HELD_BYTES || self.held_items > HELD_ITEMS
    }

    /// True if there is something for another worker to take.
    pub(super) fn has_pending(&self) -> bool {
        self.pending > 0
    }
}

/// The first piece of work, and what remains: a folder's entries are taken in parts.
fn first_of(work: Work) -> (Work, Option<Work>) {
    let Work::Entries { dir, from, rules } = work else { return (work, None) };
    let end = (from + BATCH).min(dir.entries.iter().len());
    let to = (from..end).find(|&index| dir.entries.get(index).2 == Task::Enter).unwrap_or(end);
    let first = if to == from {
        Work::Folder { position: Some((Arc::clone(&dir), from)), rules: rules.clone() }
    } else {
        Work::Batch { dir: Arc::clone(&dir), range: from..to }
    };
    (first, entries(dir, to.max(from + 1), rules))
}

/// The entries of a folder from one on, or what follows the last.
pub(super) fn entries(dir: Arc<Dir>, from: usize, rules: Rules) -> Option<Work> {
    if from < dir.entries.iter().len() {
        return Some(Work::Entries { dir, from, rules });
    }
    let rest = dir.rest.clone()?;
    Some(Work::Rest { position: dir.position.clone(), rules, rest })
}
