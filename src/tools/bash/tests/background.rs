//! Tests processes that outlive their command.

use super::*;

#[tokio::test]
async fn process_with_open_output_does_not_delay_the_result() {
    let server = Server::new();
    let command = "echo before; (echo $BASHPID > pid; while ! [ -e go ]; do sleep 0.01; done; \
                   echo after; : > done; exec sleep 600) & while ! [ -e pid ]; do :; done";
    let output = server.run(command).await;
    let pid = server.pid_in("pid").await;
    let path = output.details.full_output_path.clone().unwrap();
    let first = output.text.lines().next();
    assert_eq!(first, Some("before"));
    assert!(output.text.contains("\n\n[Background process"), "{}", output.text);
    assert!(output.text.contains(&format!("{pid} ")) && output.text.contains(&path), "{}", output.text);
    assert!(output.details.background_pids.unwrap().contains(&pid));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\n");
    assert!(runs(pid));

    std::fs::write(server.path("go"), "").unwrap();
    until(|| (std::fs::read_to_string(&path).unwrap() == "before\nafter\n").then_some(())).await;
    assert!(runs(pid));
    server.cx.shared.commands.shutdown().await;
    assert!(!runs(pid));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\nafter\n");
}

#[tokio::test]
async fn end_of_server_ends_the_group_but_not_daemons() {
    let server = Server::new();
    let command = "sleep 600 >/dev/null 2>&1 & echo $! > grouped; \
                   setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $! > daemon; \
                   setsid sleep 600 & echo $! > holder";
    let output = server.run(command).await;
    let (grouped, daemon, holder) =
        (server.pid_in("grouped").await, server.pid_in("daemon").await, server.pid_in("holder").await);
    assert_eq!(output.details.background_pids, Some(vec![holder]), "{}", output.text);
    server.cx.shared.commands.shutdown().await;
    assert!(!runs(grouped) && !runs(holder));
    assert!(runs(daemon), "who closed the output and left the group is left alone");
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn one_that_closed_the_output_is_not_spoken_of() {
    let server = Server::new();
    let output = server.run("sleep 600 >/dev/null 2>&1 & echo $! > pid; echo hi").await;
    let pid = server.pid_in("pid").await;
    assert_eq!((output.text.as_str(), output.details.background_pids), ("hi\n", None));
    assert!(runs(pid));
    server.cx.shared.commands.shutdown().await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn output_just_after_the_end_of_the_shell_is_read() {
    let server = Server::new();
    let output = server.run("(sleep 0.01; echo late) & echo early").await;
    assert_eq!(output.text, "early\nlate\n");
}
