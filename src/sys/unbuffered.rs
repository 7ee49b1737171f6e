//! Reading folders where the system's library has the buffer.

use std::io;
use std::ops::ControlFlow;

use super::{FileKind, Folder, each_name};

/// Reads folders, and holds nothing for it.
#[derive(Debug)]
pub(crate) struct DirReader;

impl DirReader {
    /// One for any number of names.
    pub(crate) fn with_capacity(_: usize) -> Self {
        Self
    }

    /// Gives each name to `take`, in no order, with what the folder says it is, until that breaks;
    /// `.` and `..` are left out.
    #[expect(clippy::unused_self, reason = "elsewhere it has the buffer")]
    pub(crate) fn read(
        &mut self,
        folder: &Folder,
        take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        each_name(folder, take)
    }
}
