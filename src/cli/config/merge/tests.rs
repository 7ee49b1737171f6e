//! Tests a client's file before and after a merge.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use proptest::prelude::*;

use super::*;
use crate::cli::config::server::ConfiguredServer;
use crate::cli::{Client, ConfigScope};

/// The flags of the new entry.
const FLAGS: [&str; 2] = ["--root", "/quo\"te"];

fn keys(client: Client) -> Vec<String> {
    vec![client.row().servers.to_owned()]
}

fn program(flags: &[&str]) -> Program {
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    Program { binary: "/bin/cutline".to_owned(), flags, folder: "/here".to_owned() }
}

fn place(client: Client) -> Place {
    Place { client, scope: ConfigScope::User, path: PathBuf::new(), keys: keys(client) }
}

fn put(client: Client, text: &str) -> Result<String, String> {
    merged(&place(client), text, &program(&FLAGS)).map(|(text, _)| text).map_err(|error| error.to_string())
}

/// The command, the variables and the folder of a server.
#[derive(Debug, Default, PartialEq, Eq)]
struct Start {
    words: Vec<String>,
    variables: Vec<(String, String)>,
    folder: Option<String>,
}

/// Calls `with` with the server `name` in a text, if the entry exists and starts a program.
fn with_server<T>(
    client: Client,
    text: &str,
    name: &str,
    with: impl FnOnce(&ConfiguredServer<'_>) -> T,
) -> anyhow::Result<Option<T>> {
    let top = Node::parse(client.row().format, text)?;
    let entry = entry_of(&top, &keys(client), name)?;
    Ok(entry.map_or(Ok(None), |entry| ConfiguredServer::of(client.row(), entry))?.map(|server| with(&server)))
}

fn start_in(client: Client, text: &str) -> anyhow::Result<Option<Start>> {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    with_server(client, text, NAME, |server| Start {
        words: server.words().into_iter().map(str::to_owned).collect(),
        variables: server.variables().map(owned).collect(),
        folder: server.folder().map(str::to_owned),
    })
}

#[test]
fn yaml_entries_with_an_anchor_are_unchanged() {
    let with = |start: &str| {
        let own = format!("- {start}");
        put(Client::Continue, &format!("name: a\nversion: 1.0.0\nschema: v1\nmcpServers:\n  {own}\n"))
    };
    for own in [
        "name: cutline\n    command: &c old\n    args: [a]\n  - name: two\n    command: *c",
        "name: cutline\n    command: old\n    args: &x [a]\n  - name: two\n    args: *x",
        "name: cutline\n    command: old\n    args:\n      - &x a\n  - name: two\n    command: *x",
        "&e\n    name: cutline\n    command: old\n  - <<: *e\n    name: two",
    ] {
        assert!(with(own).is_err_and(|error| error.contains("anchor")), "{own}");
    }
    assert!(with("name: cutline\n    command: old\n    args: [a&b, \"x && y\"]").is_ok());
    assert!(with("name: two\n    command: &c old\n  - name: three\n    command: *c").is_ok());
}

#[test]
fn closing_bracket_in_the_column_of_its_key_is_read() {
    let text = "name: a\nmodels: [\n  x,\n]\nmcpServers:\n  - name: two\n    command: npx\n    args: [\n      a\n    ]\n";
    let merged = put(Client::Continue, text).expect("it is YAML");
    assert!(merged.starts_with(text) && merged.contains("name: cutline"), "{merged}");
}

/// Returns the client, the path and the text of each `before` fixture.
fn cases() -> Vec<(Client, PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config");
    let mut cases = Vec::new();
    for client in Client::value_variants() {
        let name = crate::cli::values::word_of(client);
        let files = fs::read_dir(folder.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        for file in files.map(|file| file.expect("the folder is read").path()) {
            if file.to_string_lossy().contains(".before.") {
                let text = fs::read_to_string(&file).expect("a fixture is text");
                cases.push((*client, file, text));
            }
        }
        assert!(cases.iter().filter(|(of, ..)| of == client).count() >= 2, "{name} has too few cases");
    }
    cases
}

/// Compares each fixture with the file after the merge of an entry with `--root`, or without flags if the name of the
/// fixture starts with `bare`.
#[test]
fn fixtures_are_merged() {
    for (client, file, before) in cases() {
        let name = file.file_name().and_then(std::ffi::OsStr::to_str).expect("a fixture has a name");
        let flags = if name.starts_with("bare") { &[][..] } else { &FLAGS };
        let put = |text: &str| merged(&place(client), text, &program(flags)).map(|(text, _)| text);
        let after = file.with_file_name(name.replace(".before.", ".after."));
        let merged = put(&before).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&after, &merged).expect("the fixture is written");
        }
        let expected = fs::read_to_string(&after).expect("each case has its `after`");
        let difference = similar_asserts::SimpleDiff::from_str(&expected, &merged, "expected", "merged");
        assert!(merged == expected, "{}\n{difference}", after.display());
        assert_eq!(
            put(&merged).ok().as_ref(),
            Some(&merged),
            "{}: once more changes nothing",
            after.display()
        );
        let start = start_in(client, &merged).expect("it is read").expect("it has an entry");
        assert_eq!(start.words[0], "/bin/cutline", "{}", file.display());
        assert!(start.words.join(" ").contains("--root /quo\"te"), "{}: {start:?}", file.display());
        // The same with Windows line endings.
        let windows = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        if before.contains('\n') {
            assert_eq!(put(&windows(&before)).ok(), Some(windows(&expected)), "{}", file.display());
        }
    }
}

