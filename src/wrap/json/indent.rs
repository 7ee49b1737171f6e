//! A JSON text indented by two spaces, so that its lines can be paged; its tokens stay what they are.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::io::{self, Write};

use super::scan::{after_space, string_end, value_end};

/// A line's end and the spaces of the next, of which each level takes two. Deeper levels stand below one another:
/// else a deep value would take the square of its size.
const LINE: &[u8; 65] = b"\n                                                                ";
/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 256 * 1024;

/// Writes `text`, valid JSON, to `out`, indented from `level` on, without a final newline.
pub(in crate::wrap) fn indent(text: &str, level: usize, out: &mut impl Write) -> io::Result<()> {
    let text = text.as_bytes();
    let mut gathered = Vec::with_capacity(GATHERED_BYTES + LINE.len());
    let (mut at, mut depth) = (0, level);
    while let Some(byte) = text.get(at) {
        if gathered.len() >= GATHERED_BYTES {
            out.write_all(&gathered)?;
            gathered.clear();
        }
        match byte {
            b'{' | b'[' => {
                gathered.push(*byte);
                at = after_space(text, at + 1);
                if matches!(text[at], b'}' | b']') {
                    gathered.push(text[at]);
                    at += 1;
                } else {
                    depth += 1;
                    gathered.extend_from_slice(line(depth));
                }
            }
            b'}' | b']' => {
                depth -= 1;
                gathered.extend_from_slice(line(depth));
                gathered.push(*byte);
                at += 1;
            }
            b',' => {
                gathered.push(b',');
                gathered.extend_from_slice(line(depth));
                at += 1;
            }
            b':' => {
                gathered.extend_from_slice(b": ");
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'"' => {
                let end = string_end(text, at);
                push_long(&text[at..end], &mut gathered, out)?;
                at = end;
            }
            _ => {
                let end = value_end(text, at);
                gathered.extend_from_slice(&text[at..end]);
                at = end;
            }
        }
    }
    out.write_all(&gathered)
}

/// Adds what may be as long as the whole text, which is not gathered then.
fn push_long(part: &[u8], gathered: &mut Vec<u8>, out: &mut impl Write) -> io::Result<()> {
    if part.len() < GATHERED_BYTES {
        gathered.extend_from_slice(part);
        return Ok(());
    }
    out.write_all(gathered)?;
    gathered.clear();
    out.write_all(part)
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
        out.write_all(line(1))?;
        indent(text, 1, out)?;
    }
    out.write_all(b"\n]")
}

/// Returns the end of a line, and the spaces before the next.
fn line(depth: usize) -> &'static [u8] {
    &LINE[..LINE.len().min(1 + 2 * depth)]
}
