//! Reads rule files through the open folder that contains them, up to the limit on rules.

use std::path::{Path, PathBuf};

use super::{RuleFilesPresent, with_slash};
use crate::fs::lines::first_bytes;
use crate::fs::workspace::lexical;
use crate::limits::RULES_BYTES;
use crate::sys::{self, FileKind, Folder, Opened, below};

/// Bytes that are read of a file. One byte more than the limit shows that a rule file is too large.
const READ_BYTES: usize = RULES_BYTES + 1;

/// Checks which rule files exist in a folder that is not listed.
pub(super) fn in_folder(folder: &Path) -> RuleFilesPresent {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    RuleFilesPresent { ignore: there(".ignore"), gitignore: there(".gitignore"), git: there(".git") }
}

/// Returns the content of a file in `folder`, or `None` if it does not exist.
pub(super) fn content(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let (file, _) = below::file(folder, name.as_bytes()).ok()??;
    first_bytes(&file, READ_BYTES).ok()
}

/// Returns the content of git's global excludes file.
pub(super) fn global() -> Option<Vec<u8>> {
    if git_configs().iter().any(|path| path.metadata().is_ok_and(|stat| !stat.is_file())) {
        return None;
    }
    let path = ignore::gitignore::gitconfig_excludes_path()?;
    // Does not block if the file is a pipe.
    let opened = Opened::through_links(&path).ok().filter(|opened| opened.stat.kind == FileKind::File)?;
    first_bytes(&opened.file().ok()?, READ_BYTES).ok()
}

/// Returns the paths of the user's git configurations, which the crate `ignore` reads. It would wait for a pipe.
fn git_configs() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(home.clone()?.join(".config")));
    let paths = [home.map(|home| home.join(".gitconfig")), config.map(|config| config.join("git/config"))];
    paths.into_iter().flatten().collect()
}

/// Returns the excludes of the repository with the top folder `folder`.
///
/// In a linked work tree or a submodule, `.git` is a file with the path of the repository. The files that all work
/// trees share are in another folder, and `commondir` has its path.
pub(super) fn exclude(folder: &Folder) -> Option<Vec<u8>> {
    content(folder, ".git/info/exclude").or_else(|| {
        let git = sys::folder_from(folder, &git_folder(folder)?).ok()?;
        let common = content(&git, "commondir").and_then(|content| target(&content));
        let common = sys::folder_from(&git, &common.unwrap_or_else(|| ".".into())).ok()?;
        content(&common, "info/exclude")
    })
}

/// Returns the path of the main work tree, with a `/` at the end, if `folder` is a linked work tree of a repository.
/// `path` is the path of the folder.
pub(super) fn main_work_tree(folder: &Folder, path: &[u8]) -> Option<Vec<u8>> {
    let git = lexical(&Path::new(&*sys::name(path)).join(git_folder(folder)?));
    let worktrees = git.parent().filter(|parent| parent.ends_with(".git/worktrees"))?;
    worktrees.parent()?.parent().map(with_slash)
}

/// Returns the path in a `.git` file.
fn git_folder(folder: &Folder) -> Option<PathBuf> {
    target(content(folder, ".git")?.strip_prefix(b"gitdir:")?)
}

/// Parses the path in a file with one line.
fn target(content: &[u8]) -> Option<PathBuf> {
    let path = content.trim_ascii();
    (!path.is_empty() && !path.contains(&0)).then(|| PathBuf::from(sys::name(path).into_owned()))
}
