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
/// Maximum time that the end of the server waits for commands to end.
const SHUTDOWN: Duration = Duration::from_millis(1200);

/// The commands of a server that may still have processes.
#[derive(Debug, Default)]
pub(super) struct Registry {
    /// The commands by their tags.
    commands: watch::Sender<BTreeMap<String, Registered>>,
    /// Cancelled when the server starts to end all commands. No further command starts then.
    pub(super) closing: CancellationToken,
}

#[derive(Debug)]
struct Registered {
    scope: ProcessScope,
    /// `None` while the command runs. The token is cancelled when no process holds the output of an ended command open.
    output_ended: Option<CancellationToken>,
}

impl Registry {
    /// Registers a command before its shell starts, so that a partly started command can be ended by its tag.
    ///
    /// # Errors
    ///
    /// Returns an error while the server ends.
    pub(super) fn add(self: &Arc<Self>) -> io::Result<RegisteredCommand> {
        let tag = format!("{}.{:016x}", std::process::id(), sys::random());
        let entry = Registered { scope: ProcessScope::new(&tag), output_ended: None };
        self.commands.send_modify(|commands| drop(commands.insert(tag.clone(), entry)));
        let command = RegisteredCommand { registry: Arc::clone(self), tag };
        // `shutdown` sees the command, or this check sees the shutdown.
        if self.closing.is_cancelled() {
            command.unregister();
            return Err(io::Error::other("the server is shutting down"));
        }
        Ok(command)
    }

    /// Returns true if no command runs and no known process is left.
    pub(super) fn is_idle(&self) -> bool {
        self.commands.borrow().is_empty()
    }

    /// Reaps ended child processes that this process adopted.
    pub(super) fn reap(&self) {
        process_tree::reap_adopted(|| self.scopes());
    }

    /// Removes ended commands without processes.
    pub(super) fn clean_up(&self) {
        let may_be_left = |_: &String, command: &mut Registered| match &command.output_ended {
            Some(output_ended) => !output_ended.is_cancelled() || !command.scope.has_empty_group(),
            None => true,
        };
        self.commands.send_modify(|commands| commands.retain(may_be_left));
    }

    /// Ends all commands and their remaining processes, and waits for them. No further command can start.
    pub(super) async fn shutdown(&self) {
        let mut commands = self.commands.subscribe();
        self.closing.cancel();
        let scopes = self.scopes();
        let ended = async {
            process_tree::end_scopes(scopes, GRACE).await;
            let runs = |command: &Registered| command.output_ended.is_none();
            // The value is locked while the guard exists.
            let _closed_with_this = commands.wait_for(|all| !all.values().any(runs)).await.map(drop);
            // A command may have ended by itself just now and left processes.
            process_tree::end_scopes(self.scopes(), GRACE).await;
        };
        let _some_remain = tokio::time::timeout(SHUTDOWN, ended).await;
        self.commands.send_replace(BTreeMap::new());
    }

    fn scopes(&self) -> Vec<ProcessScope> {
        self.commands.borrow().values().map(|command| command.scope.clone()).collect()
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
            if let Some(command) = commands.get_mut(&self.tag) {
                command.scope.attach_shell(shell);
            }
        });
    }

    /// Returns the scope of its processes, or `None` if the command no longer runs.
    pub(super) fn scope(&self) -> Option<ProcessScope> {
        let commands = self.registry.commands.borrow();
        let command = commands.get(&self.tag).filter(|command| command.output_ended.is_none())?;
        Some(command.scope.clone())
    }

    /// Ends all its processes.
    pub(super) async fn end_processes(&self, grace: Duration) {
        process_tree::end_scopes(self.scope().into_iter().collect(), grace).await;
    }

    /// Removes the command, because no known process remains. Has no effect if the command no longer runs.
    pub(super) fn unregister(&self) {
        self.replace(None);
    }

    /// Records that the command ended by itself and left the processes of `scope`. They may hold its output open until
    /// `output_ended` is cancelled.
    pub(super) fn set_background(&self, scope: ProcessScope, output_ended: CancellationToken) {
        self.replace(Some(Registered { scope, output_ended: Some(output_ended) }));
    }

    /// Replaces or removes a running command.
    fn replace(&self, next: Option<Registered>) {
        self.registry.commands.send_if_modified(|commands| {
            let runs = commands.get(&self.tag).is_some_and(|command| command.output_ended.is_none());
            if runs {
                commands.remove(&self.tag);
                commands.extend(next.map(|next| (self.tag.clone(), next)));
            }
            runs
        });
    }
}

impl Drop for RegisteredCommand {
    fn drop(&mut self) {
        // This happens only if the program could not start or be supervised, or if the runtime shuts down.
        if let Some(scope) = self.scope() {
            end_scopes_blocking(&[scope], Duration::ZERO);
            self.unregister();
        }
    }
}
