//! Indents a JSON text by two spaces, so that its lines are short. The tokens do not change.

use std::io::{self, Write};

use super::scan::{after_space, value_end};

/// A newline and the indentation of the next line, two spaces for each level. The depth is limited, because the output
/// would otherwise grow with the square of the depth.
const LINE: &[u8; 65] = b"\n                                                                ";

/// Writes `text`, which is valid JSON, to `out`, indented from `level` on and without a final newline. Makes many short
/// writes.
pub(in crate::wrap) fn indent(text: &str, level: usize, out: &mut impl Write) -> io::Result<()> {
    let text = text.as_bytes();
    let (mut at, mut depth) = (0, level);
    while let Some(byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => {
                at = after_space(text, at);
                out.write_all(&[*byte])?;
                if matches!(text[at], b'}' | b']') {
                    out.write_all(&[text[at]])?;
                    at += 1;
                } else {
                    depth += 1;
                    out.write_all(line(depth))?;
                }
            }
            b'}' | b']' => {
                depth -= 1;
                out.write_all(line(depth))?;
                out.write_all(&[*byte])?;
            }
            b',' => {
                out.write_all(b",")?;
                out.write_all(line(depth))?;
            }
            b':' => out.write_all(b": ")?,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                at = value_end(text, start);
                out.write_all(&text[start..at])?;
            }
        }
    }
    Ok(())
}

/// Writes `texts`, each of which is valid JSON, as one array.
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

/// Returns a newline and the spaces of the next line.
fn line(depth: usize) -> &'static [u8] {
    &LINE[..LINE.len().min(1 + 2 * depth)]
}
