//! Opens, creates and removes paths below an open folder, without races and without following links.
//!
//! The kernel itself refuses a path that leaves the folder or has a link, at the time of opening. No earlier check can
//! therefore be out of date. On an older kernel or another system, and for paths longer than the kernel's limit, each
//! name of the path is opened separately without following links.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::Folder;
use crate::sys::{self, FileKind, Stat};

/// Flags that open a folder.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
/// Flags that open a file of any type, without waiting for another process or a device.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// The mode of new files: read and write for the owner.
pub(super) const OWNER_ONLY: Mode = Mode::RUSR.union(Mode::WUSR);

/// Opens the folder at `path`, relative to `base`. An empty path means `base` itself.
pub(crate) fn folder(base: &Folder, path: &[u8]) -> io::Result<Folder> {
    Ok(open(base, if path.is_empty() { b"." } else { path }, FOLDER)?)
}

/// Opens the regular file `path` below `base` for reading. Returns `None` for other types.
pub(crate) fn file(base: &Folder, path: &[u8]) -> io::Result<Option<(File, Stat)>> {
    let fd = open(base, path, FILE)?;
    let stat = Stat::of(&rustix::fs::fstat(&fd)?);
    Ok((stat.kind == FileKind::File).then(|| (File::from(fd), stat)))
}

/// Returns type, size, times and owner of the entry `name` of `base`. Does not follow a link. `.` means `base`.
pub(crate) fn stat(base: &Folder, name: &[u8]) -> io::Result<Stat> {
    Ok(Stat::of(&rustix::fs::statat(base, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// Removes the file `name` from `base`.
pub(crate) fn remove(base: &Folder, name: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(base, name, AtFlags::empty())?)
}

/// Creates the folder `name` in `base` for this user only.
pub(crate) fn make_private_folder(base: &Folder, name: &str) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(base, name, Mode::RWXU)?)
}

/// Creates the file `name` in `base` for this user only. Returns an error if it exists.
pub(crate) fn create(base: &Folder, name: &str) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(base, name, flags, OWNER_ONLY)?))
}

fn open(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match sys::open_beneath(&base, path, flags) {
        // A seccomp filter can refuse the new call with either of two errors. A rename in the file system can interrupt
        // it with another one.
        Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG | Errno::AGAIN | Errno::INTR) => {
            open_by_name(base, path, flags)
        }
        opened => opened,
    }
}

/// Works like [`open`], with one call for each name of the path, because the kernel can't open it in one call.
fn open_by_name(base: impl AsFd, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).peekable();
    let mut opened: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        if name == b".." {
            return Err(Errno::XDEV);
        }
        let last = names.peek().is_none();
        let flags = if last { flags } else { FOLDER } | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let folder = opened.as_ref().map_or(base.as_fd(), AsFd::as_fd);
        opened = Some(rustix::fs::openat(folder, name, flags, Mode::empty())?);
    }
    opened.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::path::Path;

    fn base(path: &Path) -> OwnedFd {
        rustix::fs::open(path, FOLDER, Mode::empty()).unwrap()
    }

    #[test]
    fn opens_below_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("root/a/b")).unwrap();
        std::fs::write(at("root/a/b/file"), "inside").unwrap();
        std::fs::write(at("outside"), "outside").unwrap();
        std::os::unix::fs::symlink("../outside", at("root/link")).unwrap();
        std::os::unix::fs::symlink("a", at("root/linked")).unwrap();
        let base = base(&at("root"));
        for open in
            [|b: &OwnedFd, p: &[u8], f| open(b, p, f), |b: &OwnedFd, p: &[u8], f| open_by_name(b, p, f)]
        {
            let mut text = String::new();
            File::from(open(&base, b"a/b/file", FILE).unwrap()).read_to_string(&mut text).unwrap();
            assert_eq!(text, "inside");
            for path in ["link", "linked/b/file", "../outside", "a/../../outside", "none"] {
                assert!(open(&base, path.as_bytes(), FILE).is_err(), "{path}");
            }
        }
        assert!(folder(&base, b"a/b").is_ok() && folder(&base, b"").is_ok());
        assert!(folder(&base, b"linked").is_err());
    }

    #[test]
    fn path_longer_than_the_kernel_accepts() {
        let dir = tempfile::tempdir().unwrap();
        let name = "n".repeat(200);
        let mut path = Vec::new();
        let mut fd = base(dir.path());
        for depth in 0..30 {
            rustix::fs::mkdirat(&fd, name.as_str(), Mode::RWXU).unwrap();
            fd = folder(&fd, name.as_bytes()).unwrap();
            if depth > 0 {
                path.push(b'/');
            }
            path.extend(name.as_bytes());
        }
        assert!(folder(&base(dir.path()), &path).is_ok());
    }
}
