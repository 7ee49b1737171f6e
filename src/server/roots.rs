//! The roots of a client with a handshake. The server requests them after the handshake and whenever they change.
//!
//! They apply only if the command line has no roots: a client can neither narrow nor widen the roots of the user. A URI
//! is resolved once, so that commands cannot move a root by changing its path.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[expect(deprecated, reason = "clients of the handshake era still offer roots")]
use rmcp::model::ListRootsRequest;
use rmcp::model::{ClientResult, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::fs::file_uri;
use crate::fs::workspace::{Boundary, Root, Workspace};
use crate::tools::Shared;

use super::Request;

/// Maximum time that the first call waits for the client's roots. Clients need less, and users hardly notice it.
const FIRST_CALL_WAIT: Duration = Duration::from_secs(2);
/// Maximum time that a call waits for the roots after the end of input. A response that was read may not be processed
/// yet.
const LAST_CALL_WAIT: Duration = Duration::from_millis(100);
/// Maximum time that a request for the roots waits for its response. The next request is sent after that time
/// or the response.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// The log message about a root that does not exist, is no folder, or could have been redirected by a command.
const UNUSABLE: &str = "the root of the client is not a folder that can be used";

/// The current roots.
#[derive(Debug)]
pub(super) struct Roots {
    /// True if the client can set the roots.
    follows_client: bool,
    /// True when the client has responded, or when it is known that it will not.
    known: watch::Sender<bool>,
    /// Locked during a request for the roots of the client.
    request_lock: tokio::sync::Mutex<()>,
    /// One permit, for the next request that waits for the current one.
    next_request: Semaphore,
    state: Mutex<State>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct State {
    workspace: Arc<Workspace>,
    /// All roots since the first call with a root, by path. A path keeps the root that it was first resolved to. `None`
    /// before that call, because no command can have run yet.
    resolved: Option<HashMap<PathBuf, Root>>,
}

impl Roots {
    pub(super) fn new(workspace: Workspace, follows_client: bool, shared: Arc<Shared>) -> Self {
        let state = Mutex::new(State { workspace: Arc::new(workspace), resolved: None });
        let known = watch::Sender::new(!follows_client);
        let (request_lock, next_request) = (tokio::sync::Mutex::default(), Semaphore::new(1));
        Self { follows_client, known, request_lock, next_request, state, shared }
    }

    /// Returns the roots for a call. Waits for the client's roots if the client offers them, but only briefly at the
    /// end of the session.
    pub(super) async fn current(&self, request: &Request, shutdown: &CancellationToken) -> Arc<Workspace> {
        if !*self.known.borrow() && offers_roots(&request.peer) {
            let mut known = self.known.subscribe();
            let waiting = tokio::time::timeout(FIRST_CALL_WAIT, known.wait_for(|known| *known));
            tokio::select! {
                () = request.ct.cancelled() => {}
                () = async { shutdown.cancelled().await; tokio::time::sleep(LAST_CALL_WAIT).await } => {
                    self.use_working_folder();
                }
                came = waiting => if came.is_err() {
                    tracing::warn!("the client offers roots but did not send them");
                    self.use_working_folder();
                    self.known.send_replace(true);
                },
            }
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { workspace, resolved } = &mut *state;
        let by_path = |root: &Root| [&root.given, &root.real].map(|path| (path.clone(), root.clone()));
        // Without a root, no command can run.
        if !workspace.roots.is_empty() {
            resolved.get_or_insert_with(|| workspace.roots.iter().flat_map(by_path).collect());
        }
        Arc::clone(workspace)
    }

    /// Requests the client's roots and uses them. During a request, any number of changes cause only one more request.
    pub(super) async fn request_from(&self, peer: &Peer<RoleServer>) {
        if self.follows_client && offers_roots(peer) {
            // Another request waits. It will be sent after this change, so it covers it.
            let Ok(waits) = self.next_request.try_acquire() else { return };
            let _under_way = self.request_lock.lock().await;
            drop(waits);
            #[expect(deprecated, reason = "clients of the handshake era still offer them")]
            let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
            let list = match tokio::time::timeout(RESPONSE_TIMEOUT, peer.send_request(request)).await {
                Ok(Ok(response)) => uris(&response).ok_or_else(|| "the response has no list".to_owned()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err("no response".to_owned()),
            };
            match list {
                Ok(uris) => self.use_uris(&uris),
                Err(reason) => {
                    tracing::warn!("the request for the client's roots failed: {reason}");
                    self.use_working_folder();
                }
            }
        }
        // If another request waits, the roots are known after its response.
        if self.next_request.available_permits() > 0 {
            self.known.send_replace(true);
        }
    }

    /// Keeps the working folder as the root of a client that offers roots but has sent none. `/`, the home folder and the
    /// folders above it are no root then: a desktop client can start the server there, and they contain everything.
    fn use_working_folder(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let current = &state.workspace;
        let home =
            current.home.as_ref().and_then(|home| home.canonicalize().ok()).unwrap_or_else(|| "/".into());
        let has_home = current.roots.iter().any(|root| home.starts_with(&root.real));
        if has_home && current.boundary == Boundary::Roots && !*self.known.borrow() {
            tracing::warn!(
                "the working folder is or contains the home folder, so it is no root: set one with --root DIR"
            );
            state.workspace = Arc::new(Workspace { roots: Vec::new(), ..Workspace::clone(current) });
        }
    }

    /// Uses the roots with these URIs. Skips those that cannot be used, with a warning. If none is left and the tools
    /// may access all paths, keeps the previous roots.
    fn use_uris(&self, uris: &[String]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut roots = Vec::new();
        for uri in uris {
            let root = match file_uri::path_of(uri) {
                Some(path) => state.root(path, &roots, &self.shared),
                None => Err(UNUSABLE),
            };
            match root {
                Ok(root) => roots.push(root),
                Err(reason) => tracing::warn!(uri, "{reason}"),
            }
        }
        if let Some(sandbox) = &self.shared.commands.sandbox {
            let all = roots.clone();
            roots.retain(|root| match sandbox.check_path("the root", root, &all) {
                Ok(()) => true,
                Err(error) => {
                    tracing::warn!("the root of the client can't be used: {error}");
                    false
                }
            });
            // Only the first roots need the warning: sandboxed commands can write to a root that is added later only if
            // it is inside one of the earlier roots.
            if let (None, Some(warning)) = (&state.resolved, sandbox.warning(&roots)) {
                tracing::warn!("{warning}");
            }
        }
        if roots.is_empty() && state.workspace.boundary == Boundary::None {
            // The tools may access all paths, so the previous roots remain as the start of relative paths.
            return;
        }
        let changed = Workspace { roots, ..Workspace::clone(&state.workspace) };
        tracing::info!(roots = changed.show_roots(), "roots of the client");
        state.workspace = Arc::new(changed);
    }
}

impl State {
    /// Returns the root for `path`: the one that this path had before, or a new one. `others` are the roots before it in
    /// the list of the client.
    ///
    /// # Errors
    ///
    /// Returns the message for the log if the path is not used. After the first call, that includes a new root inside one
    /// of the `others`: the tools can already access it. Before the first call, it is a root like any other.
    fn root(&mut self, path: PathBuf, others: &[Root], shared: &Shared) -> Result<Root, &'static str> {
        let Some(resolved) = &mut self.resolved else { return Root::resolve(path).map_err(|_| UNUSABLE) };
        if let Some(root) = resolved.get(&path) {
            return Ok(root.clone());
        }
        let root = Root::resolve_among(path, resolved.values(), shared.commands.writable());
        let root = root.map_err(|_| UNUSABLE)?;
        if others.iter().any(|other| root.real.starts_with(&other.real)) {
            return Err("the root of the client is inside another one and needs no entry of its own");
        }
        resolved.insert(root.given.clone(), root.clone());
        Ok(root)
    }
}

/// Returns the URIs in the response, or `None` if it has no list. Skips entries without a URI, so that an invalid entry
/// does not keep the previous roots in use.
///
/// It reads the response as JSON, because rmcp has no typed list for a response with an invalid entry.
fn uris(response: &ClientResult) -> Option<Vec<String>> {
    let response = serde_json::to_value(response).ok()?;
    let uri = |root: &Value| root.get("uri")?.as_str().map(str::to_owned);
    Some(response.get("roots")?.as_array()?.iter().filter_map(uri).collect())
}

/// Returns true if the client declared in a handshake that it has roots.
fn offers_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}
