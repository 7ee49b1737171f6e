//! Autorun files of submodules, of linked work trees, and of repositories in folders of the workspace.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{started, workspace};
use crate::support::{Client, Start, Workspace};

const FLAGS: [&str; 2] = ["--sandbox", "workspace-write"];

/// Starts a server in a workspace that belongs to the user who starts it.
fn start(workspace: &Workspace, unprivileged: bool) -> Option<Client> {
    if unprivileged && rustix::process::geteuid().is_root() {
        let status = Command::new("chown").args(["-R", "65534:65534"]).arg(workspace.base()).status();
        assert!(status.unwrap().success());
    }
    started(|| {
        let start = Start::new(workspace).flags(FLAGS);
        if unprivileged { start.unprivileged() } else { start }
    })
}

/// Runs git outside the sandbox, in a folder of the workspace.
fn git(workspace: &Workspace, folder: &str, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(workspace.path(folder)).env("HOME", workspace.home());
    let own = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
    assert!(git.args(own).args(arguments).status().unwrap().success(), "{arguments:?}");
}

/// Returns true if the commands of this server are in their own mount namespace.
fn has_mounts(client: &mut Client) -> bool {
    let outside = fs::read_link("/proc/self/ns/mnt").unwrap();
    let inside = client.call("bash", json!({"command": "readlink /proc/self/ns/mnt"}));
    inside.text().trim() != outside.to_str().unwrap()
}

#[test]
fn submodules_of_any_name_are_read_only() {
    for (unprivileged, others) in [(false, 0), (true, 0), (false, 300), (true, 300)] {
        let workspace = workspace();
        git(&workspace, ".", &["init", "-q"]);
        let names = ["a", "libs/b", "libs/b/modules/c"].map(|name| format!(".git/modules/{name}"));
        for name in &names {
            workspace.write(format!("{name}/HEAD"), "ref: refs/heads/main\n");
            workspace.write(format!("{name}/config"), "");
        }
        // A command could create many such folders to hide the submodules.
        workspace.write(".git/modules/libs/HEAD", "");
        for number in 0..others {
            fs::create_dir(workspace.path(format!(".git/modules/{number}"))).unwrap();
        }
        let Some(mut client) = start(&workspace, unprivileged) else { return };
        if !has_mounts(&mut client) {
            continue;
        }
        for name in &names {
            for attempt in ["echo x >> config", "rm config", "echo x > new && mv new config"] {
                let command = format!("cd {name} && {attempt}");
                let reply = client.call("bash", json!({"command": command}));
                assert_ne!(reply.details()["exitCode"], 0, "{unprivileged}, {others}: {reply}");
            }
            assert_eq!(fs::read_to_string(workspace.path(format!("{name}/config"))).unwrap(), "");
        }
    }
}

#[test]
fn repositories_in_folders_are_reported() {
    for unprivileged in [false, true] {
        let workspace = workspace();
        for folder in ["mine", "libs/deep"] {
            fs::create_dir_all(workspace.path(folder)).unwrap();
            git(&workspace, folder, &["init", "-q"]);
        }
        let Some(mut client) = start(&workspace, unprivileged) else { return };
        let notice = |verb: &str, name: &str| {
            format!("(no output)\n\n[The command {verb} {name}, which starts programs outside the sandbox]")
        };
        for (command, verb, name) in [
            ("git init -q sub", "created", "sub/.git/config"),
            ("echo x >> mine/.git/config", "changed", "mine/.git/config"),
            ("echo x > mine/.git/hooks/post-checkout", "created", "mine/.git/hooks/post-checkout"),
            ("echo x >> libs/deep/.git/config", "changed", "libs/deep/.git/config"),
            ("mkdir tree; echo gitdir: ../elsewhere > tree/.git", "created", "tree/.git"),
        ] {
            client.call("bash", json!({"command": command})).assert_text(&notice(verb, name));
        }
        // The created files can be removed.
        client.call("bash", json!({"command": "rm -r sub mine libs tree"})).assert_text("(no output)");
    }
}

#[test]
fn work_trees_with_a_foreign_git_folder_are_reported() {
    let workspace = workspace();
    git(&workspace, ".", &["init", "-q"]);
    git(&workspace, ".", &["commit", "-q", "--allow-empty", "-m", "one"]);
    let Some(mut client) = start(&workspace, false) else { return };
    client.call("bash", json!({"command": "git worktree add -q tree"})).assert_text("(no output)");
    let other = "mkdir -p .git/worktrees/other && echo /elsewhere > .git/worktrees/other/commondir";
    client
        .call("bash", json!({"command": other}))
        .assert_contains("The command created .git/worktrees/other/commondir,");
    client
        .call("bash", json!({"command": "echo gitdir: /elsewhere > tree/.git"}))
        .assert_contains("The command created tree/.git,");
}

#[test]
fn deep_repositories_that_the_index_lists_are_reported() {
    // `git status` runs git with the settings of these repositories.
    for (unprivileged, index) in
        [(false, "--add"), (true, "--index-version=4 --add"), (false, "--split-index --add")]
    {
        let workspace = workspace();
        git(&workspace, ".", &["init", "-q"]);
        git(&workspace, ".", &["add", "inside"]);
        let Some(mut client) = start(&workspace, unprivileged) else { return };
        let command = format!(
            "mkdir -p a/b/c/d && git init -q a/b/c/d && id=$(git hash-object inside/a.txt) && \
             git update-index {index} --cacheinfo 160000,$id,a/b/c/d"
        );
        client.call("bash", json!({"command": command})).assert_text(
            "(no output)\n\n[The command created a/b/c/d/.git/config, which starts programs outside the sandbox]",
        );
        let change = "git update-index --add inside/a.txt && echo x >> a/b/c/d/.git/config";
        client
            .call("bash", json!({"command": change}))
            .assert_contains("The command changed a/b/c/d/.git/config,");
    }
}
