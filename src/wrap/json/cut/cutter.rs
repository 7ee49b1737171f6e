//! The choice of what is kept of a JSON value within a limit.
//!
//! An array keeps its first items, as many as fit. Where not even one fits, the first is made shorter; of
//! an object the largest members are made shorter, then strings end early, and where nothing else
//! is left the last members go.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "offsets come from a valid text: a wrong one must fail"
)]

use std::ops::Range;

use cutline_core::notice::PartUnit;
use cutline_core::text::as_index;
use cutline_core::truncate::Bounds;

use super::size::Size;
use super::{MARK, Shortened, left_out};
use crate::wrap::json::path::Step;
use crate::wrap::json::scan::Child;
use crate::wrap::json::string;
use crate::wrap::json::value::Value;

/// Members of one object that are made shorter before its last ones go.
const MOST_SHORTENED: usize = 16;
/// The share of an object's room that its largest members must get, else more of them are made shorter.
const LEAST_SHARE: u64 = 16;
/// The times its own size that a value may be scanned. Only nested values that were made to be slow
/// come near; what lies deeper is not looked into then.
const MOST_SCANS: u64 = 64;

/// A value while it is cut.
pub(super) struct Cutter<'a> {
    value: &'a Value<'a>,
    limit: Size,
    counts_lines: bool,
    pub(super) shortened: Vec<Shortened<'a>>,
    path: Vec<Step<'a>>,
    pub(super) single_too_large: bool,
    /// Bytes that may still be scanned.
    scans: u64,
}

/// A member of an object, with its place among the others.
#[derive(Clone)]
struct Member {
    position: usize,
    child: Child,
}

impl Member {
    fn bytes(&self) -> usize {
        self.child.value.len()
    }
}

impl<'a> Cutter<'a> {
    pub(super) fn new(value: &'a Value<'a>, bounds: Bounds) -> Self {
        let counts_lines = bounds.lines < u64::MAX;
        let newlines = if counts_lines { bounds.lines.saturating_sub(1) } else { u64::MAX };
        Self {
            value,
            limit: Size { bytes: bounds.bytes, newlines },
            counts_lines,
            shortened: Vec::new(),
            path: Vec::new(),
            single_too_large: false,
            scans: MOST_SCANS.saturating_mul(value.text.len() as u64),
        }
    }

    /// Cuts the value, unless it is within its limits.
    pub(super) fn cut(&mut self) {
        self.shrink(&(0..self.value.text.len()), self.limit);
    }

    /// Returns the size of a part of the text. Newlines are counted where lines are limited.
    fn size(&self, part: &Range<usize>) -> Size {
        let newlines =
            || memchr::memchr_iter(b'\n', &self.value.text.as_bytes()[part.clone()]).count() as u64;
        Size { bytes: part.len() as u64, newlines: if self.counts_lines { newlines() } else { 0 } }
    }

    fn first_byte(&self, node: &Range<usize>) -> u8 {
        self.value.text.as_bytes()[node.start]
    }

    /// Keeps `shown` of what is at `node`; the size that goes.
    fn shorten(&mut self, unit: PartUnit, (shown, total): (u64, u64), node: &Range<usize>) -> Size {
        let (removed, _) = left_out(self.value, node, unit, shown);
        let removed_bytes = removed.len() as u64;
        self.shortened.push(Shortened { unit, shown, total, path: self.path.clone(), removed_bytes });
        self.size(&removed)
    }

    /// Makes the value at `node` shorter, into `room` where that is possible; its size then.
    fn shrink(&mut self, node: &Range<usize>, room: Size) -> Size {
        let size = self.size(node);
        if size.fits(room) || self.scans < size.bytes {
            return size;
        }
        self.scans -= size.bytes;
        match self.first_byte(node) {
            b'[' => self.first_children(node, size, room, true),
            b'{' => self.object(node, size, room),
            b'"' => self.string(node, size, room),
            _ => size,
        }
    }

