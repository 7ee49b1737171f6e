//! The path to a part of a JSON value, as shown in a notice.

/// One step from a value to one of its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step<'a> {
    /// The index of the member or item, from 0.
    pub(super) position: usize,
    /// The original text of a member's key, with quotes.
    pub(super) key: Option<&'a str>,
}

/// Returns the path as text, such as `results`, `data.items` or `items[0].body`. Returns `None` for the top value.
pub(super) fn name(steps: &[Step<'_>]) -> Option<String> {
    let mut name = String::new();
    for Step { position, key } in steps {
        let dot = if name.is_empty() { "" } else { "." };
        let step = match key {
            Some(key) => format!("{dot}{}", plain(key).as_deref().unwrap_or(key)),
            None => format!("[{position}]"),
        };
        name.push_str(&step);
    }
    (!steps.is_empty()).then_some(name)
}

/// Returns a key without quotes, if it is readable without them.
fn plain(key: &str) -> Option<String> {
    let plain: String = serde_json::from_str(key).ok()?;
    let needs_quotes = |c: char| matches!(c, '.' | '"' | '\'' | '[' | ']') || c.is_control();
    (!plain.is_empty() && !plain.contains(needs_quotes)).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_places() {
        let key = |key| Step { position: 7, key: Some(key) };
        let item = |position| Step { position, key: None };
        let cases = [
            (vec![], None),
            (vec![key("\"results\"")], Some("results")),
            (vec![key("\"data\""), key("\"items\"")], Some("data.items")),
            (vec![key("\"items\""), item(0), key("\"body\"")], Some("items[0].body")),
            (vec![item(3)], Some("[3]")),
            (vec![key("\"a.b\""), key("\"\"")], Some("\"a.b\".\"\"")),
            (vec![key("\"\\u00e9t\u{e9}\"")], Some("\u{e9}t\u{e9}")),
        ];
        for (steps, expected) in cases {
            assert_eq!(name(&steps).as_deref(), expected, "{steps:?}");
        }
    }
}
