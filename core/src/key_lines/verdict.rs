//! Recognizes lines that match a form, but report a success or a warning.

use std::sync::LazyLock;

use super::literals::{Hit, Literals};

/// The effect of a word on the verdict on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// A log level below a failure: applies to the text after it.
    Level,
    /// A warning: applies to the text after it, and to all forms that are not strong.
    Warning,
    /// A success: applies to all forms except those of `fail`.
    Success,
}

use Effect::{Level, Success, Warning};

/// The words. Capitalized words match before a colon. Parts of longer words do not match, except `DeprecationWarning:`.
static WORDS: [(&str, Effect); 24] = [
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

/// Returns what `line` reports. Its form has the text `form`, begins at `at`, and is of the grade `Strong` if
/// `is_strong`.
pub(super) fn verdict(line: &str, at: usize, form: &str, is_strong: bool) -> Verdict {
    let text = line.trim();
    if text.starts_with("ok ") || text.starts_with(['✓', '✔', '√']) || text.ends_with(" ok") {
        return Verdict::Success;
    }
    // TAP marks failures that are expected, and has headings of subtests.
    let is_expected = text.starts_with("not ok ") && (text.contains(" # TODO") || text.contains(" # SKIP"));
    let is_summary = text.contains(" 0 errors") && !text.contains("fail");
    if is_expected || is_summary || text.starts_with("# Subtest: ") {
        return Verdict::Success;
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

fn is_whole(line: &str, start: usize, len: usize) -> bool {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = line.as_bytes();
    !joins(start.checked_sub(1).and_then(|before| bytes.get(before))) && !joins(bytes.get(start + len))
}
