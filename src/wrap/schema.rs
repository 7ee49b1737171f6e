//! The output schemas of tools. They show whether structured content is still valid after truncation.

use std::collections::BTreeMap;

use cutline_core::notice::PartUnit;

use super::json::{Node, Shortened};

/// Keywords that a shorter array may violate.
const OF_ITEMS: [&str; 4] = ["\"minItems\"", "\"contains\"", "\"enum\"", "\"const\""];
/// Keywords that an object with fewer members may violate.
const OF_MEMBERS: [&str; 5] =
    ["\"required\"", "\"minProperties\"", "\"dependentRequired\"", "\"enum\"", "\"const\""];
/// Keywords that a shorter string may violate.
const OF_CHARACTERS: [&str; 5] = ["\"minLength\"", "\"pattern\"", "\"format\"", "\"enum\"", "\"const\""];
/// Maximum number of stored tools, and maximum bytes of the name of one.
const MOST_TOOLS: usize = 4096;
const NAME_BYTES: usize = 1024;

/// What is known about a tool's output schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum OutputSchema {
    /// The tool was not in any list so far.
    #[default]
    Unseen,
    /// The tool has a schema, or none. Each field is true if a keyword of the schema can restrict such parts.
    Seen { items: bool, members: bool, characters: bool },
}

/// The known output schemas, by tool.
#[derive(Debug, Default)]
pub(super) struct OutputSchemas(BTreeMap<String, OutputSchema>);

impl OutputSchemas {
    /// Returns the schema of a tool.
    pub(super) fn of(&self, tool: &str) -> OutputSchema {
        self.0.get(tool).copied().unwrap_or_default()
    }

    /// Stores the schemas of a `tools/list` result.
    pub(super) fn learn(&mut self, result: Node<'_>) {
        for tool in result.get("tools").into_iter().flat_map(Node::items) {
            let name = tool.get("name").and_then(Node::string).filter(|name| name.len() <= NAME_BYTES);
            let Some(name) = name else { continue };
            let schema = OutputSchema::of(tool.get("outputSchema").map_or("", Node::text));
            if self.0.len() < MOST_TOOLS || self.0.contains_key(name.as_ref()) {
                self.0.insert(name.into_owned(), schema);
            }
        }
    }
}

impl OutputSchema {
    /// Examines the text of a schema. A keyword counts wherever it is, so a property with such a name counts too.
    pub(super) fn of(schema: &str) -> Self {
        let has_any = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains(keyword));
        Self::Seen {
            items: has_any(&OF_ITEMS),
            members: has_any(&OF_MEMBERS),
            characters: has_any(&OF_CHARACTERS),
        }
    }

    /// Returns true if a value is certainly still valid after these parts were shortened.
    pub(super) fn holds_for(self, shortened: &[Shortened<'_>]) -> bool {
        let Self::Seen { items, members, characters } = self else { return false };
        !shortened.iter().any(|one| match one.unit {
            PartUnit::Items => items,
            PartUnit::Members => members,
            _ => characters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::json::{Value, cut};
    use cutline_core::truncate::Bounds;
    use serde_json::json;

    #[test]
    fn only_keywords_for_the_shortened_parts_count() {
        let schema = |rows: serde_json::Value| json!({"type": "object", "properties": {"rows": rows}});
        let strings = "x".repeat(99);
        let (rows, text) = (json!({"rows": vec![1; 99]}).to_string(), json!({"rows": [strings]}).to_string());
        let members: serde_json::Map<_, _> = (0..30).map(|n| (n.to_string(), n.into())).collect();
        let members = json!({"rows": members}).to_string();
        for (schema, [of_rows, of_text, of_members]) in [
            (schema(json!({"type": "array", "items": {"type": "string"}})), [true, true, true]),
            (schema(json!({"minItems": 50})), [false, true, true]),
            (schema(json!({"items": {"pattern": "^x"}})), [true, false, true]),
            (schema(json!({"required": ["a"]})), [true, true, false]),
            (schema(json!({"items": {"enum": [1]}})), [false, false, false]),
        ] {
            let tools = json!({"tools": [{"name": "a", "outputSchema": schema}, {"name": "b"}]}).to_string();
            let mut schemas = OutputSchemas::default();
            schemas.learn(Value::of(&tools).unwrap().top());
            for (value, expected) in [(&rows, of_rows), (&text, of_text), (&members, of_members)] {
                let value = Value::of(value).unwrap();
                let cut = cut(&[(&value, Bounds::new(u64::MAX, 50))]);
                assert!(!cut.shortened.is_empty());
                let holds = |tool: &str| schemas.of(tool).holds_for(&cut.shortened);
                assert_eq!(holds("a"), expected, "{schema} {:?}", cut.shortened);
                assert!(holds("b") && !holds("unseen"));
            }
        }
    }
}