#[test]
fn ends_of_other_lines_stay() {
    let mixed =
        "{\n  // pasted\r\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"}\n  }\n}\n";
    let merged = put(Client::Cursor, mixed).unwrap();
    assert!(merged.starts_with("{\n  // pasted\r\n  \"a\": 1,\n"), "{merged:?}");
    let head = "name: L\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: s\n    command: y\nrules: ";
    for rules in ["|\n  - x", ">\n  x", "|+\n  x\n\n", "yes", "0o17"] {
        let merged = put(Client::Continue, &format!("{head}{rules}")).unwrap();
        assert!(merged.ends_with(&format!("\nrules: {rules}")), "{merged:?}");
    }
}

#[test]
fn ambiguous_yaml_is_refused() {
    for text in [
        "{\"mcpServers\": {\"cutline\": {\"url\": \"http://localhost\"}}}",
        "{",
        "[]",
        "null",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": {\"cutline\": 5}}",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "{'mcpServers': {}}",
        "{\"a\": 1 \"b\": 2}",
        "{} {}",
        "\0",
    ] {
        assert!(put(Client::Cursor, text).is_err(), "{text:?}");
    }
    for text in [
        "[mcp_servers.cutline]\nurl = 'x'",
        "[",
        "mcp_servers = 5",
        "[mcp_servers]\ncutline = 5",
        "a = 1\na = 2",
        "{}",
    ] {
        assert!(put(Client::Codex, text).is_err(), "{text:?}");
    }
    for text in [
        "mcpServers: 5",
        "mcpServers: {a: 1}",
        "mcpServers:\n  - name: cutline\n    url: https://a",
        "mcpServers:\n  - name: cutline\n  - name: cutline",
        "mcpServers:\n  - &a\n    name: cutline\n    command: x\n    args: *a",
        "[]",
        "- a",
        "a: 1\n---\nb: 2",
        "a: 'b",
        "a: 1\na: 2\nmcpServers: []\nmcpServers: []",
    ] {
        assert!(put(Client::Continue, text).is_err(), "{text:?}: {:?}", put(Client::Continue, text));
    }
    for text in [
        r#"{"mcp": {"cutline": {"type": "remote", "url": "https://a"}}}"#,
        r#"{"mcp": {"cutline": {"command": "x"}}}"#,
        r#"{"mcp": {"cutline": {"command": [1]}}}"#,
    ] {
        assert!(put(Client::Opencode, text).is_err(), "{text:?}");
    }
    assert!(put(Client::Gemini, r#"{"mcpServers": {"cutline": {"httpUrl": "https://a"}}}"#).is_err());
}

#[test]
fn how_a_file_has_it_started() {
    let expected = Start {
        words: ["cutline", "--root", "/a b"].map(str::to_owned).to_vec(),
        variables: vec![("CUTLINE_LOG".to_owned(), "debug".to_owned())],
        folder: Some("/a".to_owned()),
    };
    let json = r#"{"servers": {"cutline": {"command": "cutline", "args": ["--root", "/a b"],
        "env": {"CUTLINE_LOG": "debug", "N": null}, "cwd": "/a"}}}"#;
    assert_eq!(start_in(Client::Vscode, json).expect("it is read").as_ref(), Some(&expected));
    let toml = "[mcp_servers.cutline]\ncommand = 'cutline'\nargs = ['--root', '/a b']\ncwd = '/a'\n\
        startup_timeout_sec = 10\nenv = { CUTLINE_LOG = 'debug' }\n";
    assert_eq!(start_in(Client::Codex, toml).expect("it is read"), Some(expected));
    let bare = r#"{"mcpServers": {"cutline": {"command": "x", "args": null}}}"#;
    let expected = Start { words: vec!["x".to_owned()], ..Start::default() };
    assert_eq!(start_in(Client::Cursor, bare).expect("it is read"), Some(expected));
    for nothing in ["{}", r#"{"mcpServers": {"cutline": {"url": "https://a"}}}"#] {
        assert_eq!(start_in(Client::Cursor, nothing).ok(), Some(None), "{nothing}");
    }
    for odd in ["\"--root\"", "[1]", "{}"] {
        let text = format!(r#"{{"mcpServers": {{"cutline": {{"command": "x", "args": {odd}}}}}}}"#);
        assert!(start_in(Client::Cursor, &text).is_err(), "{text}");
    }
}

