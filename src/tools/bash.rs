//! bash: running a command. (being built)

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};

/// The arguments of bash.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Command line for bash -c, run in the workspace
    pub command: String,
    /// Seconds until it is ended; default 120
    pub timeout: Option<u64>,
    /// Lines to keep from the start of the output
    pub head: Option<u64>,
    /// Lines to keep from the end
    pub tail: Option<u64>,
}

/// Does one call.
pub async fn run(_cx: &Context, _args: Args) -> Result<Output, ToolError> {
    Err(ToolError::Cancelled)
}
