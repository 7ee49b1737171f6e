//! The registry of running commands and of background processes of ended commands. It is used to end them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::process_tree::{self, ProcessScope, end_scopes_blocking};
use super::tag::ServerId;

/// Default time between SIGTERM and SIGKILL.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// Maximum time that the end of the server waits for commands to end.
const SHUTDOWN: Duration = Duration::from_millis(1200);

/// The commands of a server that may still have processes.
#[derive(Debug)]
pub(super) struct Registry {
    server: ServerId,
    /// The commands by their tags, with their processes and their phase.
    commands: watch::Sender<BTreeMap<String, (ProcessScope, Phase)>>,
    /// Cancelled when the server starts to end all commands. No further command starts then.
    pub(super) closing: CancellationToken,
}

#[derive(Debug)]
enum Phase {
    /// The command runs or is about to start.
    Running,
    /// The command ended by itself and left processes. The token is cancelled when no process holds the output open.
    Background(CancellationToken),
    /// cutline tried to end all processes, but one may remain. The end of the server tries again.
    Unsure,
}

impl Registry {
    /// Returns the registry of this server.
    pub(super) fn new() -> Self {
        Self {
            server: ServerId::this(),
            commands: watch::Sender::default(),
            closing: CancellationToken::new(),
        }
    }

    /// Registers a command before its shell starts, so that a partly started command can be ended by its tag.
    ///
    /// # Errors
    ///
    /// Returns an error while the server ends.
    pub(super) fn add(self: &Arc<Self>) -> io::Result<RegisteredCommand> {
        let command = RegisteredCommand { registry: Arc::clone(self), tag: self.server.new_tag() };
        let entry = (ProcessScope::new(self.server, &command.tag), Phase::Running);
        self.commands.send_modify(|commands| drop(commands.insert(command.tag.clone(), entry)));
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

    /// Removes ended commands without processes, and reaps ended child processes that this process inherited.
    pub(super) fn clean_up(&self) {
        process_tree::reap_inherited(|| self.scopes());
        let may_be_left = |_: &String, (scope, phase): &mut (ProcessScope, Phase)| match phase {
            Phase::Background(output_ended) => !output_ended.is_cancelled() || !scope.has_empty_group(),
            Phase::Running | Phase::Unsure => true,
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
            let runs = |(_, phase): &(ProcessScope, Phase)| matches!(phase, Phase::Running);
            // The value is locked while the guard exists.
            let _closed_with_this = commands.wait_for(|all| !all.values().any(runs)).await.map(drop);
            // A command may have ended by itself just now and left processes.
            process_tree::end_scopes(self.scopes(), GRACE).await
        };
        let _next_server_tries_again = tokio::time::timeout(SHUTDOWN, ended).await; // if some remain
        self.commands.send_replace(BTreeMap::new());
    }

    fn scopes(&self) -> Vec<ProcessScope> {
        self.commands.borrow().values().map(|(scope, _)| scope.clone()).collect()
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
            if let Some((scope, _)) = commands.get_mut(&self.tag) {
                scope.attach_shell(shell);
            }
        });
    }

    /// Returns the scope of its processes, or `None` if the command no longer runs.
    pub(super) fn scope(&self) -> Option<ProcessScope> {
        let commands = self.registry.commands.borrow();
        let (scope, phase) = commands.get(&self.tag)?;
        matches!(phase, Phase::Running).then(|| scope.clone())
    }

    /// Ends all its processes.
    pub(super) async fn end_processes(&self, grace: Duration) {
        if let Some(scope) = self.scope()
            && !process_tree::end_scopes(vec![scope.clone()], grace).await
        {
            self.set(Some((scope, Phase::Unsure)));
        }
    }

    /// Removes the command, because no known process remains. Has no effect if the command no longer runs.
    pub(super) fn unregister(&self) {
        self.set(None);
    }

    /// Records that the command ended by itself and left the processes of `scope`. They may hold its output open until
    /// `output_ended` is cancelled.
    pub(super) fn set_background(&self, scope: ProcessScope, output_ended: CancellationToken) {
        self.set(Some((scope, Phase::Background(output_ended))));
    }

    /// Changes the phase of a running command. `None` removes the command.
    fn set(&self, next: Option<(ProcessScope, Phase)>) {
        self.registry.commands.send_if_modified(|commands| {
            let Some((_, Phase::Running)) = commands.get(&self.tag) else { return false };
            commands.remove(&self.tag);
            commands.extend(next.map(|next| (self.tag.clone(), next)));
            true
        });
    }
}

impl Drop for RegisteredCommand {
    fn drop(&mut self) {
        // This happens only if the program could not start or be supervised, or if the runtime shuts down.
        if let Some(scope) = self.scope() {
            let is_ended = end_scopes_blocking(std::slice::from_ref(&scope), Duration::ZERO);
            self.set((!is_ended).then_some((scope, Phase::Unsure)));
        }
    }
}
