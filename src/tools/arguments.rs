//! The arguments of a call, checked against the schema that the model was shown.
//!
//! Models write numbers as text, whole numbers with a `.0`, names in snake case, other tools' names
//! (`file_path`), and `null`, `""`, 0, `[]` or `{}` for what they leave out; agents add arguments of
//! their own. All of that is taken for what it means. What can't be is refused in words that name
//! the argument, what was given and what is expected, so that the call can be mended. The schema is
//! the one home of names, types and bounds; `names` has the other names.

mod names;

use schemars::generate::SchemaSettings;
use schemars::transform::{AddNullable, RecursiveTransform};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::limits::ARGUMENTS_BYTES;
use cutline_core::text::show;

/// A JSON object, as schemas and arguments are.
pub type Object = Map<String, Value>;

/// Characters of a given value that an error repeats.
const GIVEN_CHARS: usize = 100;

/// Arguments in which 0 has a meaning of its own, and is not taken for "left out": `head` and `tail` of
/// bash, each beside the other. (0 is the default of `offset` and `context`, so that both are the same.)
const ZERO_COUNTS: [(&str, &str); 2] = [("head", "tail"), ("tail", "head")];

/// The argument that is lowered to its maximum. Models also give it in milliseconds.
const LOWERED: &str = "timeout";

/// Builds the schema of `T` in the plain form that every client takes: one type each, no formats, no
/// references, nothing that says nothing. Optional properties are `nullable`, because some clients
/// take all others as required.
pub fn schema_of<T: JsonSchema>() -> Object {
    let mut schema = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(AddNullable::default())
        .with_transform(RecursiveTransform(tidy))
        .into_generator()
        .into_root_schema_for::<T>();
    schema.remove("description");
    std::mem::take(schema.ensure_object())
}

fn tidy(schema: &mut Schema) {
    for noise in ["title", "default", "format"] {
        schema.remove(noise);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
}

/// Returns `schema` as clients are shown it: without bounds and choices, because a client that checks them
/// refuses calls in words that no model was told, where this module would take them (`""` for what is left
/// out) or say what is expected. The choices stand in the descriptions.
pub fn without_bounds(schema: &Object) -> Object {
    let mut schema = schema.clone();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flatten().filter_map(|(_, property)| property.as_object_mut()) {
        for bound in ["minimum", "maximum", "enum"] {
            property.remove(bound);
        }
    }
    schema
}

/// Refuses arguments that no tool could use, and a `_meta` as long, so that waiting calls hold little memory.
pub fn check_size(given: &Object, meta: &Object) -> Result<(), ToolError> {
    for (what, object) in [("arguments are", given), ("_meta is", meta)] {
        let bytes = object.iter().map(|(name, value)| name.len() + held_by(value)).sum::<usize>();
        if bytes > ARGUMENTS_BYTES {
            let words = format!("The {what} too long: {bytes} bytes (at most {ARGUMENTS_BYTES})");
            return Err(ToolError::Argument(words));
        }
    }
    Ok(())
}

/// Estimates the bytes of memory that a value holds.
fn held_by(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(held_by).sum(),
            Value::Object(object) => object.iter().map(|(name, value)| name.len() + held_by(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

/// Returns arguments that were checked as `T`, which may not take all of them.
pub fn typed<T: DeserializeOwned>(checked: Object) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(checked)).map_err(|error| ToolError::Argument(error.to_string()))
}

/// Checks the arguments `given` to `tool`. Returns them under their own names, each of its type; those left out are
/// absent.
pub fn check(tool: &str, schema: &Object, given: &Object) -> Result<Object, ToolError> {
    let none = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut checked = Object::new();
    for (name, value) in given {
        let translated = names::translated(tool, name, value);
        let (name, value) = translated.as_ref().map_or((name.as_str(), value), |(name, value)| (name, value));
        let Some((known, property)) = names::find(tool, properties, name) else {
            match names::near(tool, properties, name).filter(|_| !says_nothing(tool, name, value, given)) {
                Some(near) => return Err(ToolError::Argument(unknown(tool, properties, name, near))),
                None => {
                    tracing::warn!(tool, argument = %shown(name), "an argument that does not exist is left aside");
                }
            }
            continue;
        };
        if value.is_null()
            || (!required.contains(&Value::from(known.as_str()))
                && !is_name(property, value)
                && is_left_out(known, value, given))
        {
            continue;
        }
        let Some(value) = coerce(known, property, value) else {
            let given = shown(&value.to_string());
            return Err(ToolError::Argument(format!("{known}: must be {}, got {given}", expected(property))));
        };
        if checked.get(known).is_some_and(|earlier| *earlier != value) {
            return Err(ToolError::Argument(format!("{known}: is given twice, with different values")));
        }
        checked.insert(known.clone(), value);
    }
    for name in required.iter().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            return Err(ToolError::Argument(format!("{name}: is missing; must be {}", expected(property))));
        }
    }
    Ok(checked)
}

