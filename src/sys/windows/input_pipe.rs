//! The end of a pipe that another program reads.

use std::io::{self, PipeWriter, Write as _};
use std::time::Duration;

/// The writing end of a pipe.
#[derive(Debug)]
pub(crate) struct InputPipe(PipeWriter);

impl InputPipe {
    /// Takes the pipe over.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Self> {
        Ok(Self(pipe))
    }

    /// Writes `bytes`, however long that takes: the end of stdin is not told here.
    pub(crate) fn write_all(&self, bytes: &[u8], _grace: Duration) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }
}
