//! A mount namespace for the command, with autorun files that are read-only and a `/dev/shm` of its own.
//!
//! Landlock can't take back below a folder what it allows there, a read-only mount can. Programs create semaphores
//! and shared memory in `/dev/shm`, where other programs of the user have theirs. Root needs no more
//! than a mount namespace for it; anybody else has to have a user namespace too, in which nothing but
//! their own user and group is known. Nothing of it can be undone from inside: rules for files forbid to
//! change mounts, and in a further namespace these are locked.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::files::without_links;
use crate::sys::path_of;

/// The folder of POSIX shared memory and semaphores.
const SHARED_MEMORY: &str = "/dev/shm";

/// Moves this process, and all that it becomes or starts, into a mount namespace. There, those of `paths` that exist
/// below one of `writable` are read-only, and `shared_memory` is mounted on `/dev/shm`. Does nothing without either.
pub(super) fn enter(paths: &[PathBuf], writable: &[PathBuf], shared_memory: Option<&Path>) -> io::Result<()> {
    // The outermost counts: from there on, each folder on the way could be moved away.
    let outermost = |path: &PathBuf| {
        let above = writable.iter().filter(|folder| path.starts_with(folder));
        above.min_by_key(|folder| folder.as_os_str().len())
    };
    let present = paths.iter().filter(|path| is_protected(path));
    let present: Vec<_> = present.filter_map(|path| Some((outermost(path)?, path))).collect();
    if present.is_empty() && shared_memory.is_none() {
        return Ok(());
    }
    new_namespace()?;
    if let Some(folder) = shared_memory {
        // Without it, commands have the folder outside, which they may only read.
        let _not_mounted = mount_shared_memory(folder);
    }
    let mut pinned = BTreeSet::new();
    for (folder, path) in present {
        let mut between: Vec<&Path> = path.ancestors().skip(1).take_while(|above| above != folder).collect();
        while let Some(above) = between.pop() {
            // A mounted folder can't be moved or removed.
            if pinned.insert(above) {
                bind(above)?;
            }
        }
        if pinned.insert(path) {
            let mounted = bind(path)?;
            rustix::mount::mount_remount(path_of(&mounted), read_only(&mounted)?, c"")?;
        }
    }
    Ok(())
}

/// Returns true if one of `paths` would not be found below the mount on `/dev/shm`.
pub(super) fn hides<'a>(paths: impl IntoIterator<Item = &'a Path>) -> bool {
    paths.into_iter().any(|path| path.starts_with(SHARED_MEMORY))
}

fn mount_shared_memory(folder: &Path) -> io::Result<()> {
    let folder = without_links(folder, OFlags::DIRECTORY)?;
    let target = without_links(SHARED_MEMORY.as_ref(), OFlags::DIRECTORY)?;
    Ok(rustix::mount::mount_bind(path_of(&folder), path_of(&target))?)
}

/// True if a file or folder of that name is made read-only: it is there, and no link leads to it.
pub(in crate::process::sandbox) fn is_protected(path: &Path) -> bool {
    without_links(path, OFlags::empty()).is_ok()
}

/// Mounts what stands at `path` on itself, with all that is mounted below; returns the mount.
fn bind(path: &Path) -> io::Result<OwnedFd> {
    let beneath = without_links(path, OFlags::empty())?;
    rustix::mount::mount_bind_recursive(path_of(&beneath), path_of(&beneath))?;
    without_links(path, OFlags::empty())
}

/// Returns the flags that make a mount read-only, with those that it has: where they are locked, none may be
/// left out.
fn read_only(mounted: &OwnedFd) -> io::Result<MountFlags> {
    let kept = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // The system tells these by the bits that it takes them by.
    let had = rustix::fs::fstatvfs(mounted)?.f_flag.bits();
    let had = MountFlags::from_bits_truncate(u32::try_from(had).map_err(io::Error::other)?);
    Ok(MountFlags::BIND | MountFlags::RDONLY | (had & kept))
}

/// Moves this process into a mount namespace of its own, from which no mount gets out.
fn new_namespace() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if user.is_root() {
        unshare(UnshareFlags::NEWNS)?;
    } else {
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
        // Without this, an ordinary user may not say which group is meant.
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))?;
    }
    let inwards = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    Ok(rustix::mount::mount_change("/", inwards)?)
}

#[expect(
    deprecated,
    reason = "the other one is unsafe for the flag that parts descriptors, which is not used here"
)]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(flags)
}
