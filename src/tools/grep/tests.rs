//! Tests grep on real trees.

mod paths;
mod relevance;

use super::*;
use crate::tools::tests::{Fixture, args};
use serde_json::{Value, json};

fn grep(fixture: &Fixture, arguments: &Value) -> Result<Output, ToolError> {
    Fixture::wait(run(&fixture.cx, args(arguments)))
}

fn text(fixture: &Fixture, arguments: &Value) -> String {
    grep(fixture, arguments).unwrap().text
}

fn details(fixture: &Fixture, arguments: &Value) -> Value {
    serde_json::to_value(grep(fixture, arguments).unwrap().details).unwrap()
}

fn tree() -> Fixture {
    Fixture::new(&[
        ("a.rs", "one\ntwo needle\nthree\nfour\nfive\nsix needle\n"),
        ("b/c.rs", "needle\r\nno\r\n"),
        ("b/d.txt", "a needle in text"),
        ("b.rs", "Needle\n"),
        (".hidden", "needle\n"),
        (".git/x", "needle\n"),
    ])
}

#[test]
fn match_lines_in_path_order() {
    let all = ".hidden:1: needle\na.rs:2: two needle\na.rs:6: six needle\nb/c.rs:1: needle\nb/d.txt:1: a needle in text";
    assert_eq!(text(&tree(), &json!({"pattern": "needle"})), all);
    assert_eq!(details(&tree(), &json!({"pattern": "needle"})), json!({"matches": 5}));
    assert_eq!(text(&tree(), &json!({"pattern": "needle$", "path": "b"})), "b/c.rs:1: needle");
    assert_eq!(text(&tree(), &json!({"pattern": "^N", "glob": "*.rs"})), "b.rs:1: Needle");
    let rs = "b/c.rs:1: needle\nb.rs:1: Needle";
    assert_eq!(text(&tree(), &json!({"pattern": "^NEEDLE", "glob": "b{/**,.rs}", "ignoreCase": true})), rs);
    assert_eq!(
        text(&tree(), &json!({"pattern": "needle", "path": "a.rs", "limit": 5})),
        "a.rs:2: two needle\na.rs:6: six needle"
    );
    assert_eq!(
        text(&tree(), &json!({"pattern": "needle", "glob": "b/"})),
        "b/c.rs:1: needle\nb/d.txt:1: a needle in text"
    );
    assert_eq!(text(&tree(), &json!({"pattern": "needles.", "literal": true})), "No matches found");
}

#[test]
fn reason_of_a_miss_is_searched_in_the_start_of_a_large_file() {
    let with_match_after = |blanks: usize| {
        let content = " \n".repeat(blanks) + "Needle\n";
        text(&Fixture::new(&[("a", &content)]), &json!({"pattern": "needle", "path": "a"}))
    };
    assert!(with_match_after(1_000_000).contains("[Lines match only without regard to case."));
    assert_eq!(with_match_after(5_000_000), "No matches found");
}

#[test]
fn context_and_the_groups_it_makes() {
    let near = "a.rs-1- one\na.rs:2: two needle\na.rs-3- three\n--\na.rs-5- five\na.rs:6: six needle";
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "path": "a.rs", "context": 1})), near);
    let touching = near.replace("--\n", "a.rs-4- four\n");
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "path": "a.rs", "context": 2})), touching);
    let files = "b/c.rs:1: needle\nb/c.rs-2- no\n--\nb/d.txt:1: a needle in text";
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "path": "b", "context": 3})), files);
    let second = "a.rs-4- four\na.rs-5- five\na.rs:6: six needle";
    assert_eq!(
        text(&tree(), &json!({"pattern": "needle", "path": "a.rs", "context": 2, "offset": 1})),
        second
    );
    // A skipped match and the lines after it can be context lines before the next match.
    let fixture = Fixture::new(&[("f", "x\n1\n2\nx\n")]);
    assert_eq!(
        text(&fixture, &json!({"pattern": "x", "context": 5, "offset": 1})),
        "f-1- x\nf-2- 1\nf-3- 2\nf:4: x"
    );
}

#[test]
fn files_and_counts() {
    let all = ".hidden\na.rs\nb/c.rs\nb/d.txt\n\n[4 files]";
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "mode": "files"})), all);
    let two = ".hidden: 1\na.rs: 2\n\n[2 files limit reached. Use limit=4 for more, or refine pattern]\n[5 matches in 4 files. Use offset=2 to continue]";
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "mode": "count", "limit": 2})), two);
    let rest = "b/c.rs: 1\nb/d.txt: 1\n\n[5 matches in 4 files]";
    assert_eq!(text(&tree(), &json!({"pattern": "needle", "mode": "count", "limit": 2, "offset": 2})), rest);
    let error = grep(&tree(), &json!({"pattern": "needle", "mode": "files", "offset": 4})).unwrap_err();
    assert_eq!(error.to_string(), "Offset 4 is beyond the last file (4 in all)");
}

