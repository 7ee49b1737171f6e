//! Ends the work of a call: at its own end or at its deadline, whichever is first.

use std::sync::{Arc, Mutex, PoisonError};

use super::ToolError;

/// Builds the result of a call. Runs once: at the end of the work, or at the deadline if a thread is blocked in the system
/// at that time.
#[derive(Debug)]
pub struct Conclusion<T>(Arc<Mutex<State<T>>>);

/// Builds the result.
type Conclude<T> = Box<dyn FnOnce() -> Result<T, ToolError> + Send>;

enum State<T> {
    /// There is nothing to build a result from yet.
    NotPrepared,
    Prepared(Conclude<T>),
    Taken,
}

/// The state of a call's work at its deadline.
pub(super) enum AtDeadline<T> {
    /// Nothing was found.
    Nothing,
    /// Results were found.
    Conclude(Conclude<T>),
    /// The work is about to return its result.
    Concluding,
}

impl<T> Conclusion<T> {
    /// Sets the function that builds the result from now on.
    pub fn prepare(&self, conclude: impl FnOnce() -> Result<T, ToolError> + Send + 'static) {
        self.with(|state| *state = State::Prepared(Box::new(conclude)));
    }

    /// Builds the result at the end of the work.
    ///
    /// # Errors
    ///
    /// Returns the error of the prepared function. Returns [`ToolError::Cancelled`] if the deadline was first, because
    /// no one waits for this result.
    pub fn conclude(&self) -> Result<T, ToolError> {
        match self.with(|state| std::mem::replace(state, State::Taken)) {
            State::Prepared(conclude) => conclude(),
            State::NotPrepared | State::Taken => Err(ToolError::Cancelled),
        }
    }

    /// Returns what to do at the deadline.
    pub(super) fn at_deadline(&self) -> AtDeadline<T> {
        match self.with(|state| std::mem::replace(state, State::Taken)) {
            State::NotPrepared => AtDeadline::Nothing,
            State::Prepared(conclude) => AtDeadline::Conclude(conclude),
            State::Taken => AtDeadline::Concluding,
        }
    }

    fn with<R>(&self, change: impl FnOnce(&mut State<T>) -> R) -> R {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Conclusion<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Conclusion<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State::NotPrepared)))
    }
}

impl<T> std::fmt::Debug for State<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotPrepared => "NotPrepared",
            Self::Prepared(_) => "Prepared",
            Self::Taken => "Taken",
        })
    }
}
