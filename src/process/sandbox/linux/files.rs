//! The Landlock rules for files, TCP, signals and sockets with a path.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};

use crate::process::sandbox::THIS_BINARY;
use crate::sys::is_absent;

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

/// Restricts this process and every program that it starts. They can write to the folders `writable`, but not to
/// `refused` and what is below.
pub(super) fn apply_landlock(writable: &[PathBuf], refused: &[PathBuf]) -> io::Result<()> {
    let readable = readable()?;
    let mut rules = ruleset()
        .and_then(|rules| rules.add_rules(path_beneath_rules(["/"], AccessFs::ReadDir)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, AccessFs::from_read(NEEDED))))
        .and_then(|rules| rules.add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(NEEDED))))
        .map_err(io::Error::other)?;
    for folder in writable {
        rules = allow_writing(rules, folder, refused)?;
    }
    rules.restrict_self().map(drop).map_err(io::Error::other)
}

/// Allows writing to `path` and what is below, but not to `refused`. Landlock cannot remove a right below a folder, so
/// a folder around a refused path gets no right, and each of its entries gets one. Nothing can then be created in it.
fn allow_writing(rules: RulesetCreated, path: &Path, refused: &[PathBuf]) -> io::Result<RulesetCreated> {
    if refused.iter().any(|refused| path.starts_with(refused)) {
        return Ok(rules);
    }
    if !refused.iter().any(|refused| refused.starts_with(path)) {
        let opened = without_links(path, OFlags::empty())?;
        let is_folder = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) == FileType::Directory;
        let access = if is_folder { writing() } else { writing() & AccessFs::from_file(NEEDED) };
        return rules.add_rule(PathBeneath::new(opened, access)).map_err(io::Error::other);
    }
    let entries = std::fs::read_dir(path)?.flatten().map(|entry| entry.path());
    entries.filter(|entry| !entry.is_symlink()).try_fold(rules, |rules, entry| {
        // An entry can be removed just now.
        if entry.exists() { allow_writing(rules, &entry, refused) } else { Ok(rules) }
    })
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

/// Returns those of `paths` that exist.
///
/// # Errors
///
/// Returns an error if one of them cannot be reached, or only through a link: it would not become read-only.
pub(super) fn present(paths: Vec<PathBuf>) -> io::Result<Vec<PathBuf>> {
    let present = paths.into_iter().filter_map(|path| match without_links(&path, OFlags::empty()) {
        Err(error) if is_absent(&error) => None,
        opened => Some(opened.map(|_| path)),
    });
    present.collect()
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
