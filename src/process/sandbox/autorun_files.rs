//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox. A static list of
//! names directly in each root, and the git folder of each root.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::fs::follow::Followed;
use crate::fs::lines::first_bytes;
use crate::sys::{FileKind, Opened};
use cutline_core::notice::{FileChange, Names, Notice};

/// The git folder of a root, or a file that names it.
const GIT: &str = ".git";
/// The maximum number of bytes of a file that names another folder.
const MAX_LINK_BYTES: usize = 4096;

/// The autorun files and folders of agents and editors in a root, each with the page that describes it.
const NAMES: [(&str, &str); 33] = [
    (".mcp.json", "https://code.claude.com/docs/en/mcp"),
    (".claude/settings.json", "https://code.claude.com/docs/en/settings"),
    (".claude/settings.local.json", "https://code.claude.com/docs/en/settings"),
    (".cursor/mcp.json", "https://cursor.com/docs/context/mcp"),
    (".cursor/hooks.json", "https://cursor.com/docs/agent/hooks"),
    (".vscode/mcp.json", "https://code.visualstudio.com/docs/copilot/customization/mcp-servers"),
    (".vscode/tasks.json", "https://code.visualstudio.com/docs/debugtest/tasks"),
    (".vscode/settings.json", "https://code.visualstudio.com/docs/configure/settings"),
    (".vs/mcp.json", "https://learn.microsoft.com/visualstudio/ide/mcp-servers"),
    (".codex/config.toml", "https://developers.openai.com/codex/config-reference"),
    (".codex/hooks.json", "https://developers.openai.com/codex/hooks"),
    ("opencode.json", "https://opencode.ai/docs/config"),
    ("opencode.jsonc", "https://opencode.ai/docs/config"),
    (".opencode/opencode.json", "https://opencode.ai/docs/config"),
    (".opencode/opencode.jsonc", "https://opencode.ai/docs/config"),
    (".opencode/plugin", "https://opencode.ai/docs/plugins"),
    (".opencode/plugins", "https://opencode.ai/docs/plugins"),
    (".opencode/tool", "https://opencode.ai/docs/custom-tools"),
    (".opencode/tools", "https://opencode.ai/docs/custom-tools"),
    (".gemini/settings.json", "https://geminicli.com/docs/reference/configuration"),
    (".gemini/extensions", "https://geminicli.com/docs/extensions"),
    (".qwen/settings.json", "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings"),
    (".qwen/extensions", "https://qwenlm.github.io/qwen-code-docs/en/users/extension/introduction"),
    (".continue/mcpServers", "https://docs.continue.dev/customize/deep-dives/mcp"),
    (".clinerules/hooks", "https://docs.cline.bot/features/hooks"),
    (".github/hooks", "https://docs.github.com/copilot/concepts/agents/coding-agent/about-hooks"),
    (".zed/settings.json", "https://zed.dev/docs/configuring-zed"),
    (".roo/mcp.json", "https://docs.roocode.com/features/mcp/using-mcp-in-roo"),
    (".kilocode/mcp.json", "https://kilo.ai/docs/features/mcp/using-mcp-in-kilo-code"),
    (".kiro/settings/mcp.json", "https://kiro.dev/docs/mcp/configuration"),
    (".kiro/hooks", "https://kiro.dev/docs/hooks"),
    (".amazonq/mcp.json", "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html"),
    (".junie/mcp/mcp.json", "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html"),
];

/// What to search for autorun files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AutorunSearch {
    /// The folders that commands can write to, without links.
    pub(super) folders: Vec<PathBuf>,
    /// Further autorun files, as absolute paths: this binary and the files of clients.
    pub(super) paths: Vec<PathBuf>,
    /// The folders that the user made writable. A git folder that is one of them is not searched.
    pub(super) allowed: Vec<PathBuf>,
    /// True if mounts can make any file read-only. Otherwise, only git folders are read-only.
    pub(super) can_mount: bool,
}

/// An autorun file or folder, or a link on the way to one, which a command could replace.
#[derive(Debug)]
pub(super) struct AutorunFile {
    /// Its absolute path, which may contain links.
    path: PathBuf,
    /// Its path without links. `None` if it is missing.
    pub(super) existing: Option<PathBuf>,
    /// True if commands cannot write to an existing file.
    pub(super) is_read_only: bool,
    is_behind_link: bool,
    is_of_git: bool,
}

