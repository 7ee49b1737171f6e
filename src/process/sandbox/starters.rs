//! The files and folders that start programs later, outside the rules: those of git, of agents, and where clients look
//! for servers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;

/// Those of a root, beside the files of clients.
const NAMES: [&str; 6] = [
    GIT_LINK,
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".claude/settings.json",
    ".claude/settings.local.json",
];
/// A file where the repository's folder is elsewhere; as a folder it is written to with each commit.
const GIT_LINK: &str = ".git";

/// The files and folders that start programs later.
#[derive(Debug)]
pub(super) struct Starters {
    /// The ways to those at one place.
    ways: Vec<Followed>,
    /// The paths of others in each folder that commands may write.
    names: Vec<PathBuf>,
}

impl Starters {
    /// Returns those of each root, and `paths`, of which the relative ones are in each root too.
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        let (there, named): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_absolute());
        let ways = there.iter().map(|path| Followed::new(path)).collect();
        Self { ways, names: NAMES.into_iter().map(PathBuf::from).chain(named).collect() }
    }

    /// Returns all of them that are there and in one of `folders`.
    pub(super) fn found_in(&self, folders: &[&Path]) -> BTreeSet<PathBuf> {
        let named = folders.iter().flat_map(|folder| self.names.iter().map(|name| folder.join(name)));
        // A link on the way to one, too: who changes it says what is started.
        let others = self.ways.iter().flat_map(|way| {
            let below =
                way.entries.iter().filter(|path| folders.iter().any(|folder| path.starts_with(folder)));
            below.filter(|path| **path == way.end || path.is_symlink()).cloned()
        });
        let is_there = |path: &PathBuf| {
            path.symlink_metadata().is_ok_and(|found| !path.ends_with(GIT_LINK) || !found.is_dir())
        };
        // A project's file of a client is named twice.
        named.chain(others).filter(is_there).collect()
    }
}
