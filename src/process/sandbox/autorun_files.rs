//! Autorun files: files that make git, an editor or an agent start programs later, outside the sandbox. A static list
//! of names directly in each root, and the git folder of each root.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Mode, Sandbox};
use crate::fs::follow::Followed;
use crate::fs::lines::first_bytes;
use crate::fs::workspace::{Root, shown};
use crate::sys::{self, FileKind, Opened, is_absent};
use cutline_core::text::show;

/// The git folder of a root, or a file that names it.
const GIT: &str = ".git";
/// The maximum number of bytes of a file that names another folder.
const MAX_LINK_BYTES: usize = 4096;
/// The maximum number of entries of a folder that are compared.
pub(super) const MAX_ENTRIES: usize = 1000;
/// The maximum size of a folder whose entries are read. A folder keeps the space of entries that were removed, and
/// reading it takes long.
const MAX_FOLDER_BYTES: u64 = 1024 * 1024;

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
#[derive(Debug, Clone)]
pub(super) struct AutorunFile {
    /// Its absolute path, which may contain links.
    pub(super) path: PathBuf,
    /// Its path without links. `None` if it is missing.
    existing: Option<PathBuf>,
    pub(super) kind: Kind,
    /// True if a link in a writable folder leads to it.
    pub(super) is_behind_link: bool,
}

/// What of an autorun file is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A link on the way to another one.
    Link,
    /// A file that names a git folder, but only which folder the git folder is, because it changes with each commit.
    Git,
    /// A file or a folder, also behind a link, and the entries of the folder.
    Contents,
}

/// Existing autorun files, without links.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// Those that a command cannot write to, at least by this spelling of their names.
    pub(super) read_only: BTreeSet<PathBuf>,
    /// Those of them that a mount does not protect, so that a command gets no right to the folders around them.
    pub(super) refused: BTreeSet<PathBuf>,
    /// Those that a command can write to.
    pub(super) unprotected: BTreeSet<PathBuf>,
}

impl Sandbox {
    /// Returns the autorun files that are, or may be, in one of the folders that a command for `roots` can write to,
    /// and git folders also in its temp folder. Also returns the links in these folders on the way to one.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it is unknown whether a file exists, or which folder it names: a process of
    /// an earlier command can have removed the right to search its folder, or have a lease of the file.
    pub(super) fn find_autorun_files(&self, roots: &[Root]) -> io::Result<Vec<AutorunFile>> {
        let temp = &self.temp.path;
        let folders: Vec<&Path> = self.writable_with(roots).filter(|folder| folder != temp).collect();
        let is_inside =
            |path: &Path| folders.iter().any(|folder| path != *folder && path.starts_with(folder));
        let mut found = Vec::new();
        let mut add = |path: PathBuf, way: Followed, kind: Kind| -> io::Result<()> {
            let before = found.len();
            let links = way.entries.into_iter().filter(|entry| is_inside(entry) && entry.is_symlink());
            found.extend(links.map(|path| {
                let existing = Some(path.clone());
                AutorunFile { path, existing, kind: Kind::Link, is_behind_link: false }
            }));
            let is_behind_link = found.len() > before;
            if !way.is_certain && (is_behind_link || is_inside(&path) || kind == Kind::Git) {
                let error = io::Error::other("its links are too many or unclear, or lead through /proc");
                return Err(unknown(&path, &error));
            }
            // A command can link `.git` to a writable folder, also to its temp folder.
            let mut writable = folders.iter().copied().chain([temp.as_path()]);
            let is_writable = kind == Kind::Git && writable.any(|folder| way.end.starts_with(folder));
            let ends_inside = is_inside(&way.end) || is_writable;
            if ends_inside || is_inside(&path) {
                let exists = match way.end.symlink_metadata() {
                    Err(error) if !is_absent(&error) => return Err(unknown(&way.end, &error)),
                    found => found.is_ok_and(|found| !found.is_symlink()),
                };
                let existing = (exists && ends_inside).then_some(way.end);
                found.push(AutorunFile { path, existing, kind, is_behind_link });
            }
            Ok(())
        };
        for folder in &folders {
            for (name, _page) in NAMES {
                add(folder.join(name), Followed::below(folder, name.as_ref()), Kind::Contents)?;
            }
            for (path, way) in self.git_folders(folder, &folders)? {
                add(path, way, Kind::Git)?;
            }
        }
        for path in &self.autorun_files {
            add(path.clone(), Followed::new(path), Kind::Contents)?;
        }
        Ok(found)
    }