#[test]
fn files_with_names_of_white_space_have_a_notice() {
    let fixture = Fixture::new(&[(" ", "x")]);
    let files = text(&fixture, &json!({"pattern": "x", "mode": "files"}));
    assert_eq!(files, " \n\n[Result is 1 name of white space]\n[1 file]");
}

#[test]
fn limits_are_exact_and_pages_join() {
    let fixture = tree();
    let page = |offset: u64, limit: u64| {
        text(&fixture, &json!({"pattern": "needle", "offset": offset, "limit": limit}))
    };
    assert!(!page(0, 5).contains('['));
    let notices = "\n\n[4 matches limit reached. Use limit=8 for more, or refine pattern]\n[5 matches in 4 files. Use offset=4 to continue]";
    assert!(page(0, 4).ends_with(notices), "{}", page(0, 4));
    let expected = json!({"matches": 4, "matchLimitReached": 4, "nextOffset": 4, "totalMatches": 5});
    assert_eq!(details(&fixture, &json!({"pattern": "needle", "limit": 4})), expected);
    let body = |page: String| page.split("\n\n").next().unwrap().to_owned();
    let joined: Vec<String> = (0..5).map(|offset| body(page(offset, 1))).collect();
    assert_eq!(joined.join("\n"), page(0, 100));
    let error = grep(&fixture, &json!({"pattern": "needle", "offset": 5})).unwrap_err().to_string();
    assert_eq!(error, "Offset 5 is beyond the last match (5 in all)");
    assert_eq!(text(&fixture, &json!({"pattern": "nowhere", "offset": 5})), "No matches found");
}

#[test]
fn byte_limit_reports_omitted_results() {
    let content = "0123456789\n".repeat(150);
    let fixture = Fixture::new(&[("f", &content)]).with(|shared| shared.limits.max_bytes = 100);
    let cut = |limit: u64| text(&fixture, &json!({"pattern": "5", "limit": limit}));
    let body = "f:1: 0123456789\nf:2: 0123456789\nf:3: 0123456789\nf:4: 0123456789\nf:5: 0123456789\nf:6: 0123456789";
    let more = format!(
        "{body}\n\n[100B limit reached (6 of 100+ matches shown)]\n[150 matches in 1 file. Use offset=6 to continue]"
    );
    assert_eq!(cut(100), more);
    assert_eq!(cut(150), more.replace("100+", "150"));
    assert_eq!(cut(1000), more.replace("100+", "150"));
    let truncation = &details(&fixture, &json!({"pattern": "5"}))["truncation"];
    let total = 9 * 15 + 90 * 16 + 17 + 99;
    assert_eq!((&truncation["totalLines"], &truncation["totalBytes"]), (&json!(100), &json!(total)));
    assert_eq!((&truncation["outputBytes"], &truncation["totalIsLowerBound"]), (&json!(95), &json!(true)));
    let lines = Fixture::new(&[("f", &content)]).with(|shared| shared.limits.max_lines = 2);
    let cut = "f:1: 0123456789\nf:2: 0123456789\n\n[2-line limit reached (2 of 100+ matches shown)]\n[150 matches in 1 file. Use offset=2 to continue]";
    assert_eq!(text(&lines, &json!({"pattern": "5"})), cut);
}

#[test]
fn outer_context_is_removed_first_if_the_first_match_does_not_fit() {
    let fixture = Fixture::new(&[("f", "1\n2\n3\nx\n5\n6\n7\n")]);
    let cut = |max_lines: u64, max_bytes: u64| {
        let fixture = Fixture::new(&[("f", "1\n2\n3\nx\n5\n6\n7\n")])
            .with(|shared| (shared.limits.max_lines, shared.limits.max_bytes) = (max_lines, max_bytes));
        text(&fixture, &json!({"pattern": "x", "context": 3}))
    };
    assert_eq!(text(&fixture, &json!({"pattern": "x", "context": 3})).lines().count(), 7);
    assert_eq!(
        cut(5, 1000),
        "f-2- 2\nf-3- 3\nf:4: x\nf-5- 5\nf-6- 6\n\n[5-line limit reached (1 of 1 matches shown)]\n\
         [2 context lines of the first match left out. Use read tool to see them]"
    );
    assert_eq!(cut(4, 1000).split("\n\n").next().unwrap(), "f-2- 2\nf-3- 3\nf:4: x\nf-5- 5");
    assert_eq!(cut(100, 20).split("\n\n").next().unwrap(), "f-3- 3\nf:4: x\nf-5- 5");
    assert_eq!(cut(100, 2).split("\n\n").next().unwrap(), "f:4: x");
}

