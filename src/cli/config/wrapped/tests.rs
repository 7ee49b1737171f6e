//! Tests that wrapping and unwrapping entries restores them byte for byte.

use anyhow::Context as _;
use proptest::prelude::*;

use super::*;
use crate::cli::Client;
use crate::cli::config::server::entry_of;

/// Calls `with` with the server `x` of a text.
///
/// # Errors
///
/// Returns an error if the entry starts no program.
fn look<T>(client: Client, text: &str, with: impl FnOnce(&ConfiguredServer<'_>) -> T) -> anyhow::Result<T> {
    let row = client.row();
    let top = Node::parse(row.format, text)?;
    let entry = entry_of(&top, &[row.servers.to_owned()], "x")?.context("it is not there")?;
    Ok(with(&ConfiguredServer::of(row, entry)?.context("it starts no program")?))
}

fn wrap(client: Client, text: &str, binary: &str, flags: &[String]) -> String {
    let program = Program { binary: binary.to_owned(), flags: flags.to_vec(), folder: String::new() };
    look(client, text, |server| server.wrap(text, &program)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn unwrap(client: Client, text: &str) -> Option<String> {
    look(client, text, |server| server.unwrap(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn owned(words: Vec<&str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// The command that the entry starts.
fn words(client: Client, text: &str) -> Vec<String> {
    look(client, text, |server| owned(server.words())).unwrap_or_else(|error| panic!("{text}: {error}"))
}

const TEXTS: [(Client, &str, &[&str]); 24] = [
    (
        Client::Opencode,
        "{\n  // mine\n  \"mcp\": {\"x\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"s\"], \"enabled\": true}},\n}",
        &["npx", "-y", "s"],
    ),
    (Client::Opencode, r#"{"mcp": {"x": {"command": [ "npx" ]}}}"#, &["npx"]),
    (
        Client::Opencode,
        "{\"mcp\": {\"x\": {\"command\": [\r\n  \"npx\", // it\r\n  \"s\",\r\n]}}}\r\n",
        &["npx", "s"],
    ),
    (
        Client::Gemini,
        r#"{"mcpServers": {"x": {"command": "npx", "args": ["s"], "timeout": 5}}}"#,
        &["npx", "s"],
    ),
    (Client::Qwen, r#"{"mcpServers": {"x": {"timeout": 5, "command": "npx"}}}"#, &["npx"]),
    (
        Client::Cline,
        r#"{"mcpServers": {"x": {"transport": {"type": "stdio", "command": "npx", "args": ["s"]}, "timeout": 5}}}"#,
        &["npx", "s"],
    ),
    (
        Client::Continue,
        "# mine\nmcpServers:\n  - name: y\n    command: é\n  - name: x # it\n    command: npx # é\n    args:\n      - -y # yes\n      - \"a b\"\n    env:\n      K: v\nrules: []\n",
        &["npx", "-y", "a b"],
    ),
    (
        Client::Continue,
        "mcpServers:\r\n- args:\r\n  - \"s\"\r\n  name: x\r\n  command: 'npx'\r\n",
        &["npx", "s"],
    ),
    (
        Client::Continue,
        "mcpServers:\n  - name: x\n    command: npx\n    args: [-y, \"s\"]",
        &["npx", "-y", "s"],
    ),
    (Client::Continue, "mcpServers:\n  - name: x\n    command: npx # it\n    env: {A: b}\n", &["npx"]),
    (Client::Continue, "mcpServers:\n  - command: npx\n    name: x", &["npx"]),
    (Client::Continue, "mcpServers: [{name: x, command: \"npx\"}]\n", &["npx"]),
    (Client::Continue, "mcpServers:\n  - name: x\n    args: []\n    command: npx\n", &["npx"]),
    (
        Client::Cursor,
        r#"{"mcpServers":{"x":{"command":"npx","args":["-y","a b"],"env":{"K":"v"}}}}"#,
        &["npx", "-y", "a b"],
    ),
    (
        Client::Cursor,
        "{\"mcpServers\": {\"x\": {\n  // why\n  \"args\": [\n    \"-y\", // yes\n    \"s\",\n  ],\n  \"command\": \"n\\u0070x\",\n}}}\r\n",
        &["npx", "-y", "s"],
    ),
    (
        Client::Cursor,
        "{\"mcpServers\": {\"x\": {\"command\": \"cmd\", \"args\": [ \"/c\", \"npx\" ]}}}",
        &["cmd", "/c", "npx"],
    ),
    (Client::Cursor, "{\"mcpServers\": {\"x\": {\"command\": \"npx\"}}}", &["npx"]),
    (Client::Cursor, "{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": []}}}", &["npx"]),
    (Client::Vscode, "{\"servers\": {\"x\": {\"command\": \"npx\", \"args\": [ ]}}}", &["npx"]),
    (
        Client::Cursor,
        "{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [ // none yet\n]}}}",
        &["npx"],
    ),
    (
        Client::Codex,
        "[mcp_servers.x]\ncommand = 'npx' # the server\nargs = ['-y', \"s\"]\n\n[mcp_servers.x.env]\nK = \"v\"\n",
        &["npx", "-y", "s"],
    ),
    (Client::Codex, "[mcp_servers.x]\ncommand = \"npx\" # the server\nenabled = true\n", &["npx"]),
    (Client::Codex, "mcp_servers.x = { command = \"npx\" }\n", &["npx"]),
    (Client::Codex, "mcp_servers = { x = { command = \"npx\", args = [\n  \"-y\",\n] } }\n", &["npx", "-y"]),
];

#[test]
fn entries_are_wrapped_and_unwrapped_to_the_byte() {
    let flags = ["--max-bytes".to_owned(), "20 KB\"".to_owned()];
    for (client, text, server) in TEXTS {
        let wrapped = wrap(client, text, "/bin/cutline", &flags);
        let expected = [&["/bin/cutline", "wrap", "--max-bytes", "20 KB\"", "--"], server].concat();
        assert_eq!(words(client, &wrapped), expected, "{wrapped}");
        assert_eq!(unwrap(client, &wrapped).as_deref(), Some(text), "{wrapped}");
        // Wrapping again changes the flags and adds no second layer.
        let again = wrap(client, &wrapped, "C:\\cutline.exe", &[]);
        assert_eq!(words(client, &again), [&["C:\\cutline.exe", "wrap", "--"], server].concat(), "{again}");
        assert_eq!(unwrap(client, &again).as_deref(), Some(text), "{again}");
        assert_eq!(unwrap(client, text), None);
        assert_eq!(look(client, &wrapped, |server| owned(server.command())).expect("it is read"), server);
    }
}

#[test]
fn edits_made_meanwhile_stay() {
    let text = r#"{"mcpServers":{"x":{"command":"npx","args":["-y","s"]}}}"#;
    let wrapped = wrap(Client::Cursor, text, "/bin/cutline", &[]);
    let edited = wrapped
        .replace("\"s\"]", "\"s\", \"--more\"], \"env\": {}")
        .replace("\"--\"", "\"--keep\",\n \"tail\", \"--\"");
    let unwrapped = unwrap(Client::Cursor, &edited).expect("it is wrapped");
    assert_eq!(unwrapped, r#"{"mcpServers":{"x":{"command":"npx","args":["-y","s", "--more"], "env": {}}}}"#);
}

#[test]
fn entries_that_can_not_be_wrapped() {
    for broken in [
        "{",
        "",
        r#"{"mcpServers":{"y":{}}}"#,
        r#"{"mcpServers":{"x":{"url":"https://a"}}}"#,
        r#"{"mcpServers":{"x":{"command":1}}}"#,
        r#"{"mcpServers":{"x":{"command":"a","command":"b"}}}"#,
    ] {
        assert!(look(Client::Cursor, broken, |_| ()).is_err(), "{broken}");
    }
}

proptest! {
    #[test]
    fn any_spacing_is_restored(
        open in "[ \n]{0,3}", close in "[ \n]{0,3}", before in "[ \n]{0,2}", after in "[ \n]{0,2}",
        args in prop::collection::vec("[a-z\"\\\\é ]{0,4}", 0..4),
    ) {
        let args: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
        let args = args.join(&format!("{before},{after}"));
        let text = format!("{{\"mcpServers\":{{\"x\":{{\"args\":[{open}{args}{close}],\"command\":\"npx\"}}}}}}");
        let wrapped = wrap(Client::Cursor, &text, "cutline", &["--hint".to_owned(), "--".to_owned()][..1]);
        prop_assert_eq!(unwrap(Client::Cursor, &wrapped), Some(text));
    }
}
