//! The names in a folder, as the kernel hands them over: many at once.

use std::io;
use std::ops::ControlFlow;

use rustix::fs::RawDir;
use rustix::io::Errno;

use crate::sys::unix::kind_in;
use crate::sys::{FileKind, Folder};

/// A buffer that folders are read through.
#[derive(Debug)]
pub(crate) struct DirReader(Vec<u8>);

impl DirReader {
    /// One that takes so many bytes of names from the kernel at once.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Gives each name to `take`, in no order, with what the folder says it is, until that breaks;
    /// `.` and `..` are left out.
    pub(crate) fn read(
        &mut self,
        folder: &Folder,
        mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut dir = RawDir::new(folder, self.0.spare_capacity_mut());
        while let Some(entry) = dir.next() {
            let entry = match entry {
                Err(Errno::INTR) => continue,
                entry => entry?,
            };
            let name = entry.file_name();
            let kind = || kind_in(folder, name, entry.file_type());
            if !matches!(name.to_bytes(), b"." | b"..") && take(name.to_bytes(), kind()).is_break() {
                break;
            }
        }
        Ok(())
    }
}