#[test]
fn match_of_another_page_is_shown_as_context() {
    let fixture = Fixture::new(&[("f", "a\nM1\nM2\nb\nc\nd\nM3\n"), ("g", "M4\nM5\nx\ny\n")]);
    let page = |offset: u64, limit: u64| {
        let arguments = json!({"pattern": "M", "context": 2, "offset": offset, "limit": limit});
        text(&fixture, &arguments).split("\n\n").next().unwrap().to_owned()
    };
    assert_eq!(page(0, 1), "f-1- a\nf:2: M1\nf-3- M2\nf-4- b");
    assert_eq!(page(1, 1), "f-1- a\nf-2- M1\nf:3: M2\nf-4- b\nf-5- c");
    assert_eq!(page(2, 2), "f-5- c\nf-6- d\nf:7: M3\n--\ng:1: M4\ng-2- M5\ng-3- x");
    assert_eq!(page(4, 1), "g-1- M4\ng:2: M5\ng-3- x\ng-4- y");
    let arguments = json!({"pattern": "M", "context": 2, "offset": 3, "limit": 1});
    let expected = json!({"matches": 1, "matchLimitReached": 1, "nextOffset": 4, "totalMatches": 5});
    assert_eq!(details(&fixture, &arguments), expected);
    assert!(!text(&fixture, &json!({"pattern": "M", "context": 2, "offset": 4})).contains('['));
    let near = "M\n".repeat(30);
    let fixture = Fixture::new(&[("f", &near)]);
    let arguments = json!({"pattern": "M", "context": 5, "limit": 3});
    assert_eq!(text(&fixture, &arguments).split("\n\n").next().unwrap().lines().count(), 8);
}

#[test]
fn pages_contain_all_context() {
    let line = |n: usize| {
        let word = if n.is_multiple_of(20) { "needle" } else { "line" };
        format!("{word} {n} {}\n", "x".repeat(n * 7 % 90))
    };
    let content: String = (1..=2000).map(line).collect();
    for (context, max_bytes) in [(5, 3000), (5, 1500), (12, 4000), (2, 1000)] {
        let fixture = Fixture::new(&[("f", &content)]).with(|shared| shared.limits.max_bytes = max_bytes);
        let mut seen = std::collections::BTreeSet::new();
        let mut offset = Some(0);
        while let Some(at) = offset {
            let arguments = json!({"pattern": "needle", "context": context, "offset": at});
            let page = grep(&fixture, &arguments).unwrap();
            let body = page.text.split("\n\n").next().unwrap();
            assert!(body.len() as u64 <= max_bytes);
            seen.extend(
                body.lines()
                    .filter(|line| *line != "--")
                    .map(|line| line[2..].split([':', '-']).next().unwrap().parse::<u64>().unwrap()),
            );
            offset = page.details.next_offset;
        }
        let near = |n: &u64| (n + context) % 20 <= 2 * context && *n + context >= 20;
        assert_eq!(seen, (1..=2000).filter(near).collect(), "{context} {max_bytes}");
    }
}

#[test]
fn long_lines_show_where_the_match_is() {
    let line = format!("{}needle{}", "a".repeat(900), "b".repeat(900));
    let fixture = Fixture::new(&[("long", &line), ("short", "needle\n")]);
    let shown = text(&fixture, &json!({"pattern": "needle"}));
    let excerpt =
        format!("long:1: ... [truncated]{}needle{}... [truncated]", "a".repeat(247), "b".repeat(247));
    let notice = "[Some lines truncated to 500 chars. Use read tool to see full lines]";
    assert_eq!(shown, format!("{excerpt}\nshort:1: needle\n\n{notice}"));
    let expected = json!({"matches": 2, "linesTruncated": true});
    assert_eq!(details(&fixture, &json!({"pattern": "needle"})), expected);
}

