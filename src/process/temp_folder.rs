//! A folder in the shared temp folder for the commands of one server. The server removes it when it ends. If the server
//! was killed, the next server removes it.
//!
//! The name identifies the server, and the folder is locked while the server runs. Only folders of this user are
//! removed that are private, not locked, not links, and belong to a server that has ended. No path is read from a file,
//! and nothing is removed through a link.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::tag::ServerId;
use crate::sys::{self, Folder, below};

/// The purpose of a temp folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TempKind {
    /// A folder of commands under a sandbox: their temp folder, or the one that is mounted on `/dev/shm`.
    Sandbox,
    /// Reports of the exit codes of pipelines.
    Pipelines,
}

impl TempKind {
    const ALL: [Self; 2] = [Self::Sandbox, Self::Pipelines];

    /// Returns the prefix of the names of such folders. A tag of the server follows.
    fn prefix(self) -> &'static str {
        match self {
            Self::Sandbox => "cutline-sandbox-",
            Self::Pipelines => "cutline-pipelines-",
        }
    }
}

/// A temp folder of this server. Dropping it removes it, but a process can exit without dropping its values.
#[derive(Debug)]
pub(super) struct TempFolder {
    parent: Folder,
    name: String,
    pub(super) path: PathBuf,
    /// The locked folder. The lock protects it from servers in other containers, which cannot see the process id of
    /// this one.
    locked: Mutex<Folder>,
}

impl TempFolder {
    /// Creates a private folder of that kind with an unpredictable name.
    pub(super) fn create(kind: TempKind) -> io::Result<Self> {
        let shared = sys::temp_dir().canonicalize()?;
        let parent = sys::open_folder(&shared)?;
        let name = format!("{}{}", kind.prefix(), ServerId::this().new_tag());
        below::make_private_folder(&parent, &name)?;
        let locked = below::folder(&parent, name.as_bytes())?;
        // On a file system without locks, `remove_stale` removes nothing, so the folder needs no lock.
        let _not_needed_without_locks = sys::lock(&locked);
        Ok(Self { path: shared.join(&name), parent, name, locked: Mutex::new(locked) })
    }

    /// Creates and locks the folder again if another program removed it as an old one.
    pub(super) fn restore(&self) {
        if below::make_private_folder(&self.parent, &self.name).is_err() {
            return; // It is there already.
        }
        if let Ok(folder) = self.open() {
            let _not_needed_without_locks = sys::lock(&folder);
            *self.locked.lock().unwrap_or_else(PoisonError::into_inner) = folder;
        }
    }

    /// Opens the folder.
    pub(super) fn open(&self) -> io::Result<Folder> {
        below::folder(&self.parent, self.name.as_bytes())
    }

    /// Removes the folder. Call it before the process exits, because that may not drop it. Blocks.
    pub(super) fn remove(&self) {
        // A command may have removed its own rights to the folder, and the folder may have been created again.
        let opened = self.open();
        let locked = self.locked.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = opened.as_ref().unwrap_or(&locked);
        let _next_server_tries_again = sys::remove_tree(&self.parent, self.name.as_bytes(), folder);
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the temp folders of servers that were killed. Blocks.
pub(super) fn remove_stale() {
    let Ok(shared) = sys::open_folder(sys::temp_dir()) else { return };
    for name in sys::names_in(&shared, usize::MAX, is_of_ended_server).unwrap_or_default() {
        let Ok(folder) = below::folder(&shared, &name) else { continue };
        if below::stat(&folder, b".").is_ok_and(|stat| stat.is_own_private_folder()) && sys::lock(&folder) {
            let _next_server_tries_again = sys::remove_tree(&shared, &name, &folder);
        }
    }
}

fn is_of_ended_server(name: &[u8]) -> bool {
    let after_prefix =
        |name| TempKind::ALL.into_iter().find_map(|kind| str::strip_prefix(name, kind.prefix()));
    let tag = std::str::from_utf8(name).ok().and_then(after_prefix);
    tag.and_then(ServerId::of_tag).is_some_and(|server| !sys::may_be_alive(server.id, server.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ended_servers_folder_is_stale() {
        let this = ServerId::this();
        let of = |server: ServerId| format!("cutline-sandbox-{}", server.new_tag());
        let reports = format!("cutline-pipelines-{}", ServerId { id: 4_194_305, ..this }.new_tag());
        let cases = [
            (reports, true),
            (of(ServerId { id: 4_194_305, ..this }), true),
            (of(this), false),
            (of(ServerId { start: this.start + 1, ..this }), true),
            ("cutline-sandbox-4194305-1-ab".to_owned(), false),
            ("cutline-sandbox-4194305.1.2.3".to_owned(), false),
            ("cutline-4194305.1.2.3.ab".to_owned(), false),
        ];
        for (name, expected) in cases {
            assert_eq!(is_of_ended_server(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn restored_folder_is_locked() {
        let folder = TempFolder::create(TempKind::Pipelines).unwrap();
        let is_locked = || !sys::lock(folder.open().unwrap());
        assert!(is_locked());
        std::fs::remove_dir(&folder.path).unwrap();
        folder.restore();
        assert!(is_locked(), "another server could remove the folder");
    }
}
