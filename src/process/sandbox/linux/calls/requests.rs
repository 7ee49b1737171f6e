//! The `ioctl` requests that are refused.
//!
//! A request on a file or folder that is open for reading can change the file system: btrfs creates and deletes
//! subvolumes in a folder, and fs-verity makes a file unwritable. Landlock checks requests only on devices.

use seccompiler::SeccompCmpOp;

use super::{Conditions, argument};

/// Requests that write to the input of a terminal, from which a shell outside the sandbox reads: `TIOCSTI`,
/// `TIOCLINUX`.
const TERMINAL_INPUT: [u64; 2] = [0x5412, 0x541c];
/// The bits of a request that contain its type.
const TYPE_BITS: u64 = 0xff00;
/// Types of file system requests, each with the requests that are allowed.
const FILE_SYSTEM_TYPES: [(u64, &[u64]); 5] = [
    // btrfs. `FICLONE` and `FICLONERANGE` are allowed, because they write to a file that is open for writing.
    // `FIDEDUPERANGE` is allowed, because it changes no content.
    (0x94, &[0x4004_9409, 0x4020_940d, 0xc018_9436]),
    // Flags, encryption, verity and layout of files. `FS_IOC_GETFLAGS` and `FS_IOC_FIEMAP` are allowed, because they
    // only read.
    (b'f' as u64, &[0x8008_6601, 0xc020_660b]),
    // XFS. `FS_IOC_FSGETXATTR` is allowed, because it only reads.
    (b'X' as u64, &[0x801c_581f]),
    // Subvolumes of bcachefs.
    (0xbc, &[]),
    // OCFS2. One of its requests creates files.
    (b'o' as u64, &[]),
];

/// Returns the conditions under which a request is refused.
pub(super) fn refused() -> Vec<Conditions> {
    let is_request = |request| argument(1, SeccompCmpOp::Eq, request);
    let is_not_request = |request: &u64| argument(1, SeccompCmpOp::Ne, *request);
    let into_terminal = TERMINAL_INPUT.into_iter().map(|request| vec![is_request(request)]);
    let of_type = FILE_SYSTEM_TYPES.iter().map(|(kind, allowed)| {
        let is_type = argument(1, SeccompCmpOp::MaskedEq(TYPE_BITS), kind << 8);
        [is_type].into_iter().chain(allowed.iter().map(is_not_request)).collect()
    });
    into_terminal.chain(of_type).collect()
}
