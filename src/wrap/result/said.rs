//! The notice and the details of a cut.

use cutline_core::details::{CutCounts, ResultDetails, TruncationDetails, TruncationInfo};
use cutline_core::notice::{NAMES_LISTED, Part, PartUnit, ResultShown};
use cutline_core::text::Extent;
use cutline_core::truncate::{Bounds, Partial, TruncatedBy};

use crate::wrap::json::{Cut, Kind, Shortened};
use crate::wrap::save::Saved;
use crate::wrap::text::{Kept, TextCut};

/// The notice and the counts of a cut.
pub(super) struct Said {
    /// The part that is shown.
    pub(super) shown: ResultShown,
    /// Text blocks shown, and text blocks in all, where some are not shown.
    pub(super) blocks: Option<(u64, u64)>,
    /// The limit.
    pub(super) by: TruncatedBy,
    /// True if one item alone was over it.
    single_too_large: bool,
    /// The numbers before and after of what was cut first, and how many are left.
    counts: (u64, u64),
    partial: Option<Partial>,
    omitted_lines: Option<u64>,
}

impl Said {
    /// Returns the words for a text of `total_lines`; of blocks of JSON, where it is `all_json`.
    pub(super) fn of_text(cut: &TextCut, all_json: bool, total_lines: u64, bounds: Bounds) -> Self {
        let count = cut.kept.len() as u64;
        let kept = cut.kept.iter().filter(|kept| **kept != Kept::Nothing).count() as u64;
        let limit = bounds.size_limit(cut.by);
        let (shown, blocks, counts) = if all_json {
            let part = Part { shown: kept, total: count, unit: PartUnit::Blocks, name: None };
            (ResultShown::Parts(vec![part], limit), None, (count, kept))
        } else {
            let blocks = (kept < count).then_some((kept, count));
            (ResultShown::Text(cut.shown), blocks, (total_lines, cut.output.lines))
        };
        let (partial, omitted_lines) = (cut.partial, cut.omitted_lines);
        let single_too_large = partial.is_some();
        Self { shown, blocks, by: cut.by, single_too_large, counts, partial, omitted_lines }
    }

    /// Returns the words for a value; where other blocks went beside it, of those too.
    pub(super) fn of_json(
        cut: &Cut<'_>,
        by: TruncatedBy,
        blocks: Option<(u64, u64)>,
        bounds: Bounds,
    ) -> Self {
        let limit = bounds.size_limit(by);
        let (parts, blocks, counts) = if let Some(first) = cut.shortened.first() {
            (parts(&cut.shortened), blocks, (first.total, first.shown))
        } else {
            let (shown, total) = blocks.unwrap_or((1, 1));
            (vec![Part { shown, total, unit: PartUnit::Blocks, name: None }], None, (total, shown))
        };
        Self {
            shown: ResultShown::Parts(parts, limit),
            blocks,
            by,
            single_too_large: cut.single_too_large,
            counts,
            partial: None,
            omitted_lines: None,
        }
    }
}

/// The largest of what was made shorter, in the order of the text.
fn parts(shortened: &[Shortened<'_>]) -> Vec<Part> {
    let mut largest: Vec<(usize, &Shortened<'_>)> = shortened.iter().enumerate().collect();
    largest.sort_by_key(|(n, one)| (std::cmp::Reverse(one.removed_bytes), *n));
    largest.truncate(NAMES_LISTED);
    largest.sort_by_key(|(n, _)| *n);
    let part = |(_, one): (usize, &Shortened<'_>)| Part {
        shown: one.shown,
        total: one.total,
        unit: match one.kind {
            Kind::Items => PartUnit::Items,
            Kind::Members => PartUnit::Members,
            Kind::Characters => PartUnit::Characters,
        },
        name: one.name(),
    };
    largest.into_iter().map(part).collect()
}

/// The counts of a cut.
pub(super) struct Facts<'a> {
    pub(super) said: &'a Said,
    pub(super) output: Extent,
    pub(super) output_tokens: u64,
    pub(super) total: Extent,
    pub(super) total_chars: u64,
}

impl Facts<'_> {
    /// The same as data.
    pub(super) fn details(&self, bounds: Bounds, saved: &Saved, schema_may_not_hold: bool) -> ResultDetails {
        let Self { said, output, total, .. } = self;
        let truncation = TruncationDetails {
            last_line_partial: said.partial == Some(Partial::LastLine),
            first_line_exceeds_limit: said.partial == Some(Partial::FirstLine),
            ..TruncationDetails::new(said.by, *output, self.output_tokens, *total, bounds)
        };
        let (original, returned) = said.counts;
        let counts = CutCounts {
            original,
            returned,
            single_too_large: said.single_too_large,
            total_chars: self.total_chars,
        };
        ResultDetails {
            truncation_info: TruncationInfo::of(&truncation, counts),
            truncation,
            first_line_partial: (said.partial == Some(Partial::FirstLine)).then_some(true),
            omitted_lines: said.omitted_lines,
            full_output_path: saved.path(),
            structured_output_path: saved.structured_path(),
            full_output_bytes: saved.first_bytes(),
            spill_error: saved.error(),
            schema_may_not_hold: schema_may_not_hold.then_some(true),
        }
    }
}
