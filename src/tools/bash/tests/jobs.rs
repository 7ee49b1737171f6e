//! Tests commands on Windows: they run as they were written, and their jobs end them.

use super::*;

/// Returns true if a process runs.
fn runs(id: u32) -> bool {
    let id = sysinfo::Pid::from_u32(id);
    let mut system = sysinfo::System::new();
    system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[id]), true);
    system.process(id).is_some()
}

#[tokio::test]
async fn a_command_arrives_as_it_was_written() {
    let server = Server::new();
    for (command, expected) in [
        (
            r#"printf '%s|' "a\\b" 'q"r' '\\n' '%PATH%' '^&' "\"" '*' '@x'"#,
            r#"a\b|q"r|\\n|%PATH%|^&|"|*|@x|"#,
        ),
        ("echo \"it's\" # a comment", "it's\n"),
        ("cat <<'END'\n$x \\y\nEND", "$x \\y\n"),
        ("cat; echo nothing to read", "nothing to read\n"),
        ("-c() { echo mine; }; -c", "mine\n"),
    ] {
        assert_eq!(server.run(command).await.text, expected, "{command}");
    }
    let long = format!("echo {} | tr -d '\\n' | wc -c", "x".repeat(100_000));
    assert_eq!(server.run(&long).await.text.trim(), "100000");
}

#[tokio::test]
async fn timeout_ends_all_processes_and_keeps_the_output() {
    let server = Server::new();
    let command = "echo before; sleep 600 | cat & sleep 600";
    let output = server.call(Args { timeout: Some(1), ..args(command) }).await.unwrap();
    assert_eq!(output.text, "before\n\nCommand timed out after 1 second");
    assert_eq!((output.details.timed_out, output.details.exit_code), (Some(true), Some(137)));
}

#[tokio::test]
async fn cancellation_ends_it() {
    let server = Server::new();
    let cancel = async {
        until(|| server.path("ready").exists().then_some(())).await;
        server.cx.cancel.cancel();
    };
    let (result, ()) = tokio::join!(server.call(args(": > ready; sleep 600")), cancel);
    assert!(matches!(result, Err(ToolError::Cancelled)));
}

#[tokio::test]
async fn remaining_processes_are_reported_and_end_with_the_server() {
    let server = Server::new();
    let output = server.run("sleep 600 & echo started").await;
    let ids = output.details.background_pids.clone().expect("nothing stays");
    assert!(output.text.starts_with("started\n\n[Background process"), "{}", output.text);
    assert!(!output.text.contains("conhost") && !output.text.contains(r"\\?\"), "{}", output.text);
    assert!(ids.iter().all(|id| runs(*id)), "{ids:?}");
    server.cx.shared.commands.shutdown().await;
    assert_eq!(ids.into_iter().filter(|id| runs(*id)).count(), 0);
}
