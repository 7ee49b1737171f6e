//! The outline of the rest of a source file that is shown in part.

use std::io;

use crate::fs::lines::{Bytes, TextFile, first_bytes};
use crate::fs::open::OpenedPath;
use crate::limits::{OUTLINE_BYTES, OUTLINE_FILE_BYTES, OUTLINE_PART_BYTES};
use cutline_core::outline::{Language, Listed, definitions, listed};
use cutline_core::text::as_index;
use cutline_core::text::decode::Decoder;

/// Lists the definitions after line `last` in the file at `place`, in a notice of at most `max_bytes` bytes. The shown text
/// ends at the offset `page_end`. Returns `None` if there are none, or if they cannot be read: the page is shown without
/// them.
pub(in crate::tools) fn of_rest(
    place: &OpenedPath,
    text: &TextFile<'_>,
    last: u64,
    page_end: u64,
    max_bytes: usize,
) -> Option<Listed> {
    let language = place.real.file_name().and_then(|name| Language::of_path(&name.to_string_lossy()))?;
    let is_part = text.end - page_end > OUTLINE_BYTES;
    let end = if is_part { page_end + OUTLINE_PART_BYTES } else { text.end };
    if end > OUTLINE_FILE_BYTES {
        return None;
    }
    // The definitions around the page decide which later ones are listed, so the text is read from its start.
    let content = content(text, as_index(end)).ok()?;
    // The last line of a part may be incomplete.
    let complete = if is_part { memchr::memrchr(b'\n', &content).unwrap_or(0) } else { content.len() };
    let all = definitions(content.get(..complete).unwrap_or_default(), language);
    let rest = all.filter(|definition| definition.line > last);
    let reserve = if is_part { "at least ".len() } else { 0 };
    let mut rest = listed(rest, max_bytes.saturating_sub(reserve));
    rest.is_at_least = is_part;
    Some(rest).filter(|rest| !rest.entries.is_empty())
}

/// Returns a text up to an offset, in UTF-8. Invalid bytes are replaced as in the page, so both have the same size.
fn content(text: &TextFile<'_>, end: usize) -> io::Result<Vec<u8>> {
    let (mut decoder, mut content) = (Decoder::new(text.encoding), Vec::new());
    let mut keep = |part: &str| content.extend_from_slice(part.as_bytes());
    match text.bytes {
        Bytes::Held(bytes) => decoder.push(bytes.get(..end).unwrap_or_default(), &mut keep),
        Bytes::Open(file) => decoder.push(&first_bytes(file, end)?, &mut keep),
    }
    Ok(content)
}
