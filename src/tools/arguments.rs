//! Checks the arguments of a call against the schema of its tool.
//!
//! Models write numbers as text, integers with `.0`, names in snake case, and other tools' names (`file_path`). For
//! arguments that they omit, they send `null`, `""`, 0, `[]` or `{}`. Agents add arguments of their own. All of these
//! are accepted with the intended meaning. For anything else the error names the argument, the given value and the
//! expected value, so that the model can correct the call. The schema defines all names, types and bounds. `names` has
//! the names in other tools. `foreign` has the arguments of other tools that need more than another name.

mod foreign;
mod names;

use schemars::generate::SchemaSettings;
use schemars::transform::{AddNullable, RecursiveTransform};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::limits::ARGUMENTS_BYTES;
use cutline_core::notice::Names;
use cutline_core::text::show;

/// A JSON object, such as a schema or arguments.
pub type Object = Map<String, Value>;

/// Maximum characters of a given value in an error.
const GIVEN_CHARS: usize = 100;

/// Key in a property's schema. It means that the argument also accepts an array of strings. Clients do not see it.
pub(super) const TAKES_LIST: &str = "x-list";
/// Key in a property's schema. It means that the argument is accepted but not shown to clients.
pub(super) const UNLISTED: &str = "x-unlisted";

/// Pairs of arguments for which 0 can differ from an omitted argument.
const ZEROS: [[&str; 2]; 2] = [["head", "tail"], ["before", "after"]];

/// The argument that is lowered to its maximum. Models also send it in milliseconds.
const LOWERED: &str = "timeout";

/// Builds the schema of `T` in a plain form that every client accepts: one type for each property, no formats, no
/// references. Optional properties are `nullable`, because some clients treat all others as required.
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

/// Returns `schema` as clients see it: without unlisted arguments, bounds and choices. A client that checks bounds and
/// choices refuses calls with messages that do not help the model. This module would accept such calls (`""` for an
/// omitted argument) or return the expected values. The descriptions list the choices.
pub fn without_bounds(schema: &Object) -> Object {
    let mut schema = schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|_, property| property.get(UNLISTED).is_none());
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            for key in ["minimum", "maximum", "enum", TAKES_LIST] {
                property.remove(key);
            }
        }
    }
    schema
}

/// Returns an error if the arguments or `_meta` are too long for any tool, so that waiting calls use little memory.
pub fn check_size(given: &Object, meta: &Object) -> Result<(), ToolError> {
    for (what, object) in [("arguments are", given), ("_meta is", meta)] {
        let bytes = serde_json::to_vec(object).map_or(0, |json| json.len());
        if bytes > ARGUMENTS_BYTES {
            let message = format!("The {what} too long: {bytes} bytes (at most {ARGUMENTS_BYTES})");
            return Err(ToolError::Argument(message));
        }
    }
    Ok(())
}

/// Converts checked arguments to `T`.
pub fn typed<T: DeserializeOwned>(checked: Object) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(checked)).map_err(|error| ToolError::Argument(error.to_string()))
}

/// Arguments with the names and types of the schema, without omitted ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// The arguments.
    pub arguments: Object,
    /// Names that the tool does not have. Without these arguments, the call can have another meaning.
    pub ignored: Names,
}

/// Checks the arguments `given` to `tool`.
///
/// # Errors
///
/// Returns an error if an argument is missing, has an invalid value, is given twice with different values, or is an
/// argument of another tool without an equivalent.
pub fn check(tool: &str, schema: &Object, given: &Object) -> Result<Checked, ToolError> {
    let none = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut checked = Checked::default();
    for (name, value) in given.iter().flat_map(|(name, value)| foreign::rewritten(tool, given, name, value)) {
        let Some((known, property)) = names::find(tool, properties, name) else {
            if let Some(name) = ignored(tool, properties, name, &value)? {
                checked.ignored.push(&name);
            }
            continue;
        };
        let is_optional = !required.contains(&Value::from(known.as_str()));
        let is_zero = || ZEROS.iter().flatten().any(|zero| zero == known) && integer(&value) == Some(0);
        let is_omitted = is_optional && is_omitted(&value) && !is_name(property, &value) && !is_zero();
        if value.is_null() || is_omitted {
            continue;
        }
        let Some(value) = coerce(known, property, &value) else {
            let given = shown(&value.to_string());
            return Err(ToolError::Argument(format!("{known}: must be {}, got {given}", expected(property))));
        };
        if checked.arguments.get(known).is_some_and(|earlier| *earlier != value) {
            return Err(ToolError::Argument(format!("{known}: is given twice, with different values")));
        }
        checked.arguments.insert(known.clone(), value);
    }
    drop_zeros(&mut checked.arguments);
    for name in required.iter().filter_map(Value::as_str) {
        if !checked.arguments.contains_key(name) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            return Err(ToolError::Argument(format!("{name}: is missing; must be {}", expected(property))));
        }
    }
    Ok(checked)
}

