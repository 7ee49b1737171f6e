//! Devices that commands cannot open, and the private shared memory of commands.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::{compiled, started, workspace};
use crate::support::{Client, Start, Workspace};

/// The flags of each mode.
const MODES: [[&str; 2]; 2] = [["--sandbox", "workspace-write"], ["--sandbox", "read-only"]];

/// Opens a terminal, prints its path, and types a line into it for each byte of its input.
const TERMINAL: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    int typing = posix_openpt(O_RDWR | O_NOCTTY);
    char name[64], byte;
    if (typing < 0 || grantpt(typing) || unlockpt(typing) || ptsname_r(typing, name, sizeof name))
        return 1;
    int shown = open(name, O_RDWR | O_NOCTTY);
    chmod(name, 0666);
    printf("%s\n", name);
    fflush(stdout);
    while (read(0, &byte, 1) == 1)
        write(typing, "typed\n", 6);
    return shown < 0;
}
"#;

/// Creates a semaphore and shared memory, and uses both.
const SHARED_MEMORY: &str = r#"
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    sem_t *semaphore = sem_open("/cutline-test", O_CREAT, 0600, 1);
    if (semaphore == SEM_FAILED || sem_wait(semaphore) || sem_post(semaphore) || sem_unlink("/cutline-test")) {
        perror("semaphore");
        return 1;
    }
    int memory = shm_open("/cutline-test", O_CREAT | O_RDWR, 0600);
    if (memory < 0 || ftruncate(memory, 4096) || write(memory, "x", 1) != 1) {
        perror("memory");
        return 1;
    }
    return 0;
}
"#;

/// A terminal, and the process that types into it.
struct Terminal {
    process: Child,
    path: String,
}

impl Terminal {
    fn open(workspace: &Workspace) -> Self {
        let program = compiled(workspace, "terminal", TERMINAL, &[]);
        let mut process = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut path = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut path).unwrap();
        Self { process, path: path.trim().to_owned() }
    }

    fn type_line(&mut self) {
        self.process.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _status = self.process.wait();
    }
}

#[test]
fn input_of_another_terminal_is_unreadable() {
    let workspace = workspace();
    let mut terminal = Terminal::open(&workspace);
    terminal.type_line();
    let read = json!({"command": format!("head -n 1 {}", terminal.path)});
    for unprivileged in [false, true] {
        for flags in MODES {
            let start = || {
                let start = Start::new(&workspace).flags(flags);
                if unprivileged { start.unprivileged() } else { start }
            };
            let Some(mut client) = started(start) else { return };
            let reply = client.call("bash", read.clone());
            reply.assert_contains("Permission denied");
            assert!(!reply.text().contains("typed"), "{reply}");
            for device in ["/dev/tty", "/dev/ptmx", "/dev/pts/ptmx"] {
                let reply = client.call("bash", json!({"command": format!(": < {device}")}));
                assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            }
            let others = "ls / /dev /dev/pts > /dev/null && head -c 4 /dev/urandom | wc -c && cat < /dev/null && \
                          cat <(echo from) /etc/hostname > /dev/null && test -r /proc/self/status";
            client.call("bash", json!({"command": others})).assert_text("4\n");
        }
    }
    Client::new(&workspace).call("bash", read).assert_text("typed\n");
}

#[test]
fn shared_memory_of_commands_is_private() {
    for unprivileged in [false, true] {
        let workspace = workspace();
        let program = compiled(&workspace, "shared-memory", SHARED_MEMORY, &["-pthread"]);
        let start = || {
            let start = Start::new(&workspace).flags(["--sandbox", "workspace-write"]);
            if unprivileged { start.unprivileged() } else { start }
        };
        let Some(mut client) = started(start) else { return };
        let reply = client.call("bash", json!({"command": program}));
        if reply.text().contains("semaphore: Permission denied") && !can_mount(&mut client) {
            eprintln!("skipped: commands cannot mount on this system (unprivileged: {unprivileged})");
            continue;
        }
        reply.assert_text("(no output)");
        client.call("bash", json!({"command": "ls /dev/shm"})).assert_text("(no output)");
        assert!(!fs::exists("/dev/shm/cutline-test").unwrap());
    }
}

#[test]
fn workspace_in_shared_memory_stays_visible() {
    let workspace = workspace();
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let flags = ["--sandbox", "workspace-write", "--writable"].map(str::to_owned);
    let flags = flags.into_iter().chain([folder.path().display().to_string()]).collect::<Vec<_>>();
    let Some(mut client) = started(|| Start::new(&workspace).flags(&flags)) else { return };
    let command = format!("echo x > {0}/new && cat {0}/new", folder.path().display());
    client.call("bash", json!({"command": command})).assert_text("x\n");
}

/// Returns true if the commands of the server have a separate mount namespace.
fn can_mount(client: &mut Client) -> bool {
    client.call("bash", json!({"command": "grep -c ' /dev/shm ' /proc/self/mountinfo"})).text() != "1\n"
}
