//! Files and folders: their type, size, times and owner, and the names in a folder.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, XattrFlags};
use rustix::io::Errno;

use super::{GOES_ON_AFTER_INTR, LOOK, PathHandle, below, dir_reader, user};

/// The attribute with the access control list of a file on Linux.
const ACL: &str = "system.posix_acl_access";
/// The size of the longest list that is copied, with about 500 entries.
const ACL_BYTES: usize = 4096;

/// An open folder. Paths below it are opened relative to it.
pub(crate) type Folder = OwnedFd;

/// An open path. Opening it read nothing of its content.
#[derive(Debug)]
pub struct Opened {
    /// The path without symbolic links.
    pub real: PathBuf,
    /// Type, size, times and owner.
    pub stat: Stat,
    /// The handle from which the file can be opened for reading.
    pub(super) handle: PathHandle,
}

/// Type, size, times and owner of a file, a folder or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The type.
    pub kind: FileKind,
    /// The size in bytes.
    pub bytes: u64,
    /// The device and the inode. No other existing file has the same pair.
    pub id: (u64, u64),
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub modified: i128,
    /// Time of the last change of the content or the metadata, in nanoseconds since 1970.
    pub changed: i128,
    /// The id of the owner.
    pub owner: u32,
    /// True if the mode gives rights only to the owner.
    pub is_private: bool,
    /// The number of hard links.
    pub links: u64,
}

impl Stat {
    /// Converts the system's `stat`.
    pub(super) fn of(stat: &rustix::fs::Stat) -> Self {
        let nanos = |secs: i64, nanos: i128| i128::from(secs) * 1_000_000_000 + nanos;
        #[expect(clippy::useless_conversion, reason = "the types differ by system")]
        Self {
            kind: FileKind::of(FileType::from_raw_mode(stat.st_mode)),
            bytes: u64::try_from(stat.st_size).unwrap_or(0),
            id: (u64::try_from(stat.st_dev).unwrap_or(0), stat.st_ino.into()),
            modified: nanos(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: nanos(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
            owner: stat.st_uid,
            is_private: !Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO),
            links: u64::try_from(stat.st_nlink).unwrap_or(u64::MAX),
        }
    }

    /// Returns true if no hard link remains: the file was removed.
    pub(crate) fn is_removed(&self) -> bool {
        self.links == 0
    }

    /// Returns true for a regular file of this user with a single hard link. No other user can have created it, not
    /// even as a hard link to another file of this user.
    pub(crate) fn is_own_file(&self) -> bool {
        self.kind == FileKind::File && self.owner == user() && self.links == 1
    }

    /// Returns true for a folder of this user to which no other user has rights.
    pub(crate) fn is_own_private_folder(&self) -> bool {
        self.kind == FileKind::Folder && self.owner == user() && self.is_private
    }
}

/// The type of an entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever its target is.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// Something else.
    Unknown,
}

impl FileKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharacterDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// Calls `take` with each name in `folder` and its type, in no particular order, until `take` breaks. Skips `.` and
/// `..`. `buffer` is the space for the names of one read.
pub(crate) fn each_name(
    folder: &Folder,
    buffer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], FileKind) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut reader = dir_reader(folder, buffer)?;
    while let Some(entry) = reader.next() {
        let entry = match entry {
            Err(Errno::INTR) if GOES_ON_AFTER_INTR => continue,
            entry => entry?,
        };
        let name = entry.file_name().to_bytes();
        let kind = || match entry.file_type() {
            // Some file systems do not report the type with the name.
            FileType::Unknown => below::stat(folder, name).map_or(FileKind::Unknown, |stat| stat.kind),
            kind => FileKind::of(kind),
        };
        if !matches!(name, b"." | b"..") && take(name, kind()).is_break() {
            break;
        }
    }
    Ok(())
}

/// Opens the file at `path` for reading and appending, and creates it for this user only if it does not exist. Follows
/// links in the path of its folder, but returns an error if the file is a link. Never waits.
pub(crate) fn append(path: &Path) -> io::Result<(File, Stat)> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, below::OWNER_ONLY) {
        Err(Errno::LOOP) => Err(io::Error::other("a link, which is not followed")),
        opened => {
            let fd = opened?;
            let stat = Stat::of(&rustix::fs::fstat(&fd)?);
            Ok((fd.into(), stat))
        }
    }
}

