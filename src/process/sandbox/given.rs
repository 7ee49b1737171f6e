//! Configured files and folders: checks that commands can neither write them nor redirect the paths to them.
//!
//! A process that can write in a folder can replace anything in that folder with a link, also for the next server.
//! A path through a writable folder must therefore end in a writable folder, so that it adds no rights. All other
//! paths must not pass through one.

use std::path::Path;

use crate::fs::workspace::Root;

/// Returns an error if a command that may write in `writable` could replace the `given` file or folder. `name`
/// describes it.
pub(super) fn check_outside(name: &str, given: &Root, writable: &[&Path]) -> Result<(), String> {
    let Some(folder) = writable.iter().find(|folder| given.real.starts_with(folder)) else {
        return check_way(name, given, writable, &[]);
    };
    let (path, folder) = (given.given.display(), folder.display());
    Err(format!("--sandbox: {name} ({path}) must not lie in {folder}, where commands may write"))
}

/// Returns an error if commands that may write in `writable` could redirect the path of `given` to a location that
/// is not below `sound`.
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
