//! The names in a folder, one by one.

use std::io;
use std::ops::ControlFlow;

use rustix::fs::Dir;

use crate::exec::os::unix::kind_in;
use crate::exec::os::{FileKind, Folder};

/// Reads folders; the system's library has the buffer.
#[derive(Debug)]
pub(in crate::exec) struct Names;

impl Names {
    /// One for any number of names.
    pub(in crate::exec) fn with_capacity(_: usize) -> Self {
        Self
    }

    /// Gives each name to `take`, in no order, with what the folder says it is, until that breaks;
    /// `.` and `..` are left out.
    #[expect(clippy::unused_self, reason = "elsewhere it has the buffer")]
    pub(in crate::exec) fn read(
        &mut self,
        folder: &Folder,
        mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = || kind_in(folder, name, entry.file_type());
            if !matches!(name.to_bytes(), b"." | b"..") && take(name.to_bytes(), kind()).is_break() {
                break;
            }
        }
        Ok(())
    }
}
