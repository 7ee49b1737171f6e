//! A client's file before and after.

use super::*;

fn entry(client: Client) -> Entry {
    Entry::new(client, "/bin/cutline".to_owned(), vec!["--root".to_owned(), "/quo\"te".to_owned()])
}

#[track_caller]
fn assert_merged(client: Client, before: &str, after: &str) {
    let merged = merged(client, before, &entry(client)).unwrap();
    assert!(
        merged == after,
        "{}",
        similar_asserts::SimpleDiff::from_str(after, &merged, "expected", "merged")
    );
    // Once more changes nothing.
    assert_eq!(super::merged(client, &merged, &entry(client)).unwrap(), merged);
    let start = start_in(client, &merged).unwrap().unwrap();
    assert_eq!((start.command.as_str(), start.args.len()), ("/bin/cutline", 2));
}

#[test]
fn into_nothing() {
    let json = r#"{
  "mcpServers": {
    "cutline": {
      "type": "stdio",
      "command": "/bin/cutline",
      "args": ["--root", "/quo\"te"]
    }
  }
}
"#;
    assert_merged(Client::ClaudeCode, "", json);
    assert_merged(Client::ClaudeCode, " \n", json);
    assert_merged(Client::ClaudeCode, "{}", json);
    assert_merged(
        Client::Codex,
        "",
        "[mcp_servers.cutline]\ncommand = \"/bin/cutline\"\nargs = [\"--root\", '/quo\"te']\n",
    );
}

#[test]
fn into_what_others_wrote() {
    assert_merged(
        Client::Vscode,
        r#"{
	// mine
	"servers": {
		"other": {"command": "x"}, // kept
	},
	"inputs": [ ],
}
"#,
        r#"{
	// mine
	"servers": {
		"other": {"command": "x"}, // kept
		"cutline": {
			"type": "stdio",
			"command": "/bin/cutline",
			"args": ["--root", "/quo\"te"]
		},
	},
	"inputs": [ ],
}
"#,
    );
    assert_merged(
        Client::Codex,
        "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\" # kept\n\n[tools]\na = 1\n",
        "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\" # kept\n\n[mcp_servers.cutline]\n\
         command = \"/bin/cutline\"\nargs = [\"--root\", '/quo\"te']\n\n[tools]\na = 1\n",
    );
}

#[test]
fn its_own_entry_keeps_what_else_it_has() {
    assert_merged(
        Client::Cursor,
        "\u{feff}{\"mcpServers\": {\"cutline\": {\"args\": [\"--old\"], \"env\": {\"A\": \"1\"}, \"command\": \"/old\"}}}",
        "\u{feff}{\"mcpServers\": {\"cutline\": {\"args\": [\"--root\", \"/quo\\\"te\"], \"env\": {\"A\": \"1\"}, \"command\": \"/bin/cutline\"}}}\n",
    );
    assert_merged(
        Client::Codex,
        "[mcp_servers]\ncutline = { command = \"/old\", tool_timeout_sec = 600 }\n",
        "[mcp_servers]\ncutline = { command = \"/bin/cutline\", tool_timeout_sec = 600 , args = [\"--root\", '/quo\"te'] }\n",
    );
    assert_merged(
        Client::Codex,
        "[mcp_servers.cutline]\nargs = [\"--old\"] # ours\ncommand = \"/old\"\nenabled = false\n",
        "[mcp_servers.cutline]\nargs = [\"--root\", '/quo\"te'] # ours\ncommand = \"/bin/cutline\"\nenabled = false\n",
    );
}

#[test]
fn without_flags_those_that_it_has_stay() {
    let entry = |client| Entry::new(client, "/new".to_owned(), Vec::new());
    let json = r#"{"mcpServers": {"cutline": {"command": "/old", "args": ["--root", "/a"]}}}"#;
    assert_eq!(
        merged(Client::Cursor, json, &entry(Client::Cursor)).unwrap(),
        json.replace("old", "new") + "\n"
    );
    let toml = "[mcp_servers.cutline]\ncommand = '/old'\nargs = ['--root', '/a']\n";
    let expected = toml.replace("'/old'", "\"/new\"");
    assert_eq!(merged(Client::Codex, toml, &entry(Client::Codex)).unwrap(), expected);
}

#[test]
fn line_ends_and_ways_of_writing_stay() {
    for (client, text) in
        [(Client::Codex, "# mine\r\nmodel = \"x\"\r\n"), (Client::Cursor, "{\r\n  \"theme\": 1\r\n}")]
    {
        let merged = merged(client, text, &entry(client)).unwrap();
        assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count(), "{merged:?}");
    }
    // What says the same already is left as it is, to the last byte.
    for (client, text) in [
        (
            Client::Cursor,
            r#"{"mcpServers": {"cutline": {"command": "/bin/cutline", "args": ["--root", "/quo\"te"]}}}"#,
        ),
        (
            Client::Codex,
            "[mcp_servers.cutline]\ncommand = '/bin/cutline'\nargs = [\n  '--root', # here\n  '/quo\"te',\n]",
        ),
    ] {
        assert_eq!(merged(client, text, &entry(client)).unwrap(), text);
    }
}

#[test]
fn what_is_not_sure_is_refused() {
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
        assert!(merged(Client::Cursor, text, &entry(Client::Cursor)).is_err(), "{text:?}");
    }
    for text in [
        "[mcp_servers.cutline]\nurl = 'x'",
        "[",
        "mcp_servers = 5",
        "[mcp_servers]\ncutline = 5",
        "a = 1\na = 2",
        "{}",
    ] {
        assert!(merged(Client::Codex, text, &entry(Client::Codex)).is_err(), "{text:?}");
    }
}

#[test]
fn how_a_file_has_it_started() {
    let expected = Start {
        command: "cutline".to_owned(),
        args: vec!["--root".to_owned(), "/a b".to_owned()],
        env: vec![("CUTLINE_LOG".to_owned(), "debug".to_owned())],
        folder: Some("/a".to_owned()),
    };
    let json = r#"{"servers": {"cutline": {"command": "cutline", "args": ["--root", "/a b"],
        "env": {"CUTLINE_LOG": "debug", "N": null}, "cwd": "/a"}}}"#;
    assert_eq!(start_in(Client::Vscode, json).unwrap().as_ref(), Some(&expected));
    let toml = "[mcp_servers.cutline]\ncommand = 'cutline'\nargs = ['--root', '/a b']\ncwd = '/a'\n\
        startup_timeout_sec = 10\nenv = { CUTLINE_LOG = 'debug' }\n";
    assert_eq!(start_in(Client::Codex, toml).unwrap(), Some(expected));
    let bare = r#"{"mcpServers": {"cutline": {"command": "x", "args": null}}}"#;
    let expected = Start { command: "x".to_owned(), ..Start::default() };
    assert_eq!(start_in(Client::Cursor, bare).unwrap(), Some(expected));
    for nothing in ["{}", r#"{"mcpServers": {"cutline": {"url": "https://a"}}}"#] {
        assert_eq!(start_in(Client::Cursor, nothing), Ok(None), "{nothing}");
    }
    for odd in ["\"--root\"", "[1]", "{}"] {
        let text = format!(r#"{{"mcpServers": {{"cutline": {{"command": "x", "args": {odd}}}}}}}"#);
        assert!(start_in(Client::Cursor, &text).is_err(), "{text}");
    }
}
