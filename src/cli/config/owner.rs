//! The owner of a client's file, and its mode: the file that takes its place has both. On Windows a file has the rights
//! that its folder gives it.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

/// The mode of a new file, less what the user's mask takes.
#[cfg(unix)]
const NEW_MODE: u32 = 0o666;

/// A new file is as other programs make them.
pub(in crate::cli) fn as_programs_make_them() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(windows, expect(unused_mut, reason = "it has no mode there"))]
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    file.permissions(std::fs::Permissions::from_mode(NEW_MODE));
    file
}

/// Returns true if a file has several names.
pub(super) fn has_other_names(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    let names = file.metadata()?.nlink();
    #[cfg(windows)]
    let names = winapi_util::file::information(file)?.number_of_links();
    Ok(names > 1)
}

/// Gives a file the owner, group and mode of another.
#[cfg(unix)]
pub(super) fn belong_alike(file: &File, other: &File) -> io::Result<()> {
    let (own, other) = (file.metadata()?, other.metadata()?);
    if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
        std::os::unix::fs::fchown(file, Some(other.uid()), Some(other.gid()))?;
    }
    file.set_permissions(other.permissions())
}

#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(super) fn belong_alike(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}
