//! Shortens a JSON text to a number of bytes, or to limits. The result stays valid, and kept parts keep their spelling.
//!
//! An array keeps its first items. If none fits, its first item is shortened. In an object, the largest members are
//! shortened, so that small ones stay complete; if there are too many members, the first ones are kept. A string is cut
//! at a character. Every level reads its own text again, so the memory does not depend on the size of the value.

use std::borrow::Cow;

use cutline_core::notice::{NAMES_LISTED, Part, Unit};
use cutline_core::text::as_index;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, TruncatedBy};

use crate::json::{each_child, is_valid, text};
use crate::limits::equal_share;

/// The end of a shortened string. A cut line has another mark ([`CUT_MARK`](cutline_core::truncate::line::CUT_MARK)).
pub(super) const MARK: &str = "… [truncated]";
/// Maximum nesting depth of a shortened part. Deeper parts are kept or omitted. Each level reads its text again.
const MAX_DEPTH: usize = 32;
/// A member of an object gets at least one part in this number of the bytes. Otherwise fewer members are kept.
const LEAST_SHARE: usize = 16;
/// A newline and the indentation of the next line, two spaces for each level. Deeper levels have the same indentation,
/// and their brackets stay in their line. The output would otherwise grow with the square of the depth.
const LINE: &str = "\n                ";

/// The way to a value: its name in the object around it, or `None` in an array, and the way to that object or array. A name
/// can be long, so only the parts that a notice lists have a copy of it.
struct Way<'a> {
    around: Option<&'a Self>,
    name: Option<&'a str>,
}

impl Way<'_> {
    /// Returns the names on the way. Of an array, only the first item is shortened.
    fn text(&self) -> String {
        let around = self.around.map_or_else(String::new, Self::text);
        match self.name {
            None => around + "[0]",
            Some(name) if around.is_empty() => name.to_owned(),
            Some(name) => around + "." + name,
        }
    }
}

/// Shortens JSON until it is within `bounds`. Returns the shortened parts, and the limit that was reached first.
pub(super) fn shrink_within(json: &str, bounds: Bounds) -> Option<(String, Vec<Part>, TruncatedBy)> {
    let mut by = TruncatedBy::Bytes;
    let most = as_index(bounds.bytes);
    let mut room = most.min(written_bytes(json, most));
    loop {
        let (text, parts) = shrink(json, room)?;
        let Some(exceeded) = bounds.exceeded_by(&text) else { return Some((text, parts, by)) };
        by = exceeded;
        // The first guess is twice what fits.
        let most = bounds.tokens.filter(|_| by == TruncatedBy::Tokens);
        let guess = most.map(|most| as_index(text.len() as u64 * most * 2 / estimate(&text).max(1)));
        let smaller = |text: &str| text.len().checked_sub(1 + text.len() / 16);
        room = smaller(&text)?.min(guess.unwrap_or(usize::MAX));
        // Shortening the short text again finds the room faster, and is usually the same as shortening all.
        while let Some((shorter, _)) = shrink(&text, room)
            && bounds.exceeded_by(&shorter).is_some()
        {
            room = smaller(&shorter)?;
        }
    }
}

/// Shortens `json` to `room` bytes. Returns it with the first shortened parts in the order of the text, or `None` if it is not
/// valid or that is not possible.
pub(super) fn shrink(json: &str, room: usize) -> Option<(String, Vec<Part>)> {
    // A longer text is checked when it is shortened.
    if written_bytes(json, room) <= room && !is_valid(json) {
        return None;
    }
    let mut parts = Vec::new();
    shrink_at(None, 0, json, room, &mut parts).map(|text| (text, parts))
}

/// Shortens the value at the end of this way, with this depth.
fn shrink_at(
    way: Option<&Way<'_>>,
    depth: usize,
    json: &str,
    room: usize,
    parts: &mut Vec<Part>,
) -> Option<String> {
    if written_bytes(json, room) <= room {
        return Some(json.to_owned());
    }
    let at = parts.len();
    let (text, unit, shown, total) = match json.as_bytes().first()? {
        b'[' if depth < MAX_DEPTH => array(way, depth, json, room, parts)?,
        b'{' if depth < MAX_DEPTH => object(way, depth, json, room, parts)?,
        b'"' => string(json, room)?,
        _ => return None,
    };
    if shown < total && at < NAMES_LISTED {
        parts.insert(at, Part { shown, total, unit, name: way.map(Way::text) });
        parts.truncate(NAMES_LISTED);
    }
    Some(text)
}

/// A shortened value with its kept and original number of parts.
type Shrunk = Option<(String, Unit, u64, u64)>;

