//! Recognizes lines that match a form, but report a success, report a warning, or are source code.

use std::sync::LazyLock;

use super::literals::{Hit, Literals};

/// The kind of a word, which decides how it changes the verdict on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A log level below a failure: applies to the text after it.
    Level,
    /// A warning: applies to the text after it, and to all forms that are not strong.
    Warning,
    /// A success: applies to all forms except those of `fail`.
    Success,
}

use Kind::{Level, Success, Warning};

/// The words. Parts of longer words do not match.
static WORDS: [(&str, Kind); 20] = [
    ("INFO", Level),
    ("DEBUG", Level),
    ("TRACE", Level),
    ("LOG", Level),
    ("NOTICE", Level),
    ("VERBOSE", Level),
    ("info", Level),
    ("debug", Level),
    ("note", Level),
    ("help", Level),
    ("hint", Level),
    ("warn", Warning),
    ("warning", Warning),
    ("Warning", Warning),
    ("WARN", Warning),
    ("WARNING", Warning),
    ("PASS", Success),
    ("PASSED", Success),
    ("passed", Success),
    ("passing", Success),
];

static LITERALS: LazyLock<Literals> = LazyLock::new(|| Literals::new(&WORDS.map(|(word, _)| word)));

/// What a line that matches a form reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A failure.
    Failure,
    /// A warning or information.
    Warning,
    /// A success.
    Success,
}

/// Returns what `line` reports. Its form has the text `form` and begins at `at`.
pub(super) fn verdict(line: &str, at: usize, form: &str, is_strong: bool) -> Verdict {
    let text = line.trim();
    if text.starts_with("ok ") || text.starts_with(['✓', '✔', '√']) || text.ends_with(" ok") {
        return Verdict::Success;
    }
    if is_failed_call(text) {
        return Verdict::Warning;
    }
    let mut verdict = Verdict::Failure;
    for Hit { at: start, literal } in LITERALS.find_all(line) {
        let Some((word, kind)) = WORDS.get(literal) else { continue };
        let is_warning = *word == "Warning" && line[start + word.len()..].starts_with(':');
        if !is_warning && !is_whole(line, start, word.len()) {
            continue;
        }
        match kind {
            Success if !form.starts_with("fail") => return Verdict::Success,
            // A server logs the messages of its programs, as in `WARNING: child said: "PHP Fatal error: …"`.
            Level | Warning if form.starts_with("fatal") => {}
            Level if start < at => verdict = Verdict::Warning,
            Warning if start < at || !is_strong => verdict = Verdict::Warning,
            _ => {}
        }
    }
    verdict
}

/// True if a line of a trace shows a system call that returned an error, as `= -1 ENOENT (…)`. Programs that work have many.
fn is_failed_call(text: &str) -> bool {
    text.ends_with(')')
        && text.split_once(") ").is_some_and(|(_, result)| result.trim_start().starts_with("= -1 E"))
}

fn is_whole(line: &str, start: usize, len: usize) -> bool {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = line.as_bytes();
    !joins(start.checked_sub(1).and_then(|before| bytes.get(before))) && !joins(bytes.get(start + len))
}

/// True if a line shows source code: an excerpt with a line number, a line of a difference, a comment, an open bracket.
///
/// `message` is the part after its location.
pub(super) fn is_source(line: &str, message: &str) -> bool {
    let text = line.trim();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_indented = after_number.strip_prefix('\t').is_some_and(|code| code.starts_with([' ', '\t']));
    let is_excerpt =
        after_number.len() < text.len() && (is_indented || after_number.trim_start().starts_with('|'));
    let is_difference =
        line.starts_with('+') || line.starts_with("-  ") || text.starts_with("+ ") || text.starts_with("@@ ");
    let is_open = text.ends_with(['{', ';', '(', ',']) && !text.starts_with(['{', '"']);
    let message = message.trim_start_matches([':', ' ', '\t']);
    let is_comment =
        ["//", "/*", "* @", "*/"].iter().any(|mark| message.starts_with(mark)) || message.ends_with("*/");
    is_excerpt || is_difference || is_open || is_comment
}
