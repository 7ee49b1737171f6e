//! What belongs to the server: the commands that run, and what those that ended left behind.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::drain::Drain;
use super::mark::Server;
use super::permits::{CommandPermit, Staying};
use super::process_tree::{self, Outcome, Record, Scope};
use crate::process::spill::Store;
use crate::sys;

/// How long a process that is told to end has until it is made to.
pub(super) const GRACE: Duration = Duration::from_millis(100);
/// How long the server's end waits for commands that are being ended.
const SHUTDOWN: Duration = Duration::from_millis(1200);

/// The commands of a server that are not done with.
#[derive(Debug)]
pub(super) struct Registry {
    server: Server,
    store: Arc<Store>,
    /// The temp folder of sandboxed commands.
    temp: Option<PathBuf>,
    state: Mutex<State>,
    /// How many commands run.
    running: watch::Sender<usize>,
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    running: BTreeMap<String, Scope>,
    left: Vec<Remaining>,
    /// Those of which somebody may be left though all was done to end them: it is tried again at the
    /// server's end.
    unsure: Vec<Scope>,
    record: Option<Record>,
    closed: bool,
}

/// What a command left behind.
#[derive(Debug)]
struct Remaining {
    scope: Scope,
    /// Reads its output, while anybody holds that, and the descriptors that takes.
    held: Option<(Arc<Drain>, Staying)>,
}

impl Remaining {
    /// Lets go what is not needed any more; whether that is all.
    fn is_gone(&mut self) -> bool {
        self.held.take_if(|(drain, _)| drain.has_ended());
        self.held.is_none() && self.scope.is_empty()
    }
}

impl Registry {
    /// The registry of this server; its record is kept in the folder of `store`. `temp` is the temp
    /// folder of sandboxed commands.
    pub(super) fn new(store: Arc<Store>, temp: Option<PathBuf>) -> Self {
        let running = watch::Sender::new(0);
        Self {
            server: Server::this(),
            store,
            temp,
            state: Mutex::default(),
            running,
            closing: CancellationToken::new(),
        }
    }

    /// What is to be ended of a command that is about to start, should it be lost in that: all that
    /// has its mark. It fails where the server ends, or could not end the command.
    pub(super) fn announce(&self) -> io::Result<Scope> {
        sys::make_ready()?;
        let mark = self.server.mark();
        let mut state = self.state();
        if state.closed {
            return Err(io::Error::other("the server ends"));
        }
        if state.record.is_none() {
            state.record = Record::create(|| self.store.folder(), self.server, self.temp.as_deref());
        }
        if let Some(record) = &mut state.record {
            record.started(&mark);
        }
        let scope = Scope::announced(self.server, mark.clone());
        state.running.insert(mark, scope.clone());
        self.running.send_modify(|running| *running += 1);
        Ok(scope)
    }

    /// Lets go of what was left behind and has ended since.
    pub(super) fn reap(&self) {
        let mut state = self.state();
        let gone: Vec<Remaining> = state.left.extract_if(.., Remaining::is_gone).collect();
        if let Some(record) = &mut state.record {
            for left in &gone {
                record.done(left.scope.mark());
            }
        }
    }

    /// A command was started.
    pub(super) fn started(&self, scope: Scope) {
        self.state().running.insert(scope.mark().to_owned(), scope);
    }

    /// A command is over, or was never started, and nothing of it is left.
    pub(super) fn done(&self, mark: &str) {
        self.over(mark, |record| record.done(mark));
    }

    /// A command is over, but somebody of it may be left: it stays on the record.
    pub(super) fn unsure(&self, scope: Scope) {
        let mark = scope.mark().to_owned();
        self.state().unsure.push(scope);
        self.over(&mark, |_| {});
    }

    /// A command is over, but some of its processes stay.
    pub(super) fn left(&self, scope: Scope, drain: Arc<Drain>, place: CommandPermit) {
        let noted = scope.clone();
        let held = (!drain.has_ended()).then(|| (drain, place.staying()));
        self.state().left.push(Remaining { scope, held });
        self.over(noted.mark(), |record| record.left(&noted));
    }

    fn over(&self, mark: &str, note: impl FnOnce(&mut Record)) {
        let mut state = self.state();
        if state.running.remove(mark).is_some() {
            // Once all is being ended together, the record goes or stays as a whole.
            if !state.closed
                && let Some(record) = &mut state.record
            {
                note(record);
            }
            self.running.send_modify(|running| *running -= 1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fires when all commands are being ended.
    pub(super) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Everything that is to be ended now, and nothing is added any more.
    fn close(&self) -> Vec<Scope> {
        let mut state = self.state();
        state.closed = true;
        self.closing.cancel();
        let State { running, left, unsure, .. } = &*state;
        running.values().chain(left.iter().map(|left| &left.scope)).chain(unsure).cloned().collect()
    }
}

/// Ends everything, and waits for it.
pub(super) async fn shutdown(registry: &Arc<Registry>) {
    let mut running = registry.running.subscribe();
    let scopes = registry.close();
    let ended = async {
        let mut outcome = end_of(scopes).await;
        let _all_over = running.wait_for(|running| *running == 0).await;
        // A command may have ended by itself just now, and left something.
        let left = registry.close();
        if outcome == Outcome::Over {
            outcome = end_of(left).await;
        }
        outcome
    };
    let in_time = tokio::time::timeout(SHUTDOWN, ended).await;
    let mut state = registry.state();
    state.left.iter().filter_map(|left| left.held.as_ref()).for_each(|(drain, _)| drain.stop());
    state.left.clear();
    // Where something could not be ended, the next server tries again.
    if in_time == Ok(Outcome::Over)
        && let Some(record) = state.record.take()
    {
        record.remove();
    }
}

async fn end_of(scopes: Vec<Scope>) -> Outcome {
    if scopes.is_empty() { Outcome::Over } else { process_tree::end(scopes, GRACE).await }
}

/// Ends what servers that were killed left behind. Blocks.
pub(super) fn end_stale(store: &Store) {
    if let Some(folder) = store.existing_folder() {
        process_tree::end_stale(&folder, GRACE);
    }
}
