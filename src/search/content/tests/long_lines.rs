//! Tests lines that are longer than the searcher's buffer, and lines near its sizes.

use super::*;
use crate::limits::GREP_LINE_BYTES;

#[test]
fn giant_line_is_found_wherever_it_matches() {
    for at in [0, 9, 600_000, 999_990, 1_015_800, 1_245_170, 1_261_540, 1_699_990] {
        let content = format!("first\n{}\nlast needle\n", giant(1_700_000, " needle ", at));
        for pattern in ["needle", r"\bneedle\b", "ne+dle", "x*needle"] {
            let (rows, searched) = search(&query(pattern, 1), content.as_bytes());
            assert_eq!((rows.len(), searched.matches, searched.incomplete), (3, 2, None), "{pattern} {at}");
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
        assert_eq!((rows.len(), searched.incomplete), (0, None), "{pattern}");
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
    assert_eq!((rows.len(), searched.incomplete), (3, None));
    assert!(
        rows[1].starts_with("2-start xxxxxxxyxxx") && rows[1].ends_with("... [truncated]"),
        "{}",
        rows[1]
    );
    assert_eq!(rows[2], "3:needle");
}

#[test]
fn line_over_the_limit_is_reported() {
    let mut content = b"needle\n".to_vec();
    content.resize(GREP_LINE_BYTES + 100, b'x');
    let (rows, searched) = search(&query("needle", 0), &content);
    assert_eq!((rows.len(), searched.incomplete), (1, Some(IncompleteReason::LongLine)));
}

#[test]
fn large_patterns_take_shorter_lines() {
    let content = format!("needle\n{}", "x".repeat(2_000_000));
    let incomplete = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).1.incomplete;
    assert_eq!(incomplete("[a-w]{100}y"), None);
    assert_eq!(incomplete("[a-w]{130}y"), Some(IncompleteReason::LongLine));
    assert_eq!(incomplete(&"y".repeat(1000)), None);
}

#[test]
fn further_matches_in_a_cut_line_are_counted() {
    for (times, mark) in
        [(1, "... [truncated]"), (2, "... [truncated, 1 more match]"), (9, "... [truncated, 8 more matches]")]
    {
        let line = format!("needle{}\n", "x".repeat(60)).repeat(times).replace('\n', "");
        let rows = search(&query("needle", 0), line.as_bytes()).0;
        assert_eq!(rows, [format!("1:needle{}{mark}", "x".repeat(34))]);
    }
    let visible = format!("needle needle {}", "x".repeat(60));
    assert!(search(&query("needle", 0), visible.as_bytes()).0[0].ends_with("xx... [truncated]"));
}

#[test]
fn count_in_a_cut_line_is_bounded() {
    let line = format!("{}{}", "-".repeat(60), "return;".repeat(100_000));
    let mark = |pattern| {
        let row = search(&query(pattern, 0), line.as_bytes()).0.remove(0);
        row.rsplit_once("...").unwrap().1.to_owned()
    };
    // To find the first alternative, each search reads to the end of the line.
    assert_eq!(mark(".*await |return"), " [truncated, at least 26 more matches]");
    assert_eq!(mark("return"), " [truncated, 99997 more matches]");
    assert_eq!(mark("(?:a|x{3}|re?turn);"), " [truncated, 99997 more matches]");
}

#[test]
fn context_of_long_lines_is_bounded() {
    let long = format!("{}\n", "x".repeat(900_000));
    let content = format!("{}needle\n", long.repeat(80));
    let (rows, searched) = search(&query("needle", 100), content.as_bytes());
    assert_eq!((rows.len(), searched.incomplete), (0, Some(IncompleteReason::LongLine)));
    assert_eq!(search(&query("needle", 2), content.as_bytes()).0.len(), 3);
}

/// The searcher's buffer stays large after a long line, also for the next files.
#[test]
fn text_after_a_long_line_is_searched() {
    let early = format!("needle {}\n", "x".repeat(1_700_000));
    let first = format!("needle {}\n", "x".repeat(524_280));
    let (second, end) = (format!("{}\n", "x".repeat(600_000)), "needle\n".repeat(3));
    for (content, expected) in
        [(early.repeat(2) + &end, 5), ([first, second, end.clone()].concat(), 4), (early.repeat(4) + &end, 7)]
    {
        let mut searcher = FileSearcher::new(&query("needle", 0));
        for content in [&content, &content[1..]] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(content.as_bytes()).unwrap();
            let (mut rows, path) = (0, || b"a".to_vec());
            let mut emit = |one| {
                assert!(matches!(one, Found::Row(..)), "{one:?}");
                rows += 1;
                ControlFlow::Continue(())
            };
            let size = content.len() as u64;
            searcher.search(&file, size, &Stop::default(), &path, &mut emit).unwrap();
            assert_eq!(rows, expected - u64::from(!content.starts_with("needle")));
        }
    }
}

#[test]
fn every_length_of_a_long_line_is_complete() {
    for len in [100_000, 196_000, 262_000, 300_000, 390_000, 524_000, 600_000].map(|len| len..len + 300) {
        for len in len.step_by(37).chain([196_607, 262_143, 262_144, 524_287, 524_288]) {
            let line = giant(len, "needle", len / 2);
            let content = format!("{line}\nend\n{line}\n{line}\nend needle\n");
            let (rows, searched) = search(&query("needle", 0), content.as_bytes());
            assert_eq!((rows.len(), searched.incomplete), (4, None), "{len}");
            assert!(rows[3] == "5:end needle", "{len}: {}", rows[3]);
        }
    }
}
