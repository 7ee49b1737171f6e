//! Searching one file: its lines, their context, lines of any length.

use std::io::{Seek as _, Write as _};

use super::matcher::{Ended, GuardedMatcher};
use super::pattern::{Case, LineMode, Source, Syntax};
use super::*;
use grep_matcher::Matcher as _;
use proptest::prelude::*;

fn query(pattern: &str, context: usize) -> Query {
    let source = Source { pattern, syntax: Syntax::Regex, case: Case::Counts, reach: LineMode::Line };
    let what = OutputMode::Lines { context };
    Query {
        pattern: Pattern::new(&source).unwrap(),
        what,
        enough: u64::MAX,
        max_line_chars: 40,
        ranking: None,
    }
}

/// A query of which matches may span lines.
fn across(pattern: &str) -> Query {
    let source = Source { pattern, syntax: Syntax::Regex, case: Case::Counts, reach: LineMode::Lines };
    Query { pattern: Pattern::new(&source).unwrap(), ..query("x", 0) }
}

/// The rows of a file: `10:text` for a match line, `9-text` for one that stands near.
fn search(query: &Query, content: &[u8]) -> (Vec<String>, Searched) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    let mut rows = Vec::new();
    let mut searcher = Searcher::new(query);
    let done = searcher.search(file, content.len() as u64, &Stop::default(), &mut |found| {
        rows.extend(found.iter().map(|row| {
            let mark = if row.kind == RowKind::Match { ':' } else { '-' };
            format!("{}{mark}{}", row.number, row.text)
        }));
        ControlFlow::Continue(())
    });
    (rows, done.unwrap())
}

/// The same by the definition.
fn oracle(is_match: impl Fn(&str) -> bool, text: &str, context: usize) -> Vec<String> {
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    if text.is_empty() {
        return Vec::new();
    }
    let mut near = vec![false; lines.len()];
    for n in (0..lines.len()).filter(|&n| is_match(lines[n])) {
        near[n.saturating_sub(context)..(n + context + 1).min(lines.len())].fill(true);
    }
    let row = |n: usize| format!("{}{}{}", n + 1, if is_match(lines[n]) { ':' } else { '-' }, lines[n]);
    (0..lines.len()).filter(|&n| near[n]).map(row).collect()
}

proptest! {
    #[test]
    fn rows_equal_a_plain_oracle(content in "([ab]{0,3}\n){0,30}[ab]{0,2}", context in 0_usize..4) {
        let (rows, _) = search(&query("aa", context), content.as_bytes());
        prop_assert_eq!(rows, oracle(|line| line.contains("aa"), &content, context));
        let (rows, _) = search(&query("^$", context), content.as_bytes());
        prop_assert_eq!(rows, oracle(str::is_empty, &content, context));
        let (rows, _) = search(&query(r"\Aa\z", context), content.as_bytes());
        prop_assert_eq!(rows, oracle(|line| line == "a", &content, context));
    }
}

/// Lines enough for several blocks, a match now and then.
fn large(step: usize) -> String {
    let line = |n: usize| {
        if n.is_multiple_of(step) { format!("needle {n}\n") } else { format!("line {n} of many\n") }
    };
    (0..60_000).map(line).collect()
}

#[test]
fn context_spans_blocks() {
    for step in [7, 5003] {
        let content = large(step);
        for context in [0, 1, 6] {
            let (rows, searched) = search(&query("needle", context), content.as_bytes());
            let expected = oracle(|line| line.contains("needle"), &content, context);
            assert!(rows == expected, "{step} {context}");
            assert_eq!(searched.matches, 60_000_u64.div_ceil(step as u64));
            let count = Query { what: OutputMode::Count, ..query("needle", 0) };
            assert_eq!(search(&count, content.as_bytes()), (Vec::new(), searched));
        }
    }
}

/// A line of `len` bytes with `word` at `at`.
fn giant(len: usize, word: &str, at: usize) -> String {
    format!("{}{word}{}", "x".repeat(at), "x".repeat(len - at - word.len()))
}

