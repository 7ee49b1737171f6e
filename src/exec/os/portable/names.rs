//! The names in a folder, one by one.

use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::AsFd;

use rustix::fs::{Dir, FileType};
use rustix::io::Errno;

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
        folder: impl AsFd,
        mut take: impl FnMut(&CStr, FileType) -> ControlFlow<()>,
    ) -> Result<(), Errno> {
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !matches!(name.to_bytes(), b"." | b"..") && take(name, entry.file_type()).is_break() {
                break;
            }
        }
        Ok(())
    }
}
