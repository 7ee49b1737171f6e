//! How many commands run, and how many leave something running: as many as there are descriptors for.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::sys::{self, OutputPipe};

/// Descriptors that the server itself, its files and its reserve need.
const OWN: u64 = 40;
/// Descriptors that one command needs at most, while it starts.
const EACH: u32 = 8;
/// Descriptors that stay open for what a command left running: its pipe, the saved output, and what
/// wakes the pipe's reader.
const STAYING: u32 = 1 + OutputPipe::DESCRIPTORS;
/// The least and the most commands that may run at once.
const BOUNDS: (u32, u32) = (4, 256);

/// The descriptors that commands may use, and who uses them.
#[derive(Debug)]
pub(super) struct CommandPermits {
    free: Arc<Semaphore>,
    all: u32,
    /// Commands that ended and left something that holds their output.
    stay: watch::Sender<u32>,
}

/// A command's place among those that run; dropped, another may take it.
#[derive(Debug)]
pub struct CommandPermit {
    permit: OwnedSemaphorePermit,
    stay: watch::Sender<u32>,
}

/// The part of a place that is still needed for what a command left running.
#[derive(Debug)]
pub(super) struct Staying {
    _permit: Option<OwnedSemaphorePermit>,
    stay: watch::Sender<u32>,
}

/// Waiting would not help: so many earlier commands left processes that hold their output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCommands(pub u32);

impl CommandPermits {
    /// As many as this process's limit allows for.
    pub(super) fn new() -> Self {
        Self::of(count(sys::most_open_files()))
    }

    fn of(all: u32) -> Self {
        let free = usize::try_from(all).unwrap_or(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(free)), all, stay: watch::Sender::new(0) }
    }

    /// How many commands can run at once.
    pub(super) fn at_once(&self) -> u32 {
        self.all / EACH
    }

    /// Waits for one, in the order of asking, while commands run that will make room.
    pub(super) async fn take(&self) -> Result<CommandPermit, TooManyCommands> {
        let mut stay = self.stay.subscribe();
        let full = |stay: &u32| stay.saturating_mul(STAYING).saturating_add(EACH) > self.all;
        tokio::select! {
            biased;
            Ok(permit) = Arc::clone(&self.free).acquire_many_owned(EACH) => {
                Ok(CommandPermit { permit, stay: self.stay.clone() })
            }
            stay = stay.wait_for(full) => Err(TooManyCommands(stay.map_or(0, |stay| *stay))),
        }
    }
}

impl CommandPermit {
    /// Gives back all but what a command's reader needs, which goes on.
    pub(super) fn staying(mut self) -> Staying {
        self.stay.send_modify(|stay| *stay += 1);
        let part = usize::try_from(STAYING).ok().and_then(|part| self.permit.split(part));
        Staying { _permit: part, stay: self.stay }
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        self.stay.send_modify(|stay| *stay -= 1);
    }
}

/// Descriptors for commands where so many files may be open; `None` is without a limit.
fn count(limit: Option<u64>) -> u32 {
    let (least, most) = (BOUNDS.0 * EACH, BOUNDS.1 * EACH);
    let free = limit.map_or(u64::MAX, |limit| limit.saturating_sub(OWN));
    u32::try_from(free).unwrap_or(most).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_descriptors_allow() {
        let cases = [(Some(0), 4), (Some(64), 4), (Some(256), 27), (Some(1024), 123), (Some(65_536), 256)];
        for (limit, expected) in cases {
            assert_eq!(count(limit) / EACH, expected, "{limit:?}");
        }
        assert_eq!(count(None) / EACH, 256);
    }

    #[tokio::test]
    async fn one_waits_for_what_runs_and_not_for_what_stays() {
        let places = CommandPermits::of(2 * EACH);
        let (first, second) = (places.take().await.unwrap(), places.take().await.unwrap());
        let third = tokio::spawn(async move { (places.take().await.map(drop), places) });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        let stays = first.staying();
        drop(second);
        let (third, places) = third.await.unwrap();
        assert_eq!(third, Ok(()));
        // Beside two that stay there is room for one, beside three there is none.
        let beside = [places.take().await.unwrap().staying(), places.take().await.unwrap().staying()];
        assert_eq!(places.take().await.map(drop), Err(TooManyCommands(3)));
        drop(stays);
        assert_eq!(places.take().await.map(drop), Ok(()));
        drop(beside);
    }
}
