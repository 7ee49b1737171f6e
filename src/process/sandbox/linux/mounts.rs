//! Namespaces for the command: mounts that make files read-only, a separate `/dev/shm`, and separate System V objects.
//!
//! Landlock can't remove a right below a folder that has it. It also does not check changes of modes, owners, times and
//! extended attributes. A read-only mount prevents both. The user's other programs have semaphores and shared memory in
//! `/dev/shm` and as System V objects, so a command gets its own. A command has a user namespace: with all users
//! for root, otherwise with only its user and group. A command can't undo any of this, because the seccomp filter
//! refuses mount calls, and all mounts are locked ([`lock_mounts`]).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use super::files::without_links;
use crate::process::sandbox::{SUBCOMMAND, THIS_BINARY};
use crate::sys::{is_absent, path_of};

/// The folder of POSIX shared memory and semaphores.
const SHARED_MEMORY: &str = "/dev/shm";

/// The types of local file systems: those with files of users, and those of the kernel.
const LOCAL: &str = "affs bcachefs binder binfmt_misc bpf btrfs cgroup cgroup2 configfs cpuset cramfs debugfs devpts \
     devtmpfs ecryptfs efivarfs efs erofs exfat ext2 ext3 ext4 f2fs fusectl hfs hfsplus hugetlbfs iso9660 jffs2 jfs \
     minix mqueue msdos nfsd nilfs2 nsfs ntfs ntfs3 overlay proc pstore ramfs reiserfs resctrl romfs rootfs rpc_pipefs \
     securityfs selinuxfs smackfs squashfs sysfs tmpfs tracefs ubifs udf ufs vfat xfs zfs zonefs";
/// The type of folders in which the system mounts others when they are used. A path through one that is in the table
/// does not block.
const AUTOMOUNT: &str = "autofs";
/// The table of mounts of this process.
const TABLE: &str = "/proc/self/mountinfo";

/// Moves this process, and every program that it starts, into new namespaces. There, those of `paths` below one of
/// `writable` are read-only. All other mounts of local file systems are read-only too, except at `writable`. If
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
    new_namespaces()?;
    let shared_memory = PathBuf::from(SHARED_MEMORY);
    let shared_memory =
        (wants_shared_memory && mount_shared_memory(&shared_memory).is_ok()).then_some(shared_memory);
    let kept: Vec<&Path> = writable.iter().chain(&shared_memory).map(PathBuf::as_path).collect();
    let mounts = mounts()?;
    let bound = bind_all(&kept);
    let mut pinned = BTreeSet::new();
    for (folder, path) in paths.iter().filter_map(|path| Some((outermost(path)?, path))) {
        // The kernel refuses to move or remove a mounted folder.
        let mut way: Vec<&Path> = path.ancestors().take_while(|above| above != folder).collect();
        while let Some(above) = way.pop() {
            if pinned.insert(above) {
                let mount = bind(above)?;
                if above == path {
                    add_flags(&mount, MountFlags::RDONLY)?;
                }
            }
        }
    }
    // Before `/proc` is read-only.
    lock_mounts()?;
    make_read_only_below(&mounts, paths)?;
    // If `bind_all` failed, Landlock still protects contents and names.
    let _only_metadata_can_change = bound.map(|()| restrict_others(&mounts, &kept));
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

/// Adds flags to a mount. Its other flags stay, because a locked flag can't be removed.
fn add_flags(mounted: &OwnedFd, flags: MountFlags) -> io::Result<()> {
    let kept = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // `fstatvfs` and `mount` use the same bits for these flags.
    let had = rustix::fs::fstatvfs(mounted)?.f_flag.bits();
    let had = MountFlags::from_bits_truncate(u32::try_from(had).map_err(io::Error::other)?);
    Ok(rustix::mount::mount_remount(path_of(mounted), MountFlags::BIND | flags | (had & kept), c"")?)
}

/// Makes the mounts below a read-only path read-only too.
fn make_read_only_below(mounts: &[Mount], paths: &[PathBuf]) -> io::Result<()> {
    for (path, _) in mounts.iter().filter(|(path, _)| is_below(path, paths)) {
        match without_links(path, OFlags::empty()) {
            // Another mount hides it.
            Err(error) if is_absent(&error) => {}
            mount => add_flags(&mount?, MountFlags::RDONLY)?,
        }
    }
    Ok(())
}

/// Returns true if `path` is below one of `folders`, and is none of them.
fn is_below(path: &Path, folders: &[impl AsRef<Path>]) -> bool {
    folders.iter().any(|folder| path != folder.as_ref() && path.starts_with(folder))
}

/// The path and the type of a mount.
type Mount = (PathBuf, String);

/// Returns the mounts of this process.
fn mounts() -> io::Result<Vec<Mount>> {
    let table = std::fs::read(TABLE)?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(parse).collect())
}

/// Moves this process into a new mount namespace, from which no mount spreads, and a new IPC namespace.
fn new_namespaces() -> io::Result<()> {
    let namespaces = UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if rustix::process::geteuid().is_root() {
        unshare(namespaces)?;
    } else {
        unshare_as_user(namespaces)?;
    }
    let inwards = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    Ok(rustix::mount::mount_change("/", inwards)?)
}

/// Moves this process into these new namespaces, and a user namespace that contains only its user and group.
fn unshare_as_user(namespaces: UnshareFlags) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | namespaces)?;
    // Without this, an ordinary user cannot write `gid_map`.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Moves this process into a new user and mount namespace. The kernel locks the mounts there, because the user namespace
