//! The output of a command as a terminal would show it, line by line.
//!
//! Progress bars show their last state. Colours and erased text are removed. Line numbers never change: the resolved text
//! has exactly the newlines of the raw text. Movements to other lines are therefore ignored, and a newline ends every
//! unfinished escape sequence.
//!
//! Most output is plain. Plain lines are copied without examining each character. Only a line with cursor movements is laid
//! out in columns (`line`). If a line is longer than the limit, only its end is buffered, so only its end can be overwritten.

mod cells;
mod escape;
mod line;
mod scan;
mod step;

use escape::Escape;
use line::Line;

use super::as_index;

/// Bytes of a piece that are resolved at a time. They fit into the L1 cache.
const PART_BYTES: usize = 8192;
const ESC: char = '\u{1b}';

/// Resolves a stream of text. The result does not depend on how the text is split into pieces.
///
/// ```
/// use cutline_core::text::terminal::Terminal;
/// let mut shown = String::new();
/// let mut terminal = Terminal::new(1000);
/// for piece in ["10%\r2", "0%\r100%\n\u{1b}[3", "2mdone\u{1b}[0m"] {
///     terminal.push(piece, &mut |text| shown.push_str(text));
/// }
/// terminal.finish(&mut |text| shown.push_str(text));
/// assert_eq!(shown, "100%\ndone");
/// ```
#[derive(Debug)]
pub struct Terminal {
    /// The current line, or its end.
    line: Line,
    /// The current escape sequence.
    escape: Escape,
    /// Text that can no longer change. Empty between two pieces.
    settled: String,
    /// Several lines without their colours. Empty between two pieces.
    stripped: String,
}

/// Returns `text` as a terminal would show it. The end of a line is buffered as in [`Terminal::new`].
///
/// ```
/// use cutline_core::text::terminal::resolved;
/// assert_eq!(resolved("10%\r100%\n\u{1b}[32mdone\u{1b}[0m", 1000), "100%\ndone");
/// ```
pub fn resolved(text: &str, max_bytes: u64) -> String {
    let (mut terminal, mut shown) = (Terminal::new(max_bytes), String::new());
    terminal.push(text, &mut |part| shown.push_str(part));
    terminal.finish(&mut |part| shown.push_str(part));
    shown
}

impl Terminal {
    /// Returns a terminal that buffers the end of a line: at least `max_bytes` bytes, or the same number of columns if the
    /// cursor moves in the line, and at most twice that.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            line: Line::new(as_index(max_bytes)),
            escape: Escape::default(),
            settled: String::new(),
            stripped: String::new(),
        }
    }

    /// Resolves the next piece. Passes the text that can no longer change to `sink`, in one or more parts.
    pub fn push(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let mut rest = text;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(PART_BYTES));
            self.resolve(part);
            self.give(sink);
            rest = after;
        }
    }

    fn resolve(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if !self.escape.is_open() {
                rest = self.run(rest);
            }
            if self.escape.is_open() || rest.starts_with(ESC) {
                rest = self.escape.push(rest, &mut self.line, &mut self.settled);
            } else if let Some(c) = rest.chars().next() {
                self.line.char(c, &mut self.settled);
                rest = &rest[c.len_utf8()..];
            }
        }
    }

    fn give(&mut self, sink: &mut impl FnMut(&str)) {
        if !self.settled.is_empty() {
            sink(&self.settled);
            self.settled.clear();
        }
    }

    /// Resolves plain text with colours and `\r\n`, because most lines have nothing else. Returns the rest, which begins with
    /// the first character that may move the cursor.
    fn run<'a>(&mut self, text: &'a str) -> &'a str {
        let (plain, mut rest) = text.split_at(scan::plain(text));
        if scan::known(rest).is_none() {
            self.line.push(plain, &mut self.settled);
            return rest;
        }
        self.stripped.push_str(plain);
        while let Some((shown, after)) = scan::known(rest) {
            let (plain, after) = after.split_at(scan::plain(after));
            self.stripped.push_str(shown);
            self.stripped.push_str(plain);
            rest = after;
        }
        self.line.push(&self.stripped, &mut self.settled);
        self.stripped.clear();
        rest
    }

    /// Ends the stream. Passes the current line to `sink`.
    pub fn finish(&mut self, sink: &mut impl FnMut(&str)) {
        self.line.finish(&mut self.settled);
        self.give(sink);
    }
}

#[cfg(test)]
mod tests;
