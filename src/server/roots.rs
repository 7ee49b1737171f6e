//! The roots of a client of the handshake era: asked for once it is ready, followed when they change.
//!
//! They are taken only where none were given on the command line: a client can narrow nothing down
//! that its user has set, nor widen it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::watch;

use crate::fs::workspace::{Root, Workspace};

use super::ClientRoots;

/// How long the first call waits for a client's roots.
const WAIT: Duration = Duration::from_secs(2);

/// The roots in force.
#[derive(Debug)]
pub(super) struct Roots {
    workspace: RwLock<Arc<Workspace>>,
    client: ClientRoots,
    /// Whether the client has been asked, and has answered or can't.
    known: watch::Sender<bool>,
}

impl Roots {
    pub(super) fn new(workspace: Workspace, client: ClientRoots) -> Self {
        let known = watch::Sender::new(client == ClientRoots::Ignored);
        Self { workspace: RwLock::new(Arc::new(workspace)), client, known }
    }

    /// The roots for a call; where the client offers some that have not come yet, waits for them.
    pub(super) async fn current(&self, request: &RequestContext<RoleServer>) -> Arc<Workspace> {
        if !*self.known.borrow() && offers_roots(&request.peer) {
            let mut known = self.known.subscribe();
            let waiting = tokio::time::timeout(WAIT, known.wait_for(|known| *known));
            tokio::select! {
                () = request.ct.cancelled() => {}
                came = waiting => if came.is_err() {
                    tracing::warn!("the client offers roots but did not send them; going on without");
                    self.known.send_replace(true);
                },
            }
        }
        Arc::clone(&self.workspace.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the client for its roots and takes them over.
    pub(super) async fn ask(&self, peer: &Peer<RoleServer>) {
        if self.client == ClientRoots::Followed && offers_roots(peer) {
            #[expect(deprecated, reason = "clients of the handshake era still offer them")]
            match peer.list_roots().await {
                Ok(list) => self.take(list.roots.iter().map(|root| root.uri.as_str())),
                Err(error) => tracing::warn!(%error, "the client's roots could not be had"),
            }
        }
        self.known.send_replace(true);
    }

    fn take<'a>(&self, uris: impl Iterator<Item = &'a str>) {
        let mut roots = Vec::new();
        for uri in uris {
            match path_of(uri).map(|path| (path.canonicalize(), path)) {
                Some((Ok(real), given)) if real.is_dir() => roots.push(Root { given, real }),
                _ => tracing::warn!(uri, "not a folder that can be used as a root"),
            }
        }
        let mut workspace = self.workspace.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(changed) = workspace.with_roots(roots) {
            tracing::info!(roots = changed.show_roots(), "roots of the client");
            *workspace = Arc::new(changed);
        }
    }
}

/// Whether the client said, in a handshake, that it has roots.
fn offers_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

/// The path of a `file:` URI on this machine.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    // `/C:/a` is a path of a drive; of others the first `/` is a part.
    let of_drive = path.strip_prefix('/').filter(|rest| Path::new(rest).is_absolute());
    let path = PathBuf::from(of_drive.unwrap_or(&path));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_uris() {
        #[cfg(windows)]
        let cases = [
            ("file:///C:/a/b", Some("C:/a/b")),
            ("file:///c%3A/with%20space", Some("c:/with space")),
            ("file:///a/b", None),
            ("file://other/a", None),
        ];
        #[cfg(unix)]
        let cases = [
            ("file:///a/b", Some("/a/b")),
            ("file:///with%20space/%C3%BC", Some("/with space/ü")),
            ("file://localhost/a", Some("/a")),
            ("file://other/a", None),
            ("https://a/b", None),
            ("/a/b", None),
        ];
        for (uri, path) in cases {
            assert_eq!(path_of(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
