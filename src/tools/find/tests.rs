//! Tests find on real trees.

use super::*;
use crate::tools::tests::{Fixture, args};
use serde_json::{Value, json};

fn find(fixture: &Fixture, arguments: &Value) -> Result<Output, ToolError> {
    Fixture::wait(run(&fixture.cx, args(arguments)))
}

fn text(fixture: &Fixture, arguments: &Value) -> String {
    find(fixture, arguments).unwrap().text
}

fn tree() -> Fixture {
    let files =
        ["a.rs", "a/b.rs", "a/c/d.rs", "a-b.rs", "b/target/e.rs", "b/.hidden.rs", ".git/x.rs", "c/n.txt"];
    Fixture::new(&files.map(|path| (path, "")))
}

#[test]
fn by_name_at_any_depth_in_path_order() {
    let all = "a/b.rs\na/c/d.rs\na-b.rs\na.rs\nb/.hidden.rs\nb/target/e.rs";
    assert_eq!(text(&tree(), &json!({"pattern": "*.rs"})), all);
    assert_eq!(text(&tree(), &json!({"pattern": "a/*.rs"})), "a/b.rs");
    assert_eq!(text(&tree(), &json!({"pattern": "*.rs", "path": "a"})), "a/b.rs\na/c/d.rs");
    assert_eq!(text(&tree(), &json!({"pattern": "./*.rs"})), "a-b.rs\na.rs");
    assert_eq!(text(&tree(), &json!({"pattern": "!*.rs"})), "c/n.txt");
    let none = "No files found matching pattern\n\n[Names match only without regard to case. Use ignoreCase=true to find them]";
    assert_eq!(text(&tree(), &json!({"pattern": "*.RS"})), none);
}

#[test]
fn folders_end_with_a_slash_and_links_are_files() {
    let fixture = tree();
    std::os::unix::fs::symlink("a", fixture.at("link")).unwrap();
    assert_eq!(text(&fixture, &json!({"pattern": "*", "type": "dir"})), "a/\na/c/\nb/\nb/target/\nc/");
    assert_eq!(text(&fixture, &json!({"pattern": "c", "type": "any"})), "a/c/\nc/");
    assert_eq!(text(&fixture, &json!({"pattern": "c/", "type": "any"})), "a/c/\nc/");
    assert_eq!(text(&fixture, &json!({"pattern": "c/"})), "a/c/\nc/");
    assert_eq!(text(&fixture, &json!({"pattern": "a/*/"})), "a/c/");
    let none = "No files found matching pattern\n\n[Folders match. Use type=any to include them]";
    assert_eq!(text(&fixture, &json!({"pattern": "c/", "type": "file"})), none);
    assert_eq!(text(&fixture, &json!({"pattern": "!c/", "path": "c"})), "c/n.txt");
    assert_eq!(text(&fixture, &json!({"pattern": "link"})), "link");
    assert_eq!(text(&fixture, &json!({"pattern": "a*", "type": "any"})), "a/\na-b.rs\na.rs");
}

#[test]
fn ignored_files_and_their_notice() {
    let fixture = tree();
    fixture.write(".gitignore", "target\n");
    let none = "No files found matching pattern\n\n[Ignored files were not searched. Use noIgnore=true to include them]";
    assert_eq!(text(&fixture, &json!({"pattern": "e.rs"})), none);
    assert_eq!(text(&fixture, &json!({"pattern": "e.rs", "noIgnore": true})), "b/target/e.rs");
    assert_eq!(
        text(&fixture, &json!({"pattern": "x.rs", "noIgnore": true})),
        "No files found matching pattern"
    );
}

#[test]
fn incomplete_check_of_ignored_files_is_reported_only_if_there_are_any() {
    let fixture = tree();
    for n in 0..IGNORED_CHECK.names {
        fixture.write(&format!("many/{n}"), "");
    }
    let call = json!({"pattern": "none/n.c"});
    assert_eq!(text(&fixture, &call), "No files found matching pattern");
    fixture.write(".gitignore", "target\n");
    let none = "No files found matching pattern\n\n[Ignored files were not searched. Use noIgnore=true to include them]";
    assert_eq!(text(&fixture, &call), none);
}

