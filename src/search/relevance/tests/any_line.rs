//! Tests that the score of any line is exact and within its bounds.

use super::*;
use proptest::prelude::*;

/// Parts of lines. Joined, they use a name in different ways.
const PIECES: &[&str] = &[
    "Name",
    "Name",
    "other",
    " ",
    " ",
    "  ",
    "\t",
    "(",
    ")",
    "(",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "=",
    "= ",
    ":",
    "::",
    ".",
    ",",
    ";",
    "*",
    "&",
    "#",
    "\"",
    "'",
    "`",
    "@",
    "!",
    "?",
    "-",
    "->",
    "=>",
    "//",
    "/*",
    "*/",
    "# ",
    "--",
    "fn ",
    "static ",
    "const ",
    "class ",
    "function ",
    "def ",
    "return ",
    "if ",
    "impl ",
    "for ",
    "struct ",
    "typedef ",
    "#define ",
    "import ",
    "from ",
    "export ",
    "pub ",
    "func ",
    "type ",
    "void ",
    "int ",
    "new ",
    "await ",
    "alias ",
    "self.",
    "this.",
    "DEFINE_X(",
    "macro(",
    "() {",
    "alias_method :",
    "attr_reader :",
    "extern ",
    "a.b.",
    "create table ",
    "exists ",
    "API_X ",
    "$",
    "\\",
    "%",
    "%Name",
    "~",
    "^",
    "|",
    "+",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn points_of_joined_pieces_are_exact_and_within_bounds(
        before in prop::collection::vec(prop::sample::select(PIECES), 0..6),
        after in prop::collection::vec(prop::sample::select(PIECES), 0..4),
        ending in prop::sample::select(vec!["c", "ts", "py", "go", "rs", "java", "sql", "el", "json", "rb", "php", "x"]),
    ) {
        let before = before.concat();
        let line = format!("{before}Name{}", after.concat());
        let mut scorer = scorer(&format!("a/b.{ending}"));
        let found = before.len()..before.len() + 4;
        let points = scorer.line_points(line.as_bytes(), &found, i32::MIN).unwrap();
        for needed in [points - 1, points, 400, 500] {
            let exact = (points > needed).then_some(points);
            prop_assert_eq!(scorer.line_points(line.as_bytes(), &found, needed), exact, "{:?} needed {}", line, needed);
            let may_have_more = scorer.may_have_more(line.as_bytes(), found.end, needed);
            prop_assert!(exact.is_none() || may_have_more, "{:?} needed {}", line, needed);
        }
    }

    #[test]
    fn has_a_score_within_bounds(
        line in prop::collection::vec(prop::sample::select(b"aN_ \t(){}[]<>:;=#/*-,.\"'@!&\xC3\xA9".to_vec()), 1..60),
        ending in prop::sample::select(vec!["c", "ts", "py", "go", "rs", "java", "sql", "el", "json", "rb", "php", "x"]),
        from in 0_usize..60,
        len in 0_usize..20,
    ) {
        let start = from.min(line.len());
        let found = start..(start + len).min(line.len());
        let mut scorer = scorer(&format!("a/b.{ending}"));
        let points = scorer.line_points(&line, &found, i32::MIN).unwrap();
        for needed in [points - 1, points, points + 1, 0, 400, 700] {
            let exact = (points > needed).then_some(points);
            prop_assert_eq!(scorer.line_points(&line, &found, needed), exact, "needed {}", needed);
            prop_assert!(exact.is_none() || scorer.may_have_more(&line, found.end, needed), "needed {}", needed);
        }
    }
}
