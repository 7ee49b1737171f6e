//! Limits from the profile of the client. The name that the client sends selects the profile.

use serde_json::json;

use crate::support::{Client, Protocol, Start, Workspace, assert_fits_cline, escaped_texts, eventually};

fn workspace() -> Workspace {
    Workspace::with(&json!({
        "lines": {"lines": [1, 5000], "text": "{n}"},
        "wide": {"lines": [1, 5000], "text": "{n} abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz"},
        "wide.png": {"copy": "wide.png"},
    }))
}

#[test]
fn limits_are_those_of_the_client_profile() {
    let workspace = workspace();
    for protocol in Protocol::BOTH {
        let start = || Start::new(&workspace).protocol(protocol);
        let opencode = start().client_name("opencode").client().call("read", json!({"path": "lines"}));
        opencode.assert_contains("\n\n[Showing lines 1-1990 of 5000. Use offset=1991 to continue]");
        let codex = start().client_name("codex-mcp-client").client().call("read", json!({"path": "wide"}));
        codex.assert_contains("(11KB limit)");
        let other = start().client_name("some-client").client().call("read", json!({"path": "lines"}));
        other.assert_contains("[Showing lines 1-2000 of 5000. Use offset=2001 to continue]");
    }
}

#[test]
fn effective_limits_are_reported() {
    let workspace = workspace();
    for protocol in Protocol::BOTH {
        let mut client =
            Start::new(&workspace).protocol(protocol).client_name("opencode").without_handshake();
        let hello = match protocol {
            Protocol::Handshake(revision) => client.initialize(revision),
            Protocol::Stateless => client.ask("server/discover", json!({})),
        };
        assert!(hello["result"]["instructions"].as_str().unwrap().contains("at most 1990 lines"), "{hello}");
        if protocol != Protocol::Stateless {
            client.notify("notifications/initialized", json!({}));
        }
        let list = client.ask("tools/list", json!({})).to_string();
        assert!(list.contains("at most 1990 lines") && !list.contains("2000 lines"), "{list}");
    }
}

#[test]
fn flags_override_the_profile() {
    let workspace = workspace();
    let read = |flags: &[&str], name: &str| {
        Start::new(&workspace).flags(flags).client_name(name).client().call("read", json!({"path": "lines"}))
    };
    read(&["--max-lines", "2000"], "opencode").assert_contains("[Showing lines 1-2000 of 5000.");
    read(&["--fit", "off"], "opencode").assert_contains("[Showing lines 1-2000 of 5000.");
    read(&["--fit", "opencode"], "mcp").assert_contains("[Showing lines 1-1990 of 5000.");
    read(&["--max-lines", "5"], "opencode").assert_contains("[Showing lines 1-5 of 5000.");
}

#[test]
fn text_only_client_gets_no_images_or_details() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).client_name("@cline/core").client();
    let reply = client.call("read", json!({"path": "wide.png"}));
    reply.assert_text("Read image: wide.png (image/png, 2400x10, 103B)\n\n[This client shows no images]");
    assert_eq!(reply.result["content"].as_array().unwrap().len(), 1);
    let reply = client.call("read", json!({"path": "wide"}));
    reply.assert_contains("(6.9KB JSON limit)");
    assert!(reply.result.get("_meta").is_none(), "{}", reply.result);
}

/// Reads `path` page by page. Fails if the client would truncate a page. Returns the text of all pages.
fn pages(client: &mut Client, path: &str) -> String {
    let (mut all, mut offset) = (String::new(), 1);
    loop {
        let reply = client.call("read", json!({"path": path, "offset": offset}));
        assert_fits_cline(&reply.assert_success().result, path);
        let Some((body, notices)) = reply.text().rsplit_once("\n\n[") else { return all + reply.text() };
        all = all + body + "\n";
        let next = notices.rsplit_once("Use offset=").unwrap().1;
        offset = next.split(' ').next().unwrap().parse().unwrap();
    }
}

