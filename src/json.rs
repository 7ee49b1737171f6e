//! Reads parts of JSON as slices of its text.
//!
//! Only the parts that the caller needs are parsed, in one pass and without a tree, so a text can have any depth, and
//! the memory does not depend on the number of its values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Calls `visit` with each member of an object, or with each item of an array. The name of a member is its text without
/// quotes, and an item has none. Escapes in a name are not decoded ([`decoded`]).
///
/// # Errors
///
/// Returns an error if `json` is not a valid object or array. `visit` has then seen the part before the error. A member
/// whose value has the error has an empty value.
pub(crate) fn each_child<'a>(json: &'a str, visit: impl FnMut(&'a str, &'a str)) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_any(Children(visit))?;
    deserializer.end()
}

/// Returns the name of a member without escapes, as a client reads it.
pub(crate) fn decoded(name: &str) -> Cow<'_, str> {
    let plain = if name.contains('\\') { text(&format!("\"{name}\"")) } else { None };
    plain.map_or(Cow::Borrowed(name), Cow::Owned)
}

/// Returns the members of a JSON object with these names.
pub(crate) fn members<'a, const N: usize>(json: &'a str, names: [&str; N]) -> [Option<&'a str>; N] {
    let mut found = [None; N];
    // An error for each number of a long array would take much time.
    if !json.trim_ascii_start().starts_with('{') {
        return found;
    }
    let _invalid = each_child(json, |key, value| {
        let key = decoded(key);
        for (_, place) in names.iter().zip(&mut found).filter(|(name, _)| **name == key) {
            *place = Some(value);
        }
    });
    found
}

/// Returns the text of a JSON string, or `None` for another value. Half of a surrogate pair, for example where a
/// program cut a text, is shown as U+FFFD.
pub(crate) fn text(json: &str) -> Option<String> {
    let lossy = || {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let text = deserializer.deserialize_bytes(Lossy)?;
        deserializer.end().map(|()| text)
    };
    serde_json::from_str(json).or_else(|_| lossy()).ok()
}

/// Returns true for valid JSON.
pub(crate) fn is_valid(json: &str) -> bool {
    serde_json::from_str::<&RawValue>(json).is_ok()
}

/// Returns a JSON string with this text.
pub(crate) fn as_json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Reads a string that may have half of a surrogate pair.
struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Passes the children of an array or object to a function.
struct Children<F>(F);

impl<'de, F: FnMut(&'de str, &'de str)> Visitor<'de> for Children<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<&RawValue>()? {
            let name = name.get();
            let name = name.get(1..name.len() - 1).unwrap_or_default();
            let value = map.next_value::<&RawValue>();
            (self.0)(name, value.as_ref().map_or("", |value| value.get()));
            value?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            (self.0)("", item.get());
        }
        Ok(())
    }
}

/// Returns `text` with `new` in place of its part `old`.
pub(crate) fn replaced(text: &str, old: &str, new: &str) -> String {
    let (before, rest) = text.split_at(old.as_ptr().addr() - text.as_ptr().addr());
    let (_, after) = rest.split_at(old.len());
    [before, new, after].concat()
}
