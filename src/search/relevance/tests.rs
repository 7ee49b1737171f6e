//! Tests the scorer of lines and the ranking table.

mod any_line;
mod kinds;
mod names;
mod paths;

use super::table::kind;
use super::*;
use cutline_core::source::{AT_LINE_START, EXPORTED};

fn line_points(scorer: &mut FileScorer<'_>, line: &str, found: Range<usize>) -> i32 {
    scorer.line_points(line.as_bytes(), &found, i32::MIN).unwrap()
}

/// Returns a scorer for a search without an alternation.
fn scorer(path: &str) -> FileScorer<'static> {
    static NONE: Words = Words { words: Vec::new(), ignore_case: false };
    FileScorer::new(path.as_bytes(), &NONE)
}

/// Returns the points of a line in a file at `path` with one match of `NAME`.
fn total_points(path: &str, line: &str) -> i32 {
    let mut scorer = scorer(path);
    let at = line.find("NAME").unwrap();
    line_points(&mut scorer, line, at..at + 4) + scorer.file_points(1)
}

#[test]
fn complete_names_rank_before_parts_of_names() {
    let score = |line: &str, found: Range<usize>| line_points(&mut scorer("a.py"), line, found);
    let (whole, start, within) =
        (score("def pool():", 4..8), score("def pooled():", 4..8), score("def apool():", 5..9));
    assert!(whole > start && start > within && within > score("pool()", 0..4), "{whole} {start} {within}");
    // The best position in the line counts. If the pattern matches more than a name, the name at its end counts.
    assert_eq!(score("x = pool; pool = 4", 4..8), score("x = 1; pool = 4", 7..11));
    assert_eq!(score("def pool():", 0..8), whole);
}

#[test]
fn words_of_an_alternation_that_meet_lift_line_and_file() {
    let words = Words::new(vec!["pool".into(), "connection".into()], false);
    assert_eq!(words.in_line(b"a pool of connections").count_ones(), 2);
    assert_eq!(words.in_line(b"Pool").count_ones(), 0);
    assert_eq!(Words::new(vec!["Pool".into(), "b".into()], true).in_line(b"pOOl").count_ones(), 1);
    assert_eq!(Words::new(vec!["pool".into()], false).in_line(b"pool"), 0, "no alternation");
    for ignore_case in [true, false] {
        let with_an_empty_word = Words::new(vec![String::new(), "a".into(), "b".into()], ignore_case);
        assert_eq!(with_an_empty_word.in_line(b"a c").count_ones(), 1, "an empty word is none");
    }
    let mut scorer = FileScorer::new(b"a.py", &words);
    let one = line_points(&mut scorer, "x(pool)", 2..6);
    let file_with_one = scorer.file_points(9);
    let both = line_points(&mut scorer, "x(pool, connection)", 2..6);
    assert!(both > one + 200, "{both} {one}");
    assert!(scorer.file_points(9) > file_with_one && scorer.file_points(9) <= scorer.max_file_points);
}

#[test]
fn long_lines_rank_after_short_ones() {
    let long = format!("NAME(){}", " x".repeat(250));
    assert!(total_points("a.js", &long) < total_points("a.js", "NAME()") - 300);
}

#[test]
fn kinds_are_further_apart_than_all_that_is_added_within_one() {
    let added = table::FILE_IS_NAMED
        + table::DOUBLED_MATCHES * i32::try_from(table::DOUBLINGS).unwrap()
        + AT_LINE_START
        + EXPORTED;
    for (kind, next) in [
        (kind::DEFINES, kind::DECLARES),
        (kind::DECLARES, kind::ASSIGNS),
        (kind::ASSIGNS, kind::USES),
        (kind::NAMES, kind::IMPORTS),
    ] {
        assert!(kind - next > added, "{kind} {next} {added}");
    }
}
