//! Makes the mounts outside the writable folders read-only.
//!
//! Each writable folder is mounted on itself. Then all other mounts of local file systems become read-only. File
//! systems over the network and in user space are skipped, because a path to one that does not respond would block the
//! command.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{bind, make_mount_read_only};
use crate::process::sandbox::linux::files::without_links;

/// The types of local file systems with files of users.
const LOCAL: [&str; 17] = [
    "bcachefs", "btrfs", "devpts", "devtmpfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "ntfs3",
    "overlay", "ramfs", "rootfs", "tmpfs", "vfat", "xfs",
];
/// A local file system that Linux itself does not include.
const ZFS: &str = "zfs";
/// The table of mounts of this process.
const TABLE: &str = "/proc/self/mountinfo";

/// One mount of the table.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    path: PathBuf,
    is_read_only: bool,
    is_local: bool,
}

/// Makes all mounts of local file systems read-only, except at and below `kept`. Does nothing if `kept` contains the
/// root folder.
pub(super) fn make_read_only(kept: &[&Path]) -> io::Result<()> {
    if kept.contains(&Path::new("/")) {
        return Ok(());
    }
    let is_below = |path: &Path, folders: &[&Path]| folders.iter().any(|folder| path.starts_with(folder));
    for path in kept {
        let others: Vec<&Path> = kept.iter().copied().filter(|other| other != path).collect();
        if !is_below(path, &others) {
            bind(path)?;
        }
    }
    let table = std::fs::read(TABLE)?;
    let (local, others): (Vec<Mount>, Vec<Mount>) =
        table.split(|byte| *byte == b'\n').filter_map(Mount::parse).partition(|mount| mount.is_local);
    // A path through a mount that is not local may block.
    let others: Vec<&Path> = others.iter().map(|mount| mount.path.as_path()).collect();
    for mount in local {
        if !mount.is_read_only && !is_below(&mount.path, kept) && !is_below(&mount.path, &others) {
            // Another mount may hide this one.
            let _hidden =
                without_links(&mount.path, OFlags::empty()).and_then(|mount| make_mount_read_only(&mount));
        }
    }
    Ok(())
}

impl Mount {
    /// Parses a line of the table: numbers, path, flags, `-`, type.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ');
        let path = unescaped(fields.nth(4)?);
        let flags: Vec<&[u8]> = fields.next()?.split(|byte| *byte == b',').collect();
        let kind = std::str::from_utf8(fields.skip_while(|field| *field != b"-").nth(1)?).ok()?;
        Some(Self {
            path: PathBuf::from(OsString::from_vec(path)),
            is_read_only: flags.contains(&b"ro".as_slice()),
            is_local: kind == ZFS || LOCAL.contains(&kind),
        })
    }
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
        let expected = Mount { path: PathBuf::from(r"/mnt 2\x"), is_read_only: false, is_local: true };
        assert_eq!(Mount::parse(line), Some(expected));
        let remote = Mount::parse(b"1 2 0:3 / /a ro,nodev - nfs4 host:/x rw").unwrap();
        assert!(remote.is_read_only && !remote.is_local);
        assert_eq!(Mount::parse(b""), None);
    }
}
