//! The git folder of each root is read-only for commands, wherever it is, unless a `--writable` names it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{WITHOUT_SYSTEM_CALL, client_after, compiled, started, workspace};
use crate::support::{Client, Reply, Start, Workspace, eventually};

const FLAGS: [&str; 2] = ["--sandbox", "workspace-write"];
const UNPRIVILEGED: u32 = 65534;
/// The system call with which a process gets its own mounts.
const UNSHARE: &str = if cfg!(target_arch = "x86_64") { "-DCALL=272" } else { "-DCALL=97" };

/// Runs git outside the sandbox.
fn git(workspace: &Workspace, folder: &str, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(workspace.path(folder)).env("HOME", workspace.home());
    let own = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
    assert!(git.args(own).args(arguments).status().unwrap().success(), "{arguments:?}");
}

/// Makes the user who starts the server the owner of the workspace.
fn give(workspace: &Workspace, unprivileged: bool) {
    if unprivileged && rustix::process::geteuid().is_root() {
        let owner = format!("{UNPRIVILEGED}:{UNPRIVILEGED}");
        let status = Command::new("chown").args(["-R", &owner]).arg(workspace.base()).status();
        assert!(status.unwrap().success());
    }
}

/// Starts a server, with or without the right to mount.
fn start(workspace: &Workspace, unprivileged: bool, mounts: bool, flags: &[&str]) -> Option<Client> {
    let mut script = "exec \"$0\" \"$@\"".to_owned();
    if !mounts {
        let without = compiled(workspace, "without", WITHOUT_SYSTEM_CALL, &[UNSHARE]);
        let server = workspace.base().join("own-server");
        assert!(
            Command::new("cp")
                .args([env!("CARGO_BIN_EXE_cutline").as_ref(), server.as_os_str()])
                .status()
                .is_ok()
        );
        script = format!("exec {} {} \"$@\"", without.display(), server.display());
    }
    give(workspace, unprivileged);
    started(|| {
        let start = Start::new(workspace).flags(FLAGS).flags(flags);
        let start = if mounts { start } else { start.through("/bin/sh", &["-c", &script]) };
        if unprivileged { start.unprivileged() } else { start }
    })
}

/// Each path below a folder with its mode and content.
fn state(folder: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let found = path.symlink_metadata().unwrap();
        let content = if found.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        all.push((path.display().to_string(), found.permissions().mode(), content));
        if found.is_dir() {
            all.extend(state(&path));
        }
    }
    all.sort();
    all
}

/// Commands that try to change the git folder `$G`.
const ATTEMPTS: [&str; 14] = [
    "git commit -q --allow-empty -m two",
    "git config core.fsmonitor ./x",
    "echo x >> $G/config",
    "echo x > $G/config.worktree",
    "echo x > $G/new",
    "chmod +x $G/hooks/post-commit",
    "mkdir -p $G/worktrees/evil && echo x > $G/worktrees/evil/config.worktree",
    "mkdir $G/modules",
    "rm -r $G/hooks",
    "rm -rf $G",
    "mv $G moved",
    "ln $G/config other && echo x >> other",
    "echo x > new.txt && mv new.txt $G/new.txt",
    "mv $G/../.git moved && mkdir .git && echo x > .git/config",
];

