//! An open path. Location, type and content are read through the same open file.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::below::{Folder, open};
use crate::sys::{Opened, Stat};

impl Opened {
    /// Opens `path`. Follows links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (file, real) = open(path)?;
        Ok(Self { stat: Stat::of(&file)?, handle: Some(file), real })
    }

    /// Returns an error, because Windows can't refuse links. The caller then follows them one by one before it opens
    /// the file, so that it accesses no file outside and no server on the network.
    pub(crate) fn without_links(_: &Path) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Returns the same file as a folder.
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        Ok(Folder { real: self.real.clone() })
    }
}
