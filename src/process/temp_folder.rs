//! A folder in the shared temp folder for the commands of one server. The server removes it when it ends. If the server
//! was killed, the next server removes it.
//!
//! The folder is locked while the server runs. Only folders of this user are removed that are private, not locked, and not
//! links. No path is read from a file, and nothing is removed through a link.

use std::io;
use std::sync::Arc;

use crate::fs::own_folder::OwnFolder;
use crate::sys::{self, Folder, below};

/// The prefix of the names of such folders. A random number follows.
const PREFIX: &str = "cutline-commands-";

/// A temp folder of this server. Dropping it removes it, but a process can exit without dropping its values.
#[derive(Debug)]
pub(super) struct TempFolder {
    pub(super) folder: OwnFolder,
}

impl TempFolder {
    /// Creates a private folder with an unpredictable name.
    pub(super) fn create() -> io::Result<Self> {
        let path = sys::temp_dir().join(format!("{PREFIX}{:016x}", sys::random()));
        let folder = Self { folder: OwnFolder::new(&path, true)? };
        folder.open()?;
        Ok(folder)
    }

    /// Opens and locks the folder. Creates it again if another program removed it as an old one.
    pub(super) fn open(&self) -> io::Result<Arc<Folder>> {
        let folder = self.folder.open()?;
        // On a file system without locks, `remove_stale` removes nothing, so the folder needs no lock.
        let _not_needed_without_locks = sys::lock(&folder);
        Ok(folder)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _next_server_tries_again = self.folder.remove();
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
        let is_locked = || !sys::lock(sys::open_folder(&folder.folder.path).unwrap());
        assert!(is_locked());
        std::fs::remove_dir(&folder.folder.path).unwrap();
        folder.open().unwrap();
        assert!(is_locked(), "another server could remove the folder");
    }
}
