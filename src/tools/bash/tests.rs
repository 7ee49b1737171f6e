//! Runs real commands, each test in a separate folder.

mod background;
mod ending;
mod saving;
mod texts;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::blocking::Threads;
use crate::fs::workspace::{Boundary, Root, Workspace};
use crate::limits::Limits;
use crate::process::Commands;
use crate::process::environment::Environment;
use crate::saved_output;
use crate::stop::Stop;
use crate::tools::{Progress, Shared, ToolName, ToolSet};

/// Longer than any test takes, unless it hangs.
const HANG: Duration = Duration::from_secs(30);

/// The part of a server that runs commands, with a workspace and a folder for saved outputs.
struct Server {
    cx: Context,
    work: TempDir,
    spill: PathBuf,
}

impl Server {
    fn new() -> Self {
        Self::with(Limits::default(), |_| {})
    }

    fn with(limits: Limits, settle: impl FnOnce(&mut saved_output::Settings)) -> Self {
        let work = tempfile::tempdir().unwrap();
        let real = work.path().canonicalize().unwrap();
        let mut settings =
            saved_output::Settings { dir: real.join("saved"), ..saved_output::Settings::default() };
        settle(&mut settings);
        let spill = settings.dir.clone();
        let shared = Shared {
            limits,
            tools: ToolSet::from(ToolName::ALL),
            workers: 1,
            line_indexes: crate::fs::line_index::Cache::default(),
            commands: Commands::new(settings, None, Environment::default()),
            saves_all: false,
            threads: Threads::default(),
        };
        let roots = vec![Root::resolve(real).unwrap()];
        let cx = Context {
            limits: shared.limits.clone(),
            shared: Arc::new(shared),
            workspace: Arc::new(Workspace::new(roots, Boundary::Roots).unwrap()),
            cancel: CancellationToken::new(),
            deadline: Stop::default().deadline(),
            progress: Progress::default(),
            ignored: cutline_core::notice::Names::default(),
        };
        Self { cx, work, spill }
    }

    async fn call(&self, args: BashArgs) -> Result<Output, ToolError> {
        tokio::time::timeout(HANG, run(&self.cx, args)).await.expect("the call hangs")
    }

    async fn run(&self, command: &str) -> Output {
        self.call(args(command)).await.unwrap()
    }

    /// Returns the saved outputs.
    fn saved(&self) -> Vec<PathBuf> {
        let Ok(entries) = self.spill.read_dir() else { return Vec::new() };
        let saved = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "log");
        entries.map(|entry| entry.unwrap().path()).filter(saved).collect()
    }

    /// Returns a path in the workspace.
    fn path(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// Waits until a process has written its process id to this file. Returns the id.
    async fn pid_in(&self, name: &str) -> u32 {
        let path = self.path(name);
        until(|| std::fs::read_to_string(&path).ok()?.strip_suffix('\n')?.parse().ok()).await
    }
}

fn args(command: &str) -> BashArgs {
    BashArgs { command: command.to_owned(), cwd: None, timeout: None, head: None, tail: None }
}

fn ends(command: &str, head: u64, tail: u64) -> BashArgs {
    BashArgs { head: Some(head), tail: Some(tail), ..args(command) }
}

/// Returns the output of `seq`.
fn seq(last: u32) -> String {
    let numbers: Vec<String> = (1..=last).map(|n| n.to_string()).collect();
    numbers.join("\n") + "\n"
}

/// Waits until `look` returns a value.
async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, found).await.expect("it never came")
}

/// Returns true if a process runs. A zombie does not count.
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// Waits until a process has ended.
async fn gone(pid: u32) {
    until(|| (!runs(pid)).then_some(())).await;
}
