//! read: reads a file in pages.
//!
//! A page starts at the line `offset` and ends with a line, and a notice states where the next page starts. Only long
//! lines can be shown in part. Memory depends only on the size of the page, not on the size of the file or the length
//! of its lines.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

mod image;
mod page;
mod page_lines;
mod ranges;

use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use crate::fs::lines::{self, Bytes, TextFile};
use crate::fs::open::OpenedPath;
use crate::limits::{PSEUDO_FILE_BYTES, PSEUDO_FILE_SECS};
use cutline_core::text::as_index;
use cutline_core::text::binary::{DECIDING_BYTES, is_binary_file};
use cutline_core::text::decode::is_utf8;

use super::resolve::{self, ExpectedKind};
use super::{Context, Load, Output, ToolError};

/// Maximum bytes of a file that is read in one piece. Its lines are counted in memory.
const HELD_BYTES: u64 = 256 * 1024;

/// The arguments of read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadArgs {
    /// File to read, or several separated by spaces, each also with lines: a.rs:10-20 b.rs:50-
    #[schemars(with = "String", extend("x-list" = true))]
    pub path: Vec<String>,
    /// Line to start from (1 is the first); negative counts from the end
    pub offset: Option<i64>,
    /// Most lines to return
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Put each line's number and a tab before it
    pub line_numbers: Option<bool>,
}

/// Runs one call with a permit for `load`. Returns `None` if the file is an image and the permit is not for images; the
/// caller then calls it again with that permit.
pub async fn run(cx: &Context, args: ReadArgs, load: Load) -> Result<Option<Output>, ToolError> {
    cx.blocking(move |cx| ranges::read_parts(cx, &args, load)).await
}

/// Reads one file. Returns `None` if the file is an image and the permit is not for images.
fn read(cx: &Context, args: &ReadArgs, load: Load) -> Result<Option<Output>, ToolError> {
    let place = resolve::open(cx, args.path.first().map_or("", String::as_str), ExpectedKind::File)?;
    let file = resolve::file(cx, &place)?;
    let failed = |error| resolve::unreadable(cx, &place, error);
    // Only the lines of text are counted.
    if let Some(index) = cx.shared.line_indexes.get(place.stat) {
        let text = index.text_of(&file, place.stat.bytes);
        return page::read(cx, args, &place, &text).map(Some);
    }
    let held = held_bytes(&place, &file).map_err(failed)?;
    let start = match &held {
        Some(bytes) => Cow::Borrowed(&bytes[..bytes.len().min(DECIDING_BYTES)]),
        None => Cow::Owned(lines::first_bytes(&file, DECIDING_BYTES).map_err(failed)?),
    };
    let end = held.as_ref().map_or(place.stat.bytes, |bytes| bytes.len() as u64);
    let is_utf8 = is_utf8(&start);
    // The saved output of a command can be read whatever it is.
    let binary = is_binary_file(&start)
        && !cx.workspace.is_saved_output(&place.real)
        && !lines::is_sparse_text(&file, end, &start).map_err(failed)?;
    if (binary || !is_utf8)
        && let Some(format) = image::format_of(&start)
    {
        if load != Load::Image {
            return Ok(None);
        }
        let shown = cx.workspace.show(&place.asked);
        let output = image::on_new_thread(|| image::read(cx, &file, &shown, place.stat.bytes, format));
        return output.map(Some).map_err(failed);
    }
    if binary {
        return Err(resolve::binary(cx, &place, end, &start));
    }
    let bytes = held.as_deref().map_or(Bytes::Open(&file), Bytes::Held);
    let text = TextFile::detected(bytes, &start, end).map_err(failed)?;
    page::read(cx, args, &place, &text).map(Some)
}

/// Returns all bytes of a small file, or of a file that reports a size of 0 but can have content. Returns `None` for a
/// larger file.
fn held_bytes(place: &OpenedPath, file: &File) -> io::Result<Option<Vec<u8>>> {
    match place.stat.bytes {
        0 => pseudo_file(file).map(Some),
        size if size <= HELD_BYTES => lines::first_bytes(file, as_index(size)).map(Some),
        _ => Ok(None),
    }
}

/// Reads a file such as those in `/proc` until its end, or until a limit of bytes or time is reached.
fn pseudo_file(mut file: &File) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + Duration::from_secs(PSEUDO_FILE_SECS);
    let bound = as_index(PSEUDO_FILE_BYTES);
    let mut bytes = Vec::new();
    let mut block = [0; 16 * 1024];
    while bytes.len() < bound && Instant::now() < deadline {
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
