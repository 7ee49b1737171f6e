//! ls: listing a folder. (being built)

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};

/// The arguments of ls.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Folder to list; default: the workspace
    pub path: Option<String>,
    /// Most entries to return; default 500
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Entries to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
}

/// Does one call.
pub async fn run(_cx: &Context, _args: Args) -> Result<Output, ToolError> {
    Err(ToolError::Cancelled)
}
