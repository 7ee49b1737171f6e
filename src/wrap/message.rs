//! The messages of a line, and their ids.

use std::borrow::Cow;

use super::json::Node;

/// Decodes a line. Lossy decoding of valid text takes three times as long, so it is only the fallback.
pub(super) fn text_of(line: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed)
}

/// Returns the messages of a line: one, or those of a batch.
pub(super) fn messages(line: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let alone = Some(line).filter(|line| !line.is_array());
    alone.into_iter().chain(line.items())
}

/// Returns true if `raw`, a JSON value, is an integer that every client parses in the same way.
pub(super) fn is_whole(raw: &str) -> bool {
    let number = raw
        .parse::<f64>()
        .ok()
        .filter(|_| raw.len() <= 32 && raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    number.is_some_and(is_exact)
}

/// Returns true for integers up to 2^53, which a double represents exactly.
fn is_exact(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0
}

/// A normalized id: 1 and 1.0 are equal, and `"1"` is a different id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Id(String);

impl Id {
    /// Parses an id. Returns `None` for null and other values that cannot be an id.
    pub(super) fn of(raw: &str) -> Option<Self> {
        Some(Self(match raw.as_bytes().first()? {
            // A string with half of a surrogate pair is compared by its original text.
            b'"' => {
                serde_json::from_str(raw).map_or_else(|_| raw.to_owned(), |text: String| format!("'{text}"))
            }
            b'-' | b'0'..=b'9' => match (raw.parse::<i128>(), raw.parse::<f64>()) {
                (Ok(whole), _) => whole.to_string(),
                // Adding 0.0 removes the sign of -0.0.
                (_, Ok(number)) if is_exact(number) => (number + 0.0).to_string(),
                (_, Ok(number)) if number.is_finite() => format!("{number:e}"),
                _ => raw.to_owned(),
            },
            _ => return None,
        }))
    }

    /// Returns the id as the other type: a number as a string, or a string with digits as a number. Some SDKs accept
    /// one for the other.
    pub(super) fn of_other_type(&self) -> Option<Self> {
        let text = self.0.strip_prefix('\'');
        let is_number = |text: &str| text.parse::<i128>().is_ok_and(|number| number.to_string() == text);
        is_number(text.unwrap_or(&self.0))
            .then(|| Self(text.map_or_else(|| format!("'{}", self.0), str::to_owned)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_as_values() {
        let id = Id::of;
        assert_eq!(id("1"), id("1.0"));
        assert_eq!(id("10"), id("1e1"));
        assert_eq!(id("1000000000000000"), id("1e15"));
        assert_eq!(id("1000000000000000"), id("1000000000000000.0"));
        assert_eq!(id("-9007199254740992"), id("-9007199254740992.0"));
        assert_eq!(id("\"a\""), id(r#""\u0061""#));
        assert_eq!(id("0"), id("-0"));
        assert_eq!((id("0"), id("1.50")), (id("-0.0"), id("15e-1")));
        assert_ne!(id("1"), id("\"1\""));
        assert_ne!(id("9007199254740993"), id("9007199254740992"));
        assert_ne!(id("1.5"), id("1.25"));
        assert_ne!(id("1e400"), id("2e400"));
        assert_ne!(id(r#""\ud83d""#), id(r#""\ud83e""#));
        assert!(id(r#""\ud83d""#).is_some());
        assert_eq!((id("null"), id("{}")), (None, None));
        let other = |one: &str| id(one).unwrap().of_other_type();
        assert_eq!((other("2"), other("-2.0")), (id("\"2\""), id("\"-2\"")));
        assert_eq!((other("\"2\""), other("\"-2\"")), (id("2"), id("-2")));
        for text in ["\"02\"", "\"+2\"", "\"a\"", "\"\"", "\" 2\"", "\"2.0\"", "1.5"] {
            assert_eq!(other(text), None);
        }
    }
}
