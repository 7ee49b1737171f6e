//! The folder that outputs are saved in, held open: a link that is put in its place later leads nowhere.
//!
//! The default folder stands in the shared temp folder, under a name that every user can guess. So it must be
//! a real folder, owned by this user, closed to all others; it is made on demand. Where another user has
//! taken that name, a folder in `XDG_RUNTIME_DIR` is used instead, else one with a random name in the temp
//! folder. A folder that the user named is opened at the start, and used as it is; where it is missing it is made, once
//! it is known that the server starts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys::{self, Folder, below};

/// The name of the folder in `XDG_RUNTIME_DIR`, which is each user's own.
const NAME_IN_RUNTIME_DIR: &str = "cutline";

/// The folder of saved outputs.
#[derive(Debug)]
pub(in crate::process) struct SavedFolder {
    /// Its path without links, also where it is not there yet.
    pub(super) path: PathBuf,
    /// The path by which it was opened, which may lead through links.
    pub(in crate::process) given: PathBuf,
    /// The folder that it is in, and its name there; `None` where it could not be made once more.
    place: Option<(Folder, String)>,
    /// True if it is cutline's own: no other user may have made it or can look into it.
    is_private: bool,
    /// The folder itself, once it is there.
    folder: Mutex<Option<Arc<Folder>>>,
}

impl SavedFolder {
    /// Opens the folder at `path`, which the user named, where it is there.
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
        // Where it can't be made again, as `/` can't, it is this one or none.
        let place = Self::at(&real).ok().and_then(|made_again| made_again.place);
        Ok(Self { path: real, given: path.to_owned(), place, is_private: false, folder })
    }

    /// Chooses cutline's own folder: `path`, or another where that is not this user's alone.
    pub(super) fn private(path: &Path) -> io::Result<Self> {
        let chosen = Self::at(path)?;
        let Err(reason) = chosen.existing() else { return Ok(chosen) };
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
        let in_runtime = runtime.and_then(|dir| Self::at(&dir.join(NAME_IN_RUNTIME_DIR)).ok());
        // Where no other user can make anything beside it.
        let usable = |other: &Self| {
            other.place.as_ref().is_some_and(|(parent, _)| is_private(parent)) && other.existing().is_ok()
        };
        let other = match in_runtime.filter(usable) {
            Some(other) => other,
            None => chosen.beside()?,
        };
        tracing::warn!("{reason}; outputs are saved in {}", other.path.display());
        Ok(other)
    }

    fn at(path: &Path) -> io::Result<Self> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let real = path.parent().ok_or_else(missing)?.canonicalize()?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(missing)?.to_owned();
        let (given, path) = (path.to_owned(), real.join(&name));
        let place = Some((sys::open_folder(&real)?, name));
        Ok(Self { path, given, place, is_private: true, folder: Mutex::default() })
    }

    /// Returns a folder beside this one with a random name: one of an earlier server, or a new one.
    fn beside(&self) -> io::Result<Self> {
        let Some((parent, name)) = &self.place else { return Err(not_private(&self.path)) };
        let begins = format!("{name}-");
        let found = sys::names_in(parent, 1, |entry| {
            entry.starts_with(begins.as_bytes())
                && below::stat(parent, entry).is_ok_and(|stat| stat.is_own_private_folder())
        })?;
        let other = Self::at(&self.path.with_file_name(match found.first() {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => format!("{begins}{:016x}", sys::random()),
        }))?;
        other.open()?;
        Ok(other)
    }

    /// Returns the folder, made first where it is missing.
    pub(super) fn open(&self) -> io::Result<Arc<Folder>> {
        if let Some(folder) = self.existing()? {
            return Ok(folder);
        }
        if let Some((parent, name)) = &self.place {
            make(parent, name)?;
        }
        self.existing()?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the folder, `None` where it is not there; fails where it is not fit to be used.
    pub(super) fn existing(&self) -> io::Result<Option<Arc<Folder>>> {
        let mut open = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((parent, name)) = &self.place else { return Ok(open.clone()) };
        // It may have been cleared away, as old folders in a temp folder are.
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

/// Makes a folder for this user alone, where another server has not just made it.
fn make(parent: &Folder, name: &str) -> io::Result<()> {
    match below::make_private_folder(parent, name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _made_or_there => Ok(()),
    }
}

/// True if no other user has made it, in the place of one that is gone.
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
