//! The output of a command as a terminal would show it, line by line.
//!
//! Progress bars show their last state. Colours and erased text are removed. Line numbers never change: the resolved text
//! has exactly the newlines of the raw text. Movements to other lines are therefore ignored, and a newline ends every
//! unfinished escape sequence.
//!
//! Most output is plain or has colours only. Such text is copied. Only a line with cursor movements is laid out in
//! columns (`cells`). If a line is longer than the limit, only its end is buffered, so only its end can be overwritten.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

mod cells;

use super::as_index;
use super::binary::is_control_char;
use cells::Cells;

/// Bytes that are examined together. The compiler vectorises the loop.
const BLOCK_BYTES: usize = 64;
/// Bytes of a text that are resolved together.
const PIECE_BYTES: usize = 64 * 1024;
/// The first byte of the control characters U+0080 to U+009F, and of other characters.
const C1_LEAD: u8 = 0xC2;
/// Parameters of a control sequence that are buffered. No sequence that changes a line has as many.
const PARAMETERS: usize = 32;

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
    line: Line,
    escape: Escape,
}

/// The current escape sequence.
#[derive(Debug, Default)]
enum Escape {
    #[default]
    None,
    /// After ESC.
    Start,
    /// A control sequence with these parameters: `ESC [ 3 1`.
    Control(String),
    /// A title, a link, or other text that is not shown. BEL or another sequence ends it.
    Text,
}

/// Passes `text` to `sink` as a terminal would show it. The end of a line is buffered as in [`Terminal::new`]. The shown text
/// can be many times as long, because of blanks, but only a part of it is in memory.
pub fn resolve(text: &str, max_bytes: u64, sink: &mut impl FnMut(&str)) {
    let (mut terminal, mut rest) = (Terminal::new(max_bytes), text);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        terminal.push(piece, sink);
        rest = after;
    }
    terminal.finish(sink);
}

/// Returns `text` as a terminal would show it. The end of a line is buffered as in [`Terminal::new`].
///
/// ```
/// use cutline_core::text::terminal::resolved;
/// assert_eq!(resolved("10%\r100%\n\u{1b}[32mdone\u{1b}[0m", 1000), "100%\ndone");
/// ```
pub fn resolved(text: &str, max_bytes: u64) -> String {
    let mut shown = String::new();
    resolve(text, max_bytes, &mut |part| shown.push_str(part));
    shown
}

impl Terminal {
    /// Returns a terminal that buffers the end of a line: at least `max_bytes` bytes, or the same number of columns if the
    /// cursor moves in the line, and at most twice that.
    pub fn new(max_bytes: u64) -> Self {
        let line = Line { limit: as_index(max_bytes).max(1), ..Line::default() };
        Self { line, escape: Escape::None }
    }

