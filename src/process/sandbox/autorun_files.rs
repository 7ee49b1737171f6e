//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox. A static list of
//! names directly in each root, and the git folder of each root.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Mode, Sandbox};
use crate::fs::follow::Followed;
use crate::fs::lines::first_bytes;
use crate::fs::workspace::Root;
use crate::process::Commands;
use crate::sys::{FileKind, Opened};
use cutline_core::notice::{FileChange, Names, Notice};

/// The git folder of a root, or a file that names it.
const GIT: &str = ".git";
/// The maximum number of bytes of a file that names another folder.
const MAX_LINK_BYTES: usize = 4096;
/// The maximum number of entries of a folder that are compared.
const MAX_ENTRIES: usize = 1000;

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

/// An autorun file or folder, or a link on the way to one, which a command could replace.
#[derive(Debug)]
struct AutorunFile {
    /// Its absolute path, which may contain links.
    path: PathBuf,
    /// Its path without links. `None` if it is missing.
    existing: Option<PathBuf>,
    /// True if commands cannot write to an existing file.
    is_read_only: bool,
    /// True if commands cannot change it: it is read-only, and no link leads to it.
    is_protected: bool,
    kind: Kind,
    /// Its state now. `None` if it is missing.
    state: Option<FileState>,
}

/// What of an autorun file is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only which folder a git folder is, because it changes with each commit.
    Git,
    /// A link on the way to another one.
    Link,
    /// A file, also behind a link, or a folder with its entries.
    Contents,
}

impl Sandbox {
    /// Returns the autorun files that are, or may be, in one of the folders that a command for `roots` can write to, and
    /// git folders also in its temp folder. Also returns the links in these folders on the way to one.
    fn find_autorun_files(&self, roots: &[Root]) -> Vec<AutorunFile> {
        let temp = &self.temp.folder.path;
        let folders: Vec<&Path> = self.writable_with(roots).filter(|folder| folder != temp).collect();
        let is_inside =
            |path: &Path| folders.iter().any(|folder| path != *folder && path.starts_with(folder));
        let mut found = Vec::new();
        let mut add = |path: PathBuf, way: Followed, kind: Kind| {
            let file = |path: PathBuf, kind, existing, is_read_only, is_protected| {
                let state = state_of(&path, kind);
                AutorunFile { path, existing, is_read_only, is_protected, kind, state }
            };
            let before = found.len();
            let links = way.entries.into_iter().filter(|entry| is_inside(entry) && entry.is_symlink());
            found.extend(links.map(|link| file(link.clone(), Kind::Link, Some(link), false, false)));
            let is_behind_link = found.len() > before;
            // A command can write to the target of a link that it created, in its temp folder.
            let ends_inside = is_inside(&way.end) || kind == Kind::Git && way.end.starts_with(temp);
            if ends_inside || is_inside(&path) {
                let exists = way.end.symlink_metadata().is_ok_and(|found| !found.is_symlink());
                let existing = (exists && ends_inside).then_some(way.end);
                let is_read_only = existing.is_some() && (self.can_mount || kind == Kind::Git);
                found.push(file(path, kind, existing, is_read_only, is_read_only && !is_behind_link));
            }
        };
        for folder in &folders {
            for (name, _page) in NAMES {
                add(folder.join(name), Followed::below(folder, name.as_ref()), Kind::Contents);
            }
            for (path, way) in self.git_folders(folder) {
                add(path, way, Kind::Git);
            }
        }
        for path in &self.autorun_files {
            add(path.clone(), Followed::new(path), Kind::Contents);
        }
        found
    }

    /// Returns the existing autorun files, without links: those that a command for `roots` cannot write to, and the
    /// others.
    pub(super) fn autorun_files_by_protection(
        &self,
        roots: &[Root],
    ) -> (BTreeSet<PathBuf>, BTreeSet<PathBuf>) {
        let (read_only, others): (Vec<_>, Vec<_>) =
            self.find_autorun_files(roots).into_iter().partition(|file| file.is_read_only);
        let existing = |files: Vec<AutorunFile>| files.into_iter().filter_map(|file| file.existing).collect();
        (existing(read_only), existing(others))
    }

    /// Returns the git folders of `root` that no `--writable` names: `.git`, the folder that a `.git` file names, and the
    /// common folder of a linked work tree. Each has its path and the way to it. A folder in a named one is omitted too.
    fn git_folders(&self, root: &Path) -> Vec<(PathBuf, Followed)> {
        let git = (root.join(GIT), Followed::below(root, GIT.as_ref()));
        let named = named_folder(&git.1.end, "gitdir: ", root);
        let folder = named.as_ref().map_or(&git.1.end, |(_, way)| &way.end);
        let common = named_folder(&folder.join("commondir"), "", folder);
        let mut ways: Vec<(PathBuf, Followed)> = [Some(git), named, common].into_iter().flatten().collect();
        for allowed in &self.writable {
            if ways.iter().any(|(_, way)| way.end == allowed.real) {
                ways.retain(|(_, way)| !way.end.starts_with(&allowed.real));
            }
        }
        ways
    }