/// Reads bytes of a file from the offset `at`, at most the length of `buffer`, and returns them. The memory is not filled
/// with zeros before, which takes as long as reading.
pub(crate) fn read_into<'b>(file: &File, buffer: &'b mut [MaybeUninit<u8>], at: u64) -> io::Result<&'b [u8]> {
    Ok(rustix::io::pread(file, buffer, at)?.0)
}

/// Opens the folder at `path`. Follows links.
pub(crate) fn open_folder(path: impl AsRef<Path>) -> io::Result<Folder> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path.as_ref(), flags, Mode::empty())?)
}

/// Opens the folder at `path`, relative to `folder`, only for opening paths below it. Follows links.
pub(crate) fn folder_from(folder: &Folder, path: &Path) -> io::Result<Folder> {
    Ok(rustix::fs::openat(folder, path, LOOK | OFlags::DIRECTORY, Mode::empty())?)
}

/// Size in bytes of the buffer for the names in a folder.
const NAMES_BYTES: usize = 16 * 1024;

/// Returns the first `most` names in `folder` that `is_wanted` accepts, in no particular order.
pub(crate) fn names_in(
    folder: &Folder,
    most: usize,
    mut is_wanted: impl FnMut(&[u8]) -> bool,
) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    each_name(folder, &mut Vec::with_capacity(NAMES_BYTES), |name, _| {
        names.extend(is_wanted(name).then(|| name.to_owned()));
        if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(names)
}

/// Locks an open file or folder until it is closed. Returns false if another descriptor has locked it, or if the file
/// system has no locks.
pub(crate) fn lock(open: impl AsFd) -> bool {
    rustix::fs::flock(open, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Returns the file name for these bytes.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Converts a time to nanoseconds since 1970, the unit of [`Stat`].
pub(crate) fn nanos(time: SystemTime) -> i128 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
}

/// Returns true if the error means that the file does not exist.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

/// Returns true if the error means that there is no such file. Unlike [`is_missing`], a path that is too long does not
/// count, because the kernel may accept another spelling of it.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns true if `path` is in a mount of `/proc`, at any location.
#[cfg(target_os = "linux")]
pub(crate) fn is_procfs(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_procfs(_: &Path) -> bool {
    false
}

/// Returns true if the error means that the file was removed or replaced.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO))
}

/// Gives `to` the access control list of `from`, or none: `to` may have inherited one from its folder. The mask of a list
/// is the group's mode. Only Linux has this attribute.
pub(crate) fn copy_acl(from: &File, to: &File) -> io::Result<()> {
    let _has_none = rustix::fs::fremovexattr(to, ACL);
    let mut acl = [0; ACL_BYTES];
    match rustix::fs::fgetxattr(from, ACL, &mut acl[..]) {
        Ok(bytes) => {
            Ok(rustix::fs::fsetxattr(to, ACL, acl.get(..bytes).unwrap_or_default(), XattrFlags::empty())?)
        }
        Err(Errno::RANGE) => Err(Errno::RANGE.into()),
        Err(_without_a_list) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_control_list_is_copied() {
        // Version 2. The owner reads and writes, user 1234 reads, the group has no rights.
        let entries =
            [(1, 6, u32::MAX), (2, 4, 1234), (4, 0, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
        let entry = |(tag, rights, id): (u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let acl = [2_u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat();
        let [from, to] = [(); 2].map(|()| tempfile::tempfile().unwrap());
        copy_acl(&from, &to).unwrap();
        if rustix::fs::fsetxattr(&from, ACL, &acl, XattrFlags::empty()) == Err(Errno::OPNOTSUPP) {
            eprintln!("skipped: this file system has no access control lists");
            return;
        }
        copy_acl(&from, &to).unwrap();
        let mut copy = [0; ACL_BYTES];
        let bytes = rustix::fs::fgetxattr(&to, ACL, &mut copy[..]).unwrap();
        assert_eq!(copy[..bytes], acl);
        copy_acl(&tempfile::tempfile().unwrap(), &to).unwrap();
        assert_eq!(rustix::fs::fgetxattr(&to, ACL, &mut copy[..]), Err(Errno::NODATA));
    }
}
