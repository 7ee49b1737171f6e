//! Files and folders that were given to the server: what commands could write in them, and how they could lead
//! the way to them elsewhere.
//!
//! A way can be led elsewhere by who writes in a folder that it leads through: what is looked up there becomes a
//! link, also for the next server. So a way through a folder that commands may write must end in one; that adds
//! nothing to what they may write. All else is given without that detour.

use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;

/// A file or folder that was given.
#[derive(Debug)]
pub(super) struct Given {
    name: &'static str,
    path: PathBuf,
    way: Followed,
}

/// A file or folder that commands could replace, or lead the server away from.
#[derive(Debug, thiserror::Error)]
pub enum Exposed {
    /// A file or folder of the server lies where commands may write.
    #[error(
        "--sandbox: {name} ({}) must not lie in {}, where commands may write",
        path.display(), writable.display()
    )]
    Inside {
        /// The words that name it.
        name: &'static str,
        /// Its path as it was given.
        path: PathBuf,
        /// The folder in which it lies.
        writable: PathBuf,
    },
    /// The way to a file or folder is one that commands could lead elsewhere.
    #[error(
        "--sandbox: the way to {name} ({}) leads through {}, where commands may write: they could lead it \
         elsewhere. If {} is meant, give that path",
        path.display(), writable.display(), end.display()
    )]
    LedThrough {
        /// The words that name it.
        name: &'static str,
        /// Its path as it was given.
        path: PathBuf,
        /// The folder through which the way leads.
        writable: PathBuf,
        /// The path without links that it leads to now.
        end: PathBuf,
    },
}

impl Given {
    /// Follows `path`; `name` are the words that name it.
    pub(super) fn new(name: &'static str, path: PathBuf) -> Self {
        Self { name, way: Followed::new(&path), path }
    }

    /// Returns its path without links.
    pub(super) fn end(&self) -> &Path {
        &self.way.end
    }

    /// Returns an error if a command that may write in `writable` could replace it.
    pub(super) fn check_outside(&self, writable: &[&Path]) -> Result<(), Exposed> {
        if let Some(folder) = writable.iter().find(|folder| self.end().starts_with(folder)) {
            let (path, writable) = (self.path.clone(), folder.to_path_buf());
            return Err(Exposed::Inside { name: self.name, path, writable });
        }
        self.folder().check_way(writable, &[])
    }

    /// Returns it as a folder that is used.
    pub(super) fn folder(&self) -> GivenFolder<'_> {
        GivenFolder { name: self.name, path: &self.path, real: &self.way.end, way: &self.way }
    }
}

/// A folder that is used: for commands to write in, or as a root.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenFolder<'a> {
    /// The words that name it.
    pub(super) name: &'static str,
    /// Its path as it was given.
    pub(super) path: &'a Path,
    /// The path without links by which it is used.
    pub(super) real: &'a Path,
    /// The way that led there.
    pub(super) way: &'a Followed,
}

impl GivenFolder<'_> {
    /// Returns an error if commands that may write in `writable` could lead its way elsewhere than below `sound`.
    pub(super) fn check_way(&self, writable: &[&Path], sound: &[&Path]) -> Result<(), Exposed> {
        match self.way.way_through(writable) {
            Some(folder) if !sound.iter().any(|sound| self.real.starts_with(sound)) => {
                Err(Exposed::LedThrough {
                    name: self.name,
                    path: self.path.to_owned(),
                    writable: folder.to_owned(),
                    end: self.real.to_owned(),
                })
            }
            _ => Ok(()),
        }
    }
}
