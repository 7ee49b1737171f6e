//! Shared code of the benches of `bash`: a call as the server makes it, and the command alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutline::blocking::Threads;
use cutline::fs::line_index;
use cutline::fs::workspace::{Boundary, Root, Workspace};
use cutline::limits::Limits;
use cutline::process::Commands;
use cutline::process::environment::Environment;
use cutline::saved_output;
use cutline::stop::Stop;
use cutline::tools::{Context, Progress, Shared, ToolSet, bash};
use tokio_util::sync::CancellationToken;

/// Returns the context of a bash call in the workspace `root`, with outputs saved in `saved`.
pub(crate) fn context(root: &Path, saved: PathBuf) -> Context {
    let spill = saved_output::Settings { dir: saved, ..saved_output::Settings::default() };
    let commands = Commands::new(spill, None, Environment::default());
    let shared = Shared {
        limits: Limits::default(),
        tools: ToolSet::default(),
        workers: 2,
        line_indexes: line_index::Cache::default(),
        commands,
        saves_all: false,
        threads: Threads::default(),
    };
    let roots = vec![Root::followed(root.to_owned())];
    Context {
        limits: shared.limits.clone(),
        shared: Arc::new(shared),
        workspace: Arc::new(Workspace::new(roots, Boundary::Roots).expect("a workspace")),
        cancel: CancellationToken::new(),
        deadline: Stop::default().deadline(),
        progress: Progress::default(),
        ignored: cutline_core::notice::Names::default(),
    }
}

/// Returns the arguments of a call with default settings.
pub(crate) fn args(command: &str) -> bash::BashArgs {
    bash::BashArgs { command: command.to_owned(), cwd: None, timeout: None, head: None, tail: None }
}

/// Runs a call of `bash` that must succeed.
pub(crate) async fn call(cx: &Context, command: &str) {
    bash::run(cx, args(command)).await.expect("a command that runs");
}

/// Returns the command without cutline.
pub(crate) fn by_itself(command: &str) -> Command {
    let mut bash = Command::new("bash");
    bash.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null());
    bash
}

/// Runs `work` and returns its time.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Returns the median.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Returns the peak memory of this process in KiB.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
