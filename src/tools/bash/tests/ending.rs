//! Tests commands that are ended by their timeout, by the client or by the server.

use std::time::Instant;

use super::*;
use crate::stop::Deadline;

/// Starts processes that are hard to find or hard to end, and waits for a long time.
const STUBBORN: &str = "
    echo before
    setsid sh -c 'echo $$ > session; exec sleep 600' &
    (setsid sh -c 'echo $$ > orphan; exec sleep 600' &) &
    sh -c 'trap \"\" TERM; echo $$ > ignoring; while :; do sleep 0.05; done' &
    (env -i setsid sh -c 'trap \"\" TERM; echo $$ > nameless; while :; do sleep 0.05; done' & exec sleep 600) &
    sleep 600 & echo $! > child
    for f in session orphan ignoring nameless child; do while ! [ -s $f ]; do :; done; done
    : > ready
    wait
";

const NAMES: [&str; 5] = ["session", "orphan", "ignoring", "nameless", "child"];

async fn pids(server: &Server) -> Vec<u32> {
    let mut pids = Vec::new();
    for name in NAMES {
        pids.push(server.pid_in(name).await);
    }
    pids
}

fn left(pids: &[u32]) -> Vec<&'static str> {
    NAMES.into_iter().zip(pids).filter(|(_, pid)| runs(**pid)).map(|(name, _)| name).collect()
}

#[tokio::test]
async fn timeout_ends_all_processes_and_keeps_the_output() {
    let server = Server::new();
    let output = server.call(BashArgs { timeout: Some(1), ..args(STUBBORN) }).await.unwrap();
    assert!(output.text.starts_with("before\n"), "{}", output.text);
    assert!(output.text.ends_with("\n\nCommand timed out after 1 second"), "{}", output.text);
    assert_eq!((output.details.timed_out, output.details.exit_code), (Some(true), Some(143)));
    assert_eq!(left(&pids(&server).await), [""; 0]);
}

#[tokio::test]
async fn cancellation_ends_all_processes() {
    let server = Server::new();
    let cancel = async {
        until(|| server.path("ready").exists().then_some(())).await;
        server.cx.cancel.cancel();
    };
    let (result, ()) = tokio::join!(server.call(args(STUBBORN)), cancel);
    assert!(matches!(result, Err(ToolError::Cancelled)));
    assert_eq!(left(&pids(&server).await), [""; 0]);
}

#[tokio::test]
async fn cancellation_after_the_end_of_the_shell_ends_writers() {
    let server = Server::new();
    let command = "(while :; do echo more; sleep 0.01; done) & echo $! > pid; : > ready";
    let cancel = async {
        until(|| server.path("ready").exists().then_some(())).await;
        server.cx.cancel.cancel();
    };
    let (result, ()) = tokio::join!(server.call(args(command)), cancel);
    // On a busy machine the result may have been earlier.
    if matches!(result, Err(ToolError::Cancelled)) {
        assert!(!runs(server.pid_in("pid").await));
    }
    server.cx.shared.commands.shutdown().await;
}

#[tokio::test]
async fn dropping_the_call_ends_all_processes() {
    let server = Server::new();
    tokio::select! {
        _ = server.call(args(STUBBORN)) => panic!("it ended by itself"),
        () = until(|| server.path("ready").exists().then_some(())) => {}
    }
    for pid in pids(&server).await {
        gone(pid).await;
    }
}

#[tokio::test]
async fn end_of_server_ends_all_processes() {
    let server = Server::new();
    let end = async {
        until(|| server.path("ready").exists().then_some(())).await;
        server.cx.shared.commands.shutdown().await;
        left(&pids(&server).await)
    };
    let (_, left) = tokio::join!(server.call(args(STUBBORN)), end);
    assert_eq!(left, [""; 0]);
    assert!(matches!(server.call(args("echo hi")).await, Err(ToolError::Spawn(..))));
    assert_eq!(server.saved().len(), 0);
}

#[tokio::test]
async fn a_flood_can_be_ended() {
    let server = Server::new();
    let output = server.call(BashArgs { timeout: Some(1), ..args("yes") }).await.unwrap();
    assert!(output.text.ends_with("\n\nCommand timed out after 1 second"), "{}", output.text);
}

#[tokio::test]
async fn a_shell_that_minds_its_end_may_say_so() {
    let server = Server::new();
    let command = "trap 'echo goodbye; exit 7' TERM; echo hi; while :; do sleep 0.01; done";
    let output = server.call(BashArgs { timeout: Some(1), ..args(command) }).await.unwrap();
    assert!(output.text.ends_with("\ngoodbye\n\nCommand timed out after 1 second"), "{}", output.text);
    assert_eq!(output.details.exit_code, Some(7));
}

#[tokio::test]
async fn time_before_the_command_counts_for_its_call() {
    let limits = Limits { answer_within: Some(HANG), ..Limits::default() };
    let mut server = Server::with(limits, |_| {});
    server.cx.deadline = Deadline::new(Instant::now().checked_sub(HANG).unwrap(), HANG);
    let output = server.call(args("sleep 600")).await.unwrap();
    assert!(output.text.contains("[Still running after"), "{}", output.text);
}

#[tokio::test]
async fn a_shell_has_less_time_to_end_if_its_result_is_due() {
    let limits = Limits { answer_within: Some(Duration::from_millis(1500)), ..Limits::default() };
    let server = Server::with(limits, |_| {});
    let command = "trap 'sleep 2; echo late; exit 7' TERM; echo hi; while :; do sleep 0.01; done";
    let output = server.call(BashArgs { timeout: Some(1), ..args(command) }).await.unwrap();
    assert!(output.text.starts_with("hi\n") && !output.text.contains("late"), "{}", output.text);
}

#[tokio::test]
async fn processes_started_during_the_end_are_ended_too() {
    let server = Server::new();
    let command = "trap 'setsid sleep 600 & echo $! > late' TERM; : > ready; while :; do sleep 0.01; done";
    let cancel = async {
        until(|| server.path("ready").exists().then_some(())).await;
        server.cx.cancel.cancel();
    };
    let (result, ()) = tokio::join!(server.call(args(command)), cancel);
    assert!(matches!(result, Err(ToolError::Cancelled)));
    assert!(!runs(server.pid_in("late").await));
}

#[tokio::test]
async fn stopped_process_is_ended_too() {
    let server = Server::new();
    let cancel = async {
        let pid = server.pid_in("pid").await;
        let stopped = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") T ");
        until(|| stopped().then_some(())).await;
        server.cx.shared.commands.shutdown().await;
        pid
    };
    let (result, pid) = tokio::join!(server.call(args("echo $$ > pid; kill -STOP $$")), cancel);
    assert!(matches!(result, Err(ToolError::Cancelled)));
    assert!(!runs(pid));
}
