//! Entries wrapped and unwrapped: to the byte.

use proptest::prelude::*;

use super::*;

fn entry(client: Client, text: &str) -> Found {
    match Lookup::of(client, text, "x").unwrap() {
        Lookup::Entry(found) => found,
        other => panic!("{other:?}"),
    }
}

/// The command that the wrapped entry starts.
fn words(client: Client, text: &str) -> Vec<String> {
    let found = entry(client, text);
    let args = found.args.into_iter().flat_map(|(_, words)| words);
    [found.command.value].into_iter().chain(args.map(|word| word.value)).collect()
}

const TEXTS: [(Client, &str, &[&str]); 11] = [
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
    (Client::Vscode, "\u{feff}{\"servers\": {\"x\": {\"command\": \"npx\", \"args\": [ ]}}}", &["npx"]),
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
        let wrapped = entry(client, text).wrap(text, "/bin/cutline", &flags);
        let expected = [&["/bin/cutline", "wrap", "--max-bytes", "20 KB\"", "--"], server].concat();
        assert_eq!(words(client, &wrapped), expected, "{wrapped}");
        assert_eq!(entry(client, &wrapped).unwrap(&wrapped).as_deref(), Some(text), "{wrapped}");
        // Another time: other flags, no second layer.
        let again = entry(client, &wrapped).wrap(&wrapped, "C:\\cutline.exe", &[]);
        assert_eq!(words(client, &again), [&["C:\\cutline.exe", "wrap", "--"], server].concat(), "{again}");
        assert_eq!(entry(client, &again).unwrap(&again).as_deref(), Some(text), "{again}");
        assert_eq!(entry(client, text).unwrap(text), None);
    }
}

#[test]
fn edits_made_meanwhile_stay() {
    let text = r#"{"mcpServers":{"x":{"command":"npx","args":["-y","s"]}}}"#;
    let wrapped = entry(Client::Cursor, text).wrap(text, "/bin/cutline", &[]);
    let edited = wrapped
        .replace("\"s\"]", "\"s\", \"--more\"], \"env\": {}")
        .replace("\"--\"", "\"--keep\",\n \"tail\", \"--\"");
    let unwrapped = entry(Client::Cursor, &edited).unwrap(&edited).unwrap();
    assert_eq!(unwrapped, r#"{"mcpServers":{"x":{"command":"npx","args":["-y","s", "--more"], "env": {}}}}"#);
}

#[test]
fn entries_that_can_not_be_wrapped() {
    let look = |text| Lookup::of(Client::Cursor, text, "x");
    assert!(
        matches!(look(r#"{"mcpServers":{"x":{"url":"https://a"}}}"#), Ok(Lookup::Remote(url)) if url == "https://a")
    );
    assert!(matches!(look(r#"{"mcpServers":{"y":{}}}"#), Ok(Lookup::Missing(names)) if names == ["y"]));
    assert!(matches!(look(""), Ok(Lookup::Missing(names)) if names.is_empty()));
    for broken in [
        "{",
        r#"{"mcpServers":{"x":{"command":1}}}"#,
        r#"{"mcpServers":{"x":{"command":"a","command":"b"}}}"#,
    ] {
        assert!(look(broken).is_err(), "{broken}");
    }
}

proptest! {
    #[test]
    fn any_spacing_comes_back(
        open in "[ \n]{0,3}", close in "[ \n]{0,3}", before in "[ \n]{0,2}", after in "[ \n]{0,2}",
        args in prop::collection::vec("[a-z\"\\\\é ]{0,4}", 0..4),
    ) {
        let args: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
        let args = args.join(&format!("{before},{after}"));
        let text = format!("{{\"mcpServers\":{{\"x\":{{\"args\":[{open}{args}{close}],\"command\":\"npx\"}}}}}}");
        let wrapped = entry(Client::Cursor, &text).wrap(&text, "cutline", &["--hint".to_owned(), "--".to_owned()][..1]);
        prop_assert_eq!(entry(Client::Cursor, &wrapped).unwrap(&wrapped), Some(text));
    }
}