#[test]
fn giant_line_is_found_wherever_it_matches() {
    for at in [0, 9, 600_000, 999_990, 1_015_800, 1_245_170, 1_261_540, 1_699_990] {
        let content = format!("first\n{}\nlast needle\n", giant(1_700_000, " needle ", at));
        for pattern in ["needle", r"\bneedle\b", "ne+dle", "x*needle"] {
            let (rows, searched) = search(&query(pattern, 1), content.as_bytes());
            assert_eq!((rows.len(), searched.matches, searched.passed_over), (3, 2, None), "{pattern} {at}");
            assert!(rows[0] == "1-first" && rows[2] == "3:last needle", "{rows:?}");
            let middle_shows =
                rows[1].starts_with("2:") && (rows[1].contains("needle") || pattern == "x*needle");
            assert!(middle_shows, "{pattern} {at} {}", rows[1]);
        }
    }
}

#[test]
fn window_edges_are_no_line_edges() {
    let content = format!("{}\nend\n", giant(1_700_000, "y", 1_500_000));
    for pattern in ["^x{3}y", "xy$", r"\bx\b", "^y", "y$"] {
        let (rows, searched) = search(&query(pattern, 0), content.as_bytes());
        assert_eq!((rows.len(), searched.passed_over), (0, None), "{pattern}");
    }
    for pattern in ["^xx", "xx$", "^x"] {
        assert_eq!(search(&query(pattern, 0), content.as_bytes()).1.matches, 1, "{pattern}");
    }
    let crlf = format!("{}\r\nend\r\n", giant(1_700_000, "needle", 1_699_994));
    let (rows, _) = search(&query("needle$", 0), crlf.as_bytes());
    assert!(rows.len() == 1 && rows[0].ends_with("xneedle"), "{rows:?}");
}

#[test]
fn giant_line_as_context_shows_its_start() {
    let content = format!("needle\nstart {}\nneedle", giant(1_500_000, "y", 7));
    let (rows, searched) = search(&query("needle", 1), content.as_bytes());
    assert_eq!((rows.len(), searched.passed_over), (3, None));
    assert!(
        rows[1].starts_with("2-start xxxxxxxyxxx") && rows[1].ends_with("... [truncated]"),
        "{}",
        rows[1]
    );
    assert_eq!(rows[2], "3:needle");
}

#[test]
fn unsearchable_giant_line_is_reported() {
    let content = format!("{}\n", giant(1_700_000, "y", 1_500_000));
    let passed_over = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).1.passed_over;
    assert_eq!(passed_over("yx*z"), Some(PassedOver::LongLine));
    assert_eq!(passed_over("zx*"), None);
    assert_eq!(passed_over("zx{3}"), None);
    assert_eq!(passed_over("yx*"), None);
}

#[test]
fn utf16_blocks_are_decoded() {
    let content = large(5003);
    let mut bytes = vec![0xFE, 0xFF];
    bytes.extend(content.encode_utf16().flat_map(u16::to_be_bytes));
    let (rows, _) = search(&query("needle", 1), &bytes);
    assert!(rows == oracle(|line| line.contains("needle"), &content, 1));
}

#[test]
fn lone_return_is_a_character() {
    let content = "a\nc\rd\nfoo\rbar\nend\r\nfoo\r";
    let found = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).0;
    for pattern in ["foo.*bar", "foo.bar", r"foo\sbar", "foo[^x]bar", r"foo\rbar", "foo[\r]bar"] {
        assert_eq!(found(pattern), ["3:foo\rbar"], "{pattern}");
    }
    for pattern in ["^d", "c$", "foo$", "^$"] {
        assert!(found(pattern).is_empty(), "{pattern}");
    }
    assert_eq!(found("end$"), ["4:end"]);
    assert_eq!(found("^foo.$"), ["5:foo\r"]);
    for pattern in [r"\r$", r"\x0d$", "[\r]$", "\r$"] {
        assert_eq!(found(pattern), ["4:end", "5:foo\r"], "{pattern}");
    }
    assert_eq!(found("\r").len(), 4);
    assert_eq!(found("n[^\r\n]$"), ["4:end"]);
    let regular = "end\r\nno\r\nend \r\n\r\n";
    assert_eq!(search(&query("end$", 0), regular.as_bytes()).0, ["1:end"]);
    assert_eq!(search(&query("^$", 0), regular.as_bytes()).0, ["4:"]);
    assert_eq!(search(&query("d\r?$", 0), regular.as_bytes()).0, ["1:end"]);
}

