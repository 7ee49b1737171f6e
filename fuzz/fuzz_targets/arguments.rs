//! Any JSON as the arguments of any tool: taken or refused in words, never a panic.
#![no_main]

use cutline::tools::{ToolName, arguments, bash, find, grep, ls, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(given) = serde_json::from_slice::<arguments::Object>(bytes) else { return };
    let schema = |tool: ToolName| tool.schema();
    let _ = arguments::parse::<read::Args>("read", schema(ToolName::Read), given.clone());
    let _ = arguments::parse::<bash::Args>("bash", schema(ToolName::Bash), given.clone());
    let _ = arguments::parse::<grep::Args>("grep", schema(ToolName::Grep), given.clone());
    let _ = arguments::parse::<find::Args>("find", schema(ToolName::Find), given.clone());
    let _ = arguments::parse::<ls::Args>("ls", schema(ToolName::Ls), given);
});
