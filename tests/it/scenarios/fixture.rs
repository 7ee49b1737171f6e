//! The format of a scenario file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file of `fixtures/scenarios`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    /// The behaviour that the scenario shows, in one sentence.
    pub(super) about: String,
    /// Files of the workspace, by path.
    #[serde(default)]
    pub(super) files: Map<String, Value>,
    /// Flags of the server.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Variables of the server.
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    /// True if file modes must apply to the server, even if the tests run as root.
    #[serde(default)]
    pub(super) unprivileged: bool,
    /// The calls, one after another.
    pub(super) calls: Vec<Call>,
}

/// A call and its expected result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) args: Value,
    /// The complete text. `<*>` matches any text.
    pub(super) text: Value,
    /// All details. For `truncation`, the fields of interest.
    #[serde(default)]
    pub(super) details: Map<String, Value>,
    /// True if the result may have details that are not listed.
    #[serde(default)]
    pub(super) more_details: bool,
    #[serde(default)]
    pub(super) is_error: bool,
    /// The image in addition to the text.
    pub(super) image: Option<Image>,
    /// The complete text that this call and the calls with each `nextOffset` return together.
    pub(super) pages: Option<Value>,
}

/// An image as it reaches the client.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Image {
    pub(super) mime_type: String,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Returns all scenarios with their names, sorted by name.
pub(super) fn all() -> Vec<(String, Scenario)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scenarios");
    let mut files: Vec<PathBuf> = folders(&top).iter().flat_map(|folder| entries(folder)).collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&top).unwrap().with_extension("").display().to_string();
        let json = std::fs::read_to_string(&path).unwrap();
        let scenario = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, scenario)
    };
    files.into_iter().map(read).collect()
}

fn folders(top: &Path) -> Vec<PathBuf> {
    entries(top).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
