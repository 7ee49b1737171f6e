//! The path of a place in a JSON value, as a notice names it.

use std::fmt::Write as _;

/// One step from a value to one in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// To a member: its key with its quotes, as it stands in the text.
    Key(String),
    /// To an item.
    Index(u64),
}

/// The name of the value at the end of `steps`: `results`, `data.items`, `items[0].body`; `None` for the top.
pub(super) fn name(steps: &[Step]) -> Option<String> {
    let mut name = String::new();
    for step in steps {
        match step {
            Step::Index(index) => {
                let _infallible = write!(name, "[{index}]");
            }
            Step::Key(key) => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(&plain(key).unwrap_or_else(|| key.clone()));
            }
        }
    }
    (!steps.is_empty()).then_some(name)
}

/// A key without its quotes, where it can be read without them.
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
        let key = |key: &str| Step::Key(serde_json::to_string(key).unwrap());
        let cases = [
            (vec![], None),
            (vec![key("results")], Some("results")),
            (vec![key("data"), key("items")], Some("data.items")),
            (vec![key("items"), Step::Index(0), key("body")], Some("items[0].body")),
            (vec![Step::Index(3)], Some("[3]")),
            (vec![key("a.b"), key("")], Some("\"a.b\".\"\"")),
            (vec![key("\u{e9}t\u{e9}")], Some("\u{e9}t\u{e9}")),
        ];
        for (steps, expected) in cases {
            assert_eq!(name(&steps).as_deref(), expected, "{steps:?}");
        }
    }
}
