//! The outline of a source file that is shown in part.
//!
//! Outlines are cached while their files are unchanged, because the next page of a file needs the same one.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::fs::line_index::is_old_enough_to_cache;
use crate::fs::lines::{BLOCK_BYTES, Bytes, TextFile};
use crate::fs::open::OpenedPath;
use crate::limits::OUTLINE_FILE_BYTES;
use crate::stop::{Stop, Stopped, stopped_by};
use crate::sys::Stat;
use cutline_core::outline::{Definition, Syntax, definitions};
use cutline_core::text::as_index;
use cutline_core::text::decode::{Decoder, Encoding};

/// Maximum number of definitions in the cache, for all files together: about 2 MB.
const REMEMBERED_DEFINITIONS: usize = 20_000;

/// The definitions in a file.
pub type Outline = Arc<Vec<Definition>>;

/// A cache of the outlines of the last files that were read.
#[derive(Debug, Default)]
pub struct Cache(Mutex<VecDeque<(Stat, Outline)>>);

impl Cache {
    fn get(&self, stat: Stat) -> Option<Outline> {
        let outlines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        outlines.iter().find(|(other, _)| *other == stat).map(|(_, outline)| Arc::clone(outline))
    }

    fn put(&self, stat: Stat, outline: &Outline) {
        let mut outlines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        outlines.retain(|(other, _)| other.id != stat.id);
        outlines.push_front((stat, Arc::clone(outline)));
        let mut definitions = 0;
        outlines.retain(|(_, outline)| {
            // A file without definitions uses memory too.
            definitions += outline.len() + 1;
            definitions <= REMEMBERED_DEFINITIONS
        });
    }
}

/// Returns the definitions in the file at `place`. Returns `None` if it has no outline, or if the deadline has passed.
///
/// # Errors
///
/// Returns [`Stopped::Cancelled`] after a cancellation, or the error of the system.
pub(in crate::tools) fn of_file(
    cache: &Cache,
    place: &OpenedPath,
    text: &TextFile<'_>,
    stop: &Stop,
) -> io::Result<Option<Outline>> {
    let syntax = place.real.file_name().and_then(|name| Syntax::of_path(&name.to_string_lossy()));
    let Some(syntax) = syntax.filter(|_| text.end <= OUTLINE_FILE_BYTES) else { return Ok(None) };
    if let Some(outline) = cache.get(place.stat) {
        return Ok(Some(outline));
    }
    let outline = match find(text, syntax, stop) {
        Err(error) if stopped_by(&error) == Some(Stopped::Late) => return Ok(None),
        found => Arc::new(found?),
    };
    if is_old_enough_to_cache(&place.stat) {
        cache.put(place.stat, &outline);
    }
    Ok(Some(outline))
}

fn find(text: &TextFile<'_>, syntax: Syntax, stop: &Stop) -> io::Result<Vec<Definition>> {
    stop.check()?;
    let encoding = text.detect()?;
    if let (Bytes::Held(bytes), Encoding::Utf8) = (text.bytes, encoding) {
        let bytes = bytes.get(as_index(text.start)..as_index(text.end)).unwrap_or_default();
        return Ok(definitions(bytes, syntax));
    }
    let mut content = Vec::with_capacity(as_index(text.end.saturating_sub(text.start)));
    let mut decoder = Decoder::new(encoding);
    text.blocks(text.start, &mut text.buffer(BLOCK_BYTES), stop, |_, block| {
        if encoding == Encoding::Utf8 {
            content.extend_from_slice(block);
        } else {
            decoder.push(block, &mut |part| content.extend_from_slice(part.as_bytes()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(definitions(&content, syntax))
}
