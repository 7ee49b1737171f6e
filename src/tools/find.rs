//! find: searching for files by name. (being built)

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};

/// The arguments of find.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Glob; without / it matches names at any depth, with one, paths below path
    pub pattern: String,
    /// Folder to search; default: the workspace
    pub path: Option<String>,
    /// Most results to return; default 1000
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Results to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// What to find; default file
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Order: by path, or newest first
    pub sort: Option<Sort>,
    /// Also find ignored files
    pub no_ignore: Option<bool>,
}

/// What find looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Kind {
    #[default]
    #[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
    File,
    #[expect(missing_docs, reason = "as above")]
    Dir,
    #[expect(missing_docs, reason = "as above")]
    Any,
}

/// The order of find's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Sort {
    #[default]
    #[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
    Path,
    #[expect(missing_docs, reason = "as above")]
    Modified,
}

/// Does one call.
pub async fn run(_cx: &Context, _args: Args) -> Result<Output, ToolError> {
    Err(ToolError::Cancelled)
}