#[test]
fn skipped_files_are_counted() {
    let fixture = Fixture::new(&[(".gitignore", "*.log\n"), ("a.log", "needle\n")]);
    fixture.write("bin", b"needle\0\n\0\x01\x02\x03\x04");
    let mut utf16 = vec![0xFF, 0xFE];
    utf16.extend("x\nneedle é\r\n".encode_utf16().flat_map(u16::to_le_bytes));
    fixture.write("utf16", utf16);
    fixture.write("mark", "\u{FEFF}needle\n");
    fixture.write("late", [b"needle \xFF ".as_slice(), &[b' '; 9000], b"\nneedle\0"].concat());
    std::os::unix::fs::symlink("mark", fixture.at("link")).unwrap();
    let shown = text(&fixture, &json!({"pattern": "^needle", "glob": "[!l]*"}));
    assert_eq!(shown, "mark:1: needle\nutf16:2: needle é\n\n[1 binary file matches: bin]");
    assert_eq!(
        details(&fixture, &json!({"pattern": "nowhere"})),
        json!({"matches": 0, "skipped": {"binary": 1}})
    );
    let late = text(&fixture, &json!({"pattern": "^needle", "path": "late"}));
    assert!(late.starts_with("late:1: needle ÿ ") && late.contains("\nlate:2: needle\u{FFFD}"), "{late}");
    assert_eq!(text(&fixture, &json!({"pattern": "nowhere"})), "No matches found");
    assert_eq!(text(&fixture, &json!({"pattern": "needle", "path": "a.log"})), "a.log:1: needle");
    assert_eq!(
        text(&fixture, &json!({"pattern": "needle", "glob": "*.log", "noIgnore": true})),
        "a.log:1: needle"
    );
}

#[test]
fn functions_of_a_large_file_are_shown() {
    let filler = "    step();\n".repeat(300_000);
    let fixture = Fixture::new(&[("a.js", &*["function run() {\n", &filler, "    needle();\n}\n"].concat())]);
    let arguments = json!({"pattern": "needle", "showFunction": true});
    assert_eq!(text(&fixture, &arguments), "a.js=1= function run() {\na.js:300002:     needle();");
}

#[test]
fn matches_across_lines() {
    let fixture = Fixture::new(&[("f", "a {\n  b\n}\nc\na { }\r\nz\n")]);
    let across = |arguments: Value| text(&fixture, &arguments);
    let all = "f:1: a {\nf:2:   b\nf:3: }\nf:5: a { }";
    assert_eq!(across(json!({"pattern": r"\{[^}]*\}", "multiline": true})), all);
    let near = "f:1: a {\nf:2:   b\nf:3: }\nf-4- c\nf:5: a { }\nf-6- z";
    assert_eq!(across(json!({"pattern": r"\{[^}]*\}", "multiline": true, "context": 1})), near);
    assert_eq!(across(json!({"pattern": r"\}$", "multiline": true})), "f:3: }\nf:5: a { }");
    assert_eq!(
        across(json!({"pattern": r"\{[^}]*\}", "multiline": true, "mode": "count"})),
        "f: 4\n\n[4 matches in 1 file]"
    );
    assert_eq!(across(json!({"pattern": r"b\n\}", "multiline": true})), "f:2:   b\nf:3: }");
    let error = grep(&fixture, &json!({"pattern": r"b\n"})).unwrap_err().to_string();
    assert!(error.contains("multiline=true"), "{error}");
}

#[test]
fn patterns_and_globs_that_are_wrong() {
    let error = grep(&tree(), &json!({"pattern": "foo(bar"})).unwrap_err().to_string();
    assert!(error.contains("foo(bar") && error.contains("unclosed group"), "{error}");
    assert!(error.ends_with("\nUse literal=true to search for the text itself"), "{error}");
    let error = grep(&tree(), &json!({"pattern": r"\w{1000}{1000}"})).unwrap_err().to_string();
    assert!(error.starts_with("Pattern is too large: "), "{error}");
    let error = grep(&tree(), &json!({"pattern": "a", "glob": "x["})).unwrap_err().to_string();
    assert!(error.starts_with("Invalid glob 'x[': "), "{error}");
    assert!(
        text(&tree(), &json!({"pattern": "", "limit": 1})).starts_with(".hidden:1: needle\n\n[1 match limit")
    );
}

#[test]
fn file_with_more_matches_than_the_memory_bound() {
    let fixture = Fixture::new(&[("a", "needle\n")]);
    let line = format!("needle {}\n", "x".repeat(400));
    for name in ["b", "c", "d/e"] {
        fixture.write(name, line.repeat(5000));
    }
    let last = text(&fixture, &json!({"pattern": "needle", "offset": 14_999, "limit": 10}));
    assert!(last.starts_with("d/e:4999: needle") && last.contains("\nd/e:5000: needle"), "{last}");
    assert_eq!(last.lines().count(), 2);
}

