//! Compares the collectors with plain oracles that have the full text.

use proptest::prelude::*;

use super::*;
use crate::text::{TokenCounter, json_bytes, prefix, suffix};

/// Text with many newlines, long lines and multi-byte characters.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[abé\u{1F600}\n]{0,60}", "(\\PC{0,12}\n){0,12}", "[a\n]{0,40}", "\\PC{0,80}"]
}

/// `text` in pieces, cut at any characters.
fn pieces(text: &str, cuts: &[usize]) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    for &cut in cuts {
        let later = rest.split_off(cut.min(rest.len()));
        pieces.push(rest.into_iter().collect());
        rest = later;
    }
    pieces.push(rest.into_iter().collect());
    pieces
}

fn collect(mut collector: Collector, pieces: &[String]) -> Truncation {
    for piece in pieces {
        collector.push(piece);
    }
    collector.finish()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

fn extent(text: &str) -> Extent {
    Extent { lines: lines(text).len() as u64, bytes: text.len() as u64 }
}

fn joined_bytes(lines: &[&str]) -> u64 {
    lines.join("\n").len() as u64
}

/// The number of `lines`, from the front, that fit, and the limit that stopped.
fn fitting(lines: &[&str], bounds: Bounds) -> (usize, Option<TruncatedBy>) {
    for kept in 0..lines.len() {
        if kept as u64 == bounds.lines {
            return (kept, Some(TruncatedBy::Lines));
        }
        if joined_bytes(&lines[..=kept]) > bounds.bytes {
            return (kept, Some(TruncatedBy::Bytes));
        }
    }
    (lines.len(), None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn head_is_the_first_lines_that_fit(
        text in text(), cuts in prop::collection::vec(0_usize..9, 0..9), max_lines in 1_u64..9, max_bytes in 1_u64..60,
    ) {
        let bounds = Bounds::new(max_lines, max_bytes);
        let kept = collect(Collector::new(bounds, Keep::WholeLines), &pieces(&text, &cuts));
        let all = lines(&text);
        let (count, by) = fitting(&all, bounds);
        prop_assert_eq!(kept.total, extent(&text));
        prop_assert_eq!(kept.cut.map(|cut| cut.by), by);
        prop_assert_eq!(kept.output.lines, count as u64);
        let expected = if by.is_some() { all[..count].join("\n") } else { text };
        prop_assert_eq!(&kept.content, &expected);
        prop_assert!(kept.output.bytes <= max_bytes);
    }

    #[test]
    fn pages_put_together_are_the_text(text in text(), max_lines in 1_u64..5, max_bytes in 1_u64..40) {
        let all = lines(&text);
        let mut seen = Vec::new();
        while seen.len() < all.len() {
            let rest = all[seen.len()..].join("\n");
            let kept = collect(Collector::new(Bounds::new(max_lines, max_bytes), Keep::WholeLines), &[rest]);
            if kept.output.lines == 0 && kept.cut.is_some() {
                prop_assert!(all[seen.len()].len() as u64 > max_bytes);
                seen.push(all[seen.len()].to_owned()); // the one line that no page can hold
                continue;
            }
            let page: Vec<&str> = kept.content.split('\n').collect();
            prop_assume!(!(kept.cut.is_none() && kept.content.is_empty()));
            let page = if kept.cut.is_none() { lines(&kept.content) } else { page };
            seen.extend(page.iter().map(|line| (*line).to_owned()));
            if kept.cut.is_none() { break }
        }
        // A rest that ends in empty lines loses the last one to the join, never one in between.
        let expected: Vec<String> = all.iter().map(|line| (*line).to_owned()).collect();
        prop_assert_eq!(&seen[..], &expected[..seen.len()]);
        prop_assert!(expected.len() - seen.len() <= 1);
    }

    #[test]
    fn head_may_keep_a_part_of_the_first_line(text in "\\PC{1,40}", cuts in prop::collection::vec(0_usize..9, 0..9), max in 1_u64..30) {
        let kept = collect(Collector::new(Bounds::new(5, max), Keep::Head), &pieces(&text, &cuts));
        prop_assert_eq!(&kept.content, prefix(&text, as_index(max)));
        prop_assert_eq!(kept.cut.is_some(), text.len() as u64 > max);
        if kept.cut.is_some() && !kept.content.is_empty() {
            prop_assert_eq!(kept.cut.unwrap().partial, Some(Partial::FirstLine));
        }
    }

    #[test]
    fn tail_is_the_last_lines_that_fit(
        text in text(), cuts in prop::collection::vec(0_usize..9, 0..9), max_lines in 1_u64..9, max_bytes in 1_u64..60,
    ) {
        let bounds = Bounds::new(max_lines, max_bytes);
        let kept = collect(Collector::new(bounds, Keep::Tail), &pieces(&text, &cuts));
        let all = lines(&text);
        let backwards: Vec<&str> = all.iter().rev().copied().collect();
        let (count, by) = fitting(&backwards, bounds);
        prop_assert_eq!(kept.total, extent(&text));
        prop_assert_eq!(kept.cut.map(|cut| cut.by), by);
        prop_assert!(kept.output.bytes <= max_bytes);
        match by {
            None => prop_assert_eq!(&kept.content, &text),
            Some(_) if count == 0 => {
                let last = all.last().unwrap();
                prop_assert_eq!(&kept.content, suffix(last, as_index(max_bytes)));
                prop_assert_eq!(kept.cut.unwrap().partial, Some(Partial::LastLine));
            }
            Some(_) => prop_assert_eq!(&kept.content, &all[all.len() - count..].join("\n")),
        }
    }

    #[test]
    fn both_ends_with_a_gap(
        text in text(), cuts in prop::collection::vec(0_usize..9, 0..9),
        head in 1_u64..5, tail in 1_u64..5, max_bytes in 1_u64..60,
    ) {
        let kept = collect(Collector::new(Bounds::new(head + tail, max_bytes), Keep::Both { head }), &pieces(&text, &cuts));
        let all = lines(&text);
        prop_assert_eq!(kept.total, extent(&text));
        prop_assert!(kept.output.bytes <= max_bytes);
        let fits = all.len() as u64 <= head + tail && joined_bytes(&all) <= max_bytes;
        prop_assert_eq!(fits, kept.cut.is_none());
        let Some(cut) = kept.cut else {
            prop_assert_eq!(&kept.content, &text);
            return Ok(());
        };
        let (first, last) = kept.content.split_at(as_index(cut.head.bytes));
        let share = max_bytes * head / (head + tail);
        let mut first_lines: Vec<&str> = Vec::new();
        for line in all.iter().take(as_index(head)) {
            if joined_bytes(&first_lines) + u64::from(!first_lines.is_empty()) + line.len() as u64 + 1 > share { break }
            first_lines.push(line);
        }
        let expected = first_lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
        prop_assert_eq!(first, &expected);
        let rest: Vec<&str> = all[first_lines.len()..].iter().rev().copied().collect();
        let left = Bounds::new(tail, max_bytes - expected.len() as u64);
        let (count, _) = fitting(&rest, left);
        if count == 0 {
            prop_assert_eq!(last, suffix(all.last().unwrap(), as_index(left.bytes)));
        } else {
            prop_assert_eq!(last, all[all.len() - count..].join("\n"));
        }
    }

    #[test]
    fn memory_is_bounded_by_the_limits(piece in "[a\n]{1,50}", times in 1_usize..200, max_bytes in 1_u64..50) {
        let bounds = Bounds::new(3, max_bytes);
        for keep in [Keep::WholeLines, Keep::Head, Keep::Tail, Keep::Both { head: 1 }] {
            let mut collector = Collector::new(bounds, keep);
            for _ in 0..times {
                collector.push(&piece);
            }
            let held = format!("{collector:?}");
            prop_assert!(held.len() < 1500 + 6 * as_index(max_bytes), "{}", held.len());
        }
    }
}

proptest! {
    #[test]
    fn tokens_limit_as_lines_and_bytes_do(
        text in "([a-z0-9 ={}\u{e9}\u{4e00}]{0,12}\n?){0,12}",
        cuts in prop::collection::vec(0_usize..200, 0..4),
        max_lines in 1_u64..9, max_bytes in 1_u64..90, max_tokens in 1_u64..40,
    ) {
        let bounds = Bounds { tokens: Some(max_tokens), ..Bounds::new(max_lines, max_bytes) };
        for keep in [
            Keep::Head,
            Keep::Tail,
            Keep::Both { head: max_lines / 2 },
        ] {
            let whole = collect(Collector::new(bounds, keep), std::slice::from_ref(&text));
            let kept = collect(Collector::new(bounds, keep), &pieces(&text, &cuts));
            prop_assert_eq!(&whole, &kept);
            prop_assert!(TokenCounter::of(kept.body()).count() <= max_tokens, "{:?}", kept);
            let other = collect(Collector::new(Bounds::new(max_lines, max_bytes), keep), std::slice::from_ref(&text));
            if TokenCounter::of(other.body()).count() <= max_tokens && !matches!(keep, Keep::Both { .. }) {
                // The limit of tokens cuts only what is over it.
                prop_assert_eq!(other.content, kept.content);
            } else if !matches!(keep, Keep::Both { .. }) {
                prop_assert_eq!(kept.cut.map(|cut| cut.by), Some(TruncatedBy::Tokens));
            }
        }
    }

    #[test]
    fn bytes_as_json_limit_as_bytes_do(
        text in prop_oneof![text(), "([a\"\\\\\t\u{1b}\u{e9}]{0,9}\n?){0,12}"],
        cuts in prop::collection::vec(0_usize..40, 0..6),
        max_lines in 1_u64..9, max_bytes in 1_u64..90, max_tokens in prop::option::of(1_u64..40),
    ) {
        let bounds = Bounds { lines: max_lines, bytes: max_bytes, bytes_as: BytesAs::Json, tokens: max_tokens };
        let all = lines(&text);
        for keep in [Keep::Head, Keep::Tail, Keep::Both { head: max_lines / 2 }] {
            let kept = collect(Collector::new(bounds, keep), &pieces(&text, &cuts));
            prop_assert_eq!(&kept, &collect(Collector::new(bounds, keep), std::slice::from_ref(&text)));
            prop_assert!(json_bytes(kept.body()) <= max_bytes, "{:?}", kept);
            let by_bytes = |cut: &Cut| cut.partial.is_none() && cut.by == TruncatedBy::Bytes;
            if !kept.cut.as_ref().is_some_and(by_bytes) {
                continue;
            }
            let count = as_index(kept.output.lines);
            let more = match keep {
                Keep::WholeLines | Keep::Head => &all[..=count],
                Keep::Tail => &all[all.len() - count - 1..],
                Keep::Both { .. } | Keep::Short { .. } => continue,
            };
            prop_assert!(json_bytes(&more.join("\n")) > max_bytes, "{:?}", kept);
        }
    }

    #[test]
    fn pages_by_tokens_are_the_text(lines in prop::collection::vec("[a-z0-9 =]{0,12}", 1..12), max_tokens in 15_u64..40) {
        let text = lines.join("\n");
        let bounds = Bounds { tokens: Some(max_tokens), ..Bounds::new(5, 60) };
        let (mut rest, mut joined) = (text.as_str(), Vec::new());
        loop {
            let page = collect(Collector::new(bounds, Keep::WholeLines), &[rest.to_owned()]);
            let Some(_cut) = page.cut else {
                joined.push(page.content);
                break;
            };
            prop_assert!(page.output.lines > 0, "{:?}", page);
            rest = &rest[page.content.len() + 1..];
            joined.push(page.content);
        }
        prop_assert_eq!(joined.join("\n"), text);
    }
}

#[test]
fn limit_is_that_of_the_text_and_not_of_the_share_of_the_first_lines() {
    let limit = |text: &str| truncate(text, Bounds::new(4, 100), Keep::Both { head: 2 }).cut.unwrap().by;
    let long = "x".repeat(60);
    assert_eq!(limit(&format!("{long}\nb\nc\nd\ne\n")), TruncatedBy::Lines);
    assert_eq!(limit(&format!("{long}\n{long}\nc\nd\ne\n")), TruncatedBy::Bytes);
    // All requested lines are shown.
    assert_eq!(limit(&format!("a\nb\n{long}\n{long}\nd\ne\n")), TruncatedBy::Lines);
}

#[test]
fn newline_after_the_first_lines_counts() {
    let mut both = Collector::new(Bounds { tokens: Some(1), ..Bounds::new(6, 6) }, Keep::Both { head: 3 });
    both.push(" a\na");
    let kept = both.finish();
    assert_eq!((kept.content.as_str(), kept.output.lines), ("a", 1));
}
