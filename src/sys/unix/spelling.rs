//! The spelling of paths: requested, passed to the system, and shown. On Unix, a path has one spelling.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Returns the requested path.
pub(crate) fn asked(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// An absolute path as the system takes it.
pub(crate) fn taken(path: PathBuf) -> PathBuf {
    path
}

/// Returns `path` below `real` if it begins with `folder`.
pub(crate) fn respelled(folder: &Path, real: &Path, path: &Path) -> Option<PathBuf> {
    path.strip_prefix(folder).ok().map(|rest| real.join(rest))
}

/// A path as it is shown.
pub fn shown(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_encoded_bytes())
}
