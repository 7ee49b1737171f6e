//! Tests large patterns, and searches that stop between two pieces of text.

use std::time::{Duration, Instant};

use super::*;
use crate::stop::{Deadline, Stopped, stopped_by};
use tokio_util::sync::CancellationToken;

/// A pattern with 602 positions.
const LARGE: &str = "(?:a{1,20}){1,30}b?c";

#[test]
fn long_lines_are_searched_with_large_patterns() {
    let content = format!("aac\n{}\n{}c\nc\n", "a".repeat(300_000), "a".repeat(300_000));
    assert_eq!(search(&query(LARGE, 0), content.as_bytes()).1.matches, 2);
    assert_eq!(search(&query(&format!("^{LARGE}"), 0), content.as_bytes()).1.matches, 1);
    let accented = format!("{} ünd {}c\n", "é".repeat(90_000), "a".repeat(500));
    assert_eq!(search(&query(&format!(r"\b\w+ \w+ {LARGE}\b"), 0), accented.as_bytes()).1.matches, 1);
}

#[test]
fn patterns_of_too_many_positions_are_refused() {
    let compiled = |pattern: &str, literal, ignore_case| {
        Pattern::new(&Source { pattern, literal, ignore_case, multiline: false }).map(|_| ())
    };
    for pattern in
        ["(?:a{1,100}){1,60}b", r"\w{1025}", "(?:a?){2000}", "(?:^b?){2000}", "(?:(?:a{1000}){1000}){1000}"]
    {
        assert_eq!(compiled(pattern, false, false), Err(pattern::Refused::TooLarge), "{pattern}");
    }
    assert_eq!(compiled("a.{0,1000}b", false, false), Ok(()));
    let long = "some text ".repeat(6000);
    assert_eq!(compiled(&long, true, false), Ok(()));
    assert_eq!(compiled(&long, true, true), Err(pattern::Refused::TooLarge));
}

#[test]
fn large_patterns_take_smaller_files_across_lines() {
    let content = "a\n".repeat(600_000);
    let large = across(r"(?:a\n?){65}c");
    assert_eq!(search(&large, content.as_bytes()).1.incomplete, Some(IncompleteReason::TooLarge));
    assert_eq!(search(&across(r"a\na\nc"), content.as_bytes()).1.incomplete, None);
}

/// Searches until `stop` requests the end. Returns the numbers of the match lines, and why the search stopped.
fn stopped_search(
    query: &Query,
    content: &str,
    stop: &Stop,
    at_rows: impl Fn(),
) -> (Vec<u64>, Option<Stopped>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content.as_bytes()).unwrap();
    let mut found = Vec::new();
    let mut emit = |one| {
        if let Found::Row(_, row) = one {
            found.push(row.number);
            at_rows();
        }
        ControlFlow::Continue(())
    };
    let path = || b"a".to_vec();
    let done = FileSearcher::new(query).search(&file, content.len() as u64, stop, &path, &mut emit);
    (found, done.err().map(|error| stopped_by(&error).unwrap()))
}

#[test]
fn search_after_its_deadline_reports_it() {
    let content = large(7);
    for query in [query("needle", 0), query("absent", 2), across(r"needle \d+\nline")] {
        let stop = Stop::new(CancellationToken::new(), Deadline::new(Instant::now(), Duration::ZERO));
        assert_eq!(stopped_search(&query, &content, &stop, || ()).1, Some(Stopped::Late));
    }
}

#[test]
fn cancelled_search_stops_between_pieces() {
    let content = large(7);
    for query in [query("needle", 0), query("needle", 1)] {
        let stop = Stop::default();
        let (found, stopped) = stopped_search(&query, &content, &stop, || stop.cancel());
        assert_eq!(stopped, Some(Stopped::Cancelled));
        // The piece is searched to its end, the next one is not.
        assert!(!found.is_empty() && found.len() < 8000, "{}", found.len());
    }
}
