//! The whole of a result that was cut, saved before the answer goes.

use std::io::{self, BufWriter, Write as _};

use cutline_core::notice::{self, Notice, ResultShown};
use cutline_core::text::show;

use super::{json, text};
use crate::fs::workspace::{self, SavedKind};
use crate::process::spill::{SavedFile, SavedOutput, Store};
use crate::tools::error::reason;

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
    named: io::Result<SavedOutput>,
    /// The structured content beside a text.
    structured: Option<SavedOutput>,
}

/// Takes what was cut.
pub(super) trait Save {
    /// Saves `text`, and structured content that is another value.
    fn save(&self, text: Option<&Whole<'_>>, structured: Option<&str>) -> Saved;
}

impl Save for Store {
    fn save(&self, text: Option<&Whole<'_>>, structured: Option<&str>) -> Saved {
        let structured = structured.map(|value| write(self, &Whole::Json(value)));
        match (text, structured) {
            (Some(text), structured) => {
                Saved { named: write(self, text), structured: structured.and_then(Result::ok) }
            }
            (None, Some(structured)) => Saved { named: structured, structured: None },
            (None, None) => Saved { named: Err(io::ErrorKind::NotFound.into()), structured: None },
        }
    }
}

fn write(store: &Store, whole: &Whole<'_>) -> io::Result<SavedOutput> {
    let kind = if matches!(whole, Whole::Text(_)) { SavedKind::WrapText } else { SavedKind::WrapJson };
    let mut file = store.create_as(kind)?;
    let mut out = BufWriter::with_capacity(GATHERED_BYTES, Counted { file: &mut file, bytes: 0 });
    match whole {
        Whole::Text(texts) => {
            text::joined(texts.iter().copied()).try_for_each(|part| out.write_all(part.as_bytes()))?;
        }
        Whole::Json(value) => {
            json::indent(value, 0, &mut out)?;
            out.write_all(b"\n")?;
        }
        Whole::JsonAll(values) => {
            json::indent_all(values.iter().copied(), &mut out)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    let bytes = out.get_ref().bytes;
    drop(out);
    file.keep();
    let first_bytes = (file.written() < bytes).then_some(file.written());
    Ok(SavedOutput { path: file.path().to_owned(), first_bytes })
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

impl Saved {
    /// The notice of a result of which this is the whole.
    pub(super) fn notice(&self, shown: ResultShown, blocks: Option<(u64, u64)>) -> Notice {
        let saved = match &self.named {
            Ok(SavedOutput { path, first_bytes }) => notice::Saved::At {
                path: show::name(&workspace::shown(path)).into_owned(),
                first: *first_bytes,
            },
            Err(error) => notice::Saved::Not { reason: reason(error) },
        };
        Notice::Result { shown, blocks, saved }
    }

    /// The path that the notice names.
    pub(super) fn path(&self) -> Option<String> {
        self.named.as_ref().ok().map(path)
    }

    /// The path of the structured content beside it.
    pub(super) fn structured_path(&self) -> Option<String> {
        self.structured.as_ref().map(path)
    }

    /// Returns the number of bytes that the file holds that the notice names, where it does not hold all.
    pub(super) fn first_bytes(&self) -> Option<u64> {
        self.named.as_ref().ok()?.first_bytes
    }

    /// Why there is no file.
    pub(super) fn error(&self) -> Option<String> {
        self.named.as_ref().err().map(reason)
    }
}

fn path(saved: &SavedOutput) -> String {
    String::from_utf8_lossy(&workspace::shown(&saved.path)).into_owned()
}

#[cfg(test)]
impl Saved {
    /// A whole at `path`.
    pub(super) fn at(path: &str) -> Self {
        Self { named: Ok(SavedOutput { path: path.into(), first_bytes: None }), structured: None }
    }
}
