//! The places of each client's entries: its files, and the keys in them.

use std::path::{Path, PathBuf};

use crate::cli::{Client, Scope};

/// The folder and file of Cline's servers, in either of its homes.
const CLINE_FILE: &str = "settings/cline_mcp_settings.json";

/// A place in which a client may have an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Place {
    /// The sessions in which it holds.
    pub(in crate::cli) scope: Scope,
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// The keys below which the servers are, one below the other.
    pub(in crate::cli) keys: Vec<String>,
}

/// The folders that clients go by.
struct Folders {
    here: PathBuf,
    home: Option<PathBuf>,
}

impl Folders {
    fn new() -> Self {
        Self { here: std::env::current_dir().unwrap_or_default(), home: std::env::home_dir() }
    }

    /// The folder that a variable names, else this one in the home folder.
    fn home_of(&self, variable: &str, or: &str) -> Option<PathBuf> {
        named(variable).or_else(|| Some(self.home.as_ref()?.join(or)))
    }

    /// The folder in which programs with windows keep their settings.
    fn settings(&self) -> Option<PathBuf> {
        if cfg!(target_os = "macos") {
            Some(self.home.as_ref()?.join("Library/Application Support"))
        } else if cfg!(windows) {
            named("APPDATA")
        } else {
            self.home_of("XDG_CONFIG_HOME", ".config")
        }
    }

    /// The folder of the repository in which this one is, else this one.
    fn project(&self) -> &Path {
        self.here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&self.here)
    }
}

/// The path that a variable holds, if it is one.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns all places where a client may have entries: of two with the same name, that of the first place holds.
pub(in crate::cli) fn places(client: Client) -> Vec<Place> {
    let folders = Folders::new();
    let servers = client.row().servers;
    let keyed = |scope, path: Option<PathBuf>, keys: &[&str]| {
        path.map(|path| Place { scope, path, keys: keys.iter().map(|&key| key.to_owned()).collect() })
    };
    let at = |scope, path: Option<PathBuf>| keyed(scope, path, &[servers]);
    let project = |file: &str| at(Scope::Project, Some(folders.here.join(file)));
    let user = |folder: Option<PathBuf>, file: &str| at(Scope::User, folder.map(|folder| folder.join(file)));
    let home = || folders.home.clone();
    let found = match client {
        Client::ClaudeDesktop => vec![user(folders.settings(), "Claude/claude_desktop_config.json")],
        Client::ClaudeCode => {
            let own = || named("CLAUDE_CONFIG_DIR").or_else(home).map(|folder| folder.join(".claude.json"));
            let folder = folders.project().to_string_lossy();
            vec![
                keyed(Scope::Local, own(), &["projects", &folder, servers]),
                project(".mcp.json"),
                at(Scope::User, own()),
            ]
        }
        Client::Cursor => vec![project(".cursor/mcp.json"), user(home(), ".cursor/mcp.json")],
        Client::Vscode => vec![project(".vscode/mcp.json"), user(folders.settings(), "Code/User/mcp.json")],
        Client::Codex => {
            vec![project(".codex/config.toml"), user(folders.home_of("CODEX_HOME", ".codex"), "config.toml")]
        }
        Client::Opencode => {
            let global =
                || folders.home_of("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("opencode"));
            let files =
                ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
            let globals = files[..2].iter().map(|file| user(global(), file));
            files.map(project).into_iter().chain(globals).collect()
        }
        Client::Gemini => vec![
            project(".gemini/settings.json"),
            user(named("GEMINI_CLI_HOME").or_else(home), ".gemini/settings.json"),
        ],
        Client::Qwen => {
            vec![project(".qwen/settings.json"), user(folders.home_of("QWEN_HOME", ".qwen"), "settings.json")]
        }
        Client::Cline => {
            let data = named("CLINE_DATA_DIR")
                .or_else(|| folders.home_of("CLINE_DIR", ".cline").map(|folder| folder.join("data")));
            let own = named("CLINE_MCP_SETTINGS_PATH").or_else(|| data.map(|data| data.join(CLINE_FILE)));
            let storage = format!("Code/User/globalStorage/saoudrizwan.claude-dev/{CLINE_FILE}");
            vec![at(Scope::User, own), user(folders.settings(), &storage)]
        }
        Client::Continue => {
            let own = || folders.home_of("CONTINUE_GLOBAL_DIR", ".continue");
            let blocks = |scope, folder: PathBuf| {
                let mut files = yaml_files(&folder);
                files.retain(|file| !file.ends_with(CONTINUE_FILE));
                files.into_iter().map(move |file| at(scope, Some(file)))
            };
            let mut all = vec![project(&format!("{CONTINUE_BLOCKS}/{CONTINUE_FILE}"))];
            all.extend(blocks(Scope::Project, folders.here.join(CONTINUE_BLOCKS)));
            all.push(user(own(), "config.yaml"));
            all.extend(own().into_iter().flat_map(|own| blocks(Scope::User, own.join("mcpServers"))));
            all
        }
    };
    found.into_iter().flatten().collect()
}

/// The folder in which Continue looks for files of servers, in a project.
const CONTINUE_BLOCKS: &str = ".continue/mcpServers";
/// The file of this server there.
const CONTINUE_FILE: &str = "cutline.yaml";
/// Files of a folder that are looked at: more than anybody has.
const MAX_FILES: usize = 100;

/// Returns the files of YAML in a folder, by their names.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FILES);
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_yaml).collect();
    files.sort();
    files
}

/// Returns the places that an entry is written to: of the scope, else of the first that the client has. Of several
/// files for one purpose it is the one that is there, else the first; where two programs are one client, each.
pub(in crate::cli) fn written(client: Client, scope: Option<Scope>) -> Result<Vec<Place>, String> {
    let row = client.row();
    let scopes: Vec<Scope> = row.files.iter().map(|(scope, _)| *scope).collect();
    let scope = scope.or(scopes.first().copied()).unwrap_or(Scope::User);
    if !scopes.contains(&scope) {
        let has: Vec<_> = scopes.into_iter().map(word).collect();
        return Err(format!("{} has no {} scope; it has {}", row.name, word(scope), has.join(", ")));
    }
    let mut found = places(client);
    found.retain(|place| place.scope == scope);
    let there: Vec<Place> = found.iter().filter(|place| place.path.exists()).cloned().collect();
    let first = || found.first().cloned().ok_or_else(|| "there is no home folder".to_owned());
    match client {
        Client::Cline if !there.is_empty() => Ok(there),
        Client::Opencode if !there.is_empty() => Ok(there.into_iter().take(1).collect()),
        _ => Ok(vec![first()?]),
    }
}

/// Returns a scope as its flag has it.
pub(in crate::cli) fn word(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::User => "user",
        Scope::Local => "local",
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;
    use crate::process::sandbox::STARTERS;

    #[test]
    fn sandboxed_commands_may_write_no_clients_file_of_a_project() {
        let here = std::env::current_dir().unwrap();
        let places = Client::value_variants().iter().flat_map(|client| places(*client));
        let files: Vec<PathBuf> =
            places.filter(|place| place.scope == Scope::Project).map(|place| place.path).collect();
        assert!(files.len() > 8, "{files:?}");
        for file in files {
            let name = file.strip_prefix(&here).unwrap();
            assert!(STARTERS.iter().any(|starter| name.starts_with(starter)), "{}", file.display());
        }
    }
}
