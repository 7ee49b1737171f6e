//! A path that is open: where it really is and what it is are asked of the open file, and it is read
//! through that same file.

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

    /// The system can't refuse links: they are followed one by one beforehand instead, so that nothing
    /// outside is asked for, not even a server of another network.
    pub(crate) fn without_links(_: &Path) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Gives the same once more, as a folder.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        Ok(Folder { real: self.real.clone() })
    }
}
