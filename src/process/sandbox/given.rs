//! Files and folders that were given to the server: what commands could write in them, and how they could lead
//! the way to them elsewhere.
//!
//! A way can be led elsewhere by who writes in a folder that it leads through: what is looked up there becomes a
//! link, also for the next server. So a way through a folder that commands may write must end in one; that adds
//! nothing to what they may write. All else is given without that detour.

use std::path::Path;

use crate::fs::workspace::Root;

/// Returns an error if a command that may write in `writable` could replace what was `given`, which the words of `name`
/// name.
pub(super) fn check_outside(name: &str, given: &Root, writable: &[&Path]) -> Result<(), String> {
    let Some(folder) = writable.iter().find(|folder| given.real.starts_with(folder)) else {
        return check_way(name, given, writable, &[]);
    };
    let (path, folder) = (given.given.display(), folder.display());
    Err(format!("--sandbox: {name} ({path}) must not lie in {folder}, where commands may write"))
}

/// Returns an error if commands that may write in `writable` could lead the way to what was `given` elsewhere than
/// below `sound`.
pub(super) fn check_way(name: &str, given: &Root, writable: &[&Path], sound: &[&Path]) -> Result<(), String> {
    let through = given.way.way_through(writable);
    let Some(folder) = through.filter(|_| !sound.iter().any(|sound| given.real.starts_with(sound))) else {
        return Ok(());
    };
    let (path, folder, real) = (given.given.display(), folder.display(), given.real.display());
    Err(format!(
        "--sandbox: the way to {name} ({path}) leads through {folder}, where commands may write: they could lead it \
         elsewhere. If {real} is meant, give that path"
    ))
}
