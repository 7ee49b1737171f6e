//! Opening a path inside the roots, without a race: what was checked is what is read.
//!
//! A path is opened without reading it; the real place and the type of what was opened are asked of
//! the open file itself, and only then is it read, through that same file. A link that is swapped in
//! between changes nothing: it would have to change what is already open.
//!
//! Of what stands outside the roots nothing is told, not even whether anything does: a path that
//! leaves them is refused alike whether it exists or not.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

use crate::fs::follow::{Followed, follow, root_of};
use crate::fs::workspace::{Boundary, Workspace};
use crate::sys::{self, Folder, Opened};

pub use crate::sys::{FileKind, Stat};

/// Bytes that a name may have.
pub const NAME_BYTES: usize = 255;
/// Bytes that a path of any system may have.
const LONG_PATH_BYTES: usize = 1023;

/// A path that is open, and inside the roots.
#[derive(Debug)]
pub struct OpenedPath(Opened);

impl Deref for OpenedPath {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.0
    }
}

/// The reason for which a path was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// Nothing stands there, and the place is inside the roots.
    Missing,
    /// The place is outside the roots.
    Outside,
    /// The system does not let this user.
    Denied,
    /// Another refusal of the system.
    Other(io::Error),
}

/// True if a path was not opened because of its length: something may stand there, as find may have said. A single name
/// that is too long is that of nothing.
fn is_too_long(path: &Path, error: &io::Error) -> bool {
    let is_long =
        path.as_os_str().len() > LONG_PATH_BYTES && path.iter().all(|name| name.len() <= NAME_BYTES);
    is_long && error.kind() == io::ErrorKind::InvalidFilename
}

impl OpenedPath {
    /// Opens `path`, which is absolute, where `workspace` allows its real place.
    pub fn open(workspace: &Workspace, path: &Path) -> Result<Self, OpenError> {
        let bounded = workspace.boundary == Boundary::Roots;
        let opened = match is_plain(workspace, path).then(|| Opened::without_links(path)) {
            Some(Ok(opened)) => Ok(opened),
            // Through links it may go out and come back: then what it opens depends on what is there.
            _ if bounded && leaves(workspace, path) => return Err(OpenError::Outside),
            _ => Opened::through_links(path),
        };
        match opened.map(Self) {
            Ok(place) if !place.is_allowed(workspace) => Err(OpenError::Outside),
            Ok(place) if place.stat.is_removed() => Err(OpenError::Missing),
            Ok(place) => Ok(place),
            Err(error) if is_too_long(path, &error) => Err(OpenError::Other(error)),
            Err(error) if sys::is_missing(&error) => Err(OpenError::Missing),
            Err(error) => Err(not_read(error)),
        }
    }

    /// The same, but only if the system has all that it takes in memory, so that this never waits
    /// for a disk or a network, and if no link is in the way. `None` says nothing of what stands there.
    pub fn open_cached(workspace: &Workspace, path: &Path) -> Option<Self> {
        let opened = is_plain(workspace, path).then(|| Opened::cached(path))?;
        let place = Self(opened.ok()?);
        (place.is_allowed(workspace) && !place.stat.is_removed()).then_some(place)
    }

    fn is_allowed(&self, workspace: &Workspace) -> bool {
        // A name in a shared folder may be another user's: a saved output is this user's own.
        workspace.allows_all_of(&self.real) || workspace.allows(&self.real) && self.stat.is_own_file()
    }

    /// Opens the file for reading: the same that was checked. Never waits, whatever it is.
    pub fn file(&self) -> Result<File, OpenError> {
        self.0.file().map_err(not_read)
    }

    /// Opens the folder for listing it and for opening what is below it.
    pub fn folder(&self) -> Result<Folder, OpenError> {
        self.0.folder().map_err(not_read)
    }

    /// Returns the path of the entry with that name in the folder.
    pub fn join(&self, name: &[u8]) -> PathBuf {
        self.real.join(sys::name(name))
    }
}

fn not_read(error: io::Error) -> OpenError {
    if error.kind() == io::ErrorKind::PermissionDenied { OpenError::Denied } else { OpenError::Other(error) }
}

/// True if `path` begins with a root and does not climb: without links in its way, what it opens can be judged once it
/// is open.
fn is_plain(workspace: &Workspace, path: &Path) -> bool {
    let climbs = path.components().any(|component| component == Component::ParentDir);
    workspace.boundary == Boundary::None || !climbs && workspace.begins_inside(path)
}

/// Returns true if `path`, followed link by link, leaves the roots anywhere on its way.
///
/// On its way it may pass through the folders above a root; it looks at nothing else that is not
/// inside, so that the answer does not depend on what stands outside.
fn leaves(workspace: &Workspace, path: &Path) -> bool {
    let begun = workspace.folders().map(|(_, real)| real).filter(|real| path.starts_with(real));
    let start = begun.max_by_key(|real| real.as_os_str().len()).map_or_else(|| root_of(path), Path::to_owned);
    // A root's real place had no links in it.
    if Followed::new(&start).end != start {
        return true;
    }
    let rest = path.strip_prefix(&start).unwrap_or(path).to_owned();
    follow(start, &rest, |target| workspace.taken(target), |here| on_the_way(workspace, here))
        .is_none_or(|end| !workspace.allows(&end))
}

/// Returns true if `here` is inside the roots, or a folder above one.
fn on_the_way(workspace: &Workspace, here: &Path) -> bool {
    let is_above = |(given, real): (&Path, &Path)| given.starts_with(here) || real.starts_with(here);
    workspace.allows(here) || workspace.folders().any(is_above)
}
