//! Permits to run a command: as many as there are descriptors for.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::sys::{self, OutputPipe};

/// Descriptors that the server itself needs, and its files.
const OWN: u64 = 40;
/// Descriptors that one command needs at most: while it starts, or while it is ended.
const EACH: u32 = 8;
/// Descriptors that stay open for what a command left running: its pipe, the saved output, and what
/// wakes the pipe's reader.
const BACKGROUND: u32 = 1 + OutputPipe::DESCRIPTORS;
/// The least and the most commands that may run at once.
const BOUNDS: (u32, u32) = (4, 256);

/// The permits to run commands: as many as the descriptors allow for that commands may use.
#[derive(Debug)]
pub(super) struct CommandPermits {
    descriptors: Arc<Semaphore>,
    /// Number of those descriptors, in use or not.
    all: u32,
    /// Number of commands that ended and left processes which hold their output.
    background: watch::Sender<u32>,
}

/// A permit to run one command; dropped, another command may run.
#[derive(Debug)]
pub struct CommandPermit {
    /// Its descriptors: of a command that ended, those that the reader of its output needs.
    descriptors: OwnedSemaphorePermit,
    background: watch::Sender<u32>,
}

/// No command can run, nor will one that ends make room: this many earlier commands left processes that hold
/// their output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCommands(pub u32);

impl CommandPermits {
    /// Returns as many permits as this process's limit allows for.
    pub(super) fn new() -> Self {
        Self::of_descriptors(count(sys::most_open_files()))
    }

    fn of_descriptors(all: u32) -> Self {
        Self { descriptors: Arc::new(Semaphore::new(all as usize)), all, background: watch::Sender::new(0) }
    }

    /// Returns how many commands can run at once.
    pub(super) fn at_once(&self) -> u32 {
        self.all / EACH
    }

    /// Waits for a permit, in the order of asking, while commands run that will make room.
    pub(super) async fn take(&self) -> Result<CommandPermit, TooManyCommands> {
        let mut background = self.background.subscribe();
        let full = |count: &u32| count.saturating_mul(BACKGROUND).saturating_add(EACH) > self.all;
        tokio::select! {
            biased;
            Ok(descriptors) = Arc::clone(&self.descriptors).acquire_many_owned(EACH) => {
                Ok(CommandPermit { descriptors, background: self.background.clone() })
            }
            count = background.wait_for(full) => Err(TooManyCommands(count.map_or(0, |count| *count))),
        }
    }
}

impl CommandPermit {
    /// Gives back all but what the reader of a command's output needs, which goes on.
    pub(super) fn keep_for_background(&mut self) {
        drop(self.descriptors.split((EACH - BACKGROUND) as usize));
        self.background.send_modify(|count| *count += 1);
    }
}

impl Drop for CommandPermit {
    fn drop(&mut self) {
        if self.descriptors.num_permits() < EACH as usize {
            self.background.send_modify(|count| *count -= 1);
        }
    }
}

/// Returns the number of descriptors for commands under a limit on open files; `None` is without one.
fn count(limit: Option<u64>) -> u32 {
    let (least, most) = (BOUNDS.0 * EACH, BOUNDS.1 * EACH);
    let free = limit.map_or(u64::MAX, |limit| limit.saturating_sub(OWN));
    u32::try_from(free).unwrap_or(most).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_follow_the_limit_on_open_files() {
        let cases = [(Some(0), 4), (Some(64), 4), (Some(256), 27), (Some(1024), 123), (Some(65_536), 256)];
        for (limit, expected) in cases {
            assert_eq!(count(limit) / EACH, expected, "{limit:?}");
        }
        assert_eq!(count(None) / EACH, 256);
    }

    #[tokio::test]
    async fn a_permit_waits_for_running_commands_alone() {
        let permits = CommandPermits::of_descriptors(2 * EACH);
        let (mut first, second) = (permits.take().await.unwrap(), permits.take().await.unwrap());
        let third = tokio::spawn(async move { (permits.take().await.map(drop), permits) });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        first.keep_for_background();
        drop(second);
        let (third, permits) = third.await.unwrap();
        assert_eq!(third.map(drop), Ok(()));
        // Beside two in the background there is room for one, beside three there is none.
        let mut two = Vec::new();
        for _ in 0..2 {
            let mut permit = permits.take().await.unwrap();
            permit.keep_for_background();
            two.push(permit);
        }
        assert_eq!(permits.take().await.map(drop), Err(TooManyCommands(3)));
        drop(first);
        assert_eq!(permits.take().await.map(drop), Ok(()));
        drop(two);
    }
}
