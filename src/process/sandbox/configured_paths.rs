//! Checks configured files and folders: commands must be able neither to write to them nor to redirect their paths.
//!
//! A process that can write to a folder can replace anything in it with a link, which also affects the next server. A
//! path through a writable folder must therefore end in a writable folder, so that it adds no rights. All other paths
//! must not pass through a writable folder.

use std::path::Path;

use crate::fs::workspace::Root;

/// Checks that a command that can write to `writable` can neither write to nor replace the `configured` file or folder.
/// `name` describes it in the message.
pub(super) fn check_outside(name: &str, configured: &Root, writable: &[&Path]) -> Result<(), String> {
    let Some(folder) = writable.iter().find(|folder| configured.real.starts_with(folder)) else {
        return check_redirection(name, configured, writable, &[]);
    };
    let (path, folder) = (configured.given.display(), folder.display());
    Err(format!("--sandbox: {name} ({path}) must not lie in {folder}, where commands may write"))
}

/// Checks that commands that can write to `writable` cannot redirect the path of `configured` to a location that is not
/// below `unredirectable`.
pub(super) fn check_redirection(
    name: &str,
    configured: &Root,
    writable: &[&Path],
    unredirectable: &[&Path],
) -> Result<(), String> {
    let through = configured.way.way_through(writable);
    let Some(folder) = through
        .filter(|_| !unredirectable.iter().any(|unredirectable| configured.real.starts_with(unredirectable)))
    else {
        return Ok(());
    };
    let (path, folder, real) = (configured.given.display(), folder.display(), configured.real.display());
    Err(format!(
        "--sandbox: the way to {name} ({path}) leads through {folder}, where commands may write: they could lead it \
         elsewhere. If {real} is meant, give that path"
    ))
}
