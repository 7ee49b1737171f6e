//! Saves the complete result of a search, so that a truncated result can refer to the file.

use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use crate::fs::saved_name::SavedKind;
use crate::fs::workspace;
use crate::saved_output::{SavedOutput, SavedStream};
use cutline_core::details::Details;
use cutline_core::notice::Saved;
use cutline_core::text::{Extent, show};

use super::Context;
use super::error::reason;

/// Size of the write buffer in bytes.
const GATHERED_BYTES: usize = 64 * 1024;

/// Saves all lines of a result, in order.
#[derive(Debug)]
pub(super) struct SavedResult(BufWriter<SavedStream>);

impl SavedResult {
    /// Starts saving the results of a tool. Returns `None` if they are not saved.
    pub(super) fn begin(cx: &Context, kind: SavedKind) -> Option<Self> {
        let store = Arc::clone(&cx.shared.commands.store);
        let stream = || SavedStream::new(store, kind, cx.limits.bounds());
        cx.shared.saves_all.then(|| Self(BufWriter::with_capacity(GATHERED_BYTES, stream())))
    }

    /// Adds the next line, without its newline.
    pub(super) fn push(&mut self, line: &str) {
        let _never_fails = self.0.write_all(line.as_bytes()).and_then(|()| self.0.write_all(b"\n"));
    }

    /// Keeps the file. Returns the extent without a final newline, and the location of the file. Adds both to
    /// `details`.
    pub(super) fn keep(mut self, details: &mut Details) -> (Extent, Saved) {
        let _never_fails = self.0.flush();
        let stream = self.0.get_mut();
        let Extent { lines, bytes } = stream.raw.extent();
        let saved = stream.keep();
        (Extent { lines, bytes: bytes.saturating_sub(1) }, saved_location(&saved, details))
    }
}

/// Returns the location of a saved output for a notice, and adds it to `details`.
pub(crate) fn saved_location(saved: &io::Result<SavedOutput>, details: &mut Details) -> Saved {
    match saved {
        Ok(SavedOutput { path, first_bytes }) => {
            let shown = workspace::shown(path);
            details.full_output_path = Some(String::from_utf8_lossy(shown).into_owned());
            details.full_output_bytes = *first_bytes;
            Saved::At { path: show::name(shown).into_owned(), first: *first_bytes }
        }
        Err(error) => {
            details.spill_error = Some(reason(error));
            Saved::Not { reason: reason(error) }
        }
    }
}
