//! A page of names: those that fit, and what is to be said of the rest. For find and ls.

use crate::details::{Details, TruncationDetails};
use crate::limits::Bounds;
use crate::notice::{Notice, PageLimit, Unit};
use crate::truncate::{Collector, Extent, Head, TruncatedBy, Truncation};

/// Takes the names of a page, one after another.
#[derive(Debug)]
pub(super) struct Page {
    bounds: Bounds,
    head: Head,
    names: u64,
}

impl Page {
    /// An empty page.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, head: Head::new(bounds), names: 0 }
    }

    /// Takes the next name, which has no newline in it; what does not fit any more is counted.
    pub(super) fn push(&mut self, name: &str) {
        if self.names > 0 {
            self.head.push("\n");
        }
        self.head.push(name);
        self.names += 1;
    }

    /// Whether more names would only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.head.is_full()
    }

    /// The body, and what is to be said of it.
    pub(super) fn finish(self, call: &Call) -> Finished {
        let kept = self.head.finish();
        let shown = kept.cut.map_or(self.names, |_| kept.output.lines);
        Finished {
            by: kept.cut.map(|cut| cut.by),
            shown,
            bounds: self.bounds,
            next: call.offset + shown,
            kept,
        }
    }
}

/// What a call asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// How many to skip.
    pub(super) offset: u64,
    /// How many to give at most.
    pub(super) limit: u64,
    /// What they are.
    pub(super) unit: Unit,
}

impl Call {
    /// One more than are given, with those that are skipped: where that many are found, there are more.
    pub(super) fn enough(&self) -> u64 {
        self.offset.saturating_add(self.limit).saturating_add(1)
    }
}

/// A page, full or not.
#[derive(Debug)]
pub(super) struct Finished {
    kept: Truncation,
    by: Option<TruncatedBy>,
    shown: u64,
    bounds: Bounds,
    next: u64,
}

impl Finished {
    /// The body; the notices of the limit that cut it, where one did, and the same in `details`.
    /// `more` is whether there is more than the call's limit, `total` what all of it would be.
    pub(super) fn conclude(
        self,
        call: &Call,
        more: bool,
        total: Option<Extent>,
        details: &mut Details,
    ) -> (String, Vec<Notice>) {
        let mut notices = Vec::new();
        if let Some(by) = self.by {
            let by = match by {
                TruncatedBy::Bytes => PageLimit::Bytes(self.bounds.bytes),
                TruncatedBy::Lines => PageLimit::Lines(self.bounds.lines),
            };
            notices.push(Notice::PageLimit { by, of: None });
            let truncation = TruncationDetails::of(&self.kept, total.unwrap_or(self.kept.total), self.bounds);
            details.truncation = truncation.map(|truncation| TruncationDetails {
                total_is_lower_bound: (more && total.is_none()).then_some(true),
                ..truncation
            });
        } else if more {
            notices.push(Notice::LimitReached { limit: call.limit, unit: call.unit });
        }
        if self.by.is_some() || more {
            // Where a single name is over the limit, going on from it would never end.
            let next = if self.shown == 0 { self.next + 1 } else { self.next };
            notices.push(Notice::Continue { offset: next });
            details.next_offset = Some(next);
        }
        (self.kept.content, notices)
    }

    /// Whether the byte or line limit cut it.
    pub(super) fn is_cut(&self) -> bool {
        self.by.is_some()
    }
}
