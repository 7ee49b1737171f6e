//! The output schemas of tools. They show whether structured content is still valid after truncation.

use std::collections::BTreeMap;
use std::sync::Arc;

use cutline_core::notice::PartUnit;
use serde_json::Value;

use super::json::{Node, Shortened};

/// Keywords that a shorter array may violate.
const OF_ITEMS: [&str; 4] = ["minItems", "contains", "enum", "const"];
/// Keywords that an object with fewer members may violate.
const OF_MEMBERS: [&str; 5] = ["required", "minProperties", "dependentRequired", "enum", "const"];
/// Keywords that a shorter string may violate.
const OF_CHARACTERS: [&str; 5] = ["minLength", "pattern", "format", "enum", "const"];
/// Keywords that can restrict a value or its members, but that cutline does not analyse.
const NOT_FOLLOWED: [&str; 6] =
    ["not", "if", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef"];
/// Schemas for members of an object that cutline does not analyse.
const AROUND_MEMBERS: [&str; 2] = ["patternProperties", "unevaluatedProperties"];
/// Schemas for items of an array that cutline does not analyse.
const AROUND_ITEMS: [&str; 2] = ["contains", "unevaluatedItems"];
/// Maximum bytes of one schema. A parsed schema takes about thirty times as much memory.
const SCHEMA_BYTES: usize = 200_000;
/// Maximum bytes of all stored schemas.
const ALL_BYTES: usize = 4_000_000;
/// Maximum number of schemas that are checked for one value, including references and alternatives.
const MOST_REFERENCES: usize = 32;

/// What is known about a tool's output schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum OutputSchema {
    /// The tool was not in any list so far.
    #[default]
    Unseen,
    /// The tool has no output schema.
    Absent,
    /// The original text of the schema.
    Known(Arc<str>),
}

/// The known output schemas, by tool.
#[derive(Debug, Default)]
pub(super) struct OutputSchemas {
    schemas: BTreeMap<String, OutputSchema>,
    bytes: usize,
}

impl OutputSchemas {
    /// Returns the schema of a tool.
    pub(super) fn of(&self, tool: &str) -> OutputSchema {
        self.schemas.get(tool).cloned().unwrap_or_default()
    }

    /// Stores the schemas of a `tools/list` result.
    pub(super) fn learn(&mut self, result: Node<'_>) {
        for tool in result.get("tools").into_iter().flat_map(Node::items) {
            let Some(name) = tool.get("name").and_then(Node::string) else { continue };
            let schema = match tool.get("outputSchema").map(Node::text) {
                None => OutputSchema::Absent,
                // Too large to parse.
                Some(raw) if raw.len() > SCHEMA_BYTES => OutputSchema::Unseen,
                Some(raw) => OutputSchema::Known(raw.into()),
            };
            self.bytes += name.len() + schema.bytes();
            if let Some(former) = self.schemas.insert(name.clone().into_owned(), schema) {
                self.bytes -= name.len() + former.bytes();
            }
            if self.bytes > ALL_BYTES {
                // Clients list the tools again, so the schemas will be stored again.
                *self = Self::default();
                return;
            }
        }
    }
}

impl OutputSchema {
    /// Returns the size in bytes.
    fn bytes(&self) -> usize {
        if let Self::Known(schema) = self { schema.len() } else { 0 }
    }

    /// Returns true if a value is certainly still valid after these parts were shortened.
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
    let Some(mut schemas) = with_alternatives(top, vec![top]) else { return false };
    for key in one.keys() {
        let around = if key.is_some() { AROUND_MEMBERS } else { AROUND_ITEMS };
        // A keyword for a complete value also restricts its parts.
        if names_any(&schemas, &["enum", "const"]) || around.iter().any(|name| has_schema(&schemas, name)) {
            return false;
        }
        let next = schemas.iter().filter_map(|schema| inner(schema, key.as_deref())).collect();
        let Some(next) = with_alternatives(top, next) else { return false };
        schemas = next;
    }
    let breaking: &[&str] = match one.unit {
        PartUnit::Items => &OF_ITEMS,
        PartUnit::Members => &OF_MEMBERS,
        PartUnit::Characters | PartUnit::Blocks => &OF_CHARACTERS,
    };
    !names_any(&schemas, breaking)
}

