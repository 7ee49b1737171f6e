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
    let content = match content(&examined, text.detect()?, stop) {
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
fn content<'a>(text: &TextFile<'a>, encoding: Encoding, stop: &Stop) -> io::Result<Cow<'a, [u8]>> {
    stop.check()?;
    if let (Bytes::Held(bytes), Encoding::Utf8) = (text.bytes, encoding) {
        let bytes = bytes.get(as_index(text.start)..as_index(text.end)).unwrap_or_default();
        return Ok(Cow::Borrowed(bytes));
    }
    let mut content = Vec::with_capacity(as_index(text.end.saturating_sub(text.start)));
    let mut decoder = Decoder::new(encoding);
    text.blocks(text.start, &mut text.buffer(READ_BYTES), stop, |_, block| {
        if encoding == Encoding::Utf8 {
            content.extend_from_slice(block);
        } else {
            decoder.push(block, &mut |part| content.extend_from_slice(part.as_bytes()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(Cow::Owned(content))
}
