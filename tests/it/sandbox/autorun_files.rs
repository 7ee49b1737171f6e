//! Autorun files of clients: read-only for commands if the system allows mounts in namespaces, otherwise listed in a
//! warning. Created and changed files are reported.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{compiled, started, workspace};
use crate::support::{Client, Start, Workspace, eventually};

const FLAGS: [&str; 2] = ["--sandbox", "workspace-write"];
/// The start of the warning, before the list of writable files.
const WARNING: &str = "sandboxed commands can write to files that start programs outside the sandbox: ";

/// Further autorun files of clients.
const CLIENT_FILES: [&str; 17] = [
    ".cursor/mcp.json",
    ".codex/config.toml",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".continue/mcpServers/a.yaml",
    ".continue/mcpServers/b.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".cursor/hooks.json",
    ".opencode/plugins/a.ts",
    ".clinerules/hooks/PreToolUse",
];

/// Creates a workspace with files of clients. If the tests run as root, all belong to `owner`.
fn files_of_clients(owner: u32) -> Workspace {
    let workspace = workspace();
    workspace.write(".mcp.json", "{}\n");
    workspace.write(".vscode/mcp.json", "{}\n");
    for name in CLIENT_FILES {
        workspace.write(name, "{}\n");
    }
    fs::copy(env!("CARGO_BIN_EXE_cutline"), workspace.path("own-server")).unwrap();
    if rustix::process::geteuid().is_root() {
        let owner = format!("{owner}:{owner}");
        assert!(Command::new("chown").args(["-R", &owner]).arg(workspace.base()).status().unwrap().success());
    }
    workspace
}

/// Returns true if the server warned that it cannot protect autorun files.
fn is_unprotected(client: &mut Client) -> bool {
    client.call("bash", json!({"command": "true"})).assert_success();
    client.stderr().contains(WARNING)
}

/// Tries to bypass the read-only mounts: it clones the mount of the current folder without the mounts below it, also in new
/// namespaces, and opens a file there for writing. Exits with 0 if that succeeds.
const BYPASS_MOUNTS: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
static int opens(void) {
    int copy = syscall(428, AT_FDCWD, ".", 1 /* OPEN_TREE_CLONE */);
    return copy >= 0 && openat(copy, ".mcp.json", O_WRONLY) >= 0;
}
int main(void) {
    if (opens())
        return 0;
    unshare(CLONE_NEWUSER | CLONE_NEWNS);
    return !opens();
}
"#;

/// Commands that try to make a client run a program later.
const ATTEMPTS: [&str; 9] = [
    "mv .vscode moved",
    "echo x > .vscode/mcp.json",
    "echo x > .mcp.json",
    "echo x > new && mv new .mcp.json",
    "ln .mcp.json other && echo x > other",
    "umount .mcp.json && echo x > .mcp.json",
    "mount -o remount,bind,rw .mcp.json && echo x > .mcp.json",
    "<base>/past-mounts",
    "unshare -Urm sh -c 'umount .mcp.json; mount -o remount,bind,rw .mcp.json; echo x > .mcp.json'",
];