/// Returns the value of a text without this server's command.
fn rest(text: &str) -> Vec<(String, Value)> {
    let top = Node::parse(Format::Yaml, text).expect("it is YAML");
    let server = |(name, entry): &(&str, &Node)| ((*name).to_owned(), entry.to_value());
    let own = ["name", "command", "args"];
    let servers = crate::cli::config::entries(&top, &keys(Client::Continue));
    let others = servers.iter().filter(|(name, _)| *name != NAME).map(server);
    let ours = servers.iter().filter(|(name, _)| *name == NAME).flat_map(|(_, entry)| entry.members());
    let ours = ours.filter(|(name, _)| !own.contains(&name.as_str()));
    let above = top
        .members()
        .iter()
        .filter(|(name, _)| name != "mcpServers" && !HEADER.contains(&format!("{name}: ")));
    let members = ours.chain(above).map(|(name, value)| (name.trim().to_owned(), value.to_value()));
    others.chain(members).collect()
}

proptest! {
    /// For any YAML text, the entry is merged completely or there is an error. Nothing else changes.
    #[test]
    fn rest_of_any_yaml_is_unchanged(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("mcpServers:"), Just("name: cutline"), Just("command: x"), Just("args: [a, 'b']"), Just("args:"),
                Just("- "), Just("  - "), Just("\n"), Just("\n  "), Just("\n    "), Just("# é"), Just("a: b"),
                Just("["), Just("]"), Just("{"), Just("}"), Just(", "), Just("'"), Just("\""), Just("|"), Just(">-"),
                Just("&a "), Just("*a"), Just("!!str "), Just("é"), Just("\t"), Just(":"), Just("? "), Just("---\n"),
                Just("...\n"), Just("\r\n"), Just("%YAML"), Just("\\"),
            ],
            0..24,
        ),
    ) {
        let text = pieces.concat();
        if let Ok(merged) = put(Client::Continue, &text) {
            let start = start_in(Client::Continue, &merged).expect("it is read").expect("it has an entry");
            prop_assert_eq!(start.words[0].as_str(), "/bin/cutline");
            prop_assert_eq!(put(Client::Continue, &merged).expect("it is changed once more"), merged.clone());
            prop_assert_eq!(rest(&merged), rest(&text), "{}", merged);
        }
        for name in ["cutline", "a", "x"] {
            let wrap = |server: &ConfiguredServer<'_>| server.wrap(&text, &program(&[]));
            if let Ok(Some(wrapped)) = with_server(Client::Continue, &text, name, wrap) {
                let _any = with_server(Client::Continue, &wrapped, name, |server| server.unwrap(&wrapped));
            }
        }
    }
}
