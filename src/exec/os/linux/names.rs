//! The names in a folder, as the kernel hands them over: many at once.

use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::AsFd;

use rustix::fs::{FileType, RawDir};
use rustix::io::Errno;

/// A buffer that folders are read through.
#[derive(Debug)]
pub(in crate::exec) struct Names(Vec<u8>);

impl Names {
    /// One that takes so many bytes of names from the kernel at once.
    pub(in crate::exec) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Gives each name to `take`, in no order, with what the folder says it is, until that breaks;
    /// `.` and `..` are left out.
    pub(in crate::exec) fn read(
        &mut self,
        folder: impl AsFd,
        mut take: impl FnMut(&CStr, FileType) -> ControlFlow<()>,
    ) -> Result<(), Errno> {
        let mut dir = RawDir::new(folder, self.0.spare_capacity_mut());
        while let Some(entry) = dir.next() {
            let entry = match entry {
                Err(Errno::INTR) => continue,
                entry => entry?,
            };
            let name = entry.file_name();
            if !matches!(name.to_bytes(), b"." | b"..") && take(name, entry.file_type()).is_break() {
                break;
            }
        }
        Ok(())
    }
}
