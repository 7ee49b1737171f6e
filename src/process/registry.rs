//! The registry of running commands and of background processes of ended commands. It is used to end them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::process_tree::{self, ProcessScope, end_scopes_blocking};
use crate::sys;

/// Default time between SIGTERM and SIGKILL.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// Maximum time that the end of the server waits for commands to end: enough for the signals to a few thousand processes.
const SHUTDOWN: Duration = Duration::from_millis(1500);

/// The commands of a server that may still have processes.
#[derive(Debug, Default)]
pub(super) struct Registry {
    /// The commands by their tags.
    commands: watch::Sender<BTreeMap<String, ProcessScope>>,
    /// Cancelled when the server starts to end all commands. No further command starts then.
    pub(super) closing: CancellationToken,
}

impl Registry {
    /// Registers a command before its shell starts, so that a partly started command can be ended by its tag.
    ///
    /// # Errors
    ///
    /// Returns an error while the server ends.
    pub(super) fn add(self: &Arc<Self>) -> io::Result<RegisteredCommand> {
        let tag = format!("{}.{:016x}", std::process::id(), sys::random());
        self.commands.send_modify(|commands| drop(commands.insert(tag.clone(), ProcessScope::new(&tag))));
        let command = RegisteredCommand { registry: Arc::clone(self), tag };
        // `shutdown` sees the command, or this check sees the shutdown.
        if self.closing.is_cancelled() {
            command.replace(None);
            return Err(io::Error::other("the server is shutting down"));
        }
        Ok(command)
    }

    /// Returns true if no command runs and no known process is left.
    pub(super) fn is_idle(&self) -> bool {
        self.commands.borrow().is_empty()
    }

    /// Returns the number of ended commands with processes that hold their output open.
    pub(super) fn background_commands(&self) -> usize {
        self.commands.borrow().values().filter(|scope| scope.holds_output()).count()
    }

    /// Reaps ended child processes that this process adopted. Before that, finds the processes that they started in the
    /// groups of ended commands.
    pub(super) fn reap(&self) {
        process_tree::reap_adopted(|processes| {
            let refresh = |scope: &mut ProcessScope| scope.refresh(processes);
            self.commands.send_modify(|commands| commands.values_mut().for_each(refresh));
            self.scopes()
        });
    }

    /// Removes ended commands without processes.
    pub(super) fn clean_up(&self) {
        let may_be_left =
            |scope: &ProcessScope| scope.is_running() || scope.holds_output() || !scope.has_empty_group();
        self.commands.send_modify(|commands| commands.retain(|_, scope| may_be_left(scope)));
    }

    /// Ends all commands and their remaining processes, and waits for them. No further command can start.
    pub(super) async fn shutdown(&self) {
        let mut commands = self.commands.subscribe();
        self.closing.cancel();
        let scopes = self.scopes();
        let ended = async {
            process_tree::end_scopes(scopes, GRACE).await;
            let none_runs = |all: &BTreeMap<_, ProcessScope>| !all.values().any(ProcessScope::is_running);
            // The value is locked while the guard exists.
            let _closed_with_this = commands.wait_for(none_runs).await.map(drop);
            // A command may have ended by itself just now and left processes.
            process_tree::end_scopes(self.scopes(), GRACE).await;
        };
        let _some_remain = tokio::time::timeout(SHUTDOWN, ended).await;
        self.commands.send_replace(BTreeMap::new());
    }

    fn scopes(&self) -> Vec<ProcessScope> {
        self.commands.borrow().values().cloned().collect()
    }
}

/// A registered command. If it is dropped while it runs, it is killed.
#[derive(Debug)]
pub(super) struct RegisteredCommand {
    /// The registry that has the command.
    pub(super) registry: Arc<Registry>,
    /// The tag of its processes.
    pub(super) tag: String,
}

impl RegisteredCommand {
    /// Adds the group and start time of the shell to the scope.
    pub(super) fn attach_shell(&self, shell: &Child) {
        self.registry.commands.send_modify(|commands| {
            if let Some(scope) = commands.get_mut(&self.tag) {
                scope.attach_shell(shell);
            }
        });
    }

    /// Returns the scope of its processes, or `None` if the command no longer runs.
    pub(super) fn scope(&self) -> Option<ProcessScope> {
        self.registry.commands.borrow().get(&self.tag).filter(|scope| scope.is_running()).cloned()
    }

    /// Ends all its processes.
    pub(super) async fn end_processes(&self, grace: Duration) {
        process_tree::end_scopes(self.scope().into_iter().collect(), grace).await;
    }

    /// Replaces the command, which has ended, by the scope of the processes that it left. Removes it with `None`. Has no
    /// effect if the command no longer runs.
    pub(super) fn replace(&self, left: Option<ProcessScope>) {
        if self.scope().is_some() {
            self.registry.commands.send_modify(|commands| {
                commands.remove(&self.tag);
                commands.extend(left.map(|left| (self.tag.clone(), left)));
            });
        }
    }
}

impl Drop for RegisteredCommand {
    fn drop(&mut self) {
        // This happens only if the program could not start or be supervised, or if the runtime shuts down.
        if let Some(scope) = self.scope() {
            end_scopes_blocking(&[scope], Duration::ZERO);
            self.replace(None);
        }
    }
}
