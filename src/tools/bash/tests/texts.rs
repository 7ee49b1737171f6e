//! Tests the text that the model reads, for each kind of result of bash.

use super::*;
use crate::capture::Capture;
use crate::fs::saved_name::SavedKind;
use cutline_core::notice::PipelineExitCodes;
use cutline_core::truncate::KeyForms;

const PATH: &str = "PATH";

/// Returns the text, with the path of the saved output replaced by `PATH`, and the content of that file.
fn with_file(output: &Output) -> (String, Vec<u8>) {
    let path = output.details.full_output_path.clone().expect("nothing was saved");
    let bytes = std::fs::read(&path).unwrap();
    (output.text.replace(&path, PATH), bytes)
}

#[tokio::test]
async fn output_within_limits_is_unchanged() {
    let server = Server::new();
    let cases = [
        ("echo hi", "hi\n"),
        ("printf hi", "hi"),
        ("printf 'a\\n\\nb'; printf '\\nerr\\n' >&2", "a\n\nb\nerr\n"),
        ("true", "(no output)"),
        ("exit 3", "(no output)\n\nCommand exited with code 3"),
        ("echo out; exit 3", "out\n\nCommand exited with code 3"),
        ("-c() { echo mine; }; -c", "mine\n"),
        ("kill -KILL $$", "(no output)\n\nCommand killed by signal SIGKILL (code 137)"),
        ("printf '\\n \\n'", "\n \n\n[Output is 2 lines of white space]"),
        ("cat; echo end", "end\n"),
        (
            "printf 'caf\\303'; sleep 0.02; printf '\\251\\n\\377\\n'",
            "café\n\u{FFFD}\n\n[Output has bytes that are not UTF-8, shown as \u{FFFD}. read and grep decode files]",
        ),
        (
            "printf 'caf\\303\\251\\n' | head -c 4",
            "caf\u{FFFD}\n\n[Output has bytes that are not UTF-8, shown as \u{FFFD}. read and grep decode files]",
        ),
        ("printf 'caf\\303\\251 caf\\303\\251\\n' | head -c 10", "café caf\u{FFFD}"),
    ];
    for (command, expected) in cases {
        let output = server.run(command).await;
        assert_eq!(output.text, expected, "{command}");
        assert!(output.details.truncation.is_none() && output.details.duration_ms.is_some());
        assert_eq!(server.saved(), Vec::<PathBuf>::new(), "{command}");
    }
    assert_eq!(server.run("pwd -P").await.text, format!("{}\n", server.cx.workspace.dir().display()));
}

#[tokio::test]
async fn time_of_a_running_command_is_rounded_to_seconds() {
    let server = Server::new();
    let plan = Plan::new(args("sleep 9"), &server.cx.limits).unwrap();
    for (millis, expected) in
        [(1499, "after 1 second ("), (1800, "after 2 seconds ("), (54_990, "after 55 seconds (")]
    {
        let store = Arc::clone(&server.cx.shared.commands.store);
        let output = Capture::new(store, SavedKind::COMMAND, plan.view).take_output(true, KeyForms::All);
        let state = State::StillRunning { id: 1 };
        let duration = Duration::from_millis(millis);
        let pipelines = PipelineExitCodes::default();
        let outcome = CommandOutcome { state, output, duration, pipelines };
        let text = result::compose(&server.cx, &plan, outcome).text;
        assert!(text.contains(expected), "{text}");
    }
}

#[tokio::test]
async fn how_it_ended_is_in_the_details() {
    let server = Server::new();
    let code = |output: Output| (output.details.exit_code, output.details.signal);
    assert_eq!(code(server.run("true").await), (Some(0), None));
    assert_eq!(code(server.run("exit 3").await), (Some(3), None));
    assert_eq!(code(server.run("kill -TERM $$").await), (Some(143), Some("SIGTERM")));
}

#[tokio::test]
async fn the_last_lines_by_the_line_limit() {
    let server = Server::new();
    let output = server.run("seq 1 5000").await;
    let (text, file) = with_file(&output);
    assert!(text.starts_with("3001\n3002\n"));
    assert!(text.ends_with("\n5000\n\n[Showing lines 3001-5000 of 5000. Full output: PATH]"), "{text}");
    assert_eq!(file, seq(5000).as_bytes());
    let truncation = serde_json::to_value(&output.details.truncation).unwrap();
    let expected = serde_json::json!({
        "truncated": true, "truncatedBy": "lines", "totalLines": 5000, "totalBytes": 23893,
        "outputLines": 2000, "outputBytes": 9999, "maxLines": 2000, "maxBytes": 30000,
        "estimatedTokens": 6059, "totalEstimatedTokens": 14_382, "limitTokens": 7500,
    });
    assert_eq!(truncation, expected);
}

#[tokio::test]
async fn the_last_lines_by_the_byte_limit() {
    let server = Server::new();
    let (text, _) = with_file(&server.run("seq -f '%0999.0f' 1 50").await);
    assert!(text.ends_with("[Showing lines 21-50 of 50 (30KB limit). Full output: PATH]"), "{text}");
}

