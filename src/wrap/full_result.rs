//! The full output of a truncated result. It is saved before the result is sent.

use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use cutline_core::truncate::Bounds;

use super::json;
use super::text::Texts;
use crate::fs::saved_name::SavedKind;
pub(super) use crate::saved_output::SavedOutput;
use crate::saved_output::{SavedStream, Store};

/// Number of bytes to buffer before a write.
const GATHERED_BYTES: usize = 256 * 1024;

/// The full output of a result.
#[derive(Debug, Clone, Copy, Hash)]
pub(super) enum FullResult<'a> {
    /// Text.
    Text(&'a str),
    /// One JSON value.
    Json(&'a str),
    /// Blocks, each with one JSON value.
    JsonAll(&'a Texts<'a>),
}

/// Saves a full output.
pub(super) type Save<'a> = dyn Fn(FullResult<'_>) -> io::Result<SavedOutput> + 'a;

/// Saves a full output in `store`.
pub(super) fn save(store: &Arc<Store>, full: FullResult<'_>) -> io::Result<SavedOutput> {
    let kind = if matches!(full, FullResult::Text(_)) { SavedKind::WRAP_TEXT } else { SavedKind::WRAP_JSON };
    // With memory limits of 0, the file is written from the first byte on.
    let mut saved = SavedStream::new(Arc::clone(store), kind, Bounds::new(0, 0));
    let mut out = BufWriter::with_capacity(GATHERED_BYTES, &mut saved);
    match full {
        FullResult::Text(text) => out.write_all(text.as_bytes())?,
        FullResult::Json(value) => json::indent(value, 0, &mut out)?,
        FullResult::JsonAll(values) => json::indent_all(values.blocks(), &mut out)?,
    }
    if kind == SavedKind::WRAP_JSON {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    drop(out);
    saved.keep()
}