    /// Keeps the first children of an array, or members of an object, that fit. Where none does and
    /// `inside` is set, the first is made shorter.
    fn first_children(&mut self, node: &Range<usize>, size: Size, room: Size, inside: bool) -> Size {
        let is_array = self.first_byte(node) == b'[';
        let unit = if is_array { PartUnit::Items } else { PartUnit::Members };
        let before_closing = self.value.text[..node.end - 1].trim_end().len();
        let closing = self.size(&(before_closing..node.end));
        let known = self.value.child_count(node.start);
        let (mut kept, mut total, mut first) = (0_u64, 0_u64, None);
        let (mut used, mut fits) = (closing, true);
        let mut end = node.start;
        for child in self.value.children(node.clone()) {
            if fits {
                let with_it = used.plus(self.size(&(end..child.value.end)));
                fits = with_it.fits(room);
                if fits {
                    (used, kept, end) = (with_it, kept + 1, child.value.end);
                }
            }
            first.get_or_insert(child);
            total += 1;
            if !fits && known.is_some() {
                break;
            }
        }
        let total = known.unwrap_or(total);
        if let Some(first) = first.filter(|_| kept == 0) {
            let before = (self.shortened.len(), self.single_too_large);
            self.shorten(unit, (1, total), node);
            self.single_too_large |= !self.size(&first.value).fits(self.limit);
            if inside {
                let around = self.size(&(node.start..first.value.start)).plus(closing);
                let now = around.plus(self.shrink_child(&first, 0, room.minus(around)));
                if now.fits(room) {
                    return now;
                }
            }
            self.undo(before);
        }
        size.minus(self.shorten(unit, (kept, total), node))
    }

    /// Takes back what was made shorter since.
    fn undo(&mut self, (shortened, single_too_large): (usize, bool)) {
        self.shortened.truncate(shortened);
        self.single_too_large = single_too_large;
    }

    fn shrink_child(&mut self, child: &Child, position: usize, room: Size) -> Size {
        let key = Some(&self.value.text[child.key.clone()]).filter(|key| !key.is_empty());
        self.path.push(Step { position, key });
        let size = self.shrink(&child.value, room);
        self.path.pop();
        size
    }

    /// Makes the largest members of an object shorter; where that is not enough, its last ones go.
    fn object(&mut self, node: &Range<usize>, size: Size, room: Size) -> Size {
        let mut largest: Vec<Member> = Vec::new();
        for (position, child) in self.value.children(node.clone()).enumerate() {
            largest.push(Member { position, child });
            if largest.len() >= 2 * MOST_SHORTENED {
                keep_largest(&mut largest);
            }
        }
        keep_largest(&mut largest);
        let is_large_array = |member: &Member| {
            member.bytes() as u64 > size.bytes / 3 && self.first_byte(&member.child.value) == b'['
        };
        // Two of them share the room.
        let mut least = 1;
        if largest.iter().filter(|member| is_large_array(member)).count() == 2 {
            largest.sort_by_key(|member| !is_large_array(member));
            least = 2;
        }
        let mut looked_inside = false;
        for count in least..=largest.len() {
            let blamed = &largest[..count];
            let all = blamed.iter().fold(Size::default(), |sum, one| sum.plus(self.size(&one.child.value)));
            let rest = size.minus(all);
            let left = room.minus(rest);
            if !rest.fits(room) || (count < largest.len() && !room.over(LEAST_SHARE).fits(left)) {
                continue;
            }
            looked_inside = true;
            let before = (self.shortened.len(), self.single_too_large);
            let now = rest.plus(self.share(blamed.to_vec(), all, left));
            if now.fits(room) {
                return now;
            }
            self.undo(before);
        }
        self.first_children(node, size, room, !looked_inside)
    }

    /// Makes each of `blamed`, of which `all` is the size, shorter in proportion to its size; what they take then.
    fn share(&mut self, mut blamed: Vec<Member>, mut all: Size, mut left: Size) -> Size {
        blamed.sort_by_key(|member| member.position);
        let mut now = Size::default();
        for Member { position, child } in blamed {
            let own = self.size(&child.value);
            let got = self.shrink_child(&child, position, left.share(own, all));
            all = all.minus(own);
            left = left.minus(got);
            now = now.plus(got);
        }
        now
    }

    /// Ends a string early.
    fn string(&mut self, node: &Range<usize>, size: Size, room: Size) -> Size {
        let body = &self.value.text[node.start + 1..node.end - 1];
        let inside = as_index(room.bytes).checked_sub(2 + MARK.len()).filter(|_| body.len() > MARK.len());
        let Some(inside) = inside else { return size };
        let counts = (string::fitting(body, inside), string::count(body));
        let left_out = self.shorten(PartUnit::Characters, counts, node);
        if self.path.is_empty() || self.shortened.len() == 1 {
            self.single_too_large = true;
        }
        size.minus(left_out).plus(Size { bytes: MARK.len() as u64, newlines: 0 })
    }
}

/// Keeps the largest, the first of equals before the others.
fn keep_largest(members: &mut Vec<Member>) {
    members.sort_by_key(|member| (std::cmp::Reverse(member.bytes()), member.position));
    members.truncate(MOST_SHORTENED);
}
