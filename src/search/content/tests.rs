//! Tests the search of one file: lines, context, lines of any length.

mod line_ends;
mod long_lines;

use std::io::{Read as _, Seek as _, Write as _};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use super::pattern::Source;
use super::*;
use crate::limits::PSEUDO_FILE_BYTES;
use crate::stop::{Deadline, Stop};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

fn query(pattern: &str, context: usize) -> Query {
    let source = Source { pattern, ..Source::default() };
    Query {
        pattern: Pattern::new(&source).unwrap(),
        invert: false,
        binary: BinaryFiles::Skip,
        mode: OutputMode::Content,
        is_counting: Arc::default(),
        counted_bytes: u64::MAX,
        context: ContextLines { before: context as u64, after: context as u64 },
        enough: u64::MAX,
        max_line_chars: 40,
        ranking: None,
        ranking_prefix: Arc::default(),
    }
}

/// Returns a query with matches that may span lines.
fn across(pattern: &str) -> Query {
    let source = Source { pattern, multiline: true, ..Source::default() };
    Query { pattern: Pattern::new(&source).unwrap(), ..query("x", 0) }
}

/// Results for a file, without its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summary {
    matches: u64,
    incomplete: Option<IncompleteReason>,
}

/// Returns the number of match lines of a file, and all results for it.
fn found(query: &Query, content: &[u8]) -> (u64, Vec<Found>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    let mut found = Vec::new();
    let mut emit = |one| {
        found.push(one);
        ControlFlow::Continue(())
    };
    let stop = Stop::default();
    let path = || b"a.py".to_vec();
    FileSearcher::new(query).search(&file, content.len() as u64, &stop, &path, &mut emit).unwrap();
    let matches = found.iter().map(|one| match one {
        Found::Row(_, row) => u64::from(row.kind == RowKind::Match),
        Found::File(_, matches) | Found::Ranked(_, matches, _) => *matches,
        Found::Incomplete(..) => 0,
    });
    (matches.sum(), found)
}

/// Returns the rows of a file: `10:text` for a match line, `9-text` for a context line.
fn search(query: &Query, content: &[u8]) -> (Vec<String>, Summary) {
    let (matches, found) = found(query, content);
    let (mut shown, mut incomplete) = (Vec::new(), None);
    for one in found {
        match one {
            Found::Row(_, row) => {
                let mark = if row.kind == RowKind::Match { ':' } else { '-' };
                shown.push(format!("{}{mark}{}", row.number, row.text));
            }
            Found::File(..) => {}
            Found::Incomplete(_, reason) => incomplete = Some(reason),
            Found::Ranked(..) => panic!("nothing is ranked"),
        }
    }
    (shown, Summary { matches, incomplete })
}

/// Returns the same by the definition.
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
    }
}

/// Returns the match lines of a file in a search that keeps the most relevant ones.
fn ranked(query: &Query, content: &[u8]) -> (u64, Vec<u64>) {
    let ranking = Some(Arc::new(Ranking::new(2)));
    let (matches, found) = found(&Query { ranking, ..query.clone() }, content);
    let lines = found.into_iter().flat_map(|one| match one {
        Found::Ranked(_, _, lines) => lines,
        _ => Vec::new(),
    });
    (matches, lines.map(|(_, rows)| rows[0].number).collect())
}

#[test]
fn context_of_a_ranked_line_does_not_depend_on_other_matches() {
    let content = format!("def needle():\n{} needle\n", "x ".repeat(1000));
    let best = |least| {
        let ranking = Arc::new(Ranking::new(2));
        ranking.require_above(least);
        let query = Query { ranking: Some(ranking), ..query(r"\bneedle\b", 1) };
        let (_, found) = found(&query, content.as_bytes());
        let Some(Found::Ranked(_, 2, lines)) = found.into_iter().next() else { panic!("two lines match") };
        lines
    };
    let both = best(i32::MIN);
    let alone = best(both[0].0 - 1);
    assert_eq!((both.len(), alone.len()), (2, 1));
    assert_eq!(both[0], alone[0]);
    assert!(both[0].1[1].text.starts_with("x x"), "{:?}", both[0].1[1]);
}

