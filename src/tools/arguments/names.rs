//! The names of arguments: the name in the schema, the same words with other separators, and the names in other tools.

use serde_json::Value;

use super::{Object, UNLISTED};

/// The tools that accept other names for an argument (none means every tool), those names without separators and in lower
/// case (options of ripgrep as they are), and the argument.
const OTHER_NAMES: &[(&str, &str, &str)] = &[
    ("", "filepath absolutepath uri", "path"),
    ("read grep", "filename file targetfile", "path"),
    (
        "grep find ls",
        "directory dirpath dir folder relativeworkspacepath cwd root basepath directorypath searchdirectory \
         searchpath targetdirectory",
        "path",
    ),
    ("read", "showlinenumbers withlinenumbers", "lineNumbers"),
    ("", "cmd commandline script", "command"),
    (
        "bash",
        "workdir workingdirectory workingdir currentdirectory directory dir dirpath folder cd path",
        "cwd",
    ),
    ("bash", "timeoutseconds timeoutsecs timeoutsec", "timeout"),
    ("grep", "regex query", "pattern"),
    ("find", "glob globpattern name query", "pattern"),
    ("find", "filetype kind", "type"),
    ("grep find ls", "maxresults headlimit", "limit"),
    ("find", "depth", "maxDepth"),
    ("find ls", "excludes excludepattern excludepatterns ignore ignorepatterns", "exclude"),
    ("find", "caseinsensitive", "ignoreCase"),
    ("ls", "l la al lh lah longformat details detailed", "long"),
    ("grep find ls", "skip", "offset"),
    ("read", "head count maxlines numlines linecount", "limit"),
    ("grep", "include includes includepattern includepatterns globpattern", "glob"),
    ("grep find", "includeignored", "noIgnore"),
    ("grep", "paths files targetdirectories", "path"),
    ("grep", "-B beforecontext linesbefore contextbefore", "before"),
    ("grep", "-A aftercontext linesafter contextafter", "after"),
    ("grep", "excludepattern excludes excludeglob excludedir ignore", "exclude"),
    ("grep", "filetype filetypes types -t", "type"),
    ("grep", "fixedstrings", "literal"),
    ("grep", "-C", "context"),
    ("grep", "-i", "ignoreCase"),
    ("grep", "-v invertmatch", "invert"),
    ("grep", "-w wholeword wordregexp", "word"),
    ("grep", "outputmode", "mode"),
    // Comments about the call, what the tool does anyway, and limits that are not enabled.
    (
        "",
        "comment description explanation intent justification maxbytes maxtokens purpose reason reasoning requestid \
         requiresapproval sandboxpermissions securityrisk sessionid summary taskprogress thought thoughts title \
         toolcallid waitforprevious",
        NOTHING,
    ),
    ("grep", "n linenumber linenumbers", NOTHING),
    ("ls", "filefilteringoptions respectgitignore", NOTHING),
];

/// Marks names that a tool ignores without a notice.
const NOTHING: &str = "";

/// Names in other tools, without separators, of arguments that have another form here, and what to use here instead.
/// Their values have no equivalent, and the call would have another meaning without them.
const OTHER_FORMS: &[(&str, &str, &str)] = &[
    ("bash", "runinbackground isbackground background blocking", "COMMAND & in command"),
    ("bash", "shell", "SHELL -c in command"),
    ("bash", "env environment", "NAME=VALUE COMMAND in command"),
    ("bash", "args arguments", "all words in command"),
    ("bash", "stdin input", "COMMAND <<< TEXT in command"),
    ("grep", "caseinsensitive insensitive", "ignoreCase"),
    ("grep", "f", "literal"),
    ("grep", "g depth maxdepth recursive ext extension extensions filepattern", "glob"),
    ("grep", "o onlymatching", "grep -o in bash"),
    ("grep", "x lineregexp", "^PATTERN$ in pattern"),
    ("grep", "fileswithmatches", "mode"),
    ("grep", "maxcount m maxmatchesperfile", "limit"),
    ("find", "ext extension extensions include", "pattern"),
    ("find", "regex", "a glob in pattern, or find -regex in bash"),
    ("find", "size minsize maxsize mtime newer newerthan modifiedafter", "find -size or find -mtime in bash"),
    ("ls", "glob pattern", "path=FOLDER/GLOB"),
    ("ls", "recursive r depth maxdepth", "the tool find with pattern=*, type=any and maxDepth"),
    ("ls", "type", "the tool find with pattern=*, type and maxDepth=1"),
    (
        "ls",
        "sort sortby order",
        "the tool find with pattern=*, type=any, maxDepth=1 and sort=modified, or ls -S in bash",
    ),
    ("read", "startline line linenumber from page start tail", "offset"),
    ("read", "viewrange linerange range lines", "offset and limit"),
    ("read", "endline end to", "limit"),
];

/// Such names with the values that have the default meaning here, if that is not `false`.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("bash", "blocking", "true"),
    ("bash", "shell", "bash /bin/bash /usr/bin/bash sh /bin/sh"),
    ("grep find", "recursive", "true"),
    ("ls", "depth maxdepth", "1"),
    ("ls", "sort sortby order", "name"),
    ("ls", "type", "any all"),
];

/// Minimum Jaro-Winkler similarity for which an unknown name is treated as a misspelling of a known one.
const NEAR: f64 = 0.8;

/// Returns the property that `name` refers to: the property with this name, with any separators, or the property that
/// has this name in another tool.
pub(super) fn find<'a>(tool: &str, properties: &'a Object, name: &str) -> Option<(&'a String, &'a Value)> {
    properties.get_key_value(name).or_else(|| {
        let joined_name = joined(name);
        let same = properties.iter().find(|(known, _)| joined(known) == joined_name);
        same.or_else(|| properties.get_key_value(entry(OTHER_NAMES, tool, name)?))
    })
}

/// Returns what a table says about a name in another tool.
fn entry(table: &[(&str, &str, &'static str)], tool: &str, name: &str) -> Option<&'static str> {
    let joined = joined(name);
    let is_of = |(tools, others, _): &&(&str, &str, &str)| {
        (tools.is_empty() || has(tools, tool)) && (has(others, &joined) || has(others, name))
    };
    table.iter().find(is_of).map(|(.., meaning)| *meaning)
}

/// Suggests what an unknown `name` probably means: the argument with the same effect here, or the property with the
/// most similar name.
pub(super) fn near<'a>(tool: &str, properties: &'a Object, name: &str) -> Option<&'a str> {
    entry(OTHER_FORMS, tool, name).or_else(|| {
        let name = joined(name);
        properties
            .iter()
            .filter(|(_, property)| property.get(UNLISTED).is_none())
            .map(|(known, _)| (strsim::jaro_winkler(&joined(known), &name), known.as_str()))
            .filter(|(likeness, _)| *likeness > NEAR)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, known)| known)
    })
}

/// Returns true if `value` of `name`, an argument of other tools, has the default meaning here.
pub(super) fn says_default(tool: &str, name: &str, value: &Value) -> bool {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    has(entry(DEFAULTS, tool, name).unwrap_or("false"), &value)
}

/// Returns true if the model need not know that the tool ignores this argument. Unknown arguments of bash are about its
/// terminal, or comments.
pub(super) fn is_ignored_silently(tool: &str, name: &str) -> bool {
    tool == "bash" || entry(OTHER_NAMES, tool, name) == Some(NOTHING)
}

/// Returns true if `word` is one of the words in a row of a table.
pub(super) fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Returns a name in lower case without separators: `file_path`, `file-path` and `filePath` become `filepath`.
pub(super) fn joined(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}
