//! The workers of a walk. A worker repeatedly lists a folder or visits some entries.
#![expect(clippy::indexing_slicing, reason = "paths for the rules start with their base")]

use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::dir::{self, Dir, OpenDirs, Position, Task};
use super::queue::{Item, Work};
use super::{Entry, Searched, SharedWalk, Visit, Walked};
use crate::blocking::Waiting;
use crate::fs::listing::{Listing, Order};
use crate::search::ignore_rules::{GIT, IgnoreRules, RuleFilesPresent};
use crate::stop::stopped_by;
use crate::sys::{self, FileKind, Folder};

/// Bytes of results of one piece of work from which its worker passes them on.
const MAX_PIECE_RESULT_BYTES: usize = 1024 * 1024;
/// Size in bytes of the buffer for names from the kernel.
const BUFFER_BYTES: usize = 64 * 1024;

/// Starts a worker.
pub(super) fn start<V: Visit>(shared: &Arc<SharedWalk<V>>, id: usize) -> io::Result<Waiting> {
    let shared = Arc::clone(shared);
    shared.walk.threads.clone().start(move || {
        let work = AssertUnwindSafe(|| {
            let mut worker = Worker::new(&shared, id);
            while worker.step() {}
        });
        if let Err(panic) = catch_unwind(work) {
            shared.lock().panic = Some(panic);
            shared.head_changed.notify_all();
        }
    })
}

/// One worker of a walk.
pub(super) struct Worker<'a, V: Visit> {
    shared: &'a SharedWalk<V>,
    /// The index of the worker.
    id: usize,
    /// True for the first worker until there is work for others.
    is_sole: bool,
    visitor: V,
    /// The buffer for the names of a folder.
    buffer: Vec<u8>,
    open: OpenDirs<'a>,
    /// The path of a folder with a `/` at the end, followed by the name of an entry. It starts with the base of the
    /// ignore rules: it is absolute, or relative to the root of the walk if there are no rules.
    path: Vec<u8>,
    /// Length of the folder's path, including the `/`.
    path_len: usize,
}

impl<'a, V: Visit> Worker<'a, V> {
    /// Creates a worker. The first one lists the root.
    pub(super) fn new(shared: &'a SharedWalk<V>, id: usize) -> Self {
        let mut worker = Self {
            shared,
            id,
            is_sole: id == 0,
            visitor: (shared.new_visitor)(),
            buffer: Vec::with_capacity(BUFFER_BYTES),
            open: OpenDirs::new(&shared.walk.root),
            path: Vec::new(),
            path_len: 0,
        };
        if id == 0 {
            worker.enter(&None, shared.walk.rules.clone());
        }
        worker
    }

    /// Processes the next piece of work. Returns false when the walk is complete or must stop.
    pub(super) fn step(&mut self) -> bool {
        let Some(Work { dir, range, rules }) = self.next() else { return false };
        if dir.entries.get(range.start).2 == Task::Enter {
            self.enter(&Some((dir, range.start)), rules);
        } else {
            self.visit(&dir, range);
        }
        true
    }

    /// Waits for the next piece of work. Returns `None` when the walk is complete or must stop.
    fn next(&mut self) -> Option<Work> {
        let SharedWalk { walk, idle, work_changed, head_changed, .. } = self.shared;
        let mut queue = self.shared.lock();
        while walk.stop.check().is_ok() && !queue.is_empty() {
            if let Some(next) = queue.next(self.id) {
                let is_idle = idle.load(Ordering::Relaxed) > 0 && !queue.is_full();
                if (is_idle || self.is_sole) && queue.has_pending() {
                    // The calling thread starts the other workers. Each worker that continues wakes another one.
                    if std::mem::take(&mut self.is_sole) { head_changed } else { work_changed }.notify_one();
                }
                return Some(next);
            }
            queue = self.shared.wait_for_work(queue);
        }
        work_changed.notify_all();
        None
    }

    /// Ends the current piece of work.
    fn finish(&self, found: Vec<Walked<V::Result>>, done: Searched, next: Option<Item<Walked<V::Result>>>) {
        let bytes = found.iter().map(weight::<V>).sum();
        // The lock is released first. Otherwise the calling thread would wake up and wait for it.
        let is_ready = self.shared.lock().finish(self.id, (found, bytes), done, next);
        if is_ready {
            self.shared.head_changed.notify_one();
        }
    }

    /// Enters a folder: lists it, and makes its entries pending work.
    fn enter(&mut self, position: &Position, rules: IgnoreRules) {
        let (mut found, mut done) = (Vec::new(), Searched::default());
        let next = match self.list(position.clone(), rules, &mut found, &mut done.names) {
            Ok(work) => (!work.range.is_empty()).then_some(Item::Pending(work)),
            // The folder was removed or replaced after its name was read. It is treated as if it never existed.
            Err(error) if sys::is_gone(&error) && position.is_some() => None,
            Err(error) if stopped_by(&error).is_some() => {
                Some(Item::Unfinished(position.clone(), Vec::new()))
            }
            Err(_) => {
                found.push(Walked::Unreadable(dir::path(position)));
                None
            }
        };
        self.finish(found, done, next);
    }

