//! Whole calls: `{"tool": "grep", "arguments": {…}}` in a small workspace, with small limits.
//!
//! No call panics, exceeds its limits (`workspace`), or shows files outside the workspace. The same call returns the same
//! result. The offset in a notice is greater than the offset of the call.

use cutline::limits::Limits;
use cutline::tools::ToolName;
use cutline::tools::arguments::Object;
use serde_json::Value;

use crate::workspace::{OUTSIDE, Tools};

thread_local! {
    static TOOLS: Tools = Tools::new(Limits { max_lines: 20, max_bytes: 400, max_match_line_chars: 60, ..Limits::default() });
}

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let Ok(mut call) = serde_json::from_slice::<Object>(bytes) else { return };
    let tool = call.get("tool").and_then(Value::as_str).and_then(ToolName::of);
    let Some(tool) = tool.filter(|tool| tool.is_read_only()) else { return };
    let Some(Value::Object(arguments)) = call.remove("arguments") else { return };
    TOOLS.with(|tools| check(tools, tool, &arguments));
}

fn check(tools: &Tools, tool: ToolName, arguments: &Object) {
    let asked = || tools.call(tool, arguments.clone()).map_err(|error| error.to_string());
    let answer = asked();
    assert_eq!(asked(), answer, "the same call again");
    let Ok(output) = answer else { return };
    assert!(!output.text.contains(OUTSIDE), "{}", output.text);
    assert!(output.text.get(..output.body_bytes).is_some(), "body_bytes is not in the text");
    let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
    assert!(output.details.next_offset.is_none_or(|next| next > offset), "{:?}", output.details);
}