#[test]
fn results_fit_a_client_that_converts_them_to_json() {
    let workspace = Workspace::new();
    for (name, text) in escaped_texts() {
        workspace.write(name, text);
    }
    for n in 0..500 {
        workspace.write(format!("names/\"\"\"\"\"\"\"\" {n} \\\\\\\\"), "\"\"\n");
    }
    let saved_in = workspace.base().join("\"a long name\"".repeat(15));
    std::fs::create_dir(&saved_in).unwrap();
    for flags in [&[][..], &["--save", "all", "--spill-dir", saved_in.to_str().unwrap()]] {
        let mut client = Start::new(&workspace).flags(flags).client_name("@cline/core").client();
        for (name, text) in escaped_texts() {
            assert_eq!(pages(&mut client, name), text, "{name}");
            for (tool, arguments) in [
                ("bash", json!({"command": format!("cat {name}; sleep 600 & exit 3")})),
                ("bash", json!({"command": format!("cat -v {name}"), "head": 100, "tail": 1900})),
                ("bash", json!({"command": format!("cat {name}"), "head": 2000})),
                ("bash", json!({"command": format!("tr -d '\\n' < {name}")})),
                ("grep", json!({"pattern": ".", "path": name, "limit": 2000})),
            ] {
                let reply = client.call(tool, arguments);
                assert_fits_cline(&reply.assert_success().result, &reply.call_text);
            }
        }
        for (tool, arguments) in [
            ("ls", json!({"path": "names"})),
            ("find", json!({"pattern": "*", "path": "names"})),
            ("grep", json!({"pattern": "\"", "path": "names", "limit": 1000})),
            ("grep", json!({"pattern": "5", "limit": 2000, "context": 3})),
        ] {
            let reply = client.call(tool, arguments);
            reply.assert_contains("KB JSON limit reached");
            assert_fits_cline(&reply.result, &reply.call_text);
        }
    }
}

#[test]
fn command_in_the_notice_returns_the_start_of_a_long_line() {
    let workspace = Workspace::new();
    workspace.write("one line.json", format!("[{}\"\"]\n", "\"a\",".repeat(2000)));
    let mut client = Start::new(&workspace).client_name("@cline/core").client();
    let reply = client.call("read", json!({"path": "one line.json"}));
    let hint = "[Line 1 is 8KB, exceeds 6.9KB JSON limit. Use bash to read: head -c 3450 'one line.json']";
    reply.assert_text(hint);
    let start = client.call("bash", json!({"command": "head -c 3450 'one line.json'"}));
    assert!(start.text().starts_with("[\"a\",") && start.text().len() == 3450, "{start}");
    assert_fits_cline(&start.result, "the start");
}

#[test]
fn still_running_command_ends_at_its_timeout_or_with_the_server() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).flags(["--answer-within", "1"]).client();
    let timed = client.call("bash", json!({"command": "echo begun; sleep 600", "timeout": 2}));
    let path = timed.details()["fullOutputPath"].as_str().unwrap().to_owned();
    eventually("its last line reports the timeout", || {
        std::fs::read_to_string(&path).unwrap() == "begun\n[Command timed out after 2 seconds]\n"
    });
    let left = client.call("bash", json!({"command": "echo $$; sleep 600"}));
    let path = left.details()["fullOutputPath"].as_str().unwrap().to_owned();
    let id: u32 = left.text().lines().next().unwrap().parse().unwrap();
    assert!(left.text().contains(&format!("(pid {id})")), "{}", left.text());
    client.close_stdin();
    client.exit();
    eventually("the command has ended with the server", || {
        !std::path::Path::new(&format!("/proc/{id}")).exists()
    });
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&format!("{id}\n")));
}

#[test]
fn incomplete_saved_output_is_reported_before_the_status() {
    // The system limits files to 1024 bytes, like a full disk.
    let full = "trap '' XFSZ; ulimit -f 1; exec";
    for (limit, flags, printed, why) in [
        ("exec", &["--spill-max-file", "1KB"][..], "seq 1000", "1KB limit"),
        (full, &[], "seq 200; sleep 1.3; seq 800", "File too large"),
        // There is space for the output, but not for the line with the exit code.
        (full, &[], "seq 400 | head -c 1020", "File too large"),
    ] {
        let workspace = workspace();
        let script = format!("{limit} \"$0\" \"$@\"");
        let start = Start::new(&workspace).through("bash", &["-c", &script]);
        let mut client = start.flags(["--answer-within", "1"]).flags(flags).client();
        let command = format!("{printed}; until [ -e go ]; do sleep 0.05; done; exit 3");
        let reply = client.call("bash", json!({"command": command}));
        reply.assert_contains("[Still running after 1 second (pid ");
        let path = reply.details()["fullOutputPath"].as_str().unwrap().to_owned();
        workspace.write("go", "");
        let end = format!("\n[Output after this was not saved: {why}]\n[Command exited with code 3]\n");
        eventually("its last lines report the error", || {
            std::fs::read_to_string(&path).unwrap().ends_with(&end)
        });
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("1\n2\n3\n"));
    }
}

#[test]
fn unknown_client_is_refused() {
    let workspace = workspace();
    let output = Start::new(&workspace).flags(["--fit", "nobody"]).command().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("not a client; there are auto, off, claude-code, codex, opencode"), "{stderr}");
}
