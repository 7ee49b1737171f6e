//! Actions that a command cannot do although its user may: create devices, send signals to processes outside, read their
//! environment, connect to abstract sockets, gain privileges.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command};

use serde_json::json;

use super::{client, compiled, started, workspace};
use crate::support::{Client, Start, Workspace};

/// The flags of each mode.
const MODES: [[&str; 2]; 2] = [["--sandbox", "workspace-write"], ["--sandbox", "read-only"]];

/// Returns true if the kernel restricts signals and abstract sockets: Linux 6.12 with Landlock ABI 6.
fn has_landlock_scopes() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let has_scopes = (numbers.next(), numbers.next()) >= (Some(6), Some(12));
    if !has_scopes {
        eprintln!("skipped: this kernel ({release}) does not restrict signals and abstract sockets");
    }
    has_scopes
}

/// A process outside the sandbox. It is killed when the value is dropped.
struct Outside(Child);

impl Outside {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").env("SECRET_OUTSIDE", "told").spawn().unwrap())
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _status = self.0.wait();
    }
}

#[test]
fn commands_cannot_create_device_files() {
    let workspace = workspace();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        for device in ["c 1 3", "b 7 0"] {
            for folder in ["<root>", "$TMPDIR", "<base>/outside"] {
                let command = workspace.expand(&format!("mknod {folder}/device {device}"));
                let reply = client.call("bash", json!({"command": command}));
                assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            }
        }
        // RENAME_WHITEOUT leaves a device at the old path.
        let rename = "perl -e '($a, $b) = qw(a b); syscall(SYS, -100, $a, -100, $b, 4) and die \"$!\\n\"'";
        let rename = rename.replace("SYS", &libc::SYS_renameat2.to_string());
        let rename = format!("cd $TMPDIR && touch a && {rename}; find . -type f; rm a");
        client.call("bash", json!({"command": rename})).assert_text("Operation not permitted\n./a\n");
        client.call("bash", json!({"command": "ls -A $TMPDIR"})).assert_text("(no output)");
        assert!(!workspace.path("device").exists() && !workspace.base().join("outside/device").exists());
    }
}

#[test]
fn exit_codes_of_a_pipeline_are_reported() {
    let workspace = workspace();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        let reply = client.call("bash", json!({"command": "sh -c 'exit 3' | cat"}));
        assert_eq!(reply.details()["pipelineExitCodes"], json!([3, 0]), "{flags:?} {reply}");
    }
}

#[test]
fn commands_run_in_a_configured_folder() {
    let workspace = workspace();
    fs::create_dir(workspace.path("folder")).unwrap();
    symlink("folder", workspace.path("to-folder")).unwrap();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        for cwd in ["folder", "to-folder"] {
            let reply = client.call("bash", json!({"command": "pwd", "cwd": cwd}));
            reply.assert_text(&format!("{}\n", workspace.path("folder").display()));
        }
    }
}

#[test]
fn commands_cannot_signal_processes_outside() {
    if !has_landlock_scopes() {
        return;
    }
    let workspace = workspace();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        let mut outside = Outside::start();
        let background = client.call("bash", json!({"command": "sleep 600 & echo"}));
        let of_other_command = background.details()["backgroundPids"][0].as_u64().unwrap();
        for target in [outside.0.id(), client.id(), u32::try_from(of_other_command).unwrap()] {
            for signal in ["0", "TERM", "KILL", "CONT"] {
                let command = format!("kill -{signal} {target}");
                let reply = client.call("bash", json!({"command": command}));
                assert_ne!(reply.details()["exitCode"], 0, "{reply}");
            }
        }
        assert!(outside.is_running(), "{flags:?}");
        let own = "sleep 600 & kill $!; wait $!; [ $? = 143 ] && echo ended";
        client.call("bash", json!({"command": own})).assert_text("ended\n");
        // Without a sandbox, the signal reaches the process.
        let kill = json!({"command": format!("kill {}", outside.0.id())});
        Client::new(&workspace).call("bash", kill).assert_text("(no output)");
        assert!(!outside.0.wait().unwrap().success());
    }
}

#[test]
fn environment_of_processes_outside_is_unreadable() {
    let workspace = workspace();
    let look = |client: &mut Client, outside: &Outside| {
        let ids = [outside.0.id(), client.id()];
        let files = ids.map(|id| format!("/proc/{id}/environ")).join(" ");
        let command = format!("cat {files} 2>/dev/null | tr '\\0' '\\n' | grep -E '^SECRET_'; true");
        client.call("bash", json!({"command": command})).text().to_owned()
    };
    for flags in MODES {
        let outside = Outside::start();
        let start = || Start::new(&workspace).env("SECRET_SERVER", "told").flags(["--env", "filtered"]);
        let Some(mut restricted) = started(|| start().flags(flags)) else { return };
        assert!(look(&mut restricted, &outside).starts_with("(no output)"), "{flags:?}");
        assert!(look(&mut start().client(), &outside).contains("SECRET_SERVER=told"));
    }
}

