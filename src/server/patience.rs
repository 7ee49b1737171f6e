//! Learns the timeout of an unknown client from calls that it cancels because of its timeout.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CancelledNotificationParam, RequestId};

/// Tenths of the time that the client waited within which further calls are answered.
const TENTHS: u32 = 9;
/// The shortest wait that is believed: nothing could be answered within less.
const MIN_WAIT: Duration = Duration::from_secs(1);
/// Number of calls with a stored start time: more than can run at once.
const CALLS: usize = 512;

/// The timeout of the client, if it is known.
#[derive(Debug, Default)]
pub(super) struct Patience(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The start of each of the last calls, also of those that are over: their cancellation may come after their end.
    calls: VecDeque<(RequestId, Instant)>,
    client_timeout: Option<Duration>,
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

    /// Learns from a cancelled call, if the reason is a timeout.
    pub(super) fn learn(&self, taken_back: &CancelledNotificationParam) {
        let reason = taken_back.reason.as_deref().unwrap_or_default().to_lowercase();
        if !["timed out", "timeout"].iter().any(|words| reason.contains(words)) {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let call = state.calls.iter().rev().find(|(id, _)| Some(id) == taken_back.request_id.as_ref());
        let Some(waited) = call.map(|(_, came)| came.elapsed()) else { return };
        let within = answer_within(waited);
        if within >= MIN_WAIT {
            state.client_timeout = Some(waited);
            tracing::info!(
                seconds = within.as_secs(),
                "the client gave a call up: further ones are answered within"
            );
        }
    }

    /// Returns the time that the client waited for a result, if it is known.
    pub(super) fn client_timeout(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).client_timeout
    }
}

/// Returns the time within which a command returns its result to a client that waits so long.
pub(super) fn answer_within(client_timeout: Duration) -> Duration {
    client_timeout * TENTHS / 10
}
