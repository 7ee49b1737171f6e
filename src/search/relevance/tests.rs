//! Tests the scores of lines and of paths.

use super::*;

fn score(path: &str, line: &str, found: Range<usize>) -> i32 {
    FileScorer::new(path.as_bytes()).score(line.as_bytes(), &found)
}

/// Returns the points of a line in a file at `path` with one match of `NAME`.
fn total_points(path: &str, line: &str) -> i32 {
    let at = line.find("NAME").unwrap();
    score(path, line, at..at + 4)
}

#[test]
fn complete_names_rank_before_parts_of_names() {
    let score = |line: &str, found: Range<usize>| score("a.py", line, found);
    let (whole, start) = (score("def pool():", 4..8), score("def pooled():", 4..8));
    assert!(whole > start && start > score("pool()", 0..4), "{whole} {start}");
    // If the pattern matches more than a name, the name at its end counts.
    assert_eq!(score("def pool():", 0..8), whole);
}

#[test]
fn definitions_rank_first_and_imports_last() {
    let added = FILE_IS_NAMED - 10 * FOLDER;
    for (kind, next) in [(DEFINES, ASSIGNS), (ASSIGNS, USES), (USES, IMPORTS)] {
        assert!(kind - next > added, "{kind} {next} {added}");
    }
    for (path, lines) in [
        ("a.py", ["def NAME(x):", "NAME = 1", "x(NAME)", "from a import NAME"]),
        ("a.ts", ["export class NAME {", "this.NAME = x", "if (NAME == x) {", "// NAME"]),
        ("a.c", ["static int NAME(int x)\n{", "  NAME = 1;", "  NAME(x);", "#include <NAME>"]),
        ("a.rs", ["    pub fn NAME() {", "let NAME = x;", "match NAME {", "use a::NAME;"]),
        ("a.js", ["function NAME() {", "var NAME = x;", "x = NAME(y);", "var NAME = require('./a');"]),
        ("b.py", ["async def NAME(x):", "NAME = 1", "    NAME, x,", "    NAME,"]),
    ] {
        let points = lines.map(|line| total_points(path, line));
        assert!(points.is_sorted_by(|one, next| one > next), "{path} {points:?}");
    }
}

#[test]
fn lower_locations_and_long_lines_rank_below_others() {
    let long = format!("NAME(){}", " x".repeat(250));
    assert!(total_points("a.js", &long) < total_points("a.js", "NAME()") - 300);
    // A definition in a test ranks above uses elsewhere, but not above definitions and declarations.
    assert!(total_points("tests/a.py", "class NAME:") > total_points("src/NAME.py", "    x(NAME)"));
    assert!(total_points("tests/NAME.ts", "export class NAME {") < total_points("src/a.ts", "  NAME() {"));
    assert!(total_points("tests/NAME.py", "    x(NAME)") < total_points("src/a.py", "# NAME"));
    assert!(total_points("a.py", "class NAME:") > total_points("a/b/a.py", "class NAME:"), "depth");
    for path in [
        "a/test_b.py",
        "b_test.go",
        "a/__tests__/b.ts",
        "b.spec.ts",
        "README.md",
        "a/node_modules/b/c.js",
        "a.min.js",
        "a.pb.go",
        "package-lock.json",
        "a/de.po",
        "lib/esm/a.js",
    ] {
        assert!(FileScorer::new(path.as_bytes()).location < -400, "{path}");
    }
    for path in ["src/testing.rs", "go/build/a.go", "contest/a.rs", "latest_a.py", "a.rs"] {
        assert!(FileScorer::new(path.as_bytes()).location > -10, "{path}");
    }
}

#[test]
fn files_with_the_name_rank_first_among_equals() {
    let score = |path: &str| score(path, "class UserService:", 6..17);
    for path in ["user_service.py", "UserService.py"] {
        assert_eq!(score(path), score("user_service.py"), "{path}");
    }
    assert!(score("user-service/__init__.py") > score("a/user.py"));
    assert!(score("user_service.py") > score("user.py") && score("user.py") > score("other.py"));
}

#[test]
fn names_rank_by_complete_name_then_word_starts_then_letters() {
    let ranked = [
        "src/userService.ts",
        "src/user_service_data.ts",
        "src/superuserservices.ts",
        "src/uxsxexr_service.ts",
    ];
    let scorer = NameScorer::new("user service");
    let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
    assert!(points.iter().all(Option::is_some) && points.is_sorted_by(|one, next| one > next), "{points:?}");
    assert!(scorer.score(b"tests/user_service.ts") < points[3], "the same in lower locations");
    assert!(scorer.score(b"user/service_x.ts") < scorer.score(b"a/user_service_x.ts"), "folders count less");
    assert_eq!(scorer.score(b"user/service/x.ts"), None, "no word in the name");
    assert!(scorer.score(b"user/service/index.ts").is_some(), "a file that stands for its folder");
    assert_eq!(scorer.score(b"src/service.ts"), None, "all words");
    assert_eq!(scorer.score(b"resu/service.ts"), None, "letters strewn over folders");
    assert!(NameScorer::new("user/serv").score(b"user/service/x.ts").is_some(), "a word with folders");
    assert!(NameScorer::new("UserService").score(b"user_service.py").is_some(), "letters without case");
    assert!(NameScorer::new("src").score(b"a/src/").is_some(), "a folder");
    assert!(NameScorer::new(&"é".repeat(300)).score("é".repeat(300).as_bytes()).is_some(), "long words");
}

#[test]
fn names_that_are_exact_rank_before_letters_in_order_also_in_lower_places() {
    for (words, ranked) in [
        ("tests.py", ["app/tests.py", "app/tests/tests.py", "app/tests.py-tpl", "app/test_cases.py"]),
        ("Cargo.lock", ["a/Cargo.lock", "vendor/a/Cargo.lock", "a/Cargo.lock.old", "a/cargo_clock.rs"]),
    ] {
        let scorer = NameScorer::new(words);
        let points: Vec<_> = ranked.iter().map(|path| scorer.score(path.as_bytes())).collect();
        assert!(points.is_sorted_by(|one, next| one >= next), "{words}: {points:?}");
        assert!(points[1] > points[2], "{words}: {points:?}");
    }
    let scorer = NameScorer::new("cfr");
    assert!(scorer.score(b"src/cafer.ts") > scorer.score(b"src/scxxxxfixxxxxxr.ts"), "distance");
    assert_eq!((scorer.score(b"src/rfc.ts"), scorer.score(b"src/cf.ts")), (None, None));
}
