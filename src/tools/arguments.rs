//! What a model sends, checked against the schema that it was shown.
//!
//! Models write numbers as text, whole numbers with a `.0`, names in snake case, and `null` for
//! what they leave out: all of that is taken for what it means. What can't be is refused in words
//! that name the argument, what was given and what is expected, so that the call can be mended.
//! The schema is the one home of names, types and bounds.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::limits::ARGUMENTS_BYTES;
use cutline_core::text::show;

/// A JSON object, as schemas and arguments are.
pub type Object = Map<String, Value>;

/// Characters of a given value that an error repeats.
const GIVEN_CHARS: usize = 100;

/// The schema of `T` in the plain form that every client takes: one type each, no formats, no
/// references, nothing that says nothing.
pub fn schema_of<T: JsonSchema>() -> Object {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(root) = schema.as_object_mut() {
        root.remove("description");
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    tidy(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => Object::new(),
    }
}

fn tidy(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for noise in ["$schema", "title", "default", "format"] {
                if object.get(noise).is_some_and(|noise| !noise.is_object()) {
                    object.remove(noise);
                }
            }
            for key in ["type", "enum"] {
                if let Some(Value::Array(values)) = object.get_mut(key) {
                    values.retain(|value| !value.is_null() && value != "null");
                    if key == "type"
                        && let [one] = values.as_slice()
                    {
                        let one = one.clone();
                        object.insert(key.to_owned(), one);
                    }
                }
            }
            object.values_mut().for_each(tidy);
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Refuses arguments that no tool could use, so that calls that wait hold little.
pub fn check_size(given: &Object) -> Result<(), ToolError> {
    let bytes = given.iter().map(|(name, value)| name.len() + held_by(value)).sum::<usize>();
    if bytes <= ARGUMENTS_BYTES {
        return Ok(());
    }
    Err(ToolError::Argument(format!("The arguments are too long: {bytes} bytes (at most {ARGUMENTS_BYTES})")))
}

/// About how many bytes of memory a value holds.
fn held_by(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(held_by).sum(),
            Value::Object(object) => object.iter().map(|(name, value)| name.len() + held_by(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

/// The arguments `given` to `tool`, as `T`.
pub fn parse<T: DeserializeOwned>(tool: &str, schema: &Object, given: Object) -> Result<T, ToolError> {
    let checked = check(tool, schema, given).map_err(ToolError::Argument)?;
    serde_json::from_value(Value::Object(checked)).map_err(|error| ToolError::Argument(error.to_string()))
}

fn check(tool: &str, schema: &Object, given: Object) -> Result<Object, String> {
    let none = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut checked = Object::new();
    for (name, value) in given {
        let Some((known, property)) = named(properties, &name) else {
            return Err(unknown(tool, properties, &name));
        };
        if value.is_null() {
            continue;
        }
        let Some(value) = coerce(property, &value) else {
            let given = shown(&value.to_string());
            return Err(format!("{known}: must be {}, got {given}", expected(property)));
        };
        checked.insert(known.clone(), value);
    }
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for name in required.iter().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            return Err(format!("{name}: is missing; must be {}", expected(property)));
        }
    }
    Ok(checked)
}

/// The property of that name, however its words are joined.
fn named<'a>(properties: &'a Object, name: &str) -> Option<(&'a String, &'a Value)> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    properties
        .get_key_value(name)
        .or_else(|| properties.iter().find(|(known, _)| plain(known) == plain(name)))
}

fn unknown(tool: &str, properties: &Object, name: &str) -> String {
    let near = properties
        .keys()
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let near = near.map_or(String::new(), |(_, known)| format!("; did you mean {known}?"));
    let all: Vec<&str> = properties.keys().map(String::as_str).collect();
    let name = shown(name);
    format!("{name}: is not an argument of {tool}{near} (it takes {})", all.join(", "))
}

/// What was given, as an error repeats it: without control characters, never long.
fn shown(given: &str) -> String {
    show::middle_out(&show::name(given.as_bytes()), GIVEN_CHARS).into_owned()
}

/// `value` as the property's type, where it means that; within its bounds.
fn coerce(property: &Value, value: &Value) -> Option<Value> {
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => integer(value).filter(|number| in_bounds(property, *number)).map(Value::from),
        Some("boolean") => boolean(value).map(Value::Bool),
        Some("string") => {
            let text = value.as_str()?;
            let Some(choices) = property.get("enum").and_then(Value::as_array) else {
                return Some(value.clone());
            };
            let same =
                |choice: &&Value| choice.as_str().is_some_and(|choice| choice.eq_ignore_ascii_case(text));
            choices.iter().find(same).cloned()
        }
        _ => Some(value.clone()),
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?))
        }
        _ => None,
    }
}

