//! Learns the timeout of a client from calls that it cancels with a timeout as the reason.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{CancelledNotificationParam, RequestId};

use crate::fit;

/// Minimum time for results. A shorter learned timeout is ignored, because no call could return in time.
const MIN_WAIT: Duration = Duration::from_secs(1);
/// Number of calls with a stored start time: the latest ones. The timeout of a call is not learned if this many calls
/// start while it runs.
const CALLS: usize = 512;

/// The timeout of the client, if it is known.
#[derive(Debug, Default)]
pub(super) struct LearnedTimeout(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The start times of the latest calls, including finished calls, because a cancellation can arrive after the end.
    calls: VecDeque<(RequestId, Instant)>,
    client_timeout: Option<Duration>,
}

impl LearnedTimeout {
    /// Records the start of a call.
    pub(super) fn record_start(&self, id: &RequestId) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.calls.len() == CALLS {
            state.calls.pop_front();
        }
        state.calls.push_back((id.clone(), Instant::now()));
    }

    /// Learns the timeout from a cancellation, if its reason is a timeout.
    pub(super) fn learn(&self, cancelled: &CancelledNotificationParam) {
        let reason = cancelled.reason.as_deref().unwrap_or_default().to_lowercase();
        if !["timed out", "timeout"].iter().any(|words| reason.contains(words)) {
            return;
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let call = state.calls.iter().rev().find(|(id, _)| Some(id) == cancelled.request_id.as_ref());
        let Some(waited) = call.map(|(_, came)| came.elapsed()) else { return };
        let within = fit::answer_within(waited);
        if within >= MIN_WAIT {
            state.client_timeout = Some(waited);
            tracing::info!(
                seconds = within.as_secs(),
                "a call exceeded the client's timeout: later calls return within this time"
            );
        }
    }

    /// Returns the learned timeout of the client, if it is known.
    pub(super) fn client_timeout(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).client_timeout
    }
}
