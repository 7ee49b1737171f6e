//! The names in a folder, as the kernel hands them over: many at once.

use std::io;
use std::ops::ControlFlow;

use rustix::fs::RawDir;
use rustix::io::Errno;

use crate::sys::unix::kind_in;
use crate::sys::{FileKind, Folder};

/// Gives each name in `folder` to `take`, in no order, with what the folder says it is, until that breaks; `.` and
/// `..` are left out. The names come through `buffer`: as many at once as fit what it can hold.
pub(crate) fn each_name(
    folder: &Folder,
    buffer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut dir = RawDir::new(folder, buffer.spare_capacity_mut());
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