/// Creates a workspace with a repository. `kind` says where its git folder is. Returns the path of that folder.
fn repository(workspace: &Workspace, kind: &str) -> String {
    let git_folder = match kind {
        "plain" => {
            git(workspace, ".", &["init", "-q"]);
            ".git"
        }
        "separate" => {
            git(workspace, ".", &["init", "-q", "--separate-git-dir", "store/git"]);
            "store/git"
        }
        "linked" => {
            fs::create_dir(workspace.path("main")).unwrap();
            git(workspace, "main", &["init", "-q"]);
            git(workspace, "main", &["commit", "-q", "--allow-empty", "-m", "one"]);
            git(workspace, "main", &["worktree", "add", "-q", "--detach", "../tree"]);
            // The linked work tree becomes the root, with its repository in a folder of the root.
            fs::rename(workspace.path("tree/.git"), workspace.path(".git")).unwrap();
            fs::write(workspace.path("main/.git/worktrees/tree/gitdir"), "../../../../.git\n").unwrap();
            "main/.git"
        }
        _ => unreachable!(),
    };
    let hook = workspace.path(git_folder).join("hooks/post-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(hook, "").unwrap();
    git_folder.to_owned()
}

fn failed(reply: &Reply) -> bool {
    reply.details()["exitCode"] != 0
}

#[test]
fn git_folder_is_read_only_as_a_whole() {
    for kind in ["plain", "separate", "linked"] {
        for (unprivileged, mounts) in [(false, true), (true, true), (false, false), (true, false)] {
            let workspace = workspace();
            if kind == "separate" {
                fs::create_dir(workspace.path("store")).unwrap();
            }
            let name = repository(&workspace, kind);
            let folder = workspace.path(&name);
            let Some(mut client) = start(&workspace, unprivileged, mounts, &[]) else { return };
            let before = state(&folder);
            let (file, about) = (workspace.path(".git"), format!("{kind}, {unprivileged}, {mounts}"));
            let git_file = fs::read(&file).ok();
            for attempt in ATTEMPTS {
                if attempt.starts_with("chmod") && !mounts {
                    continue; // Landlock does not check modes.
                }
                let command = format!(
                    "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
                             GIT_COMMITTER_EMAIL=a@b; G={name}; {attempt}"
                );
                let reply = client.call("bash", json!({"command": command}));
                assert!(failed(&reply), "{about}: {reply}");
                assert!(state(&folder) == before, "{about}: {reply}");
                assert_eq!(fs::read(&file).ok(), git_file, "{about}: {reply}");
            }
            let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two";
            client.call("bash", json!({"command": commit})).assert_contains(&format!(
                "[The git folder is read-only in the sandbox. The user can allow it with --writable {}]",
                folder.display()
            ));
            // git works otherwise, and other files are writable.
            let work = "git status --short >/dev/null && git log -1 --format=%s; echo x > inside/new && rm inside/new";
            client.call("bash", json!({"command": work}));
            let reply = client.call("bash", json!({"command": "echo x > inside/new && rm inside/new"}));
            assert!(!failed(&reply), "{about}: {reply}");
            let reply = client.call("bash", json!({"command": "echo x > new-entry"}));
            assert_eq!(failed(&reply), !mounts, "{about}: {reply}");
            if !mounts {
                assert!(client.stderr().contains("commands cannot create, remove or rename"), "{about}");
            }
        }
    }
}

/// Passes on the open working directory, or receives one and tries to write to the git folder in it.
const FOLDER_PASSED_ON: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sockaddr_un address = {AF_UNIX, "inside/socket"};
    int folder, file, socket_ = socket(AF_UNIX, SOCK_DGRAM, 0);
    char byte = 0, control[CMSG_SPACE(sizeof folder)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {0, 0, &part, 1, control, sizeof control, 0};
    if (strcmp(argv[1], "receive") == 0) {
        bind(socket_, (struct sockaddr *)&address, sizeof address);
        puts("waiting"), fflush(stdout);
        recvmsg(socket_, &message, 0);
        folder = *(int *)CMSG_DATA(CMSG_FIRSTHDR(&message));
        for (int tries = 0; tries < 20; tries++, usleep(50000))
            if ((file = openat(folder, ".git/config", O_WRONLY | O_APPEND)) >= 0) write(file, "changed\n", 8);
        puts("done"), fflush(stdout);
        return 0;
    }
    folder = open(".", O_RDONLY);
    message.msg_name = &address, message.msg_namelen = sizeof address;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof folder);
    *(int *)CMSG_DATA(head) = folder;
    return sendmsg(socket_, &message, 0) != 1;
}
"#;

#[test]
fn git_folder_stays_read_only_in_an_open_folder_of_a_mount_namespace_that_ended() {
    for (unprivileged, mounts) in [(false, true), (true, true), (false, false), (true, false)] {
        let workspace = workspace();
        repository(&workspace, "plain");
        let program = compiled(&workspace, "pass", FOLDER_PASSED_ON, &[]);
        let Some(mut client) = start(&workspace, unprivileged, mounts, &[]) else { return };
        let before = state(&workspace.path(".git"));
        let about = format!("{unprivileged}, {mounts}");
        // The only process leaves its namespace.
        let command = "exec 9<. && exec unshare --user --mount --propagation unchanged sh -c \
            'cd /proc/self/fd/9/.git && for n in $(seq 20); do echo changed >>config && exit; sleep 0.05; done; exit 1'";
        let reply = client.call("bash", json!({"command": command}));
        assert!(failed(&reply), "{about}: {reply}");
        assert!(state(&workspace.path(".git")) == before, "{about}: {reply}");
        // The namespace of the second command ends.
        let program = program.display();
        let receive = format!(
            "cd inside && (cd .. && exec {program} receive) >log 2>&1 & until grep -q waiting inside/log; do sleep 0.01; done"
        );
        client.call("bash", json!({"command": receive}));
        let send = client.call("bash", json!({"command": format!("exec {program} send")}));
        assert!(!failed(&send), "{about}: {send}");
        eventually("the first command tries", || {
            fs::read_to_string(workspace.path("inside/log")).unwrap().contains("done")
        });
        assert!(state(&workspace.path(".git")) == before, "{about}");
    }
}

