//! Cutting one long line to the part that matters, and each long line of a stream to its start.

use std::borrow::Cow;
use std::ops::Range;

/// The text in place of what was cut from a line. It does not count for the most characters of the line.
pub const CUT_MARK: &str = "... [truncated]";
/// The start of the mark with a number of further matches: `... [truncated, 3 more matches]`.
pub const CUT_MARK_START: &str = "... [truncated, ";

/// Returns a line cut to `max_chars` characters, with a mark at each end at which something is missing.
///
/// Keeps the start of the line, or, if `focus` (a range of bytes, the match) starts after that, the
/// characters around the focus. A line that fits is returned unchanged.
///
/// ```
/// use cutline_core::truncate::line::cut;
/// assert_eq!(cut("short", 0..1, 10), "short");
/// assert_eq!(cut("0123456789abc", 0..2, 10), "0123456789... [truncated]");
/// assert_eq!(cut("0123456789abc", 11..12, 10), "... [truncated]3456789abc");
/// ```
pub fn cut(line: &str, focus: Range<usize>, max_chars: usize) -> Cow<'_, str> {
    let start = start_of_window(line, &focus, max_chars);
    let end = line[start..].char_indices().nth(max_chars).map_or(line.len(), |(at, _)| start + at);
    if end - start == line.len() {
        return Cow::Borrowed(line);
    }
    let mark = |is_missing| if is_missing { CUT_MARK } else { "" };
    Cow::Owned([mark(start > 0), &line[start..end], mark(end < line.len())].concat())
}

/// Returns the offset, in bytes, at which the kept characters begin.
fn start_of_window(line: &str, focus: &Range<usize>, max_chars: usize) -> usize {
    let focus_at = line.floor_char_boundary(focus.start.min(line.len()));
    if line.char_indices().nth(max_chars).is_none_or(|(at, _)| focus_at < at) {
        return 0;
    }
    let (head, rest) = line.split_at(focus_at);
    let focus_end = line.floor_char_boundary(focus.end.max(focus_at));
    let focus_chars = line[focus_at..focus_end].chars().take(max_chars).count();
    // Shows the same length before and after the focus. If the line ends early, more is shown before it.
    let after_focus = rest.chars().take(max_chars).count() - focus_chars;
    let room = max_chars - focus_chars;
    let before = (room / 2).max(room - after_focus.min(room));
    match before {
        0 => focus_at,
        _ => head.char_indices().rev().nth(before - 1).map_or(0, |(at, _)| at),
    }
}

/// Cuts each long line of a stream to its start, followed by [`CUT_MARK`], whatever the pieces.
///
/// ```
/// use cutline_core::truncate::line::LineCutter;
/// let (mut cutter, mut shown) = (LineCutter::new(Some(4)), String::new());
/// for piece in ["abcd\nab", "cde", "f\n", "g"] {
///     cutter.push(piece, &mut |part| shown.push_str(part));
/// }
/// assert_eq!(shown, "abcd\nabcd... [truncated]\ng");
/// assert_eq!(cutter.limit_of_cut(&shown), Some(4));
/// ```
#[derive(Debug, Clone)]
pub struct LineCutter {
    max_chars: Option<usize>,
    /// Characters of the open line so far; `None` if it was cut.
    open: Option<usize>,
    cut_any: bool,
}

impl LineCutter {
    /// Returns a cutter that shows at most `max_chars` characters of a line; without a limit it cuts none.
    pub fn new(max_chars: Option<usize>) -> Self {
        Self { max_chars, open: Some(0), cut_any: false }
    }

    /// Returns the most characters of a line if a cut line is in `shown`, a part of what was given to the sink.
    pub fn limit_of_cut(&self, shown: &str) -> Option<usize> {
        self.max_chars.filter(|_| self.cut_any && shown.lines().any(|line| line.ends_with(CUT_MARK)))
    }

    /// Takes the next piece and gives what is shown of it to `sink`, in one part or several.
    pub fn push(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let Some(max_chars) = self.max_chars else { return sink(text) };
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            if let Some(chars) = self.open {
                let cut = body.char_indices().nth(max_chars - chars).map(|(at, _)| at);
                sink(&body[..cut.unwrap_or(body.len())]);
                self.open = cut.is_none().then(|| chars + body.chars().count());
                if cut.is_some() {
                    sink(CUT_MARK);
                    self.cut_any = true;
                }
            }
            if body.len() < line.len() {
                sink("\n");
                self.open = Some(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn long_lines_of_a_stream_are_cut_whatever_the_pieces(
            pieces in prop::collection::vec("[aé🚀\n]{0,12}", 0..8), chars in 1_usize..12,
        ) {
            let (mut cutter, mut shown) = (LineCutter::new(Some(chars)), String::new());
            for piece in &pieces {
                cutter.push(piece, &mut |part| shown.push_str(part));
            }
            let whole = pieces.concat();
            let start = |line: &str| match line.char_indices().nth(chars) {
                Some((end, _)) => format!("{}{CUT_MARK}", &line[..end]),
                None => line.to_owned(),
            };
            let expected: Vec<String> = whole.split('\n').map(start).collect();
            prop_assert_eq!(&shown, &expected.join("\n"));
            prop_assert_eq!(cutter.limit_of_cut(&shown).is_some(), shown != whole);
        }

        #[test]
        fn excerpt_contains_the_focus(
            line in "\\PC{0,80}", at in 0_usize..80, len in 0_usize..20, max in 1_usize..30,
        ) {
            let starts: Vec<usize> = line.char_indices().map(|(i, _)| i).chain([line.len()]).collect();
            let from = starts[at.min(starts.len() - 1)];
            let to = starts[(at + len).min(starts.len() - 1)];
            let shown = cut(&line, from..to, max);
            let fits = line.chars().count() <= max;
            prop_assert_eq!(fits, shown == line);
            if !fits {
                let bare = shown.strip_prefix(CUT_MARK).unwrap_or(&shown);
                let bare = bare.strip_suffix(CUT_MARK).unwrap_or(bare);
                prop_assert_eq!(bare.chars().count(), max);
                prop_assert!(line.contains(bare));
                let start_of_focus: String = line[from..to].chars().take(max).collect();
                let head: String = line.chars().take(max).collect();
                let seen_at_start = line[..from].chars().count() < max;
                let holds = if seen_at_start { bare == head } else { bare.contains(&start_of_focus) };
                prop_assert!(holds, "{}", shown);
            }
        }
    }
}
