//! Reading rule files: through the open folder they are in, never more than rules may take.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::rule_file::ParsedRules;
use super::{GIT, RuleFilesPresent};
use crate::limits::{RULES_BYTES, RULES_IN_FORCE_BYTES};
use crate::sys::{self, Folder, below};

/// Bytes of `.git` where it is a file, of `commondir`, and of a file of git's settings.
const POINTER_BYTES: u64 = 65_536;

/// The content of a rule file.
pub(super) enum ReadResult {
    /// No rules, or there is no file.
    None,
    /// More than a file of rules may have.
    TooLarge,
    Some(ParsedRules),
}

impl ReadResult {
    fn of(content: &[u8]) -> Self {
        if content.len() as u64 > RULES_BYTES {
            return Self::TooLarge;
        }
        let rules = ParsedRules::new(content);
        if rules.is_empty() { Self::None } else { Self::Some(rules) }
    }

    /// Bytes that the rules count as.
    pub(super) fn cost(&self) -> usize {
        match self {
            Self::None => 0,
            Self::TooLarge => RULES_IN_FORCE_BYTES + 1,
            Self::Some(rules) => rules.cost(),
        }
    }

    /// The rules, where there are any.
    pub(super) fn rules(self) -> Option<ParsedRules> {
        match self {
            Self::Some(rules) => Some(rules),
            Self::None | Self::TooLarge => None,
        }
    }
}

/// The rule files in a folder that is not read as a whole.
pub(super) fn in_folder(folder: &Path) -> RuleFilesPresent {
    let there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    RuleFilesPresent { ignore: there(".ignore"), gitignore: there(".gitignore"), git: there(".git") }
}

/// The rules of a file in `folder`.
pub(super) fn rules(folder: &Folder, name: &str) -> ReadResult {
    content(folder, name.as_bytes(), RULES_BYTES + 1)
        .map_or(ReadResult::None, |content| ReadResult::of(&content))
}

/// The rules of git's global excludes file.
pub(super) fn global() -> Option<ParsedRules> {
    let mut content = Vec::new();
    File::open(global_path()?).ok()?.take(RULES_BYTES + 1).read_to_end(&mut content).ok()?;
    ReadResult::of(&content).rules()
}

/// The path of git's global excludes file: what its settings name, else the usual place.
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
        let mut content = Vec::new();
        File::open(path).ok()?.take(POINTER_BYTES).read_to_end(&mut content).ok()?;
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

/// The excludes of the repository whose top `folder` is.
///
/// In a worktree or a submodule `.git` is a file that says where the repository is, and what its
/// worktrees share is once more elsewhere (`commondir`).
pub(super) fn exclude(folder: &Folder) -> ReadResult {
    match rules(folder, ".git/info/exclude") {
        ReadResult::None => exclude_elsewhere(folder).unwrap_or(ReadResult::None),
        rules => rules,
    }
}

fn exclude_elsewhere(folder: &Folder) -> Option<ReadResult> {
    let pointer = content(folder, GIT, POINTER_BYTES)?;
    let git = target(pointer.strip_prefix(b"gitdir:")?)?;
    let git = sys::folder_from(folder, &git).ok()?;
    let common = content(&git, b"commondir", POINTER_BYTES).and_then(|content| target(&content));
    let common = common.unwrap_or_else(|| PathBuf::from("."));
    let common = sys::folder_from(&git, &common).ok()?;
    Some(rules(&common, "info/exclude"))
}

/// The path that a file of one line says.
fn target(content: &[u8]) -> Option<PathBuf> {
    let path = content.trim_ascii();
    (!path.is_empty() && !path.contains(&0)).then(|| PathBuf::from(sys::name(path).into_owned()))
}

fn content(folder: &Folder, name: &[u8], max_bytes: u64) -> Option<Vec<u8>> {
    let (file, _) = below::file(folder, name).ok()??;
    let mut content = Vec::new();
    file.take(max_bytes).read_to_end(&mut content).ok()?;
    Some(content)
}
