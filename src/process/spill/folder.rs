//! The folder that outputs are saved in: made on demand, and trusted only as far as it deserves.
//!
//! The default folder stands in a place where everybody may write, under a name that everybody can
//! guess. So it must be a real folder, owned by this user, closed to all others; a folder that the
//! user named is used as it is.

use std::io;
use std::path::{Path, PathBuf};

use super::Settings;
use crate::sys;

/// The folder's real place; made first where it is cutline's own and missing.
pub(super) fn ready(settings: &Settings) -> io::Result<PathBuf> {
    if settings.private {
        match sys::make_private_folder(&settings.dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    existing(settings)
}

/// The folder's real place, where it is there and fit to be used.
pub(super) fn existing(settings: &Settings) -> io::Result<PathBuf> {
    if settings.private {
        check_private(&settings.dir)?;
    }
    let real = settings.dir.canonicalize()?;
    // What is no folder is refused in the system's own words.
    if real.is_dir() { Ok(real) } else { real.read_dir().map(|_| real) }
}

fn check_private(dir: &Path) -> io::Result<()> {
    if sys::is_private_folder(dir)? {
        return Ok(());
    }
    let text = format!("{} is not a folder of this user's alone", dir.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}
