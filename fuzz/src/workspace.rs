//! A separate folder for each thread, and the tools that use it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use cutline::blocking::Threads;
use cutline::fs::line_index::Cache;
use cutline::fs::workspace::{Boundary, Root, Workspace};
use cutline::limits::Limits;
use cutline::process::Commands;
use cutline::process::environment::Environment;
use cutline::saved_output;
use cutline::stop::Stop;
use cutline::tools::arguments::Object;
use cutline::tools::{Context, Output, Progress, Shared, ToolError, ToolName, ToolSet, catalog};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// Maximum number of bytes of a result in addition to its body.
pub(crate) const BESIDE_BODY: u64 = 1000;
/// Content of a file outside the workspace. No result may contain it.
pub(crate) const OUTSIDE: &str = "SOMEBODY ELSE'S";

/// A workspace with a few files of each kind.
pub(crate) struct Tools {
    folder: TempDir,
    cx: Context,
    runtime: Runtime,
}

impl Tools {
    /// Creates tools with these limits.
    pub(crate) fn new(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("work");
        fill(folder.path());
        let workspace = Workspace::new(vec![Root::followed(real)], Boundary::Roots).unwrap();
        let shared = Shared {
            limits,
            tools: ToolSet::default(),
            workers: 1,
            line_indexes: Cache::default(),
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
        Self { folder, cx, runtime: Builder::new_current_thread().enable_time().build().unwrap() }
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.folder.path().join("work").join(name), content).unwrap();
    }

    /// Makes a call. Checks that the text is within its bounds.
    pub(crate) fn call(&self, tool: ToolName, arguments: Object) -> Result<Output, ToolError> {
        let answer =
            self.runtime.block_on(catalog::call(&self.cx, tool, &arguments, |_| async { Ok(()) })).outcome;
        let most = self.cx.limits.max_bytes + BESIDE_BODY;
        let text = match &answer {
            Ok(output) => output.text.clone(),
            Err(error) => error.to_string(),
        };
        assert!(text.len() as u64 <= most, "{} bytes: {text}", text.len());
        assert!(!text.trim().is_empty(), "a blank result: {text:?}");
        answer
    }
}

fn fill(folder: &Path) {
    let work = folder.join("work");
    fs::create_dir_all(work.join("src/deep")).unwrap();
    fs::create_dir(work.join("target")).unwrap();
    fs::write(folder.join("outside.txt"), OUTSIDE).unwrap();
    let utf16: Vec<u8> = "\u{feff}first\nsecond é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let long = "wide é ".repeat(200);
    let many: String = (1..=60).map(|n| format!("line {n} of many\n")).collect();
    let files: [(&str, &[u8]); 14] = [
        (".gitignore", b"target/\n*.log\n"),
        ("a.txt", b"one\ntwo\nthree\n"),
        ("many.txt", many.as_bytes()),
        ("long.txt", long.as_bytes()),
        ("crlf.txt", b"one\r\ntwo\rhalf\r\n\r\n"),
        ("utf16.txt", &utf16),
        ("lossy.txt", b"\xc3\xa9 \xc3\xa9\none \xff\ntwo \xe2\x82\n"),
        ("legacy.txt", b"un caf\xe9\npr\xeat\n"),
        ("blank.txt", b" \n\t\n"),
        ("empty.txt", b""),
        ("binary.bin", b"\x7fELF\0\0\0"),
        ("caf\u{e9} \u{2019}s.txt", b"name\n"),
        ("src/deep/lib.rs", b"pub fn main() {\n    needle();\n}\n"),
        ("target/out.log", b"needle\n"),
    ];
    for (name, content) in files {
        fs::write(work.join(name), content).unwrap();
    }
    symlink("a.txt", work.join("link")).unwrap();
    symlink("../outside.txt", work.join("leaves")).unwrap();
    symlink("nowhere", work.join("dangling")).unwrap();
}
