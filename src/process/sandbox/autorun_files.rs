//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;

/// The autorun files and folders of a workspace.
pub(crate) const NAMES: [&str; 17] = [
    GIT_LINK,
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".codex/config.toml",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".continue/mcpServers",
];
/// A file if the repository's folder is elsewhere. As a folder it changes with each commit.
const GIT_LINK: &str = ".git";

/// The autorun files of a server.
#[derive(Debug)]
pub(super) struct AutorunFiles {
    /// The paths of those at a fixed location, followed link by link.
    fixed: Vec<Followed>,
}

impl AutorunFiles {
    /// Returns those with a name in [`NAMES`], and the files at `paths`.
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        Self { fixed: paths.iter().map(|path| Followed::new(path)).collect() }
    }

    /// Returns all of them that exist in one of `folders`.
    pub(super) fn found_in(&self, folders: &[&Path]) -> BTreeSet<PathBuf> {
        let named = folders.iter().flat_map(|folder| NAMES.iter().map(|name| folder.join(name)));
        // Also each link on the path: whoever changes it decides what is started.
        let fixed = self.fixed.iter().flat_map(|path| {
            let below =
                path.entries.iter().filter(|entry| folders.iter().any(|folder| entry.starts_with(folder)));
            below.filter(|entry| **entry == path.end || entry.is_symlink()).cloned()
        });
        let exists = |path: &PathBuf| {
            path.symlink_metadata().is_ok_and(|found| !path.ends_with(GIT_LINK) || !found.is_dir())
        };
        named.chain(fixed).filter(exists).collect()
    }
}
