//! The open line of a terminal: plain while text is only added, laid out in columns once the
//! cursor moves.

use super::cells::Cells;
use super::step::Move;

/// The open line, or its end.
#[derive(Debug)]
pub(super) struct Line {
    /// Bytes of the line's end that are held at least, or columns.
    limit: usize,
    /// The end of a plain line.
    text: String,
    /// Bytes of the line before `text`, which were given on.
    before: usize,
    /// True if the cursor has returned to the start of a plain line; mostly a newline follows.
    returned: bool,
    /// The line in columns; then `text` is empty.
    cells: Option<Cells>,
}

impl Line {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { limit: max_bytes.max(1), text: String::new(), before: 0, returned: false, cells: None }
    }

    /// Takes text with no control characters but `\n` and `\t`.
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

    /// Takes a character of any kind; of the control characters few do anything to a line.
    pub(super) fn char(&mut self, c: char, out: &mut String) {
        match c {
            '\r' => self.act(Move::Column(0), out),
            '\u{8}' => self.act(Move::Back(1), out),
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => self.push(c.encode_utf8(&mut [0; 4]), out),
        }
    }

    /// Moves the cursor, or changes the line where it stands.
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
            // Where the line ends there is nothing to take away.
            Move::EraseToEnd | Move::EraseNext(_) | Move::Delete(_) | Move::Insert(_) if !self.returned => {
                return;
            }
            _ => {}
        }
        self.laid_out(out).act(step, out);
    }

    /// Gives what is held, and begins a new line.
    pub(super) fn finish(&mut self, out: &mut String) {
        if let Some(cells) = self.cells.take() {
            cells.finish(out);
        }
        out.push_str(&self.text);
        self.text.clear();
        (self.returned, self.before) = (false, 0);
    }

    /// Returns the line in columns, with the cursor where it is.
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

    /// Adds to the line, and lets go what is more than a limit's length before its last whole one:
    /// that depends on the line's length alone, so not on the pieces it came in.
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