#[test]
fn autorun_files_are_read_only() {
    for unprivileged in [false, true] {
        let workspace = files_of_clients(if unprivileged { 65534 } else { 0 });
        let start = || {
            // The binary of the server is in the root.
            let start = Start::new(&workspace)
                .through("/bin/sh", &["-c", r#"exec "$PWD/own-server" "$@""#])
                .flags(FLAGS);
            if unprivileged { start.unprivileged() } else { start }
        };
        let Some(mut client) = started(start) else { return };
        if is_unprotected(&mut client) {
            eprintln!("skipped: commands cannot mount on this system (unprivileged: {unprivileged})");
            continue;
        }
        compiled(&workspace, "past-mounts", BYPASS_MOUNTS, &[]);
        let protected = || {
            let names = [".mcp.json", ".vscode/mcp.json"].into_iter().chain(CLIENT_FILES);
            names.map(|name| fs::read(workspace.path(name)).unwrap()).collect::<Vec<_>>()
        };
        let before = protected();
        for attempt in ATTEMPTS {
            let reply = client.call("bash", json!({"command": workspace.expand(attempt)}));
            assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            assert_eq!(protected(), before, "{reply}");
        }
        for name in CLIENT_FILES.into_iter().chain(["own-server"]) {
            let folder = name.split_once('/').map_or(name, |(folder, _)| folder);
            for attempt in [
                format!("echo x >> {name}"),
                format!("rm -f {name}"),
                format!("echo x > new && mv -f new {name}"),
                format!("mv {folder} moved"),
            ] {
                let reply = client.call("bash", json!({"command": attempt}));
                assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            }
        }
        assert_eq!(protected(), before);
        let is_own =
            |path: &Path| fs::read(path).unwrap() == fs::read(env!("CARGO_BIN_EXE_cutline")).unwrap();
        assert!(is_own(&workspace.path("own-server")));
        // Other files are writable, and the changes are visible outside.
        let work = "rm -f new other && echo x > .vscode/other";
        client.call("bash", json!({"command": work})).assert_text("(no output)");
        assert!(workspace.path(".vscode/other").exists());
    }
}

#[test]
fn autorun_files_are_read_only_although_proc_belongs_to_another_pid_namespace() {
    let workspace = files_of_clients(0);
    let in_namespace = |arguments: &[&str]| {
        let start = || Start::new(&workspace).flags(FLAGS).through("unshare", arguments);
        rustix::process::geteuid().is_root().then(|| started(start)).flatten()
    };
    let Some(mut outside) = in_namespace(&["--mount"]) else { return };
    let Some(mut client) = in_namespace(&["--pid", "--fork"]) else { return };
    assert_eq!(is_unprotected(&mut client), is_unprotected(&mut outside));
}

#[test]
fn unprotected_files_are_reported_at_start_and_by_doctor() {
    let workspace = workspace();
    symlink("b\u{1b}", workspace.path(".mcp.json")).unwrap();
    symlink("inside/a.txt", workspace.path("b\u{1b}")).unwrap();
    let Some(client) = started(|| Start::new(&workspace).flags(FLAGS)) else { return };
    let warning = workspace.expand(&format!("{WARNING}<root>/.mcp.json, <root>/b\u{FFFD}\n"));
    eventually("the server warns", || client.stderr().contains(&warning));
    let doctor = Start::new(&workspace).flags(["doctor"]).flags(FLAGS).command().output().unwrap();
    let report = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(report.contains(&format!("note  {warning}")), "{report}");
    assert!(!report.contains(" 0 notes"), "{report}");
    // In this mode, commands write nothing in the roots, so nothing is reported.
    let mut client = started(|| Start::new(&workspace).flags(["--sandbox", "read-only"])).unwrap();
    assert!(!is_unprotected(&mut client));
}

#[test]
fn unprotected_files_in_a_client_root_are_reported() {
    let workspace = workspace();
    fs::create_dir_all(workspace.base().join("opened/.vscode")).unwrap();
    symlink("elsewhere", workspace.base().join("opened/.vscode/mcp.json")).unwrap();
    let roots = [workspace.base().join("opened")];
    let Some(mut client) = started(|| Start::new(&workspace).flags(FLAGS).roots(&roots)) else { return };
    assert!(is_unprotected(&mut client));
    let warning = workspace.expand(&format!("{WARNING}<base>/opened/.vscode/mcp.json\n"));
    assert!(client.stderr().contains(&warning), "{}", client.stderr());
}

#[test]
fn link_on_the_path_to_a_client_file_is_reported() {
    let workspace = workspace();
    // For example, the files of a home folder can be links into a repository of settings.
    symlink(workspace.base().join("extra/x"), workspace.path("codex.toml")).unwrap();
    fs::create_dir(workspace.home().join(".codex")).unwrap();
    symlink(workspace.path("codex.toml"), workspace.home().join(".codex/config.toml")).unwrap();
    let Some(mut client) = started(|| Start::new(&workspace).flags(FLAGS)) else { return };
    assert!(is_unprotected(&mut client));
    let warning = workspace.expand(&format!("{WARNING}<root>/codex.toml\n"));
    assert!(client.stderr().contains(&warning), "{}", client.stderr());
}

/// Starts a server that cannot mount, so its commands can write autorun files.
///
/// Returns `None` if the tests do not run as root. Only root can drop the capability to mount.
fn start_without_mounts(workspace: &Workspace) -> Option<Client> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can drop the capability to mount");
        return None;
    }
    let drop_capability = ["--bounding-set=-sys_admin", "--inh-caps=-sys_admin"];
    started(|| Start::new(workspace).through("setpriv", &drop_capability).flags(FLAGS))
}

