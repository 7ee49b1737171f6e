//! Permits to run a command. They limit the number of running commands, and the number of ended commands with
//! background processes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::limits::{BACKGROUND_COMMANDS, COMMANDS_AT_ONCE};

/// The permits to run commands.
#[derive(Debug)]
pub(super) struct CommandPermits {
    running: Arc<Semaphore>,
    /// Number of ended commands with processes that hold their output open.
    background: watch::Sender<u32>,
}

/// A permit to run one command. Dropping it lets another command run.
#[derive(Debug)]
pub struct CommandPermit {
    /// `None` if the command has ended and only background processes remain.
    running: Option<OwnedSemaphorePermit>,
    background: watch::Sender<u32>,
}

/// No further command can start: this number of earlier commands have processes that hold their output open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCommands(pub u32);

impl CommandPermits {
    pub(super) fn new() -> Self {
        Self {
            running: Arc::new(Semaphore::new(COMMANDS_AT_ONCE as usize)),
            background: watch::Sender::new(0),
        }
    }

    /// Waits for a permit, in the order of the calls.
    ///
    /// # Errors
    ///
    /// Returns an error if too many ended commands have background processes. It does not wait for these, because they
    /// may never end.
    pub(super) async fn take(&self) -> Result<CommandPermit, TooManyCommands> {
        let mut background = self.background.subscribe();
        let is_full = |count: &u32| *count >= BACKGROUND_COMMANDS;
        tokio::select! {
            biased;
            count = background.wait_for(is_full) => Err(TooManyCommands(count.map_or(0, |count| *count))),
            Ok(running) = Arc::clone(&self.running).acquire_owned() => {
                Ok(CommandPermit { running: Some(running), background: self.background.clone() })
            }
        }
    }
}

impl CommandPermit {
    /// Marks the command as ended with background processes. Another command may run.
    pub(super) fn keep_for_background(&mut self) {
        if self.running.take().is_some() {
            self.background.send_modify(|count| *count += 1);
        }
    }
}

impl Drop for CommandPermit {
    fn drop(&mut self) {
        if self.running.is_none() {
            self.background.send_modify(|count| *count -= 1);
        }
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
        assert_eq!(permits.take().await.map(drop), Err(TooManyCommands(BACKGROUND_COMMANDS)));
        left.pop();
        assert_eq!(permits.take().await.map(drop), Ok(()));
    }
}
