//! The notice and the details of a cut.

use cutline_core::details::{Details, TruncationDetails, TruncationReason};
use cutline_core::notice::{NAMES_LISTED, Notice, Part, PartUnit, ResultShown};
use cutline_core::text::Extent;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, Partial};

use crate::stats::Answered;
use crate::tools::said;
use crate::wrap::json::Cut;
use crate::wrap::save::Saved;
use crate::wrap::text::TextCut;

/// The facts of a cut.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// The part that is shown.
    shown: ResultShown,
    /// Text blocks shown, and text blocks in all, where some are not shown.
    blocks: Option<(u64, u64)>,
    details: Details,
    pub(super) answered: Answered,
}

impl Facts {
    /// Returns the facts of a text that was `total`, lines and bytes and characters, and of whose blocks the first of these
    /// numbers are shown; of blocks of JSON, where it is `all_json`.
    pub(super) fn of_text(
        cut: &TextCut,
        (kept, count): (u64, u64),
        all_json: bool,
        (total, total_chars): (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let (shown, blocks, original, returned) = if all_json {
            let shown = ResultShown::Parts(vec![of_blocks(kept, count)], bounds.size_limit(cut.by));
            (shown, None, count, kept)
        } else {
            let blocks = (kept < count).then_some((kept, count));
            (ResultShown::Text(cut.shown), blocks, total.lines, cut.output.lines)
        };
        let is_partial = |partial| cut.partial == Some(partial);
        let truncation = TruncationDetails {
            last_line_partial: is_partial(Partial::LastLine),
            first_line_exceeds_limit: is_partial(Partial::FirstLine),
            ..TruncationDetails::new(cut.by, cut.output, cut.output_tokens, total, bounds)
        };
        let first_line_partial = is_partial(Partial::FirstLine).then_some(true);
        let mut details =
            Details { first_line_partial, omitted_lines: cut.omitted_lines, ..Details::default() };
        let info = details.add_cut(truncation, "");
        (info.original_count, info.returned_count, info.estimated_chars) = (original, returned, total_chars);
        let answered = Answered::of(cut.output, cut.output_tokens, total, Some(cut.by), bounds);
        Self { shown, blocks, details, answered }
    }

    /// Returns the facts of a value that was `total`, and is `left` now; where other blocks went beside it, of those too.
    pub(super) fn of_json(
        cut: &Cut<'_>,
        left: &str,
        blocks: Option<(u64, u64)>,
        (total, total_chars): (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let (parts, blocks, returned, original) = if let Some(first) = cut.shortened.first() {
            (parts(cut), blocks, first.shown, first.total)
        } else {
            let (shown, total) = blocks.unwrap_or((1, 1));
            (vec![of_blocks(shown, total)], None, shown, total)
        };
        let (output, tokens) = (Extent::of(left), estimate(left));
        let truncation = TruncationDetails::new(cut.by, output, tokens, total, bounds);
        let mut details = Details::default();
        let info = details.add_cut(truncation, "");
        (info.original_count, info.returned_count, info.estimated_chars) = (original, returned, total_chars);
        if cut.single_too_large {
            info.reason = TruncationReason::SingleResultTooLarge;
        }
        let answered = Answered::of(output, tokens, total, Some(cut.by), bounds);
        Self { shown: ResultShown::Parts(parts, bounds.size_limit(cut.by)), blocks, details, answered }
    }

    /// Returns the notice of the cut, and the same as data.
    pub(super) fn said(self, saved: &Saved, schema_may_not_hold: bool) -> (Notice, Details) {
        let (mut details, mut beside) = (self.details, Details::default());
        saved.structured.iter().for_each(|saved| drop(said(saved, &mut beside)));
        let saved = said(&saved.named, &mut details);
        details.structured_output_path = beside.full_output_path;
        details.schema_may_not_hold = schema_may_not_hold.then_some(true);
        (Notice::Result { shown: self.shown, blocks: self.blocks, saved }, details)
    }
}

fn of_blocks(shown: u64, total: u64) -> Part {
    Part { shown, total, unit: PartUnit::Blocks, name: None }
}

/// Returns the largest of what was made shorter, in the order of the text.
fn parts(cut: &Cut<'_>) -> Vec<Part> {
    let mut largest: Vec<_> = cut.shortened.iter().enumerate().collect();
    largest.sort_by_key(|(n, one)| (std::cmp::Reverse(one.removed_bytes), *n));
    largest.truncate(NAMES_LISTED);
    largest.sort_by_key(|(n, _)| *n);
    let parts = largest.into_iter().map(|(_, one)| Part {
        shown: one.shown,
        total: one.total,
        unit: one.unit,
        name: one.name(),
    });
    parts.collect()
}