    /// Resolves the next piece. Passes the text that can no longer change to `sink`.
    pub fn push(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let mut rest = text;
        while !rest.is_empty() {
            while matches!(self.escape, Escape::None) {
                let (plain, after) = rest.split_at(plain_bytes(rest));
                self.line.push(plain);
                rest = after;
                let Some((shown, after)) = color_or_crlf(rest) else { break };
                self.line.push(shown);
                rest = after;
            }
            if let Some(c) = rest.chars().next() {
                self.step(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        self.line.give(sink);
    }

    /// Reads a control character, or a character of an escape sequence.
    fn step(&mut self, c: char) {
        self.escape = match (std::mem::take(&mut self.escape), c) {
            (_, '\u{1b}') | (Escape::Start, ' '..='/') => Escape::Start,
            (_, '\u{18}' | '\u{1a}') | (Escape::Text, '\u{7}') => Escape::None,
            // A newline ends every sequence, so that an incomplete one does not hide the lines after it.
            (_, '\n') => {
                self.line.push("\n");
                Escape::None
            }
            (Escape::Start, '[') => Escape::Control(String::new()),
            (Escape::Start, ']' | 'P' | 'X' | '^' | '_') | (Escape::Text, _) => Escape::Text,
            (Escape::Control(mut parameters), ' '..='?') => {
                if parameters.len() < PARAMETERS {
                    parameters.push(c);
                }
                Escape::Control(parameters)
            }
            (Escape::Control(parameters), '@'..='~') => {
                self.line.sequence(&parameters, c);
                Escape::None
            }
            (escape, c) if c.is_control() => {
                self.line.control(c);
                escape
            }
            (_, c) => {
                // Outside of ASCII, it is no part of a sequence.
                if !c.is_ascii() {
                    self.line.push(c.encode_utf8(&mut [0; 4]));
                }
                Escape::None
            }
        };
    }

    /// Ends the stream. Passes the current line to `sink`.
    pub fn finish(&mut self, sink: &mut impl FnMut(&str)) {
        self.line.end();
        self.line.give(sink);
    }
}

/// Returns the number of bytes of `text` before the first control character other than `\n` and `\t`.
fn plain_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let block = &bytes[at..bytes.len().min(at + BLOCK_BYTES)];
        // There is no early exit within a block, so that the compiler can vectorise the loop.
        if block.iter().fold(false, |any, byte| any | may_be_control(*byte)) {
            let found = block.iter().position(|byte| may_be_control(*byte)).unwrap_or(0);
            at += found;
            match bytes.get(at + 1) {
                Some(0xA0..) if bytes[at] == C1_LEAD => at += 2,
                _ => return at,
            }
        } else {
            at += block.len();
        }
    }
    bytes.len()
}

#[expect(clippy::needless_bitwise_bool, reason = "a branch for each byte would prevent vectorisation")]
fn may_be_control(byte: u8) -> bool {
    let is_control = (byte < 0x20) & (byte != b'\n') & (byte != b'\t');
    is_control | (byte == 0x7F) | (byte == C1_LEAD)
}

/// Resolves a colour or `\r\n` at the start of `text`: these are common and need no parser. Returns the text that is
/// shown, which is empty for a colour, and the rest. Returns `None` if `text` begins with something else.
fn color_or_crlf(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix("\r\n") {
        return Some(("\n", rest));
    }
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.bytes().position(|byte| !matches!(byte, b'0'..=b';'))?;
    Some(("", parameters[end..].strip_prefix('m')?))
}

/// The current line, or its end. It is plain text until the cursor moves. Then it is laid out in columns.
#[derive(Debug, Default)]
struct Line {
    /// Minimum number of bytes, or columns, of the end of the line to buffer.
    limit: usize,
    /// Text that can no longer change.
    settled: String,
    /// The end of a plain line.
    text: String,
    /// Bytes of the plain line before `text`, which are settled.
    before: usize,
    /// True if the cursor returned to the start of a plain line. Usually a newline follows.
    has_returned: bool,
    /// The line in columns. If this is set, `text` is empty.
    cells: Option<Cells>,
}

impl Line {
    /// Adds text without control characters other than `\n` and `\t`.
    fn push(&mut self, text: &str) {
        let mut rest = text;
        while self.cells.is_some() || self.has_returned {
            let (now, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
            if !now.is_empty() {
                let (cells, settled) = self.laid_out();
                cells.put_all(now, settled);
            }
            let Some(after) = after.strip_prefix('\n') else { return };
            self.end();
            self.settled.push('\n');
            rest = after;
        }
        let open = memchr::memrchr(b'\n', rest.as_bytes()).map_or(0, |newline| newline + 1);
        if open > 0 {
            self.end();
            self.settled.push_str(&rest[..open]);
        }
        self.append(&rest[open..]);
    }

    /// Adds to a plain line, and settles its start if the line is longer than the limit. How much is settled depends on the
    /// length of the line only, not on the pieces.
    fn append(&mut self, piece: &str) {
        self.text.push_str(piece);
        let len = self.before + self.text.len();
        let from = (len / self.limit).saturating_sub(1).saturating_mul(self.limit);
        if let Some(surplus) = from.checked_sub(self.before).filter(|surplus| *surplus > 0) {
            let surplus = self.text.ceil_char_boundary(surplus);
            self.settled.push_str(&self.text[..surplus]);
            self.text.drain(..surplus);
            self.before += surplus;
        }
    }

    /// Settles the buffered text and begins a new line.
    fn end(&mut self) {
        if let Some(cells) = self.cells.take() {
            cells.finish(&mut self.settled);
        }
        self.settled.push_str(&self.text);
        self.text.clear();
        (self.has_returned, self.before) = (false, 0);
    }

    /// Passes the settled text to `sink`.
    fn give(&mut self, sink: &mut impl FnMut(&str)) {
        if !self.settled.is_empty() {
            sink(&self.settled);
            self.settled.clear();
        }
    }

    /// Returns the line in columns, and the settled text.
    fn laid_out(&mut self) -> (&mut Cells, &mut String) {
        let Self { limit, settled, text, has_returned, cells, .. } = self;
        let cells = cells.get_or_insert_with(|| {
            let mut cells = Cells::new(*limit);
            cells.put_all(text, settled);
            if *has_returned {
                cells.act('G', 0, settled);
            }
            text.clear();
            cells
        });
        (cells, settled)
    }

    /// Applies an action to the line in columns.
    fn act(&mut self, action: char, parameter: usize) {
        let (cells, settled) = self.laid_out();
        cells.act(action, parameter, settled);
    }

    /// Applies a control character. Those that can separate texts are shown as U+FFFD, so that the texts do not run together.
    /// A NUL after a return gives a slow terminal time, and is no data. A shift (U+000E, U+000F) selects a font.
    fn control(&mut self, c: char) {
        let is_at_start = self.cells.as_ref().map_or(self.has_returned, |cells| cells.cursor == 0);
        match c {
            '\0' if is_at_start => {}
            '\u{e}' | '\u{f}' => {}
            c if is_control_char(c) => self.push("\u{FFFD}"),
            '\r' if self.cells.is_none() => self.has_returned |= !self.text.is_empty(),
            '\r' => self.act('G', 0),
            '\u{8}' => self.act('D', 1),
            '\t' => self.push("\t"),
            _ => {}
        }
    }

    /// Applies a control sequence: its parameters and its final character.
    fn sequence(&mut self, parameters: &str, action: char) {
        let first = parameters.split([';', ':']).next().unwrap_or_default();
        // A private sequence has another number.
        let Ok(first) = format!("0{first}").parse::<usize>() else { return };
        // At the end of a line, there is nothing to erase.
        let is_at_end = self.cells.is_none() && !self.has_returned;
        let changes_nothing = is_at_end && first == 0 && matches!(action, 'K' | 'J' | 'X');
        if cells::ACTIONS.contains(action) && !changes_nothing {
            self.act(action, first);
        }
    }
}

#[cfg(test)]
mod tests;
