//! A path that is open: where it really is and what it is are asked of the open file, and it is read
//! through that same file.

use std::fs::File;
use std::io::{self, ErrorKind, Seek as _};
use std::path::Path;

use super::below::{Folder, open};
use crate::sys::{Opened, Stat};

/// A handle on what was opened.
pub(in crate::sys) type PathHandle = File;

impl Opened {
    /// Opens `path`, through links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (file, real) = open(path)?;
        Ok(Self { stat: Stat::of(&file)?, handle: file, real })
    }

    /// The system can't refuse links: they are followed one by one beforehand instead, so that nothing
    /// outside is asked for, not even a server of another network.
    pub(crate) fn without_links(_: &Path) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Gives the same once more, from its beginning. All that are given of one share where they are
    /// read: only the last may be read on.
    pub(crate) fn file(&self) -> io::Result<File> {
        let mut file = self.handle.try_clone()?;
        // A folder has no beginning, and is not read so.
        let _folders_have_none = file.rewind();
        Ok(file)
    }

    /// Gives the same once more, as a folder.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        Ok(Folder { real: self.real.clone() })
    }
}
