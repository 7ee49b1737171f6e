//! A folder in the shared temp folder for the commands of one server. The server removes it when it ends. If the server
//! was killed, the next server removes it.
//!
//! The folder is locked while the server runs. Only folders of this user are removed that are private, not locked, and not
//! links. No path is read from a file, and nothing is removed through a link.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::sys::{self, Folder, below};

/// The prefix of the names of such folders. A random number follows.
const PREFIX: &str = "cutline-commands-";

/// A temp folder of this server. Dropping it removes it, but a process can exit without dropping its values.
#[derive(Debug)]
pub(super) struct TempFolder {
    parent: Folder,
    name: String,
    pub(super) path: PathBuf,
    /// The locked folder.
    locked: Mutex<Folder>,
}

impl TempFolder {
    /// Creates a private folder with an unpredictable name.
    pub(super) fn create() -> io::Result<Self> {
        let shared = sys::temp_dir().canonicalize()?;
        let parent = sys::open_folder(&shared)?;
        let name = format!("{PREFIX}{:016x}", sys::random());
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
    let is_own = |name: &[u8]| name.starts_with(PREFIX.as_bytes());
    for name in sys::names_in(&shared, usize::MAX, is_own).unwrap_or_default() {
        let Ok(folder) = below::folder(&shared, &name) else { continue };
        if below::stat(&folder, b".").is_ok_and(|stat| stat.is_own_private_folder()) && sys::lock(&folder) {
            let _next_server_tries_again = sys::remove_tree(&shared, &name, &folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_folder_is_locked() {
        let folder = TempFolder::create().unwrap();
        let is_locked = || !sys::lock(folder.open().unwrap());
        assert!(is_locked());
        std::fs::remove_dir(&folder.path).unwrap();
        folder.restore();
        assert!(is_locked(), "another server could remove the folder");
    }
}
