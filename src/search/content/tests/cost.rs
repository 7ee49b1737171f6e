//! Patterns that take long, and the searches that are ended for it.

use super::super::matcher::{Ended, GuardedMatcher};
use super::*;
use grep_matcher::Matcher as _;

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

/// From a match's end back to its beginning too, where a cancel has to end the search within a tenth of a second.
#[test]
fn automata_ask_whether_to_go_on_every_few_bytes() {
    let text = format!("{}c", "ab".repeat(100_000));
    let pattern = across("(?s)a[^c]*c").pattern;
    let automata = pattern.automata().unwrap();
    let (mut caches, mut most, mut looked) = (automata.caches(), 0, 0);
    let found = automata.find(&mut caches, text.as_bytes(), 0, |bytes| {
        (most, looked) = (most.max(bytes), looked + bytes);
        Ok::<_, ()>(())
    });
    let found = found.unwrap().map(|found| (found.start, found.end));
    assert_eq!(found, Some((0, text.len())));
    assert!(looked >= 2 * text.len() && most < 1000, "{most} of {looked}");
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
        let stop = CancellationToken::new();
        let matcher = GuardedMatcher::new(&query, text.as_bytes(), &stop);
        assert_eq!(matcher.find_at(text.as_bytes(), 0), Ok(None));
        let steps = text.len() * query.pattern.positions;
        assert!(matcher.checks.get() * 4_000_000 >= steps, "{} for {steps} steps", matcher.checks.get());
        stop.cancel();
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
    let compiled = |pattern: &str, literal, ignore_case| {
        Pattern::new(&Source { pattern, literal, ignore_case, multiline: false })
            .map(|pattern| pattern.positions)
    };
    for pattern in
        ["(?:a{1,100}){1,60}b", r"\w{1025}", "(?:a?){2000}", "(?:^b?){2000}", "(?:(?:a{1000}){1000}){1000}"]
    {
        let refused = compiled(pattern, false, false).unwrap_err();
        assert_eq!(refused, pattern::Refused::TooCostly, "{pattern}");
    }
    assert_eq!(compiled("a.{0,1000}b", false, false), Ok(1002));
    let long = "some text ".repeat(6000);
    assert_eq!(compiled(&long, true, false), Ok(1));
    assert_eq!(compiled(&long, true, true), Err(pattern::Refused::TooCostly));
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
