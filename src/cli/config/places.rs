//! The locations of each client's entries: its files, and the keys in them.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::ValueEnum as _;

use crate::cli::values::word_of;
use crate::cli::{Client, ConfigScope};

/// The folder for settings of desktop programs.
const SETTINGS: &str =
    if cfg!(target_os = "macos") { "~/Library/Application Support" } else { "$XDG_CONFIG_HOME|~/.config" };
/// The name of this server's own file in a client's folder of server files.
const OWN_FILE: &str = "cutline.yaml";
/// Maximum number of files in a folder that are read.
const MAX_FILES: usize = 100;

/// A location where a client may have an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Place {
    /// The client.
    pub(in crate::cli) client: Client,
    /// The scope of its entries.
    pub(in crate::cli) scope: ConfigScope,
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// The path of keys to the table or list of servers.
    pub(in crate::cli) keys: Vec<String>,
}

impl fmt::Display for Place {
    /// Prints the path, and the project if only a part of the file applies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = if self.scope == ConfigScope::Local { " (this project)" } else { "" };
        write!(f, "{}{part}", self.path.display())
    }
}

/// Returns all locations where a client may have entries. If several have an entry of the same name, the client uses
/// the first.
pub(in crate::cli) fn places(client: Client) -> Vec<Place> {
    let row = client.row();
    let mut all = Vec::new();
    for (scope, paths) in row.files {
        let Some(path) = found(paths) else { continue };
        let paths = if path.ends_with("*") { yaml_files(&path.with_file_name("")) } else { vec![path] };
        let mut keys = vec![row.servers.to_owned()];
        if *scope == ConfigScope::Local {
            keys.splice(0..0, ["projects".to_owned(), project().to_string_lossy().into_owned()]);
        }
        all.extend(paths.into_iter().map(|path| Place { client, scope: *scope, path, keys: keys.clone() }));
    }
    all
}

/// Returns all clients' files with servers, of this user and of the current project.
pub(in crate::cli) fn all_files() -> impl Iterator<Item = PathBuf> {
    Client::value_variants().iter().flat_map(|client| places(*client)).map(|place| place.path)
}

/// Returns the first of the `paths`, separated by `|`, that can be resolved: `.` is the current folder, `~` the home
/// folder, `$NAME` the folder in a variable, `@` the folder for settings of desktop programs. A final `*` means all
/// YAML files in the folder.
pub(super) fn found(paths: &str) -> Option<PathBuf> {
    paths.split('|').find_map(|path| {
        let (start, rest) = path.split_once('/').unwrap_or((path, ""));
        let start = match start {
            "." => std::env::current_dir().unwrap_or_default(),
            "~" => std::env::home_dir()?,
            "@" => found(SETTINGS)?,
            name => {
                let named = PathBuf::from(std::env::var_os(name.trim_start_matches('$'))?);
                named.is_absolute().then_some(named)?
            }
        };
        Some(if rest.is_empty() { start } else { start.join(rest) })
    })
}

/// Returns the top folder of the current repository, or the current folder if it is in none.
fn project() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here).to_owned()
}

/// Returns the YAML files in a folder, sorted by name, without this server's own file.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FILES);
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_yaml).collect();
    files.retain(|file| !file.ends_with(OWN_FILE));
    files.sort();
    files
}

/// Returns the locations for a new entry, in this scope or in the client's default scope. If one file can have several
/// names, this is the existing one, or else the first. If a client consists of two programs, returns the file of each.
pub(in crate::cli) fn written(client: Client, scope: Option<ConfigScope>) -> anyhow::Result<Vec<Place>> {
    let row = client.row();
    let scope = scope.unwrap_or(row.scope);
    let mut scopes: Vec<ConfigScope> = row.files.iter().map(|(scope, _)| *scope).collect();
    scopes.dedup();
    if !scopes.contains(&scope) {
        let has: Vec<String> = scopes.iter().map(word_of).collect();
        bail!("{} has no {} scope; it has {}", row.name, word_of(&scope), has.join(", "));
    }
    let mut found = places(client);
    found.retain(|place| place.scope == scope);
    let there: Vec<Place> = found.iter().filter(|place| place.path.exists()).cloned().collect();
    match client {
        Client::Cline if !there.is_empty() => return Ok(there),
        Client::Opencode if !there.is_empty() => found = there,
        _ => {}
    }
    found.truncate(1);
    if found.is_empty() { Err(anyhow!("there is no home folder")) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::sandbox::autorun_files::NAMES;

    #[test]
    fn files_of_a_project_are_autorun_files() {
        let files = Client::value_variants().iter().flat_map(|client| client.row().files);
        let names: Vec<&str> = files.filter_map(|(_, paths)| paths.strip_prefix("./")).collect();
        assert!(!names.is_empty());
        for name in names {
            assert!(NAMES.iter().any(|known| Path::new(name).starts_with(known)), "{name}");
        }
    }
}