#[test]
fn lone_return_in_giant_lines_and_across_lines() {
    let content = format!("{}\r\nend\n", giant(1_700_000, "foo\rbar", 800_000));
    for pattern in ["foo.bar", r"foo\rbar", "x$", "x\r$"] {
        assert_eq!(search(&query(pattern, 0), content.as_bytes()).1.matches, 1, "{pattern}");
    }
    assert_eq!(search(&query("^bar", 0), content.as_bytes()).1.matches, 0);
    assert_eq!(search(&across(r"a.b\nc"), "a\rb\nc\n".as_bytes()).0, ["1:a\rb", "2:c"]);
    assert_eq!(search(&across(r"b\r\nc"), "a\rb\r\nc\n".as_bytes()).0, ["1:a\rb", "2:c"]);
    assert_eq!(search(&across(r"a$\s+^c"), "a\r\nc\n".as_bytes()).0, ["1:a", "2:c"]);
}

#[test]
fn pattern_ending_with_a_comment_compiles() {
    for pattern in ["(?x) ne+dle # as often as it likes", "(?x) hay | (?: need (?-x: ) # one\n)?le #"] {
        assert_eq!(search(&query(pattern, 0), b"no\nneedle\n").0, ["2:needle"], "{pattern}");
    }
    assert_eq!(search(&query("dle #", 0), b"needle\nneedle #\n").0, ["2:needle #"]);
}

#[test]
fn newline_within_a_line_is_refused() {
    for (pattern, syntax) in
        [(r"foo\nbar", Syntax::Regex), ("foo\nbar", Syntax::Literal), (r"\r\n", Syntax::Regex)]
    {
        let source = Source { pattern, syntax, case: Case::Counts, reach: LineMode::Line };
        assert_eq!(Pattern::new(&source).unwrap_err(), pattern::Refused::Newline, "{pattern}");
    }
}

proptest! {
    #[test]
    fn line_ends_are_no_part_of_lines(content in "([ab\r]{0,3}\r?\n){0,12}[ab\r]{0,2}") {
        let shown: Vec<String> = content.split_inclusive('\n').map(|line| {
            let bare = line.strip_suffix("\r\n").or(line.strip_suffix('\n'));
            bare.unwrap_or(line).to_owned()
        }).collect();
        let expected = |is: &dyn Fn(&str) -> bool| -> Vec<String> {
            shown.iter().enumerate().filter(|(_, line)| is(line)).map(|(n, line)| format!("{}:{line}", n + 1)).collect()
        };
        let found = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).0;
        prop_assert_eq!(found("a$"), expected(&|line| line.ends_with('a')));
        prop_assert_eq!(found("^b"), expected(&|line| line.starts_with('b')));
        prop_assert_eq!(found("a.b"), expected(&|line| ["aab", "abb", "a\rb"].iter().any(|x| line.contains(x))));
        prop_assert_eq!(found("^$"), expected(&str::is_empty));
    }
}

/// Patterns as people use them across lines.
const ACROSS: [&str; 29] = [
    "needle$",
    "^needle",
    "^$",
    r"\s*$",
    r"\s*\z",
    r"^\s*\}",
    r"\{$",
    r"\{\n",
    r"\{\n\s*\}",
    r"\{\s*\}",
    r"fn \w+\(\)",
    r"fn \w+\(\) \{\n[^}]*\}",
    "(?s)fn.*?\\}",
    "(?s)/\\*.*?\\*/",
    r"\n\n",
    r"\n\n\n",
    r";\n",
    r"a;\n\s+b;",
    r"[^\n]+\n\}",
    r"[^;]$",
    r"end\.$",
    r"end.\n",
    r"\bb\b",
    r"\Bd",
    r"\B$",
    r"(?m)^use .*;$",
    r"(?:use .*;\n)+",
    r"\s+needle",
    r"needle\W+fn",
];

