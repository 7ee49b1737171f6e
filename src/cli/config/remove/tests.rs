//! Tests a client's file with the entry, and after the entry was removed.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use similar_asserts::SimpleDiff;

use super::*;
use crate::cli::{Client, ConfigScope};

fn remove(client: Client, text: &str) -> Result<Option<String>, String> {
    let keys = vec![client.row().servers.to_owned()];
    let place = Place { client, scope: ConfigScope::User, path: PathBuf::new(), keys };
    let removed = removed(&place, text).map_err(|error| error.to_string())?;
    Ok(removed.map(|removed| removed.rest))
}

/// Each `after` fixture has the entry; `removed` is the same file without it.
#[test]
fn fixtures_are_without_the_entry() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/config");
    for client in Client::value_variants() {
        let files =
            fs::read_dir(folder.join(crate::cli::values::word_of(client))).expect("each client has fixtures");
        for file in files.map(|file| file.expect("the folder is read").path()) {
            let name = file.file_name().and_then(std::ffi::OsStr::to_str).expect("a fixture has a name");
            if !name.contains(".after.") {
                continue;
            }
            let with_entry = fs::read_to_string(&file).expect("a fixture is text");
            let rest =
                remove(*client, &with_entry).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let rest = rest.expect("it has the entry");
            let expected = file.with_file_name(name.replace(".after.", ".removed."));
            if std::env::var_os("UPDATE_FIXTURES").is_some() {
                fs::write(&expected, &rest).expect("the fixture is written");
            }
            let text = fs::read_to_string(&expected).expect("each case has its `removed`");
            let difference = SimpleDiff::from_str(&text, &rest, "expected", "removed");
            assert!(text == rest, "{}\n{difference}", expected.display());
            assert_eq!(remove(*client, &rest), Ok(None), "{}", expected.display());
            let windows = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
            assert_eq!(
                remove(*client, &windows(&with_entry)),
                Ok(Some(windows(&rest))),
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn rest_stays_byte_for_byte() {
    let server = r#""cutline": {"command": "x", "args": ["a,", "}"]}"#;
    for (text, rest) in [
        (format!("{{\"mcpServers\": {{{server}}}}}"), "{\"mcpServers\": {}}"),
        (format!("{{\"mcpServers\": {{ {server}, }} }}"), "{\"mcpServers\": {} }"),
        (format!("{{\"mcpServers\": {{\"a\": {{}}, {server}}}}}\n"), "{\"mcpServers\": {\"a\": {}}}\n"),
        (
            format!("{{\"mcpServers\": {{\"a\": {{}}, {server}, \"b\": 1}}}}"),
            "{\"mcpServers\": {\"a\": {}, \"b\": 1}}",
        ),
        (format!("{{\"mcpServers\": {{{server}, \"b\": 1}}}}"), "{\"mcpServers\": {\"b\": 1}}"),
        (
            format!("{{\"mcpServers\": {{\n  \"a\": 1, // one\n  {server} // two\n}}}}"),
            "{\"mcpServers\": {\n  \"a\": 1 // one\n // two\n}}",
        ),
        (
            format!("{{\"mcpServers\": {{\n  // before\n  {server} /* , */ ,\n  \"b\": 1\n}}}}"),
            "{\"mcpServers\": {\n  // before\n /* , */ \n  \"b\": 1\n}}",
        ),
        (format!("{{\"mcpServers\": {{\n  // alone\n  {server}\n}}}}"), "{\"mcpServers\": {\n  // alone\n}}"),
        (format!("{{\"mcpServers\":\t{{\n{server}\n}}\r\n}}"), "{\"mcpServers\":\t{}\r\n}"),
    ] {
        assert_eq!(remove(Client::Cursor, &text).as_ref().map(Option::as_deref), Ok(Some(rest)), "{text}");
    }
    for (text, rest) in [
        (
            "# top\na = 1\n\n# c\n[mcp_servers.cutline] # h\nargs = [\n 'a', # x\n] # ours\n# in\ncommand = 'c'\n# after\n\n\
             [mcp_servers.cutline.env]\nA = '[x]'\n\n[other]\nx = 1\n[mcp_servers.cutline.more]\nB=2\n",
            "# top\na = 1\n\n# c\n\n[other]\nx = 1\n",
        ),
        (
            "[mcp_servers]\ncutline = { command = 'x' } # c\nother.command = 'y'\n",
            "[mcp_servers]\nother.command = 'y'\n",
        ),
        (
            "mcp_servers.cutline.command = 'x'\nmcp_servers.o.command='y'\nmcp_servers.cutline.args = []\n",
            "mcp_servers.o.command='y'\n",
        ),
        ("[mcp_servers.\"cutline\".env]\nA='1'\n# mine\n[b]", "# mine\n[b]"),
        (
            "mcp_servers = { a = {command='x'}, cutline = {command='y'} } # c",
            "mcp_servers = { a = {command='x'} } # c",
        ),
        ("mcp_servers = { cutline = {command='y'} }\n", "mcp_servers = {}\n"),
    ] {
        let removed = remove(Client::Codex, text);
        assert_eq!(removed.as_ref().map(Option::as_deref), Ok(Some(rest)), "{text}");
    }
    for (text, rest) in [
        ("mcpServers: # mine\n  - name: cutline\n    command: x\n# end\n", "mcpServers: [] # mine\n# end\n"),
        (
            "mcpServers:\n  - command: x # - it\n    name: cutline\n\n  # next\n  - name: b\n    command: |\n      y\n",
            "mcpServers:\n\n  # next\n  - name: b\n    command: |\n      y\n",
        ),
        (
            "mcpServers: [{name: a, command: b}, {name: cutline, command: x}]\n",
            "mcpServers: [{name: a, command: b}]\n",
        ),
        ("mcpServers: [ {name: cutline, command: x} ] # e\n", "mcpServers: [] # e\n"),
    ] {
        let removed = remove(Client::Continue, text);
        assert_eq!(removed.as_ref().map(Option::as_deref), Ok(Some(rest)), "{text}");
    }
}

#[test]
fn nothing_is_removed_if_there_is_no_entry_or_it_is_unclear() {
    for text in ["", "{}", "{\"mcpServers\": {\"a\": {}}}", "{\"servers\": {\"cutline\": {}}}"] {
        assert_eq!(remove(Client::Cursor, text), Ok(None), "{text}");
    }
    assert!(remove(Client::Cursor, "{\"mcpServers\": {").is_err());
    let anchor = "mcpServers:\n  - &c\n    name: cutline\n    command: x\n  - <<: *c\n    name: b\n";
    assert!(remove(Client::Continue, anchor).is_err());
    assert!(remove(Client::Codex, "[mcp_servers.cutline]\n[mcp_servers.cutline]\n").is_err());
}
