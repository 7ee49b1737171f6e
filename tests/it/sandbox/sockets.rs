//! The sockets that a command can create, and other system calls that would bypass the rules.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};

use serde_json::json;

use super::{client, compiled, started, workspace};
use crate::support::{Client, Start, Workspace};

/// Makes the system call of each input line (`CALL NUMBERS`). Prints the line with the error number, or 0.
const CALLS: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    char name[32];
    long a, b, c;
    int pair[2];
    while (scanf("%31s %ld %ld %ld", name, &a, &b, &c) == 4) {
        long got;
        if (!strcmp(name, "socket"))
            got = socket(a, b, c);
        else if (!strcmp(name, "pair"))
            got = socketpair(a, b, c, pair);
        else if (!strcmp(name, "option"))
            got = setsockopt(socket(2, 1, 0), a, b, "tls", c);
        else
            got = syscall(a, b, c, 0, 0, 0);
        printf("%s %ld %ld %ld: %d\n", name, a, b, c, got < 0 ? errno : 0);
    }
}
"#;

/// Sends to the socket at a path. The first argument selects a stream socket, a datagram socket, or a socket of a pair.
const SEND: &str = r#"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int argc, char **argv) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int pair[2] = {-1, -1};
    strcpy(to.sun_path, argv[2]);
    int one = -1;
    if (!strcmp(argv[1], "stream"))
        one = socket(AF_UNIX, SOCK_STREAM, 0);
    if (!strcmp(argv[1], "datagram"))
        one = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (!strcmp(argv[1], "pair"))
        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), one = pair[0];
    if (!strcmp(argv[1], "stream-pair"))
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair), one = pair[0];
    int failed = connect(one, (void *)&to, sizeof to) < 0 || send(one, "hello", 5, 0) < 0;
    if (failed)
        perror(argv[1]);
    return failed;
}
"#;

const UNIX: [&str; 3] = ["socket 1 1 0", "socket 1 2 0", "socket 1 5 0"];
/// Sockets that are allowed: TCP and UDP over both address families, with and without flags and protocols, and netlink for
/// network configuration.
const ALLOWED: [&str; 10] = [
    "socket 2 1 0",
    "socket 2 1 6",
    "socket 2 526337 0",
    "socket 2 2 0",
    "socket 2 2 17",
    "socket 10 1 6",
    "socket 10 526338 17",
    "socket 16 3 0",
    "pair 1 1 0",
    "pair 1 5 0",
];
/// Calls that are refused.
///
/// Sockets: SMC in two forms, Multipath TCP, SCTP, DCCP, raw and packet sockets, XDP, vsock, the crypto API of the kernel,
/// other netlink families, protocols that replace TCP, a range of local ports. Other calls: `io_uring`, keys, message queues,
/// file handles, terminal input, limits of another process, all calls for mounts. Requests: those that create and delete
/// subvolumes, set flags, or make files immutable.
const REFUSED: [&str; 56] = [
    "socket 2 1 256",
    "socket 10 1 256",
    "socket 43 1 0",
    "socket 2 1 262",
    "socket 2 1 132",
    "socket 2 5 0",
    "socket 2 5 132",
    "socket 2 6 0",
    "socket 2 3 1",
    "socket 10 3 58",
    "socket 2 526339 255",
    "socket 2 10 3",
    "socket 2 2 1",
    "socket 2 2 136",
    "socket 17 3 0",
    "socket 17 2 0",
    "socket 44 3 0",
    "socket 40 1 0",
    "socket 38 5 0",
    "socket 16 3 16",
    "socket 0 1 0",
    "pair 30 1 0",
    "option 6 31 3",
    "option 0 51 4",
    "call 425 1 0",
    "call SYS_add_key 0 0",
    "call SYS_keyctl 0 0",
    "call SYS_mq_open 0 0",
    "call SYS_open_by_handle_at -100 0",
    "call SYS_ioctl 0 21522",
    "call SYS_ioctl 0 21532",
    "call SYS_prlimit64 1 7",
    "call SYS_mount 0 0",
    "call SYS_umount2 0 0",
    "call SYS_pivot_root 0 0",
    "call 428 0 0",
    "call 429 0 0",
    "call 430 0 0",
    "call 431 0 0",
    "call 432 0 0",
    "call 433 0 0",
    "call 442 0 0",
    "call 467 0 0",
    // BTRFS_IOC_SNAP_CREATE, SUBVOL_CREATE, SNAP_DESTROY, their second versions, and SET_RECEIVED_SUBVOL.
    "call SYS_ioctl 0 1342215169",
    "call SYS_ioctl 0 1342215182",
    "call SYS_ioctl 0 1342215183",
    "call SYS_ioctl 0 1342215191",
    "call SYS_ioctl 0 1342215192",
    "call SYS_ioctl 0 1342215231",
    "call SYS_ioctl 0 3234370597",
    // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY.
    "call SYS_ioctl 0 1074292226",
    "call SYS_ioctl 0 1075599392",
    "call SYS_ioctl 0 1082156677",
    // FS_IOC_SETVERSION, F2FS_IOC_START_ATOMIC_WRITE, FAT_IOCTL_SET_ATTRIBUTES.
    "call SYS_ioctl 0 1074296322",
    "call SYS_ioctl 0 62721",
    "call SYS_ioctl 0 1074033169",
];

