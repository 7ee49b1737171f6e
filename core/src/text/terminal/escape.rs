//! Escape sequences: their ends, and the few that change a line.
//!
//! `vte`, the parser of a terminal emulator, recognises them. This module adds two rules. A newline ends every sequence, so
//! that an incomplete sequence cannot hide the lines after it. An ESC that does not begin a sequence is ignored alone.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

use std::fmt;

use vte::{Params, Parser, Perform};

use super::line::Line;
use super::step::Move;

const ESC: u8 = 0x1B;
/// Bytes that cancel a sequence.
const CANCELLED: [u8; 2] = [0x18, 0x1A];

/// The current escape sequence, if there is one.
#[derive(Default)]
pub(super) struct Escape {
    parser: Parser,
    /// Its last byte so far.
    last: Option<u8>,
}

impl fmt::Debug for Escape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Escape").field("last", &self.last).finish_non_exhaustive()
    }
}

impl Escape {
    /// Returns true within a sequence.
    pub(super) fn is_open(&self) -> bool {
        self.last.is_some()
    }

    /// Applies the start of `text` to `line` and returns the rest. `text` is not empty; it begins with ESC or continues a
    /// sequence. Text that can no longer change is added to `out`.
    pub(super) fn push<'a>(&mut self, text: &'a str, line: &mut Line, out: &mut String) -> &'a str {
        let bytes = text.as_bytes();
        let stray = self.last == Some(ESC) && !bytes[0].is_ascii();
        // Stop before a newline or after the next ESC, so that the result does not depend on the pieces.
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
        // In a device control string, a byte within a character may end the sequence.
        &text[text.ceil_char_boundary(taken)..]
    }
}

/// Applies the sequences that the parser finds to a line.
struct Effects<'a> {
    line: &'a mut Line,
    out: &'a mut String,
    /// True at the end of the sequence.
    over: bool,
}

impl Perform for Effects<'_> {
    /// Called after the end of a sequence that the parser does not know either.
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

/// Returns the effect of a control sequence with the final character `last`.
fn step(mode: usize, last: char) -> Option<Move> {
    let count = mode.max(1);
    match last {
        // Erasing to the end of the screen erases this line to its end.
        'K' | 'J' if mode == 0 => Some(Move::EraseToEnd),
        'K' if mode == 1 => Some(Move::EraseToStart),
        'K' if mode == 2 => Some(Move::EraseAll),
        'C' | 'a' => Some(Move::Forward(count)),
        'D' => Some(Move::Back(count)),
        'G' | '`' => Some(Move::Column(count - 1)),
        'X' => Some(Move::EraseNext(count)),
        _ => None,
    }
}
