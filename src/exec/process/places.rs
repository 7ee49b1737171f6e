//! How many commands run at once: as many as there are descriptors for.

use std::io;
use std::sync::Arc;

use rustix::process::{Resource, getrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Descriptors that the server itself, its files and its reserve need.
const OWN: u64 = 40;
/// Descriptors that one command needs at most, while it starts.
const EACH: u64 = 8;
/// The least and the most commands that may run at once.
const BOUNDS: (u64, u64) = (4, 256);

/// The places of all commands that run.
#[derive(Debug)]
pub(super) struct Places(Arc<Semaphore>);

/// A command's place among those that run; dropped, another may take it.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

impl Places {
    /// As many as this process's limit allows for.
    pub(super) fn new() -> Self {
        let limit = getrlimit(Resource::Nofile).current;
        Self(Arc::new(Semaphore::new(usize::try_from(count(limit)).unwrap_or(Semaphore::MAX_PERMITS))))
    }

    /// Waits for one, in the order of asking.
    pub(super) async fn take(&self) -> io::Result<Place> {
        let permit = Arc::clone(&self.0).acquire_owned().await.map_err(io::Error::other)?;
        Ok(Place { _permit: permit })
    }
}

/// How many commands may run where so many files may be open; `None` is without a limit.
fn count(limit: Option<u64>) -> u64 {
    let (least, most) = BOUNDS;
    limit.map_or(most, |limit| (limit.saturating_sub(OWN) / EACH).clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_descriptors_allow() {
        let cases = [(Some(0), 4), (Some(64), 4), (Some(256), 27), (Some(1024), 123), (Some(65_536), 256)];
        for (limit, expected) in cases {
            assert_eq!(count(limit), expected, "{limit:?}");
        }
        assert_eq!(count(None), 256);
    }
}
