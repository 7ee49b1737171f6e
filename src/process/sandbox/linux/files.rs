//! The Landlock rules for files, TCP, signals and sockets with a path.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use crate::process::sandbox::THIS_BINARY;

/// The only devices that a command can open. They store nothing. Reading from a terminal in `/dev/pts` would return the
/// user's input.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// Other readable folders in `/dev`: shared memory.
const READABLE_IN_DEV: [&str; 1] = ["/dev/shm"];
/// The oldest Landlock version with all documented rules: files, truncation, TCP.
const NEEDED: ABI = ABI::V4;

/// Returns the rules before exceptions are added. Rules newer than [`NEEDED`] apply if the kernel supports them.
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

/// Returns the reason if the kernel can't enforce the rules, or if no command can start with them.
pub fn probe() -> Result<(), String> {
    if !Path::new(THIS_BINARY).exists() {
        return Err("/proc is not mounted".to_owned());
    }
    let needed = "the kernel cannot enforce it (Landlock ABI 4 or later is needed)";
    ruleset().map(drop).map_err(|error| format!("{needed}: {error}"))
}

/// Returns true if the kernel can block connections to UNIX sockets with a path outside (ABI 9).
pub fn knows_unix_sockets() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::ResolveUnix).and_then(Ruleset::create).is_ok()
}

/// Restricts this process and every program that it starts. They can write to the folders `writable` and to the file
/// `report`.
pub(super) fn apply_landlock(writable: &[PathBuf], report: Option<&Path>) -> io::Result<()> {
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

/// Returns the readable paths: all entries of the root folder except `/dev` and links. A link there points to another
/// entry.
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

/// Opens a path for its location only, not for reading. Returns an error if any part of the path is a link, because an
/// earlier command could have created it.
pub(super) fn without_links(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::PATH | OFlags::CLOEXEC;
    let opened = rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    opened.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Returns all rights to files and to sockets with a path, without the right to create devices, because a device
/// bypasses every rule.
fn writing() -> BitFlags<AccessFs> {
    (AccessFs::from_all(NEEDED) | AccessFs::ResolveUnix) & !(AccessFs::MakeBlock | AccessFs::MakeChar)
}