    /// Returns the git folders of `roots` that are read-only, although commands can write to the roots.
    pub fn read_only_git_folders(&self, roots: &[Root]) -> Vec<PathBuf> {
        let roots = if self.mode == Mode::WorkspaceWrite { roots } else { &[] };
        let folders = roots.iter().flat_map(|root| self.git_folders(&root.real));
        folders.map(|(_, way)| way.end).filter(|end| end.is_dir()).collect()
    }
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

/// The inode of an existing autorun file, and the time of its last change in seconds and nanoseconds: the latest of the
/// file, the target of a link, and the entries of a folder. A process cannot set this time, unlike that of the last
/// modification. It is `None` for a git folder.
type FileState = (u64, Option<(i64, i64)>);

fn state_of(path: &Path, kind: Kind) -> Option<FileState> {
    let found = path.symlink_metadata().ok()?;
    let inode = found.ino();
    let time = |of: &Metadata| (of.ctime(), of.ctime_nsec());
    let time = match kind {
        Kind::Git if found.is_dir() => None,
        Kind::Git | Kind::Link => Some(time(&found)),
        Kind::Contents => {
            let entries = path.read_dir().into_iter().flatten().flatten().take(MAX_ENTRIES);
            let entries = entries.filter_map(|entry| entry.path().metadata().ok());
            entries.chain(path.metadata()).chain([found]).map(|found| time(&found)).max()
        }
    };
    Some((inode, time))
}

/// The state of the autorun files at the last comparison. Commands that run at the same time share it.
#[derive(Debug)]
pub(in crate::process) struct Watch {
    sandbox: Arc<Sandbox>,
    roots: Vec<Root>,
    known: Mutex<BTreeMap<PathBuf, AutorunFile>>,
}

impl Commands {
    /// Returns the known state of the autorun files for a command for `roots`. While processes of other commands with the
    /// same roots remain, they share it: it is the state at their last comparison, or at first before they started.
    /// Otherwise, also returns the changes since the end of the last command. Returns `None` without a sandbox.
    pub(in crate::process) fn watch(&self, roots: &[Root]) -> (Option<Arc<Watch>>, Vec<AutorunChange>) {
        let Some(sandbox) = &self.sandbox else { return (None, Vec::new()) };
        let mut shared = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let last = shared.take().filter(|last| last.roots == roots);
        let (watch, changes) = match last {
            Some(last) if !self.registry.is_idle() => (last, Vec::new()),
            last => {
                let changes = last.iter().flat_map(|last| last.changes());
                let changes = changes.map(|change| AutorunChange { is_since_last: true, ..change }).collect();
                (Arc::new(Watch::new(sandbox, roots)), changes)
            }
        };
        (Some(Arc::clone(shared.insert(watch))), changes)
    }
}

impl Watch {
    /// Reads the current state.
    fn new(sandbox: &Arc<Sandbox>, roots: &[Root]) -> Self {
        let watch = Self { sandbox: Arc::clone(sandbox), roots: roots.to_vec(), known: Mutex::default() };
        Self { known: Mutex::new(watch.now()), ..watch }
    }

    /// Returns the autorun files in their current state, by their paths.
    fn now(&self) -> BTreeMap<PathBuf, AutorunFile> {
        let files = self.sandbox.find_autorun_files(&self.roots);
        files.into_iter().map(|file| (file.path.clone(), file)).collect()
    }

    /// Returns the files that were created or changed since the last call.
    pub(in crate::process) fn changes(&self) -> Vec<AutorunChange> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let change = |(path, before): (&PathBuf, &AutorunFile)| {
            let now = state_of(path, before.kind)?;
            let change = if before.state.is_none() { FileChange::Created } else { FileChange::Changed };
            // A command cannot change a protected file, but a process that was left, another name of it, or the user can.
            let is_since_last = before.is_protected;
            (before.state != Some(now)).then(|| AutorunChange { path: path.clone(), change, is_since_last })
        };
        let changes = known.iter().filter_map(change).collect();
        *known = self.now();
        changes
    }
}

/// An autorun file that was created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutorunChange {
    /// Its absolute path.
    pub path: PathBuf,
    /// Created if it did not exist at the last comparison.
    pub change: FileChange,
    /// True if it happened between two commands, or if the file was protected: by a process that was left, or by others.
    pub is_since_last: bool,
}

/// Returns the notices about `changes`. `show` formats a path.
pub fn notices(changes: &[AutorunChange], show: impl Fn(&Path) -> String) -> impl Iterator<Item = Notice> {
    let notice = |(is_since_last, change)| {
        let mut names = Names::default();
        for file in changes.iter().filter(|file| (file.is_since_last, file.change) == (is_since_last, change))
        {
            names.push(&show(&file.path));
        }
        (!names.is_empty()).then_some(Notice::AutorunFiles { change, is_since_last, names })
    };
    let [new, old] = [FileChange::Created, FileChange::Changed];
    [(true, new), (true, old), (false, new), (false, old)].map(notice).into_iter().flatten()
}