/// Queries that are compiled once, because compiling takes most of the time.
static COUNTED: Mutex<Option<Vec<Query>>> = Mutex::new(None);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Lines that are counted or ranked are those that are shown.
    #[test]
    fn counts_are_those_of_the_rows(content in "((def )?[ab]{0,3}( = 1)?\r?\n){0,30}(def )?[ab]{0,2}") {
        let patterns = ["a", "ab|ba", "^", "$", "^$", r"\ba\b", r"\z", r"b\z", "a*", r"def \w+", r"\bab?", "1$", r"\r"];
        let mut queries = COUNTED.lock().unwrap();
        queries.get_or_insert_with(|| patterns.map(|pattern| query(pattern, 0)).to_vec());
        for (query, pattern) in queries.iter().flatten().zip(patterns) {
            let rows = search(query, content.as_bytes()).1.matches;
            let count = Query { mode: OutputMode::Count, ..query.clone() };
            prop_assert_eq!(search(&count, content.as_bytes()), (Vec::new(), Summary { matches: rows, incomplete: None }));
            let (matches, lines) = ranked(query, content.as_bytes());
            prop_assert_eq!((matches, lines.len() as u64), (rows, rows.min(2)), "{}", pattern);
        }
        let definitions: Vec<_> = content.lines().zip(1..).filter(|(line, _)| line.starts_with("def a ") || *line == "def a").collect();
        if let Some((_, first)) = definitions.first() {
            prop_assert_eq!(ranked(&query(r"\ba\b", 0), content.as_bytes()).1[0], *first);
        }
    }
}

/// Returns enough lines for several blocks, with a match in every `step` lines.
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
            let count = Query { mode: OutputMode::Count, ..query("needle", 0) };
            assert_eq!(search(&count, content.as_bytes()), (Vec::new(), searched));
            let counting = Query { is_counting: Arc::new(true.into()), ..query("needle", context) };
            assert_eq!(search(&counting, content.as_bytes()), (Vec::new(), searched));
        }
    }
}

