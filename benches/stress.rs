//! Compares `bash` with `tee` under heavy load. The peak of memory must stay below 64 MB.
//!
//! `cargo bench --bench stress` takes some minutes. Both sides run in turns, and the medians are compared. It needs 2
//! GB for temporary files.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that is only run by hand")]

mod harness;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutline::tools::Context;
use harness::{by_itself, call, context, median, peak, timed};
use tokio::runtime::Runtime;

/// Maximum memory in KiB.
const MAX_PEAK: u64 = 64_000_000 / 1024;
/// Runs of each pair, unless they take longer than `MAX_TIME`.
const TIMES: usize = 5;
/// Time for the runs of one pair. A run that has started is completed.
const MAX_TIME: Duration = Duration::from_secs(40);

fn main() {
    // One thread for async work, as in the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let cx = context(folder.path(), folder.path().join("saved"));
    let cases = [
        ("64 commands at once, 200,000 lines each", "seq 1 200000", 64),
        ("1 GB on one line", "head -c 1000000000 /dev/zero | tr '\\0' x", 1),
        ("20 million lines", "seq 1 20000000", 1),
        ("20 million coloured words", "yes $'\\e[32mgreen\\e[0m' | head -n 20000000", 1),
        ("one progress bar of 2 million steps", "seq -f '%.0f of 2000000' -s $'\\r' 2000000", 1),
    ];
    println!("{:<40} {:>9} {:>9} {:>6} {:>10}", "", "tee", "cutline", "ratio", "peak");
    for (name, command, at_once) in cases {
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        let began = Instant::now();
        while plain.len() < TIMES && began.elapsed() < MAX_TIME {
            plain.push(timed(|| with_tee(command, at_once, folder.path())));
            ours.push(timed(|| through_bash(&runtime, &cx, command, at_once)));
            let _made_by_the_call = std::fs::remove_dir_all(folder.path().join("saved"));
        }
        let (plain, ours) = (median(plain), median(ours));
        let ratio = ours.as_secs_f64() / plain.as_secs_f64();
        println!("{name:<40} {plain:>9.2?} {ours:>9.2?} {ratio:>6.2} {:>7} KB", peak());
    }
    assert!(peak() < MAX_PEAK, "{} KB at the peak, more than {MAX_PEAK} KB", peak());
}

/// Runs the command `at_once` times in parallel, each piped to its own file.
fn with_tee(command: &str, at_once: usize, folder: &Path) {
    let file = |nth: usize| folder.join(format!("tee-{nth}"));
    let start = |nth| {
        let piped = format!("{command} | tee {} >/dev/null", file(nth).display());
        by_itself(&piped).spawn().expect("a shell")
    };
    let started: Vec<_> = (0..at_once).map(start).collect();
    for mut shell in started {
        assert!(shell.wait().is_ok_and(|status| status.success()), "{command}");
    }
    (0..at_once).for_each(|nth| std::fs::remove_file(file(nth)).expect("the file that tee wrote"));
}

/// Runs the command `at_once` times in parallel in `bash`.
fn through_bash(runtime: &Runtime, cx: &Context, command: &str, at_once: usize) {
    runtime.block_on(async {
        let command: Arc<str> = Arc::from(command);
        let start = |_| {
            let (cx, command) = (cx.clone(), Arc::clone(&command));
            tokio::spawn(async move { call(&cx, &command).await })
        };
        let started: Vec<_> = (0..at_once).map(start).collect();
        for call in started {
            call.await.expect("a call that ends");
        }
    });
}
