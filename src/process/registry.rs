//! The one owner of all that commands need to be ended by: those that run, and what ended ones left running.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::drain::DrainHandle;
use super::mark::Server;
use super::permits::CommandPermit;
use super::process_tree::{self, Scope, end_all};

/// Time between SIGTERM and SIGKILL, where nothing more was promised.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// The longest that the server's end waits for commands that are being ended.
const SHUTDOWN: Duration = Duration::from_millis(1200);

/// The commands of a server of which a process may be left.
#[derive(Debug)]
pub(super) struct Registry {
    server: Server,
    /// The commands by their marks.
    commands: Mutex<BTreeMap<String, CommandEntry>>,
    /// Number of commands that run.
    running: watch::Sender<usize>,
    /// Cancelled once all commands are being ended: no further one starts.
    pub(super) closing: CancellationToken,
}

#[derive(Debug)]
struct CommandEntry {
    scope: Scope,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// It runs, or is about to.
    Running,
    /// It ended by itself and left processes. While they hold its output open, that is read.
    Background(Option<(DrainHandle, CommandPermit)>),
    /// A process may be left though all was done to end it: the server's end tries again.
    Unsure,
}

impl Registry {
    /// Returns the registry of this server.
    pub(super) fn new() -> Self {
        Self {
            server: Server::this(),
            commands: Mutex::default(),
            running: watch::Sender::new(0),
            closing: CancellationToken::new(),
        }
    }

    /// Registers a command before it is spawned, so that one whose spawn fails half-way can be ended by its
    /// mark. Fails once the server ends.
    pub(super) fn add(self: &Arc<Self>) -> io::Result<RegisteredCommand> {
        let mut commands = self.commands();
        if self.closing.is_cancelled() {
            return Err(io::Error::other("the server ends"));
        }
        let mark = self.server.new_mark();
        let scope = Scope::new(self.server, &mark);
        commands.insert(mark.clone(), CommandEntry { scope, phase: Phase::Running });
        self.running.send_modify(|running| *running += 1);
        Ok(RegisteredCommand { registry: Arc::clone(self), mark })
    }

    /// Frees the pipes of background commands that have ended, forgets those of which no process is left, and waits for
    /// ended processes that this one inherited.
    pub(super) fn reap(&self) {
        process_tree::reap_inherited(|| self.scopes());
        self.commands().retain(|_, CommandEntry { scope, phase }| {
            let Phase::Background(output) = phase else { return true };
            output.take_if(|(drain, _)| drain.ended.is_cancelled());
            output.is_some() || !scope.is_empty()
        });
    }

    /// Ends all commands and what they left, and waits for it. No further command starts.
    pub(super) async fn shutdown(&self) {
        let mut running = self.running.subscribe();
        // A command that is being added is among those below, or sees this.
        self.closing.cancel();
        let scopes = self.scopes();
        let ended = async {
            process_tree::end(scopes, GRACE).await;
            let _closed_with_this = running.wait_for(|running| *running == 0).await;
            // A command may have ended by itself just now, and left something.
            process_tree::end(self.scopes(), GRACE).await
        };
        let _next_server_tries_again = tokio::time::timeout(SHUTDOWN, ended).await; // where some are left
        // With them their readers are stopped.
        drop(std::mem::take(&mut *self.commands()));
    }

    fn scopes(&self) -> Vec<Scope> {
        self.commands().values().map(|command| command.scope.clone()).collect()
    }

    fn commands(&self) -> MutexGuard<'_, BTreeMap<String, CommandEntry>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command in the registry. Dropped while it runs, it is killed.
#[derive(Debug)]
pub(super) struct RegisteredCommand {
    /// The registry that it is in.
    pub(super) registry: Arc<Registry>,
    /// The mark of its processes.
    pub(super) mark: String,
}

impl RegisteredCommand {
    /// Notes its shell's group and start; on Windows puts the shell, which waits for its command, in the job.
    pub(super) fn attach_shell(&self, shell: &mut Child) -> io::Result<()> {
        let mut commands = self.registry.commands();
        commands.get_mut(&self.mark).map_or(Ok(()), |command| command.scope.attach_shell(shell))
    }

    /// Returns its processes; `None` where it does not run any more.
    pub(super) fn scope(&self) -> Option<Scope> {
        let commands = self.registry.commands();
        let command = commands.get(&self.mark)?;
        matches!(command.phase, Phase::Running).then(|| command.scope.clone())
    }

    /// Ends all of its processes.
    pub(super) async fn end(&self, grace: Duration) {
        if let Some(scope) = self.scope()
            && !process_tree::end(vec![scope.clone()], grace).await
        {
            self.set(Some((scope, Phase::Unsure)));
        }
    }

    /// Forgets it, as none of its processes is known to be left. Of no effect once it does not run any more.
    pub(super) fn unregister(&self) {
        self.set(None);
    }

    /// Notes that it ended by itself and left the processes of `scope`, which may hold its output open.
    pub(super) fn left(&self, scope: Scope, output: Option<(DrainHandle, CommandPermit)>) {
        self.set(Some((scope, Phase::Background(output))));
    }

    /// Ends the phase in which it runs; without a next one it is forgotten.
    fn set(&self, next: Option<(Scope, Phase)>) {
        let mut commands = self.registry.commands();
        if commands.get(&self.mark).is_some_and(|command| matches!(command.phase, Phase::Running)) {
            commands.remove(&self.mark);
            commands.extend(next.map(|(scope, phase)| (self.mark.clone(), CommandEntry { scope, phase })));
            self.registry.running.send_modify(|running| *running -= 1);
        }
    }
}

impl Drop for RegisteredCommand {
    fn drop(&mut self) {
        // Only where the runtime itself is taken down, or the command could not be supervised.
        if let Some(scope) = self.scope() {
            let is_ended = end_all(std::slice::from_ref(&scope), Duration::ZERO);
            self.set((!is_ended).then_some((scope, Phase::Unsure)));
        }
    }
}