#[test]
fn patterns_find_the_same_in_lf_and_crlf_files() {
    let text = "use a;\nuse b;\n\n/* one\n   two */\nneedle\nfn main() {\n    a;\n    b;\n}\n\n\n{\n}\nend.\n needle\nend";
    for content in [text.to_owned(), format!("{text}\n"), format!("lone \r return\n{text}")] {
        let crlf = content.replace('\n', "\r\n");
        let mut found = 0;
        for pattern in ACROSS {
            let rows = search(&across(pattern), content.as_bytes()).0;
            assert_eq!(search(&across(pattern), crlf.as_bytes()).0, rows, "{pattern:?} in {crlf:?}");
            found += usize::from(!rows.is_empty());
            if !pattern.contains(r"\n") && !pattern.contains("(?s)") && !pattern.contains(r"\z") {
                let rows = search(&query(pattern, 1), content.as_bytes()).0;
                assert_eq!(search(&query(pattern, 1), crlf.as_bytes()).0, rows, "{pattern:?} by line");
            }
        }
        assert!(found > 24, "{found} of the patterns match");
    }
}

#[test]
fn lone_return_does_not_change_what_the_others_match() {
    let content = b"a needle\r\nlone \r here\r\nthe needle\r\n";
    assert_eq!(search(&across("needle$"), content).0, ["1:a needle", "3:the needle"]);
    assert_eq!(search(&across("needle.$"), content).0, [""; 0]);
    assert_eq!(search(&across("lone . here$"), content).0, ["2:lone \r here"]);
    assert_eq!(search(&across(r"needle\r\n"), content).0, ["1:a needle", "3:the needle"]);
}

#[test]
fn empty_match_at_the_end_is_found() {
    for pattern in [r"\s*$", r"\s*\z", r"\z"] {
        assert_eq!(search(&across(pattern), b"one\nlast").0.last().unwrap(), "2:last", "{pattern}");
    }
    assert_eq!(search(&across(r"\z"), b"one\nlast\n").0, [""; 0]);
    assert_eq!(search(&across(r"last|\z"), b"last\na\nb\n").0, ["1:last"]);
}

#[test]
fn matches_across_lines_see_what_is_before_them() {
    assert_eq!(search(&across(r"x|^y\nz"), b"xy\nz\n").0, ["1:xy"]);
    assert_eq!(search(&across(r"a|\bb\nc"), b"ab\nc\n").0, ["1:ab"]);
}

#[test]
fn long_lines_of_matches_across_lines_show_the_match() {
    let far = "-".repeat(900);
    let content = format!("one\n{far}needle\n{far}\n{far}pin{far}\nend needle{far}\nend\n");
    let (rows, searched) = search(&across(r"needle-*\n\S+|pin"), content.as_bytes());
    assert_eq!((rows.len(), searched.matches, searched.passed_over), (5, 5, None));
    assert!(rows[0].starts_with("2:... [truncated]") && rows[0].ends_with("needle"), "{}", rows[0]);
    assert!(rows[1].starts_with("3:-----") && rows[1].ends_with("... [truncated]"), "{}", rows[1]);
    assert!(rows[2].contains("pin-----"), "{}", rows[2]);
    assert!(rows[3].starts_with("5:end needle-----"), "{}", rows[3]);
    let many = format!("{far}needle\n").repeat(2000);
    assert_eq!(
        search(&across(r"needle\n"), many.as_bytes()).1,
        Searched { matches: 2000, passed_over: None }
    );
}

#[test]
fn context_of_long_lines_is_bounded() {
    let long = format!("{}\n", "x".repeat(900_000));
    let content = format!("{}needle\n", long.repeat(40));
    let (rows, searched) = search(&query("needle", 100), content.as_bytes());
    assert_eq!((rows.len(), searched.passed_over), (0, Some(PassedOver::LongLine)));
    assert_eq!(search(&query("needle", 2), content.as_bytes()).0.len(), 3);
}

#[test]
fn no_boundary_is_seen_within_a_line_end() {
    let (lf, crlf) = (b"a\nb!\nc\n", b"a\r\nb!\r\nc\r\n");
    for query in [query(r"\B", 0), across(r"\B"), across(r"\B\n")] {
        assert_eq!(search(&query, crlf).0, search(&query, lf).0);
    }
    assert_eq!(search(&query(r"\B", 0), crlf).0, ["2:b!"]);
}