    /// Returns true if commands cannot write to the file, which exists.
    pub(super) fn is_read_only(&self, file: &AutorunFile) -> bool {
        let can_be = if file.kind == Kind::Contents { self.can_mount } else { file.kind == Kind::Git };
        can_be && file.existing.is_some()
    }

    /// Returns the existing autorun files, without links, by what a command for `roots` can do. Returns the error of the
    /// system if they are not known.
    pub(super) fn autorun_files_by_protection(&self, roots: &[Root]) -> io::Result<Protection> {
        let mut all = Protection::default();
        for file in self.find_autorun_files(roots)? {
            let is_read_only = self.is_read_only(&file);
            let Some(path) = file.existing else { continue };
            let ignores_case = has_other_spelling(&path);
            if is_read_only && file.kind == Kind::Git && (ignores_case || !self.can_mount) {
                all.refused.insert(path.clone());
            }
            if !is_read_only || file.kind != Kind::Git && ignores_case {
                all.unprotected.insert(path.clone());
            }
            all.read_only.extend(is_read_only.then_some(path));
        }
        Ok(all)
    }

    /// Returns the git folders of `root` that no `--writable` names: `.git`, the folder that a `.git` file names, and
    /// the common folder of a linked work tree. Each has its path and the way to it. A folder in a named one is omitted
    /// too. A path with a link in one of the `writable` folders, other than `.git` itself, names no git folder, because
    /// a command can have replaced what the user meant.
    fn git_folders(&self, root: &Path, writable: &[&Path]) -> io::Result<Vec<(PathBuf, Followed)>> {
        let (git, way) = (root.join(GIT), Followed::below(root, GIT.as_ref()));
        let named = named_folder(&way.end, "gitdir: ", root)?;
        let folder = named.as_ref().map_or(&way.end, |(_, way)| &way.end);
        let common = named_folder(&folder.join("commondir"), "", folder)?;
        // The entries at the start count, because a command can have replaced a link with a folder since then.
        let is_direct = |allowed: &&Root| {
            let entries = allowed.way.entries.iter().filter(|entry| !allowed.real.starts_with(entry));
            let is_inside = |entry: &Path| writable.iter().any(|at| entry != *at && entry.starts_with(at));
            !entries.filter(|entry| **entry != git).any(|entry| is_inside(entry))
        };
        let git = Some((git.clone(), way));
        let mut ways: Vec<(PathBuf, Followed)> = [git, named, common].into_iter().flatten().collect();
        for allowed in self.writable.iter().filter(is_direct) {
            if ways.iter().any(|(_, way)| way.end == allowed.real) {
                ways.retain(|(_, way)| !way.end.starts_with(&allowed.real));
            }
        }
        Ok(ways)
    }

    /// Returns the git folders of `roots` that are read-only, although commands can write to the roots. Omits a folder
    /// that is no git folder: a command can have named any.
    pub fn read_only_git_folders(&self, roots: &[Root]) -> Vec<PathBuf> {
        let roots = if self.mode == Mode::WorkspaceWrite { roots } else { &[] };
        let writable: Vec<&Path> = self.writable_with(roots).collect();
        let folders = roots.iter().flat_map(|root| self.git_folders(&root.real, &writable)).flatten();
        folders.map(|(_, way)| way.end).filter(|end| end.join("HEAD").exists()).collect()
    }
}

/// Returns at most [`MAX_ENTRIES`] + 1 entries of a folder, or `None` if it is over [`MAX_FOLDER_BYTES`].
pub(super) fn first_entries(folder: &Path) -> Option<Vec<DirEntry>> {
    let is_small = folder.metadata().map_or(true, |found| found.len() <= MAX_FOLDER_BYTES);
    is_small.then(|| folder.read_dir().into_iter().flatten().flatten().take(MAX_ENTRIES + 1).collect())
}

/// Returns true if another spelling of the name of `path` exists and may be the same file, because the file system may
/// ignore case. A mount may not cover the other spellings.
fn has_other_spelling(path: &Path) -> bool {
    let Some((folder, name)) = path.parent().zip(path.file_name()) else { return false };
    let upper = name.to_ascii_uppercase();
    let other = if upper == name { name.to_ascii_lowercase() } else { upper };
    if other == name || folder.join(other).symlink_metadata().is_err() {
        return false;
    }
    let Some(entries) = first_entries(folder) else { return true };
    let spellings = entries.iter().filter(|entry| entry.file_name().eq_ignore_ascii_case(name)).count();
    entries.len() > MAX_ENTRIES || spellings < 2
}

