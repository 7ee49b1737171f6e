//! Key lines against a plain oracle that has the whole text.

use proptest::prelude::*;

use super::super::{Collector, Keep, TruncatedBy};
use super::*;
use crate::text::{Extent, TokenCounter, json_bytes};
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

/// The lines and bytes of `kept` that are no key lines of the text with the lines `all`.
fn ends(kept: &Truncation, all: &[&str]) -> Extent {
    let Extent { lines, bytes } = kept.output;
    let keys = kept.key_lines.iter().map(|key| all[as_index(key.line) - 1].len() as u64 + 1);
    Extent { lines: lines - kept.key_lines.len() as u64, bytes: bytes - keys.sum::<u64>() }
}

/// The text that shows lines up to `head`, the key lines of `kept`, and lines from `tail` on.
fn expected(all: &[&str], kept: &Truncation, head: &str, tail: &str, has_tail: bool) -> String {
    let total = all.len() as u64;
    let head_lines = kept.cut.unwrap().head.lines;
    let tail_lines = ends(kept, all).lines - head_lines;
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
    if has_tail && after <= total {
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
    assert_eq!(numbers(kept(&late, KeyForms::All)), [1, 2, 3, 4, 5]);
    assert_eq!(numbers(kept(&build(20), KeyForms::Strong)), [1, 2, 3, 4, 5, 20]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn shown_lines_are_those_of_the_text(
        text in text(), cuts in prop::collection::vec(0_usize..80, 0..30),
        max_lines in 1_u64..30, max_bytes in 1_u64..600, max_tokens in prop::option::of(1_u64..200),
        is_json: bool, keep in 0_usize..5, is_strong: bool,
    ) {
        let bytes_as = if is_json { BytesAs::Json } else { BytesAs::Text };
        let bounds = Bounds { lines: max_lines, bytes: max_bytes, bytes_as, tokens: max_tokens };
        let keep = [Keep::WholeLines, Keep::Head, Keep::Tail, Keep::Both { head: max_lines / 3 }, Keep::Short { bytes: max_bytes * 2 / 3 }][keep];
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
        let (cut, has_tail) = (kept.cut.unwrap(), matches!(keep, Keep::Tail | Keep::Both { .. } | Keep::Short { .. }));
        prop_assert_eq!(cut.by, plain.cut.unwrap().by);
        prop_assert_eq!(kept.total, plain.total);
        // The ends are those that the limits leave.
        let tail_bytes = as_index(ends(&kept, &all).bytes - cut.head.bytes);
        let body = text.strip_suffix('\n').unwrap_or(&text);
        let head = if has_tail { body[..as_index(cut.head.bytes)].strip_suffix('\n').unwrap_or("") } else { &body[..as_index(ends(&kept, &all).bytes)] };
        let tail = if has_tail { &body[body.len() - tail_bytes..] } else { "" };
        prop_assert_eq!(&kept.content, &expected(&all, &kept, head, tail, has_tail));
        // All of it is within the limits, and the ends have at least half.
        let shown = lines(&kept.content).len() as u64 + u64::from(kept.content.ends_with('\n'));
        prop_assert!(shown <= max_lines, "{:?}", kept);
        let bytes = if is_json { json_bytes(&kept.content) } else { kept.content.len() as u64 };
        prop_assert!(bytes <= max_bytes, "{:?}", kept);
        prop_assert!(max_tokens.is_none_or(|max| TokenCounter::of(&kept.content).count() <= max), "{:?}", kept);
        if matches!(keep, Keep::WholeLines | Keep::Head | Keep::Tail) {
            let least = collect(bounds.without(bounds.each(|limit| limit / 2).amount()), keep, KeySpace::Shared, KeyForms::None, &[&text]);
            prop_assert!(ends(&kept, &all).lines >= least.output.lines && ends(&kept, &all).bytes >= least.output.bytes);
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
                // A later line of a kind can be shown as context.
                let is_first = all.iter().position(|other| is_same(&other)) == Some(as_index(key.line) - 1);
                if is_stored && is_first && text.len() as u64 <= max_bytes / 2 {
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
        let limits = Bounds { tokens: max_tokens, ..Bounds::new(90, max_bytes) };
        let bounds = Bounds { lines: head + tail, ..limits };
        let plain = collect(bounds, keep, KeySpace::Beside(limits), KeyForms::None, &[&text]);
        let kept = collect(bounds, keep, KeySpace::Beside(limits), KeyForms::All, &[&text]);
        prop_assert_eq!(ends(&kept, &lines(&text)), plain.output);
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
fn markers_with_numbers_of_any_length_are_within_the_limit_of_tokens() {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let line = |n: usize| match n {
        10_000..50_000 if n.is_multiple_of(12) => {
            format!("error: no {0}{1}{2}{0}{1}{2}\n", letter(n / 12), letter(n / 312), letter(n / 8112))
        }
        _ => "ok\n".to_owned(),
    };
    let text: String = (0..110_000).map(line).collect();
    for most in [400, 1000, 2000, 8000] {
        let bounds = Bounds { tokens: Some(most), ..Bounds::new(10_000, 400_000) };
        let kept = collect(bounds, Keep::Tail, KeySpace::Shared, KeyForms::All, &[&text]);
        assert!(kept.key_lines.len() > 1, "{most}");
        let tokens = TokenCounter::of(&kept.content).count();
        assert!(tokens <= most, "{tokens} of {most}");
    }
}

#[test]
fn space_that_key_lines_do_not_need_shows_more_of_the_end() {
    let text = "error: here\n".to_owned() + &"build ... ok\n".repeat(1000);
    let kept = of_tail(100, &text);
    assert_eq!((ends(&kept, &lines(&text)).lines, kept.output.lines), (98, 99));
    assert!(kept.content.starts_with("error: here\n[...lines 2-903 omitted...]\nbuild ... ok\n"));
}

#[test]
fn key_lines_after_a_line_that_exceeds_the_limits_are_shown() {
    let text = format!("start\n{}\nerror: here\nend\n", "x".repeat(1000));
    let kept = collect(Bounds::new(10, 500), Keep::WholeLines, KeySpace::Shared, KeyForms::All, &[&text]);
    assert_eq!(kept.content, "start\n[...lines 2-2 omitted...]\nerror: here\nend");
}

#[test]
fn start_keeps_half_of_the_limits_if_it_reaches_key_lines() {
    let error = "error: two lines\n  --> a.rs:1:2\n";
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: b\n";
    let text = format!(
        "ok a\n(lines 1 to 2)\n{error}test 1 FAILED\nok aa\n{trace}{error}test 10 FAILED\n{trace}test 1 FAILED\n{trace}"
    );
    let bounds = Bounds { tokens: Some(113), ..Bounds::new(16, 292) };
    let keep = Keep::WholeLines;
    let kept = collect(bounds, keep, KeySpace::Shared, KeyForms::All, &[&text]);
    let least = collect(
        bounds.without(bounds.each(|limit| limit / 2).amount()),
        keep,
        KeySpace::Shared,
        KeyForms::None,
        &[&text],
    );
    assert!(ends(&kept, &lines(&text)).lines >= least.output.lines, "{kept:?}");
}

#[test]
fn end_of_an_oversized_line_leaves_space_for_key_lines() {
    let text = "error: here\n".to_owned() + &"x".repeat(100_000);
    let kept = of_tail(100, &text);
    assert_eq!(kept.cut.unwrap().by, TruncatedBy::Bytes);
    assert!(kept.content.starts_with("error: here\nxxxx"));
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
    // After 20,000 kinds, nothing is added.
    assert!(sizes[2].abs_diff(sizes[3]) < 5000 && sizes[3] < 4_000_000, "{sizes:?}");
    let kept = collector.finish_with(KeyForms::All);
    assert_eq!(kept.key_lines[0], KeyLine { line: 1, count: 1 });
    let reports = kept.reports.unwrap();
    assert_eq!((reports.lines, reports.kinds, reports.is_at_least), (20_000, 20_000, true));
}

/// Returns the numbers of the key lines, and the facts about reports.
fn facts(kept: &Truncation) -> (Vec<u64>, Reports) {
    (kept.key_lines.iter().map(|key| key.line).collect(), kept.reports.clone().unwrap())
}

const PASSED: &str = "build ... ok\n";

#[test]
fn one_line_of_each_kind_is_shown_and_the_others_are_counted() {
    let error = |n: u64| format!("a.c:{n}:1: error: no such member\n");
    let text = (1..=100).map(error).collect::<String>() + "b.c:7:1: error: another\n" + &PASSED.repeat(50);
    let kept = of_tail(20, &text);
    let (lines, reports) = facts(&kept);
    // The lines near a report are shown if they differ from it.
    assert_eq!(lines, [1, 101]);
    let (kinds, is_at_least) = (2, false);
    assert_eq!(reports, Reports { lines: 101, kinds, is_at_least, alike: vec![(1, 99)], hidden: None });
    assert_eq!(kept.key_lines[0], KeyLine { line: 1, count: 100 });
}

#[test]
fn lines_that_the_end_repeats_are_not_shown() {
    let text =
        format!("test a FAILED\n{}test b FAILED\n{}test a FAILED\n", PASSED.repeat(9), PASSED.repeat(50));
    let (lines, reports) = facts(&of_tail(10, &text));
    assert_eq!(lines, [11]);
    assert_eq!((reports.lines, reports.kinds, reports.alike), (3, 2, vec![(62, 1)]));
    // Other kinds come before those of which the end shows a similar line.
    let names = ('a'..='e').map(|name| format!("error: no {name}\n")).collect::<Vec<_>>().concat();
    let text = format!("test 1 FAILED\n{}{names}{}test 2 FAILED\n", PASSED.repeat(9), PASSED.repeat(50));
    assert_eq!(facts(&of_tail(10, &text)).0, [11, 12, 13]);
}

#[test]
fn kinds_without_space_are_reported() {
    let names = ('a'..='z').map(|name| format!("error: no {name}\n")).collect::<Vec<_>>().concat();
    let (lines, reports) = facts(&of_tail(10, &(names + &PASSED.repeat(50))));
    assert_eq!(lines, [1, 2, 3, 4]);
    assert_eq!((reports.lines, reports.kinds, reports.hidden), (26, 26, Some((22, 5))));
}

#[test]
fn reports_that_the_line_after_them_shows_are_counted_as_shown() {
    let report = |(name, line)| format!("{name} imported but unused\n --> a.py:{line}:1\n");
    let text = [("os", 1), ("re", 2), ("os", 3)].map(report).concat() + &PASSED.repeat(50);
    let (lines, reports) = facts(&of_tail(20, &text));
    assert_eq!(lines, [1, 2, 3, 4, 5, 6]);
    assert_eq!((reports.lines, reports.kinds, reports.hidden), (3, 2, None));
    assert_eq!(reports.alike, []);
}

#[test]
fn lines_near_a_report_are_shown_nearest_first_until_a_success() {
    let log = |from: u64| (from..from + 40).map(|n| format!("row {n} stored\n")).collect::<Vec<_>>().concat();
    let report = "start of f\n\na.c:9: Failure\n  left: 1\n\n  right: two\n";
    let text = format!("{}ok\ntest a passed\n{report}test b passed\n  no more\n{}", log(0), log(40));
    assert_eq!(facts(&of_tail(40, &text)).0, (43..=48).collect::<Vec<_>>());
    let names = || (b'a'..=b'z').map(char::from);
    let around = |of: &str| names().map(|name| format!("{of} {name}{name}\n")).collect::<Vec<_>>().concat();
    let text = format!("{}error: no x\n{}{}", around("before"), around("after"), PASSED.repeat(200));
    assert_eq!(facts(&of_tail(20, &text)).0, (23..=30).collect::<Vec<_>>());
    assert_eq!(facts(&of_tail(100, &text)).0, (22..=37).collect::<Vec<_>>());
}

#[test]
fn location_is_shown_with_its_report_and_frames_of_libraries_come_last() {
    let names =
        ('a'..='z').map(|name| format!("error: no {name}\n  --> a.rs:1:2\n")).collect::<Vec<_>>().concat();
    assert_eq!(facts(&of_tail(12, &(names + &PASSED.repeat(50)))).0, [1, 2, 3, 4, 5]);
    let library = "    at a (node_modules/x/a.js:1:2)\n    at b (node_modules/x/b.js:1:2)\n";
    let text = format!("Error: no\n{library}    at own (src/own.js:1:2)\n{}", PASSED.repeat(50));
    let kept = of_tail(8, &text);
    assert!(kept.content.contains("at own (src/own.js:1:2)\n"), "{kept:?}");
}

#[test]
fn name_of_the_file_above_a_report_without_a_location_is_shown() {
    let finding = |name: char| format!("  1:5  error  '{name}' is not defined  no-undef\n");
    let file =
        |path: &str, names: &str| format!("{path}\n{}\n", names.chars().map(finding).collect::<String>());
    let text = file("src/a.js", "abcdefgh") + &file("src/b.js", "ax") + &PASSED.repeat(50);
    assert_eq!(facts(&of_tail(14, &text)).0, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn short_gaps_are_shown_instead_of_markers() {
    let between = |line: &str, times| {
        let lines = format!("{line}\n").repeat(times);
        of_tail(40, &format!("error: no a\n{lines}error: no b\n{}", PASSED.repeat(100))).content
    };
    for (line, times) in [("", 1), ("a passed line ok", 1), ("a passed line ok", 3), ("", 9)] {
        let lines = format!("{line}\n").repeat(times);
        assert!(
            between(line, times).starts_with(&format!("error: no a\n{lines}error: no b\n[...")),
            "{line} {times}"
        );
    }
    assert!(
        between("a passed line ok", 4)
            .starts_with("error: no a\n[...lines 2-5 omitted...]\nerror: no b\n[...")
    );
}

#[test]
fn a_text_without_status_needs_evidence() {
    let shown = |report: &str| {
        let text = format!("the page was not found\n\n\n\n{report}\n{}", PASSED.repeat(100));
        let kept = collect(Bounds::new(20, 30_000), Keep::Tail, KeySpace::Shared, KeyForms::Strong, &[&text]);
        kept.key_lines.iter().any(|key| key.line == 5)
    };
    let cases = [
        ("error: no page", true),
        ("shows a bus error in the middle", false),
        ("shows a bus error in the middle\nand a syntax error", true),
        ("shows a bus error in the middle\n    at f (a.js:1:2)", true),
        ("the end", false),
    ];
    for (report, expected) in cases {
        assert_eq!(shown(report), expected, "{report}");
    }
}

#[test]
fn a_text_that_describes_failures_has_no_key_lines() {
    let phrase =
        |letter: char| format!("the option {} is not found there,\n", String::from(letter).repeat(3));
    let manual = ('a'..='z').map(phrase).collect::<Vec<_>>().concat();
    let rest = "The rest of the manual.\n".repeat(200);
    let shown = |text: &str, forms| {
        collect(Bounds::new(40, 3000), Keep::Tail, KeySpace::Shared, forms, &[text]).key_lines.len()
    };
    let text = format!("cannot be combined with others.\nfailed to start.\n{manual}{rest}");
    assert_eq!(shown(&text, KeyForms::Strong), 0);
    assert!(shown(&text, KeyForms::All) > 0);
    // A report with a location is none of the description.
    let reports =
        "src/a.c:3:5: error: no such member\nsrc/b.c:3:5: error: no such type\nsrc/c.c:9:1: error: no main\n";
    assert!(shown(&format!("{reports}{text}"), KeyForms::Strong) > 0);
}

#[test]
fn a_short_text_has_its_first_and_last_lines_and_one_report_of_each_kind() {
    let short = |text: &str| {
        collect(
            Bounds::new(2000, 12_000),
            Keep::Short { bytes: 5000 },
            KeySpace::Shared,
            KeyForms::All,
            &[text],
        )
    };
    let rows = |rows: std::ops::RangeInclusive<u64>| {
        rows.map(|n| format!("row {n} stored\n")).collect::<Vec<_>>().concat()
    };
    let kept = short(&rows(1..=500));
    assert_eq!((kept.cut, &*kept.content), (None, &*rows(1..=500)));
    let kept = short(&rows(1..=1000));
    let end = rows(961..=1000);
    let marker = "[...Output truncated: 950 lines omitted...]";
    assert_eq!(kept.clone().into_marked(), format!("{}{marker}\n{}", rows(1..=10), end.trim_end()));
    assert_eq!(kept.cut.map(|cut| (cut.by, cut.head.lines)), Some((TruncatedBy::Bytes, 10)));
    let error = "error: no space\n";
    let kept = short(&format!("{}{error}{}{error}{}", rows(1..=500), rows(501..=700), rows(701..=1000)));
    assert_eq!(facts(&kept).0, [501]);
    assert!(kept.content.ends_with(rows(981..=1000).trim_end()), "{}", kept.content);
    assert_eq!(facts(&kept).1.alike, [(501, 1)]);
    assert!(kept.content.len() < 5000);
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
