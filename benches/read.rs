//! Compares the time of reading with `wc -l`.
//!
//! `CUTLINE_BENCH_DATA=DIR cargo bench --bench read`; DIR has `big.txt` and `oneline.min.js`. Both sides run in
//! turns, and the medians are compared. Pages are read without a cached line index unless stated.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that is only run by hand")]

#[allow(dead_code, reason = "the other benches use the rest of it")]
mod harness;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use cutline::tools::Load;
use cutline::tools::{Context, read};
use harness::{context, median, peak, timed};

/// Runs of each pair.
const TIMES: usize = 9;

fn main() {
    let Some(data) = std::env::var_os("CUTLINE_BENCH_DATA").map(PathBuf::from) else {
        println!("CUTLINE_BENCH_DATA is not set to a folder: nothing to measure");
        return;
    };
    let data = data.canonicalize().expect("the data's folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let page = |cx: &Context, path: &str, offset: Option<i64>| {
        let args = read::ReadArgs { path: vec![path.to_owned()], offset, limit: None, line_numbers: None };
        runtime.block_on(read::run(cx, args, Load::Light)).expect("a page");
    };
    let cases = [
        ("first page of 200 MB", "big.txt", None, false),
        ("line 1,000,000", "big.txt", Some(1_000_000), false),
        ("the last 300 lines", "big.txt", Some(-300), false),
        ("the next page, cached line index", "big.txt", Some(375), true),
        ("one line of 50 MB", "oneline.min.js", None, false),
    ];
    println!("{:<28} {:>10} {:>10} {:>6}", "", "wc -l", "cutline", "ratio");
    for (name, path, offset, remembered) in cases {
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        let file = data.join(path);
        for _ in 0..TIMES {
            let cx = context(&data, data.join("saved"));
            if remembered {
                page(&cx, path, None);
            }
            ours.push(timed(|| page(&cx, path, offset)));
            plain.push(timed(|| count(&file)));
        }
        let (plain, ours): (Duration, Duration) = (median(plain), median(ours));
        let ratio = ours.as_secs_f64() / plain.as_secs_f64();
        println!("{name:<28} {plain:>10.2?} {ours:>10.2?} {ratio:>6.3}");
    }
    println!("peak of memory: {} KB", peak());
}

fn count(file: &std::path::Path) {
    let mut wc = Command::new("wc");
    wc.arg("-l").arg(file).stdout(Stdio::null());
    assert!(wc.status().expect("wc").success());
}
