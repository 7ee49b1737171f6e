//! Bounds on requests that are not answered yet: their number, their bytes, and the bytes of answers.
//!
//! rmcp starts a task for each request that it is given, without a limit. So a request is handed to it
//! with a [`Permit`], which is held until the answer is written, or until the handler has ended where
//! the call was cancelled. Requests without one wait as lines; past the bound on those the input is not
//! read, and the client waits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::lines::Line;
use crate::limits::{OUTSTANDING_BYTES, UNREAD_ANSWER_BYTES, WAITING_BYTES, WAITING_LINES};

/// Bytes that one permit of the semaphore stands for: its permits are counted in 32 bits.
const UNIT_BYTES: usize = 1024;

/// The bytes of the answers that are made and not yet written.
pub(super) type UnreadBytes = Arc<watch::Sender<usize>>;

/// The right to be worked on, for one request.
#[derive(Debug)]
pub(in crate::server) struct Permit {
    _number: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
    answer_bytes: AtomicUsize,
    unread_bytes: UnreadBytes,
}

impl Permit {
    /// Waits while the client leaves too many answers unread for another one to be made.
    pub(in crate::server) async fn wait_for_client(&self) {
        let mut unread = self.unread_bytes.subscribe();
        let _fewer = unread.wait_for(|bytes| *bytes < UNREAD_ANSWER_BYTES).await.is_ok();
    }

    /// Counts the bytes of the request's answer, until it is written.
    pub(in crate::server) fn count_answer(&self, bytes: usize) {
        self.answer_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.unread_bytes.send_modify(|unread| *unread += bytes);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let bytes = *self.answer_bytes.get_mut();
        self.unread_bytes.send_if_modified(|unread| {
            *unread -= bytes;
            bytes > 0
        });
    }
}

/// Requests of one kind, in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue {
    /// The number of requests that may be outstanding.
    most: u32,
    number: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    unread_bytes: UnreadBytes,
    waiting: VecDeque<Line>,
}

impl Queue {
    /// A queue of requests of which `most` may be outstanding.
    pub(super) fn new(most: u32, unread_bytes: UnreadBytes) -> Self {
        let bytes = Semaphore::new(OUTSTANDING_BYTES / UNIT_BYTES);
        let (number, bytes) = (Arc::new(Semaphore::new(most as usize)), Arc::new(bytes));
        Self { most, number, bytes, unread_bytes, waiting: VecDeque::new() }
    }

    /// True if one more line may wait.
    pub(super) fn has_room(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(|line| line.bytes.len()).sum();
        self.waiting.len() < WAITING_LINES && bytes < WAITING_BYTES
    }

    /// Adds a line at the end.
    pub(super) fn push(&mut self, line: Line) {
        self.waiting.push_back(line);
    }

    /// Takes the first line if there is a permit for it.
    pub(super) fn try_next(&mut self) -> Option<(Line, Arc<Permit>)> {
        let units = units(self.waiting.front()?);
        let number = Arc::clone(&self.number).try_acquire_owned().ok()?;
        let bytes = Arc::clone(&self.bytes).try_acquire_many_owned(units).ok()?;
        let (answer_bytes, unread_bytes) = (AtomicUsize::new(0), Arc::clone(&self.unread_bytes));
        let permit = Permit { _number: number, _bytes: bytes, answer_bytes, unread_bytes };
        Some((self.waiting.pop_front()?, Arc::new(permit)))
    }

    /// Waits until there may be a permit for the first line. For ever, while no line waits.
    pub(super) async fn may_go_on(&self) {
        let Some(first) = self.waiting.front() else { return std::future::pending().await };
        let _number = self.number.acquire().await;
        let _bytes = self.bytes.acquire_many(units(first)).await;
    }

    /// Waits until no request is outstanding. For ever, while a line waits.
    pub(super) async fn all_answered(&self) {
        if !self.waiting.is_empty() {
            return std::future::pending().await;
        }
        let _all = self.number.acquire_many(self.most).await;
    }

    /// Removes the request of that id, where it still waits.
    pub(super) fn cancel(&mut self, id: &rmcp::model::RequestId) {
        self.waiting.retain(|line| line.envelope.id().as_ref() != Some(id));
    }
}

/// Returns the permits of the semaphore of bytes that a line takes.
fn units(line: &Line) -> u32 {
    u32::try_from(line.bytes.len().div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}
