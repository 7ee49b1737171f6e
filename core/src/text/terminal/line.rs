//! The open line of a terminal: plain while text is only added, laid out in columns once the
//! cursor moves.

use super::cells::Cells;
use super::step::Move;

/// The open line, or its end.
#[derive(Debug)]
pub(super) struct Line {
    /// Bytes of the line's end that are held at least.
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
        while (self.cells.is_some() || self.returned) && !rest.is_empty() {
            let (now, ends, after) = match rest.split_once('\n') {
                Some((now, after)) => (now, true, after),
                None => (rest, false, ""),
            };
            if !now.is_empty() {
                let limit = self.limit;
                self.laid_out().put_all(now, limit, out);
            }
            if ends {
                self.finish(out);
                out.push('\n');
            }
            rest = after;
        }
        if !rest.is_empty() {
            self.push_plain(rest, out);
        }
    }

    /// Takes a character of any kind; of the control characters few do anything to a line.
    pub(super) fn char(&mut self, c: char, out: &mut String) {
        match c {
            '\r' => self.act(Move::Return, out),
            '\u{8}' => self.act(Move::Back(1), out),
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => self.push(c.encode_utf8(&mut [0; 4]), out),
        }
    }

    /// Moves the cursor, or changes the line where it stands.
    pub(super) fn act(&mut self, step: Move, out: &mut String) {
        if self.cells.is_none() {
            match step {
                Move::Return => {
                    self.returned |= !self.text.is_empty();
                    return;
                }
                Move::EraseToEnd | Move::EraseAll if self.returned => {
                    (self.returned, self.before) = (false, 0);
                    self.text.clear();
                    return;
                }
                // Where the line ends there is nothing to take away.
                Move::EraseToEnd | Move::EraseNext(_) | Move::Delete(_) | Move::Insert(_)
                    if !self.returned =>
                {
                    return;
                }
                _ => {}
            }
        }
        let limit = self.limit;
        let cells = self.laid_out();
        cells.act(step);
        cells.let_go(limit, out);
    }

    /// Gives what is held, and begins a new line.
    pub(super) fn finish(&mut self, out: &mut String) {
        if let Some(cells) = self.cells.take() {
            cells.finish(out);
        } else if !self.text.is_empty() {
            out.push_str(&self.text);
            self.text.clear();
        }
        (self.returned, self.before) = (false, 0);
    }

    /// Returns the line in columns, with the cursor where it is.
    fn laid_out(&mut self) -> &mut Cells {
        let Self { text, returned, cells, .. } = self;
        cells.get_or_insert_with(|| {
            let mut cells = Cells::default();
            text.chars().for_each(|c| cells.put(c));
            if std::mem::take(returned) {
                cells.act(Move::Return);
            }
            text.clear();
            cells
        })
    }

    fn push_plain(&mut self, text: &str, out: &mut String) {
        let open = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |newline| newline + 1);
        let (ended, open) = text.split_at(open);
        if !ended.is_empty() {
            self.finish(out);
            out.push_str(ended);
        }
        self.append(open, out);
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
