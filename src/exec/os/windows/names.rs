//! The names in a folder, one by one.

use std::fs::FileType;
use std::io;
use std::ops::ControlFlow;

use crate::exec::os::{FileKind, Folder};

/// Reads folders; the system has the buffer.
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
        for entry in folder.real().read_dir()? {
            let entry = entry?;
            let kind = entry.file_type().map_or(FileKind::Unknown, kind_of);
            if take(entry.file_name().as_encoded_bytes(), kind).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Junctions are links too.
fn kind_of(kind: FileType) -> FileKind {
    match kind {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Folder,
        _ => FileKind::File,
    }
}
