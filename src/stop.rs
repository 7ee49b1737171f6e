//! Stops the work of a call before it is complete: the call is cancelled, or its deadline passes.
//!
//! The two states differ. The results of a cancelled call are discarded. At the deadline, a call starts no new work and
//! returns its results so far.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// The longest time of a call, about 30 years. Later times may not be representable.
const FAR: Duration = Duration::from_hours(24 * 365 * 30);

/// The time at which a call of read, grep, find or ls returns its results so far. A command has time limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The start of the call.
    pub start: Instant,
    /// The total time of the call.
    pub limit: Duration,
}

impl Deadline {
    /// Creates the deadline of a call that started at `start` and may take `limit`.
    pub fn new(start: Instant, limit: Duration) -> Self {
        Self { start, limit: limit.min(FAR) }
    }

    /// Returns the remaining time: zero after the deadline.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.start.elapsed())
    }

    /// Returns true after the deadline.
    pub fn has_passed(&self) -> bool {
        self.start.elapsed() >= self.limit
    }
}

/// The reason why work stops before it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The call was cancelled, or no more results are needed.
    #[error("the call was cancelled")]
    Cancelled,
    /// The deadline passed.
    #[error("the deadline passed")]
    Late,
}

/// Checked by the work of a call to find out when to stop.
#[derive(Debug, Clone)]
pub struct Stop {
    cancel: CancellationToken,
    deadline: Deadline,
}

impl Stop {
    /// Creates a value that stops work when `cancel` fires or `deadline` passes.
    pub fn new(cancel: CancellationToken, deadline: Deadline) -> Self {
        Self { cancel, deadline }
    }

    /// Checks whether the work must stop.
    ///
    /// # Errors
    ///
    /// Returns the reason. A call that is cancelled after its deadline counts as cancelled.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if self.deadline.has_passed() {
            Err(Stopped::Late)
        } else {
            Ok(())
        }
    }

    /// Returns true if the call was cancelled, or if no more results are needed.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Cancels the remaining work.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Returns the deadline.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Returns the same with a later deadline.
    #[must_use]
    pub fn extended(&self, grace: Duration) -> Self {
        let Deadline { start, limit } = self.deadline;
        Self { cancel: self.cancel.clone(), deadline: Deadline { start, limit: limit + grace } }
    }
}

impl Default for Stop {
    /// Returns a value that stops work only if it is cancelled.
    fn default() -> Self {
        Self::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::MAX))
    }
}

impl From<Stopped> for std::io::Error {
    fn from(stopped: Stopped) -> Self {
        Self::other(stopped)
    }
}

/// Returns the reason if `error` was caused by stopped work.
pub fn stopped_by(error: &std::io::Error) -> Option<Stopped> {
    error.get_ref()?.downcast_ref().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_and_cancelled_are_different() {
        let stop = Stop::default();
        assert_eq!(stop.check(), Ok(()));
        assert!(stop.deadline().left() > Duration::from_hours(1));
        let late = Stop::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::ZERO));
        assert_eq!(late.check(), Err(Stopped::Late));
        assert_eq!(late.extended(Duration::from_hours(1)).check(), Ok(()));
        late.cancel();
        assert_eq!(late.check(), Err(Stopped::Cancelled));
        assert_eq!(stopped_by(&Stopped::Late.into()), Some(Stopped::Late));
    }
}
