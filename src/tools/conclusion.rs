//! Concludes the work of a call, at its end or at its deadline, whichever comes first.

use std::sync::{Mutex, PoisonError};

use super::ToolError;

/// Builds the result of a call once: at the end of the work, or at the deadline if a thread is then blocked in the
/// system.
pub struct Conclusion<T>(Mutex<State<T>>);

/// Builds the result.
type Conclude<T> = Box<dyn FnOnce() -> Result<T, ToolError> + Send>;

/// The state of a call's work.
pub(super) enum State<T> {
    /// Nothing was found so far.
    NotPrepared,
    /// Results were found.
    Prepared(Conclude<T>),
    /// The result is being built.
    Taken,
}

impl<T> Conclusion<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State::NotPrepared))
    }

    /// Sets the function that builds the result from now on.
    pub fn prepare(&self, conclude: impl FnOnce() -> Result<T, ToolError> + Send + 'static) {
        self.replace(State::Prepared(Box::new(conclude)));
    }

    /// Builds the result at the end of the work.
    ///
    /// # Errors
    ///
    /// Returns the error of the prepared function. Returns [`ToolError::Cancelled`] if the deadline came first, because
    /// nothing waits for this result.
    pub fn conclude(&self) -> Result<T, ToolError> {
        match self.take() {
            State::Prepared(conclude) => conclude(),
            State::NotPrepared | State::Taken => Err(ToolError::Cancelled),
        }
    }

    /// Takes the function that builds the result, if it is there.
    pub(super) fn take(&self) -> State<T> {
        self.replace(State::Taken)
    }

    fn replace(&self, state: State<T>) -> State<T> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

impl<T> std::fmt::Debug for Conclusion<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Conclusion")
    }
}
