//! The whole of a result that was cut, saved before the answer goes.

use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use cutline_core::truncate::Bounds;

use super::json;
use super::text::Texts;
use crate::fs::saved_name::SavedKind;
use crate::process::spill::{SavedOutput, SavedStream, Store};

/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 256 * 1024;

/// All of a result, as it is saved.
#[derive(Debug, Clone, Copy)]
pub(super) enum Whole<'a> {
    /// A text.
    Text(&'a str),
    /// One JSON value.
    Json(&'a str),
    /// Blocks that are one JSON value each.
    JsonAll(&'a Texts<'a>),
}

/// The files of a whole result.
#[derive(Debug)]
pub(super) struct Saved {
    /// The file that the notice names: the text, or else the structured content.
    pub(super) named: io::Result<SavedOutput>,
    /// The structured content beside a text.
    pub(super) structured: Option<io::Result<SavedOutput>>,
}

/// Saves what was cut: what the notice names, and structured content that is another value.
pub(super) type Save<'a> = dyn Fn(Whole<'_>, Option<&str>) -> Saved + 'a;

/// Saves in `store`.
pub(super) fn save(store: &Arc<Store>, named: Whole<'_>, structured: Option<&str>) -> Saved {
    let structured = structured.map(|value| write(store, Whole::Json(value)));
    Saved { named: write(store, named), structured }
}

fn write(store: &Arc<Store>, whole: Whole<'_>) -> io::Result<SavedOutput> {
    let kind = if matches!(whole, Whole::Text(_)) { SavedKind::WrapText } else { SavedKind::WrapJson };
    // From the first byte on.
    let mut saved = SavedStream::new(Arc::clone(store), kind, Bounds::new(0, 0));
    let mut out = BufWriter::with_capacity(GATHERED_BYTES, &mut saved);
    match whole {
        Whole::Text(text) => out.write_all(text.as_bytes())?,
        Whole::Json(value) => json::indent(value, 0, &mut out).and_then(|()| out.write_all(b"\n"))?,
        Whole::JsonAll(values) => {
            json::indent_all(values.blocks(), &mut out).and_then(|()| out.write_all(b"\n"))?;
        }
    }
    out.flush()?;
    drop(out);
    saved.keep()
}

impl io::Write for SavedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
impl Saved {
    /// A whole at `path`.
    pub(super) fn at(path: &str) -> Self {
        Self { named: Ok(SavedOutput { path: path.into(), first_bytes: None }), structured: None }
    }
}
