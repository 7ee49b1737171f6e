//! Tests line endings: `\r\n`, and a `\r` that is no line ending.

use super::*;

#[test]
fn lone_return_is_a_character() {
    let content = "a\nc\rd\nfoo\rbar\nend\r\nfoo\r";
    let found = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).0;
    for pattern in ["foo.*bar", "foo.bar", r"foo\sbar", "foo[^x]bar", r"foo\rbar", "foo[\r]bar"] {
        assert_eq!(found(pattern), ["3:foo\rbar"], "{pattern}");
    }
    for pattern in ["^d", "c$", "foo$", "^$"] {
        assert!(found(pattern).is_empty(), "{pattern}");
    }
    assert_eq!(found("end$"), ["4:end"]);
    assert_eq!(found("^foo.$"), ["5:foo\r"]);
    for pattern in [r"\r$", r"\x0d$", "[\r]$", "\r$"] {
        assert_eq!(found(pattern), ["4:end", "5:foo\r"], "{pattern}");
    }
    assert_eq!(found("\r").len(), 4);
    assert_eq!(found("n[^\r\n]$"), ["4:end"]);
    let regular = "end\r\nno\r\nend \r\n\r\n";
    assert_eq!(search(&query("end$", 0), regular.as_bytes()).0, ["1:end"]);
    assert_eq!(search(&query("^$", 0), regular.as_bytes()).0, ["4:"]);
    assert_eq!(search(&query("d\r?$", 0), regular.as_bytes()).0, ["1:end"]);
}

#[test]
fn lone_return_in_giant_lines_and_across_lines() {
    let content = format!("{}\r\nend\n", giant(1_700_000, "foo\rbar", 800_000));
    for pattern in ["foo.bar", r"foo\rbar", "x$", "x\r$"] {
        assert_eq!(search(&query(pattern, 0), content.as_bytes()).1.matches, 1, "{pattern}");
    }
    assert_eq!(search(&query("^bar", 0), content.as_bytes()).1.matches, 0);
    assert_eq!(search(&across(r"a.b\nc"), "a\rb\nc\n".as_bytes()).0, ["1:a\rb", "2:c"]);
    assert_eq!(search(&across(r"b\r\nc"), "a\rb\r\nc\n".as_bytes()).0, ["1:a\rb", "2:c"]);
    assert_eq!(search(&across(r"a$\s+^c"), "a\r\nc\n".as_bytes()).0, ["1:a", "2:c"]);
}

proptest! {
    #[test]
    fn line_ends_are_no_part_of_lines(content in "([ab\r]{0,3}\r?\n){0,12}[ab\r]{0,2}") {
        let shown: Vec<String> = content.split_inclusive('\n').map(|line| {
            let bare = line.strip_suffix("\r\n").or(line.strip_suffix('\n'));
            bare.unwrap_or(line).to_owned()
        }).collect();
        let expected = |is: &dyn Fn(&str) -> bool| -> Vec<String> {
            shown.iter().enumerate().filter(|(_, line)| is(line)).map(|(n, line)| format!("{}:{line}", n + 1)).collect()
        };
        let found = |pattern: &str| search(&query(pattern, 0), content.as_bytes()).0;
        prop_assert_eq!(found("a$"), expected(&|line| line.ends_with('a')));
        prop_assert_eq!(found("^b"), expected(&|line| line.starts_with('b')));
        prop_assert_eq!(found("a.b"), expected(&|line| ["aab", "abb", "a\rb"].iter().any(|x| line.contains(x))));
        prop_assert_eq!(found("^$"), expected(&str::is_empty));
    }
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

#[test]
fn lone_carriage_return_does_not_affect_other_lines() {
    let content = b"a needle\r\nlone \r here\r\nthe needle\r\n";
    assert_eq!(search(&across("needle$"), content).0, ["1:a needle", "3:the needle"]);
    assert_eq!(search(&across(r"needle[^\n]$"), content).0, [""; 0]);
    assert_eq!(search(&across("lone . here$"), content).0, ["2:lone \r here"]);
    assert_eq!(search(&across(r"needle\r\n"), content).0, ["1:a needle", "3:the needle"]);
}

#[test]
fn crlf_has_no_boundary_inside() {
    let (lf, crlf) = (b"a\nb!\nc\n", b"a\r\nb!\r\nc\r\n");
    for query in [query(r"\B", 0), across(r"\B"), across(r"\B\n")] {
        assert_eq!(search(&query, crlf).0, search(&query, lf).0);
    }
    assert_eq!(search(&query(r"\B", 0), crlf).0, ["2:b!"]);
}
