//! The current line of a terminal. It is plain text until the cursor moves; then it is laid out in columns.

use super::cells::Cells;
use super::step::Move;

/// The current line, or its end.
#[derive(Debug)]
pub(super) struct Line {
    /// Minimum number of bytes, or columns, of the end of the line to buffer.
    limit: usize,
    /// The end of a plain line.
    text: String,
    /// Bytes of the line before `text`, which were passed on.
    before: usize,
    /// True if the cursor returned to the start of a plain line. Usually a newline follows.
    returned: bool,
    /// The line in columns. If this is set, `text` is empty.
    cells: Option<Cells>,
}

impl Line {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { limit: max_bytes.max(1), text: String::new(), before: 0, returned: false, cells: None }
    }

    /// Adds text without control characters other than `\n` and `\t`.
    pub(super) fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while self.cells.is_some() || self.returned {
            let (now, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
            if !now.is_empty() {
                self.laid_out(out).put_all(now, out);
            }
            let Some(after) = after.strip_prefix('\n') else { return };
            self.finish(out);
            out.push('\n');
            rest = after;
        }
        let open = memchr::memrchr(b'\n', rest.as_bytes()).map_or(0, |newline| newline + 1);
        let (ended, open) = rest.split_at(open);
        if !ended.is_empty() {
            self.finish(out);
            out.push_str(ended);
        }
        self.append(open, out);
    }

    /// Adds a character. Ignores most control characters.
    pub(super) fn char(&mut self, c: char, out: &mut String) {
        match c {
            '\r' => self.act(Move::Column(0), out),
            '\u{8}' => self.act(Move::Back(1), out),
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => self.push(c.encode_utf8(&mut [0; 4]), out),
        }
    }

    /// Moves the cursor, or changes the line at the cursor.
    pub(super) fn act(&mut self, step: Move, out: &mut String) {
        match step {
            _ if self.cells.is_some() => {}
            Move::Column(0) => {
                self.returned |= !self.text.is_empty();
                return;
            }
            Move::EraseToEnd | Move::EraseAll if self.returned => {
                (self.returned, self.before) = (false, 0);
                self.text.clear();
                return;
            }
            // The cursor is at the end of the line, so there is nothing to remove.
            Move::EraseToEnd | Move::EraseNext(_) if !self.returned => return,
            _ => {}
        }
        self.laid_out(out).act(step, out);
    }

    /// Passes on the buffered text and begins a new line.
    pub(super) fn finish(&mut self, out: &mut String) {
        if let Some(cells) = self.cells.take() {
            cells.finish(out);
        }
        out.push_str(&self.text);
        self.text.clear();
        (self.returned, self.before) = (false, 0);
    }

    /// Returns the line in columns, with the cursor at its current position.
    fn laid_out(&mut self, out: &mut String) -> &mut Cells {
        let Self { limit, text, returned, cells, .. } = self;
        cells.get_or_insert_with(|| {
            let mut cells = Cells::new(*limit);
            cells.put_all(text, out);
            if std::mem::take(returned) {
                cells.act(Move::Column(0), out);
            }
            text.clear();
            cells
        })
    }

    /// Adds to the line, and passes on its start if the line is longer than the limit. How much is passed on depends on the
    /// length of the line only, not on the pieces.
    fn append(&mut self, piece: &str, out: &mut String) {
        self.text.push_str(piece);
        let len = self.before + self.text.len();
        let from = (len / self.limit).saturating_sub(1).saturating_mul(self.limit);
        if let Some(surplus) = from.checked_sub(self.before).filter(|surplus| *surplus > 0) {
            let surplus = self.text.ceil_char_boundary(surplus);
            out.push_str(&self.text[..surplus]);
            self.text.drain(..surplus);
            self.before += surplus;
        }
    }
}
