//! The locations of each client's entries: its files, and the keys in them.

use std::fmt;
use std::path::PathBuf;

use anyhow::ensure;

use crate::fit::{CLIENTS, Client, Format, Scope};

/// The folder for settings of desktop programs.
const SETTINGS: &str =
    if cfg!(target_os = "macos") { "~/Library/Application Support" } else { "$XDG_CONFIG_HOME|~/.config" };
/// The name of this server's own file in a client's folder of server files.
const OWN_FILE: &str = "cutline.yaml";

/// A location where a client may have an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Place {
    /// The client.
    pub(in crate::cli) client: &'static Client,
    /// The scope of its entries.
    pub(in crate::cli) scope: Scope,
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// The path of keys to the table or list of servers.
    pub(in crate::cli) keys: Vec<String>,
}

impl Place {
    /// Returns the location of entries in `path`.
    pub(super) fn new(client: &'static Client, scope: Scope, path: PathBuf) -> Self {
        let mut keys = vec![client.files.servers.to_owned()];
        if scope == Scope::Local {
            keys.splice(0..0, ["projects".to_owned(), project().to_string_lossy().into_owned()]);
        }
        Self { client, scope, path, keys }
    }

    /// Returns the path of keys to the entry `name`. The list in cutline's own file has only one entry.
    pub(super) fn entry(&self, name: &str) -> Vec<String> {
        let name = (self.client.files.format != Format::Yaml).then(|| name.to_owned());
        self.keys.iter().cloned().chain(name).collect()
    }

    /// Returns true for a YAML file that has more than the entry of cutline.
    pub(in crate::cli) fn is_shared_yaml(&self) -> bool {
        self.client.files.format == Format::Yaml && !self.path.ends_with(OWN_FILE)
    }
}

impl fmt::Display for Place {
    /// Prints the path, and the project if only a part of the file applies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = if self.scope == Scope::Local { " (this project)" } else { "" };
        write!(f, "{}{part}", self.path.display())
    }
}

/// Returns the clients that `cutline config` supports.
pub(in crate::cli) fn clients() -> impl Iterator<Item = &'static Client> {
    CLIENTS.iter().filter(|client| !client.files.paths.is_empty())
}

/// Returns all locations where a client may have entries. If several have an entry of the same name, the client uses
/// the first.
pub(in crate::cli) fn places(client: &'static Client) -> Vec<Place> {
    let place = |(scope, paths): &(Scope, &str)| Some(Place::new(client, *scope, found(paths)?));
    client.files.paths.iter().filter_map(place).collect()
}

/// Returns all clients' files with servers, of this user and of the current project.
pub(in crate::cli) fn all_files() -> impl Iterator<Item = PathBuf> {
    clients().flat_map(places).map(|place| place.path)
}

/// Returns the first of the `paths`, separated by `|`, that can be resolved.
fn found(paths: &str) -> Option<PathBuf> {
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

/// Returns the locations for a new entry, in this scope or in the client's default scope. If one file can have several
/// names, this is the existing one, or else the first. If a client consists of two programs, returns the file of each.
pub(in crate::cli) fn written(client: &'static Client, scope: Option<Scope>) -> anyhow::Result<Vec<Place>> {
    let files = &client.files;
    let scope = scope.unwrap_or(files.scope);
    let mut scopes: Vec<String> = files.paths.iter().map(|(scope, _)| scope.to_string()).collect();
    scopes.dedup();
    let has = scopes.join(", ");
    ensure!(scopes.contains(&scope.to_string()), "{} has no {scope} scope; it has {has}", files.name);
    let (mut there, mut missing): (Vec<_>, Vec<_>) = places(client)
        .into_iter()
        .filter(|place| place.scope == scope)
        .partition(|place| place.path.exists());
    missing.truncate(1);
    if client.id != "cline" {
        there.truncate(1);
    }
    ensure!(!there.is_empty() || !missing.is_empty(), "there is no home folder");
    Ok(if there.is_empty() { missing } else { there })
}
