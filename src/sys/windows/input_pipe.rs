//! The write end of a pipe to another program.

use std::io::{self, PipeWriter, Write as _};
use std::time::Duration;

/// The write end of a pipe.
#[derive(Debug)]
pub(crate) struct InputPipe(PipeWriter);

impl InputPipe {
    /// Takes ownership of the pipe.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Self> {
        Ok(Self(pipe))
    }

    /// Writes `bytes`. Can wait without limit, because the end of stdin is not detected on Windows.
    pub(crate) fn write_all(&self, bytes: &[u8], _grace: Duration) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }
}
