//! Limits on concurrent work.
//!
//! A call waits for a permit of its kind. Searches have separate permits, so that `read` never waits for the end of a
//! walk. Commands need no permit here: they have their own permits (`process::Commands::permit`).

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::tools::{Load, ToolError};

/// Number of concurrent reads and listings for each thread of a search. It is above one because they may wait for a
/// disk.
const LIGHT_PER_WORKER: usize = 4;

/// Number of concurrent searches for each thread of a search.
const SEARCHES_PER_WORKER: usize = 2;

/// The permits for each kind of work.
#[derive(Debug)]
pub(super) struct WorkPermits {
    /// For reads and listings.
    light: Semaphore,
    /// For reads of images. Only one image at a time, because the bound on memory is for one image.
    image: Semaphore,
    /// For searches. More permits than threads of a search, so that searches that wait for a disk or their deadline do
    /// not block others.
    heavy: Semaphore,
    /// For searches across lines. They have one permit of their own, so that they never block other searches.
    across_lines: Semaphore,
}

impl WorkPermits {
    /// Creates the permits. `workers` is the number of threads that one search may use: by default, one for each
    /// processor.
    pub(super) fn new(workers: usize) -> Self {
        let workers = workers.max(1);
        Self {
            light: Semaphore::new(workers * LIGHT_PER_WORKER),
            image: Semaphore::new(1),
            heavy: Semaphore::new(workers * SEARCHES_PER_WORKER),
            across_lines: Semaphore::new(1),
        }
    }

    /// Waits for a permit. Returns an error if the call is cancelled.
    pub(super) async fn acquire(
        &self,
        load: Load,
        cancel: &CancellationToken,
    ) -> Result<SemaphorePermit<'_>, ToolError> {
        let permit = cancel.run_until_cancelled(self.of(load).acquire()).await.and_then(Result::ok);
        permit.ok_or(ToolError::Cancelled)
    }

    fn of(&self, load: Load) -> &Semaphore {
        match load {
            Load::Light => &self.light,
            Load::Image => &self.image,
            Load::Heavy => &self.heavy,
            Load::AcrossLines => &self.across_lines,
        }
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
    fn permits_are_for_each_thread() {
        let permits = WorkPermits::new(3);
        let kinds = [Load::Light, Load::Image, Load::Heavy, Load::AcrossLines];
        let available = kinds.map(|load| permits.of(load).available_permits());
        assert_eq!(available, [12, 1, 6, 1]);
    }

    #[test]
    fn searches_across_lines_leave_permits_for_others() {
        let permits = WorkPermits::new(1);
        let cancel = CancellationToken::new();
        let load = |given: serde_json::Value| {
            let given = arguments::check("grep", ToolName::Grep.schema(), given.as_object().unwrap());
            arguments::typed::<grep::GrepArgs>(given.unwrap().arguments).unwrap().load()
        };
        let across = load(json!({"pattern": "a", "multiline": true}));
        let within = load(json!({"pattern": "a"}));
        assert_eq!(load(json!({"pattern": "a", "multiline": "true"})), Load::AcrossLines);
        let mut nothing = Context::from_waker(Waker::noop());
        let mut first = pin!(permits.acquire(across, &cancel));
        let Poll::Ready(Ok(permit)) = first.as_mut().poll(&mut nothing) else { panic!("no permit") };
        let mut second = pin!(permits.acquire(across, &cancel));
        assert!(second.as_mut().poll(&mut nothing).is_pending());
        let mut other = pin!(permits.acquire(within, &cancel));
        assert!(other.as_mut().poll(&mut nothing).is_ready());
        drop(permit);
        assert!(second.as_mut().poll(&mut nothing).is_ready());
    }
}
