//! Cutting one long line to the part that matters, and each long line of a stream to its start.

use std::borrow::Cow;
use std::ops::Range;

use super::{Bounds, as_index, start_within};
use crate::text::TokenCounter;
use crate::text::tokens::estimate;

/// Marks an end at which a line was cut.
pub const MARK: &str = "... [truncated]";

/// A line cut to `max_chars` characters, its ends marked where something is missing.
///
/// Keeps the start of the line, or, if `focus` (a range of bytes, the match) starts after that, the
/// characters around the focus. A line that fits is given back as it is.
///
/// ```
/// use cutline_core::truncate::line::excerpt;
/// assert_eq!(excerpt("short", 0..1, 10), "short");
/// assert_eq!(excerpt("0123456789abc", 0..2, 10), "0123456789... [truncated]");
/// assert_eq!(excerpt("0123456789abc", 11..12, 10), "... [truncated]3456789abc");
/// ```
pub fn excerpt(line: &str, focus: Range<usize>, max_chars: usize) -> Cow<'_, str> {
    cut(line, focus, max_chars, Missing::default())
}

/// The ends of a line that were cut off before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// True if text before it is missing.
    pub before: bool,
    /// True if text after it is missing.
    pub after: bool,
}

/// As [`excerpt`], for a piece of a line whose ends may be missing already.
pub fn cut(line: &str, focus: Range<usize>, max_chars: usize, missing: Missing) -> Cow<'_, str> {
    let start = start_of_window(line, &focus, max_chars, missing);
    let end = line[start..].char_indices().nth(max_chars).map_or(line.len(), |(at, _)| start + at);
    let before = start > 0 || missing.before;
    let after = end < line.len() || missing.after;
    let shown = &line[start..end];
    match (before, after) {
        (false, false) => Cow::Borrowed(shown),
        (false, true) => Cow::Owned(format!("{shown}{MARK}")),
        (true, false) => Cow::Owned(format!("{MARK}{shown}")),
        (true, true) => Cow::Owned(format!("{MARK}{shown}{MARK}")),
    }
}

/// Returns the offset, in bytes, at which the kept characters begin.
fn start_of_window(line: &str, focus: &Range<usize>, max_chars: usize, missing: Missing) -> usize {
    let focus_at = line.floor_char_boundary(focus.start.min(line.len()));
    let near_start = line.char_indices().nth(max_chars).is_none_or(|(at, _)| focus_at < at);
    if near_start && !missing.before {
        return 0;
    }
    let (head, rest) = line.split_at(focus_at);
    let focus_end = line.floor_char_boundary(focus.end.max(focus_at));
    let focus_chars = line[focus_at..focus_end].chars().take(max_chars).count();
    // As much before the focus as after it, and what the line's end leaves unused before it too.
    let after_focus = rest.chars().take(max_chars).count() - focus_chars;
    let room = max_chars - focus_chars;
    let before = (room / 2).max(room - after_focus.min(room));
    match before {
        0 => focus_at,
        _ => head.char_indices().rev().nth(before - 1).map_or(0, |(at, _)| at),
    }
}

/// The most of each line of a text that is shown: of a longer one its start, then [`MARK`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLimit {
    chars: usize,
    /// The size of a start that is within the bounds of the text with the mark.
    bounds: Bounds,
}

impl LineLimit {
    /// Returns a limit of `chars` characters, and of what is within `bounds` with the mark.
    pub fn within(chars: usize, bounds: Bounds) -> Self {
        let less = |limit: u64, mark: u64| limit.saturating_sub(mark).max(1);
        let bytes = less(bounds.bytes, MARK.len() as u64);
        // After another character the mark's first one may cost two tokens more.
        let tokens = bounds.tokens.map(|tokens| less(tokens, estimate(MARK) + 2));
        Self { chars, bounds: Bounds { bytes, tokens, ..bounds } }
    }

    /// Returns the characters of a line that are shown at most.
    pub fn chars(self) -> usize {
        self.chars.min(as_index(self.bounds.bytes))
    }

    /// True if any line of `text`, which a [`LineCutter`] with this limit gave, was cut.
    pub fn has_cut(self, text: &str) -> bool {
        text.split('\n').any(|line| Shown::default().end_in(line, self).is_some())
    }
}

/// The part of an open line that was shown.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    chars: usize,
    bytes: usize,
    tokens: TokenCounter,
}

