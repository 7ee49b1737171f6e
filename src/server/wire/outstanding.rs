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
use crate::limits::{
    CALLS_AT_ONCE, OUTSTANDING_BYTES, REQUESTS_AT_ONCE, UNREAD_ANSWER_BYTES, WAITING_BYTES, WAITING_LINES,
};

/// Bytes that one permit of the semaphore stands for: its permits are counted in 32 bits.
const UNIT_BYTES: usize = 1024;

/// The right to be worked on, for one request.
#[derive(Debug, Clone)]
pub(in crate::server) struct Permit(Arc<Held>);

#[derive(Debug)]
struct Held {
    _number: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
    answer_bytes: AtomicUsize,
    unread: Arc<UnreadAnswers>,
}

/// The bytes of the answers that are made and not yet written.
#[derive(Debug, Default)]
pub(super) struct UnreadAnswers(watch::Sender<usize>);

impl Permit {
    /// Waits while the client leaves too many answers unread for another one to be made.
    pub(in crate::server) async fn wait_for_client(&self) {
        let mut bytes = self.0.unread.0.subscribe();
        let _sender_is_held_here = bytes.wait_for(|bytes| *bytes < UNREAD_ANSWER_BYTES).await;
    }

    /// Counts the bytes of the request's answer, until it is written.
    pub(in crate::server) fn count_answer(&self, bytes: usize) {
        self.0.answer_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.0.unread.0.send_modify(|all| *all += bytes);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let bytes = *self.answer_bytes.get_mut();
        if bytes > 0 {
            self.unread.0.send_modify(|all| *all -= bytes);
        }
    }
}

/// Requests of one kind, in the order in which they came.
#[derive(Debug)]
pub(super) struct Queue {
    number: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    unread: Arc<UnreadAnswers>,
    waiting: VecDeque<Line>,
    waiting_bytes: usize,
}

impl Queue {
    /// The queue of calls, which may take long.
    pub(super) fn of_calls(unread: Arc<UnreadAnswers>) -> Self {
        Self::new(CALLS_AT_ONCE, unread)
    }

    /// The queue of all other requests: they take no time, so one waits only where answers are not read.
    pub(super) fn of_other_requests(unread: Arc<UnreadAnswers>) -> Self {
        Self::new(REQUESTS_AT_ONCE, unread)
    }

    fn new(number: usize, unread: Arc<UnreadAnswers>) -> Self {
        let bytes = Semaphore::new(OUTSTANDING_BYTES / UNIT_BYTES);
        let (number, bytes) = (Arc::new(Semaphore::new(number)), Arc::new(bytes));
        Self { number, bytes, unread, waiting: VecDeque::new(), waiting_bytes: 0 }
    }

    /// True if one more line may wait.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < WAITING_LINES && self.waiting_bytes < WAITING_BYTES
    }

    /// Adds a line at the end.
    pub(super) fn push(&mut self, line: Line) {
        self.waiting_bytes += line.bytes.len();
        self.waiting.push_back(line);
    }

    /// Waits until the first line has a permit, and takes it. For ever, while no line waits.
    ///
    /// Dropped while it waits, it loses nothing.
    pub(super) async fn next(&mut self) -> (Line, Permit) {
        let Some(first) = self.waiting.front() else { return std::future::pending().await };
        let units = u32::try_from(first.bytes.len().div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let number = Arc::clone(&self.number).acquire_owned().await;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(units).await;
        match (self.pop(), number, bytes) {
            (Some(line), Ok(number), Ok(bytes)) => {
                let (answer_bytes, unread) = (AtomicUsize::new(0), Arc::clone(&self.unread));
                (line, Permit(Arc::new(Held { _number: number, _bytes: bytes, answer_bytes, unread })))
            }
            _ => std::future::pending().await, // a semaphore that is never closed does not fail
        }
    }

    /// Takes the first line, permit or not.
    pub(super) fn pop(&mut self) -> Option<Line> {
        let line = self.waiting.pop_front()?;
        self.waiting_bytes -= line.bytes.len();
        Some(line)
    }

    /// Removes the request of that id, where it still waits.
    pub(super) fn cancel(&mut self, id: &rmcp::model::RequestId) {
        self.waiting.retain(|line| line.envelope.id().as_ref() != Some(id));
        self.waiting_bytes = self.waiting.iter().map(|line| line.bytes.len()).sum();
    }
}
