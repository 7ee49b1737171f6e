//! Compares grep, find and ls with equivalent commands: `cargo bench --bench search`.
//!
//! `CUTLINE_BENCH_DATA` is the folder of the data. `rg`, `fd` and `ls` must be on `PATH`. Each figure is the median
//! of several runs with warm caches, and the ratio is relative to the command.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops at the first error")]
#![allow(missing_docs, reason = "a bench has no documentation")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutline::blocking::Threads;
use cutline::fs::workspace::{Boundary, Root, Workspace};
use cutline::limits::Limits;
use cutline::process::Commands;
use cutline::process::environment::Environment;
use cutline::saved_output;
use cutline::stop::Stop;
use cutline::tools::{Context, Output, Progress, Shared, ToolSet, find, grep, ls};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const RUNS: usize = 11;

fn main() {
    let Some(data) = std::env::var_os("CUTLINE_BENCH_DATA").map(PathBuf::from) else {
        println!("CUTLINE_BENCH_DATA is not set to a folder: nothing to measure");
        return;
    };
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let data = data.canonicalize().unwrap();
    let cx = context(&data);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let cases: [(&str, &str, Value, &str); 10] = [
        (
            "grep first 100",
            "grep",
            json!({"pattern": "TODO_NEEDLE", "path": ["src"]}),
            "rg -n --hidden TODO_NEEDLE src | head -100",
        ),
        (
            "grep none",
            "grep",
            json!({"pattern": "NOTHING_SUCH", "path": ["src"]}),
            "rg -n --hidden NOTHING_SUCH src",
        ),
        (
            "grep none, regex",
            "grep",
            json!({"pattern": r"NOTHING_\w+_SUCH\d", "path": ["src"]}),
            r"rg -n --hidden 'NOTHING_\w+_SUCH\d' src",
        ),
        (
            "grep 200 MB, few",
            "grep",
            json!({"pattern": "NEEDLE_RARE", "path": ["big.txt"]}),
            "rg --no-mmap -n NEEDLE_RARE big.txt",
        ),
        (
            "grep 200 MB, none",
            "grep",
            json!({"pattern": "NOTHING_SUCH", "path": ["big.txt"]}),
            "rg --no-mmap -n NOTHING_SUCH big.txt",
        ),
        (
            "grep one line of 50 MB, none",
            "grep",
            json!({"pattern": "NOTHING_SUCH", "path": ["oneline.min.js"]}),
            "rg NOTHING_SUCH oneline.min.js",
        ),
        (
            "grep one line of 50 MB",
            "grep",
            json!({"pattern": "NEEDLE_MINIFIED", "path": ["oneline.min.js"]}),
            "rg -o NEEDLE_MINIFIED oneline.min.js",
        ),
        (
            "find first 1000",
            "find",
            json!({"pattern": "*.rs", "path": "src"}),
            "fd -H --no-require-git -g '*.rs' src | head -1000",
        ),
        (
            "find none",
            "find",
            json!({"pattern": "*.zzz", "path": "src"}),
            "fd -H --no-require-git -g '*.zzz' src",
        ),
        ("ls 100,000", "ls", json!({"path": "bigdir"}), "ls -a bigdir | head -500"),
    ];
    for (name, tool, arguments, command) in cases {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let ours = median(|| drop(runtime.block_on(call(&cx, tool, &arguments))));
        let theirs = median(|| shell(&data, command));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("{name:30} {:9.2} ms {:9.2} ms  {ratio:5.2} x  {command}", millis(ours), millis(theirs));
    }
    println!("peak memory: {}", peak().unwrap_or_default());
}

fn context(data: &Path) -> Context {
    let root = Root::followed(data.to_owned());
    let shared = Shared {
        limits: Limits::default(),
        tools: ToolSet::default(),
        workers: std::thread::available_parallelism().map_or(1, usize::from),
        line_indexes: cutline::fs::line_index::Cache::default(),
        commands: Commands::new(saved_output::Settings::default(), None, Environment::default()),
        saves_all: false,
        threads: Threads::default(),
    };
    Context {
        limits: shared.limits.clone(),
        shared: Arc::new(shared),
        workspace: Arc::new(Workspace::new(vec![root], Boundary::Roots).unwrap()),
        cancel: CancellationToken::new(),
        deadline: Stop::default().deadline(),
        progress: Progress::default(),
        ignored: cutline_core::notice::Names::default(),
    }
}

async fn call(cx: &Context, tool: &str, arguments: &Value) -> Output {
    let arguments = arguments.clone();
    match tool {
        "grep" => grep::run(cx, serde_json::from_value(arguments).unwrap()).await.unwrap(),
        "find" => find::run(cx, serde_json::from_value(arguments).unwrap()).await.unwrap(),
        _ => ls::run(cx, serde_json::from_value(arguments).unwrap()).await.unwrap(),
    }
}

fn shell(data: &Path, command: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(data).stdin(Stdio::null()).stdout(Stdio::null());
    let _status = shell.status().unwrap();
}

fn median(mut work: impl FnMut()) -> Duration {
    work();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(RUNS / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|peak| peak.trim().to_owned())
}
