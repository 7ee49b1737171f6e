//! Files and folders that were given to the server: what commands could write in them, and how they could lead
//! the way to them elsewhere.
//!
//! A way can be led elsewhere by who writes in a folder that it leads through: what is looked up there becomes a
//! link, also for the next server. So a way through a folder that commands may write must end in one; that adds
//! nothing to what they may write. All else is given without that detour.

use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;
use crate::fs::workspace::Root;

/// A file or folder that was given.
#[derive(Debug)]
pub(super) struct Given {
    /// The words that name it.
    name: &'static str,
    /// Its path as it was given.
    path: PathBuf,
    /// The path without links by which it is used.
    pub(super) real: PathBuf,
    /// The way that led there.
    pub(super) way: Followed,
}

/// Why a file or folder is one that commands could replace, or lead the server away from.
#[derive(Debug, thiserror::Error)]
#[error("--sandbox: {0}")]
pub struct Exposed(String);

impl Given {
    /// Follows `path`; `name` are the words that name it.
    pub(super) fn new(name: &'static str, path: PathBuf) -> Self {
        let way = Followed::new(&path);
        Self { name, path, real: way.end.clone(), way }
    }

    /// Returns a root, which was followed when it was given.
    pub(super) fn root(root: &Root) -> Self {
        let Root { given, real, way, .. } = root.clone();
        Self { name: "the root", path: given, real, way }
    }

    /// Returns an error if a command that may write in `writable` could replace it.
    pub(super) fn check_outside(&self, writable: &[&Path]) -> Result<(), Exposed> {
        let Some(folder) = writable.iter().find(|folder| self.real.starts_with(folder)) else {
            return self.check_way(writable, &[]);
        };
        let (name, path, folder) = (self.name, self.path.display(), folder.display());
        Err(Exposed(format!("{name} ({path}) must not lie in {folder}, where commands may write")))
    }

    /// Returns an error if commands that may write in `writable` could lead its way elsewhere than below `sound`.
    pub(super) fn check_way(&self, writable: &[&Path], sound: &[&Path]) -> Result<(), Exposed> {
        let through = self.way.way_through(writable);
        let Some(folder) = through.filter(|_| !sound.iter().any(|sound| self.real.starts_with(sound))) else {
            return Ok(());
        };
        let (name, path, folder, real) =
            (self.name, self.path.display(), folder.display(), self.real.display());
        Err(Exposed(format!(
            "the way to {name} ({path}) leads through {folder}, where commands may write: they could lead it \
             elsewhere. If {real} is meant, give that path"
        )))
    }
}