/// A number without a fraction; one beyond all that can be counted is the largest that can.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole; the cast saturates")]
    (number.fract() == 0.0).then_some(number as i64)
}

fn in_bounds(property: &Value, number: i64) -> bool {
    let bound = |key| property.get(key).and_then(Value::as_i64);
    bound("minimum").is_none_or(|least| number >= least) && bound("maximum").is_none_or(|most| number <= most)
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// What a property takes, in words.
fn expected(property: &Value) -> String {
    let bound = |key| property.get(key).and_then(Value::as_i64);
    match (property.get("type").and_then(Value::as_str), property.get("enum")) {
        (Some("integer"), _) => match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!("an integer from {least} to {most}"),
            (Some(least), None) => format!("an integer of at least {least}"),
            (None, Some(most)) => format!("an integer of at most {most}"),
            (None, None) => "an integer".to_owned(),
        },
        (Some("boolean"), _) => "true or false".to_owned(),
        (_, Some(Value::Array(choices))) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            format!("one of {}", choices.join(", "))
        }
        _ => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{bash, find, grep, read};
    use serde_json::json;

    fn given(value: &Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_models_write_is_taken_for_what_it_means() {
        let schema = schema_of::<read::Args>();
        for value in [
            json!({"path": "a", "offset": -3, "limit": 10}),
            json!({"path": "a", "offset": "-3", "limit": "10"}),
            json!({"path": "a", "offset": -3.0, "limit": "10.0"}),
            json!({"Path": "a", "offset": " -3", "limit": 1e1}),
        ] {
            let args: read::Args = parse("read", &schema, given(&value)).unwrap();
            assert_eq!((args.path.as_str(), args.offset, args.limit), ("a", Some(-3), Some(10)), "{value}");
        }
        for huge in [json!(u64::MAX), json!(1e30), json!("18446744073709551615")] {
            let args: read::Args =
                parse("read", &schema, given(&json!({"path": "a", "limit": huge}))).unwrap();
            assert_eq!(args.limit, Some(i64::MAX.unsigned_abs()), "{huge}");
        }
        let schema = schema_of::<grep::Args>();
        let value =
            json!({"pattern": "x", "ignore_case": "true", "mode": "Files", "limit": null, "no-ignore": true});
        let args: grep::Args = parse("grep", &schema, given(&value)).unwrap();
        assert_eq!((args.ignore_case, args.mode, args.limit), (Some(true), Some(grep::Mode::Files), None));
    }

    #[test]
    fn errors_say_what_was_given_and_what_is_expected() {
        let cases = [
            (json!({}), "path: is missing; must be a string"),
            (json!({"path": null}), "path: is missing; must be a string"),
            (json!({"path": 5}), "path: must be a string, got 5"),
            (json!({"path": "a", "limit": 0}), "limit: must be an integer of at least 1, got 0"),
            (json!({"path": "a", "limit": "ten"}), "limit: must be an integer of at least 1, got \"ten\""),
            (json!({"path": "a", "offset": 1.5}), "offset: must be an integer, got 1.5"),
            (json!({"path": "a", "offset": "inf"}), "offset: must be an integer, got \"inf\""),
            (
                json!({"path": "a", "a\n\u{1b}": 1}),
                "a\u{FFFD}\u{FFFD}: is not an argument of read (it takes limit, offset, path)",
            ),
            (json!({"path": ["\u{7f}"]}), "path: must be a string, got [\"\u{FFFD}\"]"),
            (
                json!({"path": "a", "limt": 1}),
                "limt: is not an argument of read; did you mean limit? (it takes limit, offset, path)",
            ),
        ];
        let schema = schema_of::<read::Args>();
        for (value, expected) in cases {
            let error = parse::<read::Args>("read", &schema, given(&value)).unwrap_err();
            assert_eq!(error.to_string(), expected, "{value}");
        }
        let schema = schema_of::<find::Args>();
        let error = parse::<find::Args>("find", &schema, given(&json!({"pattern": "*", "type": "link"})))
            .unwrap_err();
        assert_eq!(error.to_string(), "type: must be one of \"file\", \"dir\", \"any\", got \"link\"");
    }

    #[test]
    fn schemas_are_plain() {
        for schema in [schema_of::<bash::Args>(), schema_of::<grep::Args>(), schema_of::<find::Args>()] {
            let text = Value::Object(schema).to_string();
            for noise in ["null", "format", "$schema", "$ref", "oneOf", "anyOf", "title", "default\""] {
                assert!(!text.contains(noise), "{noise} in {text}");
            }
        }
    }
}