#[test]
fn warning_lists_all_files_if_commands_cannot_mount() {
    let workspace = files_of_clients(0);
    let Some(mut client) = start_without_mounts(&workspace) else { return };
    assert!(is_unprotected(&mut client));
    for name in [".mcp.json", ".vscode/mcp.json"] {
        assert!(
            client.stderr().contains(&workspace.expand(&format!("<root>/{name}"))),
            "{}",
            client.stderr()
        );
    }
    client.call("bash", json!({"command": "echo x > .mcp.json && cat .mcp.json"})).assert_contains("x\n");
}

/// Starts a server in a workspace that belongs to the user who starts it.
fn start(workspace: &Workspace, unprivileged: bool) -> Option<Client> {
    started(|| {
        let start = Start::new(workspace).flags(FLAGS);
        if unprivileged { start.unprivileged() } else { start }
    })
}

#[test]
fn file_that_a_command_creates_is_reported() {
    for unprivileged in [false, true] {
        let workspace = files_of_clients(if unprivileged { 65534 } else { 0 });
        let names = [".mcp.json", ".vscode/tasks.json"];
        for name in names {
            fs::remove_file(workspace.path(name)).unwrap();
        }
        let Some(mut client) = start(&workspace, unprivileged) else { return };
        for name in names {
            let (folder, file) = name.rsplit_once('/').unwrap_or((".", name));
            let reply = client
                .call("bash", json!({"command": format!("cd {folder} && echo x > {file} && echo made")}));
            reply.assert_text(&format!(
                "made\n\n[The command created {name}, which starts programs outside the sandbox]"
            ));
            assert_eq!(reply.details()["autorunFiles"], json!([{"path": name, "change": "created"}]));
            fs::remove_file(workspace.path(name)).unwrap();
        }
        let both = "touch .mcp.json .vscode/tasks.json; exit 1";
        client.call("bash", json!({"command": both})).assert_text(
            "(no output)\n\n[The command created .mcp.json, .vscode/tasks.json, which start programs outside the \
             sandbox]\n\nCommand exited with code 1",
        );
        client.call("bash", json!({"command": "cat .mcp.json"})).assert_text("(no output)");
    }
}

#[test]
fn details_list_the_first_50_files() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let links = "for n in .cursor .vscode .codex .gemini; do ln -sfn ${n}1 $n
        for i in $(seq 15); do ln -sfn $n$((i + 1)) $n$i; done; done";
    client.call("bash", json!({"command": links}));
    let reply = client.call("bash", json!({"command": links}));
    reply.assert_contains(" and 61 more, which start programs outside the sandbox]");
    assert_eq!(reply.details()["autorunFiles"].as_array().unwrap().len(), 50, "{reply}");
}

#[test]
fn file_behind_a_link_to_the_temp_folder_is_reported() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    client.call("bash", json!({"command": "ln -s $TMPDIR/claude .claude"})).assert_text("(no output)");
    let fill = "mkdir $TMPDIR/claude && echo {} > $TMPDIR/claude/settings.json";
    client
        .call("bash", json!({"command": fill}))
        .assert_contains("[The command created .claude/settings.json,");
}

