//! The comparison of two JSON texts that may be one value in two layouts.

#![expect(clippy::indexing_slicing, reason = "offsets come from a valid text: a wrong one must fail")]

use std::ops::Range;

use super::scan::children;

/// True if both valid texts are the same value: spacing, escapes and the spelling of fractions aside,
/// members in the same order.
pub(in crate::wrap) fn is_same(one: &str, other: &str) -> bool {
    one == other || same(one, 0..one.len(), other, 0..other.len())
}

fn same(one: &str, at: Range<usize>, other: &str, there: Range<usize>) -> bool {
    let (left, right) = (&one[at.clone()], &other[there.clone()]);
    match (left.as_bytes()[0], right.as_bytes()[0]) {
        (b'{', b'{') | (b'[', b'[') => {
            let mut left = children(one.as_bytes(), at);
            let mut right = children(other.as_bytes(), there);
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b))
                        if is_same_string(&one[a.key.clone()], &other[b.key.clone()])
                            && same(one, a.value.clone(), other, b.value.clone()) => {}
                    _ => return false,
                }
            }
        }
        (b'"', b'"') => is_same_string(left, right),
        (b'-' | b'0'..=b'9', b'-' | b'0'..=b'9') => left == right || is_same_fraction(left, right),
        _ => left == right,
    }
}

fn is_same_string(left: &str, right: &str) -> bool {
    let decoded = |text: &str| serde_json::from_str::<String>(text).ok();
    left == right
        || (left.contains('\\') || right.contains('\\'))
            && decoded(left).is_some_and(|text| Some(text) == decoded(right))
}

/// Two whole numbers of other digits are other numbers, however large; `1.0` and `1` are one.
fn is_same_fraction(left: &str, right: &str) -> bool {
    let is_whole = |number: &str| !number.contains(['.', 'e', 'E']);
    let value = |number: &str| number.parse::<f64>().ok();
    !(is_whole(left) && is_whole(right)) && value(left).is_some_and(|number| Some(number) == value(right))
}
