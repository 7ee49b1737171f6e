//! The rules for files, TCP, signals and sockets by path, as Landlock takes them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use crate::process::sandbox::THIS_BINARY;

/// The only devices that can be opened: they hold nothing. A terminal in `/dev/pts` would return what the user types.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// What can be read in `/dev` besides those: shared memory.
const READABLE_IN_DEV: [&str; 1] = ["/dev/shm"];
/// The least that holds all that is promised: files, truncation, TCP.
const NEEDED: ABI = ABI::V4;

/// Returns the rules without an exception. What later kernels can hold beside [`NEEDED`] is held where it can be.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .handle_access(AccessNet::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::IoctlDev | AccessFs::ResolveUnix)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()
}

/// Returns the reason if the kernel can't hold the rules, or no command can be started under them.
pub fn probe() -> Result<(), String> {
    if !Path::new(THIS_BINARY).exists() {
        return Err("/proc is not mounted".to_owned());
    }
    let needed = "the kernel can't hold commands to it (Landlock, ABI 4 or later, is needed)";
    ruleset().map(drop).map_err(|error| format!("{needed}: {error}"))
}

/// True if the kernel can keep commands from UNIX sockets outside by their paths (ABI 9).
pub fn knows_unix_sockets() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::ResolveUnix).and_then(Ruleset::create).is_ok()
}

/// Restricts this process and all that it becomes or starts. They may write in the folders `writable`, and to the file
/// `report`.
pub(super) fn restrict(writable: &[PathBuf], report: Option<&Path>) -> io::Result<()> {
    let readable = readable()?;
    let mut rules = ruleset()
        .and_then(|rules| rules.add_rules(path_beneath_rules(["/"], AccessFs::ReadDir)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, AccessFs::from_read(NEEDED))))
        .and_then(|rules| rules.add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(NEEDED))))
        .map_err(io::Error::other)?;
    for folder in writable {
        let rule = PathBeneath::new(without_links(folder, OFlags::DIRECTORY)?, writing());
        rules = rules.add_rule(rule).map_err(io::Error::other)?;
    }
    if let Some(report) = report {
        let write = AccessFs::WriteFile | AccessFs::Truncate;
        let rule = PathBeneath::new(without_links(report, OFlags::empty())?, write);
        rules = rules.add_rule(rule).map_err(io::Error::other)?;
    }
    rules.restrict_self().map(drop).map_err(io::Error::other)
}

/// Returns the paths below which files can be read: all entries of the root folder but `/dev`. What a link there leads
/// to is below another entry.
fn readable() -> io::Result<Vec<PathBuf>> {
    let mut readable: Vec<PathBuf> = READABLE_IN_DEV.map(PathBuf::from).into();
    for entry in std::fs::read_dir("/")? {
        let entry = entry?;
        if entry.file_name() != "dev" && !entry.file_type()?.is_symlink() {
            readable.push(entry.path());
        }
    }
    Ok(readable)
}

/// Opens a path that an earlier command could write beside, not for reading: where it has made a link of any part of the
/// path, that is refused, not followed.
pub(super) fn without_links(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::PATH | OFlags::CLOEXEC;
    let opened = rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    opened.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// All that is done to files, and reaching sockets there, but making devices: one of those would reach
/// past every rule.
fn writing() -> BitFlags<AccessFs> {
    (AccessFs::from_all(NEEDED) | AccessFs::ResolveUnix) & !(AccessFs::MakeBlock | AccessFs::MakeChar)
}
