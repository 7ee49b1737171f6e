//! Tests line endings: `\r\n`, and a `\r` that is no line ending.

use super::*;

#[test]
fn return_is_searched_if_the_pattern_contains_it() {
    let content = "a\nfoo\rbar\nend\r\nfoo\r";
    let found = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).0;
    assert_eq!(found(r"foo\rbar"), ["2:foo\rbar"]);
    assert_eq!(found("end$"), ["3:end"]);
    for pattern in [r"\r$", "[\r]$", "\r$"] {
        assert_eq!(found(pattern), ["3:end", "4:foo\r"], "{pattern}");
    }
    assert_eq!(found(r"\x0d$"), found(r"\r$"));
    assert_eq!(found(r"n[^\r\n]$"), ["3:end"]);
    // An escaped backslash before an `r` is no return.
    assert_eq!(search(&query(r"C:\\run$", 0), b"C:\\run\r\nb\r\n").0, ["1:C:\\run"]);
    let regular = "end\r\nno\r\nend \r\n\r\n";
    assert_eq!(search(&query("end$", 0), regular.as_bytes()).0, ["1:end"]);
    assert_eq!(search(&query("^$", 0), regular.as_bytes()).0, ["4:"]);
}

#[test]
fn search_across_lines_finds_returns_that_the_pattern_contains() {
    let content = "a\r\nb\r\nc\nd\r\r\ne";
    let found = |pattern: &str| search(&across(pattern), content.as_bytes()).0;
    assert_eq!(found(r"a\r\nb"), ["1:a", "2:b"]);
    assert_eq!(found(r"c\r?\nd"), ["3:c", "4:d\r"]);
    assert_eq!(found(r"b\nc"), ["2:b", "3:c"]);
    assert_eq!(found("^"), ["1:a", "2:b", "3:c", "4:d\r", "5:e"]);
    assert_eq!(search(&query("^", 0), content.as_bytes()).0, found("^"));
}

/// Typical patterns for searches across lines.
const ACROSS: [&str; 32] = [
    "needle$",
    "^needle",
    "^$",
    r"\s*$",
    r"\s*\z",
    r"^\s*\}",
    r"\{$",
    r"\{\n",
    r"\{\n\s*\}",
    r"\{\s*\}",
    r"fn \w+\(\)",
    r"fn \w+\(\) \{\n[^}]*\}",
    "(?s)fn.*?\\}",
    "(?s)/\\*.*?\\*/",
    r"\n\n",
    r"\n\n\n",
    r";\n",
    r"a;\n\s+b;",
    r"[^\n]+\n\}",
    r"[^;]$",
    r"end\.$",
    r"end.\n",
    r"\bb\b",
    r"\Bd",
    r"\bend\b",
    r"\w+\b\B?",
    r"\b(?:a|two)\b",
    r"\B$",
    r"(?m)^use .*;$",
    r"(?:use .*;\n)+",
    r"\s+needle",
    r"needle\W+fn",
];

#[test]
fn patterns_find_the_same_in_lf_and_crlf_files() {
    let text = "use a;\nuse b;\n\n/* one\n   two */\nneedle\nfn main() {\n    a;\n    b;\n}\n\n\n{\n}\nend.\n needle\nend";
    for content in [text.to_owned(), format!("{text}\n"), format!("lone \r return\n{text}")] {
        let crlf = content.replace('\n', "\r\n");
        let mut found = 0;
        for pattern in ACROSS {
            let rows = search(&across(pattern), content.as_bytes()).0;
            assert_eq!(search(&across(pattern), crlf.as_bytes()).0, rows, "{pattern:?} in {crlf:?}");
            found += usize::from(!rows.is_empty());
            if !pattern.contains(r"\n") && !pattern.contains("(?s)") && !pattern.contains(r"\z") {
                let rows = search(&query(pattern, 1), content.as_bytes()).0;
                assert_eq!(search(&query(pattern, 1), crlf.as_bytes()).0, rows, "{pattern:?} by line");
            }
        }
        assert!(found > 24, "{found} of the patterns match");
    }
}