/// Returns true if an argument that does not exist says what is so without it.
fn says_nothing(tool: &str, name: &str, value: &Value, given: &Object) -> bool {
    value.is_null() || is_left_out(name, value, given) || names::says_default(tool, name, value)
}

/// Returns true if a value is a text that may be any name, and a name such as `0`.
fn is_name(property: &Value, value: &Value) -> bool {
    let takes_any =
        property.get("type").is_some_and(|kind| kind == "string") && property.get("enum").is_none();
    takes_any && value.as_str().is_some_and(|text| !text.is_empty())
}

/// Returns true if an optional argument of this value is one that the model meant to leave out.
fn is_left_out(name: &str, value: &Value, given: &Object) -> bool {
    match value {
        Value::String(text) if text.is_empty() => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(values) => values.is_empty(),
        value if integer(value) == Some(0) => {
            let other =
                ZERO_COUNTS.iter().find(|(zero, _)| *zero == name).and_then(|(_, other)| given.get(*other));
            other.and_then(integer).is_none_or(|other| other <= 0)
        }
        _ => false,
    }
}

fn unknown(tool: &str, properties: &Object, name: &str, near: &str) -> String {
    let all: Vec<&str> = properties.keys().map(String::as_str).collect();
    let name = shown(name);
    format!("{name}: is not an argument of {tool}; did you mean {near}? (it takes {})", all.join(", "))
}

/// Returns a given text as an error repeats it: without control characters, at most `GIVEN_CHARS` long.
fn shown(given: &str) -> String {
    show::middle_out(&show::name(given.as_bytes()), GIVEN_CHARS).into_owned()
}

/// Returns `value` as the property's type, where it means that and is within its bounds.
fn coerce(name: &str, property: &Value, value: &Value) -> Option<Value> {
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => {
            let number = integer(value)?;
            let (least, most) = (bound(property, "minimum"), bound(property, "maximum"));
            let is_lowered = name == LOWERED;
            let is_within = least.is_none_or(|least| number >= least)
                && (is_lowered || most.is_none_or(|most| number <= most));
            is_within.then(|| Value::from(number))
        }
        Some("boolean") => boolean(value).map(Value::Bool),
        Some("string") => {
            let text = match value {
                // Some agents make a boolean of the command `true`.
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                value => value.as_str()?,
            };
            let Some(choices) = property.get("enum").and_then(Value::as_array) else {
                return Some(Value::from(text));
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

fn bound(property: &Value, key: &str) -> Option<i64> {
    property.get(key).and_then(Value::as_i64)
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

/// Returns in words which values a property takes.
fn expected(property: &Value) -> String {
    match (property.get("type").and_then(Value::as_str), property.get("enum")) {
        (Some("integer"), _) => match (bound(property, "minimum"), bound(property, "maximum")) {
            (Some(least), Some(most)) => format!("an integer from {least} to {most}"),
            (Some(least), None) => format!("an integer of at least {least}"),
            (None, _) => "an integer".to_owned(),
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
mod tests;
