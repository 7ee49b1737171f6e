//! The names of arguments: the one of the schema, the same with its words joined otherwise, and those
//! by which other tools know it.

use serde_json::Value;

use super::Object;

/// The argument that says how much is wanted.
const LIMIT: &str = "limit";

/// Names that other tools have for an argument, joined and in small letters; `None` is any tool.
const OTHER_NAMES: [(Option<&str>, &str, &str); 9] = [
    (None, "filepath", "path"),
    (Some("read"), "filename", "path"),
    (Some("grep"), "filename", "path"),
    (None, "cmd", "command"),
    (Some("grep"), "regex", "pattern"),
    (Some("grep"), "query", "pattern"),
    (Some("grep"), "maxresults", LIMIT),
    (Some("find"), "maxresults", LIMIT),
    (Some("ls"), "maxresults", LIMIT),
];

/// Jaro-Winkler similarity above which a name that does not exist is taken for a slip of one that does.
const NEAR: f64 = 0.8;

/// Returns the property that `name` means: by its own name, however the words are joined, or by another
/// tool's name for it.
pub(super) fn find<'a>(tool: &str, properties: &'a Object, name: &str) -> Option<(&'a String, &'a Value)> {
    properties.get_key_value(name).or_else(|| {
        let joined = joined(name);
        let same = properties.iter().find(|(known, _)| super::names::joined(known) == joined);
        let own =
            |(of, other, _): &&(Option<&str>, &str, &str)| of.is_none_or(|of| of == tool) && *other == joined;
        same.or_else(|| properties.get_key_value(OTHER_NAMES.iter().find(own)?.2))
    })
}

/// Returns the property whose name `name`, which is none, was probably meant to be.
pub(super) fn near<'a>(properties: &'a Object, name: &str) -> Option<&'a str> {
    properties
        .keys()
        .map(|known| (strsim::jaro_winkler(&joined(known), &joined(name)), known.as_str()))
        .filter(|(likeness, _)| *likeness > NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

/// Returns true if `name` is `limit`, or another tool's name for it.
pub(super) fn is_limit(name: &str) -> bool {
    if name == LIMIT {
        return true;
    }
    let joined = joined(name);
    joined == LIMIT || OTHER_NAMES.iter().any(|(_, other, known)| *known == LIMIT && *other == joined)
}

/// `file_path`, `file-path` and `filePath` as `filepath`.
fn joined(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}
