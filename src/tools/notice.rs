//! The next calls that notices suggest, and the texts that replace an empty body. The notices are in [`cutline_core::notice`].

use cutline_core::text::decode::Encoding;
use cutline_core::truncate::Limit;

use super::{ToolName, ToolSet};

/// The texts that replace an empty body.
pub mod empty {
    /// A command that printed nothing.
    pub const NO_OUTPUT: &str = "(no output)";
    /// A folder without entries.
    pub const NO_ENTRIES: &str = "(empty directory)";
    /// A search without matches.
    pub const NO_MATCHES: &str = "No matches found";
    /// A search for names without results.
    pub const NO_FILES: &str = "No files found matching pattern";
}

/// Returns the sentence for continuing after line `last`, or `None` if there are no more lines.
pub fn continue_after(last: u64, total: u64) -> Option<String> {
    (last < total).then(|| format!("Use offset={} to continue", last + 1))
}

/// Returns the sentence for reading `line`, which exceeds `limit`: a shell command that prints its start, or, without a shell
/// or if the command would have to decode the file, a search in the line or the number of the `next` line. `file` is a path,
/// quoted for the shell, and a command that filters the text, if one is needed.
pub fn for_long_line(
    file: Option<(&str, Option<&str>)>,
    line: u64,
    limit: Limit,
    grep: bool,
    next: Option<u64>,
) -> Option<String> {
    let bytes = match limit {
        // A token has at least one byte. A single line cannot exceed a line limit.
        Limit::Bytes(bytes) | Limit::Tokens(bytes) | Limit::Lines(bytes) => bytes,
        // In JSON, text without control characters takes at most twice as many bytes.
        Limit::Json(bytes) => bytes / 2,
    };
    if let Some((path, filter)) = file {
        return Some(match (line, filter) {
            (1, None) => format!("Use bash to read: head -c {bytes} {path}"),
            (1, Some(filter)) => format!("Use bash to read: {filter} < {path} | head -c {bytes}"),
            (_, None) => format!("Use bash: sed -n '{line}p' {path} | head -c {bytes}"),
            (_, Some(filter)) => format!("Use bash: sed -n '{line}p' {path} | {filter} | head -c {bytes}"),
        });
    }
    let grep = grep.then(|| "Use grep to see parts of it".to_owned());
    let next = next.map(|next| format!("Use offset={next} to continue"));
    let sentences: Vec<String> = grep.into_iter().chain(next).collect();
    (!sentences.is_empty()).then(|| sentences.join(". "))
}

/// Characters before and after a match that the suggested command prints.
const AROUND_CHARS: usize = 500;
/// Parts of a pattern that have another meaning in the suggested command.
const RUST_ONLY: [&str; 6] = [r"\<", r"\>", r"\u", r"\U", r"\b{", "&&"];

/// Returns the sentence for the text around the matches of a pattern in a long line of a file in this encoding. `path` is
/// quoted for the shell. Returns `None` if the pattern cannot be part of a command.
pub fn for_match(pattern: &str, ignores_case: bool, path: &str, encoding: Encoding) -> Option<String> {
    if RUST_ONLY.iter().any(|part| pattern.contains(part)) {
        return None;
    }
    let around = format!(".{{0,{AROUND_CHARS}}}");
    // A carriage return ends a line, because bash would show only the text after the last one. Text without a match is
    // skipped, because `grep` would otherwise search it again from each of its characters.
    let skipped = format!(".{{{}}}(*SKIP)(*F)", AROUND_CHARS + 1);
    let pattern = format!("(*ANYCRLF){around}?(?:{pattern}){around}|{skipped}");
    let flags = if ignores_case { "-aoiP" } else { "-aoP" };
    let grep = format!("grep {flags} {}", shlex::try_quote(&pattern).ok()?);
    let command = match encoding {
        Encoding::Utf8 => format!("{grep} {path}"),
        other => format!("iconv -f {} -t UTF-8 {path} | {grep}", other.standard().name()),
    };
    Some(format!("Use bash to see more around a match: {command}"))
}

/// Returns how the model can see the rest of truncated lines, or `None` if no tool shows it.
pub fn for_cut_lines(tools: &ToolSet) -> Option<String> {
    let named = named(tools, [ToolName::Grep, ToolName::Bash], " or ")?;
    Some(format!("Use {named} to see the rest"))
}

/// Returns which tools decode files, or `None` if there are none.
pub fn for_other_encodings(tools: &ToolSet) -> Option<String> {
    let named = named(tools, [ToolName::Read, ToolName::Grep], " and ")?;
    Some(format!("{named} {} files", if named.contains(' ') { "decode" } else { "decodes" }))
}

/// Returns the names of these tools as far as they are registered, or `None` if none is.
pub(super) fn named(tools: &ToolSet, wanted: [ToolName; 2], joint: &str) -> Option<String> {
    let names: Vec<&str> =
        wanted.iter().filter(|tool| tools.contains(tool)).map(|tool| tool.as_str()).collect();
    (!names.is_empty()).then(|| names.join(joint))
}

#[cfg(test)]
mod tests;
