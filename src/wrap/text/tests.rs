//! Tests the truncation of a result's text against a simple reference implementation, and the notice of each case.

use proptest::prelude::*;

use super::*;

fn joined<'a>(texts: &[&'a str]) -> Texts<'a> {
    Texts::of(texts.iter().map(|text| Cow::Borrowed(*text)))
}

fn run(texts: &[&str], keep: Keep, bounds: Bounds) -> Outcome {
    let texts = joined(texts);
    cut(&texts, (keep, KeyForms::Strong), bounds, &counted(texts.all()), |n| {
        texts.block(n).starts_with(['{', '['])
    })
}

/// Returns the remaining part of each block (`-` if removed), and the notice.
fn left(texts: &[&str], (keep, lines): (Keep, u64), max_bytes: u64) -> (Vec<String>, String) {
    match run(texts, keep, Bounds::new(lines, max_bytes)) {
        Outcome::Cut(cut) => {
            let texts = joined(texts);
            let left = |n: usize| cut.remaining(&texts, n).map_or_else(|| "-".to_owned(), Cow::into_owned);
            ((0..texts.count()).map(left).collect(), cut.shown.to_string())
        }
        other => (Vec::new(), format!("{other:?}")),
    }
}

/// Cases: the blocks, the part and the number of lines to keep, the remaining parts, and the notice.
type Case<'a> = (&'a [&'a str], (Keep, u64), u64, &'a [&'a str], &'a str);

#[test]
fn blocks_are_one_text() {
    let both = |head, tail| (Keep::Both { head }, head + tail);
    let cases: [Case<'_>; 25] = [
        (&["a\nb\nc"], (Keep::Head, 2), 99, &["a\nb"], "lines 1-2 of 3"),
        (&["a\nb\nc\n"], (Keep::Tail, 2), 99, &["b\nc"], "lines 2-3 of 3"),
        (
            &["a\nb\nc\nd\ne"],
            both(1, 2),
            99,
            &["a\n[...Output truncated: 2 lines omitted...]\nd\ne"],
            "lines 1-1 and 4-5 of 5",
        ),
        // Two blocks are three lines, because the empty line between them counts.
        (&["a", "b", "c"], (Keep::Head, 3), 99, &["a", "b", "-"], "lines 1-3 of 5"),
        (&["a", "b", "c"], (Keep::Head, 2), 99, &["a", "-", "-"], "lines 1-1 of 5"),
        (&["a\n", "b", "c"], (Keep::Tail, 2), 99, &["-", "-", "c"], "lines 5-5 of 5"),
        (
            &["a", "b", "c\nd"],
            both(1, 1),
            99,
            &["a\n[...Output truncated: 4 lines omitted...]", "-", "d"],
            "lines 1-1 and 6-6 of 6",
        ),
        (&["aaaaaaaaaa\nb"], (Keep::Head, 9), 4, &["aaaa"], "first 4B of line 1 (line is 10B)"),
        (&["a", "bbbbbbbbbb"], (Keep::Tail, 9), 4, &["-", "bbbb"], "last 4B of line 3 (line is 10B)"),
        (&["a", "", "b\nc"], (Keep::Head, 5), 99, &["a", "", "b"], "lines 1-5 of 6"),
        (
            &["prose", "{\"a\":1}", "more prose"],
            (Keep::Head, 9),
            10,
            &["prose", "-", "-"],
            "lines 1-1 of 5 (10B limit)",
        ),
        (&["aaaaaaaaaa", "[1]\n"], (Keep::Head, 9), 4, &["aaaa", "-"], "first 4B of line 1 (line is 10B)"),
        (&["[1]", "[2]", "[3]"], (Keep::Head, 9), 9, &["[1]", "[2]", "-"], "lines 1-3 of 5 (9B limit)"),
        (&["prose", "[1,2,3]"], (Keep::Tail, 9), 5, &[], "OneValue(1, Bytes)"),
        (&["[1,2,3]", "prose"], (Keep::Head, 9), 5, &[], "OneValue(0, Bytes)"),
        (&["[1,2,3]", "[4]\n"], (Keep::Head, 9), 5, &[], "OneValue(0, Bytes)"),
        // Blank blocks only: nothing to show.
        (&["", "[1,2,3]"], (Keep::Head, 9), 5, &[], "OneValue(1, Bytes)"),
        (&["[1,2,3]", ""], (Keep::Tail, 9), 5, &[], "OneValue(0, Bytes)"),
        (&["", "aaaaaaaaaa"], (Keep::Head, 9), 4, &["-", "aaaa"], "first 4B of line 3 (line is 10B)"),
        (
            &["", "\n", "", "aaaaaaaaaa"],
            (Keep::Head, 9),
            4,
            &["-", "-", "-", "aaaa"],
            "first 4B of line 7 (line is 10B)",
        ),
        (&["aaaaaaaaaa", "", ""], (Keep::Tail, 9), 4, &["aaaa", "-", "-"], "last 4B of line 1 (line is 10B)"),
        (&["", "", "a\nb"], (Keep::Head, 2), 99, &["-", "-", "a\nb"], "lines 5-6 of 6"),
        (&["", "", "a\nb\nc"], (Keep::Head, 2), 99, &["-", "-", "a\nb"], "lines 5-6 of 7"),
        (&["a", "", "bbbbbbbbbb"], (Keep::Head, 9), 6, &["a", "-", "-"], "lines 1-1 of 5 (6B limit)"),
        (&["aaaaaaaaaa", "", "b"], (Keep::Tail, 9), 6, &["-", "-", "b"], "lines 5-5 of 5 (6B limit)"),
    ];
    for (texts, keep, max_bytes, expected, said) in cases {
        let (kept, shown) = left(texts, keep, max_bytes);
        assert_eq!(
            (kept, shown.as_str()),
            (expected.iter().map(ToString::to_string).collect(), said),
            "{texts:?} {keep:?}"
        );
    }
    assert_eq!(run(&["a", "b\n"], Keep::Head, Bounds::new(3, 4)), Outcome::Fits);
}

#[test]
fn key_lines_are_between_the_ends() {
    let log = "start\na.c:1:1: error: b\n1\n2\n3\n4\n5\n6";
    let both = |head, tail| (Keep::Both { head }, head + tail);
    let cases: [Case<'_>; 5] = [
        (
            &[log, "7\n8"],
            (Keep::Tail, 8),
            999,
            &["start\na.c:1:1: error: b\n[...lines 3-7 omitted...]\n(lines 8 to 11)\n6", "7\n8"],
            "lines 8-11 and 2 key lines before them of 11",
        ),
        (
            &["0\n0\n0\n0\n0", log],
            (Keep::Head, 6),
            999,
            &["0\n0\n0\n[...lines 4-7 omitted...]\na.c:1:1: error: b\n[...lines 9-14 omitted...]", "-"],
            "lines 1-3 and 1 key line after them of 14",
        ),
        (
            &[log],
            both(1, 6),
            999,
            &["start\na.c:1:1: error: b\n[...lines 3-5 omitted...]\n(lines 6 to 8)\n4\n5\n6"],
            "lines 1-1 and 6-8 and 1 key line between them of 8",
        ),
        // A block of JSON does not change, and neither do words that report no failure.
        (&[log, "[1]"], (Keep::Tail, 8), 999, &["1\n2\n3\n4\n5\n6", "[1]"], "lines 3-10 of 10"),
        (&["no error here\n1\n2\n3\n4"], (Keep::Tail, 4), 999, &["1\n2\n3\n4"], "lines 2-5 of 5"),
    ];
    for (texts, keep, max_bytes, expected, said) in cases {
        let (kept, shown) = left(texts, keep, max_bytes);
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!((kept, shown.as_str()), (expected, said), "{texts:?} {keep:?}");
    }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[aé\n]{0,12}", 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn head_and_tail_are_ends_of_the_one_text(
        texts in texts(), lines in 1_u64..8, max_bytes in 1_u64..30, from_start: bool,
        max_tokens in prop::option::of(1_u64..12),
    ) {
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let joined_texts = joined(&refs);
        let whole = joined_texts.all();
        let keep = if from_start { Keep::Head } else { Keep::Tail };
        let bounds = Bounds::new(lines, max_bytes).with_tokens(max_tokens);
        let outcome = run(&refs, keep, bounds);
        prop_assert_eq!(limit_exceeded(whole, bounds).is_none(), outcome == Outcome::Fits);
        match outcome {
            Outcome::Fits => {}
            Outcome::OneValue(..) => prop_assert!(false, "there is no JSON"),
            Outcome::Cut(cut) => {
                prop_assert!(cut.output.bytes <= max_bytes && cut.output.lines <= lines, "{:?}", cut);
                prop_assert!(max_tokens.is_none_or(|max| cut.output_tokens <= max), "{:?}", cut);
                let (mut shown, mut began, mut ended) = (Vec::new(), false, false);
                for n in 0..refs.len() {
                    let Some(part) = cut.remaining(&joined_texts, n) else { ended |= began; continue };
                    prop_assert!(!ended, "blocks in the middle are missing: {:?}", cut);
                    began = true;
                    shown.push(part);
                }
                let shown = Texts::of(shown.into_iter());
                // Blank blocks at the ends may be removed.
                let (whole, shown) = (whole.trim_matches('\n'), shown.all().trim_matches('\n'));
                let is_end = if from_start { whole.starts_with(shown) } else { whole.ends_with(shown) };
                let mut filled = refs.iter().filter(|text| !text.trim().is_empty());
                let nearest = if from_start { filled.next() } else { filled.next_back() };
                let begins = nearest.is_some_and(|text| if from_start { text.starts_with('a') } else { text.ends_with('a') });
                prop_assert!(!begins || max_tokens.is_some() || !shown.is_empty(), "{:?}", cut);
                prop_assert!(is_end, "{:?} of {:?}", shown, whole);
            }
        }
    }
}