/// Returns the folder that the file at `path` names after `prefix`, relative to `base`, with the way to it.
fn named_folder(path: &Path, prefix: &str, base: &Path) -> io::Result<Option<(PathBuf, Followed)>> {
    let text = match Opened::without_links(path) {
        // A file in `/proc` has no size, and reading it can take long.
        Ok(opened) if opened.stat.kind == FileKind::File && opened.stat.bytes > 0 => {
            opened.file().and_then(|file| first_bytes(&file, MAX_LINK_BYTES + 1))
        }
        Ok(_) => return Ok(None),
        // A link here is one that leads nowhere.
        Err(error) if sys::is_gone(&error) => return Ok(None),
        Err(error) => Err(error),
    };
    let text = text.map_err(|error| unknown(path, &error))?;
    if text.len() > MAX_LINK_BYTES {
        return Err(unknown(path, &io::ErrorKind::FileTooLarge.into()));
    }
    let Some(mut name) = text.strip_prefix(prefix.as_bytes()) else { return Ok(None) };
    while let [start @ .., b'\n' | b'\r'] = name {
        name = start;
    }
    // After the newlines, as in git.
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    // Without a `.` or a `/` at the end, which another spelling of the path would be.
    let named: PathBuf = base.join(OsStr::from_bytes(name)).components().collect();
    let way = Followed::new(&named);
    Ok(Some((named, way)))
}

/// Returns the error for an autorun file whose state cannot be read.
fn unknown(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("--sandbox: cannot check {}: {error}", show::name(shown(path))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{CLIENTS, Scope};

    #[test]
    fn files_of_clients_in_a_project_are_autorun_files() {
        let paths = CLIENTS.iter().flat_map(|client| client.files.paths);
        let mut in_project = paths.filter(|(scope, _)| *scope == Scope::Project).peekable();
        assert!(in_project.peek().is_some());
        for (_, path) in in_project {
            let path = Path::new(path.strip_prefix("./").unwrap_or(path));
            assert!(NAMES.iter().any(|(name, _)| path.starts_with(name)), "{}", path.display());
        }
    }

    #[test]
    fn entries_that_are_read_for_other_spellings_have_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, "").unwrap();
        // On a file system that ignores case, this is the same file.
        std::fs::write(folder.path().join("MCP.JSON"), "").unwrap();
        let ignores_case = std::fs::read_dir(folder.path()).unwrap().count() == 1;
        assert_eq!(has_other_spelling(&path), ignores_case);
        for n in 0..MAX_ENTRIES {
            std::fs::write(folder.path().join(n.to_string()), "").unwrap();
        }
        assert!(has_other_spelling(&path));
        assert!(!has_other_spelling(&folder.path().join("7")));
    }

    #[test]
    fn entries_of_a_folder_that_was_large_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = || (0..5000).map(|n| folder.path().join(format!("{n:0250}")));
        files().for_each(|path| std::fs::write(path, "").unwrap());
        files().for_each(|path| std::fs::remove_file(path).unwrap());
        // Some file systems free the space.
        let is_large = folder.path().metadata().unwrap().len() > MAX_FOLDER_BYTES;
        assert_eq!(first_entries(folder.path()).is_none(), is_large);
        assert!(first_entries(&folder.path().join("absent")).unwrap().is_empty());
    }

    #[test]
    fn folder_is_named_as_in_git() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let file = base.join("file");
        for (text, name) in [
            ("gitdir: g\r\n\n", Some("g")),
            ("gitdir: g\0x\n", Some("g")),
            ("gitdir: g\n\0x", Some("g\n")),
            ("gitdir: ./g/./\n", Some("g")),
            ("gitdir g\n", None),
        ] {
            std::fs::write(&file, text).unwrap();
            let named = named_folder(&file, "gitdir: ", &base).unwrap();
            assert_eq!(named.map(|(path, _)| path), name.map(|name| base.join(name)), "{text:?}");
        }
        std::fs::write(&file, "gitdir: ".to_owned() + &"./".repeat(MAX_LINK_BYTES)).unwrap();
        assert!(named_folder(&file, "gitdir: ", &base).is_err());
        assert!(named_folder(&base, "gitdir: ", &base).unwrap().is_none());
        assert!(named_folder(&base.join("none"), "gitdir: ", &base).unwrap().is_none());
    }
}