impl AutorunSearch {
    /// Returns the autorun files that are, or may be, in one of the folders.
    pub(super) fn find(&self) -> Vec<AutorunFile> {
        let mut found = Vec::new();
        for folder in &self.folders {
            for (name, _page) in NAMES {
                self.add(&mut found, folder.join(name), Followed::below(folder, name.as_ref()), false);
            }
            for (path, way) in read_only_git_folders(folder, &self.allowed) {
                self.add(&mut found, path, way, true);
            }
        }
        for path in &self.paths {
            self.add(&mut found, path.clone(), Followed::new(path), false);
        }
        found
    }

    /// Adds the file at `path`, to which `way` leads, and the links on this way, if they are in one of the folders.
    fn add(&self, found: &mut Vec<AutorunFile>, path: PathBuf, way: Followed, is_of_git: bool) {
        let is_inside =
            |path: &Path| self.folders.iter().any(|folder| path != folder && path.starts_with(folder));
        let links = way.entries.into_iter().filter(|entry| is_inside(entry) && entry.is_symlink());
        let links: Vec<PathBuf> = links.collect();
        let is_behind_link = !links.is_empty();
        found.extend(links.into_iter().map(|path| AutorunFile {
            existing: Some(path.clone()),
            path,
            is_read_only: false,
            is_behind_link,
            is_of_git,
        }));
        // A command can write to the target of a link that it created, in its temp folder.
        if is_inside(&way.end) || is_inside(&path) {
            let exists = way.end.symlink_metadata().is_ok_and(|found| !found.is_symlink());
            let existing = (exists && is_inside(&way.end)).then_some(way.end);
            let is_read_only = existing.is_some() && (self.can_mount || is_of_git);
            found.push(AutorunFile { path, existing, is_read_only, is_behind_link, is_of_git });
        }
    }

    /// Returns the existing autorun files, without links: those that commands cannot write to, and the others.
    pub(super) fn by_protection(&self) -> (BTreeSet<PathBuf>, BTreeSet<PathBuf>) {
        let (read_only, others): (Vec<_>, Vec<_>) =
            self.find().into_iter().partition(|file| file.is_read_only);
        let existing = |files: Vec<AutorunFile>| files.into_iter().filter_map(|file| file.existing).collect();
        (existing(read_only), existing(others))
    }

    /// Returns the autorun files with their current state.
    fn watched(&self) -> BTreeMap<PathBuf, WatchedFile> {
        let watched = |file: AutorunFile| {
            let state = FileState::of(&file.path, file.is_of_git);
            let is_protected = file.is_read_only && !file.is_behind_link;
            (file.path, WatchedFile { state, is_protected, is_of_git: file.is_of_git })
        };
        self.find().into_iter().map(watched).collect()
    }
}

/// Returns the git folders of `root` that are not in `allowed`: `.git`, the folder that a `.git` file names, and the common
/// folder of a linked work tree. Each has its path and the way to it. A folder in an allowed one is allowed too.
pub(super) fn read_only_git_folders(root: &Path, allowed: &[PathBuf]) -> Vec<(PathBuf, Followed)> {
    let git = (root.join(GIT), Followed::below(root, GIT.as_ref()));
    let named = named_folder(&git.1.end, "gitdir: ", root);
    let folder = named.as_ref().map_or(&git.1.end, |(_, way)| &way.end);
    let common = named_folder(&folder.join("commondir"), "", folder);
    let ways: Vec<(PathBuf, Followed)> = [Some(git), named, common].into_iter().flatten().collect();
    let lifted: Vec<PathBuf> =
        ways.iter().map(|(_, way)| way.end.clone()).filter(|end| allowed.contains(end)).collect();
    let is_lifted = |end: &Path| lifted.iter().any(|folder| end.starts_with(folder));
    ways.into_iter().filter(|(_, way)| !is_lifted(&way.end)).collect()
}

