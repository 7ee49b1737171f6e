//! The names of arguments: the one of the schema, the same with its words joined otherwise, and those
//! by which other tools know it.

use std::borrow::Cow;

use serde_json::Value;

use super::Object;

/// The tools that take names which others have for an argument (none is any tool), those names, joined and in small
/// letters, and the argument.
const OTHER_NAMES: [(&[&str], &[&str], &str); 21] = [
    (&[], &["filepath", "absolutepath", "uri"], "path"),
    (&["read", "grep"], &["filename", "file", "targetfile"], "path"),
    (&["grep", "find", "ls"], &["directory", "dirpath", "dir", "folder", "relativeworkspacepath"], "path"),
    (
        &["grep", "find", "ls"],
        &["cwd", "root", "basepath", "directorypath", "searchdirectory", "searchpath", "targetdirectory"],
        "path",
    ),
    (&["read"], &["startlineoneindexed"], "offset"),
    (&["read"], &["showlinenumbers", "withlinenumbers"], "lineNumbers"),
    (&[], &["cmd"], "command"),
    (&["bash"], &["workdir", "workingdirectory", "workingdir", "directory", "dir", "folder"], "cwd"),
    (&["grep"], &["regex", "query"], "pattern"),
    (&["find"], &["glob", "name"], "pattern"),
    (&["grep", "find", "ls"], &["maxresults"], "limit"),
    (&["grep"], &["headlimit"], "limit"),
    (&["grep", "find", "ls"], &["skip"], "offset"),
    (&["read"], &["head", "count", "maxlines", "numlines"], "limit"),
    (&["grep"], &["include", "includepattern"], "glob"),
    (&["grep"], &["paths"], "path"),
    (&["grep"], &["beforecontext", "linesbefore", "contextbefore"], "before"),
    (&["grep"], &["aftercontext", "linesafter", "contextafter"], "after"),
    (&["grep"], &["excludepattern", "excludes", "excludeglob", "excludedir", "ignore"], "exclude"),
    (&["grep"], &["filetype", "filetypes", "types"], "type"),
    (&["grep"], &["fixedstrings"], "literal"),
];

/// Names, joined, by which other tools do what an argument here does in another form, and what to give here. Their values
/// can't be taken; if they were left aside, the answer would be to another question, or a command run elsewhere.
const OTHER_FORMS: [(&str, &[&str], &str); 16] = [
    ("bash", &["runinbackground", "isbackground", "background"], "COMMAND & in command"),
    ("bash", &["env", "environment"], "NAME=VALUE COMMAND in command"),
    ("bash", &["args", "arguments"], "all words in command"),
    ("bash", &["stdin", "input"], "COMMAND <<< TEXT in command"),
    ("grep", &["casesensitive", "caseinsensitive", "insensitive"], "ignoreCase"),
    ("grep", &["f"], "literal"),
    ("grep", &["v", "invert", "invertmatch"], "grep -v in bash"),
    ("grep", &["g", "depth", "maxdepth", "recursive", "extension", "extensions", "filepattern"], "glob"),
    ("grep", &["fileswithmatches"], "mode"),
    ("grep", &["maxcount", "m", "maxmatchesperfile"], "limit"),
    ("grep", &["w", "word", "wholeword", "wordregexp"], r"\bWORD\b in pattern"),
    ("find", &["i", "ignorecase", "casesensitive", "caseinsensitive"], "[Aa] for a letter in pattern"),
    (
        "find",
        &[
            "extension",
            "extensions",
            "include",
            "exclude",
            "excludepatterns",
            "maxdepth",
            "depth",
            "recursive",
        ],
        "pattern",
    ),
    (
        "ls",
        &["ignore", "exclude", "glob", "pattern", "recursive", "depth", "maxdepth", "type", "sort"],
        "the tool find",
    ),
    (
        "read",
        &[
            "startline",
            "line",
            "linenumber",
            "linestart",
            "viewrange",
            "range",
            "lines",
            "from",
            "page",
            "start",
            "tail",
        ],
        "offset",
    ),
    ("read", &["endline", "lineend", "endlineoneindexedinclusive", "end", "to"], "limit"),
];