#[test]
fn only_a_writable_folder_that_names_the_git_folder_lifts_it() {
    for (unprivileged, mounts) in [(false, true), (true, true), (false, false), (true, false)] {
        let workspace = workspace();
        git(&workspace, ".", &["init", "-q"]);
        fs::create_dir_all(workspace.path(".git/hooks")).unwrap();
        let commit =
            "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --format=%s";
        for (writable, works) in
            [("<root>", false), ("<base>", false), ("<root>/.git/refs", false), ("<root>/.git", true)]
        {
            if writable == "<base>" {
                continue; // The folder of saved outputs is there.
            }
            let flags = ["--writable", writable];
            let Some(mut client) = start(&workspace, unprivileged, mounts, &flags) else { return };
            let reply = client.call("bash", json!({"command": commit}));
            assert_eq!(!failed(&reply), works, "{writable}: {reply}");
            let reply = client.call("bash", json!({"command": "echo x > .git/refs/new"}));
            assert_eq!(!failed(&reply), works, "{writable}: {reply}");
            if works {
                let entry = client.call("bash", json!({"command": "echo x > new-entry"}));
                assert!(!failed(&entry), "{entry}");
            }
        }
    }
}

#[test]
fn writable_folder_that_a_command_linked_to_the_git_folder_does_not_lift_it() {
    // The folder of `--writable`, what an earlier command did, and whether the git folder is writable then.
    for (writable, earlier, works) in [
        ("cache", "mkdir cache", false),
        ("cache", "ln -s .git cache", false),
        ("cache", "ln -s next cache && ln -s .git next", false),
        ("sub/cache", "mkdir sub && ln -s ../.git sub/cache", false),
        ("sub/cache", "mkdir other && ln -s ../.git other/cache && ln -s other sub", false),
        ("cache", "mv .git store && ln -s store .git && ln -s .git cache", false),
        // What the user names is the git folder, wherever it is.
        (".git", "mv .git store && ln -s store .git", true),
        ("store", "mv .git store && ln -s store .git", true),
        ("store", "mv .git store && echo gitdir: store > .git", true),
    ] {
        for (unprivileged, mounts) in [(false, true), (true, false)] {
            let workspace = workspace();
            git(&workspace, ".", &["init", "-q"]);
            let shell = Command::new("sh").args(["-c", earlier]).current_dir(workspace.root()).status();
            assert!(shell.unwrap().success(), "{earlier}");
            let flags = ["--writable", &format!("<root>/{writable}")];
            let Some(mut client) = start(&workspace, unprivileged, mounts, &flags) else { return };
            // Without the link, the next command gets no more rights.
            for before in ["true", "rm -f cache sub; mkdir -p cache sub/cache"] {
                client.call("bash", json!({"command": before}));
                let reply = client.call("bash", json!({"command": "git config a.b c"}));
                let about = format!("{writable}, {earlier}, {unprivileged}, {mounts}");
                assert_eq!(!failed(&reply), works, "{about}: {reply}");
            }
        }
    }
}

#[test]
fn git_folder_that_a_command_creates_is_reported_and_then_read_only() {
    for (unprivileged, mounts) in [(false, true), (true, true), (false, false)] {
        let workspace = workspace();
        let Some(mut client) = start(&workspace, unprivileged, mounts, &[]) else { return };
        let reply = client.call("bash", json!({"command": "git init -q"}));
        reply.assert_text(
            "(no output)\n\n[The command created .git, which starts programs outside the sandbox]",
        );
        let reply = client.call("bash", json!({"command": "echo x >> .git/config"}));
        assert!(failed(&reply), "{reply}");
        fs::remove_dir_all(workspace.path(".git")).unwrap();
        let reply = client.call("bash", json!({"command": "mkdir x && echo gitdir: x > .git"}));
        reply.assert_contains("[The command created .git, which");
    }
}

#[test]
fn no_notice_recommends_a_folder_that_is_no_git_folder() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, false, true, &[]) else { return };
    let name = workspace.expand("ln -s <base>/outside .git");
    client.call("bash", json!({"command": name})).assert_contains("[The command created .git, which");
    let reply = client.call("bash", json!({"command": workspace.expand("echo x > <base>/outside/new")}));
    assert!(failed(&reply) && !reply.text().contains("--writable"), "{reply}");
}

