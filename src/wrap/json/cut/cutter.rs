//! Selects the parts of a JSON value to keep.
//!
//! An array keeps its first items. If none fits, its first item is shortened. In an object, the largest members are
//! shortened. Then strings are shortened, and finally members are removed from the end.

use cutline_core::notice::PartUnit;

use super::{MARK, Shortened, left_out};
use crate::wrap::json::node::Node;
use crate::wrap::json::path::Step;
use crate::wrap::json::string;
use crate::wrap::json::value::Value;

/// Maximum number of members of one object to shorten before the last members are removed.
const MOST_SHORTENED: usize = 16;
/// The largest members of an object must get at least one part in this number of the available bytes; otherwise more
/// members are shortened.
const LEAST_SHARE: usize = 16;
/// Maximum number of bytes to scan, as a multiple of the size of the value. Only malicious nesting comes near this
/// limit. Deeper values are then removed completely.
const MOST_SCANS: usize = 64;

/// Returns the parts of `value` to shorten, so that it is within `max_bytes`.
pub(super) fn cut<'a>(value: &'a Value<'a>, max_bytes: u64) -> Vec<Shortened<'a>> {
    let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let scans = MOST_SCANS.saturating_mul(value.text.len());
    let mut cutter = Cutter { limit, shortened: Vec::new(), path: Vec::new(), scans };
    cutter.shrink(value.top(), limit);
    cutter.shortened
}

/// A value during truncation. Sizes are in bytes.
struct Cutter<'a> {
    limit: usize,
    shortened: Vec<Shortened<'a>>,
    path: Vec<Step<'a>>,
    /// Number of bytes that can still be scanned.
    scans: usize,
}

/// A member of an object with its index.
type Member<'a> = (usize, Node<'a>);

fn bytes((_, member): &Member<'_>) -> usize {
    member.place().len()
}

impl<'a> Cutter<'a> {
    /// Keeps `shown` parts of `node`. Returns the number of removed bytes.
    fn shorten(
        &mut self,
        node: Node<'a>,
        unit: PartUnit,
        (shown, total): (u64, u64),
        is_single: bool,
    ) -> usize {
        let (removed, _) = left_out(node, unit, shown);
        let (path, removed_bytes) = (self.path.clone(), removed.len() as u64);
        self.shortened.push(Shortened { unit, shown, total, path, removed_bytes, is_single });
        removed.len()
    }

    /// Shortens `node` to `room` bytes if possible. Returns its size.
    fn shrink(&mut self, node: Node<'a>, room: usize) -> usize {
        let size = node.place().len();
        if size <= room || self.scans < size {
            return size;
        }
        self.scans -= size;
        match node.text().as_bytes()[0] {
            b'[' => self.first_children(node, room, true),
            b'{' => self.object(node, room),
            b'"' => self.string(node, room),
            _ => size,
        }
    }

    /// Keeps the first children that fit. If none fits and `inside` is set, shortens the first.
    fn first_children(&mut self, node: Node<'a>, room: usize, inside: bool) -> usize {
        let unit = if node.is_array() { PartUnit::Items } else { PartUnit::Members };
        let (text, start) = (node.text(), node.place().start);
        let closing = text.len() - text[..text.len() - 1].trim_end().len();
        let known = node.child_count();
        let (mut kept, mut total, mut first) = (0, 0, None);
        for child in node.children() {
            first.get_or_insert(child);
            total += 1;
            if child.place().end - start + closing <= room {
                kept += 1;
            } else if known.is_some() {
                break;
            }
        }
        let total = known.unwrap_or(total);
        if let Some(first) = first.filter(|_| kept == 0) {
            let before = self.shortened.len();
            self.shorten(node, unit, (1, total), first.place().len() > self.limit);
            if inside {
                let around = first.place().start - start + closing;
                let now = around + self.shrink_child(&(0, first), room.saturating_sub(around));
                if now <= room {
                    return now;
                }
            }
            self.shortened.truncate(before);
        }
        text.len() - self.shorten(node, unit, (kept, total), false)
    }

    fn shrink_child(&mut self, (position, child): &Member<'a>, room: usize) -> usize {
        self.path.push(Step { position: *position, key: child.key() });
        let size = self.shrink(*child, room);
        self.path.pop();
        size
    }

    /// Shortens the largest members of an object. If that is not enough, removes members from the end.
    fn object(&mut self, node: Node<'a>, room: usize) -> usize {
        let size = node.place().len();
        let mut largest: Vec<Member<'_>> = Vec::new();
        for member in node.children().enumerate() {
            largest.push(member);
            if largest.len() >= 2 * MOST_SHORTENED {
                keep_largest(&mut largest);
            }
        }
        keep_largest(&mut largest);
        let is_large_array = |member: &Member<'_>| bytes(member) > size / 3 && member.1.is_array();
        // Two members share the available bytes.
        let mut least = 1;
        if largest.iter().filter(|member| is_large_array(member)).count() == 2 {
            largest.sort_by_key(|member| !is_large_array(member));
            least = 2;
        }
        let mut looked_inside = false;
        for count in least..=largest.len() {
            let blamed = &largest[..count];
            let all = blamed.iter().map(bytes).sum();
            let Some(left) = room.checked_sub(size - all) else { continue };
            if count < largest.len() && left < room / LEAST_SHARE {
                continue;
            }
            looked_inside = true;
            let before = self.shortened.len();
            let now = size - all + self.share(blamed.to_vec(), all, left);
            if now <= room {
                return now;
            }
            self.shortened.truncate(before);
        }
        self.first_children(node, room, !looked_inside)
    }

    /// Shortens each of `blamed` in proportion to its size. `all` is their total size. Returns their new total size.
    fn share(&mut self, mut blamed: Vec<Member<'a>>, mut all: usize, mut left: usize) -> usize {
        blamed.sort_by_key(|(position, _)| *position);
        let mut now = 0;
        for member in blamed {
            let own = bytes(&member);
            // No overflow: both factors are smaller than the size of a message.
            let got = self.shrink_child(&member, left.saturating_mul(own) / all);
            all -= own;
            left = left.saturating_sub(got);
            now += got;
        }
        now
    }

    /// Shortens a string at its end.
    fn string(&mut self, node: Node<'a>, room: usize) -> usize {
        let text = node.text();
        let body = &text[1..text.len() - 1];
        // A top-level string can consist of the suffix only. The caller checks if it still exceeds the limit.
        let least = self.path.is_empty().then_some(0);
        let inside = room.checked_sub(2 + MARK.len()).or(least).filter(|_| body.len() > MARK.len());
        let Some(inside) = inside else { return text.len() };
        let counts = (string::fitting(body, inside), string::count(body));
        let is_single = self.shortened.is_empty();
        text.len() + MARK.len() - self.shorten(node, PartUnit::Characters, counts, is_single)
    }
}

/// Keeps the largest members. Of equal ones, keeps the first.
fn keep_largest(members: &mut Vec<Member<'_>>) {
    members.sort_by_key(|member| (std::cmp::Reverse(bytes(member)), member.0));
    members.truncate(MOST_SHORTENED);
}