/// The error number of a refused call.
const EPERM: &str = "1";

/// Returns the results of `calls` made under `flags`.
fn results(
    workspace: &Workspace,
    flags: &[&str],
    unprivileged: bool,
    calls: &[&str],
) -> Option<Vec<(String, String)>> {
    let start = || {
        let start = Start::new(workspace).flags(flags);
        if unprivileged { start.unprivileged() } else { start }
    };
    let mut client = started(start)?;
    let numbers: [(&str, i64); 9] = [
        ("SYS_mount", libc::SYS_mount),
        ("SYS_umount2", libc::SYS_umount2),
        ("SYS_pivot_root", libc::SYS_pivot_root),
        ("SYS_add_key", libc::SYS_add_key),
        ("SYS_keyctl", libc::SYS_keyctl),
        ("SYS_mq_open", libc::SYS_mq_open),
        ("SYS_open_by_handle_at", libc::SYS_open_by_handle_at),
        ("SYS_ioctl", libc::SYS_ioctl),
        ("SYS_prlimit64", libc::SYS_prlimit64),
    ];
    let input =
        numbers.iter().fold(calls.join("\n"), |text, (name, number)| text.replace(name, &number.to_string()));
    let reply = client
        .call("bash", json!({"command": format!("{}/calls <<'E'\n{input}\nE", workspace.base().display())}));
    let pair = |line: &str| line.split_once(": ").map(|(call, error)| (call.to_owned(), error.to_owned()));
    let results: Vec<_> = reply.text().lines().filter_map(pair).collect();
    assert_eq!(results.len(), calls.len(), "{reply}");
    Some(results)
}

