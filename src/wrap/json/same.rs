//! The comparison of two JSON texts that may be one value in two layouts.

use super::scan::tokens;

/// True if both valid texts are the same value: spacing, escapes and the spelling of fractions aside,
/// members in the same order.
pub(in crate::wrap) fn is_same(one: &str, other: &str) -> bool {
    let (mut left, mut right) = (tokens(one), tokens(other));
    one == other
        || loop {
            match (left.next(), right.next()) {
                (None, None) => return true,
                (Some(left), Some(right)) if is_same_token(left, right) => {}
                _ => return false,
            }
        }
}

/// True if two tokens are the same value.
fn is_same_token(left: &str, right: &str) -> bool {
    left == right
        || match (left.as_bytes()[0], right.as_bytes()[0]) {
            (b'"', b'"') => is_same_string(left, right),
            (b'-' | b'0'..=b'9', b'-' | b'0'..=b'9') => is_same_fraction(left, right),
            _ => false,
        }
}

fn is_same_string(left: &str, right: &str) -> bool {
    let decoded = |text: &str| serde_json::from_str::<String>(text).ok();
    (left.contains('\\') || right.contains('\\'))
        && decoded(left).is_some_and(|text| Some(text) == decoded(right))
}

/// Two whole numbers of other digits are other numbers, however large; `1.0` and `1` are one.
fn is_same_fraction(left: &str, right: &str) -> bool {
    let is_whole = |number: &str| !number.contains(['.', 'e', 'E']);
    let value = |number: &str| number.parse::<f64>().ok();
    !(is_whole(left) && is_whole(right)) && value(left).is_some_and(|number| Some(number) == value(right))
}
