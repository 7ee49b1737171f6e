//! The terminal: any output of a command in any pieces.
//!
//! Two bytes are settings: the limit of a line, and the lengths of the pieces. The rest is the output. Lines keep their numbers,
//! no control character remains, the result does not depend on the pieces, the limit bounds the memory, and plain text is
//! unchanged. A line with only carriage returns and backspaces is compared with a row of cells.

use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::terminal::Terminal;

use crate::input::{pieces, pieces_of_text, setting};

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let (limit, rest) = setting(bytes);
    let (lengths, printed) = setting(rest);
    // The upper half of the values sets limits as large as those of results.
    let limit = if limit < 128 { u64::from(limit) + 1 } else { u64::from(limit - 127) * 512 };
    let text = String::from_utf8_lossy(printed);
    let whole = shown(limit, &[&text]);
    assert_eq!(whole.matches('\n').count(), text.matches('\n').count(), "lines");
    assert!(!whole.contains(is_not_shown), "control characters in {whole:?}");
    assert_eq!(shown(limit, &pieces_of_text(&text, lengths)), whole, "in pieces of text");
    assert_eq!(decoded(limit, &pieces(printed, lengths)), whole, "in pieces of bytes");
    if !text.contains(is_not_shown) {
        assert_eq!(whole, text, "plain text");
    }
    for (raw, shown) in text.split('\n').zip(whole.split('\n')) {
        if raw.len() as u64 <= limit
            && let Some(expected) = cells(raw)
        {
            assert_eq!(shown.trim_end_matches(' '), expected, "{raw:?}");
        }
    }
}

fn is_not_shown(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

fn shown(limit: u64, pieces: &[&str]) -> String {
    let mut shown = String::new();
    let mut terminal = Terminal::new(limit);
    for piece in pieces {
        terminal.push(piece, &mut |part| shown.push_str(part));
    }
    // Each column has a character and its attributes.
    let held = format!("{terminal:?}").len() as u64;
    assert!(held < 8000 + 200 * limit, "{held} bytes for {limit}");
    terminal.finish(&mut |part| shown.push_str(part));
    shown
}

/// Returns the shown text of bytes. Decodes them first, like the output of a command.
fn decoded(limit: u64, pieces: &[&[u8]]) -> String {
    let mut shown = String::new();
    let (mut decoder, mut terminal) = (Decoder::new(Encoding::Utf8), Terminal::new(limit));
    let mut sink = |text: &str| terminal.push(text, &mut |part| shown.push_str(part));
    pieces.iter().for_each(|piece| decoder.push(piece, &mut sink));
    decoder.finish(&mut sink);
    terminal.finish(&mut |part| shown.push_str(part));
    shown
}

/// Returns the cells of a terminal row after a line of plain ASCII, carriage returns and backspaces, or `None` for other text.
fn cells(line: &str) -> Option<String> {
    let (mut row, mut cursor) = (Vec::new(), 0);
    for c in line.chars() {
        match c {
            '\r' => cursor = 0,
            '\u{8}' => cursor = cursor.max(1) - 1,
            ' '..='~' => {
                row.resize(row.len().max(cursor + 1), ' ');
                row[cursor] = c;
                cursor += 1;
            }
            _ => return None,
        }
    }
    let row: String = row.into_iter().collect();
    Some(row.trim_end_matches(' ').to_owned())
}
