//! The files in which clients keep their servers: where they are, and how one is rewritten so that
//! nothing of it can be lost.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::cli::Client;

/// Bytes of a file that is read: no client's own comes near.
const MAX_BYTES: u64 = 16_000_000;

/// What became of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing: it said all of it already.
    AsItWas,
    /// There was none.
    New,
    /// It was rewritten.
    Changed {
        /// The file as it was.
        backup: PathBuf,
    },
}

/// The client's own file. Where a client has one for each project, that of the current folder.
pub(in crate::cli) fn place(client: Client) -> anyhow::Result<PathBuf> {
    let home = || std::env::home_dir().context("there is no home folder");
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let path = match client {
        Client::ClaudeDesktop => {
            let folder = if cfg!(target_os = "macos") {
                home()?.join("Library/Application Support")
            } else if cfg!(windows) {
                variable("APPDATA").context("APPDATA is not set")?
            } else {
                variable("XDG_CONFIG_HOME").map_or_else(|| Ok(home()?.join(".config")), anyhow::Ok)?
            };
            folder.join("Claude/claude_desktop_config.json")
        }
        Client::ClaudeCode => std::path::absolute(".mcp.json")?,
        Client::Cursor => std::path::absolute(".cursor/mcp.json")?,
        Client::Vscode => std::path::absolute(".vscode/mcp.json")?,
        Client::Codex => {
            variable("CODEX_HOME").map_or_else(|| Ok(home()?.join(".codex")), anyhow::Ok)?.join("config.toml")
        }
    };
    Ok(path)
}

/// Where a person finds that file.
pub(super) fn words(client: Client) -> &'static str {
    match client {
        Client::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
        Client::ClaudeCode => ".mcp.json in the project's folder",
        Client::Cursor => ".cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json",
        Client::Vscode => ".vscode/mcp.json in the project's folder",
        Client::Codex => "~/.codex/config.toml",
    }
}

/// Rewrites a text file as `change` says. It is replaced in one step, after a copy of it was made
/// beside it; a link to it stays a link. Where `change` refuses, nothing is touched.
pub(super) fn rewrite(
    path: &Path,
    change: impl FnOnce(&str) -> Result<String, String>,
) -> anyhow::Result<Written> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return create(path, change),
        other => other?,
    };
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        bail!("it is not a file of settings");
    }
    let path = path.canonicalize()?;
    let old = fs::read_to_string(&path)?;
    let new = change(&old).map_err(anyhow::Error::msg)?;
    if new == old {
        return Ok(Written::AsItWas);
    }
    let folder = path.parent().context("it has no folder")?;
    let backup = back_up(&path, &old, metadata.permissions())?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(new.as_bytes())?;
    file.as_file().set_permissions(metadata.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(Written::Changed { backup })
}

fn create(path: &Path, change: impl FnOnce(&str) -> Result<String, String>) -> anyhow::Result<Written> {
    let new = change("").map_err(anyhow::Error::msg)?;
    if path.is_symlink() {
        bail!("it is a link to nothing");
    }
    fs::create_dir_all(path.parent().context("it has no folder")?)?;
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(new.as_bytes())?;
    Ok(Written::New)
}

/// Copies the file to a name beside it that nothing has yet: `FILE.bak`, `FILE.bak2`, ….
fn back_up(path: &Path, text: &str, permissions: fs::Permissions) -> anyhow::Result<PathBuf> {
    for number in 1..1000 {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
        let backup = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&backup) {
            Ok(mut file) => {
                file.set_permissions(permissions)?;
                file.write_all(text.as_bytes())?;
                return Ok(backup);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!("there are a thousand copies of it already")
}
