//! Roots that a client with a handshake offers. They apply unless the command line has roots.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::json;

use crate::support::{Client, Protocol, Start, Workspace, eventually};

fn workspace() -> Workspace {
    Workspace::with(&json!({"a": "started here\n", "../one/a": "one\n", "../two words/a": "two\n"}))
}

/// Waits until the text of `a` is not `before`, and returns it.
fn read_after(client: &mut Client, before: &str) -> String {
    let mut text = String::new();
    eventually("the roots change", || {
        client.call("read", json!({"path": "a"})).text().clone_into(&mut text);
        text != before
    });
    text
}

#[test]
fn first_offered_root_is_the_workspace() {
    let workspace = workspace();
    let (one, two) = (workspace.base().join("one"), workspace.base().join("two words"));
    let mut client = Start::new(&workspace).roots(&[one.clone(), two.clone()]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    client.call("bash", json!({"command": "cat a; pwd"})).assert_text(&format!("one\n{}\n", one.display()));
    client.call("read", json!({"path": two.join("a")})).assert_text("two\n");
    client.call("read", json!({"path": workspace.path("a")})).assert_error(&["outside the workspace"]);
}

#[test]
fn root_uris_are_decoded() {
    let workspace = workspace();
    let mut start = Start::new(&workspace).roots(&[]).without_handshake();
    start.roots = Some(vec![format!("file://{}/two%20words", workspace.base().display())]);
    start.initialize("2025-06-18");
    start.notify("notifications/initialized", json!({}));
    start.call("read", json!({"path": "a"})).assert_text("two\n");
}

#[test]
fn invalid_roots_are_ignored() {
    let workspace = workspace();
    let root = format!("file:{}", workspace.base().join("one").display());
    for other in ["{\"nouri\": 1}", "null", "{\"uri\": \"https://a\"}"] {
        let mut client = Start::new(&workspace).root_members(&[root.clone(), other.to_owned()]).client();
        client.call("read", json!({"path": "a"})).assert_text("one\n");
        client.call("read", json!({"path": workspace.path("a")})).assert_error(&["outside the workspace"]);
    }
}

#[test]
fn changed_roots_apply() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).roots(&[workspace.base().join("one")]).client();
    client.call("read", json!({"path": "a"})).assert_text("one\n");
    client.roots = Some(vec![format!("file://{}/two%20words", workspace.base().display())]);
    client.notify("notifications/roots/list_changed", json!({}));
    assert_eq!(read_after(&mut client, "one\n"), "two\n");
}

/// The error without a usable root.
const NO_WORKSPACE: &str =
    "There is no workspace: the client has no usable folder open. The user can set one with --root DIR";

#[test]
fn tools_return_errors_without_a_usable_root() {
    for roots in [
        vec![],
        vec!["file:///no/such/folder".to_owned()],
        vec!["{\"uri\": 5}".to_owned(), "null".to_owned()],
    ] {
        let workspace = workspace();
        let mut client = Start::new(&workspace).root_members(&roots).client();
        let here = workspace.path("a");
        let calls = [
            ("read", json!({"path": "a"})),
            ("read", json!({"path": here})),
            ("grep", json!({"pattern": "started"})),
            ("find", json!({"pattern": "*"})),
            ("ls", json!({})),
            ("bash", json!({"command": "touch ran; cat a"})),
        ];
        for (tool, arguments) in calls {
            client.call(tool, arguments).assert_error(&[NO_WORKSPACE]);
        }
        assert!(!workspace.path("ran").exists());
        client.roots = Some(vec![format!("file://{}", workspace.root().display())]);
        client.notify("notifications/roots/list_changed", json!({}));
        eventually("the roots change", || !client.call("read", json!({"path": "a"})).is_error());
    }
}

#[test]
fn commands_can_write_in_roots_that_arrive_after_a_failed_call() {
    let workspace = workspace();
    let start = || Start::new(&workspace).flags(["--sandbox", "workspace-write"]).root_members(&[]);
    let supported =
        start().command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !supported.unwrap().success() {
        return;
    }
    let mut client = start().client();
    client.call("ls", json!({})).assert_error(&[NO_WORKSPACE]);
    offer(&mut client, &[workspace.root().to_owned()]);
    client.call("bash", json!({"command": "touch new && echo done"})).assert_text("done\n");
}

