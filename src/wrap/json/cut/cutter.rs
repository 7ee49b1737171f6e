//! The choice of what is kept of a JSON value within a limit.
//!
//! An array keeps its first items, as many as fit. Where not even one fits, the first is made shorter; of
//! an object the largest members are made shorter, then strings end early, and where nothing else
//! is left the last members go.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::ops::Range;

use super::size::Size;
use super::{Edit, Kind, Shortened, View};
use crate::wrap::json::path::{self, Step};
use crate::wrap::json::scan::Child;
use crate::wrap::json::string;
use crate::wrap::json::value::Children;

/// The mark that ends a string that is not shown to its end.
const MARK: &str = "… [truncated]";
/// Members of one object that are made shorter before its last ones go.
const MOST_SHORTENED: usize = 16;
/// The share of an object's room that its largest members must get, else more of them are made shorter.
const LEAST_SHARE: u64 = 16;
/// The times its own size that a value may be scanned. Only nested values that were made to be slow
/// come near; what lies deeper is not looked into then.
const MOST_SCANS: u64 = 64;

/// One value's place in both views; empty in a view that is not there.
type Spans = [Range<usize>; 2];

/// A child in both views.
#[derive(Clone)]
struct Pair {
    key: Spans,
    value: Spans,
}

/// Two texts walked in step.
struct Pairs<'a> {
    sides: [Option<Children<'a>>; 2],
}

impl Iterator for Pairs<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        let nothing = || Child { key: 0..0, value: 0..0 };
        let [first, second] = &mut self.sides;
        let first = first.as_mut()?.next()?;
        let second = second.as_mut().map_or_else(|| Some(nothing()), Iterator::next)?;
        Some(Pair { key: [first.key, second.key], value: [first.value, second.value] })
    }
}

/// A value while it is cut.
pub(super) struct Cutter<'a> {
    views: &'a [View<'a>],
    limit: Size,
    /// The changes to each view so far.
    pub(super) edits: [Vec<Edit>; 2],
    pub(super) shortened: Vec<Shortened>,
    path: Vec<Step>,
    pub(super) single_too_large: bool,
    /// Bytes that may still be scanned.
    scans: u64,
}

