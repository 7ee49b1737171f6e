//! What the systems do differently, behind the same names: nobody above asks which system it is.
//!
//! `os/windows` is Windows' side. `os/unix` holds what Linux and macOS have in common; beside it,
//! `os/linux` what Linux alone has, and `os/portable` the same by what every Unix has, and for macOS
//! where that is not enough.
//! `RUSTFLAGS="--cfg cutline_portable"` takes the portable side on Linux too, so that it is tested
//! where it can be. What it can't promise is in `docs/security.md`.

#[cfg(all(target_os = "linux", not(cutline_portable)))]
mod linux;
#[cfg(all(unix, not(all(target_os = "linux", not(cutline_portable)))))]
mod portable;
pub(crate) mod spelling;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
mod unbuffered;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(all(target_os = "linux", not(cutline_portable)))]
pub(crate) use linux::*;
#[cfg(all(unix, not(all(target_os = "linux", not(cutline_portable)))))]
pub(crate) use portable::*;
#[cfg(not(all(target_os = "linux", not(cutline_portable))))]
pub(crate) use unbuffered::DirReader;
#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

use std::path::{Path, PathBuf};

/// Something that is open to be looked at.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Where it really is.
    pub(crate) real: PathBuf,
    /// What the system says of it.
    pub(crate) stat: Stat,
    /// What it is opened by once more.
    pub(crate) held: PathHandle,
}

/// What the system says of a file, a folder or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its device, and its number there: no other has both while it exists.
    pub id: (u64, u64),
    /// When its content was changed last, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything of it was changed last.
    pub changed: i128,
    /// Whose it is.
    pub owner: u32,
    /// Whether no name leads to it any more.
    pub is_removed: bool,
}

/// What stands in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, whatever it leads to.
    Link,
    /// A pipe with a name.
    Fifo,
    /// A socket.
    Socket,
    /// A device that is read byte by byte.
    CharacterDevice,
    /// A device that is read block by block.
    BlockDevice,
    /// Something else.
    Unknown,
}

/// The name of the variable that marks a command's processes.
pub(crate) const MARK: &str = "CUTLINE_MARK";

/// One process, as it was when it was looked at.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number, which another one may have later.
    pub(crate) id: u32,
    /// When it was started, in the system's own unit; with the number, this is which process it is.
    pub(crate) start: u64,
    /// The process that started it, or the one that took it over.
    pub(crate) parent: u32,
    /// Its process group.
    pub(crate) group: u32,
    /// Its program's name, or the beginning of it.
    pub(crate) name: String,
    /// Whether it has ended, and only waits for its parent to take note.
    pub(crate) ended: bool,
}

/// What can't be seen now, for want of a descriptor: it says nothing of what there is.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfDescriptors;

/// Where a program is, by `PATH`.
pub(crate) fn on_path(program: &Path) -> Option<PathBuf> {
    all_on_path(program).next()
}

/// All places where it is.
fn all_on_path(program: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    places.into_iter().filter_map(move |dir| program_at(&dir.join(program)))
}
