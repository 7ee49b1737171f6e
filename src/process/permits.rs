//! Permits to run a command. They limit the number of running commands, and the number of ended commands with
//! background processes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{BACKGROUND_COMMANDS, COMMANDS_AT_ONCE};

/// The permits to run commands.
#[derive(Debug)]
pub(super) struct CommandPermits {
    running: Arc<Semaphore>,
    /// The permits of ended commands with processes that hold their output open.
    background: Arc<Semaphore>,
}

/// A permit to run one command. Dropping it lets another command run.
#[derive(Debug)]
pub struct CommandPermit {
    /// `None` if the command has ended with background processes and no permit for such a command was free.
    held: Option<OwnedSemaphorePermit>,
    background: Arc<Semaphore>,
}

/// No further command can start: [`BACKGROUND_COMMANDS`] earlier commands have processes that hold their output open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCommands;

impl CommandPermits {
    pub(super) fn new() -> Self {
        let permits = |most: u32| Arc::new(Semaphore::new(most as usize));
        Self { running: permits(COMMANDS_AT_ONCE), background: permits(BACKGROUND_COMMANDS) }
    }

    /// Waits for a permit, in the order of the calls.
    ///
    /// # Errors
    ///
    /// Returns an error if too many ended commands have background processes. It does not wait for these, because they
    /// may never end.
    pub(super) async fn take(&self) -> Result<CommandPermit, TooManyCommands> {
        let held = Arc::clone(&self.running).acquire_owned().await.ok();
        if self.background.available_permits() == 0 {
            return Err(TooManyCommands);
        }
        Ok(CommandPermit { held, background: Arc::clone(&self.background) })
    }
}

impl CommandPermit {
    /// Marks the command as ended with background processes. Another command may run.
    pub(super) fn keep_for_background(&mut self) {
        self.held = Arc::clone(&self.background).try_acquire_owned().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn permit_waits_for_a_running_command() {
        let permits = CommandPermits::new();
        let mut running = Vec::new();
        for _ in 0..COMMANDS_AT_ONCE {
            running.push(permits.take().await.unwrap());
        }
        let next = tokio::spawn(async move { (permits.take().await.map(drop), permits) });
        tokio::task::yield_now().await;
        assert!(!next.is_finished());
        running[0].keep_for_background();
        assert_eq!(next.await.unwrap().0, Ok(()));
    }

    #[tokio::test]
    async fn no_permit_with_too_many_background_commands() {
        let permits = CommandPermits::new();
        let mut left = Vec::new();
        for _ in 0..BACKGROUND_COMMANDS {
            let mut permit = permits.take().await.unwrap();
            permit.keep_for_background();
            left.push(permit);
        }
        assert_eq!(permits.take().await.map(drop), Err(TooManyCommands));
        left.pop();
        assert_eq!(permits.take().await.map(drop), Ok(()));
    }
}
