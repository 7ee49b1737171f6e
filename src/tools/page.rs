//! A page of names: those that fit, and the notices of the rest. For find and ls.

use schemars::JsonSchema;
use serde::Deserialize;

use cutline_core::details::{CutCounts, Details, TruncationDetails};
use cutline_core::notice::{Blank, Notice, PageLimit, Saved, Unit};
use cutline_core::text;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{Extent, as_index};
use cutline_core::truncate::{Bounds, Collector, Head, SizeLimit, TruncatedBy, Truncation};

use super::{ranked_page, walk_support};

/// The order of results; grep knows no times. Documented variants would not be a plain enum in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Sort {
    #[default]
    Path,
    Modified,
    Relevance,
}

/// Bytes of a name that are shown at least, where it is over the limit alone.
pub(super) const SHOWN_BYTES: u64 = 500;

/// Takes the names of a page, one after another.
#[derive(Debug)]
pub(super) struct Page {
    bounds: Bounds,
    head: Head,
    names: u64,
    /// The first name, where it is over the limit of bytes or tokens: it is shown all the same.
    over: Option<Over>,
}

/// A name that is over a limit alone.
#[derive(Debug)]
struct Over {
    shown: String,
    bytes: u64,
    limit: SizeLimit,
}

impl Page {
    /// An empty page.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, head: Head::new(bounds), names: 0, over: None }
    }

    /// Takes the next name, which has no newline in it; what does not fit any more is counted.
    pub(super) fn push(&mut self, name: &str) {
        let bytes = name.len() as u64;
        if self.names > 0 {
            self.head.push("\n");
        } else if let Some(limit) = self.limit_below(name) {
            let max_bytes = match limit {
                SizeLimit::Bytes(limit) | SizeLimit::Tokens(limit) => limit.max(SHOWN_BYTES),
            };
            let shown = walk_support::shortened(name, max_bytes).into_owned();
            self.over = Some(Over { shown, bytes, limit });
        }
        self.head.push(name);
        self.names += 1;
    }

    /// Returns the limit that `name` alone is over.
    fn limit_below(&self, name: &str) -> Option<SizeLimit> {
        let tokens = self.bounds.tokens.filter(|limit| estimate(name) > *limit);
        let is_over_bytes = name.len() as u64 > self.bounds.bytes;
        is_over_bytes.then_some(SizeLimit::Bytes(self.bounds.bytes)).or(tokens.map(SizeLimit::Tokens))
    }

    /// True if more names would only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.head.is_full()
    }

    /// Returns the body, and the facts that are to be said of it.
    pub(super) fn finish(self, call: &Call) -> Finished {
        let mut kept = self.head.finish();
        if let Some(over) = &self.over {
            kept.content.clone_from(&over.shown);
            kept.output = Extent { lines: 1, bytes: over.shown.len() as u64 };
        }
        let shown = kept.cut.map_or(self.names, |_| kept.output.lines);
        Finished {
            by: kept.cut.map(|cut| cut.by),
            over: self.over.map(|over| (over.bytes, over.limit)),
            unshown: self.names - shown,
            bounds: self.bounds,
            next: call.offset + shown,
            kept,
        }
    }
}

/// The request of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Names to skip.
    pub(super) offset: u64,
    /// Names to give at most.
    pub(super) limit: u64,
    /// The things that they are.
    pub(super) unit: Unit,
}

impl Call {
    /// Returns one more than are given, with those that are skipped: if that many are found, there are more.
    pub(super) fn enough(&self) -> u64 {
        self.offset.saturating_add(self.limit).saturating_add(1)
    }

    /// Returns the number of results to keep where they are sorted when all are found: those that are skipped or
    /// given.
    pub(super) fn kept(&self) -> usize {
        as_index(self.offset.saturating_add(self.limit))
    }
}

/// A page, full or not.
#[derive(Debug)]
pub(super) struct Finished {
    kept: Truncation,
    by: Option<TruncatedBy>,
    /// Bytes of the only name shown, where it is over a limit, and that limit.
    over: Option<(u64, SizeLimit)>,
    /// Names that were given and are not shown.
    unshown: u64,
    bounds: Bounds,
    next: u64,
}

impl Finished {
    /// The body; the notices of the limit that cut it, where one did, and the same in `details`.
    /// `more` is whether there is more than the call's limit, `total` what all of it would be, `saved` its
    /// place; `ranked` how many there are, where they are ranked.
    pub(super) fn conclude(
        self,
        call: &Call,
        more: bool,
        total: Option<Extent>,
        saved: Option<Saved>,
        ranked: Option<u64>,
        details: &mut Details,
    ) -> (String, Vec<Notice>) {
        let mut notices = Vec::new();
        if text::is_blank(&self.kept.content) {
            notices.push(Notice::Blank(Blank::Results(self.next - call.offset)));
        }
        // Those that were not given are in the total.
        let follows = more || self.unshown > 0 || total.is_some_and(|total| total.lines > self.next);
        if let Some((bytes, limit)) = self.over {
            let saved = saved.clone().filter(|_| !follows);
            notices.push(Notice::NameTooLong { bytes, limit, saved });
        }
        let by = self.by.map(|by| PageLimit::of(by, self.bounds));
        if let Some(by) = by {
            if follows && ranked.is_none() {
                notices.push(Notice::PageLimit { by, of: None, saved });
            }
            let truncation = TruncationDetails::of(&self.kept, total.unwrap_or(self.kept.total), self.bounds);
            if let Some(mut truncation) = truncation {
                truncation.first_line_exceeds_limit = self.over.is_some();
                truncation.total_is_lower_bound = (more && total.is_none()).then_some(true);
                let counts = CutCounts::of_lines(&truncation, &self.kept.content);
                details.add_cut(truncation, counts);
            }
        } else if more && ranked.is_none() {
            notices.push(Notice::LimitReached { limit: call.limit, unit: call.unit, saved });
        }
        if let Some(total) = ranked {
            let shown = self.next - call.offset;
            if let Some((notice, next)) = ranked_page::notice(call, 0, shown, total, by.filter(|_| follows)) {
                notices.push(notice);
                details.next_offset = next;
            }
        } else if follows {
            notices.push(Notice::Continue { offset: self.next });
            details.next_offset = Some(self.next);
        }
        (self.kept.content, notices)
    }

    /// True if the byte or line limit cut it.
    pub(super) fn is_cut(&self) -> bool {
        self.by.is_some()
    }
}