#[test]
fn limits_are_exact_and_pages_join() {
    let fixture = tree();
    let page = |offset: u64, limit: u64| {
        text(&fixture, &json!({"pattern": "*.rs", "offset": offset, "limit": limit}))
    };
    assert!(!page(0, 6).contains('['));
    assert_eq!(
        page(0, 1),
        "a/b.rs\n\n[1 result limit reached. Use limit=2 for more, or refine pattern]\n[6 results. Use offset=1 to continue]"
    );
    assert_eq!(page(4, 2), "b/.hidden.rs\nb/target/e.rs");
    let error = find(&fixture, &json!({"pattern": "*.rs", "offset": 6})).unwrap_err().to_string();
    assert_eq!(error, "Offset 6 is beyond the last result (6 in all)");
    let output = find(&fixture, &json!({"pattern": "*.rs", "limit": 5})).unwrap();
    assert_eq!((output.details.result_limit_reached, output.details.next_offset), (Some(5), Some(5)));
}

#[test]
fn results_after_the_page_are_counted() {
    let fixture = Fixture::new(&[]);
    for number in 0..5600 {
        fixture.write(&format!("{}/{number}", number % 20), "");
    }
    let output = find(&fixture, &json!({"pattern": "*", "limit": 1})).unwrap();
    assert_eq!((output.details.total_results, output.details.total_is_lower_bound), (Some(5600), None));
}

#[test]
fn byte_limit_reports_omitted_results() {
    let fixture = tree().with(|shared| shared.limits.max_bytes = 16);
    let output = find(&fixture, &json!({"pattern": "*.rs", "limit": 5})).unwrap();
    assert_eq!(output.text, "a/b.rs\na/c/d.rs\n\n[16B limit reached]\n[6 results. Use offset=2 to continue]");
    let truncation = output.details.truncation.unwrap();
    assert_eq!((truncation.total_lines, truncation.total_bytes), (5, 40));
    assert_eq!(truncation.total_is_lower_bound, Some(true));
    assert_eq!(output.details.result_limit_reached, None);
}

#[test]
fn the_newest_first_and_ties_by_path() {
    let fixture = tree();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let modify = |path: &str, time| {
        let file = std::fs::File::options().append(true).open(fixture.at(path));
        file.unwrap().set_modified(time).unwrap();
    };
    for path in ["a.rs", "a/b.rs", "a-b.rs", "b/.hidden.rs", "b/target/e.rs"] {
        modify(path, old);
    }
    // A few of the coarsest time units of a file system.
    modify("a.rs", old + std::time::Duration::from_nanos(500));
    let sorted = |offset: u64, limit: u64| {
        let arguments = json!({"pattern": "*.rs", "sort": "modified", "offset": offset, "limit": limit});
        text(&fixture, &arguments).split("\n\n").next().unwrap().to_owned()
    };
    let all = "a/c/d.rs\na.rs\na/b.rs\na-b.rs\nb/.hidden.rs\nb/target/e.rs";
    assert_eq!(sorted(0, 100), all);
    assert_eq!([sorted(0, 2), sorted(2, 3), sorted(5, 9)].join("\n"), all);
}

#[test]
fn invalid_glob() {
    let error = find(&tree(), &json!({"pattern": "a["})).unwrap_err().to_string();
    assert!(error.starts_with("Invalid glob 'a[': "), "{error}");
}

#[test]
fn names_that_can_not_be_shown_as_they_are() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new(&[]);
    for name in [b"a\xFFb".as_slice(), b"c\nd"] {
        std::fs::write(fixture.at("").join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    assert_eq!(text(&fixture, &json!({"pattern": "*"})), "a\u{FFFD}b\nc\u{FFFD}d");
}

#[test]
fn one_name_over_the_limit_is_shown() {
    let limited = |files: &[&str]| {
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).collect();
        Fixture::new(&files).with(|shared| shared.limits.max_bytes = 10)
    };
    let alone = find(&limited(&["a-name-of-24-characters-"]), &json!({"pattern": "*"})).unwrap();
    assert_eq!(alone.text, "a-name-of-24-characters-\n\n[10B limit reached]");
    assert_eq!(alone.details.next_offset, None);
    assert!(alone.details.truncation.unwrap().first_line_exceeds_limit);
    let fixture = limited(&["a-name-of-24-characters-", "b", "c"]);
    let first = text(&fixture, &json!({"pattern": "*"}));
    let notices = "[10B limit reached]\n[3 results. Use offset=1 to continue]";
    assert_eq!(first, format!("a-name-of-24-characters-\n\n{notices}"));
    assert_eq!(text(&fixture, &json!({"pattern": "*", "offset": 1})), "b\nc");
    let last = text(&limited(&["a", "b-name-of-24-characters-"]), &json!({"pattern": "*", "offset": 1}));
    assert_eq!(last, "b-name-of-24-characters-\n\n[10B limit reached]");
    let long = ["x".repeat(250), "y".repeat(250), "z".repeat(250)].join("/");
    let cut = text(&limited(&[&long]), &json!({"pattern": "*"}));
    let body = cut.split("\n\n").next().unwrap();
    assert!(body.len() <= 500 && body.starts_with('x') && body.contains('…') && body.ends_with('z'), "{cut}");
}

