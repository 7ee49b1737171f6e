//! The outline of the rest of a source file that is shown in part.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;

use crate::fs::lines::{Bytes, TextFile};
use crate::fs::open::OpenedPath;
use crate::limits::{OUTLINE_BYTES, OUTLINE_FILE_BYTES};
use crate::stop::{Stop, Stopped, stopped_by};
use cutline_core::outline::{Listed, Syntax, definitions, listed};
use cutline_core::text::as_index;
use cutline_core::text::decode::{Decoder, Encoding};

/// Bytes that are read at a time. They stay in the processor's cache.
const READ_BYTES: usize = 32 * 1024;

/// Definitions of a large file that are considered. A notice has space for fewer.
const DEFINITIONS: usize = 150;

/// The part of a file that is shown.
pub(in crate::tools) struct Page {
    /// Number of its last line.
    pub last: u64,
    /// Offset of its end in the file.
    pub end: u64,
}

/// Lists the definitions after `page` in the file at `place`, in a notice of at most `max_bytes` bytes. Returns `None` if there
/// are none, or if the deadline has passed.
///
/// # Errors
///
/// Returns [`Stopped::Cancelled`] after a cancellation, or the error of the system.
pub(in crate::tools) fn of_rest(
    place: &OpenedPath,
    text: &TextFile<'_>,
    page: &Page,
    max_bytes: usize,
    stop: &Stop,
) -> io::Result<Option<Listed>> {
    let syntax = place.real.file_name().and_then(|name| Syntax::of_path(&name.to_string_lossy()));
    let Some(syntax) = syntax.filter(|_| text.end <= OUTLINE_FILE_BYTES) else { return Ok(None) };
    let examined = TextFile { end: text.end.min(page.end + OUTLINE_BYTES), ..*text };
    let content = match content(&examined, stop) {
        Err(error) if stopped_by(&error) == Some(Stopped::Late) => return Ok(None),
        content => content?,
    };
    let is_part = examined.end < text.end;
    // The last line of a part may be incomplete.
    let complete = if is_part { memchr::memrchr(b'\n', &content).unwrap_or(0) } else { content.len() };
    let all = definitions(content.get(..complete).unwrap_or_default(), syntax);
    let all = all.filter(|definition| definition.line > page.last);
    let mut rest = if is_part {
        listed(all.take(DEFINITIONS), max_bytes.saturating_sub("at least ".len()))
    } else {
        listed(all, max_bytes)
    };
    rest.is_at_least = is_part;
    Ok(Some(rest).filter(|rest| !rest.entries.is_empty()))
}

/// Returns the decoded content of a text.
fn content<'a>(text: &TextFile<'a>, stop: &Stop) -> io::Result<Cow<'a, [u8]>> {
    stop.check()?;
    let bytes = match text.bytes {
        Bytes::Held(bytes) => {
            Cow::Borrowed(bytes.get(as_index(text.start)..as_index(text.end)).unwrap_or_default())
        }
        Bytes::Open(_) => {
            let mut bytes = Vec::with_capacity(as_index(text.end.saturating_sub(text.start)));
            text.blocks(text.start, &mut text.buffer(READ_BYTES), stop, |_, block| {
                bytes.extend_from_slice(block);
                ControlFlow::Continue(())
            })?;
            Cow::Owned(bytes)
        }
    };
    // Detection can read a megabyte. Valid UTF-8 does not need it; a character can be cut off at the end.
    let is_valid = || str::from_utf8(&bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    let is_utf8 = text.encoding == Encoding::Utf8 && is_valid();
    let encoding = if is_utf8 { Encoding::Utf8 } else { text.detect()? };
    if encoding == Encoding::Utf8 {
        return Ok(bytes);
    }
    let mut decoded = Vec::new();
    Decoder::new(encoding).push(&bytes, &mut |part| decoded.extend_from_slice(part.as_bytes()));
    Ok(Cow::Owned(decoded))
}
