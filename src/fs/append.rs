//! Files that are only added to, line by line.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::sys;

/// A file that is open to be added to.
#[derive(Debug)]
pub struct Appended {
    /// What is written goes to its end.
    pub file: File,
    /// Whether a part of a line stands there.
    pub is_torn: bool,
}

impl Appended {
    /// Opens the file at `path`, and creates it, for this user alone, where there is none.
    ///
    /// Links are followed: the path is the user's own. Only a regular file is taken; a write to
    /// anything else, and already opening a FIFO, could wait for whoever is at its other end.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = sys::private_options().append(true).create(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Self { file, is_torn: ends_in_a_line(path)? == Some(false) })
    }
}

/// Whether a file ends with a whole line; `None` where it is empty, or not to be read.
fn ends_in_a_line(path: &Path) -> io::Result<Option<bool>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let Some(at) = file.metadata()?.len().checked_sub(1) else { return Ok(None) };
    let mut last = [0];
    Ok((sys::read_at(&file, &mut last, at)? == 1).then_some(last == *b"\n"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_new_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        assert!(!Appended::open(&path).unwrap().is_torn);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_a_regular_file_is_taken_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/null"), Path::new("/no/such/folder/x")] {
            assert!(Appended::open(path).is_err(), "{}", path.display());
        }
    }
}
