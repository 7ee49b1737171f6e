//! Opens a path inside the roots without a race: the file that was checked is the file that is read.
//!
//! A path is opened without reading it. Its real path and type are then read from the open file, and so is its content.
//! A link that is replaced in between has no effect, because the file is already open.
//!
//! Results reveal nothing about files outside the roots: the error is the same whether such a path exists or not.

use std::io;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

use crate::fs::follow::{Followed, follow};
use crate::fs::workspace::{Boundary, Workspace};
use crate::sys::{self, Opened};

pub use crate::sys::{FileKind, Stat};

/// Maximum entries on the way of a path through links. A few long links can have many thousands.
const MAX_ENTRIES: usize = 4096;
/// Maximum bytes of a name.
pub const NAME_BYTES: usize = 255;

/// An open path inside the roots.
#[derive(Debug)]
pub struct OpenedPath {
    opened: Opened,
    /// The path to show: as it was asked for, which can pass through links.
    pub asked: PathBuf,
}

impl Deref for OpenedPath {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

/// The reason why a path was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// The file does not exist, and its path is inside the roots.
    Missing,
    /// The path is outside the roots.
    Outside,
    /// The system did not open it.
    Other(io::Error),
}

/// Returns true if a path could not be opened because it is too long. It can still exist, and `find` can have returned
/// it. A single name that is too long cannot exist.
fn is_too_long(path: &Path, error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidFilename && path.iter().all(|name| name.len() <= NAME_BYTES)
}

impl OpenedPath {
    /// Opens `path`, an absolute path, if `workspace` allows its real location.
    pub fn open(workspace: &Workspace, path: &Path) -> Result<Self, OpenError> {
        let bounded = workspace.boundary == Boundary::Roots;
        let opened = match is_plain(workspace, path).then(|| Opened::without_links(path)) {
            Some(Ok(opened)) => Ok(opened),
            // A path can leave the roots through links and return. Its target then depends on files outside.
            _ if bounded && leaves(workspace, path) => return Err(OpenError::Outside),
            _ => Opened::through_links(path),
        };
        match opened.map(|opened| Self::of(opened, path)) {
            Ok(place) if !place.is_allowed(workspace) => Err(OpenError::Outside),
            Ok(place) if place.stat.is_removed() => Err(OpenError::Missing),
            Ok(place) => Ok(place),
            Err(error) if is_too_long(path, &error) => Err(OpenError::Other(error)),
            Err(error) if sys::is_missing(&error) => Err(OpenError::Missing),
            Err(error) => Err(OpenError::Other(error)),
        }
    }

    fn of(opened: Opened, asked: &Path) -> Self {
        // The text alone does not show where a path with `..` leads.
        let climbs = asked.components().any(|component| component == Component::ParentDir);
        let asked = if climbs { opened.real.clone() } else { asked.components().collect() };
        Self { opened, asked }
    }

    fn is_allowed(&self, workspace: &Workspace) -> bool {
        // In a shared folder, another user could have created the name. A saved output always belongs to this user.
        workspace.allows_all_of(&self.real) || workspace.allows(&self.real) && self.stat.is_own_file()
    }

    /// Returns the path of the entry `name` in the folder.
    pub fn join(&self, name: &[u8]) -> PathBuf {
        self.real.join(sys::name(name))
    }
}

/// Returns true if `path` starts with a root and contains no `..`. If it has no links, such a path can be checked after
/// it was opened.
fn is_plain(workspace: &Workspace, path: &Path) -> bool {
    let climbs = path.components().any(|component| component == Component::ParentDir);
    workspace.boundary == Boundary::None || !climbs && workspace.begins_inside(path)
}

/// Returns true if `path`, resolved link by link, leaves the roots on the way.
///
/// It may pass through folders above a root. Nothing else outside is read, so the result does not depend on files
/// outside.
fn leaves(workspace: &Workspace, path: &Path) -> bool {
    let begun = workspace.folders().map(|(_, real)| real).filter(|real| path.starts_with(real));
    let start = begun.max_by_key(|real| real.as_os_str().len()).map_or_else(|| "/".into(), Path::to_owned);
    // The real path of a root has no links.
    if Followed::new(&start).end != start {
        return true;
    }
    let rest = path.strip_prefix(&start).unwrap_or(path).to_owned();
    let mut entries = 0;
    let visit = |here: &Path| {
        entries += 1;
        entries <= MAX_ENTRIES && on_the_way(workspace, here)
    };
    follow(start, &rest, |target| workspace.taken(target), visit)
        .is_none_or(|(end, _)| !workspace.allows(&end))
}

/// Returns true if `here` is inside a root or is a folder above a root.
fn on_the_way(workspace: &Workspace, here: &Path) -> bool {
    let is_above = |(given, real): (&Path, &Path)| given.starts_with(here) || real.starts_with(here);
    workspace.allows(here) || workspace.folders().any(is_above)
}
