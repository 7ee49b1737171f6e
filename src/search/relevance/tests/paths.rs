//! Tests the points for the location and the name of a file.

use super::*;

#[test]
fn lower_locations_rank_below_others_in_their_order() {
    let paths = [
        "src/a.py",
        "tests/a.py",
        "examples/a.py",
        "docs/a.py",
        "vendor/a.py",
        "dist/a.py",
        "locale/a.py",
        "a.lock",
    ];
    for line in ["def NAME():", "NAME()", "# NAME"] {
        let points: Vec<_> = paths.iter().map(|path| total_points(path, line)).collect();
        assert!(points.is_sorted_by(|one, next| one > next), "{line}: {points:?}");
    }
    // A definition in a test ranks above uses elsewhere, but not above definitions and declarations.
    assert!(total_points("tests/a.py", "class NAME:") > total_points("src/NAME.py", "    x(NAME)"));
    assert!(total_points("tests/NAME.ts", "export class NAME {") < total_points("src/a.ts", "  NAME() {"));
    assert!(total_points("tests/NAME.py", "    x(NAME)") < total_points("src/a.py", "# NAME"));
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
        "a/i18n/de.json",
        "a/de.po",
        "build/three.module.js",
        "lib/esm/a.js",
    ] {
        assert!(PathFacts::new(path.as_bytes()).location_points < -400, "{path}");
    }
    for path in [
        "a/test/client.py",
        "src/testing.rs",
        "a/i18n/load.ts",
        "go/build/a.go",
        "contest/a.rs",
        "CMakeLists.txt",
        "a.rs",
    ] {
        assert_eq!(PathFacts::new(path.as_bytes()).location_points, 0, "{path}");
    }
}

#[test]
fn files_with_the_name_or_more_matches_rank_first_among_equals() {
    let line = "class UserService:";
    let score = |path: &str, matches| {
        let mut scorer = scorer(path);
        line_points(&mut scorer, line, 6..17) + scorer.file_points(matches)
    };
    let named = ["user_service.py", "UserService.py", "user-service/__init__.py", "user_service/index.py"];
    for path in named {
        assert!(score(path, 1) > score("user.py", 1), "{path}");
        assert_eq!(score(path, 1), score("user_service.py", 1), "{path}");
    }
    assert!(score("user.py", 1) > score("other.py", 1));
    assert!(score("other.py", 8) > score("other.py", 4));
    let step = |from: u64, to: u64| score("other.py", to) - score("other.py", from);
    assert!(step(1, 9) > step(9, 17), "of falling weight");
    assert_eq!(step(64, 100_000), 0);
}