#[test]
fn the_same_bytes_whatever_the_workers() {
    let fixture = Fixture::new(&[]);
    for n in 0..300 {
        fixture
            .write(&format!("d{}/e{}/f{n}", n % 7, n % 13), format!("a\nneedle {n}\nb\n").repeat(n % 5 + 1));
    }
    let arguments = json!({"pattern": "needle", "context": 1, "limit": 400, "offset": 37});
    let first = text(&fixture, &arguments);
    let mut fixture = fixture;
    for workers in 1..=8 {
        fixture = fixture.with(|shared| shared.workers = workers);
        assert!(text(&fixture, &arguments) == first, "{workers}");
    }
}

#[test]
fn cancelled_call_returns_no_result() {
    let fixture = tree();
    fixture.cx.cancel.cancel();
    for path in [".", "a.rs"] {
        let error = grep(&fixture, &json!({"pattern": "needle", "path": path})).unwrap_err();
        assert!(matches!(error, ToolError::Cancelled), "{error}");
    }
}

#[test]
fn paths_can_be_used_with_read() {
    let fixture = tree();
    let absolute = fixture.at("b");
    let shown = String::from_utf8(crate::fs::workspace::shown(&absolute).to_owned()).unwrap();
    let arguments = json!({"pattern": "needle", "path": absolute, "glob": format!("{shown}/*.rs")});
    assert_eq!(text(&fixture, &arguments), "b/c.rs:1: needle");
    assert_eq!(text(&fixture, &json!({"pattern": "needle", "path": "./b/../b/c.rs"})), "b/c.rs:1: needle");
    let error = grep(&fixture, &json!({"pattern": "x", "path": "b/none"})).unwrap_err().to_string();
    assert!(error.starts_with("Path not found: b/none"), "{error}");
    let error = grep(&fixture, &json!({"pattern": "x", "path": "../.."})).unwrap_err().to_string();
    assert!(error.starts_with("Path is outside the workspace"), "{error}");
}

#[test]
fn a_link_inside_a_walk_is_not_followed_by_anything() {
    let fixture = tree();
    std::fs::write(fixture.outside().join("secret"), "needle\n").unwrap();
    std::os::unix::fs::symlink(fixture.outside(), fixture.at("up")).unwrap();
    std::os::unix::fs::symlink("../secret", fixture.at("b/secret")).unwrap();
    assert_eq!(
        text(&fixture, &json!({"pattern": "needle", "mode": "files", "path": "b"})),
        "b/c.rs\nb/d.txt\n\n[2 files]"
    );
    assert_eq!(
        text(&fixture, &json!({"pattern": "needle", "mode": "files"})),
        ".hidden\na.rs\nb/c.rs\nb/d.txt\n\n[4 files]"
    );
}

#[test]
fn first_match_far_over_the_limit_is_cut() {
    let line = format!("{}needle{}\n", "é".repeat(90_000), "b".repeat(90_000));
    let folder = ["p".repeat(250), "q".repeat(250), "r".repeat(250)].join("/");
    let deep = format!("{folder}/f");
    let files = [("a", line.as_str()), ("b", "needle\n"), (&deep, "needle\n")];
    for max_bytes in [10, 400, 600, 3000] {
        let fixture = Fixture::new(&files).with(|shared| {
            (shared.limits.max_bytes, shared.limits.max_match_line_chars) = (max_bytes, 1_000_000);
        });
        let cases = [("a:1: ", true), ("b:1: needle", true), ("ppp", false)];
        for (offset, (path, more)) in cases.into_iter().enumerate() {
            for mode in ["content", "files", "count"] {
                let arguments = json!({"pattern": "needle", "offset": offset, "limit": 1, "mode": mode});
                let page = grep(&fixture, &arguments).unwrap();
                assert!(page.text.len() as u64 <= max_bytes + 1000, "{max_bytes} {}", page.text);
                assert_eq!(page.details.next_offset.is_some(), more);
                let body = page.text.split("\n\n").next().unwrap();
                assert!(body.len() as u64 <= max_bytes.max(500), "{body}");
                if mode == "content" {
                    assert!(body.starts_with(path) && (offset == 0 || body.ends_with("needle")), "{body}");
                }
            }
        }
    }
    let fixture = Fixture::new(&files[..1])
        .with(|shared| (shared.limits.max_bytes, shared.limits.max_match_line_chars) = (3000, 1_000_000));
    let page = grep(&fixture, &json!({"pattern": "needle"})).unwrap();
    assert!(
        page.text.contains("... [truncated]\n\n[3KB limit reached (1 of 1 matches shown)]"),
        "{}",
        page.text
    );
    assert!(page.details.truncation.unwrap().first_line_exceeds_limit);
}
