//! Tests of single notices. Most notices are tested by scenarios.

use super::*;
use crate::text::Counter;
use crate::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace};

#[test]
fn results_of_other_servers() {
    let part = |shown, total, unit, name: &str| {
        let name = (!name.is_empty()).then(|| name.to_owned());
        Part { shown, total, unit, name }
    };
    let saved = || Saved::At { path: "/tmp/x.json".to_owned(), first: None };
    let said = |parts, limit| Notice::Result { parts, limit, saved: saved() }.to_string();
    let parts = vec![
        part(1, 80, Unit::Items, "results"),
        part(20_000, 1_200_000, Unit::Characters, "results[0].body"),
    ];
    assert_eq!(
        said(parts, Limit::Bytes(30_000)),
        "[Showing 1 of 80 items of \"results\", 20000 of 1200000 characters of \"results[0].body\" (30KB limit). \
         Full output: /tmp/x.json]"
    );
    assert_eq!(
        said(vec![part(23, 214, Unit::Blocks, "")], Limit::Lines(2000)),
        "[Showing 23 of 214 blocks. Full output: /tmp/x.json]"
    );
}

#[test]
fn notice_counts_key_lines_by_position() {
    let long = "x".repeat(40_000);
    let (error, rest) = ("a.c:1:1: error: b\n", "build ... ok\n".repeat(50));
    let text = format!("start\n{rest}{error}{rest}");
    let cases = [
        (Keep::Tail, &text, "lines 86-102 and 1 key line before them of 102"),
        (Keep::Head, &text, "lines 1-17 and 1 key line after them of 102"),
        (Keep::Both { head: 4 }, &text, "lines 1-4 and 90-102 and 1 key line between them of 102"),
        (
            Keep::Tail,
            &format!("{error}{long}"),
            "last 30KB of line 2 (line is 40KB) and 1 key line before it",
        ),
        (
            Keep::Head,
            &format!("{long}\n{error}"),
            "first 30KB of line 1 (line is 40KB) and 1 key line after it",
        ),
    ];
    for (keep, text, expected) in cases {
        let bounds = Bounds::new(20, 30_000);
        let mut collector = Collector::new(bounds, keep).with_key_lines(KeySpace::Shared);
        collector.push(text);
        let kept = collector.finish_with(KeyForms::All);
        let mut raw = Counter::default();
        raw.push(text.as_bytes());
        let shown = Shown::of_text(&kept, raw.extent().lines, &raw, bounds);
        assert_eq!(shown.unwrap().to_string(), expected);
    }
}
