//! The entry of this server in a client's file: its fields, their place, and their reading.

use serde_json::{Value, json};

use crate::cli::Client;

/// The entry for one client.
#[derive(Debug)]
pub(super) struct Entry {
    /// The object or table that holds all servers.
    pub(super) servers: &'static str,
    /// Its fields, in the order in which they are written: strings, and lists of strings.
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl Entry {
    /// The entry that has `client` start `binary` with `flags`.
    pub(super) fn new(client: Client, binary: String, flags: Vec<String>) -> Self {
        let mut fields = vec![("command", Value::from(binary)), ("args", Value::from(flags))];
        if matches!(client, Client::ClaudeCode | Client::Vscode) {
            fields.insert(0, ("type", json!("stdio")));
        }
        Self { servers: servers(client), fields }
    }
}

/// The way in which a client's file has this server started.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Start {
    /// The program: a path, or a name on PATH.
    pub(in crate::cli) command: String,
    /// Its arguments.
    pub(in crate::cli) args: Vec<String>,
    /// The variables that are set for it.
    pub(in crate::cli) env: Vec<(String, String)>,
    /// The folder that it is started in, where the entry says so.
    pub(in crate::cli) folder: Option<String>,
}

impl Start {
    /// Returns the program and its arguments of an entry, if it starts one.
    pub(super) fn of(entry: &Value) -> Result<Option<Self>, String> {
        let field = |name| entry.get(name).filter(|field| !field.is_null());
        let text = |name| field(name).and_then(Value::as_str).map(str::to_owned);
        let Some(command) = text("command") else { return Ok(None) };
        let args = field("args").map(|args| args.as_array().and_then(|all| all.iter().map(words).collect()));
        let args =
            args.unwrap_or_else(|| Some(Vec::new())).ok_or("args in its entry is no list of strings")?;
        let variables = field("env").and_then(Value::as_object).into_iter().flatten();
        let env = variables.filter_map(|(name, value)| Some((name.clone(), words(value)?))).collect();
        Ok(Some(Self { command, args, env, folder: text("cwd") }))
    }
}

fn words(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The field that holds all servers in the client's file.
pub(super) fn servers(client: Client) -> &'static str {
    match client {
        Client::ClaudeDesktop | Client::ClaudeCode | Client::Cursor => "mcpServers",
        Client::Vscode => "servers",
        Client::Codex => "mcp_servers",
    }
}
