//! Namespaces for the command: mounts that make files read-only, a separate `/dev/shm`, and separate System V objects.
//!
//! Landlock can't remove a right below a folder that has it. It also does not check changes of modes, owners, times and
//! extended attributes. A read-only mount prevents both. The user's other programs have semaphores and shared memory in
//! `/dev/shm` and as System V objects, so a command gets its own. Root needs only a mount namespace and an IPC
//! namespace. Any other user also needs a user namespace that contains only that user and group. A command can't undo
//! this, because the seccomp filter refuses mount calls.

mod outside;

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

/// Moves this process, and every program that it starts, into new namespaces. There, those of `paths` that exist below
/// one of `writable` are read-only. All other mounts of local file systems are read-only too, except at `writable`. If
/// `wants_shared_memory`, `/dev/shm` is a new file system in memory; returns its path if it could be mounted.
pub(super) fn enter_namespaces(
    paths: &[PathBuf],
    writable: &[PathBuf],
    wants_shared_memory: bool,
) -> io::Result<Option<PathBuf>> {
    // Use the outermost writable folder: a command could move any folder below it.
    let outermost = |path: &PathBuf| {
        let above = writable.iter().filter(|folder| path.starts_with(folder));
        above.min_by_key(|folder| folder.as_os_str().len())
    };
    let present = paths.iter().filter(|path| without_links(path, OFlags::empty()).is_ok());
    let present: Vec<_> = present.filter_map(|path| Some((outermost(path)?, path))).collect();
    new_namespaces()?;
    let shared_memory = PathBuf::from(SHARED_MEMORY);
    let shared_memory =
        (wants_shared_memory && mount_shared_memory(&shared_memory).is_ok()).then_some(shared_memory);
    let kept: Vec<&Path> = writable.iter().chain(&shared_memory).map(PathBuf::as_path).collect();
    // If this fails, Landlock still protects contents and names.
    let _only_metadata_can_change = outside::make_read_only(&kept);
    let mut pinned = BTreeSet::new();
    for (folder, path) in present {
        let mut between: Vec<&Path> = path.ancestors().skip(1).take_while(|above| above != folder).collect();
        while let Some(above) = between.pop() {
            // The kernel refuses to move or remove a mounted folder.
            if pinned.insert(above) {
                bind(above)?;
            }
        }
        if pinned.insert(path) {
            make_mount_read_only(&bind(path)?)?;
        }
    }
    Ok(shared_memory)
}

/// Returns true if the mount on `/dev/shm` would hide one of `paths`.
pub(super) fn hides<'a>(mut paths: impl Iterator<Item = &'a PathBuf>) -> bool {
    paths.any(|path| path.starts_with(SHARED_MEMORY))
}

fn mount_shared_memory(folder: &Path) -> io::Result<()> {
    let target = without_links(folder, OFlags::DIRECTORY)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount("tmpfs", path_of(&target), "tmpfs", flags, c"mode=1777")?)
}

/// Mounts `path` on itself, with all mounts below it. Returns the new mount.
fn bind(path: &Path) -> io::Result<OwnedFd> {
    let beneath = without_links(path, OFlags::empty())?;
    rustix::mount::mount_bind_recursive(path_of(&beneath), path_of(&beneath))?;
    without_links(path, OFlags::empty())
}

/// Makes a mount read-only. Its other flags stay, because a locked flag can't be removed.
fn make_mount_read_only(mounted: &OwnedFd) -> io::Result<()> {
    let kept = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // `fstatvfs` and `mount` use the same bits for these flags.
    let had = rustix::fs::fstatvfs(mounted)?.f_flag.bits();
    let had = MountFlags::from_bits_truncate(u32::try_from(had).map_err(io::Error::other)?);
    let flags = MountFlags::BIND | MountFlags::RDONLY | (had & kept);
    Ok(rustix::mount::mount_remount(path_of(mounted), flags, c"")?)
}

/// Moves this process into a new mount namespace, from which no mount spreads, and a new IPC namespace.
fn new_namespaces() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let namespaces = UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if user.is_root() {
        unshare(namespaces)?;
    } else {
        unshare(UnshareFlags::NEWUSER | namespaces)?;
        // Without this, an ordinary user cannot write `gid_map`.
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))?;
    }
    let inwards = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    Ok(rustix::mount::mount_change("/", inwards)?)
}

#[expect(deprecated, reason = "its replacement is unsafe because of `CLONE_FILES`, which is not used here")]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(flags)
}
