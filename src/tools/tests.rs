//! A workspace for the tests of each tool, and tests that apply to the work of all tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Context, Output, Progress, Shared, ToolError, ToolName, ToolSet, Totals, arguments, catalog};
use crate::blocking::Threads;
use crate::fs::workspace::{Boundary, Root, Workspace};
use crate::limits::Limits;
use crate::process::Commands;
use crate::process::environment::Environment;
use crate::saved_output;
use crate::stop::Stop;

/// A separate workspace with the state that the tools need.
pub(super) struct Fixture {
    dir: tempfile::TempDir,
    pub(super) cx: Context,
}

impl Fixture {
    /// Creates a workspace with these files, by path and content.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("work");
        std::fs::create_dir(&real).unwrap();
        let workspace = Workspace::new(vec![Root::resolve(real).unwrap()], Boundary::Roots).unwrap();
        let shared = Shared {
            limits: Limits::default(),
            tools: ToolSet::from(ToolName::ALL),
            workers: 2,
            line_indexes: crate::fs::line_index::Cache::default(),
            commands: Commands::new(saved_output::Settings::default(), None, Environment::default()),
            saves_all: false,
            threads: Threads::default(),
        };
        let cx = Context {
            limits: shared.limits.clone(),
            shared: Arc::new(shared),
            workspace: Arc::new(workspace),
            cancel: CancellationToken::new(),
            deadline: Stop::default().deadline(),
            progress: Progress::default(),
            ignored: cutline_core::notice::Names::default(),
        };
        let fixture = Self { dir, cx };
        for (path, content) in files {
            fixture.write(path, content);
        }
        fixture
    }

    /// Changes the shared state, for example the limits or the number of workers.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        let shared = Arc::get_mut(&mut self.cx.shared).unwrap();
        change(shared);
        self.cx.limits = shared.limits.clone();
        self
    }

    /// Returns the absolute path of a path in the workspace.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.cx.workspace.dir().join(path)
    }

    /// Returns the parent folder of the workspace.
    pub(super) fn outside(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Waits for a call to return.
    pub(super) fn wait(call: impl Future<Output = Result<Output, ToolError>>) -> Result<Output, ToolError> {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(call)
    }
}

/// Parses the arguments of a call from JSON.
pub(super) fn args<T: serde::de::DeserializeOwned + schemars::JsonSchema>(json: &serde_json::Value) -> T {
    let given = json.as_object().unwrap();
    arguments::typed(arguments::check("", &arguments::schema_of::<T>(), given).unwrap().arguments).unwrap()
}

type Call = tokio::task::JoinHandle<Result<(), ToolError>>;

/// Starts work that hangs until the sender is dropped, like a read from a network file system that does not respond.
async fn hang(cx: &Context) -> (CancellationToken, Sender<()>, Call) {
    let cancel = CancellationToken::new();
    let cx = Context { cancel: cancel.clone(), ..cx.clone() };
    let ((go, wait), (tell, begun)) = (channel::<()>(), oneshot::channel());
    let work = move |_: &Context| {
        tell.send(()).unwrap();
        let _until_dropped = wait.recv();
        Ok(())
    };
    let call = tokio::spawn(async move { cx.blocking(work).await });
    begun.await.unwrap();
    (cancel, go, call)
}

#[tokio::test]
async fn cancelled_calls_end_though_their_threads_are_stuck() {
    let here = Fixture::new(&[]);
    let (mut stuck, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..64 {
        let (cancel, go, call) = hang(&here.cx).await;
        cancel.cancel();
        stuck.push(go);
        calls.push(call);
    }
    for call in calls {
        assert!(matches!(call.await.unwrap(), Err(ToolError::Cancelled)));
    }
    let error = here.cx.blocking(|_| Ok(())).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "64 cancelled calls are still blocked in the system. No new work starts until one of them ends"
    );
    drop(stuck.pop());
    while here.cx.blocking(|_| Ok(())).await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn panics_are_propagated() {
    let here = Fixture::new(&[]);
    let call = tokio::spawn(async move { here.cx.blocking::<()>(|_| panic!("no luck")).await });
    assert!(call.await.unwrap_err().is_panic());
}

fn totals(cx: &Context, tool: ToolName, given: &serde_json::Value) -> Totals {
    let call = catalog::call(cx, tool, given.as_object().unwrap(), |_| async { Ok(()) });
    Fixture::wait(async { call.await.outcome }).unwrap().totals
}

#[test]
fn totals_are_known_if_the_tool_counted_everything() {
    use ToolName::{Bash, Find, Grep, Ls, Read};
    use Totals::{Exact, LowerBound, Unknown};
    let names: Vec<String> = (0..9).map(|n| format!("names/name-{n}-long")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
    let ten = "x 234567890\n".repeat(10);
    let long = format!("{}\nx\n", "long ".repeat(30));
    files.extend([("ten", ten.as_str()), ("long", long.as_str()), ("few", "x\n")]);
    let here = Fixture::new(&files).with(|shared| shared.limits.max_bytes = 60);
    here.write(
        "wide",
        ten.encode_utf16().fold(vec![0xFF, 0xFE], |file, unit| [file, unit.to_le_bytes().to_vec()].concat()),
    );
    let cases = [
        (Read, json!({"path": "few"}), Exact),
        (Read, json!({"path": "ten"}), Exact),
        (Read, json!({"path": "ten", "limit": 10}), Exact),
        (Read, json!({"path": "ten", "limit": 9}), Unknown),
        (Read, json!({"path": "ten", "limit": 2}), Exact),
        (Read, json!({"path": "ten", "offset": 2}), Unknown),
        (Read, json!({"path": "ten", "offset": 9}), Exact),
        (Read, json!({"path": "long"}), Exact),
        (Read, json!({"path": "wide"}), Unknown),
        (Bash, json!({"command": "cat ten"}), Exact),
        (Bash, json!({"command": "printf 'a\\0b\\0\\1\\2\\3\\4'"}), Unknown),
        (Grep, json!({"pattern": "x", "path": "few"}), Exact),
        (Grep, json!({"pattern": "x", "path": "ten"}), Exact),
        (Grep, json!({"pattern": "x", "path": "ten", "limit": 8}), Exact),
        (Grep, json!({"pattern": "x", "path": "ten", "limit": 2}), Exact),
        (Grep, json!({"pattern": "x", "path": "ten", "sort": "relevance"}), Exact),
        (Grep, json!({"pattern": "x", "path": "ten", "sort": "relevance", "limit": 8}), Unknown),
        (Find, json!({"pattern": "name-*"}), Exact),
        (Find, json!({"pattern": "name-*", "limit": 8}), Exact),
        (Ls, json!({"path": "names"}), Exact),
        (Ls, json!({"path": "names", "limit": 8}), Unknown),
        (Ls, json!({"path": "names", "offset": 1}), Unknown),
        (Ls, json!({"path": "names", "limit": 2}), Exact),
    ];
    for (tool, call, expected) in cases {
        assert_eq!(totals(&here.cx, tool, &call), expected, "{tool:?} {call}");
    }
    let many = Fixture::new(&[("many", "x\n".repeat(200).as_str())]);
    for (max_bytes, expected) in [(30_000, Unknown), (60, LowerBound)] {
        let cx = Context { limits: Limits { max_bytes, ..Limits::default() }, ..many.cx.clone() };
        assert_eq!(totals(&cx, Grep, &json!({"pattern": "x", "path": "many"})), expected, "{max_bytes}");
    }
}
