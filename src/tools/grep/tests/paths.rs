//! Tests several paths in one call.

use std::time::{Duration, Instant};

use super::*;
use crate::stop::Deadline;

#[test]
fn late_search_of_several_paths_does_not_report_no_matches() {
    let mut fixture = Fixture::new(&[("a/x", "needle\n"), ("b/x", "needle\n"), ("c", "needle\n")]);
    fixture.cx.deadline = Deadline::new(Instant::now(), Duration::ZERO);
    for path in [json!(["a", "b"]), json!(["c", "a"]), json!(["a", "a"])] {
        let found = grep(&fixture, &json!({"pattern": "needle", "path": path})).unwrap();
        assert!(found.text.starts_with("[Stopped after 0 seconds: "), "{path}: {}", found.text);
        assert_eq!(found.details.timed_out, Some(true), "{path}");
    }
    // A small file is searched completely before the first check.
    assert_eq!(text(&fixture, &json!({"pattern": "needle", "path": ["c", "c"]})), "c:1: needle");
}

#[test]
fn ranking_of_several_paths_takes_the_complete_path() {
    let fixture = Fixture::new(&[("tests/a.rs", "fn needle() {}\n"), ("zoo/a.rs", "fn needle() {}\n")]);
    let ranked = |path: &str| {
        text(&fixture, &json!({"pattern": "needle", "path": path, "sort": "relevance", "mode": "files"}))
    };
    assert_eq!(ranked("."), "zoo/a.rs\ntests/a.rs\n\n[2 files]");
    assert_eq!(ranked("tests zoo"), "zoo/a.rs\ntests/a.rs\n\n[2 files]");
    assert_eq!(ranked("tests/a.rs zoo"), "zoo/a.rs\ntests/a.rs\n\n[2 files]");
}

#[test]
fn pages_of_several_paths_join() {
    let files: Vec<(String, String)> =
        (0..20).map(|n| (format!("d{}/f{n}", n % 4), "needle\nx\nneedle\n".to_owned())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for heading in [false, true] {
        let fixture = Fixture::new(&files).with(|shared| shared.limits.grep_heading = heading);
        let call = |offset: u64, limit: u64| {
            let path = ["d3", "d1/f1", "d1/f5", "d0", "d?/f2"];
            let arguments = json!({"pattern": "needle", "path": path, "offset": offset, "limit": limit});
            grep(&fixture, &arguments).unwrap()
        };
        let lines = |text: &str| -> Vec<String> {
            let mut path = String::new();
            let mut lines = Vec::new();
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('[')) {
                match line.split_once(": ") {
                    None => line.clone_into(&mut path),
                    Some(_) if heading => lines.push(format!("{path}:{line}")),
                    Some(_) => lines.push(line.to_owned()),
                }
            }
            lines
        };
        let all = lines(&call(0, 100).text);
        let number = all.len() as u64;
        assert_eq!(number, 2 * (5 + 5 + 2 + 1));
        for limit in [1, 3, 7] {
            let starts = (0..number).step_by(usize::try_from(limit).unwrap());
            let joined: Vec<String> = starts.flat_map(|offset| lines(&call(offset, limit).text)).collect();
            assert_eq!(joined, all, "{limit}");
        }
    }
}

#[test]
fn first_match_over_the_limit_is_cut_below_its_heading() {
    let line = format!("{}needle{}\n", "a".repeat(2000), "b".repeat(2000));
    let fixture = Fixture::new(&[("some/file", &line)]).with(|shared| {
        (shared.limits.max_bytes, shared.limits.max_match_line_chars) = (600, 1_000_000);
        shared.limits.grep_heading = true;
    });
    let found = grep(&fixture, &json!({"pattern": "needle"})).unwrap();
    let body = found.text.split("\n\n").next().unwrap();
    assert!(body.starts_with("some/file\n1: ") && body.contains("needle"), "{body}");
    assert!(body.len() <= 600 && found.details.truncation.unwrap().first_line_exceeds_limit, "{body}");
}
