//! Reads rule files through the open folder that contains them, up to the limit on rules.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::RuleFilesPresent;
use super::rule_file::ParsedRules;
use crate::limits::RULES_BYTES;
use crate::sys::{self, FileKind, Folder, Opened, below};

/// Maximum bytes of a `.git` file, of `commondir`, and of a settings file of git.
const POINTER_BYTES: u64 = 65_536;

/// Checks which rule files exist in a folder that is not listed.
pub(super) fn in_folder(folder: &Path) -> RuleFilesPresent {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    RuleFilesPresent { ignore: there(".ignore"), gitignore: there(".gitignore"), git: there(".git") }
}

/// Returns the rules of a file in `folder`, or `None` if it has none or does not exist.
pub(super) fn rules(folder: &Folder, name: &str) -> Option<ParsedRules> {
    // One byte more than the limit shows that the file is too large.
    ParsedRules::new(&content(folder, name, RULES_BYTES + 1)?)
}

/// Returns the rules of git's global excludes file.
pub(super) fn global() -> Option<ParsedRules> {
    ParsedRules::new(&content_at(&global_path()?, RULES_BYTES + 1)?)
}

/// Returns the path of git's global excludes file: the configured one, or the default.
fn global_path() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let in_config = |name: &str| Some(config.as_ref()?.join(name));
    let settings = [
        variable("GIT_CONFIG_GLOBAL"),
        home.as_ref().map(|home| home.join(".gitconfig")),
        in_config("git/config"),
        variable("GIT_CONFIG_SYSTEM").or_else(|| Some("/etc/gitconfig".into())),
    ];
    let named = settings.into_iter().flatten().find_map(|path| {
        let content = content_at(&path, POINTER_BYTES)?;
        let content = String::from_utf8_lossy(&content);
        let value = |line: &str| {
            let (key, value) = line.split_once('=')?;
            key.trim().eq_ignore_ascii_case("excludesfile").then(|| value.trim().trim_matches('"').to_owned())
        };
        content.lines().rev().find_map(value)
    });
    match named.as_deref().map(|named| (named, named.strip_prefix("~/"))) {
        Some((_, Some(in_home))) => Some(home?.join(in_home)),
        Some((named, None)) => Some(named.into()),
        None => in_config("git/ignore"),
    }
}

/// Returns the excludes of the repository with the top folder `folder`.
///
/// In a worktree or a submodule, `.git` is a file with the path of the repository. The files that all worktrees share
/// are in another folder, and `commondir` has its path.
pub(super) fn exclude(folder: &Folder) -> Option<ParsedRules> {
    rules(folder, ".git/info/exclude").or_else(|| {
        let pointer = content(folder, ".git", POINTER_BYTES)?;
        let git = sys::folder_from(folder, &target(pointer.strip_prefix(b"gitdir:")?)?).ok()?;
        let common = content(&git, "commondir", POINTER_BYTES).and_then(|content| target(&content));
        let common = sys::folder_from(&git, &common.unwrap_or_else(|| ".".into())).ok()?;
        rules(&common, "info/exclude")
    })
}

/// Parses the path in a file with one line.
fn target(content: &[u8]) -> Option<PathBuf> {
    let path = content.trim_ascii();
    (!path.is_empty() && !path.contains(&0)).then(|| PathBuf::from(sys::name(path).into_owned()))
}

/// Returns the first bytes of a file. Follows links. Does not block if the file is a pipe.
fn content_at(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let opened = Opened::through_links(path).ok().filter(|opened| opened.stat.kind == FileKind::File)?;
    first_bytes(opened.file().ok()?, max_bytes)
}

fn content(folder: &Folder, name: &str, max_bytes: u64) -> Option<Vec<u8>> {
    let (file, _) = below::file(folder, name.as_bytes()).ok()??;
    first_bytes(file, max_bytes)
}

fn first_bytes(file: File, max_bytes: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    file.take(max_bytes).read_to_end(&mut content).ok()?;
    Some(content)
}
