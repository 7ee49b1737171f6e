//! Preserves the owner and mode of a client's file when it is replaced.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// The mode of a new file, before the umask.
const NEW_MODE: u32 = 0o666;

/// Returns a builder for files with the default mode of new files.
pub(in crate::cli) fn as_programs_make_them() -> tempfile::Builder<'static, 'static> {
    let mut file = tempfile::Builder::new();
    file.permissions(std::fs::Permissions::from_mode(NEW_MODE));
    file
}

/// Creates a file in `folder` that will replace `other`. It gets the owner, group and mode of `other` before the first
/// byte is written; until then, only this user can read it. Without `other`, it has the default mode.
pub(super) fn file_like(other: Option<&File>, folder: &Path) -> io::Result<NamedTempFile> {
    let Some(other) = other else { return as_programs_make_them().tempfile_in(folder) };
    let file = NamedTempFile::new_in(folder)?;
    belong_alike(file.as_file(), other)?;
    Ok(file)
}

/// Returns the number of hard links of a file.
pub(super) fn names(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Copies owner, group and mode of another file.
fn belong_alike(file: &File, other: &File) -> io::Result<()> {
    let (own, other) = (file.metadata()?, other.metadata()?);
    if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
        std::os::unix::fs::fchown(file, Some(other.uid()), Some(other.gid()))?;
    }
    file.set_permissions(other.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_files_never_get_wider_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for mode in [0o600, 0o640, 0o644] {
            let other = File::create(&path).unwrap();
            other.set_permissions(std::fs::Permissions::from_mode(mode)).unwrap();
            let made = file_like(Some(&other), folder.path()).unwrap();
            let found = made.as_file().metadata().unwrap();
            assert_eq!((found.mode() & 0o777, found.len()), (mode, 0));
        }
    }
}
