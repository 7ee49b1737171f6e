//! Arguments of other tools that are equivalent to arguments here, but have other values or correspond to several
//! arguments.
//!
//! They are rewritten before the check: `start_line` and `end_line` become `offset` and `limit`, a command as an array
//! becomes a command line, and `timeout_ms` becomes `timeout`. A value without an equivalent stays unchanged, so that
//! the check reports it.

use serde_json::Value;

use super::names::{has, joined};
use super::{Object, boolean, integer};

/// Names for the first line and the last line to read.
const FIRST_LINES: &str = "startline fromline linestart startlineoneindexed firstline";
const LAST_LINES: &str = "endline toline lineend endlineoneindexedinclusive endlineinclusive lastline";

/// Values of `type` in other tools for finding files.
const TYPES: [(&str, &str); 3] =
    [("file", "f files"), ("dir", "d directory directories folder"), ("any", "all both")];

/// Arguments here, with their values.
type Equivalents<'a> = Vec<(&'a str, Value)>;

/// Returns an argument, or its equivalents here if it is one of another tool.
pub(super) fn rewritten<'a>(tool: &str, given: &Object, name: &'a str, value: &Value) -> Equivalents<'a> {
    equivalent(tool, given, name, value).unwrap_or_else(|| vec![(name, value.clone())])
}

/// Returns the arguments here that mean the same as an argument of another tool. Options of ripgrep are case sensitive.
fn equivalent(tool: &str, given: &Object, name: &str, value: &Value) -> Option<Equivalents<'static>> {
    let option =
        |mode: &str| if boolean(value) == Some(true) { vec![("mode", mode.into())] } else { Vec::new() };
    match (tool, joined(name).as_str()) {
        ("grep", _) if name == "-l" => Some(option("files")),
        ("grep", _) if name == "-c" => Some(option("count")),
        ("grep", "outputmode") if value == "files_with_matches" => Some(vec![("mode", "files".into())]),
        ("bash", "command" | "cmd") => Some(vec![("command", command_line(value)?.into())]),
        ("bash", "timeoutms" | "timeoutmillis" | "timeoutmilliseconds") => {
            let milliseconds = u64::try_from(integer(value)?).ok()?;
            Some(vec![("timeout", milliseconds.div_ceil(1000).into())])
        }
        ("grep" | "find", "respectgitignore") => Some(vec![("noIgnore", (!boolean(value)?).into())]),
        ("grep" | "find", "filefilteringoptions") => {
            let mut options = value.as_object()?.iter();
            let Some((_, respects)) = options.find(|(option, _)| joined(option) == "respectgitignore") else {
                return Some(Vec::new());
            };
            Some(vec![("noIgnore", (!boolean(respects)?).into())])
        }
        // With a value of another type, it is the pattern.
        ("grep", "regex" | "isregex" | "useregex") if given.contains_key("pattern") => {
            Some(vec![("literal", (!boolean(value)?).into())])
        }
        ("grep" | "find", "casesensitive") => Some(vec![("ignoreCase", (!boolean(value)?).into())]),
        ("find", "recursive") if boolean(value) == Some(false) => Some(vec![("maxDepth", 1.into())]),
        ("find", "type" | "filetype" | "kind") => {
            let kind = value.as_str()?.to_lowercase();
            let (kind, _) = TYPES.iter().find(|(_, others)| has(others, &kind))?;
            Some(vec![("type", (*kind).into())])
        }
        ("read", first) if has(FIRST_LINES, first) => lines(integer(value)?, None),
        ("read", last) if has(LAST_LINES, last) => {
            let first = given.iter().find(|(name, _)| has(FIRST_LINES, &joined(name)) || *name == "offset");
            let own = lines(first.and_then(|(_, first)| integer(first)).unwrap_or(1), Some(integer(value)?))?;
            Some(own.into_iter().filter(|(name, _)| *name == "limit").collect())
        }
        ("read", "viewrange" | "linerange") => {
            let [first, last] = both_ends(value)?;
            lines(integer(&first)?, Some(integer(&last)?))
        }
        ("read", "tail" | "taillines") => {
            let lines = integer(value).filter(|lines| *lines > 0)?;
            Some(vec![("offset", (-lines).into())])
        }
        ("ls", "a" | "all" | "hidden" | "showhidden" | "includehidden") => {
            Some(if boolean(value)? { Vec::new() } else { vec![("exclude", ".*".into())] })
        }
        _ => None,
    }
}

/// Joins an array of words to a command line. Returns `None` for anything else.
fn command_line(value: &Value) -> Option<String> {
    let words: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    shlex::try_join(words.filter(|words| !words.is_empty())?).ok()
}

/// Returns the `offset` and the `limit` of a range of lines. A last line of -1 is the end of the file.
fn lines(first: i64, last: Option<i64>) -> Option<Equivalents<'static>> {
    let first = first.max(1);
    let mut own = vec![("offset", first.into())];
    if let Some(last) = last.filter(|last| *last != -1) {
        let lines = last.checked_sub(first)?.checked_add(1).filter(|lines| *lines > 0)?;
        own.push(("limit", lines.into()));
    }
    Some(own)
}

/// Returns the first and the last line of a range: an array, or text such as `5-9`.
fn both_ends(range: &Value) -> Option<[Value; 2]> {
    match range {
        Value::Array(ends) => ends.clone().try_into().ok(),
        Value::String(text) => {
            let (first, last) = text.trim_matches(['[', ']']).split_once(['-', ',', ':'])?;
            Some([first.trim().into(), last.trim().into()])
        }
        _ => None,
    }
}
