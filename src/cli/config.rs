//! `cutline config CLIENT`: the entry that adds this binary to a client, with the flags given.

use std::io::Write as _;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory as _};
use serde_json::{Value, json};

use super::{Cli, Client};

/// The flags whose values are paths: a client starts the server in a folder of its own.
const PATHS: [&str; 3] = ["roots", "spill_dir", "writable"];
/// The name under which a client lists the server.
const NAME: &str = env!("CARGO_PKG_NAME");

/// Prints the entry; the exit code.
pub(super) fn run(client: Client, matches: &ArgMatches) -> anyhow::Result<i32> {
    let binary = std::env::current_exe()?.to_string_lossy().into_owned();
    let given = matches.subcommand().map_or(matches, |(_, matches)| matches);
    let entry = entry(client, &binary, &flags(given)?)?;
    writeln!(std::io::stdout().lock(), "{entry}")?;
    let _closed = writeln!(std::io::stderr(), "This goes into {}", place(client));
    Ok(0)
}

/// The flags as they were typed, their paths made absolute.
fn flags(matches: &ArgMatches) -> anyhow::Result<Vec<String>> {
    let mut flags = Vec::new();
    for arg in Cli::command().get_arguments() {
        let id = arg.get_id().as_str();
        let typed = matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(name) = arg.get_long().filter(|_| typed) else { continue };
        let flag = format!("--{name}");
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            flags.push(flag);
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let value = if PATHS.contains(&id) {
                std::path::absolute(Path::new(value))?.to_string_lossy().into_owned()
            } else {
                value.to_string_lossy().into_owned()
            };
            flags.extend([flag.clone(), value]);
        }
    }
    Ok(flags)
}

fn entry(client: Client, binary: &str, flags: &[String]) -> serde_json::Result<String> {
    let servers = |server: Value| json!({ "mcpServers": { NAME: server } });
    let entry = match client {
        Client::ClaudeDesktop | Client::Cursor => servers(json!({ "command": binary, "args": flags })),
        Client::ClaudeCode => servers(json!({ "type": "stdio", "command": binary, "args": flags })),
        Client::Vscode => {
            json!({ "servers": { NAME: { "type": "stdio", "command": binary, "args": flags } } })
        }
        Client::Codex => return toml(binary, flags),
    };
    serde_json::to_string_pretty(&entry)
}

/// Strings and lists of strings are written alike in JSON and TOML.
fn toml(binary: &str, flags: &[String]) -> serde_json::Result<String> {
    let (command, args) = (serde_json::to_string(binary)?, serde_json::to_string(flags)?);
    Ok(format!("[mcp_servers.{NAME}]\ncommand = {command}\nargs = {args}"))
}

/// The file that a client reads it from.
fn place(client: Client) -> &'static str {
    match client {
        Client::ClaudeDesktop => "claude_desktop_config.json (Settings, Developer, Edit Config)",
        Client::ClaudeCode => ".mcp.json in the project's folder",
        Client::Cursor => ".cursor/mcp.json in the project's folder, or ~/.cursor/mcp.json",
        Client::Vscode => ".vscode/mcp.json in the project's folder",
        Client::Codex => "~/.codex/config.toml",
    }
}
