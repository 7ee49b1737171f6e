//! The system calls that would reach past the rules for files and TCP, refused by seccomp.
//!
//! Landlock knows TCP by `connect` and `bind` of a plain TCP socket; there are other ways to a
//! connection, and calls that change processes outside without a signal.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

/// Refuses them, for this process and all that it becomes or starts.
pub(super) fn refuse() -> io::Result<()> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = rules()
        .and_then(|rules| SeccompFilter::new(rules, SeccompAction::Allow, refused, arch))
        .map_err(io::Error::other)?;
    let program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
    apply_filter(&program).map_err(io::Error::other)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// For each call, the arguments with which it is refused; none means with any.
fn rules() -> Result<Rules, seccompiler::BackendError> {
    let number = |number: i32| u64::from(number.unsigned_abs());
    let mut rules = Rules::new();
    // Sockets that become TCP connections without being TCP sockets, or reach a host beside the network.
    let mut sockets = Vec::new();
    for protocol in [libc::IPPROTO_MPTCP, libc::IPPROTO_SCTP, libc::IPPROTO_DCCP] {
        sockets.push(when(2, SeccompCmpOp::Eq, number(protocol))?);
    }
    for process_tree in [libc::AF_VSOCK, AF_SMC, libc::AF_PACKET] {
        sockets.push(when(0, SeccompCmpOp::Eq, number(process_tree))?);
    }
    rules.insert(libc::SYS_socket, sockets);
    // Connecting by sending: TCP fast open.
    let fast_open = |at| when(at, SeccompCmpOp::MaskedEq(MSG_FASTOPEN), MSG_FASTOPEN).map(|rule| vec![rule]);
    rules.insert(libc::SYS_sendto, fast_open(3)?);
    rules.insert(libc::SYS_sendmsg, fast_open(2)?);
    rules.insert(libc::SYS_sendmmsg, fast_open(3)?);
    let by_option = [
        condition(1, SeccompCmpOp::Eq, number(libc::IPPROTO_TCP))?,
        condition(2, SeccompCmpOp::Eq, number(libc::TCP_FASTOPEN_CONNECT))?,
    ];
    rules.insert(libc::SYS_setsockopt, vec![SeccompRule::new(by_option.into())?]);
    // A ring does all of this without a call that could be looked at.
    rules.insert(libc::SYS_io_uring_setup, Vec::new());
    // Another process's limits: by one of 0 seconds it would be killed. By 0 a process means itself.
    rules.insert(libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    Ok(rules)
}

/// Shared memory connections over TCP; libc has no name for the family.
const AF_SMC: i32 = 43;
/// Connects and sends in one; libc has no name for the flag on every system.
const MSG_FASTOPEN: u64 = 0x2000_0000;

fn when(at: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![condition(at, op, value)?])
}

fn condition(at: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, op, value)
}
