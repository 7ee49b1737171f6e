//! Texts without escape sequences, in each way in which a viewer may read these.

/// How a viewer reads escape sequences. A string, such as a title or a link, usually ends with BEL or `ESC \`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A string without an end hides the rest of the text.
    ToEnd,
    /// A string without an end is shown.
    Ended,
    /// Any control character ends a string.
    ToControl,
    /// Only `ESC ]` starts a string, and other sequences can have brackets and numbers, as in the package `strip-ansi`.
    Stripped,
    /// There are no strings.
    Shown,
}

pub(super) const READINGS: [Reading; 5] =
    [Reading::ToEnd, Reading::Ended, Reading::ToControl, Reading::Stripped, Reading::Shown];

/// Returns `text` with `ESC [` in place of U+009B, and so on.
pub(super) fn in_7_bits(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte @ 0x80..=0x9F) => all.extend(['\u{1b}', char::from(byte - 0x40)]),
            _ => all.push(c),
        }
    }
    all
}

/// Returns true if `c` can continue an escape sequence: it is at most `highest` or DEL, but not a newline or ESC.
pub(super) fn is_within(c: char, highest: char) -> bool {
    (c <= highest || c == '\u{7f}') && !matches!(c, '\n' | '\u{1b}')
}

/// Returns `text` without escape sequences. Control sequences (`ESC [`) stay, except for [`Reading::Stripped`].
pub(super) fn without_escapes(text: &str, reading: Reading) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    let mut has_end = true;
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        shown += before;
        let starts = match reading {
            Reading::Stripped => &[']'][..],
            Reading::Shown => &[],
            _ => &[']', 'P', 'X', '^', '_'],
        };
        // Without the check of `has_end`, many starts would take quadratic time.
        if has_end && let Some(string) = sequence.strip_prefix(starts) {
            let after = if reading == Reading::ToControl {
                string.find(char::is_control).and_then(|at| string.get(at..))
            } else {
                let mut ends =
                    string.match_indices(['\u{7}', '\u{1b}']).filter_map(|(at, _)| string.get(at..));
                ends.find_map(|end| end.strip_prefix('\u{7}').or_else(|| end.strip_prefix("\u{1b}\\")))
            };
            has_end = after.is_some();
            if has_end || matches!(reading, Reading::ToEnd | Reading::ToControl) {
                rest = after.unwrap_or_default();
                continue;
            }
        }
        if reading == Reading::Stripped {
            let numbers = sequence.trim_start_matches(['[', ']', '(', ')', '#', ';', '?']);
            let end = numbers.trim_start_matches(|c: char| c.is_ascii_digit() || ";:".contains(c));
            let is_last = |c: char| c.is_ascii_alphabetic() || "=><~".contains(c);
            let without_last = (end.len() < numbers.len()).then_some(end);
            let after = end.strip_prefix(is_last).or(without_last);
            shown.extend(after.is_none().then_some('\u{1b}'));
            rest = after.unwrap_or(sequence);
        } else if sequence.starts_with('[') {
            shown.push('\u{1b}');
            rest = sequence;
        } else {
            let last = sequence.trim_start_matches(|c| is_within(c, '/'));
            rest = last.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(last);
        }
    }
    shown + rest
}
