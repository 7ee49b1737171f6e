//! How much work on the processor runs at a time.
//!
//! A call waits for a place in its lane. Searches have a lane of their own, so that a page of a
//! file never waits for the end of a walk; a command waits on its child, not on the processor, and
//! needs no place.

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::tools::{ToolError, ToolName};

/// Reads and listings at a time, for each processor: they may wait on a disk.
const LIGHT_PER_WORKER: usize = 4;

/// The places.
#[derive(Debug)]
pub(super) struct ConcurrencyLimits {
    light: Semaphore,
    heavy: Semaphore,
}

impl ConcurrencyLimits {
    /// Places for so many processors.
    pub(super) fn new(workers: usize) -> Self {
        let light = Semaphore::new(workers.max(1) * LIGHT_PER_WORKER);
        Self { light, heavy: Semaphore::new(workers.max(1)) }
    }

    /// Waits for a place, until the call is taken back.
    pub(super) async fn enter(
        &self,
        tool: ToolName,
        cancel: &CancellationToken,
    ) -> Result<Option<SemaphorePermit<'_>>, ToolError> {
        let lane = match tool {
            ToolName::Bash => return Ok(None),
            ToolName::Read | ToolName::Ls => &self.light,
            ToolName::Grep | ToolName::Find => &self.heavy,
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ToolError::Cancelled),
            place = lane.acquire() => place.map(Some).map_err(|_closed| ToolError::Cancelled),
        }
    }
}
