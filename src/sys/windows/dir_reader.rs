//! The names in a folder, one by one.

use std::io;
use std::ops::ControlFlow;

use crate::sys::{FileKind, Folder};

/// Gives each name in `folder` to `take`, in no order, with what the folder says it is, until that breaks; `.` and
/// `..` are left out. Needs no buffer of the caller's.
pub(crate) fn each_name(
    folder: &Folder,
    _: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    for entry in folder.real.read_dir()? {
        let entry = entry?;
        let kind = entry.file_type().map_or(FileKind::Unknown, FileKind::of);
        if take(entry.file_name().as_encoded_bytes(), kind).is_break() {
            break;
        }
    }
    Ok(())
}
