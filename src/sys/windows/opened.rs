//! A path that is open. Its location, its type and its content are read through the same open file.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::below::{Folder, open};
use crate::sys::{Opened, Stat};

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (file, real) = open(path)?;
        Ok(Self { stat: Stat::of(&file)?, handle: Some(file), real })
    }

    /// The system can't refuse links. They are followed one by one before the file is opened, so that no file
    /// outside, and no server of another network, is accessed.
    pub(crate) fn without_links(_: &Path) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Gives the same once more, as a folder.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        Ok(Folder { real: self.real.clone() })
    }
}
