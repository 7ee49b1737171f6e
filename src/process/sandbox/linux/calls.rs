//! A seccomp filter that refuses system calls that Landlock does not check.
//!
//! Landlock checks TCP only for `connect` and `bind` on a plain TCP socket. It checks neither calls that configure a
//! mount nor most `ioctl` requests on a file that is open for reading. For sockets, file system requests and call
//! numbers, this filter has a list of what is allowed; for everything else, a list of what is refused.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

/// Applies the filter to this process and to every program that it starts.
///
/// A refused call fails with `EPERM`. A call that this file does not know and a 32-bit call fail with `ENOSYS`.
pub(super) fn install_filter(deny_unix_sockets: bool) -> io::Result<()> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = rules(deny_unix_sockets)
        .and_then(|rules| SeccompFilter::new(rules, SeccompAction::Allow, refused, arch))
        .map_err(io::Error::other)?;
    let mut program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
    program.splice(0..0, OTHER_NUMBERS_REFUSED);
    apply_filter(&program).map_err(io::Error::other)
}

/// The flag that connects and sends in one call. libc does not define it on every system.
const MSG_FASTOPEN: u64 = 0x2000_0000;
/// Replaces the protocol of a TCP socket, so that Landlock no longer recognizes it. A filter can't read the name of the
/// protocol, so TLS in the kernel is refused too.
const TCP_ULP: i32 = 31;
/// Sets the range of ports from which the kernel chooses one, also for `listen` without `bind`, which Landlock does not
/// check. IPv6 sockets have it too. libc does not define it.
const IP_LOCAL_PORT_RANGE: i32 = 51;
/// The levels and names of refused socket options.
const SOCKET_OPTIONS: [(i32, i32); 3] = [
    (libc::IPPROTO_TCP, libc::TCP_FASTOPEN_CONNECT),
    (libc::IPPROTO_TCP, TCP_ULP),
    (libc::IPPROTO_IP, IP_LOCAL_PORT_RANGE),
];
/// The mode bit of a set-user-ID program. Any user who runs such a program would get this user's rights outside the
/// rules. A file that is created with the bit loses it when it is written to.
const SET_USER_ID: u64 = 0o4000;
/// The flag that replaces a renamed file by a character device with the number 0:0.
const RENAME_WHITEOUT: u64 = libc::RENAME_WHITEOUT as u64;
/// `fchmodat2`, which libc does not define on every system. It has the same number on all architectures.
const SYS_FCHMODAT2: i64 = 452;
/// `open_tree_attr`, which libc does not define yet. It has the same number on all architectures.
const SYS_OPEN_TREE_ATTR: i64 = 467;
/// The calls that create, configure, change or remove a mount. Landlock does not check some of them: configuring an
/// overlay with `fsconfig` empties its work directory before the kernel checks the mount.
const MOUNT_CALLS: [i64; 11] = [
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
];
/// Requests that write to the input of a terminal, from which a shell outside the sandbox reads: `TIOCSTI`,
/// `TIOCLINUX`.
const TERMINAL_INPUT: [u64; 2] = [0x5412, 0x541c];
/// The bits of a request that contain its type.
const REQUEST_TYPE_BITS: u64 = 0xff00;
/// Types of file system requests, each with the requests that are allowed.
const FILE_SYSTEM_TYPES: [(u64, &[u64]); 8] = [
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
    // Versions of files. `FS_IOC_GETVERSION` is allowed, because it only reads.
    (b'v' as u64, &[0x8008_7601]),
    // F2FS.
    (0xf5, &[]),
    // Attributes of files on FAT and exFAT. Requests that read attributes, the volume or a folder are allowed.
    (b'r' as u64, &[0x8004_7210, 0x8004_7213, 0x8230_7201, 0x8230_7202]),
];
/// The bits of a socket's type without its flags.
const TYPE_BITS: u64 = 0xf;

/// A condition of a rule, or the error in building it.
type Condition = Result<SeccompCondition, BackendError>;
/// Conditions on the arguments of a call. The call is refused if all of them are true.
type Conditions = Vec<Condition>;

