//! What a walk has still to do and what it has found already, in the walk's order.
//!
//! Each item has a key, and the order of the keys is the order of the results: what becomes of an
//! item takes its place. Workers take the first item that waits, so that they look ahead of the
//! front no further than they must; what they find there is held, up to a bound. The front-most item
//! may always be worked on, so that there is always somebody who goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::fs::folder::{Listing, Task};
use crate::search::ignore_rules::Rules;

/// Entries that are visited in one go.
const BATCH: usize = 32;
/// Bytes that may be held for their turn before only the front is worked on.
const HELD_BYTES: usize = 4 * 1024 * 1024;
/// Items that may be held for their turn.
const HELD_ITEMS: usize = 1024;

/// Where an item stands: at each level, its place among what its folder became.
pub(super) type Key = Vec<u32>;

/// Something to do.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// A folder to read.
    Folder { path: Vec<u8>, rules: Rules },
    /// The entries of a folder from one on.
    Entries { listing: Arc<Listing>, from: usize, rules: Rules },
    /// Consecutive entries to visit.
    Batch { listing: Arc<Listing>, from: usize, to: usize },
    /// As `Batch`, of which one gave more than may be held: only for the front.
    Streamed { listing: Arc<Listing>, from: usize, to: usize },
}

#[derive(Debug)]
enum Item<F> {
    Pending(Work),
    Running,
    Found { found: Vec<F>, weight: usize },
}

/// The items of a walk.
#[derive(Debug)]
pub(super) struct Queue<F> {
    live: BTreeMap<Key, Item<F>>,
    pending: BTreeSet<Key>,
    held_bytes: usize,
    held_items: usize,
    /// Whether a worker is handing over what is ready.
    pub(super) draining: bool,
    /// How many workers wait for news.
    pub(super) waiting: usize,
}

/// What a queue has for a worker.
#[derive(Debug)]
pub(super) enum Next {
    /// This, in this place.
    Work(Key, Work),
    /// Nothing now.
    Wait,
    /// Nothing any more.
    Over,
}

impl<F> Queue<F> {
    pub(super) fn new(first: Work) -> Self {
        let key = vec![0];
        Self {
            live: BTreeMap::from([(key.clone(), Item::Pending(first))]),
            pending: BTreeSet::from([key]),
            held_bytes: 0,
            held_items: 0,
            draining: false,
            waiting: 0,
        }
    }

    /// The first thing that may be worked on.
    pub(super) fn next(&mut self) -> Next {
        let Some((front, _)) = self.live.first_key_value() else { return Next::Over };
        let full = self.is_full();
        let allowed = |key: &&Key| match self.live.get(*key) {
            // What was taken from the front before it may still be on its way to the sink.
            Some(Item::Pending(Work::Streamed { .. })) => *key == front && !self.draining,
            _ => *key == front || !full,
        };
        let Some(key) = self.pending.iter().find(allowed).cloned() else { return Next::Wait };
        self.pending.remove(&key);
        match self.live.insert(key.clone(), Item::Running) {
            Some(Item::Pending(Work::Entries { listing, from, rules })) => {
                self.split(key, listing, from, rules)
            }
            Some(Item::Pending(work)) => Next::Work(key, work),
            _ => Next::Wait,
        }
    }

    /// Takes the first part off a folder's entries; the rest stays, in the next place.
    fn split(&mut self, key: Key, listing: Arc<Listing>, from: usize, rules: Rules) -> Next {
        let enters = |index: usize| listing.get(index).is_none_or(|(_, _, task)| task == Task::Enter);
        let to = if enters(from) {
            from + 1
        } else {
            let end = (from + BATCH).min(listing.len());
            (from..end).find(|&index| enters(index)).unwrap_or(end)
        };
        if to < listing.len() {
            let mut rest = key.clone();
            if let Some(place) = rest.last_mut() {
                *place += 1;
            }
            let work = Work::Entries { listing: Arc::clone(&listing), from: to, rules: rules.clone() };
            self.add(rest, work);
        }
        match listing.get(from) {
            Some((name, _, Task::Enter)) => Next::Work(key, Work::Folder { path: listing.join(name), rules }),
            _ => Next::Work(key, Work::Batch { listing, from, to }),
        }
    }

    fn add(&mut self, key: Key, work: Work) {
        self.pending.insert(key.clone());
        self.live.insert(key, Item::Pending(work));
    }

    /// Ends the work in a place: what it found stays there, what it leads to follows.
    pub(super) fn finish(&mut self, key: Key, found: Vec<F>, weight: usize, then: Option<Work>) {
        if let Some(work) = then {
            let mut after = key.clone();
            after.push(0);
            self.add(after, work);
        }
        if found.is_empty() {
            self.live.remove(&key);
        } else {
            self.held_bytes += weight;
            self.held_items += 1;
            self.live.insert(key, Item::Found { found, weight });
        }
    }

    /// What was found at the front and is ready to be handed over.
    pub(super) fn ready(&mut self) -> Option<Vec<F>> {
        let front = self.live.first_entry()?;
        match front.get() {
            Item::Found { .. } => match front.remove() {
                Item::Found { found, weight } => {
                    self.held_bytes -= weight;
                    self.held_items -= 1;
                    Some(found)
                }
                Item::Pending(_) | Item::Running => None,
            },
            Item::Pending(_) | Item::Running => None,
        }
    }

    /// Whether so much is held that only the front may be worked on.
    pub(super) fn is_full(&self) -> bool {
        self.held_bytes > HELD_BYTES || self.held_items > HELD_ITEMS
    }

    /// Whether there is something for a second worker to take.
    pub(super) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}