impl Shown {
    /// Returns the offset at which `line`, the next part of it, passes the limit; takes it in if it does not.
    fn end_in(&mut self, line: &str, limit: LineLimit) -> Option<usize> {
        let chars = limit.chars - self.chars;
        let end = if line.len() <= chars { None } else { line.char_indices().nth(chars).map(|(at, _)| at) };
        let part = &line[..end.unwrap_or(line.len())];
        let room = as_index(limit.bounds.bytes) - self.bytes;
        let start = start_within(part, room, self.tokens, &limit.bounds).0;
        if start.len() < line.len() {
            return Some(start.len());
        }
        self.chars += line.chars().count();
        self.bytes += line.len();
        if limit.bounds.tokens.is_some() {
            self.tokens.push(line);
        }
        None
    }
}

/// Cuts each long line of a stream to its start, whatever the pieces.
///
/// ```
/// use cutline_core::truncate::Bounds;
/// use cutline_core::truncate::line::{LineCutter, LineLimit};
/// let limit = LineLimit::within(4, Bounds::new(2000, 30_000));
/// let (mut cutter, mut shown) = (LineCutter::new(limit), String::new());
/// for piece in ["abcd\nab", "cde", "f\n", "g"] {
///     cutter.push(piece, &mut |part| shown.push_str(part));
/// }
/// assert_eq!(shown, "abcd\nabcd... [truncated]\ng");
/// assert!(limit.has_cut(&shown));
/// ```
#[derive(Debug, Clone)]
pub struct LineCutter {
    limit: LineLimit,
    /// The open line; `None` if it was cut.
    open: Option<Shown>,
}

impl LineCutter {
    /// Returns a cutter that has taken in nothing.
    pub fn new(limit: LineLimit) -> Self {
        Self { limit, open: Some(Shown::default()) }
    }

    /// Takes the next piece and gives what is shown of it to `sink`, in one part or several.
    pub fn push(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let (mut given, mut start) = (0, 0);
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let end = start + body.len();
            match self.open.as_mut().map(|open| open.end_in(body, self.limit)) {
                None => given = end,
                Some(Some(cut)) => {
                    sink(&text[given..start + cut]);
                    sink(MARK);
                    (given, self.open) = (end, None);
                }
                Some(None) => {}
            }
            if body.len() < line.len() {
                self.open = Some(Shown::default());
            }
            start += line.len();
        }
        if given < text.len() {
            sink(&text[given..]);
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
            pieces in prop::collection::vec("[aé🚀\n]{0,12}", 0..8), chars in 1_usize..12, bytes in 17_u64..60,
        ) {
            let limit = LineLimit::within(chars, Bounds::new(1, bytes));
            let (mut cutter, mut shown) = (LineCutter::new(limit), String::new());
            for piece in &pieces {
                cutter.push(piece, &mut |part| shown.push_str(part));
            }
            let whole = pieces.concat();
            let start = |line: &str| {
                let fits = |end: &usize| line[..*end].chars().count() <= chars && *end + MARK.len() <= as_index(bytes);
                let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
                let end = ends.rev().find(fits).unwrap();
                if end == line.len() { line.to_owned() } else { format!("{}{MARK}", &line[..end]) }
            };
            let expected: Vec<String> = whole.split('\n').map(start).collect();
            prop_assert_eq!(&shown, &expected.join("\n"));
            prop_assert_eq!(limit.has_cut(&shown), shown != whole);
            prop_assert!(shown.lines().all(|line| line.len() as u64 <= bytes));
        }

        #[test]
        fn long_lines_are_cut_to_what_a_page_holds(
            text in "[a-z0-9 é漢\n]{0,200}", size in 1_usize..40, tokens in 8_u64..20,
        ) {
            let bounds = Bounds::new(1, 30_000).with_tokens(Some(tokens));
            let limit = LineLimit::within(50, bounds);
            let (mut cutter, mut shown) = (LineCutter::new(limit), String::new());
            for piece in text.split_inclusive(|c: char| (c as usize).is_multiple_of(size)) {
                cutter.push(piece, &mut |part| shown.push_str(part));
            }
            prop_assert!(shown.lines().all(|line| estimate(line) <= tokens), "{}", shown);
            prop_assert_eq!(limit.has_cut(&shown), shown != text);
        }

        #[test]
        fn an_excerpt_is_a_piece_of_the_line_that_holds_the_focus(
            line in "\\PC{0,80}", at in 0_usize..80, len in 0_usize..20, max in 1_usize..30,
        ) {
            let starts: Vec<usize> = line.char_indices().map(|(i, _)| i).chain([line.len()]).collect();
            let from = starts[at.min(starts.len() - 1)];
            let to = starts[(at + len).min(starts.len() - 1)];
            let shown = excerpt(&line, from..to, max);
            let fits = line.chars().count() <= max;
            prop_assert_eq!(fits, shown == line);
            if !fits {
                let bare = shown.strip_prefix(MARK).unwrap_or(&shown);
                let bare = bare.strip_suffix(MARK).unwrap_or(bare);
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
