//! Escape sequences: where they end, and which few of them change a line.
//!
//! They are told apart by `vte`, the parser of a terminal emulator. Here is only what that leaves
//! open: a newline ends any sequence, so that one that is cut off can't swallow the lines after it,
//! and ESC before what no sequence begins with is passed over by itself.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

use std::fmt;

use vte::{Params, Parser, Perform};

use super::line::Line;
use super::step::Move;

const ESC: u8 = 0x1B;
/// These end a sequence without effect.
const CANCELLED: [u8; 2] = [0x18, 0x1A];

/// The sequence that is open, if any.
#[derive(Default)]
pub(super) struct Escape {
    parser: Parser,
    /// The last byte of it so far.
    last: Option<u8>,
}

impl fmt::Debug for Escape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Escape").field("last", &self.last).finish_non_exhaustive()
    }
}

impl Escape {
    /// True if a sequence is open.
    pub(super) fn is_open(&self) -> bool {
        self.last.is_some()
    }

    /// Takes a part of `text`, which is not empty and begins with ESC or goes on within a sequence, and does to
    /// `line` what it says; what is settled by that goes to `out`. Returns the rest of `text`.
    pub(super) fn push<'a>(&mut self, text: &'a str, line: &mut Line, out: &mut String) -> &'a str {
        let bytes = text.as_bytes();
        let stray = self.last == Some(ESC) && !bytes[0].is_ascii();
        // Up to the newline, and through the next ESC: then it does not matter how the text came.
        let end = memchr::memchr2(b'\n', ESC, bytes);
        let end = end.map_or(bytes.len(), |at| at + usize::from(bytes[at] == ESC));
        if stray || end == 0 {
            *self = Self::default();
            return text;
        }
        let mut effects = Effects { line, out, over: false };
        let taken = self.parser.advance_until_terminated(&mut effects, &bytes[..end]);
        let last = bytes[taken - 1];
        self.last = (last == ESC || !effects.over).then_some(last);
        // A byte in a device's text may end it that is a part of a character.
        &text[text.ceil_char_boundary(taken)..]
    }
}

/// Does to a line what the parser finds.
struct Effects<'a> {
    line: &'a mut Line,
    out: &'a mut String,
    /// True once the sequence has come to its end.
    over: bool,
}

impl Perform for Effects<'_> {
    /// After the end of a sequence that means nothing to the parser either.
    fn print(&mut self, c: char) {
        self.over = true;
        self.line.char(c, self.out);
    }

    fn execute(&mut self, byte: u8) {
        self.over |= CANCELLED.contains(&byte);
        self.line.char(char::from(byte), self.out);
    }

    fn unhook(&mut self) {
        self.over = true;
    }

    fn osc_dispatch(&mut self, _params: &[&[u8]], _bell_terminated: bool) {
        self.over = true;
    }

    fn esc_dispatch(&mut self, _intermediates: &[u8], _ignore: bool, _byte: u8) {
        self.over = true;
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.over = true;
        let first = params.iter().next().and_then(|parameter| parameter.first().copied());
        if !ignore
            && intermediates.is_empty()
            && let Some(step) = step(first.unwrap_or(0).into(), action)
        {
            self.line.act(step, self.out);
        }
    }

    fn terminated(&self) -> bool {
        self.over
    }
}

/// Returns the step that the control sequence with the final character `last` means.
fn step(mode: usize, last: char) -> Option<Move> {
    let count = mode.max(1);
    match last {
        // Also to the end of the screen: on this line, to its end.
        'K' | 'J' if mode == 0 => Some(Move::EraseToEnd),
        'K' if mode == 1 => Some(Move::EraseToStart),
        'K' if mode == 2 => Some(Move::EraseAll),
        'C' | 'a' => Some(Move::Forward(count)),
        'D' => Some(Move::Back(count)),
        'G' | '`' => Some(Move::Column(count - 1)),
        'P' => Some(Move::Delete(count)),
        '@' => Some(Move::Insert(count)),
        'X' => Some(Move::EraseNext(count)),
        _ => None,
    }
}
