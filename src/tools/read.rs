//! read: a file, page by page. (being built)

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};

/// The arguments of read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// File to read
    pub path: String,
    /// Line to start from (1 is the first); negative counts from the end
    pub offset: Option<i64>,
    /// Most lines to return
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// Does one call.
pub async fn run(_cx: &Context, _args: Args) -> Result<Output, ToolError> {
    Err(ToolError::Cancelled)
}