/// Returns the rules for each call. A call in the map without rules is always refused.
fn rules(deny_unix_sockets: bool) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    // TCP fast open connects when it sends.
    let fast_open = |at| vec![argument(at, SeccompCmpOp::MaskedEq(MSG_FASTOPEN), MSG_FASTOPEN)];
    let set_user_id = |at| vec![vec![argument(at, SeccompCmpOp::MaskedEq(SET_USER_ID), SET_USER_ID)]];
    let always = Vec::new;
    let refused: [(i64, Vec<Conditions>); 19] = [
        // An io_uring performs other calls without the filter.
        (libc::SYS_io_uring_setup, always()),
        // For root, it opens a file without passing the read-only mount.
        (libc::SYS_open_by_handle_at, always()),
        // They change the user's keys, and queues that other programs of the user read.
        (libc::SYS_add_key, always()),
        (libc::SYS_request_key, always()),
        (libc::SYS_keyctl, always()),
        (libc::SYS_mq_open, always()),
        (libc::SYS_mq_unlink, always()),
        (libc::SYS_socket, sockets(deny_unix_sockets)),
        (libc::SYS_socketpair, pairs(deny_unix_sockets)),
        (libc::SYS_sendto, vec![fast_open(3)]),
        (libc::SYS_sendmsg, vec![fast_open(2)]),
        (libc::SYS_sendmmsg, vec![fast_open(3)]),
        (
            libc::SYS_setsockopt,
            SOCKET_OPTIONS.map(|(level, option)| vec![is(1, level), is(2, option)]).into(),
        ),
        // It can set limits of another process: a CPU limit of 0 seconds kills it. Process id 0 means the caller.
        (libc::SYS_prlimit64, vec![vec![is_not(0, 0)]]),
        (libc::SYS_ioctl, refused_requests()),
        // The flag leaves a device file at the old path, which Landlock does not check.
        (
            libc::SYS_renameat2,
            vec![vec![argument(4, SeccompCmpOp::MaskedEq(RENAME_WHITEOUT), RENAME_WHITEOUT)]],
        ),
        (libc::SYS_fchmod, set_user_id(1)),
        (libc::SYS_fchmodat, set_user_id(2)),
        (SYS_FCHMODAT2, set_user_id(2)),
    ];
    // Other architectures have only the newer calls.
    #[cfg(target_arch = "x86_64")]
    let refused = refused.into_iter().chain([(libc::SYS_chmod, set_user_id(1))]);
    let mounts = MOUNT_CALLS.map(|call| (call, always()));
    let rule = |conditions: Conditions| SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?);
    refused
        .into_iter()
        .chain(mounts)
        .map(|(call, rules)| Ok((call, rules.into_iter().map(rule).collect::<Result<_, _>>()?)))
        .collect()
}

