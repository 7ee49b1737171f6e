//! A JSON text indented by two spaces, so that its lines can be paged; its tokens stay what they are.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::io::{self, Write};

use super::scan::{after_space, string_end, value_end};

/// Spaces, of which each level takes two. Deeper levels stand below one another: else a deep value would take
/// the square of its size.
const SPACES: &[u8] = &[b' '; 64];

/// Writes `text`, valid JSON, to `out`, indented from `level` on, without a final newline.
pub(in crate::wrap) fn indent(text: &str, level: usize, out: &mut impl Write) -> io::Result<()> {
    let text = text.as_bytes();
    let (mut at, mut depth) = (0, level);
    loop {
        at = after_space(text, at);
        let Some(byte) = text.get(at) else { return Ok(()) };
        match byte {
            b'{' | b'[' => {
                let inside = after_space(text, at + 1);
                if matches!(text[inside], b'}' | b']') {
                    out.write_all(&[*byte, text[inside]])?;
                    at = inside + 1;
                    continue;
                }
                depth += 1;
                out.write_all(&[*byte])?;
                line(depth, out)?;
                at += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                line(depth, out)?;
                out.write_all(&[*byte])?;
                at += 1;
            }
            b',' => {
                out.write_all(b",")?;
                line(depth, out)?;
                at += 1;
            }
            b':' => {
                out.write_all(b": ")?;
                at += 1;
            }
            b'"' => {
                let end = string_end(text, at);
                out.write_all(&text[at..end])?;
                at = end;
            }
            _ => {
                let end = value_end(text, at);
                out.write_all(&text[at..end])?;
                at = end;
            }
        }
    }
}

/// Writes `texts`, valid JSON each, as one array.
pub(in crate::wrap) fn indent_all<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (n, text) in texts.into_iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        line(1, out)?;
        indent(text, 1, out)?;
    }
    out.write_all(b"\n]")
}

fn line(depth: usize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\n")?;
    out.write_all(&SPACES[..SPACES.len().min(2 * depth)])
}
