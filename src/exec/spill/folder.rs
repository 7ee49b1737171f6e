//! The folder that outputs are saved in: made on demand, and trusted only as far as it deserves.
//!
//! The default folder stands in a place where everybody may write, under a name that everybody can
//! guess. So it must be a real folder, owned by this user, closed to all others; a folder that the
//! user named is used as it is.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode};
use rustix::io::Errno;

use super::Settings;

/// Permissions of anybody but the owner.
const OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

/// The folder's real place; made first where it is cutline's own and missing.
pub(super) fn ready(settings: &Settings) -> io::Result<PathBuf> {
    if settings.private {
        match rustix::fs::mkdir(&settings.dir, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
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
    if real.is_dir() { Ok(real) } else { Err(Errno::NOTDIR.into()) }
}

fn check_private(dir: &Path) -> io::Result<()> {
    let stat = rustix::fs::statat(CWD, dir, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    let is_ours = stat.st_uid == rustix::process::geteuid().as_raw();
    if is_folder && is_ours && !Mode::from_raw_mode(stat.st_mode).intersects(OTHERS) {
        return Ok(());
    }
    let text = format!("{} is not a folder of this user's alone", dir.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}
