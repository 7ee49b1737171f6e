//! The names in a folder, one by one.

use std::io;
use std::ops::ControlFlow;

use crate::sys::{FileKind, Folder};

/// Gives each name to `take`, until that breaks; `.` and `..` are left out.
pub(in crate::sys) fn each_name(
    folder: &Folder,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    for entry in folder.real().read_dir()? {
        let entry = entry?;
        let kind = entry.file_type().map_or(FileKind::Unknown, FileKind::of);
        if take(entry.file_name().as_encoded_bytes(), kind).is_break() {
            break;
        }
    }
    Ok(())
}
