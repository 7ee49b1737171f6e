//! Environments of other processes, which cutline reads when it ends a command.

use std::fs;
use std::process::{Child, Command};

use serde_json::json;

use crate::support::{Client, Workspace, eventually};

/// Number of processes that start after the command.
const OTHERS: u64 = 100;
/// Size of the environment of each of them.
const ENVIRONMENT_BYTES: u64 = 100_000;

/// Returns how many bytes the server has read so far.
fn bytes_read(client: &Client) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{}/io", client.id())).unwrap();
    counts.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap()
}

#[test]
fn each_environment_is_read_once_while_a_command_is_ended() {
    let workspace = Workspace::new();
    let mut client = Client::new(&workspace);
    // The command ignores SIGTERM, so cutline searches the process table several times until SIGKILL ends it.
    let command = "trap '' TERM; touch started; exec sleep 600";
    let id = client.send_call("bash", json!({"command": command}), None);
    eventually("the command runs", || workspace.path("started").exists());
    let value = "x".repeat(usize::try_from(ENVIRONMENT_BYTES).unwrap());
    let other = |_| Command::new("sleep").arg("600").env("LARGE", &value).spawn().unwrap();
    let mut others: Vec<Child> = (0..OTHERS).map(other).collect();
    let before = bytes_read(&client);
    client.cancel(id);
    eventually("the command has ended", || workspace.processes(client.id()).is_empty());
    let read = bytes_read(&client) - before;
    for other in &mut others {
        other.kill().unwrap();
        other.wait().unwrap();
    }
    // Without a cache, each of more than ten searches would read them. The search for processes of killed servers, which
    // starts soon after the server, can also read them.
    let once = OTHERS * ENVIRONMENT_BYTES;
    assert!(
        (once..5 * once).contains(&read),
        "{read} bytes were read, but all environments have {once} bytes"
    );
}
