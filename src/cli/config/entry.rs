//! What a client needs to know of this server, and where in its file that stands.

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

/// What holds all servers in the client's file.
pub(super) fn servers(client: Client) -> &'static str {
    match client {
        Client::ClaudeDesktop | Client::ClaudeCode | Client::Cursor => "mcpServers",
        Client::Vscode => "servers",
        Client::Codex => "mcp_servers",
    }
}
