//! A folder of this server in a folder that other users may share. It stays open, so a link that replaces it later is
//! not followed.
//!
//! Every user can guess the name of a private folder in the temp folder. It must be a folder, not a link, that this
//! user owns and that no other user has rights to. cutline creates it when it is needed. A folder that the user named
//! is opened at the start and used as it is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys::{self, Folder, Stat, below};

/// The prefix of the names of temp folders. A random number follows.
const PREFIX: &str = "cutline-commands-";
/// Maximum number of folders of earlier servers that one server removes.
const MAX_STALE: usize = 10_000;

/// A folder of this server.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    /// The path without links.
    pub(crate) path: PathBuf,
    /// The parent folder, and the name in it.
    parent: Folder,
    name: String,
    /// True if no other user may have created it or have rights to it.
    is_private: bool,
    /// True for a folder that is locked while it is open, and that is removed when it is dropped.
    is_temporary: bool,
    /// The open folder, if it exists.
    folder: Mutex<Option<Arc<Folder>>>,
}

impl OwnFolder {
    /// Returns the folder at `path`. It is created when it is needed.
    ///
    /// # Errors
    ///
    /// Returns an error if it has no parent folder, or if it is private and another user owns it or can read it.
    pub(crate) fn new(path: &Path, is_private: bool) -> io::Result<Self> {
        let mut path = std::path::absolute(path)?;
        let mut opened = None;
        if !is_private && path.exists() {
            path = path.canonicalize()?;
            opened = Some(Arc::new(sys::open_folder(&path)?));
        }
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let real = path.parent().ok_or_else(missing)?.canonicalize()?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?.to_owned();
        let parent = sys::open_folder(&real)?;
        let (path, folder) = (real.join(&name), Mutex::new(opened));
        let folder = Self { path, parent, name, is_private, is_temporary: false, folder };
        folder.existing()?;
        Ok(folder)
    }

    /// Creates a private folder with an unpredictable name in the temp folder, for the commands of one server. If the
    /// process exits without dropping it, the next server removes it.
    pub(crate) fn temporary() -> io::Result<Self> {
        let path = sys::temp_dir().join(format!("{PREFIX}{:016x}", sys::random()));
        let mut folder = Self::new(&path, true)?;
        folder.is_temporary = true;
        // Another server can remove it before it is locked.
        folder.open().or_else(|_| folder.open())?;
        Ok(folder)
    }

    /// Returns the folder, and creates it if it is missing. Locks a temporary one, and restores its rights, which a
    /// command can have changed.
    pub(crate) fn open(&self) -> io::Result<Arc<Folder>> {
        if self.is_temporary {
            let _checked_below = sys::make_accessible(&self.parent, self.name.as_bytes());
        }
        if self.existing()?.is_none() {
            match below::make_private_folder(&self.parent, &self.name) {
                // Another server may have created it just before.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _exists => {}
            }
        }
        let folder = self.existing()?.ok_or(io::ErrorKind::NotFound)?;
        if self.is_temporary {
            // On a file system without locks, `remove_stale_temp_folders` removes nothing.
            let _not_needed_without_locks = sys::lock(&folder);
        }
        Ok(folder)
    }

    /// Returns the folder, or `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if another user owns the folder, or can read a private one.
    pub(crate) fn existing(&self) -> io::Result<Option<Arc<Folder>>> {
        let mut open = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        // A program that cleans up the temp folder may have removed it.
        if let Some(folder) = open.as_ref().filter(|folder| self.is_usable(folder)) {
            return Ok(Some(Arc::clone(folder)));
        }
        let is_own = |folder: &Folder| below::stat(folder, b".").is_ok_and(|stat| stat.owner == sys::user());
        *open = match below::folder(&self.parent, self.name.as_bytes()) {
            Ok(folder) if self.is_usable(&folder) && is_own(&folder) => Some(Arc::new(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            _ => {
                let text = format!("{} is not a folder of this user's alone", self.path.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
            }
        };
        Ok(open.clone())
    }

    fn is_usable(&self, folder: &Folder) -> bool {
        // Commands get the path of a temporary one.
        let is_at =
            |stat: Stat| below::stat(&self.parent, self.name.as_bytes()).is_ok_and(|at| at.id == stat.id);
        let fits = |stat: Stat| {
            !stat.is_removed()
                && (!self.is_private || stat.is_own_private_folder())
                && (!self.is_temporary || is_at(stat))
        };
        below::stat(folder, b".").is_ok_and(fits)
    }

    /// Removes the folder with its contents. Blocks.
    pub(crate) fn remove(&self) -> io::Result<()> {
        // A command may have removed its own rights to the folder, so that only the open one can be used.
        let open = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let folder = below::folder(&self.parent, self.name.as_bytes()).map(Arc::new);
        let folder = folder.or_else(|error| open.ok_or(error))?;
        sys::remove_tree(&self.parent, self.name.as_bytes(), &folder)
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if self.is_temporary {
            let _next_server_tries_again = self.remove();
        }
    }
}

/// Removes the temp folders of servers that were killed. Blocks.
///
/// Only folders of this user are removed that are private, not locked, and not links. No path is read from a file, and
/// nothing is removed through a link.
pub(crate) fn remove_stale_temp_folders() {
    let Ok(shared) = sys::open_folder(sys::temp_dir()) else { return };
    let is_private =
        |base: &Folder, name: &[u8]| below::stat(base, name).is_ok_and(|stat| stat.is_own_private_folder());
    // Other users can create folders of any number.
    let is_own = |name: &[u8]| name.starts_with(PREFIX.as_bytes()) && is_private(&shared, name);
    for name in sys::names_in(&shared, MAX_STALE, is_own).unwrap_or_default() {
        let Ok(folder) = below::folder(&shared, &name) else { continue };
        if is_private(&folder, b".") && sys::lock(&folder) {
            let _next_server_tries_again = sys::remove_tree(&shared, &name, &folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_folder_is_locked() {
        let folder = OwnFolder::temporary().unwrap();
        let is_locked = || !sys::lock(sys::open_folder(&folder.path).unwrap());
        assert!(is_locked());
        std::fs::remove_dir(&folder.path).unwrap();
        folder.open().unwrap();
        assert!(is_locked(), "another server could remove the folder");
    }
}
