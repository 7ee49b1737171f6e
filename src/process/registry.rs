//! The one owner of all that commands need to be ended by: those that run, and what ended ones left running.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::drain::Drain;
use super::mark::Server;
use super::permits::BackgroundPermit;
use super::process_tree::{self, Outcome, Scope, end_all};

/// Time between SIGTERM and SIGKILL, where nothing more was promised.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// The longest that the server's end waits for commands that are being ended.
const SHUTDOWN: Duration = Duration::from_millis(1200);

/// The commands of a server of which a process may be left.
#[derive(Debug)]
pub(super) struct Registry {
    server: Server,
    state: Mutex<State>,
    /// Number of commands that run.
    running: watch::Sender<usize>,
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    commands: BTreeMap<u64, Command>,
    /// The id of the next command.
    next_id: u64,
    /// True once all commands are being ended: no further one starts.
    closed: bool,
}

#[derive(Debug)]
struct Command {
    scope: Scope,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// It runs, or is about to.
    Running,
    /// It ended by itself and left processes. While they hold its output open, that is read.
    Background(Option<(Arc<Drain>, BackgroundPermit)>),
    /// A process may be left though all was done to end it: the server's end tries again.
    Unsure,
}

impl Command {
    /// Frees the pipe of a background command once that has ended; true if none of its processes is left.
    fn release_if_done(&mut self) -> bool {
        let Phase::Background(output) = &mut self.phase else { return false };
        output.take_if(|(drain, _)| drain.has_ended());
        output.is_none() && self.scope.is_empty()
    }
}

impl Registry {
    /// Returns the registry of this server.
    pub(super) fn new() -> Self {
        Self {
            server: Server::this(),
            state: Mutex::default(),
            running: watch::Sender::new(0),
            closing: CancellationToken::new(),
        }
    }

    /// Registers a command before it is spawned, so that one whose spawn fails half-way can be ended by its
    /// mark. Fails once the server ends.
    pub(super) fn add(self: &Arc<Self>) -> io::Result<RegisteredCommand> {
        let mut state = self.state();
        if state.closed {
            return Err(io::Error::other("the server ends"));
        }
        let id = state.next_id;
        state.next_id += 1;
        let scope = Scope::new(self.server, self.server.mark());
        state.commands.insert(id, Command { scope, phase: Phase::Running });
        self.running.send_modify(|running| *running += 1);
        Ok(RegisteredCommand { registry: Arc::clone(self), id })
    }

    /// Forgets background commands of which no process is left, and waits for ended processes that this one inherited.
    pub(super) fn reap(&self) {
        process_tree::reap_inherited(|| {
            self.state().commands.values().map(|command| command.scope.group()).collect()
        });
        self.state().commands.retain(|_, command| !command.release_if_done());
    }

    /// Returns a token that fires when all commands are being ended.
    pub(super) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Ends all commands and what they left, and waits for it. No further command starts.
    pub(super) async fn shutdown(&self) {
        let mut running = self.running.subscribe();
        let scopes = self.close();
        let ended = async {
            end_of(scopes).await;
            let _closed_with_this = running.wait_for(|running| *running == 0).await;
            // A command may have ended by itself just now, and left something.
            end_of(self.close()).await;
        };
        let _next_server_tries_again = tokio::time::timeout(SHUTDOWN, ended).await;
        let commands = std::mem::take(&mut self.state().commands);
        for command in commands.values() {
            if let Phase::Background(Some((drain, _))) = &command.phase {
                drain.stop();
            }
        }
    }

    /// Lets no further command start; returns all that are to be ended.
    fn close(&self) -> Vec<Scope> {
        let mut state = self.state();
        state.closed = true;
        self.closing.cancel();
        state.commands.values().map(|command| command.scope.clone()).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end_of(scopes: Vec<Scope>) {
    if !scopes.is_empty() {
        let _next_server_tries_again = process_tree::end(scopes, GRACE).await;
    }
}

/// A command in the registry. Dropped while it runs, it is killed.
#[derive(Debug)]
pub(super) struct RegisteredCommand {
    registry: Arc<Registry>,
    id: u64,
}

impl RegisteredCommand {
    /// Returns the registry that it is in.
    pub(super) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Returns the mark of its processes.
    pub(super) fn mark(&self) -> String {
        self.scope().map_or_else(String::new, |scope| scope.mark().to_owned())
    }

    /// Notes its shell's group and start; on Windows puts the shell, which waits for its command, in the job.
    pub(super) fn attach_shell(&self, shell: &mut Child) -> io::Result<()> {
        self.registry
            .state()
            .commands
            .get_mut(&self.id)
            .map_or(Ok(()), |command| command.scope.attach_shell(shell))
    }

    /// Returns its processes; `None` where it does not run any more.
    pub(super) fn scope(&self) -> Option<Scope> {
        let state = self.registry.state();
        let command = state.commands.get(&self.id)?;
        matches!(command.phase, Phase::Running).then(|| command.scope.clone())
    }

    /// Ends all of its processes.
    pub(super) async fn end(&self, grace: Duration) {
        if let Some(scope) = self.scope()
            && process_tree::end(vec![scope], grace).await == Outcome::Unsure
        {
            self.set(Some(Phase::Unsure), None);
        }
    }

    /// Forgets it, as none of its processes is known to be left. Of no effect once it does not run any more.
    pub(super) fn unregister(self) {
        self.set(None, None);
    }

    /// Notes that it ended by itself and left the processes of `scope`, which may hold its output open.
    pub(super) fn left(self, scope: Scope, output: Option<(Arc<Drain>, BackgroundPermit)>) {
        self.set(Some(Phase::Background(output)), Some(scope));
    }

    /// Ends the phase in which it runs; without a next one it is forgotten.
    fn set(&self, next: Option<Phase>, scope: Option<Scope>) {
        let mut state = self.registry.state();
        let Some(command) = state.commands.get_mut(&self.id) else { return };
        if !matches!(command.phase, Phase::Running) {
            return;
        }
        command.scope = scope.unwrap_or_else(|| command.scope.clone());
        match next {
            Some(next) => command.phase = next,
            None => drop(state.commands.remove(&self.id)),
        }
        self.registry.running.send_modify(|running| *running -= 1);
    }
}

impl Drop for RegisteredCommand {
    fn drop(&mut self) {
        // Only where the runtime itself is taken down, or the command could not be supervised.
        if let Some(scope) = self.scope() {
            let ended = end_all(std::slice::from_ref(&scope), Duration::ZERO);
            self.set((ended == Outcome::Unsure).then_some(Phase::Unsure), None);
        }
    }
}