    /// Returns the work in a folder. Adds the items that precede its entries to `found`. Sets `listed` to the number of
    /// names in the folder.
    fn list(
        &mut self,
        position: Position,
        mut rules: IgnoreRules,
        found: &mut Vec<Walked<V::Result>>,
        listed: &mut u64,
    ) -> io::Result<Work> {
        self.path = [self.shared.walk.rules.base(), &dir::path(&position)].concat();
        if position.is_some() {
            self.path.push(b'/');
        }
        self.path_len = self.path.len();
        let folder = self.open.open(&position)?;
        let mut entries = Listing::new(Order::Bytes);
        let (names, files) = self.add_tasks(&folder, &mut entries)?;
        (self.shared.walk.progress)(names);
        *listed = names as u64;
        // With `noIgnore`, linked work trees are searched too.
        if position.is_some() && !rules.base().is_empty() && files.is_linked_work_tree(&folder, &self.path) {
            found.push(Walked::WorkTree(dir::path(&position)));
            entries = Listing::new(Order::Bytes);
        }
        if position.is_some() && rules.takes_all_of(&self.path[..self.path_len - 1]) {
            rules = IgnoreRules::none();
        }
        found.extend(rules.enter(&folder, self.path_len, files).then_some(Walked::RulesSkipped));
        entries.retain(|name, kind| {
            self.path.truncate(self.path_len);
            self.path.extend_from_slice(name);
            !rules.leaves_out(&self.path, kind == FileKind::Folder)
        });
        entries.sort(usize::MAX);
        let dir = Arc::new(Dir { position, entries });
        self.open.keep(&dir, folder);
        Ok(Work::new(dir, rules))
    }

    /// Adds the tasks for the entries of a folder to `entries`. Returns the number of names in the folder, and its rule
    /// files.
    fn add_tasks(
        &mut self,
        folder: &Folder,
        entries: &mut Listing<Task>,
    ) -> io::Result<(usize, RuleFilesPresent)> {
        let (walk, visitor) = (&self.shared.walk, &self.visitor);
        let base_len = walk.rules.base().len();
        let (path, path_len) = (&mut self.path, self.path_len);
        let (mut names, mut files) = (0, RuleFilesPresent::default());
        let mut stopped = Ok(());
        sys::each_name(folder, &mut self.buffer, |name, kind| {
            files.see(name);
            if name == GIT {
                return ControlFlow::Continue(());
            }
            names += 1;
            if kind == FileKind::Link {
                walk.has_links.store(true, Ordering::Relaxed);
            }
            path.truncate(path_len);
            path.extend_from_slice(name);
            let path_in_walk = &path[base_len..];
            if visitor.wants(path_in_walk, kind) {
                entries.push(name, kind, Task::Visit);
            }
            if kind == FileKind::Folder && visitor.enters(path_in_walk) {
                entries.push(name, kind, Task::Enter);
            }
            if names % 4096 == 0 {
                stopped = walk.stop.check();
            }
            if stopped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        stopped?;
        Ok((names, files))
    }

    /// Visits the entries of a range. Ends early if the walk stops.
    fn visit(&mut self, dir: &Arc<Dir>, range: Range<usize>) {
        let Self { shared, id, visitor, open, .. } = self;
        let (shared, id, stop) = (*shared, *id, &shared.walk.stop);
        let (mut found, mut done, mut next) = (Vec::new(), Searched::default(), None);
        let mut bytes = 0;
        for index in range {
            // The number of results of complete entries.
            let mut complete = found.len();
            let mut is_stopped = false;
            let mut emit = |one| {
                let one = Walked::Found(one);
                bytes += weight::<V>(&one);
                found.push(one);
                if bytes <= MAX_PIECE_RESULT_BYTES {
                    return ControlFlow::Continue(());
                }
                (bytes, complete) = (0, 0);
                let flow = send(shared, id, std::mem::take(&mut found));
                is_stopped = flow.is_break();
                flow
            };
            let mut entry = Entry { dir, index, open };
            match visitor.visit(&mut entry, stop, &mut emit) {
                Ok(searched) if !is_stopped => {
                    done.visited += 1;
                    done.bytes += searched;
                }
                Err(error) if !is_stopped && stopped_by(&error).is_none() => {
                    found.push(Walked::Unreadable(entry.path()));
                    done.visited += 1;
                }
                _ => {
                    let part = found.split_off(complete.min(found.len()));
                    next = Some(Item::Unfinished(Some((Arc::clone(dir), index)), part));
                    break;
                }
            }
        }
        (shared.walk.progress)(0); // no names, but a sign that the walk continues
        self.finish(found, done, next);
    }
}

/// Passes on the first results of a piece of work. Then waits if the queue is full. Breaks if the walk stops.
fn send<V: Visit>(shared: &SharedWalk<V>, worker: usize, found: Vec<Walked<V::Result>>) -> ControlFlow<()> {
    let bytes = found.iter().map(weight::<V>).sum();
    let mut queue = shared.lock();
    queue.add_part(worker, found, bytes);
    if queue.is_ready() {
        shared.head_changed.notify_all();
    }
    while queue.must_wait(worker) {
        if shared.walk.stop.check().is_err() {
            return ControlFlow::Break(());
        }
        queue = shared.wait_for_work(queue);
    }
    ControlFlow::Continue(())
}

/// Returns the number of bytes that a result uses until its turn.
fn weight<V: Visit>(one: &Walked<V::Result>) -> usize {
    let of_it = match one {
        Walked::Found(found) => V::weight(found),
        Walked::Unreadable(path) | Walked::WorkTree(path) => path.len(),
        _ => 0,
    };
    size_of::<Walked<V::Result>>() + of_it
}
