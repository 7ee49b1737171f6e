//! Applies the sandbox rules to this process, which then becomes the command.

mod calls;
mod files;
mod mounts;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, OFlags};
use rustix::thread::CapabilitySet;

use super::SandboxRules;

pub use files::{knows_unix_sockets, probe};

/// The capabilities that a command of root keeps: over files, users and its own processes. Most others affect the
/// system itself (modules, devices, clocks, mounts) or bypass the rules.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SYS_CHROOT);

/// Reads rules and environment from stdin, applies the rules, and becomes `command`. Without a command, only helps the
/// parent process to apply its rules.
///
/// The command can read all files except devices, write to the given folders, and open no TCP connection. On newer
/// kernels it cannot reach processes and sockets outside.
pub fn enter(command: &[OsString]) -> io::Result<()> {
    let Some((program, arguments)) = command.split_first() else { return mounts::map_users_of_parent() };
    let variables = apply_rules()?;
    Err(Command::new(program).args(arguments).envs(variables).stdin(Stdio::null()).exec())
}

/// Applies the rules and enters the working directory. Returns the environment of the command.
///
/// Mounts come first, because Landlock and the filter refuse mount calls. The command has its own session. Otherwise, it
/// could join the server's process group, and the kernel would signal that group once it is stopped and orphaned.
fn apply_rules() -> io::Result<Vec<(OsString, OsString)>> {
    rustix::process::setsid()?;
    let rules: SandboxRules = serde_json::from_str(&io::read_to_string(io::stdin())?)?;
    let paths = |paths: Vec<OsString>| paths.into_iter().map(PathBuf::from).collect::<Vec<_>>();
    let (mut write, protect) = (paths(rules.write), paths(rules.protect));
    let folder = PathBuf::from(rules.folder);
    let (protect, refused) = (files::present(protect)?, files::present(paths(rules.refused))?);
    if rules.can_mount {
        let hides_none = !mounts::hides(write.iter().chain(&protect).chain([&folder]));
        let shared_memory =
            mounts::enter_namespaces(&protect, &write, rules.has_shared_memory && hides_none)?;
        write.extend(shared_memory);
    }
    let folder = files::without_links(&folder, OFlags::DIRECTORY)?;
    files::apply_landlock(&write, &refused)?;
    drop_capabilities()?;
    calls::install_filter(rules.deny_unix_sockets)?;
    rustix::process::fchdir(folder)?;
    Ok(rules.variables)
}

/// Drops all capabilities, or as root all except [`KEPT`]. No program gets them back, because `no_new_privs` prevents
/// that.
fn drop_capabilities() -> io::Result<()> {
    let kept = if rustix::process::geteuid().is_root() { KEPT } else { CapabilitySet::empty() };
    let mut sets = rustix::thread::capabilities(None)?;
    sets.permitted &= kept;
    sets.effective &= kept;
    sets.inheritable = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Returns an unnamed file with `rules`.
pub(super) fn rules_file(rules: &SandboxRules) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("rules", MemfdFlags::CLOEXEC)?);
    file.write_all(&serde_json::to_vec(rules)?)?;
    file.rewind()?;
    Ok(file)
}