/// Refuses all sockets except TCP, UDP and routing netlink, and UNIX sockets unless they are denied.
fn sockets(deny_unix_sockets: bool) -> Vec<Conditions> {
    let mut families = vec![libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    if !deny_unix_sockets {
        families.push(libc::AF_UNIX);
    }
    let mut refused = vec![
        families.into_iter().map(|family| is_not(0, family)).collect(),
        vec![is(0, libc::AF_NETLINK), is_not(2, libc::NETLINK_ROUTE)],
    ];
    for family in [libc::AF_INET, libc::AF_INET6] {
        for (kind, protocol) in
            [(libc::SOCK_STREAM, libc::IPPROTO_TCP), (libc::SOCK_DGRAM, libc::IPPROTO_UDP)]
        {
            let is_kind = argument(1, SeccompCmpOp::MaskedEq(TYPE_BITS), kind.unsigned_abs().into());
            refused.push(vec![is(0, family), is_kind, is_not(2, 0), is_not(2, protocol)]);
        }
        let other_types = is_none_of([libc::SOCK_STREAM, libc::SOCK_DGRAM]);
        refused.push([is(0, family)].into_iter().chain(other_types).collect());
    }
    refused
}

/// Refuses pairs of sockets that are not UNIX sockets. A datagram socket of a pair can send to any path, so it is
/// treated as a single socket. A stream socket of a pair is connected to its peer permanently.
fn pairs(deny_unix_sockets: bool) -> Vec<Conditions> {
    let streams_alone = is_none_of([libc::SOCK_STREAM, libc::SOCK_SEQPACKET]).collect();
    let streams_alone = deny_unix_sockets.then_some(streams_alone);
    [vec![is_not(0, libc::AF_UNIX)]].into_iter().chain(streams_alone).collect()
}

/// Returns the conditions under which an `ioctl` request is refused. A request on a file or folder that is open for
/// reading can change the file system: btrfs creates and deletes subvolumes in a folder, and fs-verity makes a file
/// unwritable. Landlock checks requests only on devices.
fn refused_requests() -> Vec<Conditions> {
    let is_request = |request| argument(1, SeccompCmpOp::Eq, request);
    let is_not_request = |request: &u64| argument(1, SeccompCmpOp::Ne, *request);
    let into_terminal = TERMINAL_INPUT.into_iter().map(|request| vec![is_request(request)]);
    let of_type = FILE_SYSTEM_TYPES.iter().map(|(kind, allowed)| {
        let is_type = argument(1, SeccompCmpOp::MaskedEq(REQUEST_TYPE_BITS), kind << 8);
        [is_type].into_iter().chain(allowed.iter().map(is_not_request)).collect()
    });
    into_terminal.chain(of_type).collect()
}

fn is(at: u8, value: i32) -> Condition {
    argument(at, SeccompCmpOp::Eq, value.unsigned_abs().into())
}

fn is_not(at: u8, value: i32) -> Condition {
    argument(at, SeccompCmpOp::Ne, value.unsigned_abs().into())
}

/// Returns conditions that are true if the type in the second argument, without its flags, is none of `kinds`.
fn is_none_of(kinds: [i32; 2]) -> impl Iterator<Item = Condition> {
    let flags = [0, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK, libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK];
    kinds.into_iter().flat_map(move |kind| flags.map(|flags| is_not(1, kind | flags)))
}

fn argument(at: u8, op: SeccompCmpOp, value: u64) -> Condition {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, op, value)
}

/// The native architecture, as the kernel reports it to a filter.
const NATIVE_ARCH: u32 = match std::env::consts::ARCH.as_bytes() {
    b"x86_64" => 0xc000_003e,
    b"aarch64" => 0xc000_00b7,
    _ => 0xc000_00f3, // RISC-V
};

/// Instructions before all others. They refuse call numbers that this file does not cover.
///
/// A 32-bit program, or `int 0x80` in any program, uses other numbers. On x86-64, a number with the x32 bit is another
/// number for the same call, and no rule would match it. A newer call may do the same as a refused one, for example
/// `open_tree_attr` and `open_tree`. Programs handle `ENOSYS` because older kernels return it.
const OTHER_NUMBERS_REFUSED: [sock_filter; 8] = {
    let x32_bit = 0x4000_0000;
    let last_known = 467;
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    [
        sock_filter { code: 0x20, jt: 0, jf: 0, k: 4 }, // load the architecture, the second field
        sock_filter { code: 0x15, jt: 1, jf: 0, k: NATIVE_ARCH }, // skip the next instruction if it is the native one
        sock_filter { code: 0x06, jt: 0, jf: 0, k: no_such_call },
        sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 }, // load the number, the first field
        sock_filter { code: 0x35, jt: 0, jf: 1, k: x32_bit }, // skip the next instruction below the bit
        sock_filter { code: 0x06, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs() },
        sock_filter { code: 0x25, jt: 0, jf: 1, k: last_known }, // skip the next instruction up to that number
        sock_filter { code: 0x06, jt: 0, jf: 0, k: no_such_call },
    ]
};
