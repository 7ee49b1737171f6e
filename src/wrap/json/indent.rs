//! A JSON text indented by two spaces, so that its lines can be paged; its tokens stay what they are.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::io::{self, Write};

use super::scan::tokens;

/// A line's end and the spaces of the next, of which each level takes two. Deeper levels stand below one another:
/// else a deep value would take the square of its size.
const LINE: &[u8; 65] = b"\n                                                                ";

/// Writes `text`, valid JSON, to `out`, indented from `level` on, without a final newline: many short parts.
pub(in crate::wrap) fn indent(text: &str, level: usize, out: &mut impl Write) -> io::Result<()> {
    let mut depth = level;
    let mut tokens = tokens(text).peekable();
    while let Some(token) = tokens.next() {
        let is_closing = matches!(token, "}" | "]");
        if is_closing {
            depth -= 1;
            out.write_all(line(depth))?;
        }
        out.write_all(token.as_bytes())?;
        match token {
            "{" | "[" => {
                if let Some(closing) = tokens.next_if(|next| matches!(*next, "}" | "]")) {
                    out.write_all(closing.as_bytes())?;
                } else {
                    depth += 1;
                    out.write_all(line(depth))?;
                }
            }
            "," => out.write_all(line(depth))?,
            ":" => out.write_all(b" ")?,
            _ => {}
        }
    }
    Ok(())
}

/// Writes `texts`, valid JSON each, as one array.
pub(in crate::wrap) fn indent_all<'a>(
    texts: impl Iterator<Item = &'a str>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (n, text) in texts.enumerate() {
        out.write_all(if n > 0 { b"," } else { b"[" })?;
        out.write_all(line(1))?;
        indent(text, 1, out)?;
    }
    out.write_all(b"\n]")
}

/// Returns the end of a line, and the spaces before the next.
fn line(depth: usize) -> &'static [u8] {
    &LINE[..LINE.len().min(1 + 2 * depth)]
}