#[test]
fn control_characters_of_a_file_that_is_unknown_are_not_shown() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, true, true, &[]) else { return };
    let hide = r"d=$'a\e[1m'; mkdir $d; echo gitdir: $d/git > .git; chmod 000 $d";
    client.call("bash", json!({"command": hide}));
    let reply = client.call("bash", json!({"command": "pwd"}));
    reply.assert_error(&["--sandbox: cannot check", "/a\u{FFFD}[1m/git"]);
}

#[test]
fn git_folder_in_the_temp_folder_is_read_only() {
    let separate = "git init -q --separate-git-dir=$TMPDIR/git .";
    let common = "git init -q --bare $TMPDIR/git && mkdir .git && echo $TMPDIR/git > .git/commondir";
    // Git ends the name at the NUL.
    let with_nul = r"git init -q --bare $TMPDIR/git && printf 'gitdir: %s\0x\n' $TMPDIR/git > .git";
    for create in [separate, common, with_nul] {
        for (unprivileged, mounts) in [(false, true), (true, true), (false, false)] {
            let workspace = workspace();
            let Some(mut client) = start(&workspace, unprivileged, mounts, &[]) else { return };
            let reply = client.call("bash", json!({"command": create}));
            reply.assert_contains("[The command created .git, which");
            for attempt in ["echo x >> $TMPDIR/git/config", "echo x > $TMPDIR/git/hooks/post-commit"] {
                let reply = client.call("bash", json!({"command": attempt}));
                assert!(failed(&reply), "{unprivileged}, {mounts}: {reply}");
            }
            let reply = client.call("bash", json!({"command": "echo x > $TMPDIR/new"}));
            assert_eq!(failed(&reply), !mounts, "{reply}");
        }
    }
}

#[test]
fn root_and_temp_folder_that_are_a_git_folder_are_read_only() {
    // What a command makes the git folder of the first root, and the folder that becomes read-only.
    for (link, folder) in [
        ("git init -q --bare . && ln -s . .git", "<root>"),
        ("git init -q --bare . && echo gitdir: . > .git", "<root>"),
        ("git init -q --bare $TMPDIR && ln -s $TMPDIR .git", "$TMPDIR"),
        ("git init -q --separate-git-dir=<base>/second .", "<base>/second"),
        ("git init -q --bare <base>/second && echo gitdir: ../second > .git", "<base>/second"),
    ] {
        for (unprivileged, mounts) in [(false, true), (true, true), (false, false), (true, false)] {
            let workspace = workspace();
            fs::create_dir_all(workspace.base().join("second/hooks")).unwrap();
            let Some(mut client) =
                start(&workspace, unprivileged, mounts, &["--root", "<root>", "--root", "<base>/second"])
            else {
                return;
            };
            let about = format!("{link}, {unprivileged}, {mounts}");
            let reply = client.call("bash", json!({"command": workspace.expand(link)}));
            assert!(!failed(&reply), "{about}: {reply}");
            for attempt in
                ["echo x > hooks/pre-commit", "echo x >> config", "git config core.pager ./x", "touch new"]
            {
                let command = workspace.expand(&format!("cd {folder} && {attempt}"));
                let reply = client.call("bash", json!({"command": command}));
                assert!(failed(&reply), "{about}: {attempt}: {reply}");
            }
            for other in ["<root>", "<base>/second", "$TMPDIR"].into_iter().filter(|other| *other != folder) {
                let reply =
                    client.call("bash", json!({"command": workspace.expand(&format!("touch {other}/new"))}));
                // Without mounts, nothing can be created around a file that names the git folder.
                let is_around = !mounts && other == "<root>" && workspace.path(".git").is_file();
                assert_eq!(failed(&reply), is_around, "{about}: {other}: {reply}");
            }
        }
    }
}

#[test]
fn link_on_the_way_to_a_git_folder_is_reported() {
    let workspace = workspace();
    fs::create_dir(workspace.base().join("outside/store")).unwrap();
    git(&workspace, ".", &["init", "-q", "--separate-git-dir", "../outside/store/git"]);
    std::os::unix::fs::symlink("../outside/store", workspace.path("via")).unwrap();
    workspace.write(".git", "gitdir: via/git\n");
    let Some(mut client) = start(&workspace, false, true, &[]) else { return };
    let reply = client.call("bash", json!({"command": "rm via && mkdir via && git init -q --bare via/git"}));
    assert!(failed(&reply) || reply.text().contains("[The command c"), "{reply}");
}

