//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox.

mod changes;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;

pub use changes::AutorunChange;
pub(in crate::process) use changes::Baseline;

/// The autorun files and folders of a workspace.
pub(crate) const NAMES: [&str; 30] = [
    GIT_LINK,
    ".git/config",
    ".git/config.worktree",
    // Leads git to the settings and hooks of another folder.
    ".git/commondir",
    ".git/hooks",
    ".git/info/attributes",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".vscode/mcp.json",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".opencode/tools",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".continue/mcpServers",
    ".clinerules/hooks",
    ".github/hooks",
    ".zed/settings.json",
];
/// A file if the repository's folder is elsewhere. As a folder it changes with each commit.
const GIT_LINK: &str = ".git";
/// The folder with a folder for each submodule.
const GIT_MODULES: &str = ".git/modules";
/// The autorun files in one of those.
const MODULE_NAMES: &[&str] = &["config", "config.worktree", "commondir", "hooks"];
/// The folder with a folder for each further work tree.
const GIT_WORK_TREES: &str = ".git/worktrees";
/// The autorun files in one of those.
const WORK_TREE_NAMES: &[&str] = &["config.worktree", "commondir"];
/// Submodules, and further work trees, that are looked at.
const MAX_GIT_FOLDERS: usize = 64;

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
        let of_git = folders.iter().flat_map(|folder| {
            let work_trees = in_each_folder(folder.join(GIT_WORK_TREES), WORK_TREE_NAMES);
            in_each_folder(folder.join(GIT_MODULES), MODULE_NAMES).chain(work_trees)
        });
        // Also each link on the path: whoever changes it decides what is started.
        let fixed = self.fixed.iter().flat_map(|path| {
            let below =
                path.entries.iter().filter(|entry| folders.iter().any(|folder| entry.starts_with(folder)));
            below.filter(|entry| **entry == path.end || entry.is_symlink()).cloned()
        });
        let exists = |path: &PathBuf| {
            path.symlink_metadata().is_ok_and(|found| !path.ends_with(GIT_LINK) || !found.is_dir())
        };
        named.chain(of_git).chain(fixed).filter(exists).collect()
    }
}

/// Returns the paths with one of `names` in each folder of `parent`.
fn in_each_folder(parent: PathBuf, names: &'static [&str]) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten().take(MAX_GIT_FOLDERS);
    entries.flat_map(|entry| names.iter().map(move |name| entry.path().join(name)))
}
