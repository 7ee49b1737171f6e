//! Arguments of other tools that are equivalent to arguments here, but have other values or correspond to several
//! arguments.
//!
//! They are rewritten before the check: `start_line` and `end_line` become `offset` and `limit`, a command as an array
//! becomes a command line, and `timeout_ms` becomes `timeout`. A value without an equivalent stays unchanged, so that
//! the check reports it.

use serde_json::Value;

use super::names::{has, joined};
use super::{Object, boolean, integer};

/// Names for the first line and the last line to read, and for an array with both.
const FIRST_LINES: &str = "startline fromline linestart startlineoneindexed firstline";
const LAST_LINES: &str = "endline toline lineend endlineoneindexedinclusive endlineinclusive lastline";
const LINE_RANGES: &str = "viewrange linerange";

/// Values of `type` in other tools for finding files.
const TYPES: [(&str, &str); 3] =
    [("file", "f files"), ("dir", "d directory directories folder"), ("any", "all both")];

/// Arguments here, with their values.
type Equivalents = Vec<(&'static str, Value)>;

/// Returns all arguments, with equivalents here instead of the arguments of other tools.
pub(super) fn rewritten(tool: &str, given: &Object) -> Vec<(String, Value)> {
    let range = if tool == "read" { line_range(given) } else { None };
    let (range, mut own) = range.unwrap_or_default();
    let mut rest = Vec::new();
    for (name, value) in given.iter().filter(|(name, _)| !range.contains(name)) {
        match equivalent(tool, name, value) {
            Some(equivalents) => own.extend(equivalents),
            None => rest.push((name.clone(), value.clone())),
        }
    }
    rest.extend(own.into_iter().map(|(name, value)| (name.to_owned(), value)));
    rest
}

/// Returns the arguments here that mean the same as an argument of another tool. Options of ripgrep are case sensitive.
fn equivalent(tool: &str, name: &str, value: &Value) -> Option<Equivalents> {
    let option =
        |mode: &str| if boolean(value) == Some(true) { vec![("mode", mode.into())] } else { Vec::new() };
    match (tool, name) {
        ("grep", "-l") => return Some(option("files")),
        ("grep", "-c") => return Some(option("count")),
        _ => {}
    }
    match (tool, joined(name).as_str()) {
        ("grep", "outputmode") if value == "files_with_matches" => Some(vec![("mode", "files".into())]),
        ("bash", "command" | "cmd") => Some(vec![("command", command_line(value)?.into())]),
        ("bash", "timeoutms" | "timeoutmillis" | "timeoutmilliseconds") => {
            let milliseconds = u64::try_from(integer(value)?).ok()?;
            Some(vec![("timeout", milliseconds.div_ceil(1000).into())])
        }
        ("grep" | "find", "respectgitignore") => Some(vec![("noIgnore", (!boolean(value)?).into())]),
        ("grep" | "find", "filefilteringoptions") => {
            let mut options = value.as_object()?.iter();
            match options.find(|(option, _)| joined(option) == "respectgitignore") {
                Some((_, respects)) => Some(vec![("noIgnore", (!boolean(respects)?).into())]),
                None => Some(Vec::new()),
            }
        }
        ("grep" | "find", "casesensitive") => Some(vec![("ignoreCase", (!boolean(value)?).into())]),
        ("find", "recursive") if boolean(value) == Some(false) => Some(vec![("maxDepth", 1.into())]),
        ("find", "type" | "filetype" | "kind") => {
            let given = value.as_str()?.to_lowercase();
            let (kind, _) = TYPES.iter().find(|(_, others)| has(others, &given))?;
            Some(vec![("type", (*kind).into())])
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

/// Returns the names of the arguments for the first and the last line, and the equivalent `offset` and `limit`.
fn line_range(given: &Object) -> Option<(Vec<&String>, Equivalents)> {
    let of = |names| given.iter().find(|(name, _)| has(names, &joined(name)));
    let range = of(LINE_RANGES).map(|(name, range)| Some((name, both_ends(range)?)));
    let ends = match &range {
        None => [of(FIRST_LINES), of(LAST_LINES)],
        Some(range) => {
            let (name, [first, last]) = range.as_ref()?;
            [Some((*name, first)), Some((*name, last))]
        }
    };
    let number = |end: Option<(_, &Value)>| match end {
        Some((_, value)) if !value.is_null() => integer(value).map(Some),
        _ => Some(None),
    };
    let (first, last) = (number(ends[0])?, number(ends[1])?.filter(|last| *last != -1));
    let names: Vec<&String> = ends.into_iter().flatten().map(|(name, _)| name).collect();
    let start = first.unwrap_or(1).max(1);
    let mut own = Vec::new();
    if first.is_some() {
        own.push(("offset", start.into()));
    }
    if let Some(last) = last {
        let lines = last.checked_sub(start)?.checked_add(1).filter(|lines| *lines > 0)?;
        own.push(("limit", lines.into()));
    }
    (!names.is_empty()).then_some((names, own))
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
