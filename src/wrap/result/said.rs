//! The notice and the details of a cut.

use std::io;

use cutline_core::details::{Details, TruncationDetails, TruncationReason};
use cutline_core::notice::{NAMES_LISTED, Notice, Part, PartUnit, ResultShown};
use cutline_core::text::Extent;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, Partial};

use crate::stats::Answered;
use crate::tools::said;
use crate::wrap::json::Cut;
use crate::wrap::save::SavedOutput;
use crate::wrap::text::{TextCut, Texts};

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
    /// Returns the facts of `texts` that were `original`, lines and bytes and characters; of blocks of JSON, where they are
    /// `all_json`.
    pub(super) fn of_text(
        left: &TextCut,
        texts: &Texts<'_>,
        all_json: bool,
        original: (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let TextCut { cut, output, output_tokens, omitted_lines, .. } = *left;
        let is_partial = |partial| cut.partial == Some(partial);
        let truncation = TruncationDetails {
            last_line_partial: is_partial(Partial::LastLine),
            first_line_exceeds_limit: is_partial(Partial::FirstLine),
            ..TruncationDetails::new(cut.by, output, output_tokens, original.0, bounds)
        };
        let answered = Answered::of_cut(&truncation, bounds);
        let first_line_partial = is_partial(Partial::FirstLine).then_some(true);
        let mut details = Details { first_line_partial, omitted_lines, ..Details::default() };
        let info = details.add_cut(truncation, "");
        info.estimated_chars = original.1;
        let count = texts.count() as u64;
        let kept = (0..texts.count()).filter(|n| left.left(texts, *n).is_some()).count() as u64;
        if all_json {
            (info.original_count, info.returned_count) = (count, kept);
            let shown = ResultShown::Parts(vec![of_blocks(kept, count)], bounds.size_limit(cut.by));
            return Self { shown, blocks: None, details, answered };
        }
        let blocks = (kept < count).then_some((kept, count));
        Self { shown: ResultShown::Text(left.shown), blocks, details, answered }
    }

    /// Returns the facts of a value that is `left` of a text; where other blocks went beside it, of those too.
    pub(super) fn of_json(
        cut: &Cut<'_>,
        left: &str,
        blocks: Option<(u64, u64)>,
        original: (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let (parts, blocks, counts) = if let Some(first) = cut.shortened.first() {
            (parts(cut), blocks, (first.total, first.shown))
        } else {
            let (shown, total) = blocks.unwrap_or((1, 1));
            (vec![of_blocks(shown, total)], None, (total, shown))
        };
        let truncation = TruncationDetails::new(cut.by, Extent::of(left), estimate(left), original.0, bounds);
        let answered = Answered::of_cut(&truncation, bounds);
        let mut details = Details::default();
        let info = details.add_cut(truncation, "");
        info.estimated_chars = original.1;
        (info.original_count, info.returned_count) = counts;
        if cut.single_too_large {
            info.reason = TruncationReason::SingleResultTooLarge;
        }
        let shown = ResultShown::Parts(parts, bounds.size_limit(cut.by));
        Self { shown, blocks, details, answered }
    }

    /// Returns the notice of the cut, and the same as data: of what was `saved`, and of structured content that was saved
    /// `beside` it.
    pub(super) fn said(
        self,
        saved: &io::Result<SavedOutput>,
        beside: Option<&io::Result<SavedOutput>>,
        schema_may_not_hold: bool,
    ) -> (Notice, Details) {
        let (mut details, mut of_beside) = (self.details, Details::default());
        beside.map(|saved| said(saved, &mut of_beside));
        let saved = said(saved, &mut details);
        details.structured_output_path = of_beside.full_output_path;
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
