//! Reading rule files: through the open folder they are in, never more than rules may take.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::Gitignore;

use super::{RuleFiles, cache};
use crate::limits::RULES_BYTES;
use crate::sys::{self, Folder, below};

/// Bytes of `.git` where it is a file, and of `commondir`.
const POINTER_BYTES: u64 = 8192;

/// Whether a folder is the top of a git repository.
pub(super) fn is_top(folder: &Path) -> bool {
    in_folder(folder).git
}

/// Which rule files stand in a folder that is not read as a whole.
pub(super) fn in_folder(folder: &Path) -> RuleFiles {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    RuleFiles { ignore: there(".ignore"), gitignore: there(".gitignore"), git: there(".git") }
}

/// The rules of a file in `folder`.
pub(super) fn rules(folder: &Folder, name: &str) -> Option<Arc<Gitignore>> {
    let mut content = content(folder, name, RULES_BYTES)?;
    if content.len() as u64 == RULES_BYTES {
        // The last line may be a part of one, and mean something else.
        content.truncate(memchr::memrchr(b'\n', &content).unwrap_or(0));
    }
    cache::compiled(&content)
}

/// The excludes of the repository whose top `folder` is.
///
/// In a worktree or a submodule `.git` is a file that says where the repository is, and what its
/// worktrees share is once more elsewhere (`commondir`).
pub(super) fn exclude(folder: &Folder) -> Option<Arc<Gitignore>> {
    if let Some(rules) = rules(folder, ".git/info/exclude") {
        return Some(rules);
    }
    let pointer = content(folder, ".git", POINTER_BYTES)?;
    let git = target(pointer.strip_prefix(b"gitdir:")?)?;
    let git = sys::folder_from(folder, &git).ok()?;
    let common = content(&git, "commondir", POINTER_BYTES).and_then(|content| target(&content));
    let common = common.unwrap_or_else(|| PathBuf::from("."));
    let common = sys::folder_from(&git, &common).ok()?;
    rules(&common, "info/exclude")
}

/// The path that a file of one line says.
fn target(content: &[u8]) -> Option<PathBuf> {
    let path = content.trim_ascii();
    (!path.is_empty() && !path.contains(&0)).then(|| PathBuf::from(sys::name(path).into_owned()))
}

fn content(folder: &Folder, name: &str, max_bytes: u64) -> Option<Vec<u8>> {
    let (file, _) = below::file(folder, name.as_bytes()).ok()??;
    let mut content = Vec::new();
    file.take(max_bytes).read_to_end(&mut content).ok()?;
    Some(content)
}
