//! Compares the time of a command in `bash` with the time of the command alone.
//!
//! `cargo bench --bench bash`. Both sides run in turns, and the medians are compared.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that is only run by hand")]

mod harness;

use std::time::{Duration, Instant};

use cutline::tools::{Context, bash};
use harness::{args, by_itself, call, context, median, peak, timed};
use tokio_util::sync::CancellationToken;

fn main() {
    // One thread for async work, as in the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved");
    let cx = context(folder.path(), saved.clone());
    let tee = format!(" | tee {} >/dev/null", folder.path().join("tee").display());
    let cases = [
        ("echo", "echo hi", String::new(), 200),
        ("5 million lines, saved", "seq 1 5000000", tee.clone(), 9),
        ("5 million lines ended by \\r\\n", "yes $'a line of text\\r' | head -n 5000000", tee.clone(), 5),
        ("2 million coloured words", "yes $'\\e[32mgreen\\e[0m' | head -n 2000000", tee.clone(), 5),
        ("200 MB without a newline, saved", "head -c 200000000 /dev/zero | tr '\\0' x", tee, 9),
    ];
    println!("{:<34} {:>10} {:>10} {:>6}", "", "command", "cutline", "ratio");
    for (name, command, pipe, times) in cases {
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        let mut shell = by_itself(&format!("{command}{pipe}"));
        for _ in 0..times {
            plain.push(timed(|| assert!(shell.status().expect("a shell").success(), "{command}")));
            ours.push(timed(|| runtime.block_on(call(&cx, command))));
            let _made_by_the_call = std::fs::remove_dir_all(&saved);
        }
        let (plain, ours) = (median(plain), median(ours));
        let ratio = ours.as_secs_f64() / plain.as_secs_f64();
        println!("{name:<34} {plain:>10.2?} {ours:>10.2?} {ratio:>6.2}");
    }
    for (name, command) in [("asked", "sleep 600 & sleep 600"), ("made to", "trap '' TERM; sleep 600 & wait")]
    {
        let times = (0..21).map(|_| runtime.block_on(cancelled(&cx, command))).collect();
        println!("cancelled, ended when {name:<12} {:>10.2?}", median(times));
    }
    println!("peak memory: {} KB", peak());
}

/// Returns the time from the cancellation of a call until the call has returned and all its processes have ended.
async fn cancelled(cx: &Context, command: &str) -> Duration {
    let cx = Context { cancel: CancellationToken::new(), ..cx.clone() };
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        cx.cancel.cancel();
        Instant::now()
    };
    let (_, at) = tokio::join!(bash::run(&cx, args(command)), cancel);
    at.elapsed()
}
