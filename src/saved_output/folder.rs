//! The folder of saved outputs. It stays open, so a link that replaces it later is not followed.
//!
//! The default folder is in the shared temp folder, and every user can guess its name. It must be a folder, not a link,
//! that this user owns and that no other user has rights to; otherwise no output is saved. cutline creates it when it
//! is needed. A folder that the user named is opened at the start and used as it is. If it is missing, cutline creates
//! it once when the server starts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys::{self, Folder, below};

/// The folder of saved outputs.
#[derive(Debug)]
pub(super) struct SavedFolder {
    /// The path without links.
    pub(super) path: PathBuf,
    /// The parent folder and the name in it. `None` if the folder could not be created again.
    place: Option<(Folder, String)>,
    /// True for cutline's own folder. No other user may have created it or have rights to it.
    is_private: bool,
    /// The open folder, if it exists.
    folder: Mutex<Option<Arc<Folder>>>,
}

impl SavedFolder {
    /// Opens the folder that the user named at `path`, if it exists.
    pub(super) fn named(path: &Path) -> io::Result<Self> {
        let folder = match sys::open_folder(path) {
            Err(error) if sys::is_missing(&error) => {
                let missing = Self { is_private: false, ..Self::at(&std::path::absolute(path)?)? };
                missing.existing()?;
                return Ok(missing);
            }
            opened => Mutex::new(Some(Arc::new(opened?))),
        };
        let real = path.canonicalize()?;
        // A folder such as `/` has no parent in which it could be created again.
        let place = Self::at(&real).ok().and_then(|made_again| made_again.place);
        Ok(Self { path: real, place, is_private: false, folder })
    }

    /// Returns cutline's own folder at `path`. It is created when it is needed.
    ///
    /// # Errors
    ///
    /// Returns an error if another user owns the path or can read it.
    pub(super) fn private(path: &Path) -> io::Result<Self> {
        let folder = Self::at(path)?;
        folder.existing()?;
        Ok(folder)
    }

    fn at(path: &Path) -> io::Result<Self> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let real = path.parent().ok_or_else(missing)?.canonicalize()?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?.to_owned();
        let path = real.join(&name);
        let place = Some((sys::open_folder(&real)?, name));
        Ok(Self { path, place, is_private: true, folder: Mutex::default() })
    }

    /// Returns the folder, and creates it if it is missing.
    pub(super) fn open(&self) -> io::Result<Arc<Folder>> {
        if let Some(folder) = self.existing()? {
            return Ok(folder);
        }
        if let Some((parent, name)) = &self.place {
            make(parent, name)?;
        }
        self.existing()?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the folder, or `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if another user owns the folder, or can read a private one.
    pub(super) fn existing(&self) -> io::Result<Option<Arc<Folder>>> {
        let mut open = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((parent, name)) = &self.place else { return Ok(open.clone()) };
        // The folder may have been removed as an old folder in the temp folder.
        if let Some(folder) = open.as_ref().filter(|folder| self.is_fit(folder)) {
            return Ok(Some(Arc::clone(folder)));
        }
        let is_missing = || below::stat(parent, name.as_bytes()).is_err_and(|error| sys::is_missing(&error));
        *open = match below::folder(parent, name.as_bytes()) {
            Ok(folder) if self.is_fit(&folder) && is_own(&folder) => Some(Arc::new(folder)),
            Err(_) if is_missing() => None,
            _ => return Err(not_private(&self.path)),
        };
        Ok(open.clone())
    }

    fn is_fit(&self, folder: &Folder) -> bool {
        let is_there = below::stat(folder, b".").is_ok_and(|stat| !stat.is_removed());
        is_there && (!self.is_private || is_private(folder))
    }
}

/// Creates a folder for this user only. Another server may have created it just before.
fn make(parent: &Folder, name: &str) -> io::Result<()> {
    match below::make_private_folder(parent, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _made_or_there => Ok(()),
    }
}

/// Returns true if this user owns the folder.
fn is_own(folder: &Folder) -> bool {
    below::stat(folder, b".").is_ok_and(|stat| stat.owner == sys::user())
}

fn is_private(folder: &Folder) -> bool {
    below::stat(folder, b".").is_ok_and(|stat| stat.is_own_private_folder())
}

fn not_private(path: &Path) -> io::Error {
    let text = format!("{} is not a folder of this user's alone", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}
