//! The namespaces of commands: read-only mounts around the writable folders, and separate System V objects.

use std::fs;
use std::os::unix::fs::chown;
use std::process::Command;

use serde_json::json;

use super::{client_after, compiled, started, workspace};
use crate::support::{Client, Start, Workspace};

/// The flags of each mode.
const MODES: [[&str; 2]; 2] = [["--sandbox", "workspace-write"], ["--sandbox", "read-only"]];
/// An unprivileged user.
const NOBODY: u32 = 65534;

/// Starts a server for a user who owns the folders outside the workspace.
fn start<'a>(workspace: &'a Workspace, flags: &[&str], unprivileged: bool) -> Start<'a> {
    if unprivileged && rustix::process::geteuid().is_root() {
        for path in ["root", "root/inside", "root/inside/a.txt", "outside", "outside/secret.txt"] {
            chown(workspace.base().join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let start = Start::new(workspace).flags(flags);
    if unprivileged { start.unprivileged() } else { start }
}

/// Returns true if the commands of this server are in their own mount namespace.
fn has_mounts(client: &mut Client) -> bool {
    let outside = fs::read_link("/proc/self/ns/mnt").unwrap();
    let inside = client.call("bash", json!({"command": "readlink /proc/self/ns/mnt"}));
    let has_mounts = inside.text().trim() != outside.to_str().unwrap();
    if !has_mounts {
        eprintln!("skipped: commands cannot mount on this system");
    }
    has_mounts
}

/// Changes the metadata of a file with each system call. Prints the error number of each, or 0.
const METADATA: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#define TRY(call) printf("%d ", (call) < 0 ? errno : 0)
int main(int argc, char **argv) {
    char *path = argv[1];
    int file = open(path, O_RDONLY);
    struct timespec times[2] = {{1, 0}, {1, 0}};
    TRY(chmod(path, 0777));
    TRY(fchmod(file, 0777));
    TRY(syscall(452 /* fchmodat2 */, AT_FDCWD, path, 0777, 0));
    TRY(chown(path, getuid(), getgid()));
    TRY(fchown(file, getuid(), getgid()));
    TRY(utimensat(AT_FDCWD, path, times, 0));
    TRY(futimens(file, times));
    printf("\n");
    if (argc > 2) {
        TRY(setxattr(path, "user.test", "x", 1, 0));
        TRY(fsetxattr(file, "user.test", "x", 1, 0));
        TRY(removexattr(path, "user.test"));
        printf("\n");
    }
    return 0;
}
"#;

#[test]
fn metadata_of_files_outside_cannot_be_changed() {
    for unprivileged in [false, true] {
        for flags in MODES {
            let workspace = workspace();
            let program = compiled(&workspace, "metadata", METADATA, &[]).display().to_string();
            let Some(mut client) = started(|| start(&workspace, &flags, unprivileged)) else { return };
            if !has_mounts(&mut client) {
                continue;
            }
            let refused = libc::EROFS.to_string();
            for path in ["outside/secret.txt", "outside"] {
                let path = workspace.base().join(path);
                let before = fs::metadata(&path).unwrap();
                let command = format!("{program} {} with-attributes", path.display());
                let reply = client.call("bash", json!({"command": command}));
                let errors: Vec<&str> = reply.text().split_whitespace().collect();
                assert_eq!(errors, [refused.as_str(); 10], "{flags:?}, {unprivileged}: {reply}");
                let after = fs::metadata(&path).unwrap();
                assert_eq!(
                    (before.permissions(), before.modified().unwrap()),
                    (after.permissions(), after.modified().unwrap())
                );
            }
            for path in ["/proc/version", "/sys/kernel"] {
                let reply = client.call("bash", json!({"command": format!("{program} {path}")}));
                let errors: Vec<&str> = reply.text().split_whitespace().collect();
                assert_eq!(errors, [refused.as_str(); 7], "{flags:?}, {unprivileged}: {reply}");
            }
            // Changes inside the writable folders succeed.
            let own = format!("touch $TMPDIR/x && {program} $TMPDIR/x && echo x > /dev/null && : | :");
            client.call("bash", json!({"command": own})).assert_text("0 0 0 0 0 0 0 \n");
            if flags == MODES[0] {
                let inside = format!("{program} inside/a.txt && mv inside/a.txt $TMPDIR/x && mv $TMPDIR/x .");
                client.call("bash", json!({"command": inside})).assert_text("0 0 0 0 0 0 0 \n");
            }
        }
    }
}

#[test]
fn configured_writable_folders_are_writable() {
    for unprivileged in [false, true] {
        let workspace = workspace();
        fs::create_dir_all(workspace.base().join("with space/sub")).unwrap();
        let flags =
            [&MODES[0][..], &["--writable", "<base>/with space", "--writable", "<base>/with space/sub"]];
        if unprivileged && rustix::process::geteuid().is_root() {
            for path in ["with space", "with space/sub"] {
                chown(workspace.base().join(path), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let Some(mut client) = started(|| start(&workspace, &flags.concat(), unprivileged)) else { return };
        let write = workspace.expand(
            "cd '<base>/with space' && echo x > sub/a && mv sub/a b && chmod 700 b && rmdir sub && cat b",
        );
        client.call("bash", json!({"command": write})).assert_text("x\n");
    }
}

/// Creates, finds or removes the shared memory, semaphore and message queue of System V with a given key.
const SYSTEM_V: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
int main(int argc, char **argv) {
    int key = atoi(argv[1]), flags = *argv[2] == 'c' ? IPC_CREAT | 0666 : 0;
    int ids[3] = {shmget(key, flags ? 4096 : 0, flags), semget(key, flags ? 1 : 0, flags), msgget(key, flags)};
    if (*argv[2] == 'r') {
        shmctl(ids[0], IPC_RMID, 0);
        semctl(ids[1], 0, IPC_RMID);
        msgctl(ids[2], IPC_RMID, 0);
    }
    for (int at = 0; at < 3; at++)
        printf("%s ", ids[at] < 0 ? "none" : "found");
    return 0;
}
"#;

#[test]
fn system_v_objects_outside_are_inaccessible() {
    let workspace = workspace();
    let program = compiled(&workspace, "system-v", SYSTEM_V, &[]);
    let key = std::process::id().to_string();
    let outside = |action: &str| {
        let output = Command::new(&program).args([&key, action]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(outside("create"), "found found found ");
    let mut found = Vec::new();
    for unprivileged in [false, true] {
        for flags in MODES {
            let Some(mut client) = started(|| start(&workspace, &flags, unprivileged)) else { break };
            if !has_mounts(&mut client) {
                continue;
            }
            for action in ["look", "remove"] {
                let command = format!("{} {key} {action}", program.display());
                found.push(client.call("bash", json!({"command": command})).text().trim().to_owned());
            }
        }
    }
    assert_eq!(outside("remove"), "found found found ");
    assert!(found.iter().all(|found| found == "none none none"), "{found:?}");
}

/// Typical commands, each with the program that must be installed.
const WORK: [(&str, &str); 5] = [
    (
        "git",
        "git init -q repository && cd repository && echo x > file && git add file && git -c user.name=a -c user.email=a@b \
         commit -qm one && git stash list && git gc -q && git clone -q . ../copy && git -C ../copy fetch -q",
    ),
    (
        "make",
        "printf 'int main(void) { return 0; }' > main.c && printf 'all:\\n\\tcc -pipe -o main main.c && ./main\\n' > Makefile && \
         make -s && cc -o $TMPDIR/main main.c && $TMPDIR/main && cp -a main.c $TMPDIR && tar cf - main.c | tar xf - -C $TMPDIR",
    ),
    (
        "python3",
        "python3 -c 'import multiprocessing as m; pool = m.Pool(2); print(pool.map(abs, [-1]), file=open(\"out\", \"w\")); \
         pool.close(); queue = m.Queue(); queue.put(1); queue.get()' && python3 -m venv --without-pip env && env/bin/python -c 1",
    ),
    (
        "node",
        "node -e 'require(\"child_process\").execSync(\"true\"); new (require(\"worker_threads\").Worker)(\"1\", {eval: true})'",
    ),
    (
        "npm",
        "mkdir package app && echo '{\"name\": \"package\", \"version\": \"1.0.0\"}' > package/package.json && cd app && \
         npm install --silent --no-audit --no-fund ../package",
    ),
];

#[test]
fn ordinary_programs_work() {
    for unprivileged in [false, true] {
        let workspace = workspace();
        let Some(mut client) = started(|| start(&workspace, MODES[0].as_slice(), unprivileged)) else {
            return;
        };
        for (program, work) in WORK {
            let installed =
                client.call("bash", json!({"command": format!("{program} --version > /dev/null 2>&1")}));
            if installed.details()["exitCode"] != 0 || !has_mounts(&mut client) {
                eprintln!("skipped: {program} is not installed");
                continue;
            }
            let reply =
                client.call("bash", json!({"command": format!("mkdir {program} && cd {program} && {work}")}));
            assert_eq!(reply.details()["exitCode"], 0, "{unprivileged}: {reply}");
        }
    }
}

#[test]
fn file_system_of_the_kernel_in_another_folder_is_read_only() {
    let workspace = workspace();
    let folder = workspace.base().join("outside");
    // If the system does not have this type, the folder is read-only as any other.
    let mount = format!("mount -t binfmt_misc none {} || :", folder.display());
    let Some(mut client) = client_after(&workspace, &MODES[0], &mount) else { return };
    if has_mounts(&mut client) {
        let reply = client.call("bash", json!({"command": format!("chmod 777 {}", folder.display())}));
        assert!(reply.text().contains("Read-only file system"), "{reply}");
    }
}
