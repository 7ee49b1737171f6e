//! An example project to test the documentation. It replaces `/home/me/project` of the pages and has the built `cutline` on
//! the `PATH`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Client, Start, Workspace};

/// The paths of the project, the binary, the home folder and the saved outputs on the pages.
const PROJECT: &str = "/home/me/project";
const BINARY: &str = "/home/me/.cargo/bin/cutline";
const HOME: &str = "/home/me";
const SAVED_DIR: &str = "/tmp/cutline-1000";
const SAVED: &str = "/tmp/cutline-1000/cutline-bash-xxx.log";

/// A workspace for the commands of the documentation.
#[derive(Debug)]
pub(super) struct ExampleProject(Workspace);

impl ExampleProject {
    pub(super) fn new() -> Self {
        let workspace = Workspace::with(&json!({
            ".gitignore": "dist/\n",
            "Cargo.lock": "version = 4\n",
            "../home/cutline-calls.jsonl":
                "{\"time\":\"2026-11-20T10:00:01.250Z\",\"tool\":\"read\",\"durationMs\":0.25,\"outcome\":\"error\"}\n",
            "README.md": "# Shop\n\nSells things. See `src`.\n",
            "dist/bundle.js": "function total(o) { return o.reduce((a, b) => a + b) }\n",
            "logo.ico": {"hex": "00000100010010100000"},
            "notes.txt": ["first", "second"],
            "server.log": [
                {"lines": [1, 41_230], "text": "request {n:5}: 200 in 12 ms"},
                "request 41231: 500 no connection left in the pool",
                {"lines": [41_232, 50_000], "text": "request {n:5}: 200 in 12 ms"},
            ],
            "src/main.rs": ["mod orders;", "", "fn main() {", "    orders::serve(8080);", "}"],
            "src/orders.rs": [
                "//! Orders.",
                "",
                "const POOL: usize = 8; // TODO: from the settings",
                "",
                "pub fn serve(port: u16) {",
                "    println!(\"port {port}, {POOL} connections\");",
                "}",
            ],
        }));
        let bin = workspace.home().join(".cargo/bin");
        fs::create_dir_all(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_cutline"), bin.join("cutline")).unwrap();
        Self(workspace)
    }

    /// Runs a shell command.
    pub(super) fn run(&self, line: &str) -> Output {
        let path = format!("<base>/home/.cargo/bin:{}", std::env::var("PATH").unwrap_or_default());
        let start =
            Start::new(&self.0).through("bash", &["-ec", &self.with_real_paths(line)]).env("PATH", &path);
        start.command().stdin(Stdio::null()).output().unwrap()
    }

    /// Starts a server and a client.
    pub(super) fn client(&self) -> Client {
        Client::new(&self.0)
    }

    /// Parses the arguments of a call on a page. Replaces the paths of the pages with those of this run.
    pub(super) fn arguments(&self, json: &str) -> Value {
        serde_json::from_str(&self.with_real_paths(json)).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    /// Replaces the paths of the pages in `text` with those of this run.
    fn with_real_paths(&self, text: &str) -> String {
        let paths = self.paths();
        let written = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
        let saved = self.0.saved().into_iter().max_by_key(written).map(|path| path.display().to_string());
        let text = text.replace(SAVED, &saved.unwrap_or_else(|| SAVED.to_owned()));
        paths.iter().fold(text, |text, (named, real)| text.replace(named, real))
    }

    /// Replaces the paths of this run in `text` with those of the pages.
    pub(super) fn with_page_paths(&self, text: &str) -> String {
        self.paths().iter().fold(text.to_owned(), |text, (named, real)| text.replace(real, named))
    }

    /// Returns each path of the pages with its path in this run. A path is before its prefixes.
    fn paths(&self) -> [(&'static str, String); 4] {
        let path = |path: PathBuf| path.display().to_string();
        [
            (PROJECT, path(self.0.root().to_owned())),
            (BINARY, env!("CARGO_BIN_EXE_cutline").to_owned()),
            (HOME, path(self.0.home())),
            (SAVED_DIR, path(self.0.saved_dir())),
        ]
    }
}
