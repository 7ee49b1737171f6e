//! The client's patience, learned where nothing is known of it: a client that takes a call back because it
//! timed out tells by that how long it waits.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CancelledNotificationParam, RequestId};

/// Tenths of the time that the client waited within which further calls are answered.
const TENTHS: u32 = 9;
/// The shortest wait that is believed: nothing could be answered within less.
const MIN_WAIT: Duration = Duration::from_secs(1);
/// Calls whose start is remembered: more than run at once.
const CALLS: usize = 512;

/// The time that the client waits for an answer, as far as it showed.
#[derive(Debug, Default)]
pub(super) struct Patience(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When each of the last calls of bash came, also those that are over: the word that one was taken back
    /// may come after its end.
    calls: VecDeque<(RequestId, Instant)>,
    answer_within: Option<Duration>,
}

impl Patience {
    /// Notes when a call came.
    pub(super) fn note(&self, id: &RequestId) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.calls.len() == CALLS {
            state.calls.pop_front();
        }
        state.calls.push_back((id.clone(), Instant::now()));
    }

    /// Learns from a call that was taken back, if the reason is that it timed out.
    pub(super) fn learn(&self, taken_back: &CancelledNotificationParam) {
        let reason = taken_back.reason.as_deref().unwrap_or_default().to_lowercase();
        if !["timed out", "timeout"].iter().any(|words| reason.contains(words)) {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let call = state.calls.iter().rev().find(|(id, _)| Some(id) == taken_back.request_id.as_ref());
        let Some(within) = call.map(|(_, came)| came.elapsed() * TENTHS / 10) else { return };
        if within >= MIN_WAIT {
            state.answer_within = Some(within);
            tracing::info!(
                seconds = within.as_secs(),
                "the client gave a call up: further ones are answered within"
            );
        }
    }

    /// Returns the time within which calls are answered, if it is known.
    pub(super) fn answer_within(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answer_within
    }
}