/// Returns the folder that the file at `path` names after `prefix`, relative to `base`, with the way to it.
fn named_folder(path: &Path, prefix: &str, base: &Path) -> Option<(PathBuf, Followed)> {
    let opened = Opened::without_links(path).ok().filter(|opened| opened.stat.kind == FileKind::File)?;
    let text = first_bytes(&opened.file().ok()?, MAX_LINK_BYTES).ok()?;
    let mut name = text.strip_prefix(prefix.as_bytes())?;
    while let [start @ .., b'\n' | b'\r'] = name {
        name = start;
    }
    let named = base.join(OsStr::from_bytes(name));
    let way = Followed::new(&named);
    Some((named, way))
}

/// The state of an existing autorun file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    inode: u64,
    /// The time of the last change, in seconds and nanoseconds. A process cannot set it, unlike the time of the last
    /// modification. `None` for a git folder, which changes with each commit.
    content: Option<(i64, i64)>,
}

impl FileState {
    fn of(path: &Path, is_of_git: bool) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        let is_compared = !(found.is_dir() && is_of_git);
        let content = is_compared.then(|| (found.ctime(), found.ctime_nsec()));
        Some(Self { inode: found.ino(), content })
    }
}

/// An autorun file, or a link on the way to one.
#[derive(Debug)]
struct WatchedFile {
    /// Its state at the last comparison. `None` if it was missing.
    state: Option<FileState>,
    /// True if commands cannot change it. Only a process outside the sandbox can.
    is_protected: bool,
    is_of_git: bool,
}

/// The state of the autorun files at the last comparison. Commands that run at the same time share it.
#[derive(Debug)]
pub(in crate::process) struct Watch {
    pub(super) search: AutorunSearch,
    known: Mutex<BTreeMap<PathBuf, WatchedFile>>,
    /// The changes between the last command and this one.
    since_last: Mutex<Vec<AutorunChange>>,
}

impl Watch {
    /// Reads the current state. `last` is the state at the end of the last command.
    pub(super) fn new(search: AutorunSearch, last: Option<&Self>) -> Self {
        let mut since_last = last.map(Self::changes).unwrap_or_default();
        for change in &mut since_last {
            change.is_since_last = true;
        }
        let known = Mutex::new(search.watched());
        Self { search, known, since_last: Mutex::new(since_last) }
    }

    /// Returns the files that were created or changed since the last call.
    pub(in crate::process) fn changes(&self) -> Vec<AutorunChange> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let change = |(path, before): (&PathBuf, &WatchedFile)| {
            let now = FileState::of(path, before.is_of_git)?;
            let is_changed = !before.is_protected && before.state.as_ref() != Some(&now);
            let is_new = before.state.is_none();
            is_changed.then(|| AutorunChange { path: path.clone(), is_new, is_since_last: false })
        };
        let since_last = std::mem::take(&mut *self.since_last.lock().unwrap_or_else(PoisonError::into_inner));
        let changes = since_last.into_iter().chain(known.iter().filter_map(change)).collect();
        let mut next = self.search.watched();
        for (path, file) in &mut next {
            // A file that exists only now is protected from the next command on.
            file.is_protected &= known.get(path).is_some_and(|before| before.is_protected);
        }
        *known = next;
        changes
    }
}

/// An autorun file that a command created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutorunChange {
    /// Its absolute path.
    pub path: PathBuf,
    /// True if it did not exist at the last comparison.
    pub is_new: bool,
    /// True if it happened between two commands: by a process that was left, or by others.
    pub is_since_last: bool,
}

impl AutorunChange {
    /// Returns the kind of the change.
    pub fn kind(&self) -> FileChange {
        if self.is_new { FileChange::Created } else { FileChange::Changed }
    }
}

/// Returns the notices about `changes`. `show` formats a path.
pub fn notices(changes: &[AutorunChange], show: impl Fn(&Path) -> String) -> impl Iterator<Item = Notice> {
    let notice = |(is_since_last, change)| {
        let mut names = Names::default();
        let is_of_notice =
            |file: &&AutorunChange| file.kind() == change && file.is_since_last == is_since_last;
        for file in changes.iter().filter(is_of_notice) {
            names.push(&show(&file.path));
        }
        (!names.is_empty()).then_some(Notice::AutorunFiles { change, is_since_last, names })
    };
    let [new, old] = [FileChange::Created, FileChange::Changed];
    [(true, new), (true, old), (false, new), (false, old)].map(notice).into_iter().flatten()
}