#[test]
fn change_through_another_name_is_reported() {
    let workspace = workspace();
    workspace.write("notes", "a");
    let Some(mut client) = start(&workspace, false) else { return };
    for (create, change, path) in [
        ("ln notes .mcp.json", "echo b > notes", ".mcp.json"),
        ("touch $TMPDIR/b; ln -s $TMPDIR/b opencode.json", "echo b > $TMPDIR/b", "opencode.json"),
        ("touch c; mkdir -p .opencode/tool; ln c .opencode/tool/c", "echo b > c", ".opencode/tool"),
        ("echo gitdir: d > e; ln e f; ln -s e .git", "echo gitdir: g > f", ".git"),
    ] {
        for (command, change) in [(create, "created"), (change, "changed")] {
            let reply = client.call("bash", json!({"command": command}));
            assert_eq!(reply.details()["autorunFiles"], json!([{"path": path, "change": change}]), "{reply}");
        }
    }
}

#[test]
fn file_created_in_the_background_is_reported_by_the_next_command() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let later = "(until [ -e go ]; do sleep 0.01; done; mkdir .cursor; echo x > new; mv new .cursor/mcp.json; until [ -e end ]; do sleep 0.01; done) & echo started";
    client.call("bash", json!({"command": later})).assert_contains("started");
    workspace.write("go", "");
    eventually("the file exists", || workspace.path(".cursor/mcp.json").exists());
    let reply = client.call("bash", json!({"command": "true"}));
    // The process that was left still runs, so it counts as a part of this command.
    reply
        .assert_contains("[The command created .cursor/mcp.json, which starts programs outside the sandbox]");
    workspace.write("end", "");
    client.call("bash", json!({"command": "true"})).assert_text("(no output)");
}

#[test]
fn change_between_two_commands_is_reported() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    client.call("bash", json!({"command": "true"})).assert_text("(no output)");
    for (content, change) in [("{}", "created"), ("{ }", "changed")] {
        workspace.write(".mcp.json", content);
        let notice = format!(
            "[.mcp.json was {change} since the last command, and starts programs outside the sandbox]"
        );
        client.call("bash", json!({"command": "true"})).assert_text(&format!("(no output)\n\n{notice}"));
        client.call("bash", json!({"command": "true"})).assert_text("(no output)");
    }
}

#[test]
fn file_that_a_command_changes_is_reported() {
    let workspace = files_of_clients(0);
    let Some(mut client) = start_without_mounts(&workspace) else { return };
    for same in ["cat .mcp.json > copy", "rm .cursor/hooks.json"] {
        client.call("bash", json!({"command": same})).assert_text("(no output)");
    }
    let reply = client.call("bash", json!({"command": "echo x >> .mcp.json"}));
    reply.assert_text(
        "(no output)\n\n[The command changed .mcp.json, which starts programs outside the sandbox]",
    );
    assert_eq!(reply.details()["autorunFiles"], json!([{"path": ".mcp.json", "change": "changed"}]));
    client
        .call("bash", json!({"command": "echo x >> .opencode/plugins/a.ts"}))
        .assert_contains("The command changed .opencode/plugins,");
    client
        .call("bash", json!({"command": "ln -sf /dev/zero .mcp.json"}))
        .assert_contains("The command changed .mcp.json,");
    let special = "mkfifo fifo; ln -sf fifo .mcp.json; truncate -s 1T .vscode/tasks.json";
    client.call("bash", json!({"command": special})).assert_text(
        "(no output)\n\n[The command changed .mcp.json, .vscode/tasks.json, which start programs outside the sandbox]",
    );
}