#[test]
fn names_of_white_space_have_a_notice() {
    let fixture = Fixture::new(&[(" ", ""), ("\u{3000}", "")]);
    assert_eq!(
        text(&fixture, &json!({"pattern": "*"})),
        " \n\u{3000}\n\n[Results are 2 names of white space]"
    );
}

fn services() -> Fixture {
    Fixture::new(&[
        ("src/userService.ts", ""),
        ("src/user_service_data.py", ""),
        ("src/superuserservices.rb", ""),
        ("src/user/service/index.ts", ""),
        ("src/service.ts", ""),
        ("tests/userService.ts", ""),
        ("node_modules/x/user-service.js", ""),
    ])
}

#[test]
fn relevance_ranks_names_for_words() {
    let fixture = services();
    let call = json!({"pattern": "user service", "sort": "relevance"});
    let all = "src/userService.ts\nsrc/user_service_data.py\nsrc/superuserservices.rb\nsrc/user/service/index.ts\n\
               tests/userService.ts\nnode_modules/x/user-service.js";
    assert_eq!(text(&fixture, &call), all);
    let details = serde_json::to_value(find(&fixture, &call).unwrap().details).unwrap();
    assert_eq!(details, json!({"totalResults": 6}));
    let page = |offset: u64, limit: u64| {
        let call = json!({"pattern": "user service", "sort": "relevance", "offset": offset, "limit": limit});
        text(&fixture, &call)
    };
    let first = all.lines().take(4).collect::<Vec<_>>().join("\n");
    let notice = "[4 of 6 results, most relevant first. Use offset=4 to continue]";
    assert_eq!(page(0, 4), format!("{first}\n\n{notice}"));
    let pages: Vec<String> =
        (0..6).map(|offset| page(offset, 1).split("\n\n").next().unwrap().to_owned()).collect();
    assert_eq!(pages.join("\n"), all);
    for workers in [1, 5] {
        assert_eq!(text(&services().with(|shared| shared.workers = workers), &call), all);
    }
    let error = find(&fixture, &json!({"pattern": "user service", "sort": "relevance", "offset": 6}));
    assert_eq!(error.unwrap_err().to_string(), "Offset 6 is beyond the last result (6 in all)");
    let folders = json!({"pattern": "service", "sort": "relevance", "type": "dir"});
    assert_eq!(text(&fixture, &folders), "src/user/service/");
}

#[test]
fn relevance_accepts_words_and_a_bounded_page() {
    let fixture = services().with(|shared| shared.limits.max_bytes = 40);
    let error = |call: &Value| find(&fixture, call).unwrap_err().to_string();
    let wild = "pattern: must be words without wildcards with sort=relevance, got \"*.ts\"";
    assert_eq!(error(&json!({"pattern": "*.ts", "sort": "relevance"})), wild);
    assert!(error(&json!({"pattern": "  ", "sort": "relevance"})).ends_with("got \"  \""));
    let long = json!({"pattern": "a".repeat(1025), "sort": "relevance"});
    assert_eq!(error(&long), "pattern: must be at most 1024 bytes, got 1025");
    let most = "offset and limit: must be at most 10000 together with sort=relevance, got 10001";
    assert_eq!(error(&json!({"pattern": "a", "sort": "relevance", "limit": 10_001})), most);
    let cut = text(&fixture, &json!({"pattern": "user service", "sort": "relevance"}));
    let expected = "src/userService.ts\n\n\
                    [1 of 6 results (40B limit), most relevant first. Use offset=1 to continue]";
    assert_eq!(cut, expected);
    assert_eq!(
        text(&fixture, &json!({"pattern": "zzz", "sort": "relevance"})),
        "No files found matching pattern"
    );
}
