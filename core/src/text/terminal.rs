//! The output of a command as a terminal would show it, line by line.
//!
//! Progress bars show their last state, colours are gone, what was erased is not there. Line numbers
//! never change: the resolved text has exactly the newlines of the raw one. So what moves to other
//! lines is dropped, and a newline ends whatever sequence was begun and never finished.
//!
//! Most output is plain, and plain lines are passed on as they are, without a look at each
//! character. Only a line in which the cursor moves is laid out in columns (`line`). Of a line
//! longer than the limit only the end is held, so that only its end can be overwritten.

mod cells;
mod escape;
mod line;
mod scan;
mod step;

use escape::Escape;
use line::Line;

use super::as_index;

/// Bytes of a piece that are resolved at a time: few enough to stay in the nearest cache.
const PART_BYTES: usize = 8192;
const ESC: char = '\u{1b}';

/// Resolves a stream of text, whatever its pieces.
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
    /// The line that is open, or its end.
    line: Line,
    /// The sequence that is open.
    escape: Escape,
    /// Text that is settled; empty between two pieces.
    settled: String,
    /// A run of lines without its colours; empty between two pieces.
    stripped: String,
}

impl Terminal {
    /// Returns a terminal that holds at least the last `max_bytes` of a line, or as many columns once the cursor moves in
    /// it, and at most twice as much.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            line: Line::new(as_index(max_bytes)),
            escape: Escape::default(),
            settled: String::new(),
            stripped: String::new(),
        }
    }

    /// Takes the next piece and gives what is settled to `sink`, in one part or several.
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

    /// Takes plain text together with the colours and the newlines of other systems in it: most
    /// lines have nothing else. The rest, from the first character that may move the cursor.
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

    /// Ends the stream: what is still open is given as it stands.
    pub fn finish(&mut self, sink: &mut impl FnMut(&str)) {
        self.line.finish(&mut self.settled);
        self.give(sink);
    }
}

#[cfg(test)]
mod tests;
