//! Recognizes lines that match a form, but report a success, report a warning, or are source code.

use std::sync::LazyLock;

use super::edges::after_number;
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

/// The words. Capitalized words match before a colon. Parts of longer words do not match, except `DeprecationWarning:`.
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
const STATEMENTS: [&str; 8] =
    ["pub fn ", "pub struct ", "pub enum ", "pub const ", "pub(", "fn ", "def ", "if ("];

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
    let is_summary =
        form.eq_ignore_ascii_case("error") && text.contains(" 0 errors") && !text.contains("fail");
    if is_expected || is_summary || text.starts_with("# Subtest: ") {
        return Verdict::Success;
    }
    // A line with one space, as in ` ! [rejected]`, is no warning.
    let is_marked = text.starts_with('⚠') || text.starts_with("! ") && line.starts_with("  ");
    let has_only_warnings = text.contains("(0 errors");
    if is_failed_call(text) || is_marked || has_only_warnings {
        return Verdict::Warning;
    }
    let is_failed = form.starts_with("fail") || form.starts_with("FAIL");
    let mut verdict = Verdict::Failure;
    for Hit { at: start, literal } in LITERALS.find_all(line) {
        let Some((word, kind)) = WORDS.get(literal) else { continue };
        let is_label = line[start + word.len()..].starts_with(':');
        let is_capitalized = word.starts_with(char::is_uppercase) && word.ends_with(char::is_lowercase);
        let is_part = *word == "Warning" && is_label;
        let is_word = is_part || is_whole(line, start, word.len()) && (is_label || !is_capitalized);
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
/// `message` is the part after its location. The form that the line matches begins at `at`.
pub(super) fn is_source(line: &str, message: &str, at: usize) -> bool {
    let text = line.trim();
    let is_excerpt = after_number(text).is_some_and(|after| {
        after.trim_start().starts_with('|')
            || after.strip_prefix('\t').is_some_and(|code| code.starts_with([' ', '\t']))
    });
    let is_difference =
        line.starts_with('+') || line.starts_with("-  ") || text.starts_with("+ ") || text.starts_with("@@ ");
    let is_statement = STATEMENTS.iter().any(|start| text.starts_with(start));
    // A message that begins with its form is no code, as in `error: builder failed with exit code 2;`.
    let has_form_first = line
        .get(line.len() - message.trim_start_matches(':').trim_start_matches(' ').len()..at)
        .is_some_and(|before| !line.starts_with([' ', '\t']) && !before.contains(char::is_whitespace));
    let is_open =
        (text.ends_with(['{', ';', '(', ',']) || text.ends_with(" \\")) && !text.starts_with(['{', '"']);
    is_excerpt || is_difference || is_statement || is_open && !has_form_first || is_comment(line, message)
}

/// True if `message` is a comment.
fn is_comment(line: &str, message: &str) -> bool {
    let is_starred = line.trim_start().strip_prefix("** ").is_some_and(|text| {
        text.starts_with(' ') || text.starts_with(char::is_lowercase) && !text.contains(": ")
    });
    let message = message.trim_start_matches([':', ' ', '\t']).trim_end();
    let has_mark =
        ["//", "/*", "* @", "*/"].iter().any(|mark| message.starts_with(mark)) || message.ends_with("*/");
    is_starred || has_mark
}

/// True if a line can be a string of source code, or a part of a comment such as Javadoc. Messages of service managers also
/// begin with ` * `.
pub(super) fn may_be_source(line: &str, message: &str) -> bool {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    // The star is below the second character of the comment's start.
    let is_starred = text.starts_with("* ")
        && indent.len() % 2 == 1
        && indent.ends_with(' ')
        && !text.starts_with("* ERROR");
    let string = message.trim_start_matches([':', ' ', '\t']).trim_end();
    let has_placeholder = || ["%s", "%d", "{}", "${"].iter().any(|placeholder| string.contains(placeholder));
    // JSON has strings with names.
    let is_string = string.starts_with(['"', '\'', '`'])
        && !string.contains("\": ")
        && (string.ends_with("\",") || string.ends_with("\\n\"") || has_placeholder());
    is_starred || is_string
}