/// Returns the schema of a member, or of the first item, because no other item can be shortened inside.
fn inner<'a>(schema: &'a Value, key: Option<&str>) -> Option<&'a Value> {
    let Some(key) = key else {
        let first = |name| schema.get(name).and_then(|all| all.get(0));
        let others = || schema.get(if schema.get("items")?.is_array() { "additionalItems" } else { "items" });
        return first("prefixItems").or_else(|| first("items")).or_else(others);
    };
    let own = schema.get("properties").and_then(|all| all.get(key));
    own.or_else(|| schema.get("additionalProperties"))
}

fn names_any(schemas: &[&Value], names: &[&str]) -> bool {
    schemas.iter().any(|schema| names.iter().any(|name| schema.get(name).is_some()))
}

/// Returns true if one of `schemas` has a non-boolean schema with this name.
fn has_schema(schemas: &[&Value], name: &str) -> bool {
    schemas.iter().any(|schema| schema.get(name).is_some_and(Value::is_object))
}

/// Returns `schemas` with their references and alternatives. Returns `None` if one of them is missing or cannot be
/// analysed.
fn with_alternatives<'a>(top: &'a Value, schemas: Vec<&'a Value>) -> Option<Vec<&'a Value>> {
    let mut all = schemas;
    let mut at = 0;
    while let Some(schema) = all.get(at).copied() {
        if at == MOST_REFERENCES || names_any(&[schema], &NOT_FOLLOWED) {
            return None;
        }
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema.get(name)?.as_array());
        let mut more: Vec<&Value> = lists.flatten().collect();
        if let Some(reference) = schema.get("$ref") {
            let path = reference.as_str()?.strip_prefix('#').filter(|path| !path.contains('%'))?;
            more.push(top.pointer(path)?);
        }
        // Ignore schemas that are already in the list: a schema may refer to itself.
        more.retain(|one| !all.iter().any(|known| std::ptr::eq(*known, *one)));
        all.extend(more);
        at += 1;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keywords_that_are_not_followed_promise_nothing_for_sure() {
        let fifty = json!({"minItems": 50});
        let long = json!({"minLength": 50});
        let named = |name: &str| json!({"properties": {"a": {"$ref": name}}, "$defs": {"x y": fifty, "z": {"$anchor": "few"}}});
        let items = Shortened::at(PartUnit::Items, &[Some("\"a\"")]);
        let characters = Shortened::at(PartUnit::Characters, &[Some("\"a\""), None]);
        let inside = |keyword: &str, schema: Value| json!({"properties": {"a": {keyword: schema}}});
        let cases = [
            (json!({"patternProperties": {"^a": fifty}}), &items, false),
            (named("#few"), &items, false),
            (named("#/$defs/x%20y"), &items, false),
            (named("#/$defs/gone"), &items, false),
            (named("#/$defs/z"), &items, true),
            (json!({"if": {}, "then": {"properties": {"a": fifty}}}), &items, false),
            (inside("not", json!({"maxItems": 50})), &items, false),
            (json!({"unevaluatedProperties": fifty}), &items, false),
            (json!({"unevaluatedProperties": false}), &items, true),
            (json!({"dependentSchemas": {"b": {"properties": {"a": fifty}}}}), &items, false),
            (json!({"properties": {"a": {"$ref": "#"}}}), &items, true),
            (inside("items", json!([long])), &characters, false),
            (inside("items", json!([{}, long])), &characters, true),
            (json!({"properties": {"a": {"items": [], "additionalItems": long}}}), &characters, false),
            (inside("unevaluatedItems", long.clone()), &characters, false),
            (inside("contains", long.clone()), &characters, false),
            (inside("prefixItems", json!([long])), &characters, false),
        ];
        for (schema, one, expected) in cases {
            let known = OutputSchema::Known(schema.to_string().into());
            assert_eq!(known.holds_for(std::slice::from_ref(one)), expected, "{schema}");
        }
    }

    #[test]
    fn only_schema_rules_for_cut_parts_matter() {
        let schema = OutputSchema::Known(json!({
            "type": "object",
            "required": ["rows"],
            "properties": {
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
                "few": {"type": "array", "minItems": 2},
                "when": {"anyOf": [{"type": "null"}, {"type": "string", "format": "date-time"}]},
            },
            "$defs": {"row": {"properties": {"id": {"type": "string", "pattern": "^x"}, "body": {"type": "string"}}}},
        }).to_string().into());
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
