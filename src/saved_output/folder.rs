//! The folder of saved outputs. It stays open, so a link that replaces it later is not followed.
//!
//! The default folder is in the shared temp folder, and every user can guess its name. It must be a folder, not a link,
//! that this user owns and that no other user has rights to; otherwise no output is saved. cutline creates it when it
//! is needed. A folder that the user named is opened at the start and used as it is. If it is missing, cutline creates
//! it once when the server starts.
//!
//! A sweep removes old outputs. It removes only regular files with the name of a saved output and a single hard link
//! that this user owns, to which no other user has rights, and that no running server is writing.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::Settings;
use crate::fs::saved_name::is_saved_name;
use crate::sys::{self, Folder, Stat, below};

/// The folder of saved outputs.
#[derive(Debug)]
pub(super) struct SavedFolder {
    /// The path without links.
    pub(super) path: PathBuf,
    /// The parent folder, and the name in it.
    parent: Folder,
    name: String,
    /// True for cutline's own folder. No other user may have created it or have rights to it.
    is_private: bool,
    /// The open folder, if it exists.
    folder: Mutex<Option<Arc<Folder>>>,
}

impl SavedFolder {
    /// Returns the folder at `path`. It is created when it is needed.
    ///
    /// # Errors
    ///
    /// Returns an error if it has no parent folder, or if it is private and another user owns it or can read it.
    pub(super) fn new(path: &Path, is_private: bool) -> io::Result<Self> {
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
        let folder = Self { path: real.join(&name), parent, name, is_private, folder: Mutex::new(opened) };
        folder.existing()?;
        Ok(folder)
    }

    /// Returns the folder, and creates it if it is missing.
    pub(super) fn open(&self) -> io::Result<Arc<Folder>> {
        if let Some(folder) = self.existing()? {
            return Ok(folder);
        }
        match below::make_private_folder(&self.parent, &self.name) {
            // Another server may have created it just before.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _exists => {}
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
        // A program that cleans up the temp folder may have removed it.
        if let Some(folder) = open.as_ref().filter(|folder| self.is_usable(folder)) {
            return Ok(Some(Arc::clone(folder)));
        }
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
        let fits = |stat: Stat| !stat.is_removed() && (!self.is_private || stat.is_own_private_folder());
        below::stat(folder, b".").is_ok_and(fits)
    }
}

/// Returns true if this user owns the folder.
fn is_own(folder: &Folder) -> bool {
    below::stat(folder, b".").is_ok_and(|stat| stat.owner == sys::user())
}

/// Removes files that exceed the maximum age, and then the oldest files until the total size is within its limit.
pub(super) fn sweep(folder: &Folder, settings: &Settings, now: SystemTime) {
    // A new descriptor reads the folder from its start.
    let Ok(from_start) = below::folder(folder, b"") else { return };
    let is_saved = |name: &[u8]| std::str::from_utf8(name).is_ok_and(is_saved_name);
    let Ok(names) = sys::names_in(&from_start, usize::MAX, is_saved) else { return };
    let seen = names.into_iter().filter_map(|name| Some((below::stat(folder, &name).ok()?, name)));
    let mut candidates: Vec<(Stat, Vec<u8>)> =
        seen.filter(|(stat, _)| stat.is_own_file() && stat.is_private).collect();
    candidates.sort_by(|(a, left), (b, right)| (a.modified, left).cmp(&(b.modified, right)));
    let oldest = now.checked_sub(settings.keep).map_or(i128::MIN, sys::nanos);
    let mut total: u64 = candidates.iter().map(|(stat, _)| stat.bytes).sum();
    for (seen, name) in candidates {
        let too_much = total > settings.max_total_bytes;
        if (seen.modified < oldest || too_much) && remove(folder, &seen, &name) {
            total -= seen.bytes;
        }
    }
}

/// Removes the file if it is still the same one and no server is writing it. Returns true if the file no longer exists.
fn remove(folder: &Folder, seen: &Stat, name: &[u8]) -> bool {
    match below::file(folder, name) {
        Ok(Some((file, now))) => now.id == seen.id && sys::lock(&file) && below::remove(folder, name).is_ok(),
        Ok(None) => false,
        Err(error) => sys::is_missing(&error),
    }
}
