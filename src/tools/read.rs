//! read: a file, page by page.
//!
//! A page holds whole lines only, from `offset` on, and says where the next one begins. Whatever
//! the file's size and however long its lines, a page costs memory for the page alone.

#![expect(clippy::indexing_slicing, reason = "a wrong range of bytes has to fail, not to read as no text")]

mod image;
mod line_numbers;
mod page;
mod page_lines;

use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use crate::fs::lines::{self, Bytes, TextFile};
use crate::fs::open::{FileKind, OpenedPath};
use crate::limits::{BINARY_SNIFF_BYTES, PSEUDO_FILE_BYTES, PSEUDO_FILE_SECS};
use cutline_core::text::as_index;
use cutline_core::text::decode::Encoding;

use super::catalog::Load;
use super::resolve::{self, ExpectedKind};
use super::{Context, Output, ToolError};

/// Bytes of a file that is read in one go: its lines are counted where they are.
const HELD_BYTES: u64 = 256 * 1024;

/// Bytes of a file that is read without another thread where it is in memory.
const CACHED_BYTES: u64 = 64 * 1024;

/// The arguments of read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Args {
    /// File to read
    pub path: String,
    /// Line to start from (1 is the first); negative counts from the end
    pub offset: Option<i64>,
    /// Most lines to return
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Put each line's number and a tab before it
    pub line_numbers: Option<bool>,
}

/// Does one call under a permit for `load`; `None` where its file is an image, and the permit is not for one. Then nothing
/// of it is held until it is called again.
pub async fn run(cx: &Context, args: Args, load: Load) -> Result<Option<Output>, ToolError> {
    let opened = open_cached(cx, &args.path);
    match opened.as_ref().and_then(|opened| answer_cached(cx, &args, opened)) {
        Some(answer) => answer.map(Some),
        None => cx.blocking(move |cx, _| read(cx, &args, load, opened)).await,
    }
}

/// A file that was found, and the same open for reading if it is small.
type Opened = (OpenedPath, Option<File>);

/// Opens the call's file if that needs no waiting, a small one for reading too.
fn open_cached(cx: &Context, path: &str) -> Option<Opened> {
    let place = OpenedPath::open_cached(&cx.workspace, &cx.workspace.absolute(path))?;
    if place.stat.kind != FileKind::File {
        return None;
    }
    let is_small = (1..=CACHED_BYTES).contains(&place.stat.bytes);
    let file = if is_small { place.file().ok() } else { None };
    Some((place, file))
}

/// Reads a small text that is in memory on this thread: handing it to another one and back would
/// take longer than all the rest. Never waits; `None` if anything would have to.
fn answer_cached(cx: &Context, args: &Args, (place, file): &Opened) -> Option<Result<Output, ToolError>> {
    let file = file.as_ref()?;
    let bytes = lines::read_cached(file, as_index(place.stat.bytes))?;
    let is_text = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
    let (encoding, mark) = Encoding::of(&bytes);
    let text = TextFile { bytes: Bytes::Held(&bytes), encoding, start: mark as u64, end: bytes.len() as u64 };
    is_text.then(|| page::read(cx, args, place, &text))
}

/// Answers the call, `None` for an image under another permit; what is open already is not opened again.
fn read(cx: &Context, args: &Args, load: Load, opened: Option<Opened>) -> Result<Option<Output>, ToolError> {
    let (place, file) = match opened {
        Some(opened) => opened,
        None => (resolve::open(cx, &args.path, ExpectedKind::File)?, None),
    };
    let file = file.map_or_else(|| resolve::file(cx, &place), Ok)?;
    let failed = |source| failure(cx, &place, source);
    let held = held_bytes(&place, &file).map_err(failed)?;
    let start = match &held {
        Some(bytes) => bytes[..bytes.len().min(BINARY_SNIFF_BYTES)].to_vec(),
        None => lines::first_bytes(&file, BINARY_SNIFF_BYTES).map_err(failed)?,
    };
    let end = held.as_ref().map_or(place.stat.bytes, |bytes| bytes.len() as u64);
    let (encoding, mark) = Encoding::of(&start);
    let binary = encoding == Encoding::Utf8 && start.contains(&0);
    if (binary || std::str::from_utf8(&start).is_err())
        && let Some(format) = image::format_of(&start)
    {
        if load != Load::Image {
            return Ok(None);
        }
        let shown = cx.workspace.show(&place.real);
        return image::read(cx, &file, &shown, place.stat.bytes, format).map(Some).map_err(failed);
    }
    if binary {
        return Err(resolve::binary(cx, &place, end, &start));
    }
    let bytes = held.as_deref().map_or(Bytes::Open(&file), Bytes::Held);
    page::read(cx, args, &place, &TextFile { bytes, encoding, start: mark as u64, end }).map(Some)
}

fn failure(cx: &Context, place: &OpenedPath, source: io::Error) -> ToolError {
    let path = cx.workspace.show(&place.real);
    match source.kind() {
        io::ErrorKind::PermissionDenied => ToolError::PermissionDenied(path),
        _ => ToolError::Io(path, source),
    }
}

/// Returns all bytes of a small file, or of one that has content though the system says it has none.
fn held_bytes(place: &OpenedPath, file: &File) -> io::Result<Option<Vec<u8>>> {
    match place.stat.bytes {
        0 => pseudo_file(file).map(Some),
        size if size <= HELD_BYTES => {
            let mut bytes = Vec::with_capacity(as_index(size) + 1);
            file.take(size).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        _ => Ok(None),
    }
}

/// Reads a file such as those in `/proc` until it ends, or its bound in bytes or time is reached.
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