#[test]
fn exchanged_target_of_a_link_is_reported() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let create = "cd $TMPDIR; mkdir a b; touch b/m; touch a/m; ln -s $TMPDIR/a/m \"$OLDPWD/.mcp.json\"";
    client.call("bash", json!({"command": create})).assert_contains("[The command created .mcp.json,");
    let exchange = "cd $TMPDIR; mv a c; mv b a";
    client.call("bash", json!({"command": exchange})).assert_contains("[The command changed .mcp.json,");
    // Another name leads through it.
    client.call("bash", json!({"command": "ln -s .mcp.json .vscode"}));
    let change = json!({"command": "echo b > $TMPDIR/a/m"});
    client.call("bash", change).assert_contains("[The command changed .mcp.json,");
    let create = "cd $TMPDIR; mkdir f g; ln -s f l; ln -s $TMPDIR/l \"$OLDPWD/.git\"";
    client.call("bash", json!({"command": create})).assert_contains("[The command created .git,");
    let exchange = json!({"command": "ln -sfn g $TMPDIR/l"});
    client.call("bash", exchange).assert_contains("[The command changed .git,");
}

/// The targets of links in a folder are not looked at: following many long links takes long.
#[test]
fn links_in_a_folder_are_not_followed() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let create = "touch a; mkdir -p .opencode/tool; ln -s ../../a .opencode/tool/a";
    client.call("bash", json!({"command": create})).assert_contains("[The command created .opencode/tool,");
    client.call("bash", json!({"command": "echo b > a"})).assert_text("(no output)");
}

/// The log line and the notice about a file that a command created whose result does not show it.
const LOGGED: &str = ".mcp.json, which starts programs outside the sandbox, was created";
const SINCE_LAST: &str =
    "(no output)\n\n[.mcp.json was created since the last command, and starts programs outside the sandbox]";

#[test]
fn file_of_a_cancelled_command_is_reported_by_the_next_one() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let create = "echo {} > .mcp.json; touch made; sleep 600; true";
    let id = client.send_call("bash", json!({"command": create}), None);
    eventually("the file exists", || workspace.path("made").exists());
    client.cancel(id);
    eventually("the file is noticed", || client.stderr().contains(LOGGED));
    client.call("bash", json!({"command": "true"})).assert_text(SINCE_LAST);
    client.call("bash", json!({"command": "true"})).assert_text("(no output)");
}

#[test]
fn file_created_after_the_last_command_is_logged_at_the_end() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false) else { return };
    let later =
        "(until [ -e go ]; do sleep 0.01; done; echo {} > .mcp.json; touch made; sleep 600) & echo started";
    client.call("bash", json!({"command": later})).assert_contains("started");
    workspace.write("go", "");
    eventually("the file exists", || workspace.path("made").exists());
    client.close_stdin();
    assert_eq!(client.exit().code(), Some(0));
    assert!(client.stderr().contains(LOGGED), "{}", client.stderr());
}

#[test]
fn file_of_a_command_that_outlived_its_result_is_reported_by_the_next_one() {
    let workspace = workspace();
    let flags = ["--answer-within", "1"];
    let Some(mut client) = started(|| Start::new(&workspace).flags(FLAGS).flags(flags)) else { return };
    let create = "until [ -e go ]; do sleep 0.01; done; echo {} > .mcp.json";
    client.call("bash", json!({"command": create})).assert_contains("[Still running after");
    workspace.write("go", "");
    eventually("the file is noticed", || client.stderr().contains(LOGGED));
    client.call("bash", json!({"command": "true"})).assert_text(SINCE_LAST);
    client.call("bash", json!({"command": "true"})).assert_text("(no output)");
}

#[test]
fn file_is_reported_if_a_command_without_result_ends_first() {
    let workspace = workspace();
    let flags = ["--answer-within", "1"];
    let Some(mut client) = started(|| Start::new(&workspace).flags(FLAGS).flags(flags)) else { return };
    let first = "until [ -e .mcp.json ]; do sleep 0.01; done";
    client.call("bash", json!({"command": first})).assert_contains("[Still running after");
    // The first command may end at once, so the file is complete when it appears.
    let second = "echo {} > new; mv new .mcp.json; until [ -e go ]; do sleep 0.01; done";
    let id = client.send_call("bash", json!({"command": second}), None);
    eventually("the file is noticed", || client.stderr().contains(LOGGED));
    workspace.write("go", "");
    let response = client.response(id);
    let text = response["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("[The command created .mcp.json,"), "{text}");
}