#[test]
fn no_command_starts_while_an_autorun_file_is_unknown() {
    // A read that does not wait is refused while another process has a lease of the file.
    let lease = "python3 -c 'import fcntl, signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
git = open(\".git\")
fcntl.fcntl(git, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print(\"held\", flush=True)
time.sleep(60)' > held & until [ -s held ]; do sleep 0.01; done";
    for (unprivileged, mounts, hide, unknown) in [
        (true, true, "chmod 000 .claude", ".claude/settings.json"),
        (true, true, "chmod 000 sub", "sub/git"),
        (true, false, "chmod 000 sub", "sub/git"),
        (false, true, lease, ".git"),
        (true, true, lease, ".git"),
    ] {
        let workspace = workspace();
        workspace.write(".claude/settings.json", "{}");
        fs::create_dir(workspace.path("sub")).unwrap();
        git(&workspace, ".", &["init", "-q", "--separate-git-dir", "sub/git"]);
        let Some(mut client) = start(&workspace, unprivileged, mounts, &[]) else { return };
        let reply = client.call("bash", json!({"command": hide}));
        assert!(!failed(&reply), "{hide}: {reply}");
        let reply =
            client.call("bash", json!({"command": "chmod 755 .claude sub; echo x >> sub/git/config"}));
        let path = workspace.path(unknown);
        reply.assert_error(&["--sandbox: cannot check", &path.display().to_string()]);
    }
}

#[test]
fn no_command_starts_while_the_way_to_a_git_folder_is_unclear() {
    for (hide, path) in [("chmod 000 sub", "sub/deep/../../via"), ("rmdir sub/deep", "sub/deep/../../via")] {
        for mounts in [true, false] {
            let workspace = workspace();
            fs::create_dir_all(workspace.path("sub/deep")).unwrap();
            git(&workspace, ".", &["init", "-q", "store"]);
            std::os::unix::fs::symlink("store/.git", workspace.path("via")).unwrap();
            std::os::unix::fs::symlink(path, workspace.path(".git")).unwrap();
            let Some(mut client) = start(&workspace, true, mounts, &[]) else { return };
            // Without mounts, the command cannot do this.
            let hidden = !failed(&client.call("bash", json!({"command": hide})));
            let write = "chmod 755 sub; mkdir sub/deep; echo x >> store/.git/config";
            let reply = client.call("bash", json!({"command": write}));
            assert!(!hidden || reply.text().contains("--sandbox: cannot check"), "{hide}, {mounts}: {reply}");
            assert!(hidden || failed(&reply), "{hide}, {mounts}: {reply}");
        }
    }
}

#[test]
fn mount_in_a_git_folder_is_read_only() {
    let workspace = workspace();
    git(&workspace, ".", &["init", "-q"]);
    let hooks = workspace.path(".git/hooks");
    let mount = format!("mount -t tmpfs none {}", hooks.display());
    let Some(mut client) = client_after(&workspace, &FLAGS, &mount) else { return };
    let reply = client.call("bash", json!({"command": "echo x > .git/hooks/post-commit"}));
    assert!(failed(&reply), "{reply}");
}

#[test]
fn no_command_starts_if_a_git_folder_is_behind_any_mount_of_proc() {
    let workspace = workspace();
    let proc = workspace.base().join("outside/p");
    fs::create_dir(&proc).unwrap();
    let mount = format!("mount -t proc none {}", proc.display());
    let Some(mut client) = client_after(&workspace, &FLAGS, &mount) else { return };
    let link = "git init -q s && mv s/.git store && ln -s ../outside/p/self/cwd/store .git";
    client.call("bash", json!({"command": link}));
    let reply = client.call("bash", json!({"command": "echo x >> store/config"}));
    reply.assert_error(&["--sandbox: cannot check", "/.git"]);
}

#[test]
fn created_file_is_reported_although_another_one_is_unknown() {
    let workspace = workspace();
    let Some(mut client) = start(&workspace, true, true, &[]) else { return };
    let hide = json!({"command": "echo x > .mcp.json; mkdir d; ln -s d .claude; chmod 000 d"});
    client.call("bash", hide).assert_contains("[The command created .mcp.json, which starts");
    client
        .call("bash", json!({"command": "pwd"}))
        .assert_error(&["--sandbox: cannot check", "settings.json"]);
}

/// Only a file system that ignores case has one entry for both spellings.
#[test]
fn other_spelling_of_the_git_folder_changes_nothing() {
    let workspace = workspace();
    git(&workspace, ".", &["init", "-q"]);
    let Some(mut client) = start(&workspace, true, true, &[]) else { return };
    client.call("bash", json!({"command": "mkdir .GIT"})).assert_text("(no output)");
    client.call("bash", json!({"command": "touch .GIT/x y"})).assert_text("(no output)");
}
