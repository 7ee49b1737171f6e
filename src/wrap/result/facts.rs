//! The notice and the details of a truncated result.

use cutline_core::details::{Details, TruncationDetails, TruncationReason};
use cutline_core::notice::{NAMES_LISTED, Notice, Part, PartUnit, ResultShown};
use cutline_core::text::Extent;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, Partial};

use crate::stats::Answered;
use crate::tools::saved_location;
use crate::wrap::full_result::{FullResult, Save};
use crate::wrap::json::Cut;
use crate::wrap::text::{TextCut, Texts};

/// The data for the notice and the details.
pub(super) struct Facts<'a> {
    /// The full text to save. Without text, the full structured content.
    full: FullResult<'a>,
    /// The full structured content, if it was truncated and differs from the text.
    pub(super) structured: Option<&'a str>,
    shown: ResultShown,
    /// The number of text blocks that are shown and in total, if some are not shown.
    blocks: Option<(u64, u64)>,
    pub(super) details: Details,
    pub(super) answered: Answered,
}

impl<'a> Facts<'a> {
    /// Returns the data for truncated `texts`. `original` has the lines, bytes and characters. JSON blocks are saved as
    /// JSON.
    pub(super) fn of_text(
        left: &TextCut,
        texts: &Texts<'_>,
        full: FullResult<'a>,
        original: (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let TextCut { cut, output, output_tokens, omitted_lines, .. } = *left;
        let is_partial = |partial| cut.partial == Some(partial);
        let truncation = TruncationDetails {
            last_line_partial: is_partial(Partial::LastLine),
            first_line_exceeds_limit: is_partial(Partial::FirstLine),
            key_lines: left.key_lines.clone(),
            ..TruncationDetails::new(cut.by, output, output_tokens, original.0, bounds)
        };
        let count = texts.count() as u64;
        let kept = (0..texts.count()).filter(|n| left.remaining(texts, *n).is_some()).count() as u64;
        let (shown, blocks, counts) = if matches!(full, FullResult::JsonAll(_)) {
            (ResultShown::Parts(vec![of_blocks(kept, count)], bounds.limit(cut.by)), None, (count, kept))
        } else {
            let blocks = (kept < count).then_some((kept, count));
            (ResultShown::Text(left.shown.clone()), blocks, (original.0.lines, output.lines))
        };
        let mut facts = Self::new(full, (shown, blocks), counts, truncation, original.1);
        facts.details.first_line_partial = is_partial(Partial::FirstLine).then_some(true);
        facts.details.omitted_lines = omitted_lines;
        facts
    }

    /// Returns the data for a truncated JSON value, of which `left` remains. `blocks` has the number of blocks that are
    /// shown and in total.
    pub(super) fn of_json(
        cut: &Cut<'_>,
        left: &str,
        blocks: Option<(u64, u64)>,
        full: FullResult<'a>,
        original: (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let (parts, blocks, counts) = if let Some(first) = cut.shortened.first() {
            (parts(cut), blocks, (first.total, first.shown))
        } else {
            let (shown, total) = blocks.unwrap_or((1, 1));
            (vec![of_blocks(shown, total)], None, (total, shown))
        };
        let shown = ResultShown::Parts(parts, bounds.limit(cut.by));
        let truncation = TruncationDetails::new(cut.by, Extent::of(left), estimate(left), original.0, bounds);
        let mut facts = Self::new(full, (shown, blocks), counts, truncation, original.1);
        if let Some(info) = facts.details.truncation_info.as_mut().filter(|_| cut.single_too_large) {
            info.reason = TruncationReason::SingleResultTooLarge;
        }
        facts
    }

    fn new(
        full: FullResult<'a>,
        (shown, blocks): (ResultShown, Option<(u64, u64)>),
        counts: (u64, u64),
        truncation: TruncationDetails,
        chars: u64,
    ) -> Self {
        let answered = Answered::of_cut(&truncation);
        let mut details = Details::default();
        let info = details.add_cut(truncation, "");
        info.estimated_chars = chars;
        (info.original_count, info.returned_count) = counts;
        Self { full, structured: None, shown, blocks, details, answered }
    }

    /// Saves the full output. Returns the notice and the details.
    pub(super) fn notice_and_details(self, save: &Save<'_>) -> (Notice, Details) {
        let (mut details, mut of_structured) = (self.details, Details::default());
        self.structured
            .map(|structured| saved_location(&save(FullResult::Json(structured)), &mut of_structured));
        let saved = saved_location(&save(self.full), &mut details);
        details.structured_output_path = of_structured.full_output_path;
        (Notice::Result { shown: self.shown, blocks: self.blocks, saved }, details)
    }
}

pub(super) fn of_blocks(shown: u64, total: u64) -> Part {
    Part { shown, total, unit: PartUnit::Blocks, name: None }
}

/// Returns the parts that lost the most bytes, in the order of the text.
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
