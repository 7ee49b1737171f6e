//! The whole of a result that was cut, saved before the answer goes.

use std::io::{self, BufWriter, Write as _};

use super::{json, text};
use crate::fs::saved_name::SavedKind;
use crate::process::spill::{SavedFile, SavedOutput, Store};

/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 256 * 1024;

/// All of a result, as it is saved.
#[derive(Debug, Clone)]
pub(super) enum Whole<'a> {
    /// The blocks of a text.
    Text(Vec<&'a str>),
    /// One JSON value.
    Json(&'a str),
    /// Blocks that are one JSON value each.
    JsonAll(Vec<&'a str>),
}

/// The files of a whole result.
#[derive(Debug)]
pub(super) struct Saved {
    /// The file that the notice names: the text, or else the structured content.
    pub(super) named: io::Result<SavedOutput>,
    /// The structured content beside a text.
    pub(super) structured: Option<io::Result<SavedOutput>>,
}

/// Takes what was cut.
pub(super) trait Save {
    /// Saves `named`, and structured content that is another value.
    fn save(&self, named: &Whole<'_>, structured: Option<&str>) -> Saved;
}

impl Save for Store {
    fn save(&self, named: &Whole<'_>, structured: Option<&str>) -> Saved {
        let structured = structured.map(|value| write(self, &Whole::Json(value)));
        Saved { named: write(self, named), structured }
    }
}

fn write(store: &Store, whole: &Whole<'_>) -> io::Result<SavedOutput> {
    let kind = if matches!(whole, Whole::Text(_)) { SavedKind::WrapText } else { SavedKind::WrapJson };
    let mut file = store.create(kind)?;
    let mut out = BufWriter::with_capacity(GATHERED_BYTES, Counted { file: &mut file, bytes: 0 });
    match whole {
        Whole::Text(texts) => {
            text::joined(texts.iter().copied()).try_for_each(|part| out.write_all(part.as_bytes()))?;
        }
        Whole::Json(value) => json::indent(value, 0, &mut out).and_then(|()| out.write_all(b"\n"))?,
        Whole::JsonAll(values) => json::indent_all(values, &mut out).and_then(|()| out.write_all(b"\n"))?,
    }
    out.flush()?;
    let bytes = out.get_ref().bytes;
    drop(out);
    Ok(file.keep(bytes))
}

/// A file that takes bytes up to its cap, and the count of all that it was given.
struct Counted<'a> {
    file: &'a mut SavedFile,
    bytes: u64,
}

impl io::Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)?;
        self.bytes += bytes.len() as u64;
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