/// Creates a workspace with a nested folder `sub` and a folder `out` outside. Tests replace `sub` with a link to `out`.
fn nested() -> Workspace {
    Workspace::with(
        &json!({"a": "here\n", "sub/b": "nested\n", "../out/secret": "secret\n", "../new/c": "new\n"}),
    )
}

/// Offers these roots and waits until the server uses them.
fn offer(client: &mut Client, roots: &[PathBuf]) {
    let accepted = |client: &Client| client.stderr().matches("roots of the client").count();
    let before = accepted(client);
    client.roots = Some(roots.iter().map(|root| format!("file://{}", root.display())).collect());
    client.notify("notifications/roots/list_changed", json!({}));
    eventually("the server uses the new roots", || {
        client.ask("ping", json!({}));
        accepted(client) > before
    });
}

#[test]
fn nested_root_that_became_a_link_is_not_followed() {
    for flags in [&[][..], &["--sandbox", "workspace-write"]] {
        let workspace = nested();
        let (out, nested) = (workspace.base().join("out"), workspace.path("sub"));
        let roots = [workspace.root().to_owned(), nested.clone()];
        let start = || Start::new(&workspace).flags(flags).roots(&roots);
        let supported =
            start().command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !supported.unwrap().success() {
            continue;
        }
        let mut client = start().client();
        client.call("read", json!({"path": nested.join("b")})).assert_text("nested\n");
        let swap = format!("rm -r sub && ln -s {} sub", out.display());
        client.call("bash", json!({"command": swap})).assert_success();
        offer(&mut client, &roots);
        for path in [out.join("secret"), nested.join("secret"), nested.join("nothing")] {
            client.call("read", json!({"path": path})).assert_error(&["outside the workspace"]);
        }
        assert!(client.call("grep", json!({"pattern": "secret", "path": out})).is_error());
        assert!(client.call("ls", json!({"path": nested})).is_error());
        if !flags.is_empty() {
            let write = format!("echo x > {}/new", out.display());
            client.call("bash", json!({"command": write}));
            assert!(!out.join("new").exists(), "a command wrote outside");
        }
    }
}

#[test]
fn new_root_is_accepted_if_no_command_could_have_created_it() {
    let workspace = nested();
    let (out, new) = (workspace.base().join("out"), workspace.base().join("new"));
    let link = workspace.base().join("link-to-new");
    symlink(&new, &link).unwrap();
    let here = workspace.root().to_owned();
    let mut client = Start::new(&workspace).roots(std::slice::from_ref(&here)).client();
    let plant = format!("ln -s {} planted", out.display());
    client.call("bash", json!({"command": plant})).assert_success();
    offer(&mut client, &[here.clone(), here.join("planted"), here.join("sub"), link, new.clone()]);
    client.call("read", json!({"path": new.join("c")})).assert_text("new\n");
    client
        .call("read", json!({"path": out.join("secret")}))
        .assert_error(&[&format!("outside the workspace: {}/secret", out.display())]);
    let log = client.stderr();
    let messages = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    // The planted link and the link to the new folder.
    assert_eq!(messages("is not a folder that can be used"), 2, "{log}");
    assert_eq!(messages("is inside another one"), 1, "{log}");
}

#[test]
fn folder_inside_a_root_replaces_it() {
    for flags in [&[][..], &["--sandbox", "workspace-write"]] {
        let workspace = nested();
        let (here, sub) = (workspace.root().to_owned(), workspace.path("sub"));
        let start = || Start::new(&workspace).flags(flags).roots(std::slice::from_ref(&here));
        let tried =
            start().command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !tried.unwrap().success() {
            continue;
        }
        let mut client = start().client();
        let plant = format!("ln -sfn {} planted", workspace.base().join("out").display());
        client.call("bash", json!({"command": plant})).assert_success();
        offer(&mut client, &[here.join("planted"), sub.clone()]);
        client.call("read", json!({"path": "b"})).assert_text("nested\n");
        client.call("read", json!({"path": here.join("a")})).assert_error(&["outside the workspace"]);
        client.call("bash", json!({"command": "pwd"})).assert_text(&format!("{}\n", sub.display()));
        let write = "echo x > own; echo x > ../above; cat own";
        assert!(client.call("bash", json!({"command": write})).text().ends_with("x\n"));
        assert_eq!(here.join("above").exists(), flags.is_empty());
    }
}

