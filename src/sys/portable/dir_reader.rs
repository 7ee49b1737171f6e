//! The names in a folder, one by one.

use std::io;
use std::ops::ControlFlow;

use rustix::fs::Dir;

use crate::sys::unix::kind_in;
use crate::sys::{FileKind, Folder};

/// Gives each name in `folder` to `take`, in no order, with what the folder says it is, until that breaks; `.` and
/// `..` are left out. Needs no buffer of the caller's.
pub(crate) fn each_name(
    folder: &Folder,
    _: &mut Vec<u8>,
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