#[test]
fn match_lines_have_one_number_with_and_without_context() {
    let lines = large(5003);
    let with_giant =
        lines.replacen("needle 10006\n", &format!("{}\n", giant(1_700_000, "needle", 1_500_000)), 1);
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(lines.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let no_newline = lines.clone() + "needle";
    for text in [
        lines.as_bytes(),
        lines.replace('\n', "\r\n").as_bytes(),
        with_giant.as_bytes(),
        &utf16,
        no_newline.as_bytes(),
    ] {
        for pattern in ["needle", "needle.*$"] {
            let number = |row: &String| row.split_once(':').map(|(number, _)| number.parse::<u64>().unwrap());
            let numbers = |context| -> Vec<u64> {
                search(&query(pattern, context), text).0.iter().filter_map(number).collect()
            };
            let expected = numbers(1);
            assert!(expected.len() >= 11 && numbers(0) == expected, "{pattern} {expected:?}");
            assert_eq!(ranked(&query(pattern, 0), text).1, expected[..2], "{pattern}");
        }
    }
}

/// Returns a line of `len` bytes with `word` at `at`.
fn giant(len: usize, word: &str, at: usize) -> String {
    format!("{}{word}{}", "x".repeat(at), "x".repeat(len - at - word.len()))
}

#[test]
fn file_without_size_is_reported_if_it_continues() {
    for bytes in [PSEUDO_FILE_BYTES, PSEUDO_FILE_BYTES + 1] {
        let mut file = tempfile::tempfile().unwrap();
        io::copy(&mut io::repeat(b'\n').take(bytes), &mut file).unwrap();
        let of_lines = (query("a", 0), IncompleteReason::PseudoFile);
        for (query, reason) in [of_lines, (across(r"a\n"), IncompleteReason::TooLarge)] {
            let mut incomplete = None;
            let mut emit = |one| {
                let Found::Incomplete(_, reason) = one else { panic!("{one:?}") };
                incomplete = Some(reason);
                ControlFlow::Continue(())
            };
            let stop = Stop::default();
            FileSearcher::new(&query).search(&file, 0, &stop, &Vec::new, &mut emit).unwrap();
            assert_eq!(incomplete, (bytes > PSEUDO_FILE_BYTES).then_some(reason), "{bytes}");
        }
    }
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
fn newline_within_a_line_is_refused() {
    for (pattern, literal) in [(r"foo\nbar", false), ("foo\nbar", true), (r"\r\n", false)] {
        let source = Source { pattern, literal, ..Source::default() };
        assert_eq!(Pattern::new(&source).unwrap_err(), pattern::Refused::Newline, "{pattern}");
    }
}

#[test]
fn long_lines_of_matches_across_lines_show_the_match() {
    let far = "-".repeat(900);
    let content = format!("one\n{far}needle\n{far}\n{far}pin{far}\nend needle{far}\nend\n");
    let (rows, searched) = search(&across(r"needle-*\n\S+|pin"), content.as_bytes());
    assert_eq!((rows.len(), searched.matches, searched.incomplete), (5, 5, None));
    assert!(rows[0].starts_with("2:... [truncated]") && rows[0].ends_with("needle"), "{}", rows[0]);
    assert!(rows[1].starts_with("3:-----") && rows[1].ends_with("... [truncated]"), "{}", rows[1]);
    assert!(rows[2].contains("pin-----"), "{}", rows[2]);
    assert!(rows[3].starts_with("5:end needle-----"), "{}", rows[3]);
    let many = format!("{far}needle\n").repeat(2000);
    assert_eq!(search(&across(r"needle\n"), many.as_bytes()).1, Summary { matches: 2000, incomplete: None });
}

#[test]
fn inverted_search_returns_the_other_lines() {
    let query = Query { invert: true, ..query("needle", 1) };
    assert_eq!(search(&query, b"a\nneedle\nneedle\nneedle\nb\n").0, ["1:a", "2-needle", "4-needle", "5:b"]);
}

#[test]
fn whole_words_match() {
    let source = Source { pattern: "a|b.", word: true, ..Source::default() };
    let query = Query { pattern: Pattern::new(&source).unwrap(), ..query("x", 0) };
    assert_eq!(search(&query, b"ab\nxa\nx a\nbx\n").0, ["3:x a", "4:bx"]);
}

#[test]
fn matches_beyond_the_needed_ones_are_counted() {
    let content = "needle\n".repeat(50_000);
    let query = Query { enough: 3, ..query("needle", 1) };
    let (matches, results) = found(&query, content.as_bytes());
    assert_eq!(matches, 50_000);
    // Three lines, and the context of the third, which is a match itself.
    assert_eq!(results.len(), 5, "{results:?}");
    let query = Query { counted_bytes: 100_000, ..query };
    let (matches, results) = found(&query, content.as_bytes());
    assert!((14_000..40_000).contains(&matches), "{matches}");
    assert!(
        matches!(results.last(), Some(Found::Incomplete(_, IncompleteReason::NotCounted))),
        "{results:?}"
    );
}

#[test]
fn empty_alternatives_are_noticed() {
    for (pattern, expected) in [("a || b", true), ("(a|)", true), ("a|b", false), ("x*", false), ("^", false)]
    {
        let source = Source { pattern, ..Source::default() };
        assert_eq!(Pattern::new(&source).unwrap().has_empty_alternative, expected, "{pattern}");
    }
}

#[test]
fn patterns_of_too_many_positions_are_refused() {
    let compiled = |pattern: &str, literal, ignore_case| {
        Pattern::new(&Source { pattern, literal, ignore_case, ..Source::default() }).map(|_| ())
    };
    for pattern in
        ["(?:a{1,100}){1,60}b", r"\w{1025}", "(?:a?){2000}", "(?:^b?){2000}", "(?:(?:a{1000}){1000}){1000}"]
    {
        assert_eq!(compiled(pattern, false, false), Err(pattern::Refused::TooLarge), "{pattern}");
    }
    let nested = |open: &str, close: &str| format!("{}[ab]{}{{20}}", open.repeat(60), close.repeat(60));
    for pattern in [nested("(", ")"), nested("(?:", ")?")] {
        assert_eq!(compiled(&pattern, false, false), Err(pattern::Refused::TooLarge), "{pattern}");
    }
    assert_eq!(compiled("a.{0,1000}b", false, false), Ok(()));
    for ignore_case in [false, true] {
        assert_eq!(compiled(&"some text ".repeat(102), true, ignore_case), Ok(()));
        assert_eq!(compiled(&"some text ".repeat(103), true, ignore_case), Err(pattern::Refused::TooLarge));
    }
}

#[test]
fn large_patterns_take_smaller_files_across_lines() {
    let content = "a\n".repeat(600_000);
    let large = across(r"(?:a\n?){90}c");
    assert_eq!(search(&large, content.as_bytes()).1.incomplete, Some(IncompleteReason::TooLarge));
    assert_eq!(search(&across(r"a\na\nc"), content.as_bytes()).1.incomplete, None);
}

#[test]
fn search_across_lines_stops_between_matches() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all("a\n".repeat(100).as_bytes()).unwrap();
    for invert in [false, true] {
        let query = Query { invert, ..across(r".*z|a\n") };
        let late = Stop::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::ZERO));
        let searched =
            FileSearcher::new(&query).search(&file, 200, &late, &Vec::new, &mut |one| panic!("{one:?}"));
        assert_eq!(searched.err().as_ref().and_then(stopped_by), Some(Stopped::Late));
    }
}