#[test]
fn writable_folders_do_not_grow_during_a_session() {
    let workspace = nested();
    let new = workspace.base().join("new");
    let here = workspace.root().to_owned();
    let start = || {
        let flags = ["--sandbox", "workspace-write"];
        Start::new(&workspace).flags(flags).roots(std::slice::from_ref(&here))
    };
    if !start()
        .command()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
    {
        return;
    }
    let mut client = start().client();
    let write = format!("echo x > {0}/x; echo y > y; ls {0} .", new.display());
    client.call("bash", json!({"command": write})).assert_success();
    offer(&mut client, &[here.clone(), new.clone()]);
    client.call("read", json!({"path": new.join("c")})).assert_text("new\n");
    client.call("bash", json!({"command": write})).assert_success();
    assert!(!new.join("x").exists() && workspace.path("y").exists());
    // The client can omit the first root and offer it again.
    offer(&mut client, std::slice::from_ref(&new));
    client
        .call("bash", json!({"command": format!("echo z > {}/z; echo z > z", here.display())}))
        .assert_success();
    assert!(!workspace.path("z").exists() && !new.join("z").exists());
    offer(&mut client, std::slice::from_ref(&here));
    client.call("bash", json!({"command": "echo z > z"})).assert_success();
    assert!(workspace.path("z").exists());
}

#[test]
fn roots_of_the_command_line_take_precedence() {
    let workspace = workspace();
    let one = workspace.base().join("one");
    let mut client = Start::new(&workspace).flags(["--root", "<root>"]).roots(&[one]).client();
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
    client.notify("notifications/roots/list_changed", json!({}));
    client.call("read", json!({"path": "a"})).assert_text("started here\n");
}

#[test]
fn client_without_roots_gets_no_request_for_them() {
    let workspace = workspace();
    for protocol in Protocol::BOTH {
        let mut client = Start::new(&workspace).protocol(protocol).client();
        client.call("read", json!({"path": "a"})).assert_text("started here\n");
        let unsolicited = client.unsolicited();
        assert!(unsolicited.is_empty(), "{unsolicited:?}");
    }
}

#[test]
fn working_folder_replaces_missing_roots_unless_it_contains_the_home_folder() {
    let workspace = workspace();
    let uri = format!("file://{}", workspace.root().display());
    // Without the notification, the server does not request the roots.
    for is_silent in [true, false] {
        for (home, expected) in [("<root>", NO_WORKSPACE), ("<base>", "started here\n")] {
            let mut client = Start::new(&workspace).env("HOME", home).without_handshake();
            client.roots = Some(vec![uri.clone()]);
            client.roots_result = Some(json!({}));
            client.initialize("2025-06-18");
            if !is_silent {
                client.notify("notifications/initialized", json!({}));
            }
            client.call("read", json!({"path": "a"})).assert_contains(expected);
            client.roots_result = None;
            client.notify("notifications/roots/list_changed", json!({}));
            eventually("the roots arrive", || {
                client.call("read", json!({"path": "a"})).text() == "started here\n"
            });
        }
    }
}

#[test]
fn oversized_call_is_refused_before_roots_arrive() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).without_handshake();
    client.ask("initialize", json!({
        "protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"},
    }));
    let waiting = client.send_call("read", json!({"path": "a"}), None);
    let long = client.send_call("read", json!({"path": "x".repeat(300_000)}), None);
    assert!(client.response(long).to_string().contains("The arguments are too long"));
    assert!(!client.has_response(waiting), "the first call returned before the roots arrived");
    client.response(waiting);
}
