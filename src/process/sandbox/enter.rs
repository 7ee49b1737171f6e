//! Applies the rules to this process, which then becomes the command.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, OFlags};
use rustix::thread::CapabilitySet;

use super::{Entry, calls, files, mounts};

/// The capabilities that a command of root keeps: those over files, users and its own processes. The
/// others reach the system itself (modules, devices, clocks, mounts), past every rule.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::IPC_LOCK)
    .union(CapabilitySet::SYS_CHROOT);

/// Takes on the rules, and becomes the command with the environment that stdin holds; returns only where
/// that fails.
///
/// It reads everything, writes in the folders given and to the devices that hold nothing, and opens no TCP
/// connection. Where the kernel can, it reaches no process and no socket outside.
pub fn enter(entry: &Entry) -> io::Error {
    let environment = match restrict(entry) {
        Ok(environment) => environment,
        Err(error) => return error,
    };
    let Some((program, arguments)) = entry.command.split_first() else {
        return io::Error::from(io::ErrorKind::InvalidInput);
    };
    Command::new(program).args(arguments).envs(environment).stdin(Stdio::null()).exec()
}

/// Takes on the rules, and the command's folder; returns its environment.
fn restrict(entry: &Entry) -> io::Result<Vec<(OsString, OsString)>> {
    let mut environment = Vec::new();
    io::stdin().lock().read_to_end(&mut environment)?;
    mounts::protect(&entry.protect, &entry.write)?;
    let folder = files::without_links(&entry.folder, OFlags::DIRECTORY)?;
    files::restrict(&entry.write)?;
    drop_capabilities()?;
    calls::refuse(entry.deny_unix_sockets)?;
    rustix::process::fchdir(folder)?;
    Ok(variables(&environment))
}

/// Gives up all capabilities, as root all but [`KEPT`]. They do not come back with a program: that needs privileges,
/// which the rules for files have given up for good.
fn drop_capabilities() -> io::Result<()> {
    let kept = if rustix::process::geteuid().is_root() { KEPT } else { CapabilitySet::empty() };
    let mut sets = rustix::thread::capabilities(None)?;
    sets.permitted &= kept;
    sets.effective &= kept;
    sets.inheritable = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Returns a file without a name that holds `variables`, each as `NAME=VALUE`, ended by a NUL. (Arguments could
/// be seen by every user.)
pub(super) fn environment_file(variables: impl Iterator<Item = (OsString, OsString)>) -> io::Result<File> {
    let mut bytes = Vec::new();
    for (name, value) in variables {
        bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
    }
    let mut file = File::from(rustix::fs::memfd_create("environment", MemfdFlags::CLOEXEC)?);
    file.write_all(&bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Reads what [`environment_file`] wrote.
fn variables(bytes: &[u8]) -> Vec<(OsString, OsString)> {
    let pair = |variable: &[u8]| {
        // A name may begin with `=`, as std takes it too.
        let end = 1 + variable.iter().skip(1).position(|byte| *byte == b'=')?;
        let (name, value) = variable.split_at_checked(end)?;
        Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.get(1..)?.to_vec())))
    };
    bytes.split(|byte| *byte == 0).filter_map(pair).collect()
}
