//! An entry into a text of YAML, whose servers are a list of mappings with names.
//!
//! The text is changed at the places of the values alone. What comes of it is read again: where that is not
//! what was there with the entry in it, the change is refused.

#![expect(
    clippy::indexing_slicing,
    reason = "places and shapes are those that were read: a wrong one must fail"
)]

use std::ops::Range;

use serde_json::{Value, json};

use super::super::entry::{Change, Entry};
use super::super::tree::{Format, Kind, Member, Node};
use crate::cli::NAME;

/// The lines before the servers in a file that has nothing else: Continue takes no file without them.
const HEADER: &str = "name: Local Config\nversion: 1.0.0\nschema: v1\n";
/// The field by which a server is known.
const NAME_FIELD: &str = "name";

/// Returns `text`, which is `top`, with the entry below `keys` in the place of `old`.
pub(super) fn into_yaml(
    text: &str,
    keys: &[String],
    top: &Node,
    old: Option<&Node>,
    entry: &Entry,
) -> Result<String, String> {
    let [servers] = keys else { return Err("its servers are not where they should be".to_owned()) };
    let fields: Vec<(&str, &Value)> =
        entry.fields.iter().map(|Change { name, value, .. }| (*name, value)).collect();
    let list = top.member(servers);
    let is_new = top.members().is_empty();
    let new = match (list, old) {
        _ if is_new => format!("{}{HEADER}{servers}:\n{}", ended(text), item(&fields, 2)),
        (_, Some(old)) => changed(text, old, &fields),
        (None, None) => {
            if !top.is_block {
                return Err("it is not written line by line".to_owned());
            }
            let end = end_of_line(text, top.place.end);
            let (before, after) = text.split_at(end);
            format!("{}{servers}:\n{}{after}", ended(before), item(&fields, 2))
        }
        (Some(list), None) => added(text, top, servers, list, &fields)?,
    };
    let expected = expected(top.to_value(), servers, &fields);
    match Node::parse(Format::Yaml, &new) {
        Ok(top) if is_new || top.to_value() == expected => Ok(new),
        _ => Err("it could not be changed for sure".to_owned()),
    }
}

/// The text with a new item of the list.
fn added(
    text: &str,
    top: &Node,
    servers: &str,
    list: &Node,
    fields: &[(&str, &Value)],
) -> Result<String, String> {
    let is_null = matches!(list.kind, Kind::Other(Value::Null));
    match list.items() {
        None if !is_null => Err(format!("{servers} in it is not a list")),
        Some(_) if list.is_block => {
            let (before, after) = text.split_at(end_of_line(text, list.place.end));
            Ok(format!("{}{}{after}", ended(before), item(fields, column(text, list.place.start))))
        }
        Some(items) if !items.is_empty() => {
            let end = items.last().map_or(list.place.start, |item| item.place.end);
            let (before, after) = text.split_at(end);
            let name = json!(NAME);
            let all = [(NAME_FIELD, &name)].into_iter().chain(fields.iter().copied());
            let all: Vec<String> = all.map(|(name, value)| format!("{name}: {}", flow(value))).collect();
            Ok(format!("{before}, {{{}}}{after}", all.join(", ")))
        }
        // Nothing yet: the list stands on the lines below its name.
        _ => {
            let key = top.members().iter().find(|member| member.name == servers);
            let key = key.map_or(0..0, |member| member.key.clone());
            let colon = text[key.end..].find(':').ok_or("it can't be read")? + key.end + 1;
            let nothing = if list.place.is_empty() { colon..colon } else { list.place.clone() };
            let rest = &text[nothing.end..end_of_line(text, nothing.end)];
            let below = end_of_line(text, nothing.end);
            let before = format!("{}{}", text[..nothing.start].trim_end_matches(' '), rest.trim_end());
            Ok(format!("{}{}{}", ended(&before), item(fields, 2), &text[below..]))
        }
    }
}

/// The text with these fields in the mapping `old`.
fn changed(text: &str, old: &Node, fields: &[(&str, &Value)]) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let in_blocks = old.is_block;
    let mut added = String::new();
    for (name, value) in fields {
        let Some(member) = old.members().iter().find(|member| member.name == *name) else {
            let separator = if in_blocks {
                format!("\n{}", " ".repeat(column(text, old.place.start)))
            } else {
                ", ".to_owned()
            };
            added.extend([&separator, *name, ": ", &flow(value)]);
            continue;
        };
        edits.push(replacement(text, member, value));
    }
    if !added.is_empty() {
        let last = old.members().last().map_or(old.place.start, |member| member.value.place.end);
        let end = if in_blocks { end_of_line(text, last) } else { last };
        let is_ended = text[..end].ends_with('\n');
        edits.push((end..end, if in_blocks && is_ended { format!("{}\n", &added[1..]) } else { added }));
    }
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = text.to_owned();
    for (place, new) in edits {
        text.replace_range(place, &new);
    }
    text
}

/// The place of a member's value, and what goes there.
fn replacement(text: &str, member: &Member, value: &Value) -> (Range<usize>, String) {
    let place = member.value.place.clone();
    let is_block = member.value.is_block;
    match value.as_array().filter(|values| is_block && !values.is_empty()) {
        Some(values) => {
            let items: Vec<String> = values.iter().map(|value| format!("- {}", flow(value))).collect();
            let separator = format!("\n{}", " ".repeat(column(text, place.start)));
            (place, items.join(&separator))
        }
        None if place.is_empty() || is_block => (member.key.end..place.end, format!(": {}", flow(value))),
        None => (place, flow(value)),
    }
}

/// The lines of an item of a list, whose `-` stands at that column.
fn item(fields: &[(&str, &Value)], column: usize) -> String {
    let space = " ".repeat(column);
    let mut lines = format!("{space}- {NAME_FIELD}: {NAME}\n");
    for (name, value) in fields {
        lines.extend([&space, "  ", *name, ": ", &flow(value), "\n"]);
    }
    lines
}

/// A value on one line: JSON is YAML.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("[{}]", values.iter().map(flow).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

/// The file with the entry in it.
fn expected(mut top: Value, servers: &str, fields: &[(&str, &Value)]) -> Value {
    if !top[servers].is_array() {
        top[servers] = json!([]);
    }
    let all = top[servers].as_array_mut().map(|all| {
        let at = all.iter().position(|server| server[NAME_FIELD] == NAME);
        let at = at.unwrap_or_else(|| {
            all.push(json!({NAME_FIELD: NAME}));
            all.len() - 1
        });
        for (name, value) in fields {
            all[at][*name] = (*value).clone();
        }
    });
    all.map_or(Value::Null, |()| top)
}

/// The end of the line in which the value before `at` ends, after its newline.
fn end_of_line(text: &str, at: usize) -> usize {
    let at = if text[..at].ends_with('\n') { at - 1 } else { at };
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

fn ended(text: &str) -> String {
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{newline}")
}

/// Characters before `at` on its line.
fn column(text: &str, at: usize) -> usize {
    text[..at].chars().rev().take_while(|c| *c != '\n').count()
}
