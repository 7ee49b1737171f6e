//! Tests the relevance order of grep.

use super::*;

/// Creates files with definitions, uses and other lines. Many of them have the same score.
fn pools() -> Fixture {
    let mut files: Vec<(String, String)> = vec![
        (
            "src/pool.rs".into(),
            "use a::Pool;\n// Pool\npub struct Pool;\nimpl Pool {}\nlet p = Pool;\n".into(),
        ),
        ("tests/pool.rs".into(), "struct Pool;\nlet p = Pool;\n".into()),
        ("vendor/p.rs".into(), "pub struct Pool;\n".into()),
    ];
    for n in 0..40 {
        let uses = format!("    f(Pool);\n    x\n    g(Pool, {n});\n").repeat(n % 5 + 1);
        files.push((format!("src/d{}/u{n}.rs", n % 3), uses));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Fixture::new(&files)
}

fn body(fixture: &Fixture, arguments: &Value) -> Vec<String> {
    let text = text(fixture, arguments);
    text.split("\n\n[").next().unwrap().lines().map(ToOwned::to_owned).collect()
}

#[test]
fn ranks_definitions_first_and_gives_exact_totals() {
    let fixture = pools();
    let ranked = grep(&fixture, &json!({"pattern": "Pool", "sort": "relevance", "limit": 4})).unwrap();
    let first = "src/pool.rs:3: pub struct Pool;\nsrc/pool.rs:4: impl Pool {}\n";
    assert!(ranked.text.starts_with(first), "{}", ranked.text);
    let total = grep(&fixture, &json!({"pattern": "Pool", "limit": 10000})).unwrap().text.lines().count();
    let notice = format!("\n\n[4 of {total} matches, most relevant first. Use offset=4 to continue]");
    assert!(ranked.text.ends_with(&notice), "{}", ranked.text);
    let expected = json!({"matches": 4, "totalMatches": total, "matchLimitReached": 4, "nextOffset": 4});
    assert_eq!(serde_json::to_value(ranked.details).unwrap(), expected);
    assert_eq!(body(&fixture, &json!({"pattern": "Pool", "sort": "relevance"})).len(), 20);
    let last = text(&fixture, &json!({"pattern": "Pool", "sort": "relevance", "offset": total - 1}));
    assert_eq!(last.lines().count(), 1, "{last}");
    let none = text(&fixture, &json!({"pattern": "nowhere", "sort": "relevance"}));
    assert_eq!(none, "No matches found");
    assert_eq!(details(&fixture, &json!({"pattern": "nowhere", "sort": "relevance"}))["totalMatches"], 0);
    let past = grep(&fixture, &json!({"pattern": "Pool", "sort": "relevance", "offset": total})).unwrap_err();
    assert_eq!(past.to_string(), format!("Offset {total} is beyond the last match ({total} in all)"));
}

#[test]
fn pages_join_to_the_ranking_for_any_size_and_workers() {
    let fixture = pools();
    for (pattern, mode) in [("Pool", "content"), ("Pool|g", "content"), ("Pool", "files"), ("Pool", "count")]
    {
        let ask = |fixture: &Fixture, offset: usize, limit: usize| {
            let call = json!({"pattern": pattern, "mode": mode, "sort": "relevance", "offset": offset, "limit": limit});
            body(fixture, &call)
        };
        let whole = ask(&fixture, 0, 10_000);
        let mut by_path = body(&fixture, &json!({"pattern": pattern, "mode": mode, "limit": 10_000}));
        assert_ne!(whole, by_path);
        let mut sorted = whole.clone();
        sorted.sort();
        by_path.sort();
        assert_eq!(sorted, by_path, "each match once");
        for limit in [1, 3, 7, 50] {
            let pages: Vec<String> =
                (0..whole.len()).step_by(limit).flat_map(|offset| ask(&fixture, offset, limit)).collect();
            assert_eq!(pages, whole, "{pattern} {mode} {limit}");
        }
        for workers in [1, 2, 5] {
            let fixture = pools().with(|shared| shared.workers = workers);
            assert_eq!(ask(&fixture, 0, 10_000), whole, "{workers} workers");
            assert_eq!(ask(&fixture, 5, 9), whole[5..14.min(whole.len())], "{workers} workers");
        }
    }
}

#[test]
fn keeps_path_order_among_equals() {
    let files: Vec<(String, String)> =
        (0..30).map(|n| (format!("f{n:02}"), "x needle\n".repeat(3))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let fixture = Fixture::new(&files);
    let ranked = body(&fixture, &json!({"pattern": "needle", "sort": "relevance", "limit": 90}));
    assert_eq!(ranked, body(&fixture, &json!({"pattern": "needle"})));
}

#[test]
fn context_shows_each_match_in_a_separate_group() {
    let content = "a\nuse Pool;\nb\nc\nstruct Pool;\nd\nx(Pool);\ne\n";
    let fixture = Fixture::new(&[("p.rs", content), ("q.rs", "Pool\n")]);
    let ranked = text(&fixture, &json!({"pattern": "Pool", "sort": "relevance", "context": 2, "limit": 2}));
    let expected = "p.rs-3- b\np.rs-4- c\np.rs:5: struct Pool;\np.rs-6- d\np.rs-7- x(Pool);\n--\n\
                    p.rs-5- struct Pool;\np.rs-6- d\np.rs:7: x(Pool);\np.rs-8- e\n\n\
                    [2 of 4 matches, most relevant first. Use offset=2 to continue]";
    assert_eq!(ranked, expected);
    let wide = json!({"pattern": "Pool", "sort": "relevance", "context": 100, "limit": 50});
    let error = grep(&fixture, &wide).unwrap_err().to_string();
    assert_eq!(
        error,
        "offset and limit: must be at most 49 together with sort=relevance and context=100, got 50"
    );
}

#[test]
fn across_lines_ranks_each_line_of_a_match() {
    let fixture = Fixture::new(&[("a.py", "f(pool)\n\nclass\\\n  Pool:\n    def pool():\n        pass\n")]);
    let call = json!({"pattern": "(?i)pool:?\\n +def pool", "multiline": true, "sort": "relevance"});
    let ranked = text(&fixture, &call);
    assert_eq!(ranked, "a.py:5:     def pool():\na.py:4:   Pool:");
    assert_eq!(details(&fixture, &call)["totalMatches"], 2);
}

#[test]
fn within_one_file_a_glob_and_the_byte_limit() {
    let fixture = pools().with(|shared| shared.limits.max_bytes = 70);
    let file = body(&fixture, &json!({"pattern": "Pool", "path": "src/pool.rs", "sort": "relevance"}));
    assert_eq!(file[0], "src/pool.rs:3: pub struct Pool;");
    let cut =
        grep(&fixture, &json!({"pattern": "Pool", "glob": "*/pool.rs", "sort": "relevance", "limit": 5}));
    let cut = cut.unwrap();
    let expected = "src/pool.rs:3: pub struct Pool;\nsrc/pool.rs:4: impl Pool {}\n\n\
                    [2 of 7 matches (70B limit), most relevant first. Use offset=2 to continue]";
    assert_eq!(cut.text, expected);
    assert_eq!(cut.details.next_offset, Some(2));
    let truncation = cut.details.truncation.unwrap();
    assert_eq!((truncation.total_lines, truncation.total_is_lower_bound), (5, Some(true)));
}

#[test]
fn single_file_is_ranked_by_its_language() {
    let fixture = Fixture::new(&[("a/f.c", "  x = needle(1);\nstatic int needle(int a)\n{\n")]);
    let ranked =
        |path: &str| text(&fixture, &json!({"pattern": "needle", "path": path, "sort": "relevance"}));
    assert_eq!(ranked("a"), "a/f.c:2: static int needle(int a)\na/f.c:1:   x = needle(1);");
    assert_eq!(ranked("a/f.c"), ranked("a"));
}

#[test]
fn ends_at_the_most_that_can_be_ranked() {
    let fixture = Fixture::new(&[("f", &"needle\n".repeat(10_050))]);
    let ask = |offset: u64, limit: u64| {
        grep(&fixture, &json!({"pattern": "needle", "sort": "relevance", "offset": offset, "limit": limit}))
    };
    let error = ask(9_990, 20).unwrap_err().to_string();
    assert_eq!(error, "offset and limit: must be at most 10000 together with sort=relevance, got 10010");
    let notice = |offset, limit| ask(offset, limit).unwrap().text.split("\n\n").nth(1).unwrap().to_owned();
    let more = "[20 of 10050 matches, most relevant first. Use offset=9980 to continue]";
    assert_eq!(notice(9_960, 20), more);
    // The same limit from the next match on would exceed the number that is ranked.
    assert_eq!(notice(9_970, 20), "[20 of 10050 matches, most relevant first]");
    let end = "[10 of 10050 matches, most relevant first]";
    assert_eq!(notice(9_990, 10), end);
    assert_eq!(ask(9_990, 10).unwrap().details.next_offset, None);
}