#[tokio::test]
async fn a_last_line_that_is_too_long() {
    let server = Server::new();
    for newline in ["", "; echo"] {
        let command = format!("echo first; head -c 100000 /dev/zero | tr '\\0' x{newline}");
        let output = server.run(&command).await;
        let (text, file) = with_file(&output);
        let expected = format!(
            "{}\n\n[Showing last 30KB of line 2 (line is 100KB). Full output: PATH]",
            "x".repeat(30_000)
        );
        assert_eq!(text, expected);
        assert_eq!(file.len(), 100_006 + usize::from(!newline.is_empty()));
        assert!(output.details.truncation.unwrap().last_line_partial);
    }
}

#[tokio::test]
async fn both_ends() {
    let server = Server::new();
    let output = server.call(ends("seq 1 5000", 2, 3)).await.unwrap();
    let (text, _) = with_file(&output);
    let expected = "1\n2\n[...Output truncated: 4995 lines omitted...]\n4998\n4999\n5000\n\n\
                    [Showing lines 1-2 and 4998-5000 of 5000. Full output: PATH]";
    assert_eq!(text, expected);
    assert_eq!(output.details.omitted_lines, Some(4995));

    let (text, _) = with_file(&server.call(ends("seq -f '%0999.0f' 1 50", 10, 20)).await.unwrap());
    assert!(text.ends_with("[Showing lines 1-10 and 31-50 of 50. Full output: PATH]"), "{text}");
    let (text, _) = with_file(&server.call(ends("seq -f '%0999.0f' 1 50", 500, 1500)).await.unwrap());
    assert!(text.ends_with("[Showing lines 1-7 and 28-50 of 50 (30KB limit). Full output: PATH]"), "{text}");

    let long = "echo a; echo b; head -c 100000 /dev/zero | tr '\\0' x";
    let (text, _) = with_file(&server.call(ends(long, 1, 9)).await.unwrap());
    assert!(text.starts_with("a\n[...Output truncated: 1 line omitted...]\nxxx"), "{text}");
    assert!(
        text.ends_with("\n\n[Showing lines 1-1 and last 30KB of line 3 (line is 100KB). Full output: PATH]"),
        "{text}"
    );
}

#[tokio::test]
async fn the_start_alone() {
    let server = Server::new();
    let (text, file) = with_file(&server.call(ends("seq 1 5000", 3, 0)).await.unwrap());
    assert_eq!(text, "1\n2\n3\n\n[Showing lines 1-3 of 5000. Full output: PATH]");
    assert_eq!(file.len(), 23_893);
    let long = "head -c 100000 /dev/zero | tr '\\0' x";
    let output = server.call(ends(long, 3, 0)).await.unwrap();
    let (text, _) = with_file(&output);
    let end = "x\n\n[Showing first 30KB of line 1 (line is 100KB). Full output: PATH]";
    assert!(text.ends_with(end) && text.len() == 30_000 + end.len() - 1, "{text}");
}

#[tokio::test]
async fn binary_output() {
    let server = Server::new();
    let output = server.run("head -c 1200000 /dev/zero; exit 2").await;
    let (text, file) = with_file(&output);
    assert_eq!(
        text,
        "[Binary output: 1.2MB. Full output: PATH. Use bash to inspect it: strings PATH | tail]\n\nCommand exited with code 2"
    );
    assert_eq!(file.len(), 1_200_000);
    let (text, file) = with_file(&server.run("printf 'a\\0b\\0\\1\\2\\3\\4'").await);
    assert_eq!(
        (text.as_str(), file.as_slice()),
        (
            "[Binary output: 8B. Full output: PATH. Use bash to inspect it: strings PATH]",
            &b"a\0b\0\x01\x02\x03\x04"[..]
        )
    );
}

#[tokio::test]
async fn output_is_shown_as_on_a_terminal() {
    let server = Server::new();
    let bar = "for i in $(seq 1 3000); do printf '\\r%d%%' $i; done; printf '\\n\\033[32mdone\\033[0m\\r\\n'";
    let output = server.run(bar).await;
    assert_eq!(output.text, "3000%\ndone\n");
    assert_eq!(server.saved().len(), 0, "what was not cut is not kept");
}

#[tokio::test]
async fn news_while_it_runs() {
    let mut server = Server::new();
    let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
    server.cx.progress = Progress::new(move |message| drop(sender.send(message)));
    let go = server.path("go");
    let command = "echo one; echo two; while ! [ -e go ]; do sleep 0.01; done; echo three";
    let first_message = async {
        let first = messages.recv().await.unwrap();
        std::fs::write(go, "").unwrap();
        first
    };
    let (output, first) = tokio::join!(server.run(command), first_message);
    assert_eq!((output.text.as_str(), first.as_str()), ("one\ntwo\nthree\n", "two (2 lines, 8B)"));
}

#[tokio::test]
async fn many_at_once() {
    let server = Server::new();
    let commands: Vec<String> = (0..64).map(|n| format!("seq {n} {}", n + 3000)).collect();
    let calls = commands.iter().map(|command| server.run(command));
    let mut set = Vec::new();
    for call in calls {
        set.push(Box::pin(call));
    }
    let outputs = futures_of(set).await;
    for (n, output) in outputs.iter().enumerate() {
        let expected = format!("\n{}\n\n[Showing lines 1002-3001 of 3001. ", n + 3000);
        assert!(output.text.contains(&expected), "{n}: {}", output.text);
    }
}

/// Runs all futures concurrently.
async fn futures_of<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let std::task::Poll::Ready(done) = std::pin::Pin::new(future).poll(cx)
            {
                *output = Some(done);
            }
        }
        if outputs.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
