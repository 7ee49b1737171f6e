//! The notice and the details of a cut.

use cutline_core::details::{Details, TruncationDetails, TruncationInfo, TruncationReason};
use cutline_core::notice::{NAMES_LISTED, Notice, Part, PartUnit, ResultShown};
use cutline_core::text::Extent;
use cutline_core::truncate::{Bounds, Partial, TruncatedBy};

use crate::tools::said;
use crate::wrap::json::{Cut, Shortened};
use crate::wrap::save::Saved;
use crate::wrap::text::{Kept, TextCut};

/// The facts of a cut: its notice and its details are made of them.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// The part that is shown.
    shown: ResultShown,
    /// Text blocks shown, and text blocks in all, where some are not shown.
    blocks: Option<(u64, u64)>,
    /// The limit.
    pub(super) by: TruncatedBy,
    /// Lines and bytes that are given.
    pub(super) output: Extent,
    /// Tokens of that, about.
    pub(super) output_tokens: u64,
    /// Lines and bytes that there were.
    pub(super) total: Extent,
    /// Lines, items or blocks there were, and those that are given.
    counts: (u64, u64),
    /// Characters of the original, about.
    total_chars: u64,
    /// True if one item alone is over the limit.
    single_too_large: bool,
    partial: Option<Partial>,
    omitted_lines: Option<u64>,
}

impl Facts {
    /// Returns the facts of a text that was `total`, lines and bytes and characters; of blocks of JSON, where it is `all_json`.
    pub(super) fn of_text(cut: &TextCut, all_json: bool, total: (Extent, u64), bounds: Bounds) -> Self {
        let count = cut.kept.len() as u64;
        let kept = cut.kept.iter().filter(|kept| **kept != Kept::Nothing).count() as u64;
        let (shown, blocks, original, returned) = if all_json {
            let shown = ResultShown::Parts(vec![of_blocks(kept, count)], bounds.size_limit(cut.by));
            (shown, None, count, kept)
        } else {
            let blocks = (kept < count).then_some((kept, count));
            (ResultShown::Text(cut.shown), blocks, total.0.lines, cut.output.lines)
        };
        Self {
            shown,
            blocks,
            by: cut.by,
            output: cut.output,
            output_tokens: cut.output_tokens,
            total: total.0,
            counts: (original, returned),
            total_chars: total.1,
            single_too_large: cut.partial.is_some(),
            partial: cut.partial,
            omitted_lines: cut.omitted_lines,
        }
    }

    /// Returns the facts of a value that was `total`, and is `output` now; where other blocks went beside it, of those too.
    pub(super) fn of_json(
        cut: &Cut<'_>,
        (output, output_tokens): (Extent, u64),
        blocks: Option<(u64, u64)>,
        (total, total_chars): (Extent, u64),
        bounds: Bounds,
    ) -> Self {
        let (parts, blocks, returned, original) = if let Some(first) = cut.shortened.first() {
            (parts(&cut.shortened), blocks, first.shown, first.total)
        } else {
            let (shown, total) = blocks.unwrap_or((1, 1));
            (vec![of_blocks(shown, total)], None, shown, total)
        };
        Self {
            shown: ResultShown::Parts(parts, bounds.size_limit(cut.by)),
            blocks,
            by: cut.by,
            output,
            output_tokens,
            total,
            counts: (original, returned),
            total_chars,
            single_too_large: cut.single_too_large,
            partial: None,
            omitted_lines: None,
        }
    }

    /// Returns the notice of the cut, and the same as data.
    pub(super) fn said(&self, bounds: Bounds, saved: &Saved, schema_may_not_hold: bool) -> (Notice, Details) {
        let is_first_partial = self.partial == Some(Partial::FirstLine);
        let truncation = TruncationDetails {
            last_line_partial: self.partial == Some(Partial::LastLine),
            first_line_exceeds_limit: is_first_partial,
            ..TruncationDetails::new(self.by, self.output, self.output_tokens, self.total, bounds)
        };
        let mut info = TruncationInfo {
            original_count: self.counts.0,
            returned_count: self.counts.1,
            estimated_chars: self.total_chars,
            ..TruncationInfo::of_lines(&truncation, "")
        };
        if self.single_too_large {
            info.reason = TruncationReason::SingleResultTooLarge;
        }
        let mut beside = Details::default();
        saved.structured.iter().for_each(|saved| drop(said(saved, &mut beside)));
        let mut details = Details {
            first_line_partial: is_first_partial.then_some(true),
            omitted_lines: self.omitted_lines,
            structured_output_path: beside.full_output_path,
            schema_may_not_hold: schema_may_not_hold.then_some(true),
            ..Details::default()
        };
        details.add_cut(truncation, info);
        let (shown, blocks) = (self.shown.clone(), self.blocks);
        (Notice::Result { shown, blocks, saved: said(&saved.named, &mut details) }, details)
    }
}

fn of_blocks(shown: u64, total: u64) -> Part {
    Part { shown, total, unit: PartUnit::Blocks, name: None }
}

/// Returns the largest of what was made shorter, in the order of the text.
fn parts(shortened: &[Shortened<'_>]) -> Vec<Part> {
    let mut largest: Vec<(usize, &Shortened<'_>)> = shortened.iter().enumerate().collect();
    largest.sort_by_key(|(n, one)| (std::cmp::Reverse(one.removed_bytes), *n));
    largest.truncate(NAMES_LISTED);
    largest.sort_by_key(|(n, _)| *n);
    let part = |(_, one): (usize, &Shortened<'_>)| Part {
        shown: one.shown,
        total: one.total,
        unit: one.unit,
        name: one.name(),
    };
    largest.into_iter().map(part).collect()
}
