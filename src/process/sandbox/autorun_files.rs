//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox.

mod changes;
mod index;
mod repositories;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::fs::follow::Followed;

pub use changes::AutorunChange;
pub(in crate::process) use changes::Baseline;
use repositories::{GIT, IndexedRepositories, MODULES, WORK_TREES};

/// The autorun files and folders of agents and editors in a workspace.
pub(crate) const NAMES: [&str; 33] = [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".vscode/mcp.json",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vs/mcp.json",
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
    ".gemini/extensions",
    ".qwen/settings.json",
    ".qwen/extensions",
    ".continue/mcpServers",
    ".clinerules/hooks",
    ".github/hooks",
    ".zed/settings.json",
    ".roo/mcp.json",
    ".kilocode/mcp.json",
    ".kiro/settings/mcp.json",
    ".kiro/hooks",
    ".amazonq/mcp.json",
    ".junie/mcp/mcp.json",
];
/// The autorun files and folders of a repository.
const OF_REPOSITORY: [&str; 6] = [
    GIT,
    ".git/config",
    ".git/config.worktree",
    // Redirects git to the settings and hooks of another folder.
    ".git/commondir",
    ".git/hooks",
    ".git/info/attributes",
];
/// The autorun files of a submodule.
const OF_MODULE: [&str; 4] = ["config", "config.worktree", "commondir", "hooks"];
/// The autorun files of an additional work tree.
const OF_WORK_TREE: [&str; 2] = ["config.worktree", "commondir"];

/// The autorun files of a server.
#[derive(Debug)]
pub(super) struct AutorunFiles {
    /// The paths at a fixed location, with each link on the way to them.
    fixed: Vec<Followed>,
    /// The repositories that git indexes list.
    indexed: IndexedRepositories,
}

impl AutorunFiles {
    /// Creates a search for autorun files: those in [`NAMES`], those of repositories, and those at `paths`.
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        Self {
            fixed: paths.iter().map(|path| Followed::new(path)).collect(),
            indexed: IndexedRepositories::default(),
        }
    }

    /// Returns the autorun files that exist in one of `folders`, without those of nested repositories.
    pub(super) fn found_in(&self, folders: &[&Path]) -> BTreeSet<PathBuf> {
        let named = folders.iter().flat_map(|folder| NAMES.iter().map(|name| folder.join(name)));
        let of_git = folders.iter().flat_map(|folder| of_repository(folder));
        // Includes each link on the path: a changed link starts another program.
        let fixed = self.fixed.iter().flat_map(|path| {
            let below =
                path.entries.iter().filter(|entry| folders.iter().any(|folder| entry.starts_with(folder)));
            below.filter(|entry| **entry == path.end || entry.is_symlink()).cloned()
        });
        named.chain(of_git).chain(fixed).filter(|path| is_autorun_file(path)).collect()
    }

    /// Returns the autorun files of repositories one and two folders below one of `folders`, and of the repositories
    /// that its index lists. Commands can write to these files, because they clone and delete repositories there.
    pub(super) fn found_in_nested(&self, folders: &[&Path]) -> BTreeSet<PathBuf> {
        let nested = folders.iter().flat_map(|folder| repositories::nested(folder, &self.indexed));
        // An index that lists too many repositories counts as an autorun file itself.
        let too_long = folders.iter().filter(|folder| self.indexed.by_index_of(folder).is_none());
        let too_long = too_long.map(|folder| folder.join(repositories::INDEX));
        nested
            .flat_map(|nested| of_repository(&nested))
            .chain(too_long)
            .filter(|path| is_autorun_file(path))
            .collect()
    }
}

/// Returns the paths of the autorun files that the repository at `folder` may have.
fn of_repository(folder: &Path) -> Vec<PathBuf> {
    let mut paths = OF_REPOSITORY.map(|name| folder.join(name)).to_vec();
    let [modules, work_trees] = [MODULES, WORK_TREES].map(|name| folder.join(name));
    let of_modules = repositories::below_modules(&modules);
    let of_work_trees = repositories::in_work_trees(&work_trees);
    for (parent, found, names) in
        [(modules, of_modules, &OF_MODULE[..]), (work_trees, of_work_trees, &OF_WORK_TREE)]
    {
        match found {
            Some(found) => {
                paths.extend(found.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))));
            }
            // The folder has too many entries. A command could have created them to hide one, so the folder itself
            // counts. A new folder of work trees is not reported all the same.
            None => paths.push(parent),
        }
    }
    paths
}

/// Returns true if there is a file or folder at `path`. A `.git` folder does not count, because only a `.git` file is an
/// autorun file.
fn is_autorun_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !path.ends_with(GIT) || !found.is_dir())
}
