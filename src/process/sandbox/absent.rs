//! The sandbox on systems without Landlock.

use std::ffi::OsString;
use std::fs::File;
use std::io;

use super::SandboxRules;

/// Returns the reason why this system has no sandbox.
pub fn probe() -> Result<(), String> {
    Err("it needs Landlock, which only Linux has".to_owned())
}

/// Returns false, because this system has no sandbox.
pub fn knows_unix_sockets() -> bool {
    false
}

/// Returns an error, because this system has no sandbox.
pub fn enter(_: &[OsString]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, because this system has no sandbox.
pub(super) fn rules_file(_: &SandboxRules) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
