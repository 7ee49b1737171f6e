//! Arguments of other tools that mean the same as arguments here, but have other values or cover several of them.
//!
//! They are rewritten before the check: `start_line` and `end_line` become `offset` and `limit`, a command as an array
//! becomes a command line, `timeout_ms` becomes `timeout`. A value that has no equivalent stays as it is, so that the
//! check reports it.

use serde_json::Value;

use super::names::joined;
use super::{Object, boolean, integer};

/// Names for the first and the last line to read, and for both in an array.
const FIRST_LINES: [&str; 4] = ["startline", "linestart", "startlineoneindexed", "firstline"];
const LAST_LINES: [&str; 5] =
    ["endline", "lineend", "endlineoneindexedinclusive", "endlineinclusive", "lastline"];
const LINE_RANGES: [&str; 2] = ["viewrange", "linerange"];

/// Values of `type` in other tools that find files.
const TYPES: [(&str, &[&str]); 3] = [
    ("file", &["f", "files"]),
    ("dir", &["d", "directory", "directories", "folder"]),
    ("any", &["all", "both"]),
];

/// Arguments here, each with its value.
type Equivalents = Vec<(&'static str, Value)>;

/// Returns the arguments with those of other tools rewritten. Returns `None` if there are none.
pub(super) fn rewritten(tool: &str, given: &Object) -> Option<Object> {
    let mut removed = Vec::new();
    let mut added = Vec::new();
    for (name, value) in given {
        if let Some(own) = equivalent(tool, &joined(name), value) {
            removed.push(name);
            added.extend(own);
        }
    }
    if tool == "read"
        && let Some((names, own)) = line_range(given)
    {
        removed.extend(names);
        added.extend(own);
    }
    if removed.is_empty() {
        return None;
    }
    let mut arguments = given.clone();
    for name in removed {
        arguments.remove(name);
    }
    for (name, value) in added {
        // The check reports a value that is given twice.
        let is_given = given.get(name).is_some_and(|own| !own.is_null() && *own != value);
        arguments.insert(if is_given { alias(name) } else { name }.to_owned(), value);
    }
    Some(arguments)
}

/// Returns another spelling of an argument's name.
fn alias(name: &str) -> &'static str {
    match name {
        "offset" => "Offset",
        "limit" => "Limit",
        "command" => "Command",
        "timeout" => "Timeout",
        "noIgnore" => "no_ignore",
        "ignoreCase" => "ignore_case",
        "maxDepth" => "max_depth",
        "exclude" => "Exclude",
        _ => "Type",
    }
}

/// Returns the arguments here that mean the same as an argument of another tool, whose `name` has no separators.
fn equivalent(tool: &str, name: &str, value: &Value) -> Option<Equivalents> {
    match (tool, name) {
        ("bash", "command" | "cmd") => Some(vec![("command", command_line(value)?.into())]),
        ("bash", "timeoutms" | "timeoutmillis" | "timeoutmilliseconds") => {
            let milliseconds = u64::try_from(integer(value)?).ok()?;
            Some(vec![("timeout", milliseconds.div_ceil(1000).into())])
        }
        ("grep" | "find", "respectgitignore") => Some(vec![("noIgnore", (!boolean(value)?).into())]),
        // Gemini CLI's own rule files do not exist here.
        ("grep" | "find" | "ls", "respectgeminiignore" | "respectqwenignore") => Some(Vec::new()),
        ("grep" | "find" | "ls", "filefilteringoptions") => {
            let options = value.as_object()?.iter();
            let of_git = options.filter(|(option, _)| joined(option) == "respectgitignore");
            let mut own = Vec::new();
            for (_, respects) in of_git {
                let respects = boolean(respects)?;
                own.push(match tool {
                    "ls" => ("respectGitIgnore", respects.into()),
                    _ => ("noIgnore", (!respects).into()),
                });
            }
            Some(own)
        }
        ("grep" | "find", "casesensitive") => Some(vec![("ignoreCase", (!boolean(value)?).into())]),
        ("find", "recursive") if boolean(value) == Some(false) => Some(vec![("maxDepth", 1.into())]),
        ("find", "type") => {
            let given = value.as_str()?.to_lowercase();
            let (kind, _) = TYPES.iter().find(|(_, others)| others.contains(&given.as_str()))?;
            Some(vec![("type", (*kind).into())])
        }
        ("ls", "a" | "all" | "hidden" | "showhidden" | "includehidden") => {
            Some(if boolean(value)? { Vec::new() } else { vec![("exclude", ".*".into())] })
        }
        _ => None,
    }
}

/// Returns the command line for an array of words. Returns `None` for anything else.
fn command_line(value: &Value) -> Option<String> {
    let words: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    let words = words.filter(|words| !words.is_empty())?;
    Some(words.into_iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// Quotes a word for the shell if it has characters other than letters, digits and a few signs.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns the names of the arguments for the first and the last line, and the `offset` and `limit` that mean the same.
fn line_range(given: &Object) -> Option<(Vec<&String>, Equivalents)> {
    let of = |names: &[&str]| given.iter().find(|(name, _)| names.contains(&joined(name).as_str()));
    let (names, first, last) = if let Some((name, range)) = of(&LINE_RANGES) {
        let [first, last] = range.as_array()?.as_slice() else { return None };
        (vec![name], Some(integer(first)?), Some(integer(last)?).filter(|last| *last != -1))
    } else {
        let (first, last) = (of(&FIRST_LINES), of(&LAST_LINES));
        let names = [first, last].into_iter().flatten().map(|(name, _)| name).collect();
        let number = |line: Option<(_, &Value)>| match line {
            Some((_, value)) if !value.is_null() => integer(value).map(Some),
            _ => Some(None),
        };
        (names, number(first)?, number(last)?.filter(|last| *last != -1))
    };
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
