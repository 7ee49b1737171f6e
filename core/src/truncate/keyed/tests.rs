//! Key lines against a plain oracle that has the whole text.

use proptest::prelude::*;

use super::super::{Collector, Keep, TruncatedBy};
use super::*;
use crate::text::json_bytes;
use crate::truncate::BytesAs;

/// Lines of a build, of which some report an error.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "(ok|building|é) [a-d]{0,9}",
        1 => ("[a-c]", 1..99_u32).prop_map(|(name, n)| format!("src/{n}.c:{n}:5: error: no {name}")),
        1 => (1..99_u32).prop_map(|n| format!("test {n} FAILED")),
        1 => Just("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: b".to_owned()),
        1 => Just("error: two lines\n  --> a.rs:1:2".to_owned()),
        1 => Just("[...lines 1-2 omitted...]".to_owned()),
        1 => Just("(lines 1 to 2)".to_owned()),
        1 => Just("*** 12".to_owned()),
        1 => Just(String::new()),
        1 => "[a-d]{0,300}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..60), prop::bool::ANY).prop_map(|(lines, is_ended)| {
        let end = if is_ended { "\n" } else { "" };
        lines.join("\n") + end
    })
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

/// `text` in pieces that are cut at any characters.
fn pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    for cut in cuts {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(*cut));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn collect(bounds: Bounds, keep: Keep, space: KeySpace, forms: KeyForms, pieces: &[&str]) -> Truncation {
    let mut collector = Collector::new(bounds, keep).with_key_lines(space);
    for piece in pieces {
        collector.push(piece);
    }
    collector.finish_with(forms)
}

/// The text that shows lines up to `head`, the key lines of `kept`, and lines from `tail` on.
fn expected(all: &[&str], kept: &Truncation, head: &str, tail: &str, has_tail: bool) -> String {
    let total = all.len() as u64;
    let head_lines = kept.cut.unwrap().head.lines;
    let tail_lines = kept.ends().lines - head_lines;
    let mut rows: Vec<String> = if head_lines > 0 { vec![head.to_owned()] } else { Vec::new() };
    let mut last = head_lines;
    for key in &kept.key_lines {
        if key.line > last + 1 {
            rows.push(format!("[...lines {}-{} omitted...]", last + 1, key.line - 1));
        }
        rows.push(all[as_index(key.line) - 1].to_owned());
        last = key.line;
    }
    let after = total + 1 - tail_lines;
    if after > last + 1 {
        rows.push(format!("[...lines {}-{} omitted...]", last + 1, after - 1));
    }
    if has_tail {
        rows.push(format!("(lines {after} to {total})"));
        rows.push(tail.to_owned());
    }
    rows.join("\n")
}