#[test]
fn only_listed_sockets_can_be_created() {
    let workspace = workspace();
    compiled(&workspace, "calls", CALLS, &[]);
    for unprivileged in [false, true] {
        for (flags, unix) in [
            (&["--sandbox", "workspace-write"][..], true),
            (&["--sandbox", "workspace-write", "--sandbox-deny", "unix-sockets"], false),
            (&["--sandbox", "read-only"], false),
        ] {
            let Some(results) = results(&workspace, flags, unprivileged, &[&ALLOWED[..], &UNIX].concat())
            else {
                return;
            };
            for (call, error) in results {
                let refused = !unix && call.starts_with("socket 1 ");
                assert_eq!(error == EPERM, refused, "{call}: {error} ({flags:?}, {unprivileged})");
                assert!(refused || error == "0", "{call}: {error} ({flags:?}, {unprivileged})");
            }
            let Some(results) = self::results(&workspace, flags, unprivileged, &REFUSED) else { return };
            for (call, error) in results {
                assert_eq!(error, EPERM, "{call} ({flags:?}, {unprivileged})");
            }
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn call_numbers_with_the_x32_bit_are_refused() {
    let workspace = workspace();
    compiled(&workspace, "calls", CALLS, &[]);
    // The numbers of getpid, socket and an unknown call, each with the bit.
    let calls = ["call 1073741863 0 0", "call 1073741865 2 1", "call 1073742800 0 0"];
    let Some(results) = results(&workspace, &["--sandbox", "read-only"], false, &calls) else { return };
    assert!(results.iter().all(|(_, error)| error == EPERM), "{results:?}");
}

/// Makes `fsopen` and `mount` through the entry point of 32-bit programs, and prints the results.
#[cfg(target_arch = "x86_64")]
const CALL_OF_32_BITS: &str = r#"
#include <stdio.h>
int main(void) {
    long numbers[2] = {430, 21}, got;
    for (int at = 0; at < 2; at++) {
        __asm__ volatile("int $0x80" : "=a"(got) : "a"(numbers[at]), "b"(0L), "c"(0L) : "memory");
        printf("%ld\n", got);
    }
    return 0;
}
"#;

#[test]
#[cfg(target_arch = "x86_64")]
fn calls_of_32_bit_programs_fail_with_an_error() {
    let workspace = workspace();
    let program = compiled(&workspace, "call-of-32-bits", CALL_OF_32_BITS, &[]);
    let run = json!({"command": program});
    // A kernel without these calls kills the program.
    if Client::new(&workspace).call("bash", run.clone()).details()["exitCode"] != 0 {
        return eprintln!("skipped: this kernel does not support 32-bit programs");
    }
    for unprivileged in [false, true] {
        for flags in [["--sandbox", "workspace-write"], ["--sandbox", "read-only"]] {
            let start = || {
                let start = Start::new(&workspace).flags(flags);
                if unprivileged { start.unprivileged() } else { start }
            };
            let Some(mut client) = started(start) else { return };
            client.call("bash", run.clone()).assert_text("-38\n-38\n");
        }
    }
}

#[test]
fn requests_that_read_or_clone_files_are_allowed() {
    let workspace = workspace();
    compiled(&workspace, "calls", CALLS, &[]);
    // FS_IOC_GETFLAGS, FS_IOC_FIEMAP, FICLONE, FIDEDUPERANGE, FS_IOC_GETVERSION and FAT_IOCTL_GET_ATTRIBUTES on a closed
    // descriptor, and a call that does not exist.
    let calls = [
        "call SYS_ioctl 99 2148034049",
        "call SYS_ioctl 99 3223348747",
        "call SYS_ioctl 99 1074041865",
        "call SYS_ioctl 99 3222836278",
        "call SYS_ioctl 99 2148038145",
        "call SYS_ioctl 99 2147774992",
        "call 1000 0 0",
    ];
    let Some(results) = results(&workspace, &["--sandbox", "read-only"], false, &calls) else { return };
    let errors: Vec<&str> = results.iter().map(|(_, error)| error.as_str()).collect();
    let (ebadf, enosys) = (libc::EBADF.to_string(), libc::ENOSYS.to_string());
    assert_eq!(errors, [&ebadf, &ebadf, &ebadf, &ebadf, &ebadf, &ebadf, &enosys]);
}

#[test]
fn sockets_outside_are_inaccessible_by_path() {
    let workspace = workspace();
    compiled(&workspace, "send", SEND, &[]);
    let (stream, datagram) = (workspace.base().join("stream"), workspace.base().join("datagram"));
    let listener = UnixListener::bind(&stream).unwrap();
    let receiver = UnixDatagram::bind(&datagram).unwrap();
    listener.set_nonblocking(true).unwrap();
    receiver.set_nonblocking(true).unwrap();
    for path in [&stream, &datagram] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let modes = [
        "stream <base>/stream",
        "datagram <base>/datagram",
        "pair <base>/datagram",
        "stream-pair <base>/stream",
    ];
    for flags in
        [&["--sandbox", "read-only"][..], &["--sandbox", "workspace-write", "--sandbox-deny", "unix-sockets"]]
    {
        let Some(mut client) = client(&workspace, flags) else { return };
        for mode in modes {
            let reply =
                client.call("bash", json!({"command": workspace.expand(&format!("<base>/send {mode}"))}));
            assert_eq!(reply.details()["exitCode"], 1, "{reply}");
        }
        assert!(listener.accept().is_err() && receiver.recv(&mut [0; 8]).is_err(), "{flags:?}");
    }
    // Without a sandbox all of these except the last succeed.
    let mut unrestricted = Client::new(&workspace);
    for (mode, code) in modes.iter().zip([0, 0, 0, 1]) {
        let reply =
            unrestricted.call("bash", json!({"command": workspace.expand(&format!("<base>/send {mode}"))}));
        assert_eq!(reply.details()["exitCode"], code, "{reply}");
    }
    assert!(listener.accept().is_ok() && receiver.recv(&mut [0; 8]).is_ok());
}

#[test]
fn doctor_reports_a_bypass() {
    let workspace = workspace();
    compiled(&workspace, "send", SEND, &[]);
    let _listener = UnixListener::bind(workspace.base().join("stream")).unwrap();
    let bypass = workspace.expand("<base>/send stream <base>/stream");
    for flags in [
        &["--sandbox", "workspace-write"][..],
        &["--sandbox", "workspace-write", "--sandbox-deny", "unix-sockets"],
        &["--sandbox", "read-only"],
    ] {
        let Some(mut client) = client(&workspace, flags) else { return };
        let is_bypassed = client.call("bash", json!({"command": bypass})).details()["exitCode"] == 0;
        let doctor = Start::new(&workspace).flags(["doctor"]).flags(flags).command().output().unwrap();
        let report = String::from_utf8_lossy(&doctor.stdout);
        assert_eq!(
            report.contains("note  under --sandbox workspace-write a command can bypass"),
            is_bypassed,
            "{flags:?}: {report}"
        );
    }
}

#[test]
fn processes_of_a_command_can_connect_to_each_other() {
    let workspace = workspace();
    compiled(&workspace, "send", SEND, &[]);
    let Some(mut client) = client(&workspace, &["--sandbox", "workspace-write"]) else { return };
    let listen = "perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Local => \"s\", Listen => 1) or die; open F, \">ready\"; $c = $s->accept; <$c>'";
    let command = format!(
        "{listen} & until [ -e ready ]; do sleep 0.01; done; {} stream s && wait && echo reached",
        workspace.base().join("send").display()
    );
    client.call("bash", json!({"command": command})).assert_text("reached\n");
}
