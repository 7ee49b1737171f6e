//! The whole of a result that was cut, saved before the answer goes.

use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use cutline_core::truncate::Bounds;

use super::json;
use super::text::Texts;
use crate::fs::saved_name::SavedKind;
pub(super) use crate::saved_output::SavedOutput;
use crate::saved_output::{SavedStream, Store};

/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 256 * 1024;

/// All of a result, as it is saved.
#[derive(Debug, Clone, Copy, Hash)]
pub(super) enum Whole<'a> {
    /// A text.
    Text(&'a str),
    /// One JSON value.
    Json(&'a str),
    /// Blocks that are one JSON value each.
    JsonAll(&'a Texts<'a>),
}

/// Saves what was cut.
pub(super) type Save<'a> = dyn Fn(Whole<'_>) -> io::Result<SavedOutput> + 'a;

/// Saves in `store`.
pub(super) fn save(store: &Arc<Store>, whole: Whole<'_>) -> io::Result<SavedOutput> {
    let kind = if matches!(whole, Whole::Text(_)) { SavedKind::WRAP_TEXT } else { SavedKind::WRAP_JSON };
    // From the first byte on.
    let mut saved = SavedStream::new(Arc::clone(store), kind, Bounds::new(0, 0));
    let mut out = BufWriter::with_capacity(GATHERED_BYTES, &mut saved);
    match whole {
        Whole::Text(text) => out.write_all(text.as_bytes())?,
        Whole::Json(value) => json::indent(value, 0, &mut out)?,
        Whole::JsonAll(values) => json::indent_all(values.blocks(), &mut out)?,
    }
    if kind == SavedKind::WRAP_JSON {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    drop(out);
    saved.keep()
}
