//! Short recipes for the long texts of fixtures.
//!
//! | recipe | text |
//! | --- | --- |
//! | `"text"` | this text |
//! | `{"lines": [1, 3], "text": "line {n}"}` | numbered lines; `{n:4}` pads with zeros to 4 digits; the text can be a recipe |
//! | `{"repeat": "x", "times": 9}` | the text, repeated |
//! | `{"join": [a, b]}` | recipes one after another, without a separator |
//! | `{"hex": "fffe"}`, `{"base64": "…"}` | bytes |
//! | `{"copy": "name"}` | a file of `fixtures/files` |
//! | `[a, b]` | lines: in a file each one ends with a newline, in a result newlines are between them |
//!
//! A file that consists of numbered lines ends with a newline too.

use std::path::Path;

use base64::Engine as _;
use serde_json::Value;

/// Returns the bytes of the file that `recipe` describes.
pub(crate) fn content(recipe: &Value) -> Vec<u8> {
    match recipe {
        Value::Array(lines) => lines.iter().flat_map(|line| ended(piece(line))).collect(),
        Value::Object(object) if object.contains_key("lines") => ended(piece(recipe)),
        _ => piece(recipe),
    }
}

/// Returns the text of the result that `recipe` describes.
pub(crate) fn text(recipe: &Value) -> String {
    let bytes = match recipe {
        Value::Array(lines) => lines.iter().map(piece).collect::<Vec<_>>().join(&b'\n'),
        _ => piece(recipe),
    };
    String::from_utf8(bytes).expect("an expected text is UTF-8")
}

/// Appends a newline.
fn ended(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'\n');
    line
}

fn piece(recipe: &Value) -> Vec<u8> {
    let object = match recipe {
        Value::String(text) => return text.clone().into_bytes(),
        Value::Object(object) => object,
        other => panic!("not a recipe: {other}"),
    };
    let string =
        |key: &str| object[key].as_str().unwrap_or_else(|| panic!("{key} is not a string: {recipe}"));
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    match keys.as_slice() {
        ["lines", "text"] => {
            let (first, last) = range(&object["lines"]);
            let template = text(&object["text"]);
            let lines: Vec<_> = (first..=last).map(|n| numbered(&template, n)).collect();
            lines.join("\n").into_bytes()
        }
        ["repeat", "times"] => {
            let times = object["times"].as_u64().and_then(|times| usize::try_from(times).ok());
            string("repeat").repeat(times.expect("times is a number")).into_bytes()
        }
        ["join"] => object["join"].as_array().expect("join has parts").iter().flat_map(piece).collect(),
        ["hex"] => from_hex(string("hex")),
        ["base64"] => {
            base64::engine::general_purpose::STANDARD.decode(string("base64")).expect("valid base64")
        }
        ["copy"] => {
            let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/files");
            std::fs::read(files.join(string("copy"))).expect("a file of fixtures/files")
        }
        _ => panic!("not a recipe: {recipe}"),
    }
}

/// Parses `[first, last]` of a recipe.
pub(crate) fn range(value: &Value) -> (u64, u64) {
    let number = |n: usize| value[n].as_u64().unwrap_or_else(|| panic!("not a range: {value}"));
    (number(0), number(1))
}

/// Replaces `{n}` in `template` with the number. `{n:4}` pads it with zeros to 4 digits.
pub(crate) fn numbered(template: &str, n: u64) -> String {
    let plain = template.replace("{n}", &n.to_string());
    let Some((before, rest)) = plain.split_once("{n:") else { return plain };
    let (width, after) = rest.split_once('}').expect("a width ends with }");
    let width = width.parse().expect("a width is a number");
    numbered(&format!("{before}{n:0width$}{after}"), n)
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}
