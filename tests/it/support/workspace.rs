//! A temporary folder for one test, with files from recipes.
//!
//! `root` is the workspace. Its parent `base` also has the home folder, the saved outputs and files outside the workspace.
//! Dropping the value removes all files and ends all processes that still run in them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{CWD, FileType, Mode};
use rustix::process::{Pid, Signal};
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::recipe::{content, numbered, range};

/// A folder for one test.
#[derive(Debug)]
pub(crate) struct Workspace {
    base: TempDir,
    root: PathBuf,
}

impl Workspace {
    /// Creates an empty workspace.
    pub(crate) fn new() -> Self {
        let base = tempfile::Builder::new().prefix("cutline-it-").tempdir().expect("a temporary folder");
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
        let real = base.path().canonicalize().expect("its real path");
        for name in ["root", "home", "saved"] {
            fs::create_dir(real.join(name)).expect("a folder in it");
        }
        // A client that is not root writes its saved outputs here too.
        fs::set_permissions(real.join("saved"), fs::Permissions::from_mode(0o777)).expect("its mode");
        Self { root: real.join("root"), base }
    }

    /// Creates a workspace with the files of `recipes`, a map from paths to contents.
    pub(crate) fn with(recipes: &Value) -> Self {
        let workspace = Self::new();
        workspace.fill(recipes.as_object().expect("files by path"));
        workspace
    }

    /// Returns the path of the workspace, without links.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the parent of the workspace.
    pub(crate) fn base(&self) -> &Path {
        self.root.parent().expect("the root is inside the base")
    }

    /// Returns the home folder of the server.
    pub(crate) fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    /// Returns the folder of saved outputs.
    pub(crate) fn saved_dir(&self) -> PathBuf {
        self.base().join("saved")
    }

    /// Returns the paths of the saved outputs.
    pub(crate) fn saved(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.saved_dir()).expect("the folder of saved outputs");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let is_saved = |path: &PathBuf| {
            path.extension().is_some_and(|extension| extension == "log" || extension == "txt")
        };
        paths.filter(is_saved).collect()
    }

    /// Returns the path of a file in the workspace.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file and creates its parent folders.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folders");
        fs::write(path, bytes).expect("writing a file");
    }

    /// Returns the processes that run in this folder, except `server`.
    pub(crate) fn processes(&self, server: u32) -> Vec<i32> {
        let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
        let ids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let here = |id: &i32| {
            let folder = fs::read_link(format!("/proc/{id}/cwd"));
            folder.is_ok_and(|folder| folder.starts_with(self.base()))
        };
        ids.filter(|id| u32::try_from(*id) != Ok(server)).filter(here).collect()
    }

    fn fill(&self, recipes: &Map<String, Value>) {
        for (path, recipe) in recipes {
            match recipe.get("each") {
                None => self.put(path, recipe),
                Some(numbers) => {
                    let (first, last) = range(numbers);
                    (first..=last).for_each(|n| self.put(&numbered(path, n), &recipe["content"]));
                }
            }
        }
        // Set modes and times last, because they would affect later changes.
        for (path, recipe) in recipes.iter().rev() {
            let path = self.path(path);
            if let Some(seconds) = recipe.get("mtime").and_then(Value::as_u64) {
                let time = UNIX_EPOCH + Duration::from_secs(seconds);
                fs::File::open(&path).and_then(|file| file.set_modified(time)).expect("its time");
            }
            if let Some(mode) = recipe.get("mode").and_then(Value::as_str) {
                let mode = u32::from_str_radix(mode, 8).expect("an octal mode");
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
            }
        }
    }

    fn put(&self, path: &str, recipe: &Value) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folders");
        if recipe.get("dir").is_some() {
            fs::create_dir_all(path).expect("a folder");
        } else if let Some(target) = recipe.get("symlink").and_then(Value::as_str) {
            symlink(self.expand(target), path).expect("a link");
        } else if recipe.get("fifo").is_some() {
            rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a fifo");
        } else {
            fs::write(path, content(recipe.get("content").unwrap_or(recipe))).expect("writing a file");
        }
    }

    /// Replaces `<root>` and `<base>` in `text` with their paths.
    pub(crate) fn expand(&self, text: &str) -> String {
        let name = |path: &Path| path.to_str().expect("the path of a temporary folder is UTF-8").to_owned();
        text.replace("<root>", &name(&self.root)).replace("<base>", &name(self.base()))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        for id in self.processes(std::process::id()) {
            if let Some(pid) = Pid::from_raw(id) {
                let _gone_already = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
        unlock(self.base.path());
    }
}

/// Restores write permission in folders, so that they can be removed.
fn unlock(folder: &Path) {
    let Ok(metadata) = folder.symlink_metadata() else { return };
    if !metadata.is_dir() {
        return;
    }
    if metadata.permissions().mode() & 0o700 != 0o700 {
        let _removal_may_fail_later = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}
