//! Whose a client's file is, and who may read it: the file that takes its place is the same.

#[cfg(unix)]
pub(in crate::cli) use unix::as_programs_make_them;
#[cfg(unix)]
pub(super) use unix::{belong_alike, has_other_names};
#[cfg(windows)]
pub(in crate::cli) use windows::as_programs_make_them;
#[cfg(windows)]
pub(super) use windows::{belong_alike, has_other_names};

#[cfg(unix)]
mod unix {
    use std::fs::{File, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    /// The mode of a new file, less what the user's mask takes.
    const NEW_MODE: u32 = 0o666;

    /// A new file is as other programs make them.
    pub(in crate::cli) fn as_programs_make_them() -> tempfile::Builder<'static, 'static> {
        let mut file = tempfile::Builder::new();
        file.permissions(Permissions::from_mode(NEW_MODE));
        file
    }

    /// Returns true if a file has several names.
    pub(in crate::cli::config) fn has_other_names(file: &File) -> io::Result<bool> {
        Ok(file.metadata()?.nlink() > 1)
    }

    /// Gives a file the owner, group and mode of another.
    pub(in crate::cli::config) fn belong_alike(file: &File, other: &File) -> io::Result<()> {
        let (own, other) = (file.metadata()?, other.metadata()?);
        if (own.uid(), own.gid()) != (other.uid(), other.gid()) {
            std::os::unix::fs::fchown(file, Some(other.uid()), Some(other.gid()))?;
        }
        file.set_permissions(other.permissions())
    }
}

/// A file has the rights that its folder gives it.
#[cfg(windows)]
mod windows {
    use std::fs::File;
    use std::io;

    pub(in crate::cli) fn as_programs_make_them() -> tempfile::Builder<'static, 'static> {
        tempfile::Builder::new()
    }

    /// Returns true if a file has several names.
    pub(in crate::cli::config) fn has_other_names(file: &File) -> io::Result<bool> {
        Ok(winapi_util::file::information(file)?.number_of_links() > 1)
    }

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(in crate::cli::config) fn belong_alike(_: &File, _: &File) -> io::Result<()> {
        Ok(())
    }
}
