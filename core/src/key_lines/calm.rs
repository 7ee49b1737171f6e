//! Lines with a form that report that all is well, a warning, or source code.

use std::sync::LazyLock;

use super::literals::Literals;

/// What a word says about the rest of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    /// A level of a log that is no failure: counts for what follows it.
    Level,
    /// A warning: counts for what follows it, and for all that is no strong form.
    Warning,
    /// A success: counts for all but forms of `fail`.
    Success,
}

use Tone::{Level, Success, Warning};

/// The words, which count only as a whole.
static WORDS: [(&str, Tone); 20] = [
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

/// What a line says besides its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// That something is wrong.
    Wrong,
    /// That it is a warning or information.
    Warning,
    /// That all is well.
    Well,
}

/// Returns what `line` says besides the form at `at`; `is_strong` and `is_fail` describe that form.
pub(super) fn mood(line: &str, at: usize, is_strong: bool, is_fail: bool) -> Mood {
    let text = line.trim();
    if text.starts_with("ok ") || text.starts_with(['✓', '✔', '√']) || text.ends_with(" ok") {
        return Mood::Well;
    }
    let mut mood = Mood::Wrong;
    for (start, word) in LITERALS.find_all(line) {
        let Some((word, tone)) = WORDS.get(word) else { continue };
        if !is_whole(line, start, word.len()) {
            continue;
        }
        match tone {
            Success if !is_fail => return Mood::Well,
            Level if start < at => mood = Mood::Warning,
            Warning if start < at || !is_strong => mood = Mood::Warning,
            _ => {}
        }
    }
    mood
}

fn is_whole(line: &str, start: usize, len: usize) -> bool {
    let joins = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = line.as_bytes();
    !joins(start.checked_sub(1).and_then(|before| bytes.get(before))) && !joins(bytes.get(start + len))
}

/// True if a line shows source code: an excerpt with a line number, a line of a difference, a comment, an open bracket.
pub(super) fn is_source(line: &str) -> bool {
    let text = line.trim();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_excerpt = after_number.len() < text.len() && after_number.trim_start().starts_with('|');
    let is_difference =
        line.starts_with('+') || line.starts_with("-  ") || text.starts_with("+ ") || text.starts_with("@@ ");
    let is_open = text.ends_with(['{', ';', '(', ',']) && !text.starts_with(['{', '"']);
    // How assertions of Python's tests show the parts of a comparison.
    let is_compared =
        line.strip_prefix("E   ").is_some_and(|rest| rest.trim_start().starts_with(['+', '-', '?']));
    let statements = ["raise ", "throw ", "return ", "except ", "} catch "];
    let is_statement = statements.iter().any(|word| text.starts_with(word));
    is_excerpt || is_difference || is_statement || is_open || is_compared || text.starts_with("//")
}
