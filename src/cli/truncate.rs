//! `cutline truncate [FILE]` prints the part of stdin or a file that fits the limits, for hooks and pipelines.
//!
//! The input is read once in bounded memory, and processed like the output of `bash`. If it is truncated, the full
//! input is saved, and a notice names the file.

use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::{Options, open, print, unreadable};
use crate::capture::{Capture, View};
use crate::fs::saved_name::SavedKind;
use crate::saved_output::Store;
use crate::tools::ToolSet;
use crate::tools::bash::format_output;
use crate::wrap::KeepPart;
use cutline_core::details::Details;
use cutline_core::truncate::{KeyForms, KeySpace};

/// Maximum bytes of one read: the default capacity of a pipe.
const READ_BYTES: usize = 64 * 1024;

/// Prints the kept part of the file or of stdin. Returns the exit code. `status` is the exit code of the command that
/// printed the text.
pub(super) fn run(
    options: &Options,
    keep: Option<KeepPart>,
    status: Option<i32>,
    file: Option<&Path>,
) -> anyhow::Result<i32> {
    let limits = options.body_limits();
    let bounds = limits.output_bounds();
    let view = View {
        keep: match (keep, limits.short()) {
            (None, Some(short)) => short,
            (keep, _) => keep.unwrap_or(KeepPart::Head).of_lines(bounds.lines),
        },
        bounds,
        key_space: limits.key_lines.then_some(KeySpace::Shared),
        max_line_chars: limits.max_text_line_chars,
    };
    let forms = match status {
        None | Some(0) => KeyForms::Strong,
        Some(_) => KeyForms::All,
    };
    let store = Arc::new(Store::new(options.saved_outputs()));
    store.sweep(SystemTime::now());
    let mut capture = Capture::new(store, SavedKind::FILTER, view);
    let file = file.unwrap_or(Path::new("-"));
    open(file)
        .and_then(|input| io::copy(&mut BufReader::with_capacity(READ_BYTES, input), &mut capture))
        .map_err(|error| unreadable(file, &error))?;
    // `cutline truncate` does not know which tools the agent has.
    let output = capture.take_output(false, forms);
    let (result, _saved) = format_output(output, view.keep, bounds, &ToolSet::new(), &mut Details::default());
    let body_bytes = result.body.len();
    let mut text = result.into_text();
    // If the text needs no notice, it is printed unchanged.
    if text.len() > body_bytes {
        text.push('\n');
    }
    print(text)?;
    Ok(0)
}