/// A point in the edits, to which they can be taken back.
struct Mark {
    edits: [usize; 2],
    shortened: usize,
    single_too_large: bool,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(views: &'a [View<'a>]) -> Self {
        let bytes: usize = views.iter().map(|view| view.value.text.len()).sum();
        Self {
            views,
            limit: Size::limit(views),
            edits: [Vec::new(), Vec::new()],
            shortened: Vec::new(),
            path: Vec::new(),
            single_too_large: false,
            scans: MOST_SCANS.saturating_mul(bytes as u64),
        }
    }

    /// Cuts the value; false where it is within its limits.
    pub(super) fn cut(&mut self) -> bool {
        let whole: Spans =
            std::array::from_fn(|n| 0..self.views.get(n).map_or(0, |view| view.value.text.len()));
        let is_over = !self.size(&whole).fits(self.limit);
        if is_over {
            self.shrink(&whole, self.limit);
        }
        is_over
    }

    fn size(&self, spans: &Spans) -> Size {
        Size::of(self.views, spans)
    }

    fn pairs(&self, node: &Spans) -> Pairs<'a> {
        let side = |n: usize| self.views.get(n).map(|view| view.value.children(node[n].clone()));
        Pairs { sides: [side(0), side(1)] }
    }

    fn first_byte(&self, node: &Spans) -> u8 {
        self.views[0].value.text.as_bytes()[node[0].start]
    }

    fn mark(&self) -> Mark {
        let edits = [self.edits[0].len(), self.edits[1].len()];
        Mark { edits, shortened: self.shortened.len(), single_too_large: self.single_too_large }
    }

    fn undo(&mut self, mark: &Mark) {
        for (edits, len) in self.edits.iter_mut().zip(mark.edits) {
            edits.truncate(len);
        }
        self.shortened.truncate(mark.shortened);
        self.single_too_large = mark.single_too_large;
    }

    /// Replaces `spans` by `new`, and notes what it was.
    fn shorten(&mut self, kind: Kind, (shown, total): (u64, u64), spans: &Spans, new: &'static str) {
        for (n, edits) in self.edits.iter_mut().enumerate().take(self.views.len()) {
            edits.push(Edit { range: spans[n].clone(), new });
        }
        if shown < total {
            let key = |step: &Step| match step {
                Step::Key(key) => serde_json::from_str(key).ok(),
                Step::Index(_) => None,
            };
            self.shortened.push(Shortened {
                kind,
                shown,
                total,
                name: path::name(&self.path),
                keys: self.path.iter().map(key).collect(),
                removed_bytes: spans[0].len() as u64,
            });
        }
    }

    /// Makes the value at `node` shorter, into `room` where that is possible; its size then.
    fn shrink(&mut self, node: &Spans, room: Size) -> Size {
        let size = self.size(node);
        let scanned = size.bytes();
        if size.fits(room) || self.scans < scanned {
            return size;
        }
        self.scans -= scanned;
        match self.first_byte(node) {
            b'[' => self.first_children(node, size, room, true),
            b'{' => self.object(node, size, room),
            b'"' => self.string(node, size, room),
            _ => size,
        }
    }

    /// Keeps the first children of an array, or members of an object, that fit. Where none does and
    /// `inside` is set, the first is made shorter.
    fn first_children(&mut self, node: &Spans, size: Size, room: Size, inside: bool) -> Size {
        let is_array = self.first_byte(node) == b'[';
        let kind = if is_array { Kind::Items } else { Kind::Members };
        let closing = self.closing(node);
        let mut used = self.size(&closing);
        let known = self.views[0].value.child_count(node[0].start);
        let (mut kept, mut total, mut first) = (0_u64, 0_u64, None);
        let mut end: [usize; 2] = std::array::from_fn(|n| node[n].start);
        let mut fits = true;
        for pair in self.pairs(node) {
            if fits {
                let added = self.size(&std::array::from_fn(|n| end[n]..pair.value[n].end));
                fits = used.plus(added).fits(room);
                if fits {
                    used = used.plus(added);
                    kept += 1;
                    end = std::array::from_fn(|n| pair.value[n].end);
                }
            }
            first.get_or_insert(pair);
            total += 1;
            if !fits && known.is_some() {
                break;
            }
        }
        let total = known.unwrap_or(total);
        let rest = |end: [usize; 2]| -> Spans { std::array::from_fn(|n| end[n]..closing[n].start) };
        if let Some(first) = first.filter(|_| kept == 0) {
            let mark = self.mark();
            let ends = std::array::from_fn(|n| first.value[n].end);
            self.shorten(kind, (1, total), &rest(ends), "");
            self.single_too_large |= !self.size(&first.value).fits(self.limit);
            if inside {
                let around = self.size(&std::array::from_fn(|n| node[n].start..first.value[n].start));
                let around = around.plus(self.size(&closing));
                self.enter(&first, is_array.then_some(0));
                let now = around.plus(self.shrink(&first.value, room.minus(around)));
                self.path.pop();
                if now.fits(room) {
                    return now;
                }
            }
            self.undo(&mark);
        }
        if kept == 0 {
            // Nothing but the brackets.
            let inside = |span: &Range<usize>| span.start + 1..span.end - 1;
            let between: Spans =
                std::array::from_fn(|n| if node[n].is_empty() { 0..0 } else { inside(&node[n]) });
            self.shorten(kind, (0, total), &between, "");
            return size.minus(self.size(&between));
        }
        self.shorten(kind, (kept, total), &rest(end), "");
        used
    }

    /// The closing bracket, with the space before it.
    fn closing(&self, node: &Spans) -> Spans {
        std::array::from_fn(|n| {
            let Some(view) = self.views.get(n) else { return 0..0 };
            let inside = view.value.text[node[n].start + 1..node[n].end - 1].trim_end();
            node[n].start + 1 + inside.len()..node[n].end
        })
    }

    fn enter(&mut self, child: &Pair, index: Option<u64>) {
        let key = || Step::Key(self.views[0].value.text[child.key[0].clone()].to_owned());
        let step = index.map_or_else(key, Step::Index);
        self.path.push(step);
    }

    /// Makes the largest members of an object shorter; where that is not enough, its last ones go.
    fn object(&mut self, node: &Spans, size: Size, room: Size) -> Size {
        let mut largest: Vec<(u64, usize, Pair)> = Vec::new();
        for (n, pair) in self.pairs(node).enumerate() {
            largest.push((self.size(&pair.value).bytes(), n, pair));
            if largest.len() >= 2 * MOST_SHORTENED {
                keep_largest(&mut largest);
            }
        }
        keep_largest(&mut largest);
        let third = size.bytes() / 3;
        let is_large_array =
            |one: &&(u64, usize, Pair)| one.0 > third && self.first_byte(&one.2.value) == b'[';
        let arrays: Vec<(u64, usize, Pair)> = largest.iter().filter(is_large_array).cloned().collect();
        let mut least = 1;
        if arrays.len() == 2 {
            largest.retain(|one| !arrays.iter().any(|array| array.1 == one.1));
            largest.splice(0..0, arrays);
            least = 2;
        }
        let mut looked_inside = false;
        for count in least..=largest.len() {
            let blamed = &largest[..count];
            let all = blamed.iter().fold(Size::default(), |sum, one| sum.plus(self.size(&one.2.value)));
            let rest = size.minus(all);
            let left = room.minus(rest);
            if !rest.fits(room) || (count < largest.len() && !room.over(LEAST_SHARE).fits(left)) {
                continue;
            }
            looked_inside = true;
            let mark = self.mark();
            let now = rest.plus(self.share(blamed, all, left));
            if now.fits(room) {
                return now;
            }
            self.undo(&mark);
        }
        self.first_children(node, size, room, !looked_inside)
    }

    /// Makes each of `blamed`, of which `all` is the size, shorter in proportion to its size; what they take then.
    fn share(&mut self, blamed: &[(u64, usize, Pair)], all: Size, left: Size) -> Size {
        let mut blamed: Vec<&(u64, usize, Pair)> = blamed.iter().collect();
        blamed.sort_by_key(|one| one.1);
        let (mut all, mut left, mut now) = (all, left, Size::default());
        for (_, _, pair) in blamed {
            let own = self.size(&pair.value);
            self.enter(pair, None);
            let got = self.shrink(&pair.value, left.share(own, all));
            self.path.pop();
            all = all.minus(own);
            left = left.minus(got);
            now = now.plus(got);
        }
        now
    }

    /// Ends a string early.
    fn string(&mut self, node: &Spans, size: Size, room: Size) -> Size {
        let around = 2 + MARK.len();
        let body = |n: usize| &self.views[n].value.text[node[n].start + 1..node[n].end - 1];
        let mut shown = u64::MAX;
        for n in 0..self.views.len() {
            let Some(inside) = room.bytes_of(n).checked_sub(around).filter(|_| body(n).len() > MARK.len())
            else {
                return size;
            };
            shown = shown.min(string::fitting(body(n), inside));
        }
        let total = string::count(body(0));
        let left_out: Spans = std::array::from_fn(|n| match self.views.get(n) {
            Some(_) => node[n].start + 1 + string::bytes_of(body(n), shown)..node[n].end - 1,
            None => 0..0,
        });
        self.shorten(Kind::Characters, (shown, total), &left_out, MARK);
        if self.path.is_empty() || self.shortened.len() == 1 {
            self.single_too_large = true;
        }
        size.minus(self.size(&left_out)).plus(Size::bytes_in(self.views, MARK.len()))
    }
}

/// Keeps the largest, the first of equals before the others.
fn keep_largest(all: &mut Vec<(u64, usize, Pair)>) {
    all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(MOST_SHORTENED);
}
