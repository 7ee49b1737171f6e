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
static WORDS: [(&str, Kind); 24] = [
    ("INFO", Level),
    ("DEBUG", Level),
    ("TRACE", Level),
    ("LOG", Level),
    ("NOTICE", Level),
    ("VERBOSE", Level),
    ("Info", Level),
    ("Debug", Level),
    ("Note", Level),
    ("Hint", Level),
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

/// Starts of lines of source code that are no messages.
const STATEMENTS: [&str; 6] = ["pub ", "pub(", "fn ", "def ", "func ", "if ("];

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
    // TAP marks failures that are expected, and has headings of subtests.
    let is_expected = text.starts_with("not ok ") && (text.contains(" # TODO") || text.contains(" # SKIP"));
    let is_summary = form.eq_ignore_ascii_case("error") && text.contains(" 0 errors");
    if is_expected || is_summary || text.starts_with("# Subtest: ") {
        return Verdict::Success;
    }
    let is_marked_warning = text.starts_with('⚠') || text.starts_with("! ") && text.len() < line.len();
    if is_failed_call(text) || is_marked_warning {
        return Verdict::Warning;
    }
    let is_failed = form.starts_with("fail") || form.starts_with("FAIL");
    let mut verdict = Verdict::Failure;
    for Hit { at: start, literal } in LITERALS.find_all(line) {
        let Some((word, kind)) = WORDS.get(literal) else { continue };
        let is_label = line[start + word.len()..].starts_with(':');
        let is_capitalized = word.starts_with(char::is_uppercase) && word.ends_with(char::is_lowercase);
        let is_word = if is_capitalized { is_label } else { is_whole(line, start, word.len()) };
        if !is_word {
            continue;
        }
        match kind {
            Success if !is_failed => return Verdict::Success,
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
    let is_code = STATEMENTS.iter().any(|keyword| text.starts_with(keyword));
    // The lines of a comment such as Javadoc begin with a star below the second character of its start.
    let is_in_comment = text.starts_with("* ") && (line.len() - line.trim_start().len()) % 2 == 1
        || text
            .strip_prefix("** ")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_lowercase() || c == ' '));
    let is_open = text.ends_with(['{', ';', '(', ',', '\\']) && !text.starts_with(['{', '"']);
    let message = message.trim_start_matches([':', ' ', '\t']);
    let is_comment =
        ["//", "/*", "* @", "*/"].iter().any(|mark| message.starts_with(mark)) || message.ends_with("*/");
    // A string in code. JSON has strings with names.
    let is_literal = message.starts_with(['"', '\'', '`'])
        && !message.contains("\": ")
        && (["%s", "%d", "{}", "${"].iter().any(|part| message.contains(part))
            || message.ends_with("\",")
            || message.ends_with("\\n\""));
    is_excerpt || is_literal || is_difference || is_open || is_comment || is_code || is_in_comment
}