/// Returns the name of an argument that the tool does not have, if the model should know that it is ignored.
///
/// # Errors
///
/// Returns an error if the tool has a similar argument, or another way to do the same.
fn ignored(tool: &str, properties: &Object, name: &str, value: &Value) -> Result<Option<String>, ToolError> {
    if value.is_null() || is_omitted(value) || names::says_default(tool, name, value) {
        return Ok(None);
    }
    let name_shown = shown(name);
    if let Some(near) = names::near(tool, properties, name) {
        let listed = properties.iter().filter(|(_, property)| property.get(UNLISTED).is_none());
        let mut all: Vec<&str> = listed.map(|(name, _)| name.as_str()).collect();
        all.sort_unstable();
        let message =
            format!("is not an argument of {tool}; did you mean {near}? (it takes {})", all.join(", "));
        return Err(ToolError::Argument(format!("{name_shown}: {message}")));
    }
    tracing::warn!(tool, argument = %name_shown, "ignored an argument that does not exist");
    Ok((!names::is_ignored_silently(tool, name)).then_some(name_shown))
}

/// Returns true if a value such as `0` is a name, because the property accepts any text.
fn is_name(property: &Value, value: &Value) -> bool {
    let takes_any = property["type"] == "string" && property["enum"].is_null();
    takes_any && value.as_str().is_some_and(|text| !text.is_empty())
}

/// Returns true if a model sends this value to omit an optional argument.
fn is_omitted(value: &Value) -> bool {
    match value {
        Value::String(text) if text.is_empty() => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(values) => values.is_empty(),
        value => integer(value) == Some(0),
    }
}

/// Removes zeros that mean the same as an omitted argument. If a model fills in all arguments, both of a pair are 0.
fn drop_zeros(checked: &mut Object) {
    let [[head, tail], [before, after]] = ZEROS;
    let number_of = |checked: &Object, name| checked.get(name).and_then(Value::as_i64);
    for (name, other) in [(head, tail), (tail, head)] {
        // bash: `head` and `tail` share the maximum number of lines.
        if number_of(checked, name) == Some(0) && number_of(checked, other).is_none_or(|other| other <= 0) {
            checked.remove(name);
        }
    }
    // grep: `context=3 after=0` shows only lines before matches.
    if [before, after].iter().all(|name| number_of(checked, name) == Some(0)) {
        checked.remove(before);
        checked.remove(after);
    }
}

/// Formats a given text for an error: without control characters, and with at most `GIVEN_CHARS` characters.
fn shown(given: &str) -> String {
    show::middle_out(&show::name(given.as_bytes()), GIVEN_CHARS).into_owned()
}

/// Converts `value` to the type of the property. Returns `None` if that is not possible, or if the value is out of
/// bounds.
fn coerce(name: &str, property: &Value, value: &Value) -> Option<Value> {
    match property["type"].as_str() {
        Some("integer") => {
            let number = integer(value)?;
            let least = property["minimum"].as_i64().unwrap_or(i64::MIN);
            let most = property["maximum"].as_i64().filter(|_| name != LOWERED).unwrap_or(i64::MAX);
            (least..=most).contains(&number).then(|| number.into())
        }
        Some("boolean") => boolean(value).map(Value::Bool),
        Some("string") if property.get(TAKES_LIST).is_some() => list(value),
        Some("string") => {
            let text = match value {
                // Some agents convert the command `true` to a boolean.
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                value => value.as_str()?,
            };
            let Some(choices) = property["enum"].as_array() else { return Some(text.into()) };
            let mut choices = choices.iter().filter_map(Value::as_str);
            choices.find(|choice| choice.eq_ignore_ascii_case(text)).map(Value::from)
        }
        _ => Some(value.clone()),
    }
}

/// Returns an array of strings. It may be written as text, and one string is an array of one.
fn list(value: &Value) -> Option<Value> {
    match value {
        Value::Array(values) if values.iter().all(Value::is_string) => Some(value.clone()),
        Value::String(text) => {
            let written = serde_json::from_str::<Vec<String>>(text).ok().filter(|values| !values.is_empty());
            Some(written.unwrap_or_else(|| vec![text.clone()]).into())
        }
        _ => None,
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

/// Converts a number without a fraction to an integer. A number that is too large becomes the largest integer.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole; the cast saturates")]
    (number.fract() == 0.0).then_some(number as i64)
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

/// Describes the values that a property accepts.
fn expected(property: &Value) -> String {
    match (property["type"].as_str(), &property["enum"]) {
        (Some("integer"), _) => match (&property["minimum"], &property["maximum"]) {
            (Value::Null, _) => "an integer".to_owned(),
            (least, Value::Null) => format!("an integer of at least {least}"),
            (least, most) => format!("an integer from {least} to {most}"),
        },
        (Some("boolean"), _) => "true or false".to_owned(),
        (_, Value::Array(choices)) => {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            format!("one of {}", choices.join(", "))
        }
        _ if property.get(TAKES_LIST).is_some() => "a string or an array of strings".to_owned(),
        _ => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests;