fn array(way: Option<&Way<'_>>, depth: usize, json: &str, room: usize, parts: &mut Vec<Part>) -> Shrunk {
    let room = room.checked_sub("[]".len())?;
    let (mut kept, mut first, mut left, mut total) = (Vec::new(), None, Some(room + 1), 0);
    each_child(json, |_, item| {
        total += 1;
        first.get_or_insert(item);
        left = left.and_then(|left| left.checked_sub(written_bytes(item, room) + 1));
        kept.extend(left.map(|_| item));
    })
    .ok()?;
    let mut items = kept.join(",");
    let mut shown = kept.len() as u64;
    if let Some(item) = first.filter(|_| shown == 0)
        && let Some(item) = shrink_at(Some(&Way { around: way, name: None }), depth + 1, item, room, parts)
    {
        (items, shown) = (item, 1);
    }
    Some((format!("[{items}]"), Unit::Items, shown, total))
}

fn object(way: Option<&Way<'_>>, depth: usize, json: &str, room: usize, parts: &mut Vec<Part>) -> Shrunk {
    // The braces, but no comma after the last member.
    let room = room.checked_sub("{}".len())? + 1;
    let least = "[]".len().max(room / LEAST_SHARE);
    let (mut kept, mut left, mut total) = (Vec::new(), Some(room), 0);
    // The quotes of a name, a colon and a comma.
    let around = |name: &str| name.len() + 4;
    each_child(json, |name, value| {
        total += 1;
        left = left.and_then(|left| left.checked_sub(around(name) + written_bytes(value, least).min(least)));
        kept.extend(left.map(|_| (name, value)));
    })
    .ok()?;
    let left = room.saturating_sub(kept.iter().map(|(name, _)| around(name)).sum());
    let most = equal_share(kept.iter().map(|(_, value)| written_bytes(value, room)).collect(), left);
    let mut members = Vec::new();
    for (name, value) in kept {
        let way = Way { around: way, name: Some(name) };
        let value = shrink_at(Some(&way), depth + 1, value, most, parts);
        members.extend(value.map(|value| format!("\"{name}\":{value}")));
    }
    Some((format!("{{{}}}", members.join(",")), Unit::Members, members.len() as u64, total))
}

fn string(json: &str, room: usize) -> Shrunk {
    let room = room.checked_sub(MARK.len() + 2)?;
    let body = json.strip_prefix('"')?.strip_suffix('"')?;
    let all = text(json)?;
    // The longest start that is not cut within a character, an escape or a surrogate pair.
    let ends = (0..=room).rev().take(2 * "\\uXXXX".len() + 1);
    let decoded = |start: &str| text(&format!("\"{start}\"")).filter(|shown| all.starts_with(shown));
    let mut starts = ends.filter_map(|end| body.get(..end));
    let (start, shown) = starts.find_map(|start| Some((start, decoded(start)?)))?;
    let (shown, total) = (shown.chars().count() as u64, all.chars().count() as u64);
    Some((format!("\"{start}{MARK}\""), Unit::Characters, shown, total))
}

/// Returns the length of `json` if a client writes it again in JavaScript: `1e20` then has 21 digits. Does not count
/// further once the length is over `most`.
pub(super) fn written_bytes(json: &str, most: usize) -> usize {
    let (mut bytes, mut at) = (json.len(), 0);
    while bytes <= most
        && let Some(byte) = json.as_bytes().get(at)
    {
        let rest = json.get(at..).unwrap_or_default();
        at += match byte {
            b'"' => string_bytes(rest),
            b'-' | b'0'..=b'9' => {
                let is_end = |c: char| !c.is_ascii_digit() && !"+-.eE".contains(c);
                let (number, _) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                bytes += written_number_bytes(number).saturating_sub(number.len());
                number.len()
            }
            _ => 1,
        };
    }
    bytes
}

/// Returns the length of a number as JavaScript writes it, or 0 without an exponent.
fn written_number_bytes(number: &str) -> usize {
    let has_exponent = number.contains(['e', 'E']);
    let Some(value) = has_exponent.then(|| number.parse::<f64>().ok()).flatten() else { return 0 };
    match value.abs() {
        1e-6..1e21 => value.to_string().len(),
        1e21..=f64::MAX => format!("{value:e}").len() + "+".len(),
        _ => format!("{value:e}").len(),
    }
}

/// Returns JSON without white space between its tokens. A text that is not valid stays as it is: without white space,
/// it could be.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    let mut all = String::new();
    write_json(json, false, |part| {
        // Without white space, all is one part, which needs no copy.
        if part.len() < json.len() {
            all += part;
        }
    });
    if !all.is_empty() && is_valid(json) { all.into() } else { json.into() }
}

/// Gives the parts of `json`, which is valid, to `write`: without white space between its tokens, or indented by two
/// spaces.
pub(super) fn write_json<'a>(json: &'a str, is_indented: bool, mut write: impl FnMut(&'a str)) {
    // The part from `start` to `at` is not written yet.
    let (mut start, mut at, mut depth, mut was_opened) = (0, 0, 0_usize, false);
    while let Some(byte) = json.as_bytes().get(at) {
        let (opens, closes) = (matches!(byte, b'{' | b'['), matches!(byte, b'}' | b']'));
        depth = depth.saturating_sub(usize::from(closes));
        let line = LINE.get(..LINE.len().min(1 + 2 * depth)).unwrap_or_default();
        let is_space = byte.is_ascii_whitespace();
        let is_shallow = 2 * depth < LINE.len();
        if is_space || is_indented && is_shallow && was_opened != closes {
            write(json.get(start..at).unwrap_or_default());
            write(if is_space { "" } else { line });
            start = at + usize::from(is_space);
        }
        (was_opened, depth) = (opens || is_space && was_opened, depth + usize::from(opens));
        at += if *byte == b'"' { string_bytes(json.get(at..).unwrap_or_default()) } else { 1 };
        if is_indented && matches!(byte, b',' | b':') {
            write(json.get(start..at).unwrap_or_default());
            write(if *byte == b',' { line } else { " " });
            start = at;
        }
    }
    write(json.get(start..).unwrap_or_default());
}

