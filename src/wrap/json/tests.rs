//! Tests of truncated JSON against `serde_json`.

use cutline_core::notice::PartUnit;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, TruncatedBy};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value as Parsed, json};

use super::*;

/// Returns a limit of `max_bytes` without a limit of lines.
fn bytes(max_bytes: u64) -> Bounds {
    Bounds::new(u64::MAX, max_bytes)
}

/// Truncates a value that exceeds `max_bytes`.
fn cut_to<'a>(value: &'a Value<'a>, max_bytes: u64) -> Cut<'a> {
    let cut = cut(&[(value, bytes(max_bytes))]);
    assert!(!cut.shortened.is_empty(), "{} is not over {max_bytes}", value.text);
    assert_eq!(cut.by, TruncatedBy::Bytes);
    cut
}

/// Returns the shortened parts as a notice would show them.
fn named(cut: &Cut<'_>) -> Vec<String> {
    let name = |one: &Shortened<'_>| {
        format!("{}/{} {:?} {}", one.shown, one.total, one.unit, one.name().unwrap_or_default())
    };
    cut.shortened.iter().map(name).collect()
}

#[test]
fn arrays_keep_first_items() {
    let cases: [(&str, u64, &str, &[&str]); 10] = [
        ("[1, 2.50, 3e0, 4]", 10, "[1, 2.50]", &["2/4 Items "]),
        (
            r#"{"a": 1, "results": [ "\u00e9", "b", "c" ]}"#,
            40,
            r#"{"a": 1, "results": [ "\u00e9", "b" ]}"#,
            &["2/3 Items results"],
        ),
        ("[[1,2,3,4,5,6,7,8,9]]", 12, "[[1,2,3,4]]", &["4/9 Items [0]"]),
        (r#"{"d":{"x.y":[10,20,30,40]}}"#, 24, r#"{"d":{"x.y":[10,20,30]}}"#, &["3/4 Items d.\"x.y\""]),
        (
            r#"{"a":[1,2,3,4,5,6,7,8],"b":[1,2,3,4,5,6,7,8]}"#,
            31,
            r#"{"a":[1,2,3,4],"b":[1,2,3,4,5]}"#,
            &["4/8 Items a", "5/8 Items b"],
        ),
        (
            r#"{"r":[{"body":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},2,3]}"#,
            48,
            r#"{"r":[{"body":"aaaaaaaaaaaaaa… [truncated]"}]}"#,
            &["1/3 Items r", "14/50 Characters r[0].body"],
        ),
        ("[12345678901234567890]", 8, "[]", &["0/1 Items "]),
        (r#"{"a":1,"b":2,"c":3}"#, 14, r#"{"a":1,"b":2}"#, &["2/3 Members "]),
        (r#"{"a":{"a":{"a":{"a":1}}}}"#, 14, r#"{"a":{"a":{}}}"#, &["0/1 Members a.a"]),
        (r#"{"k":1,"k":[1,2,3,4,5]}"#, 19, r#"{"k":1,"k":[1,2,3]}"#, &["3/5 Items k"]),
    ];
    for (text, max_bytes, expected, names) in cases {
        let value = Value::of(text).unwrap();
        let cut = cut_to(&value, max_bytes);
        assert_eq!(
            (cut.texts[0].as_str(), named(&cut)),
            (expected, names.iter().map(ToString::to_string).collect()),
            "{text}"
        );
    }
}

#[test]
fn strings_end_at_a_character() {
    let body = r"\ud83d\ude00é\n".repeat(40);
    for max_bytes in 23..60 {
        let text = format!("[\"{body}\"]");
        let value = Value::of(&text).unwrap();
        let cut = cut_to(&value, max_bytes);
        let left: Parsed = serde_json::from_str(&cut.texts[0]).unwrap();
        let kept = left[0].as_str().unwrap().strip_suffix("… [truncated]").unwrap();
        assert!("\u{1f600}é\n".repeat(40).starts_with(kept), "{kept:?}");
        assert_eq!(cut.shortened[0].shown, kept.chars().count() as u64);
        assert_eq!(cut.shortened[0].total, 120);
        assert!(cut.single_too_large);
    }
}

#[test]
fn lines_are_limited_in_text_only() {
    let text = format!("[\n{}\n]", vec!["  1"; 100].join(",\n"));
    let value = Value::of(&text).unwrap();
    let cut = cut(&[(&value, Bounds::new(12, 10_000))]);
    assert_eq!((cut.texts[0].lines().count(), cut.shortened[0].shown, cut.by), (12, 10, TruncatedBy::Lines));
}

#[test]
fn tokens_are_limited() {
    let text = json!({"rows": (0..500_u64).map(|n| json!({"n": n, "hash": format!("{:x}", n * 7_654_321)})).collect::<Vec<_>>()}).to_string();
    let value = Value::of(&text).unwrap();
    let within = |tokens| cut(&[(&value, bytes(30_000).with_tokens(Some(tokens)))]);
    for tokens in [20, 100, 1000] {
        let cut = within(tokens);
        let (left, kept) = (&cut.texts[0], cut.shortened[0].shown);
        assert_eq!((cut.by, named(&cut)), (TruncatedBy::Tokens, vec![format!("{kept}/500 Items rows")]));
        // It has as many items as fit: one more would exceed the limit.
        let next = serde_json::to_string(
            &serde_json::from_str::<Parsed>(&text).unwrap()["rows"][usize::try_from(kept).unwrap()],
        )
        .unwrap();
        let more = left.replace("]}", &format!(",{next}]}}"));
        assert!(estimate(left) <= tokens && estimate(&more) > tokens, "{left}");
    }
    assert!(within(100_000).shortened.is_empty());
}

#[test]
fn one_value_in_two_layouts_is_cut_alike() {
    let value = json!({"rows": (0..50).map(|n| json!({"n": n, "t": "é"})).collect::<Vec<_>>()});
    let (compact, pretty) = (value.to_string(), serde_json::to_string_pretty(&value).unwrap());
    assert!(
        is_same(&compact, &pretty) && is_same(r#"["\u00e9", 1.0]"#, "[\"é\",1]") && !is_same("[1]", "[2]")
    );
    let values = [&pretty, &compact].map(|text| Value::of(text).unwrap());
    let views = values.each_ref().map(|value| (value, bytes(1000)));
    let cut = cut(&views);
    let read = |n: usize| serde_json::from_str::<Parsed>(&cut.texts[n]).unwrap();
    assert_eq!(read(0), read(1));
    assert_eq!(read(0)["rows"].as_array().unwrap().len() as u64, cut.shortened[0].shown);
    assert!(cut.texts[0].len() <= 1000 && cut.texts[1].len() < cut.texts[0].len());
}

#[test]
fn nested_deeply_ends_in_bounded_work() {
    let deep = |levels: usize| format!("{}{}{}", "[".repeat(levels), "7".repeat(100_000), "]".repeat(levels));
    assert!(Value::of(&deep(1000)).is_some() && Value::of(&deep(1001)).is_none());
    let run = move || cut_to(&Value::of(&deep(1000)).unwrap(), 5000).texts.remove(0);
    let left = std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
    assert!(left.len() <= 5000 && serde_json::from_str::<IgnoredAny>(&left).is_ok());
}

#[test]
fn one_value_is_recognised() {
    for text in ["{}", " [1]\n", "{\"a\":{}}\r\n"] {
        assert_eq!(Value::of(text).map(|value| value.text), Some(text.trim()), "{text:?}");
    }
    for text in ["", "1", "\"a\"", "{} {}", "[1", "# a", "{\"a\":1}\nand more", "\u{a0}[1]"] {
        assert_eq!(Value::of(text), None, "{text:?}");
    }
}

#[test]
fn deep_values_are_read_compared_and_indented_in_linear_work() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(Value::of(&deep(1_000_000)), None);
    assert!(is_same(&deep(100_000), &format!(" {} ", deep(100_000))));
    let mut out = Vec::new();
    indent(&deep(100_000), 0, &mut out).unwrap();
    assert!(out.len() < 100_000 * 2 * 66, "{}", out.len());
}

#[test]
fn half_of_a_surrogate_pair_becomes_the_replacement_character() {
    for (raw, text) in
        [(r#""a\ud83d""#, "a\u{fffd}"), (r#""\ude00b""#, "\u{fffd}b"), (r#""\ud83d\u0041""#, "\u{fffd}A")]
    {
        assert_eq!(string::unescaped(raw).as_deref(), Some(text));
    }
    assert_eq!(string::unescaped("7"), None);
}

#[test]
fn indented_text_keeps_its_tokens() {
    let mut out = Vec::new();
    indent("{ \"a\":[1.50,{}, [ ]],\"b\" :\"\\u00e9 , {\"}", 0, &mut out).unwrap();
    let expected = "{\n  \"a\": [\n    1.50,\n    {},\n    []\n  ],\n  \"b\": \"\\u00e9 , {\"\n}";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

/// Generates JSON with any spacing, and with keys and numbers that a parser might change.
fn any_json() -> impl Strategy<Value = String> {
    let space = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\n  ")];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("1.50".to_owned()),
        Just("12345678901234567890123".to_owned()),
        "[a-zé\"\\\\\n]{0,40}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\ud83d\ude00\u00e9\/""#.to_owned()),
    ];
    let inner = leaf.prop_recursive(5, 80, 8, move |inner| {
        let space = space.clone();
        let items = prop::collection::vec((inner.clone(), space.clone()), 0..8);
        let members = prop::collection::vec(("[a-d.]{0,3}", inner, space.clone()), 0..8);
        prop_oneof![
            (items, space.clone()).prop_map(|(items, end)| {
                let items: Vec<String> = items.iter().map(|(item, space)| format!("{space}{item}")).collect();
                format!("[{}{end}]", items.join(","))
            }),
            (members, space).prop_map(|(members, end)| {
                let member =
                    |(key, value, space): &(String, String, &str)| format!("{space}\"{key}\":{space}{value}");
                let members: Vec<String> = members.iter().map(member).collect();
                format!("{{{}{end}}}", members.join(","))
            }),
        ]
    });
    inner.prop_filter("an array or an object", |text| text.starts_with(['{', '[']))
}

/// Returns true if `kept` is `whole` with items and members removed from the ends, and with shortened strings. Also
/// returns the kept and the original number for each shortened part.
fn is_prefix(kept: &str, whole: &str, cuts: &mut Vec<(PartUnit, u64, u64)>) -> bool {
    if kept == whole {
        return true;
    }
    let first = kept.as_bytes()[0];
    if first != whole.as_bytes()[0] {
        return false;
    }
    match first {
        b'"' => {
            let kept = kept.strip_suffix("… [truncated]\"").unwrap_or("no end");
            let characters = |raw: &str| serde_json::from_str::<String>(raw).unwrap().chars().count() as u64;
            cuts.push((PartUnit::Characters, characters(&format!("{kept}\"")), characters(whole)));
            whole.starts_with(kept)
        }
        b'[' => {
            let read = |text| serde_json::from_str::<Vec<&RawValue>>(text).unwrap();
            let (kept, whole) = (read(kept), read(whole));
            if kept.len() < whole.len() {
                cuts.push((PartUnit::Items, kept.len() as u64, whole.len() as u64));
            }
            // Only the first item may be shortened inside.
            kept.len() <= whole.len()
                && kept.iter().zip(&whole).enumerate().all(|(n, (a, b))| {
                    a.get() == b.get() || (n == 0 && kept.len() == 1 && is_prefix(a.get(), b.get(), cuts))
                })
        }
        b'{' => {
            let read = |text: &str| -> Vec<(String, String)> {
                let value = Value::of(text).unwrap();
                let child = |child: Node<'_>| (child.key().unwrap().to_owned(), child.text().to_owned());
                value.top().children().map(child).collect()
            };
            let (kept, whole) = (read(kept), read(whole));
            if kept.len() < whole.len() {
                cuts.push((PartUnit::Members, kept.len() as u64, whole.len() as u64));
            }
            kept.len() <= whole.len()
                && kept.iter().zip(&whole).all(|(a, b)| a.0 == b.0 && is_prefix(&a.1, &b.1, cuts))
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_value_is_cut_to_a_valid_prefix_within_the_limits(
        text in any_json(), max_bytes in 2_u64..200, max_tokens in prop::option::of(2_u64..60),
    ) {
        let value = Value::of(&text).unwrap();
        let bounds = bytes(max_bytes).with_tokens(max_tokens);
        let cut = cut(&[(&value, bounds)]);
        let kept = &cut.texts[0];
        let is_over_tokens = |text: &str| max_tokens.is_some_and(|max| estimate(text) > max);
        let is_over = text.len() as u64 > max_bytes || is_over_tokens(&text);
        prop_assert_eq!(kept != &text, is_over);
        prop_assert!(kept.len() as u64 <= max_bytes, "{} of {}: {}", kept.len(), max_bytes, kept);
        prop_assert!(!is_over_tokens(kept), "{:?} tokens: {}", max_tokens, kept);
        if is_over && text.len() as u64 <= max_bytes {
            prop_assert_eq!(cut.by, TruncatedBy::Tokens);
        }
        prop_assert_eq!(Value::of(kept).map(|value| value.text), Some(kept.as_str()));
        let mut cuts = Vec::new();
        prop_assert!(is_prefix(kept, &text, &mut cuts), "{} of {}", kept, text);
        let told: Vec<_> = cut.shortened.iter().map(|one| (one.unit, one.shown, one.total)).collect();
        prop_assert_eq!(told, cuts, "{} of {}", kept, text);
    }

    #[test]
    fn two_layouts_stay_one_value(
        text in any_json(), max_bytes in [2_u64..200, 2..200], max_tokens in prop::option::of(2_u64..60),
    ) {
        let mut pretty = Vec::new();
        indent(&text, 0, &mut pretty).unwrap();
        let pretty = String::from_utf8(pretty).unwrap();
        prop_assert!(is_same(&text, &pretty));
        let [pretty, compact] = [&pretty, &text].map(|text| Value::of(text).unwrap());
        let bounds = |lines, n: usize| Bounds::new(lines, max_bytes[n]).with_tokens(max_tokens);
        let views = [(&pretty, bounds(20, 0)), (&compact, bounds(u64::MAX, 1))];
        let cut = cut(&views);
        prop_assert!(is_same(&cut.texts[0], &cut.texts[1]), "{} and {}", cut.texts[0], cut.texts[1]);
        for (text, max_bytes) in cut.texts.iter().zip(max_bytes) {
            prop_assert!(text.len() as u64 <= max_bytes, "{} is over {}", text, max_bytes);
            prop_assert!(max_tokens.is_none_or(|max| estimate(text) <= max), "{} is over {:?}", text, max_tokens);
        }
        prop_assert!(cut.texts[0].lines().count() <= 20);
    }

    #[test]
    fn valid_texts_are_those_that_a_parser_accepts(
        text in any_json(), at: prop::sample::Index, new in "[]{}\\[,:\"\\\\0-9eEutn. \n\t\u{1}\u{c}é+-]{0,2}", removed in 0_usize..3,
    ) {
        // The same text with a few characters removed and others inserted.
        let mut characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len());
        characters.splice(at..(at + removed).min(characters.len()), new.chars());
        let text: String = characters.into_iter().collect();
        let bare = text.trim_matches([' ', '\n', '\t', '\r']);
        let is_value = bare.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(bare).is_ok();
        prop_assert_eq!(Value::of(&text).is_some(), is_value, "{}", text);
    }

    #[test]
    fn children_are_counted_and_found_as_a_parser_finds_them(text in any_json()) {
        let value = Value::of(&text).unwrap();
        let children: Vec<&str> = value.top().children().map(Node::text).collect();
        prop_assert_eq!(value.top().child_count(), Some(children.len() as u64));
        if text.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(children, items.iter().map(|item| item.get()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn strings_are_the_texts_that_a_parser_reads(text in r#"([a-zé😀]|\\[nrtbf/"\\]|\\u00[0-9a-f]{2}|\\ud83d\\ude0[0-9a-f]){0,20}"#) {
        let raw = format!("\"{text}\"");
        prop_assert_eq!(string::unescaped(&raw).unwrap(), serde_json::from_str::<String>(&raw).unwrap());
        let characters = serde_json::from_str::<String>(&raw).unwrap().chars().count() as u64;
        prop_assert_eq!((string::count(&text), string::fitting(&text, usize::MAX)), (characters, characters));
    }

    #[test]
    fn indented_text_is_the_same_value(text in any_json()) {
        let mut out = Vec::new();
        indent(&text, 0, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let bare = |text: &str| -> String {
            let mut tokens = String::new();
            let mut at = 0;
            while at < text.len() {
                let end = match text.as_bytes()[at] {
                    b'"' => scan::string_end(text.as_bytes(), at),
                    _ => at + 1,
                };
                tokens.push_str(text[at..end].trim());
                at = end;
            }
            tokens
        };
        prop_assert_eq!(bare(&text), bare(&out));
    }
}
