//! Arguments: every tool accepts any JSON or returns an error.
//!
//! Errors are short and have no control characters. `null` is the same as no value, and a string of digits is the same as the
//! number.

use std::fmt::Debug;

use cutline::tools::arguments::{self, Object};
use cutline::tools::{ToolName, bash, find, grep, ls, read};
use serde_json::Value;

/// Maximum number of bytes of an error about an argument.
const MAX_WORDS: usize = 1000;

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let Ok(given) = serde_json::from_slice::<Object>(bytes) else { return };
    check(ToolName::Read, &given, arguments::typed::<read::ReadArgs>);
    check(ToolName::Bash, &given, arguments::typed::<bash::BashArgs>);
    check(ToolName::Grep, &given, arguments::typed::<grep::GrepArgs>);
    check(ToolName::Find, &given, arguments::typed::<find::FindArgs>);
    check(ToolName::Ls, &given, arguments::typed::<ls::LsArgs>);
}

fn check<T: Debug, E: ToString>(tool: ToolName, given: &Object, typed: fn(Object) -> Result<T, E>) {
    let parsed = |given: &Object| {
        let checked =
            arguments::check(tool.as_str(), tool.schema(), given).map_err(|error| error.to_string())?;
        let args = typed(checked.arguments).map_err(|error| error.to_string())?;
        Ok::<_, String>(format!("{args:?}"))
    };
    let taken = parsed(given);
    if let Err(words) = &taken {
        assert!(words.len() <= MAX_WORDS && !words.contains(char::is_control), "{words:?}");
    }
    let mut plain = given.clone();
    plain.retain(|name, value| !value.is_null() || property(tool, name).is_none());
    assert_eq!(parsed(&plain), taken, "without null");
    for (name, value) in &mut plain {
        let is_integer = property(tool, name).is_some_and(|known| known["type"] == "integer");
        if is_integer && value.is_i64() {
            *value = Value::String(value.to_string());
        }
    }
    assert_eq!(parsed(&plain).ok(), taken.ok(), "numbers as text");
}

/// Returns the schema of the argument with this name.
fn property<'a>(tool: ToolName, name: &str) -> Option<&'a Value> {
    tool.schema().get("properties")?.get(name)
}