/// Returns the length of the string at the start of `json`, with its quotes.
fn string_bytes(json: &str) -> usize {
    let mut at = 1;
    while let Some(found) = json.as_bytes().get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if json.as_bytes().get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn shrunk(json: &str, room: usize) -> (String, Vec<String>) {
        let (text, parts) = shrink(json, room).unwrap();
        assert!(text.len() <= room, "{text}");
        (text, parts.iter().map(Part::to_string).collect())
    }

    #[test]
    fn deep_values_are_shortened_at_most_32_levels_deep() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let (text, parts) = shrunk(&deep, 1000);
        assert_eq!(text, format!("{}{}", "[".repeat(32), "]".repeat(32)));
        assert_eq!(parts.len(), 1, "{parts:?}");
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert!(serde_json::from_str::<Value>(&shrunk(&deep, 1000).0).is_ok());
    }

    #[test]
    fn strings_are_cut_at_characters_and_escapes() {
        let emoji = r"\ud83d\ude00".repeat(10);
        for (body, room, kept) in [
            ("aé".repeat(30), 17 + 5, "aéa"),
            (r"\u00e9".repeat(30), 17 + 11, r"\u00e9"),
            (emoji, 17 + 23, r"\ud83d\ude00"),
            (r"\ud83d".repeat(30), 17 + 11, r"\ud83d"),
        ] {
            let (text, parts) = shrunk(&format!("\"{body}\""), room);
            assert_eq!(text, format!("\"{kept}{MARK}\""));
            assert!(parts[0].ends_with(" characters"), "{parts:?}");
        }
        assert_eq!(shrink(&"1".repeat(99), 50), None);
    }

    #[test]
    fn small_members_stay_complete() {
        let (long, list) = ("x".repeat(90), vec![1; 60]);
        let json = serde_json::json!({"id": 7, "long": long, "list": list, "name": "short"}).to_string();
        let (text, parts) = shrunk(&json, 120);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["id"], &value["name"]), (&7.into(), &"short".into()));
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert!(text.len() > 110, "{text}");
    }

    #[test]
    fn numbers_count_as_javascript_writes_them() {
        for (json, written) in [
            ("[1e20,-1.5E20,2e0]", "[100000000000000000000,-150000000000000000000,2e0]"),
            (r#"{"1e20":"1e20","a":1e-6}"#, r#"{"1e20":"1e20","a":0.000001}"#),
            ("[1e21,1e22,-2.5e300]", "[1e+21,1e+22,-2.5e+300]"),
            ("[12e-8,1e-7,1e+21,1e999,0e9,1000000.5e-6]", "[1.2e-7,1e-7,1e+21,1e999,0e9,1000000.5e-6]"),
            ("[1e20", "[100000000000000000000"),
        ] {
            assert_eq!(written_bytes(json, 1000), written.len(), "{json}");
            assert_eq!(written_bytes(json, 1), json.len(), "{json}");
        }
    }

    #[test]
    fn only_white_space_between_tokens_changes() {
        let json = " { \"a b\" : [ 1.50 , { } , [ ] , \"\\\" \\\\\" ] ,\r\n\t\"c\":null } ";
        let written = |is_indented| {
            let mut out = String::new();
            write_json(json, is_indented, |part| out += part);
            out
        };
        assert_eq!(written(false), r#"{"a b":[1.50,{},[],"\" \\"],"c":null}"#);
        let lines = [
            "{",
            "  \"a b\": [",
            "    1.50,",
            "    {},",
            "    [],",
            r#"    "\" \\""#,
            "  ],",
            "  \"c\": null",
            "}",
        ];
        assert_eq!(written(true), lines.join("\n"));
    }

    proptest! {
        #[test]
        fn shortened_json_is_valid_and_within_the_limit(
            text in prop::collection::vec("[a-z\\\\\"é\n]{0,40}", 0..9),
            numbers in prop::collection::vec(any::<f64>(), 0..30),
            room in 0_usize..400,
        ) {
            let value = serde_json::json!({"text": text, "more": {"numbers": numbers, "text": text.concat()}});
            let whole = value.to_string();
            if let Some((shrunk, parts)) = shrink(&whole, room) {
                prop_assert!(shrunk.len() <= room);
                prop_assert!(serde_json::from_str::<Value>(&shrunk).is_ok());
                prop_assert_eq!(parts.is_empty(), shrunk == whole);
            }
        }
    }
}
