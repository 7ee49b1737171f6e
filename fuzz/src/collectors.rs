//! The collectors: the kept part and the counts of any text in any pieces.
//!
//! Four bytes are settings: lines, bytes, lines of the other end, lengths of the pieces. The kept part is compared with its
//! definition, applied to the complete text.

use cutline_core::text::{Extent, prefix, suffix};
use cutline_core::truncate::{Bounds, Collector, Cut, Keep, Partial, TruncatedBy, Truncation};

use crate::input::{pieces_of_text, setting};

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let (lines, rest) = setting(bytes);
    let (max_bytes, rest) = setting(rest);
    let (tail, rest) = setting(rest);
    let (lengths, rest) = setting(rest);
    let text = String::from_utf8_lossy(rest);
    let (head, tail, max_bytes) =
        (u64::from(lines % 16) + 1, u64::from(tail % 16) + 1, u64::from(max_bytes) + 1);
    let bounds = Bounds::new(head, max_bytes);
    let pieces = pieces_of_text(&text, lengths);
    for (keep, lines) in
        [(Keep::WholeLines, head), (Keep::Head, head), (Keep::Tail, head), (Keep::Both { head }, head + tail)]
    {
        let collected =
            |pieces: &[&str]| collect(Collector::new(Bounds::new(lines, max_bytes), keep), pieces);
        let kept = collected(&pieces);
        assert_eq!(kept, collected(&[&text]), "in pieces and in one piece");
        check(&kept, &text, max_bytes);
        match keep {
            Keep::WholeLines => check_head(&kept, &text, bounds, ""),
            Keep::Head => {
                let first = lines_of(&text).first().copied().unwrap_or_default();
                check_head(&kept, &text, bounds, prefix(first, index(max_bytes)));
            }
            Keep::Tail => check_tail(&kept, &text, bounds),
            Keep::Both { .. } | Keep::Short { .. } => check_both(&kept, &text, head, tail, max_bytes),
        }
    }
}

fn collect(mut collector: Collector, pieces: &[&str]) -> Truncation {
    pieces.iter().for_each(|piece| collector.push(piece));
    collector.finish()
}

/// Checks the properties that every kept part has.
fn check(kept: &Truncation, text: &str, max_bytes: u64) {
    assert_eq!(kept.total, extent(text));
    assert!(kept.output.bytes <= max_bytes);
    let Some(cut) = kept.cut else {
        assert_eq!(kept.content, text);
        return;
    };
    assert_eq!(kept.output.bytes, kept.content.len() as u64);
    // Empty content has one line or none. The count tells them apart.
    let lines = kept.content.split('\n').count() as u64;
    assert!(kept.output.lines == lines || kept.content.is_empty() && kept.output.lines == 0, "{kept:?}");
    assert!(index(cut.head.bytes) <= kept.content.len());
}

/// Checks that the first lines that fit are kept. If no line fits, `partial` of the first line is kept.
fn check_head(kept: &Truncation, text: &str, bounds: Bounds, partial: &str) {
    let all = lines_of(text);
    let (count, by) = fitting(&all, bounds);
    assert_eq!(kept.cut.map(|cut| cut.by), by);
    let is_partial = by.is_some() && count == 0 && !partial.is_empty();
    if by.is_some() {
        assert_eq!(kept.content, if is_partial { partial.to_owned() } else { all[..count].join("\n") });
        assert_eq!(kept.output.lines, if is_partial { 1 } else { count as u64 });
    }
    assert_eq!(partial_of(kept.cut), is_partial.then_some(Partial::FirstLine));
}

/// Checks that the last lines that fit are kept. If no line fits, the end of the last line is kept.
fn check_tail(kept: &Truncation, text: &str, bounds: Bounds) {
    let all = lines_of(text);
    let backwards: Vec<&str> = all.iter().rev().copied().collect();
    let (count, by) = fitting(&backwards, bounds);
    assert_eq!(kept.cut.map(|cut| cut.by), by);
    if by.is_some() {
        assert_eq!(kept.content, end_of(&all, count, bounds.bytes));
        assert_eq!(partial_of(kept.cut), (count == 0).then_some(Partial::LastLine));
    }
}

/// Checks that the head has the first lines that fit into its share, and the tail the last lines that fit into the rest.
fn check_both(kept: &Truncation, text: &str, head: u64, tail: u64, max_bytes: u64) {
    let all = lines_of(text);
    let fits = all.len() as u64 <= head + tail && all.join("\n").len() as u64 <= max_bytes;
    assert_eq!(kept.cut.is_none(), fits);
    let Some(cut) = kept.cut else { return };
    let share = max_bytes * head / (head + tail);
    let mut first = String::new();
    let mut count = 0_u64;
    for line in all.iter().take(index(head)) {
        if (first.len() + line.len() + 1) as u64 > share {
            break;
        }
        first.extend([line, "\n"]);
        count += 1;
    }
    assert_eq!((cut.head.bytes, cut.head.lines), (first.len() as u64, count));
    let rest: Vec<&str> = all[index(count)..].iter().rev().copied().collect();
    let bytes = max_bytes - first.len() as u64;
    let (last, _) = fitting(&rest, Bounds::new(tail, bytes));
    assert_eq!(kept.content, first + &end_of(&all, last, bytes));
    assert_eq!(partial_of(kept.cut), (last == 0).then_some(Partial::LastLine));
}

fn end_of(all: &[&str], lines: usize, max_bytes: u64) -> String {
    match (lines, all.last()) {
        (0, Some(last)) => suffix(last, index(max_bytes)).to_owned(),
        _ => all[all.len() - lines..].join("\n"),
    }
}

fn partial_of(cut: Option<Cut>) -> Option<Partial> {
    cut.and_then(|cut| cut.partial)
}

/// Returns how many of `lines` fit, counted from the front, and the limit that stopped there.
fn fitting(lines: &[&str], bounds: Bounds) -> (usize, Option<TruncatedBy>) {
    let mut bytes = 0;
    for (kept, line) in lines.iter().enumerate() {
        bytes += line.len() as u64 + u64::from(kept > 0);
        if kept as u64 == bounds.lines {
            return (kept, Some(TruncatedBy::Lines));
        }
        if bytes > bounds.bytes {
            return (kept, Some(TruncatedBy::Bytes));
        }
    }
    (lines.len(), None)
}

fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

fn extent(text: &str) -> Extent {
    Extent { lines: lines_of(text).len() as u64, bytes: text.len() as u64 }
}

fn index(bound: u64) -> usize {
    usize::try_from(bound).unwrap()
}
