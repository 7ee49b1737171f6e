//! Converts paths between their forms: as requested, for the system, and as shown. On Unix, all are the same.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Returns the requested path.
pub(crate) fn asked(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// Returns an absolute path for the system.
pub(crate) fn taken(path: PathBuf) -> PathBuf {
    path
}

/// Returns `path` with `folder` replaced by `real`, if `path` starts with `folder`.
pub(crate) fn respelled(folder: &Path, real: &Path, path: &Path) -> Option<PathBuf> {
    path.strip_prefix(folder).ok().map(|rest| real.join(rest))
}

/// Returns a path as it is shown.
pub fn shown(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_encoded_bytes())
}
