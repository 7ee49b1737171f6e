//! grep: searching what files hold. (being built)

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Context, Output, ToolError};

/// The arguments of grep.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// Regular expression (Rust syntax)
    pub pattern: String,
    /// File or folder to search; default: the workspace
    pub path: Option<String>,
    /// Only these files, e.g. *.rs, src/**/*.ts, !*.min.js
    pub glob: Option<String>,
    /// Search without regard to case
    pub ignore_case: Option<bool>,
    /// Take the pattern as plain text
    pub literal: Option<bool>,
    /// Lines to show before and after each match
    #[schemars(range(min = 0, max = 100))]
    pub context: Option<u64>,
    /// Most matches to return; default 100
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Matches to skip
    #[schemars(range(min = 0))]
    pub offset: Option<u64>,
    /// What to return: matching lines, file names, or counts for each file
    pub mode: Option<Mode>,
    /// Let a match span lines
    pub multiline: Option<bool>,
    /// Also search ignored files
    pub no_ignore: Option<bool>,
}

/// What grep returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Mode {
    #[default]
    #[expect(missing_docs, reason = "a documented variant would not be a plain enum in the schema")]
    Content,
    #[expect(missing_docs, reason = "as above")]
    Files,
    #[expect(missing_docs, reason = "as above")]
    Count,
}

/// Does one call.
pub async fn run(_cx: &Context, _args: Args) -> Result<Output, ToolError> {
    Err(ToolError::Cancelled)
}
