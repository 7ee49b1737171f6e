//! The output schemas of tools, asked whether they still hold once something was made shorter.

use std::collections::BTreeMap;
use std::sync::Arc;

use cutline_core::notice::PartUnit;
use serde_json::Value;

use super::json::{Node, Shortened};

/// The keywords that a shorter array may break.
const OF_ITEMS: [&str; 4] = ["minItems", "contains", "enum", "const"];
/// The keywords that an object with fewer members may break.
const OF_MEMBERS: [&str; 5] = ["required", "minProperties", "dependentRequired", "enum", "const"];
/// The keywords that a string that ends early may break.
const OF_CHARACTERS: [&str; 5] = ["minLength", "pattern", "format", "enum", "const"];
/// Bytes of one schema: read, it takes some thirty times as many.
const SCHEMA_BYTES: usize = 200_000;
/// Bytes of all schemas that are kept.
const ALL_BYTES: usize = 4_000_000;
/// References that are followed one after the other.
const MOST_REFERENCES: usize = 32;

/// The facts known of a tool's output schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum OutputSchema {
    /// The tool was in no list that was seen.
    #[default]
    Unseen,
    /// The tool has none.
    Absent,
    /// It is this one, as it was sent.
    Known(Arc<str>),
}

/// The output schemas that were seen, by their tools.
#[derive(Debug, Default)]
pub(super) struct OutputSchemas {
    schemas: BTreeMap<String, OutputSchema>,
    bytes: usize,
}

impl OutputSchemas {
    /// Returns what is known of a tool's.
    pub(super) fn of(&self, tool: &str) -> OutputSchema {
        self.schemas.get(tool).cloned().unwrap_or_default()
    }

    /// Keeps those of a result that lists tools.
    pub(super) fn learn(&mut self, result: Node<'_>) {
        for tool in result.get("tools").into_iter().flat_map(Node::items) {
            let Some(name) = tool.get("name").and_then(Node::string) else { continue };
            let schema = match tool.get("outputSchema") {
                None => OutputSchema::Absent,
                Some(raw) => OutputSchema::known(raw.text()),
            };
            self.bytes += name.len() + schema.bytes();
            if let Some(former) = self.schemas.insert(name.clone().into_owned(), schema) {
                self.bytes -= name.len() + former.bytes();
            }
            if self.bytes > ALL_BYTES {
                // Tools that are asked for are listed again, in part at least.
                *self = Self::default();
                return;
            }
        }
    }
}

impl OutputSchema {
    /// Returns the schema that `raw` is; one that is too large to be asked counts as not seen.
    fn known(raw: &str) -> Self {
        if raw.len() > SCHEMA_BYTES { Self::Unseen } else { Self::Known(raw.into()) }
    }

    /// Bytes that it takes.
    fn bytes(&self) -> usize {
        if let Self::Known(schema) = self { schema.len() } else { 0 }
    }

    /// True if it surely holds for a value in which these were made shorter.
    pub(super) fn holds_for(&self, shortened: &[Shortened<'_>]) -> bool {
        match self {
            Self::Unseen => false,
            Self::Absent => true,
            Self::Known(schema) => serde_json::from_str(schema)
                .is_ok_and(|schema| shortened.iter().all(|one| holds(&schema, one))),
        }
    }
}

fn holds(top: &Value, one: &Shortened<'_>) -> bool {
    let mut schemas = with_alternatives(top, vec![top]);
    for key in one.keys() {
        // What promises a value as a whole promises what is in it.
        if names_any(&schemas, &["enum", "const"]) {
            return false;
        }
        let next = schemas.iter().filter_map(|schema| inner(schema, key.as_deref())).collect();
        schemas = with_alternatives(top, next);
    }
    let breaking: &[&str] = match one.unit {
        PartUnit::Items => &OF_ITEMS,
        PartUnit::Members => &OF_MEMBERS,
        PartUnit::Characters | PartUnit::Blocks => &OF_CHARACTERS,
    };
    !names_any(&schemas, breaking)
}

/// The schema of a member, or of the first item: only that one is ever looked into.
fn inner<'a>(schema: &'a Value, key: Option<&str>) -> Option<&'a Value> {
    let (first, other) = match key {
        Some(key) => (schema.get("properties").and_then(|all| all.get(key)), "additionalProperties"),
        None => (schema.get("prefixItems").and_then(|all| all.get(0)), "items"),
    };
    first.or_else(|| schema.get(other))
}

fn names_any(schemas: &[&Value], names: &[&str]) -> bool {
    schemas.iter().any(|schema| names.iter().any(|name| schema.get(name).is_some()))
}

/// `schemas`, with what they refer to and what they are put together from.
fn with_alternatives<'a>(top: &'a Value, schemas: Vec<&'a Value>) -> Vec<&'a Value> {
    let mut all = schemas;
    let mut at = 0;
    while let Some(schema) = all.get(at).copied().filter(|_| at < MOST_REFERENCES) {
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema.get(name)?.as_array());
        let more: Vec<&Value> = lists.flatten().collect();
        let referred =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| top.pointer(path.strip_prefix('#')?));
        all.extend(more);
        all.extend(referred);
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_promises_on_what_was_cut_count() {
        let schema = OutputSchema::known(&json!({
            "type": "object",
            "required": ["rows"],
            "properties": {
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
                "few": {"type": "array", "minItems": 2},
                "when": {"anyOf": [{"type": "null"}, {"type": "string", "format": "date-time"}]},
            },
            "$defs": {"row": {"properties": {"id": {"type": "string", "pattern": "^x"}, "body": {"type": "string"}}}},
        }).to_string());
        let (items, members, characters) = (PartUnit::Items, PartUnit::Members, PartUnit::Characters);
        let cases: [(Shortened<'_>, bool); 6] = [
            (Shortened::at(items, &[Some("\"rows\"")]), true),
            (Shortened::at(items, &[Some("\"few\"")]), false),
            (Shortened::at(characters, &[Some("\"when\"")]), false),
            (Shortened::at(characters, &[Some("\"rows\""), None, Some("\"body\"")]), true),
            (Shortened::at(characters, &[Some("\"rows\""), None, Some("\"id\"")]), false),
            (Shortened::at(members, &[]), false),
        ];
        for (one, expected) in cases {
            assert_eq!(schema.holds_for(std::slice::from_ref(&one)), expected, "{one:?}");
            assert!(!OutputSchema::Unseen.holds_for(std::slice::from_ref(&one)));
            assert!(OutputSchema::Absent.holds_for(&[one]));
        }
    }
}