#[test]
fn secret_variables_are_removed_from_commands() {
    let workspace = Workspace::new();
    let start = Start::new(&workspace).env("MY_API_KEY", "told").env("MY_TOKEN", "kept").env("PLAIN", "seen");
    let start = start.env("DATABASE_URL", "postgres://me:pw@host").env("MYSQL_PWD", "told");
    let mut client = start.flags(["--env", "filtered", "--env-keep", "OTHER, MY_TOKEN"]).client();
    let command = json!({"command": "echo [$MY_API_KEY] [$MY_TOKEN] [$PLAIN] [$DATABASE_URL] [$MYSQL_PWD] [${PWD:+set}]"});
    client.call("bash", command).assert_text("[] [kept] [seen] [] [] [set]\n");
}

/// Connects to the abstract socket with the name in the argument and sends a text.
const CONNECT: &str = r#"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int argc, char **argv) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strcpy(to.sun_path + 1, argv[1]);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[1]);
    int one = socket(AF_UNIX, SOCK_STREAM, 0);
    int failed = connect(one, (void *)&to, length) < 0 || send(one, "hello", 5, 0) < 0;
    if (failed)
        perror("connect");
    return failed;
}
"#;

#[test]
fn abstract_sockets_outside_are_inaccessible() {
    if !has_landlock_scopes() {
        return;
    }
    let workspace = workspace();
    let connect = compiled(&workspace, "connect", CONNECT, &[]);
    let name = format!("cutline-test-{}", std::process::id());
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    listener.set_nonblocking(true).unwrap();
    let command = json!({"command": format!("{} {name}", connect.display())});
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        let reply = client.call("bash", command.clone());
        assert_eq!(reply.details()["exitCode"], 1, "{reply}");
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{flags:?}");
    }
    assert_eq!(Client::new(&workspace).call("bash", command).details()["exitCode"], 0);
    let mut received = String::new();
    listener.accept().unwrap().0.read_to_string(&mut received).unwrap();
    assert_eq!(received, "hello");
}

/// Creates a file with the mode of a set-user-ID program, and writes to that file.
const CREATE: &str = r#"
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int file = open(argv[1], O_CREAT | O_WRONLY, 04755);
    return write(file, "x", 1) != 1;
}
"#;

#[test]
fn set_user_id_programs_cannot_be_created() {
    let workspace = workspace();
    let create = compiled(&workspace, "create", CREATE, &[]).display().to_string();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        for command in [
            "chmod 4755 x",
            "chmod u+s x",
            "install -m 6755 /bin/true y",
            "perl -e 'chmod 04755, \"x\" or die'",
        ] {
            let command = format!("cd $TMPDIR && touch x && {command}");
            let reply = client.call("bash", json!({"command": command}));
            assert_ne!(reply.details()["exitCode"], 0, "{reply}");
        }
        let others = format!(
            "cd $TMPDIR && {create} z && mkdir d && chmod 2755 d && chmod 755 x && find . -perm /4000"
        );
        client.call("bash", json!({"command": others})).assert_text("(no output)");
    }
}

/// Prints the user id that it runs with.
const WHO: &str =
    "#include <stdio.h>\n#include <unistd.h>\nint main(void) { return printf(\"%d\\n\", geteuid()) < 0; }";

#[test]
fn set_user_id_programs_give_no_privileges() {
    let workspace = workspace();
    for flags in MODES {
        let Some(mut client) = client(&workspace, &flags) else { return };
        let status = json!({"command": "grep NoNewPrivs /proc/self/status"});
        client.call("bash", status).assert_text("NoNewPrivs:\t1\n");
    }
    if !rustix::process::geteuid().is_root() {
        return eprintln!("skipped in part: only root can create a set-user-ID program of another user");
    }
    let program = compiled(&workspace, "who", WHO, &[]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let command = json!({"command": program});
    let mut unrestricted = Start::new(&workspace).unprivileged().client();
    if unrestricted.call("bash", command.clone()).text() != "0\n" {
        return eprintln!("skipped in part: this file system ignores the set-user-ID bit");
    }
    // The next server needs a copy of its binary at the path of this one.
    drop(unrestricted);
    for flags in MODES {
        let mut restricted = started(|| Start::new(&workspace).unprivileged().flags(flags)).unwrap();
        restricted.call("bash", command.clone()).assert_text("65534\n");
    }
}
