//! Limits on concurrent work.
//!
//! A call waits for a permit of its kind. Searches have separate permits, so that `read` never waits for the end of a walk.
//! Commands need no permit here: they have their own permits (`process::Commands::permit`).

use std::collections::HashMap;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::tools::{Load, ToolError};

/// Number of concurrent reads and listings for each processor. It is above one because they may wait for a disk.
const LIGHT_PER_WORKER: usize = 4;

/// Number of concurrent searches for each processor.
const SEARCHES_PER_WORKER: usize = 2;

/// The permits for each kind of work. Other kinds need no permit.
#[derive(Debug)]
pub(super) struct ConcurrencyLimits(HashMap<Load, Semaphore>);

impl ConcurrencyLimits {
    /// Creates the permits for `workers` processors.
    pub(super) fn new(workers: usize) -> Self {
        let workers = workers.max(1);
        let permits = [
            (Load::Light, workers * LIGHT_PER_WORKER),
            // Only one image at a time, because the bound on memory is for one image.
            (Load::Image, 1),
            // More permits than processors, so that searches that wait for a disk or their deadline do not block
            // others.
            (Load::Heavy, workers * SEARCHES_PER_WORKER),
            // These searches have a separate permit, so that they never block others.
            (Load::AcrossLines, 1),
        ];
        Self(permits.into_iter().map(|(load, most)| (load, Semaphore::new(most))).collect())
    }

    /// Waits for a permit. Returns `None` if this kind of work needs none, and an error if the call is cancelled.
    pub(super) async fn acquire(
        &self,
        load: Load,
        cancel: &CancellationToken,
    ) -> Result<Option<SemaphorePermit<'_>>, ToolError> {
        let Some(permits) = self.0.get(&load) else { return Ok(None) };
        let permit = cancel.run_until_cancelled(permits.acquire()).await.and_then(Result::ok);
        permit.map(Some).ok_or(ToolError::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{ToolName, arguments, grep};
    use serde_json::json;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn permits_are_for_each_processor() {
        let limits = ConcurrencyLimits::new(3).0;
        let kinds = [Load::Light, Load::Image, Load::Heavy, Load::AcrossLines];
        let permits = kinds.map(|load| limits[&load].available_permits());
        assert_eq!(permits, [12, 1, 6, 1]);
    }

    #[test]
    fn searches_across_lines_leave_permits_for_others() {
        let limits = ConcurrencyLimits::new(1);
        let cancel = CancellationToken::new();
        let load = |given: serde_json::Value| {
            let given = arguments::check("grep", ToolName::Grep.schema(), given.as_object().unwrap());
            arguments::typed::<grep::Args>(given.unwrap().arguments).unwrap().load()
        };
        let across = load(json!({"pattern": "a", "multiline": true}));
        let within = load(json!({"pattern": "a"}));
        assert_eq!(load(json!({"pattern": "a", "multiline": "true"})), Load::AcrossLines);
        let mut nothing = Context::from_waker(Waker::noop());
        let mut first = pin!(limits.acquire(across, &cancel));
        let Poll::Ready(Ok(permit)) = first.as_mut().poll(&mut nothing) else { panic!("no permit") };
        let mut second = pin!(limits.acquire(across, &cancel));
        assert!(second.as_mut().poll(&mut nothing).is_pending());
        let mut other = pin!(limits.acquire(within, &cancel));
        assert!(other.as_mut().poll(&mut nothing).is_ready());
        drop(permit);
        assert!(second.as_mut().poll(&mut nothing).is_ready());
    }
}