/// Such names with the value that says what is so without them, where that is not `false`.
const DEFAULTS: [(&[&str], &[&str], &str); 5] = [
    (&["grep", "find"], &["recursive"], "true"),
    (&["grep", "find"], &["casesensitive"], "true"),
    (&["ls"], &["depth", "maxdepth"], "1"),
    (&["ls"], &["sort"], "name"),
    (&["ls"], &["type"], "any"),
];

/// The names of `mode`'s values in Claude Code's Grep tool, and the names here.
const OUTPUT_MODES: [(&str, &str); 1] = [("files_with_matches", "files")];

/// Jaro-Winkler similarity above which a name that does not exist is taken for a slip of one that does.
const NEAR: f64 = 0.8;

/// Returns the property that `name` means: by its own name, however the words are joined, or by another
/// tool's name for it.
pub(super) fn find<'a>(tool: &str, properties: &'a Object, name: &str) -> Option<(&'a String, &'a Value)> {
    properties.get_key_value(name).or_else(|| {
        let joined = joined(name);
        let same = properties.iter().find(|(known, _)| super::names::joined(known) == joined);
        let mut own = OTHER_NAMES.iter().filter(|(of, ..)| of.is_empty() || of.contains(&tool));
        same.or_else(|| {
            properties.get_key_value(own.find(|(_, others, _)| others.contains(&joined.as_str()))?.2)
        })
    })
}

/// Returns the argument and the value that an option of ripgrep, or an argument of Claude Code's Grep tool, means. Returns
/// `None` if `name` is neither. Options are case sensitive: `-C` is context, `-c` counts.
pub(super) fn translated<'a>(
    tool: &str,
    name: &str,
    value: &'a Value,
) -> Option<(&'static str, Cow<'a, Value>)> {
    let is_set = value.as_bool() == Some(true) || value.as_str() == Some("true");
    let mode = |mode: &str| Cow::Owned(if is_set { mode.into() } else { Value::Null });
    match (tool, name) {
        ("grep", "-A") => Some(("after", Cow::Borrowed(value))),
        ("grep", "-B") => Some(("before", Cow::Borrowed(value))),
        ("grep", "-C") => Some(("context", Cow::Borrowed(value))),
        ("grep", "-i") => Some(("ignoreCase", Cow::Borrowed(value))),
        ("grep", "-l") => Some(("mode", mode("files"))),
        ("grep", "-c") => Some(("mode", mode("count"))),
        ("grep", "output_mode" | "outputMode") => {
            let same = OUTPUT_MODES.iter().find(|(other, _)| value.as_str() == Some(other));
            Some(("mode", same.map_or(Cow::Borrowed(value), |(_, mode)| Cow::Owned((*mode).into()))))
        }
        _ => None,
    }
}

/// Returns what `name`, which is no property, was probably meant to be: what does the same here, or the property with the
/// most similar name.
pub(super) fn near<'a>(tool: &str, properties: &'a Object, name: &str) -> Option<&'a str> {
    let name = joined(name);
    let form = OTHER_FORMS.iter().find(|(of, others, _)| *of == tool && others.contains(&name.as_str()));
    form.map(|(.., meant)| *meant).or_else(|| {
        properties
            .keys()
            .map(|known| (strsim::jaro_winkler(&joined(known), &name), known.as_str()))
            .filter(|(likeness, _)| *likeness > NEAR)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, known)| known)
    })
}

/// Returns true if `value` of `name`, which is none of ours, says what is so where nothing is said.
pub(super) fn says_default(tool: &str, name: &str, value: &Value) -> bool {
    let name = joined(name);
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    let default =
        DEFAULTS.iter().find(|(of, others, _)| of.contains(&tool) && others.contains(&name.as_str()));
    value == default.map_or("false", |(.., default)| default)
}

/// `file_path`, `file-path` and `filePath` as `filepath`.
fn joined(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}