#[test]
fn without_a_report_in_the_omitted_part_nothing_changes() {
    let build = |report: u64| {
        let line = |n| match n {
            5 => "the file was not found here\n".to_owned(),
            n if n == report => "error: no space\n".to_owned(),
            n => format!("row {n}\n"),
        };
        (1..=40).map(line).collect::<String>()
    };
    let bounds = Bounds::new(20, 30_000);
    let kept = |text: &str, forms| collect(bounds, Keep::Tail, KeySpace::Shared, forms, &[text]);
    // The end of the text includes the report as soon as it gets the space that key lines do not need.
    let late = build(30);
    assert_eq!(kept(&late, KeyForms::Strong), kept(&late, KeyForms::None));
    let numbers = |kept: Truncation| kept.key_lines.iter().map(|key| key.line).collect::<Vec<_>>();
    assert_eq!(numbers(kept(&late, KeyForms::All)), [4, 5, 6]);
    assert_eq!(numbers(kept(&build(20), KeyForms::Strong)), [4, 5, 6, 19, 20, 21]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn shown_lines_are_those_of_the_text(
        text in text(), cuts in prop::collection::vec(0_usize..80, 0..30),
        max_lines in 1_u64..30, max_bytes in 1_u64..600, max_tokens in prop::option::of(1_u64..200),
        is_json: bool, keep in 0_usize..4, is_strong: bool,
    ) {
        let bytes_as = if is_json { BytesAs::Json } else { BytesAs::Text };
        let bounds = Bounds::new(max_lines, max_bytes).with_tokens(max_tokens).counted_as(bytes_as);
        let keep = [Keep::WholeLines, Keep::Head, Keep::Tail, Keep::Both { head: max_lines / 3 }][keep];
        let forms = if is_strong { KeyForms::Strong } else { KeyForms::All };
        let kept = collect(bounds, keep, KeySpace::Shared, forms, &[&text]);
        // Any pieces give the same.
        prop_assert_eq!(&kept, &collect(bounds, keep, KeySpace::Shared, forms, &pieces(&text, &cuts)));
        let plain = collect(bounds, keep, KeySpace::Shared, KeyForms::None, &[&text]);
        if kept.key_lines.is_empty() {
            prop_assert_eq!(kept, plain);
            return Ok(());
        }
        let all = lines(&text);
        let (cut, has_tail) = (kept.cut.unwrap(), matches!(keep, Keep::Tail | Keep::Both { .. }));
        prop_assert_eq!(cut.by, plain.cut.unwrap().by);
        prop_assert_eq!(kept.total, plain.total);
        // The ends are those that the limits leave.
        let tail_bytes = as_index(kept.ends().bytes - cut.head.bytes);
        let body = text.strip_suffix('\n').unwrap_or(&text);
        let head = if has_tail { body[..as_index(cut.head.bytes)].strip_suffix('\n').unwrap_or("") } else { &body[..as_index(kept.ends().bytes)] };
        let tail = if has_tail { &body[body.len() - tail_bytes..] } else { "" };
        prop_assert_eq!(&kept.content, &expected(&all, &kept, head, tail, has_tail));
        // All of it is within the limits, and the ends have at least half.
        let shown = lines(&kept.content).len() as u64 + u64::from(kept.content.ends_with('\n'));
        prop_assert!(shown <= max_lines, "{:?}", kept);
        let bytes = if is_json { json_bytes(&kept.content) } else { kept.content.len() as u64 };
        prop_assert!(bytes <= max_bytes, "{:?}", kept);
        prop_assert!(max_tokens.is_none_or(|max| TokenCounter::of(&kept.content).count() <= max), "{:?}", kept);
        if matches!(keep, Keep::WholeLines | Keep::Head | Keep::Tail) {
            let least = collect(rest_of(bounds, half(bounds)), keep, KeySpace::Shared, KeyForms::None, &[&text]);
            prop_assert!(kept.ends().lines >= least.output.lines && kept.ends().bytes >= least.output.bytes);
        }
        // Each key line is there once, and counted.
        prop_assert!(kept.key_lines.windows(2).all(|two| two[0].line < two[1].line));
        for key in &kept.key_lines {
            let line = all[as_index(key.line) - 1];
            if line.contains("error: no") || line.contains("FAILED") {
                let first = line.split(char::is_numeric).next().unwrap();
                let is_same = |other: &&&str| other.starts_with(first) && other.chars().next_back() == line.chars().next_back();
                let count = all.iter().filter(is_same).count() as u64;
                prop_assert!(key.count <= count, "{}", line);
                // The lines of a template are counted from the first one that the limits allow to store.
                let is_stored = all.iter().filter(is_same).all(|other| other.len() as u64 <= max_bytes / 8);
                if is_stored && text.len() as u64 <= max_bytes / 2 {
                    prop_assert_eq!(key.count, count, "{}", line);
                }
            }
        }
    }

    #[test]
    fn requested_lines_stay(
        text in text(), head in 0_u64..5, tail in 0_u64..30, max_bytes in 1_u64..2000, max_tokens in prop::option::of(1_u64..600),
    ) {
        prop_assume!(head + tail > 0);
        let keep = match (head, tail) { (0, _) => Keep::Tail, (_, 0) => Keep::Head, _ => Keep::Both { head } };
        let limits = Bounds::new(90, max_bytes).with_tokens(max_tokens);
        let bounds = Bounds { lines: head + tail, ..limits };
        let plain = collect(bounds, keep, KeySpace::Beside(limits), KeyForms::None, &[&text]);
        let kept = collect(bounds, keep, KeySpace::Beside(limits), KeyForms::All, &[&text]);
        prop_assert_eq!(kept.ends(), plain.output);
        prop_assert_eq!(kept.cut, plain.cut);
        if kept.key_lines.is_empty() {
            prop_assert_eq!(kept, plain);
            return Ok(());
        }
        prop_assert!(kept.key_lines.len() as u64 <= (head + tail).max(20), "{:?}", kept);
        prop_assert!(kept.content.len() as u64 <= max_bytes, "{:?}", kept);
        prop_assert!(max_tokens.is_none_or(|max| TokenCounter::of(&kept.content).count() <= max), "{:?}", kept);
        let head = as_index(plain.cut.unwrap().head.bytes);
        prop_assert!(kept.content.starts_with(&plain.content[..head]));
        if tail > 0 {
            prop_assert!(kept.content.ends_with(&plain.content[head..]));
        }
    }
}

fn of_tail(lines: u64, text: &str) -> Truncation {
    collect(Bounds::new(lines, 30_000), Keep::Tail, KeySpace::Shared, KeyForms::All, &[text])
}

#[test]
fn few_lines_of_a_template_are_shown_after_others() {
    let error = |n: u64| format!("a.c:{n}:1: error: no such member\n");
    let other = "b.c:7:1: error: another\n";
    let text = |times| (1..=times).map(error).collect::<String>() + other + &"build ... ok\n".repeat(50);
    let shown = |lines, times| {
        let kept = of_tail(lines, &text(times));
        kept.key_lines.iter().map(|key| (key.line, key.count)).collect::<Vec<_>>()
    };
    assert_eq!(shown(10, 1000), [(1, 1000), (1001, 1)]);
    let few: Vec<_> = (1..=6).map(|line| (line, 1000)).chain([(1001, 1)]).collect();
    assert_eq!(shown(40, 1000), few);
    assert_eq!(shown(20, 3), [(1, 3), (2, 3), (3, 3), (4, 1)]);
}

#[test]
fn space_that_key_lines_do_not_need_shows_more_of_the_end() {
    let text = "error: here\n".to_owned() + &"build ... ok\n".repeat(1000);
    let kept = of_tail(100, &text);
    assert_eq!((kept.ends().lines, kept.output.lines), (97, 98));
    assert!(
        kept.content
            .starts_with("error: here\n[...lines 2-904 omitted...]\n(lines 905 to 1001)\nbuild ... ok\n")
    );
}

#[test]
fn start_keeps_half_of_the_limits_if_it_reaches_key_lines() {
    let error = "error: two lines\n  --> a.rs:1:2\n";
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: b\n";
    let text = format!(
        "ok a\n(lines 1 to 2)\n{error}test 1 FAILED\nok aa\n{trace}{error}test 10 FAILED\n{trace}test 1 FAILED\n{trace}"
    );
    let bounds = Bounds::new(16, 292).with_tokens(Some(113));
    let keep = Keep::WholeLines;
    let kept = collect(bounds, keep, KeySpace::Shared, KeyForms::All, &[&text]);
    let least = collect(rest_of(bounds, half(bounds)), keep, KeySpace::Shared, KeyForms::None, &[&text]);
    assert!(kept.ends().lines >= least.output.lines, "{kept:?}");
}

#[test]
fn end_of_an_oversized_line_leaves_space_for_key_lines() {
    let text = "error: here\n".to_owned() + &"x".repeat(100_000);
    let kept = of_tail(100, &text);
    assert_eq!(kept.cut.unwrap().by, TruncatedBy::Bytes);
    assert!(kept.content.starts_with("error: here\n(lines 2 to 2)\nxxxx"));
    assert!(kept.content.len() <= 30_000 && kept.content.len() > 29_900);
}

#[test]
fn memory_does_not_grow_with_the_text() {
    let bounds = Bounds::new(100, 1000);
    let mut collector = Collector::new(bounds, Keep::Tail).with_key_lines(KeySpace::Shared);
    let mut sizes = Vec::new();
    for n in 0..40_000_u32 {
        let words: String = n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
        collector.push(&format!("error: no {words}\n{words}\n"));
        if n % 10_000 == 9_999 {
            sizes.push(format!("{collector:?}").len());
        }
    }
    assert!(sizes.iter().all(|size| *size < sizes[0] + 2000 && *size < 300_000), "{sizes:?}");
    let kept = collector.finish_with(KeyForms::All);
    assert_eq!(kept.key_lines[0], KeyLine { line: 1, count: 1 });
}

#[test]
fn context_is_the_lines_around_a_report_that_differ() {
    let log = |from: u64| (from..from + 40).map(|n| format!("row {n} stored\n")).collect::<Vec<_>>().concat();
    let report = "start of f\n\na.c:9: Failure\n  left: 1\n\n  right: two\n";
    let text = format!("{}{report}{}", log(0), log(40));
    let shown: Vec<_> = of_tail(40, &text).key_lines.iter().map(|key| (key.line, key.count)).collect();
    // An empty line costs less than a marker. Of the rows, the nearest one is shown.
    assert_eq!(shown, (40..=47).map(|line| (line, 1)).collect::<Vec<_>>());
    // A success ends the context.
    let text = format!("{}ok\ntest a passed\n{report}test b passed\n  no more\n{}", log(0), log(40));
    let shown: Vec<_> = of_tail(40, &text).key_lines.iter().map(|key| key.line).collect();
    assert_eq!(shown, (43..=48).collect::<Vec<_>>());
}

#[test]
fn context_has_all_locations_of_a_trace() {
    let frame = |n| format!("   {n}: shop::f{n}\n       at ./src/f.rs:{n}:5\n");
    let frames = (1..=9).map(frame).collect::<Vec<_>>().concat();
    let text =
        format!("thread panicked at f.rs:1:5\nstack backtrace:\n{frames}{}", "build ... ok\n".repeat(100));
    let shown: Vec<_> = of_tail(50, &text).key_lines.iter().map(|key| key.line).collect();
    assert_eq!(shown, (1..=20).collect::<Vec<_>>());
}

#[test]
fn context_is_shown_nearest_first_in_the_space_that_reports_leave() {
    let names = || (b'a'..=b'z').map(char::from);
    let around = |of: &str| names().map(|name| format!("{of} {name}{name}\n")).collect::<Vec<_>>().concat();
    let text =
        format!("{}error: no x\n{}{}", around("before"), around("after"), "build ... ok\n".repeat(200));
    let shown = |lines| of_tail(lines, &text).key_lines.iter().map(|key| key.line).collect::<Vec<_>>();
    assert_eq!(shown(20), (24..=30).collect::<Vec<_>>());
    assert_eq!(shown(40), (19..=35).collect::<Vec<_>>());
    assert_eq!(shown(100), (15..=51).collect::<Vec<_>>());
    let reports = names().map(|name| format!("error: no {name}\n")).collect::<Vec<_>>().concat();
    let kept = of_tail(20, &format!("error: no 1\n  of a\n  in b\n  at c\n{reports}{}", around("after")));
    assert!(kept.content.starts_with("error: no 1\n[...lines 2-4 omitted...]\nerror: no a\n"), "{kept:?}");
}

#[test]
fn context_of_reports_that_are_shown_leaves_space_for_that_of_others() {
    let name =
        |n: usize| n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>();
    let details =
        |n: usize| (0..6).map(|m| format!("  {} of {}\n", name(m), name(n))).collect::<Vec<_>>().concat();
    let reports =
        (0..120).map(|n| format!("error: no {}\n{}", name(n), details(n))).collect::<Vec<_>>().concat();
    let ok = "build ... ok\n".repeat(3000);
    let text = format!("{reports}{ok}fatal: the last one\n  because of it\n{ok}");
    let bounds = Bounds::new(2000, 2 * reports.len() as u64);
    let kept = collect(bounds, Keep::Head, KeySpace::Shared, KeyForms::All, &[&text]);
    assert!(kept.content.contains("fatal: the last one\n  because of it\n"), "{kept:?}");
}

#[test]
fn context_of_a_report_does_not_depend_on_its_heading_or_arrow() {
    let ok = "build ... ok\n".repeat(100);
    for report in [
        "  1) Array\n     returns -1:\n\n     AssertionError: no\n     at a.js\n",
        "why a\nwhy b\na name was used\n  --> a.rs:1:2\n  its note\n",
        "ERROR shop: no a\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    pay()\nValueError: b\n",
        "error: no a\n  detail\nTests: 1 failed, 3 passed\nTests: 2 failed, 3 passed\n  detail b\n",
    ] {
        let kept = of_tail(60, &format!("{ok}{report}{ok}"));
        assert!(kept.content.contains(&format!("[...lines 1-100 omitted...]\n{report}[...")), "{kept:?}");
    }
}

#[test]
fn messages_of_a_text_without_status_count_only_next_to_a_report() {
    let shown = |report: &str| {
        let text = format!("the page was not found\n{report}\n{}", "build ... ok\n".repeat(100));
        let kept = collect(Bounds::new(20, 30_000), Keep::Tail, KeySpace::Shared, KeyForms::Strong, &[&text]);
        kept.key_lines.iter().map(|key| key.line).collect::<Vec<_>>()
    };
    assert_eq!(shown("error: no page"), [1, 2]);
    assert_eq!(shown("the end"), [0; 0]);
}

#[test]
fn passages_unlike_all_other_lines_are_shown_if_nothing_else_is_found() {
    let rows = |lines: u64| (1..=lines).map(|n| format!("row {n} stored\n")).collect::<Vec<_>>().concat();
    let passage = |name: char| format!("checksum of {name}{name}\n\n  stored by {name}{name}\n");
    let shown = |passages: &[char]| {
        let parts = passages.iter().map(|name| rows(150) + &passage(*name)).collect::<Vec<_>>().concat();
        of_tail(40, &(parts + &rows(150))).key_lines.iter().map(|key| key.line).collect::<Vec<_>>()
    };
    assert_eq!(shown(&['a']), [151, 153]);
    // There are at least 100 lines for each passage.
    assert_eq!(shown(&['a', 'b']), [151, 153, 304, 306]);
    let text = rows(60) + &passage('a') + &rows(60) + &passage('b');
    assert_eq!(of_tail(40, &(text + &rows(60))).key_lines, []);
    let text = format!("{}error: no row\n{}{}{}", rows(150), rows(150), passage('a'), rows(150));
    assert_eq!(of_tail(40, &text).key_lines[0].line, 150);
}

#[test]
fn requested_lines_limit_the_number_of_key_lines() {
    let text = (1..=400)
        .map(|n| format!("src/{n}.c:1:1: error: no {}\n", "x".repeat(n)))
        .collect::<Vec<_>>()
        .concat();
    let shown = |tail| {
        let (limits, bounds) = (Bounds::new(2000, 300_000), Bounds::new(tail, 300_000));
        collect(bounds, Keep::Tail, KeySpace::Beside(limits), KeyForms::All, &[&text]).key_lines.len()
    };
    assert_eq!([5, 20, 21, 50].map(shown), [20, 20, 21, 50]);
}

#[test]
fn a_single_line_between_key_lines_is_shown_unless_its_marker_is_shorter() {
    // A line that reports a success is no context.
    let between = |line: &str| {
        let text = format!("error: no a\n{line}\nerror: no b\n{}", "build ... ok\n".repeat(100));
        of_tail(20, &text).content
    };
    for line in ["", "a line like a marker ok"] {
        assert!(between(line).starts_with(&format!("error: no a\n{line}\nerror: no b\n[...")), "{line}");
    }
    let shown = "error: no a\n[...lines 2-2 omitted...]\nerror: no b\n[...";
    assert!(between(&format!("{} ok", "-".repeat(40))).starts_with(shown));
}
