//! The spelling of paths: as they are asked for, as the system takes them, and as they are shown. Here a path has one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The path that was asked for.
pub(crate) fn asked(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// An absolute path as the system takes it.
pub(crate) fn taken(path: PathBuf) -> PathBuf {
    path
}

/// `path` as it is below `real`, where it begins with `folder`.
pub(crate) fn respelled(folder: &Path, real: &Path, path: &Path) -> Option<PathBuf> {
    path.strip_prefix(folder).ok().map(|rest| real.join(rest))
}

/// A path as it is shown.
pub fn shown(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_encoded_bytes())
}