/// is new.
///
/// When the last process leaves a mount namespace, the kernel detaches all mounts that are not locked. A process that
/// has a folder open, or received it from a process of another command, could then write to the files that read-only
/// mounts had covered.
fn lock_mounts() -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return unshare_as_user(UnshareFlags::NEWNS);
    }
    // Only a process outside of the namespace can map more than one user. It gets this process's folder in `/proc`,
    // because the id is wrong there if `/proc` belongs to another PID namespace.
    let own = File::open("/proc/self")?;
    let mut helper = Command::new(THIS_BINARY).arg(SUBCOMMAND).stdin(Stdio::piped()).stdout(own).spawn()?;
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    drop(helper.stdin.take());
    if helper.wait()?.success() { Ok(()) } else { Err(io::Error::other("the users could not be mapped")) }
}

/// Waits until stdin ends. The parent process is then in a new user namespace. Maps each user and group id there to the
/// same id here. The stdout of this process is the parent's folder in `/proc`.
pub(super) fn map_users_of_parent() -> io::Result<()> {
    io::copy(&mut io::stdin(), &mut io::sink())?;
    ["uid_map", "gid_map"].iter().try_for_each(|map| {
        // Each line has the first one inside, the first one outside, and their number.
        let own = std::fs::read_to_string(format!("/proc/self/{map}"))?;
        let ranges = own.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace();
            let (first, number) = (numbers.next()?, numbers.nth(1)?);
            Some(format!("{first} {first} {number}\n"))
        });
        std::fs::write(format!("/proc/self/fd/1/{map}"), ranges.collect::<String>())
    })
}

#[expect(deprecated, reason = "its replacement is unsafe because of `CLONE_FILES`, which is not used here")]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(flags)
}

/// Mounts the outermost of `kept` on themselves, so that they stay writable. Does nothing if `kept` contains the root
/// folder.
fn bind_all(kept: &[&Path]) -> io::Result<()> {
    let mut outermost = kept.iter().filter(|path| !is_below(path, kept) && **path != Path::new("/"));
    outermost.try_for_each(|path| add_flags(&bind(path)?, MountFlags::NODEV))
}

/// Makes all mounts of local file systems read-only, except at and below `kept`. Devices can be opened only in `/dev`.
/// Does nothing if `kept` contains the root folder. File systems over the network and in user space are skipped, with
/// the mounts below them, because a path to one that does not respond would block the command.
fn restrict_others(mounts: &[Mount], kept: &[&Path]) {
    if kept.contains(&Path::new("/")) {
        return;
    }
    let skipped: Vec<&Path> = blocking(mounts, kept).chain(kept.iter().copied()).collect();
    // Without a file system of its own, `/dev` is on the one of the root folder.
    let has_dev = mounts.iter().any(|(path, _)| path == Path::new("/dev"));
    for (path, kind) in mounts {
        let is_skipped = !is_local(kind) || skipped.iter().any(|folder| path.starts_with(folder));
        let mut flags = MountFlags::empty();
        flags.set(MountFlags::RDONLY, !is_skipped);
        flags.set(
            MountFlags::NODEV,
            (!is_skipped || is_below(path, kept)) && has_dev && !path.starts_with("/dev"),
        );
        if !flags.is_empty() {
            // Another mount may hide this one.
            let _hidden = without_links(path, OFlags::empty()).and_then(|mount| add_flags(&mount, flags));
        }
    }
}

fn is_local(kind: &str) -> bool {
    LOCAL.split(' ').any(|local| local == kind)
}

/// Returns the mounts through which a path may block: those that are not local. Those around one of `kept` do not
/// count, because a command needs a path through them.
fn blocking<'a>(mounts: &'a [Mount], kept: &[&Path]) -> impl Iterator<Item = &'a Path> {
    let others = mounts.iter().filter(|(_, kind)| !is_local(kind) && kind != AUTOMOUNT);
    others.map(|(path, _)| path.as_path()).filter(|path| !kept.iter().any(|folder| folder.starts_with(path)))
}

/// Parses a line of the table: numbers, path, flags, `-`, type. Returns the path and the type.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let path = unescaped(fields.nth(4)?);
    let kind = std::str::from_utf8(fields.skip_while(|field| *field != b"-").nth(1)?).ok()?;
    Some((PathBuf::from(OsString::from_vec(path)), kind.to_owned()))
}

/// Decodes the escapes of a path: the table has white space and backslashes as three octal digits.
fn unescaped(mut path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    while let Some((byte, rest)) = path.split_first() {
        let digits = rest.first_chunk::<3>().and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|_| *byte == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(code.unwrap_or(*byte));
        path = if code.is_some() { rest.get(3..).unwrap_or_default() } else { rest };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_table_are_parsed() {
        let line = br"36 35 98:0 /mnt1 /mnt\0402\134x rw,nosuid,noexec,relatime shared:1 master:2 - ext4 /dev/root rw";
        assert_eq!(parse(line), Some((PathBuf::from(r"/mnt 2\x"), "ext4".to_owned())));
        let remote = b"1 2 0:3 / /a ro,nodev - nfs4 host:/x rw";
        assert_eq!(parse(remote), Some((PathBuf::from("/a"), "nfs4".to_owned())));
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn mounts_around_a_writable_folder_do_not_block() {
        let mounts =
            [("/", "fuse"), ("/proc", "proc"), ("/home", "nfs4"), ("/home/a/far", "fuse"), ("/n", "autofs")];
        let mounts = mounts.map(|(path, kind)| (PathBuf::from(path), kind.to_owned()));
        let kept = [Path::new("/home/a/project"), Path::new("/tmp/x")];
        assert!(blocking(&mounts, &kept).eq([Path::new("/home/a/far")]));
        assert!(blocking(&mounts, &kept[1..]).eq([Path::new("/home"), Path::new("/home/a/far")]));
    }
}
