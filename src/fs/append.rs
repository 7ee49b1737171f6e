//! Files to which lines are appended.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::sys::{self, FileKind};

/// Opens the file at `path` for appending, and creates it for this user only if it is missing. Returns it, and true if it
/// ends with an incomplete line.
///
/// Follows links in the path of the folder, because the user chose that path.
///
/// # Errors
///
/// Returns an error unless the path is a regular file of this user with a single hard link. A command could have
/// created a link, and a FIFO could block.
pub fn open(path: &Path) -> io::Result<(File, bool)> {
    let (file, stat) = sys::append(path)?;
    if stat.kind != FileKind::File {
        return Err(io::Error::other("not a regular file"));
    }
    if !stat.is_own_file() {
        return Err(io::Error::other("not a file of this user's alone: it has another owner or name"));
    }
    let mut last = *b"\n";
    if let Some(at) = stat.bytes.checked_sub(1) {
        file.read_at(&mut last, at)?;
    }
    Ok((file, last != *b"\n"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_new_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        assert!(!open(&path).unwrap().1);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn anything_but_a_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/null"), Path::new("/no/such/folder/x")] {
            assert!(open(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_link_or_a_second_name_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("victim"), "x\n").unwrap();
        std::os::unix::fs::symlink(at("victim"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("created"), at("dangling")).unwrap();
        std::fs::hard_link(at("victim"), at("second")).unwrap();
        for name in ["link", "dangling", "second"] {
            assert!(open(&at(name)).is_err(), "{name}");
        }
        assert!(!at("created").exists());
        assert_eq!(std::fs::read_to_string(at("victim")).unwrap(), "x\n");
    }
}
