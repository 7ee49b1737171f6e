//! The registry of running commands and of background processes of ended commands. It is used to end them.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::process_tree::{self, ProcessScope};

/// Default time between SIGTERM and SIGKILL.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// Maximum time that the end of the server waits for commands to end: enough for the signals to a few thousand
/// processes.
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
    /// Adds the scope of a command that has started.
    pub(super) fn add(&self, tag: &str, scope: ProcessScope) {
        self.commands.send_modify(|commands| drop(commands.insert(tag.to_owned(), scope)));
    }

    /// Returns the scope of the command with this tag, or `None` if the command no longer runs.
    pub(super) fn scope(&self, tag: &str) -> Option<ProcessScope> {
        self.commands.borrow().get(tag).filter(|scope| scope.is_running()).cloned()
    }

    /// Replaces a command, which has ended, by the scope of the processes that it left. Removes it with `None`. Has no
    /// effect if the command no longer runs.
    pub(super) fn replace(&self, tag: &str, left: Option<ProcessScope>) {
        if self.scope(tag).is_some() {
            self.commands.send_modify(|commands| {
                commands.remove(tag);
                commands.extend(left.map(|left| (tag.to_owned(), left)));
            });
        }
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
