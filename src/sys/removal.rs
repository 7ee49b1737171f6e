//! Removes a folder with its contents, relative to the descriptor of its parent.
//!
//! It follows no link and enters no mount point, even if other processes rename files at the same time. The depth of
//! the tree does not matter: nested folders are moved up to the top before they are emptied, so two descriptors are
//! enough.

use std::io;
use std::ops::RangeFrom;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::Folder;
use crate::sys::{make_accessible, names_in};

/// Flags that open a folder but not a link to one.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Maximum number of names that are read from a folder at one time. It bounds memory.
const NAMES_AT_ONCE: usize = 1000;
/// Maximum number of passes over the top folder. A deep tree needs one for each level. It bounds the work if another
/// process keeps adding files.
const MAX_PASSES: u32 = 1_000_000;

/// Removes the folder `name` of `base` with its contents. `top` is this folder.
pub(crate) fn remove_tree(base: &Folder, name: &[u8], top: &Folder) -> io::Result<()> {
    let _shown_below = rustix::fs::fchmod(top, Mode::RWXU); // a failure appears when entries can't be removed
    // The numbers in the names of moved folders.
    let mut numbers = 1..;
    for _ in 0..MAX_PASSES {
        let names = some_names(top)?;
        if names.is_empty() {
            return Ok(unlinkat(base, name, AtFlags::REMOVEDIR)?);
        }
        let results: Vec<_> = names.iter().map(|name| remove_level(top, name, &mut numbers)).collect();
        if results.iter().all(Result::is_err) {
            return results.into_iter().collect();
        }
    }
    Err(Errno::NOTEMPTY.into())
}

/// Removes the entry `name` of the folder `top`, or moves folders inside it to the top first.
fn remove_level(top: &Folder, name: &[u8], numbers: &mut RangeFrom<u64>) -> io::Result<()> {
    if remove_file_or_empty(top, name) {
        return Ok(());
    }
    // A mount point can't be moved, so this fails before anything below it is removed.
    let name = move_up(top, top, name, numbers)?;
    make_accessible(top, name.as_bytes())?;
    let folder = openat(top, name.as_str(), FOLDER, Mode::empty())?;
    for inner in some_names(&folder)? {
        if !remove_file_or_empty(&folder, &inner) && move_up(top, &folder, &inner, numbers).is_err() {
            // The folder's mode may prevent its move.
            make_accessible(&folder, &inner)?;
            move_up(top, &folder, &inner, numbers)?;
        }
    }
    match unlinkat(top, name.as_str(), AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY) => Ok(()),
        removed => Ok(removed?),
    }
}

/// Moves the folder `name` of `from` to `top`. Returns its new name there.
fn move_up(top: &Folder, from: &Folder, name: &[u8], numbers: &mut RangeFrom<u64>) -> Result<String, Errno> {
    for number in numbers {
        let free = format!("removed-{number}");
        match renameat(from, name, top, free.as_str()) {
            Ok(()) => return Ok(free),
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}

fn remove_file_or_empty(folder: impl AsFd, name: &[u8]) -> bool {
    unlinkat(&folder, name, AtFlags::empty()).is_ok() || unlinkat(&folder, name, AtFlags::REMOVEDIR).is_ok()
}

/// Returns names in `folder`, at most [`NAMES_AT_ONCE`].
fn some_names(folder: &Folder) -> io::Result<Vec<Vec<u8>>> {
    // A new descriptor reads the folder from its start.
    let folder = openat(folder, ".", FOLDER, Mode::empty())?;
    names_in(&folder, NAMES_AT_ONCE, |_| true)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::sys::{below, open_folder};

    fn remove(base: &std::path::Path, name: &str) -> io::Result<()> {
        let base = open_folder(base).unwrap();
        let opened = below::folder(&base, name.as_bytes())?;
        remove_tree(&base, name.as_bytes(), &opened)
    }

    #[test]
    fn tree_is_removed_without_the_targets_of_links() {
        let base = tempfile::tempdir().unwrap();
        let at = |path: &str| base.path().join(path);
        fs::create_dir_all(at("victim/inner")).unwrap();
        fs::write(at("victim/inner/file"), "x").unwrap();
        fs::create_dir_all(at("tree/a/removed-1/c")).unwrap();
        fs::write(at("tree/a/file"), "x").unwrap();
        fs::write(at("tree/removed-2"), "x").unwrap();
        symlink(at("victim"), at("tree/link")).unwrap();
        symlink(at("victim"), at("tree/a/removed-1/link")).unwrap();
        fs::create_dir(at("tree/closed")).unwrap();
        fs::create_dir(at("tree/closed/inner")).unwrap();
        fs::write(at("tree/closed/inner/file"), "x").unwrap();
        fs::set_permissions(at("tree/closed/inner"), fs::Permissions::from_mode(0o555)).unwrap();
        fs::set_permissions(at("tree/closed"), fs::Permissions::from_mode(0o000)).unwrap();
        remove(base.path(), "tree").unwrap();
        assert!(!at("tree").exists());
        assert!(at("victim/inner/file").exists());
        symlink(at("victim"), at("tree")).unwrap();
        assert!(remove(base.path(), "tree").is_err(), "a link that replaced the tree was followed");
        assert!(at("victim/inner/file").exists());
    }

    #[test]
    fn depth_and_number_of_names_have_no_limit() {
        let base = tempfile::tempdir().unwrap();
        let mut here = open_folder(base.path()).unwrap();
        for depth in 0..3000 {
            rustix::fs::mkdirat(&here, "d", Mode::RWXU).unwrap();
            here = openat(&here, "d", FOLDER, Mode::empty()).unwrap();
            if depth == 0 {
                for n in 0..2 * NAMES_AT_ONCE {
                    fs::write(base.path().join(format!("d/{n}")), "").unwrap();
                }
            }
        }
        remove(base.path(), "d").unwrap();
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