/// Parts of patterns.
const PARTS: [&str; 14] =
    ["^", "a", "b", ".", r"\b", r"\B", "a*", "b+?", "(?:a|bc){1,3}", "[^b]*", "$", r"\n", "|", r"\w+"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn automata_find_what_the_regex_finds(
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 1..6),
        text in "[abc\n ]{0,40}|[aбb\n —]{0,20}",
    ) {
        let pattern = across(&parts.concat()).pattern;
        let automata = pattern.automata().unwrap();
        let mut caches = automata.caches();
        for at in 0..=text.len() {
            let mut looked = 0;
            let found = automata.find(&mut caches, text.as_bytes(), at, |bytes| {
                looked += bytes;
                Ok::<_, ()>(())
            });
            let found = found.unwrap().map(|found| (found.start, found.end));
            let expected = pattern.regex.find_at(text.as_bytes(), at).unwrap();
            prop_assert_eq!(found, expected.map(|found| (found.start(), found.end())));
            let most = if text.is_ascii() { 2 } else { 3 };
            prop_assert!(looked <= most * (text.len() + 1), "{looked}");
        }
    }
}

/// A pattern of 602 positions.
const COSTLY: &str = "(?:a{1,20}){1,30}b?c";

#[test]
fn long_search_asks_whether_to_stop() {
    let (ascii, other) = ("a".repeat(900_000), "б ".repeat(300_000));
    for (query, text) in [
        (query(COSTLY, 0), &ascii),
        (across(COSTLY), &ascii),
        (across(r"[^c]+\n?c"), &ascii),
        (query(r"\b\w{8}c", 0), &other),
        (across(r"\b\w{8}\s*c"), &other),
    ] {
        let stop = Stop::default();
        let matcher = GuardedMatcher::new(&query.pattern, text.as_bytes(), &stop);
        assert_eq!(matcher.find_at(text.as_bytes(), 0), Ok(None));
        let steps = text.len() * query.pattern.positions;
        assert!(matcher.checks.get() * 4_000_000 >= steps, "{} for {steps} steps", matcher.checks.get());
        stop.stop();
        assert_eq!(matcher.find_at(text.as_bytes(), 0), Err(Ended::Stopped));
    }
}

#[test]
fn long_lines_are_searched_whatever_the_pattern_costs() {
    let content = format!("aac\n{}\n{}c\nc\n", "a".repeat(300_000), "a".repeat(300_000));
    assert_eq!(search(&query(COSTLY, 0), content.as_bytes()).1.matches, 2);
    assert_eq!(search(&query(&format!("^{COSTLY}"), 0), content.as_bytes()).1.matches, 1);
    let accented = format!("{} ünd {}c\n", "é".repeat(90_000), "a".repeat(500));
    assert_eq!(search(&query(&format!(r"\b\w+ \w+ {COSTLY}\b"), 0), accented.as_bytes()).1.matches, 1);
}

#[test]
fn costly_patterns_are_refused() {
    let compiled = |pattern: &str, syntax, case| {
        Pattern::new(&Source { pattern, syntax, case, reach: LineMode::Line })
            .map(|pattern| pattern.positions)
    };
    for pattern in
        ["(?:a{1,100}){1,60}b", r"\w{1025}", "(?:a?){2000}", "(?:^b?){2000}", "(?:(?:a{1000}){1000}){1000}"]
    {
        let refused = compiled(pattern, Syntax::Regex, Case::Counts).unwrap_err();
        assert_eq!(refused, pattern::Refused::TooCostly, "{pattern}");
    }
    assert_eq!(compiled("a.{0,1000}b", Syntax::Regex, Case::Counts), Ok(1002));
    let long = "some text ".repeat(6000);
    assert_eq!(compiled(&long, Syntax::Literal, Case::Counts), Ok(1));
    assert_eq!(compiled(&long, Syntax::Literal, Case::Ignored), Err(pattern::Refused::TooCostly));
}

#[test]
fn search_that_takes_the_square_of_a_text_is_ended() {
    let content = "A".repeat(200_000);
    let quadratic = across(r"(?s).*[^A-Z]|[A-Z]");
    assert_eq!(search(&quadratic, content.as_bytes()).1.passed_over, Some(PassedOver::TooCostly));
    let (rows, searched) = search(&quadratic, b"AAA\nB");
    assert_eq!((rows.len(), searched.passed_over), (2, None));
    let many = "one two\n".repeat(40_000);
    assert_eq!(search(&across(r"o\none"), many.as_bytes()).1.matches, 40_000);
}
