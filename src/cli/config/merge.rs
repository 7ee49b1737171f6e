//! Merges an entry into the text of a client's file. Everything else, including comments, stays unchanged.

use std::ptr;
use std::str::FromStr as _;

use anyhow::{Context as _, bail, ensure};
use jsonc_parser::cst::{CstInputValue, CstObjectProp, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};
use yaml_edit::{Mapping, ScalarValue, Sequence, YamlFile};

use super::entry::{Change, Entry};
use super::server::{NAME_FIELD, TRANSPORT, entry_of, starter, switched_off};
use super::tree::{Format, Kind, LIKE_VSCODE, Node};
use super::{Place, Program};
use crate::cli::NAME;

/// The first lines of a new file for Continue, which rejects files without them.
const HEADER: &str = "name: Local Config\nversion: 1.0.0\nschema: v1\n";

/// Merges an entry that starts `program` into the text of a location's file. Also returns the setting that switches the
/// entry off, if there is one.
///
/// # Errors
///
/// Returns an error if the text cannot be parsed or changed safely.
pub(super) fn merged(
    place: &Place,
    text: &str,
    program: &Program,
) -> anyhow::Result<(String, Option<&'static str>)> {
    let Place { client, keys, .. } = place;
    let format = client.row().format;
    let top = Node::parse(format, text)?;
    let old = entry_of(&top, keys, NAME)?;
    old.map_or(Ok(()), |old| old.is_alone(format, text))?;
    let entry = Entry::new(*client, program, &top, old)?;
    // The changes do not affect that setting.
    let switched_off = old.and_then(switched_off);
    let merged = match format {
        Format::Toml => into_toml(text, keys, &entry)?,
        Format::Json => into_json(text, keys, &entry)?,
        Format::Yaml if top.members().is_empty() => into_yaml(&format!("{text}{HEADER}"), keys, &entry)?,
        Format::Yaml => into_yaml(text, keys, &entry)?,
    };
    // Do not write the file only to add a final newline.
    if merged.trim_end() == text.trim_end() {
        return Ok((text.to_owned(), switched_off));
    }
    // In YAML, a final newline may belong to the last value.
    let newline = if merged.ends_with('\n') || format == Format::Yaml { "" } else { "\n" };
    let merged = with_line_ends_of(text, merged + newline);
    let now = Node::parse(format, &merged)?;
    let changes = Entry::new(*client, program, &now, entry_of(&now, keys, NAME)?)?.fields;
    let is_sure = changes.is_empty() && is_kept(&top, &now, old, &entry.fields);
    ensure!(is_sure, "it could not be changed safely");
    Ok((merged, switched_off))
}

/// Returns `merged` with the line endings of `text`: `\r\n` if all of its lines have them.
fn with_line_ends_of(text: &str, merged: String) -> String {
    let lines = text.matches('\n').count();
    let is_crlf = lines > 0 && lines == text.matches("\r\n").count();
    if is_crlf { merged.replace("\r\n", "\n").replace('\n', "\r\n") } else { merged }
}

/// Returns true if `new` is equal to `old` except for these changes of the entry `own`.
fn is_kept(old: &Node, new: &Node, own: Option<&Node>, changes: &[Change]) -> bool {
    let is_own = own.is_some_and(|own| ptr::eq(old, own) || ptr::eq(old, starter(own)));
    let is_changed = |name: &str| is_own && changes.iter().any(|change| change.name == name);
    match (&old.kind, &new.kind) {
        (Kind::Table(members), Kind::Table(_)) => members.iter().all(|(name, old)| {
            is_changed(name) || new.member(name).is_some_and(|new| is_kept(old, new, own, changes))
        }),
        (Kind::List(items), Kind::List(new)) => {
            items.len() <= new.len()
                && items.iter().zip(new).all(|(old, new)| is_kept(old, new, own, changes))
        }
        (Kind::Other(Value::Null), _) => true,
        _ => old.to_value() == new.to_value(),
    }
}

fn into_json(text: &str, keys: &[String], entry: &Entry) -> anyhow::Result<String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &LIKE_VSCODE)?;
    let mut server = root.object_value().context("its top level is not an object")?;
    for key in keys.iter().map(String::as_str).chain([NAME]) {
        let table = server.object_value_or_create(key);
        server = table.with_context(|| format!("{key} in it is not an object"))?;
    }
    let program = server.object_value(TRANSPORT).unwrap_or_else(|| server.clone());
    for Change { name, value, added, is_of_program } in &entry.fields {
        let object = if *is_of_program { &program } else { &server };
        let field = object.get(name);
        match (added, field.as_ref().and_then(CstObjectProp::array_value), field) {
            (Some(added), Some(list), _) => added.iter().for_each(|value| drop(list.append(input(value)))),
            (.., Some(field)) => field.set_value(input(value)),
            (.., None) => drop(object.append(name, input(value))),
        }
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        _ => CstInputValue::Null,
    }
}

fn into_toml(text: &str, keys: &[String], entry: &Entry) -> anyhow::Result<String> {
    let mut file: DocumentMut = text.parse()?;
    if let Some((name, value)) = &entry.setting {
        file.insert(name, Item::Value(toml(value)));
    }
    let mut server: &mut dyn TableLike = file.as_table_mut();
    for key in keys.iter().map(String::as_str).chain([NAME]) {
        let mut made = Table::new();
        // Only the entry has a header.
        made.set_implicit(key != NAME);
        let table = server.entry(key).or_insert(Item::Table(made)).as_table_like_mut();
        server = table.with_context(|| format!("{key} in it is not a table"))?;
    }
    for Change { name, value, added, .. } in &entry.fields {
        match (added, server.get_mut(name).and_then(Item::as_value_mut)) {
            (Some(added), Some(toml_edit::Value::Array(list))) => list.extend(added.iter().map(toml)),
            (_, Some(old)) => {
                let decor = old.decor().clone();
                *old = toml(value);
                *old.decor_mut() = decor;
            }
            (_, None) => drop(server.insert(name, Item::Value(toml(value)))),
        }
    }
    Ok(file.to_string())
}

fn toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(values) => toml_edit::Value::Array(values.iter().map(toml).collect()),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        other => other.as_str().unwrap_or_default().into(),
    }
}

fn into_yaml(text: &str, keys: &[String], entry: &Entry) -> anyhow::Result<String> {
    let [servers] = keys else { bail!("its list of servers was not found") };
    let file = YamlFile::from_str(text)?;
    let top = file.document().and_then(|document| document.as_mapping()).context("it can't be parsed")?;
    if top.get(servers).is_none_or(|list| list.as_scalar().is_some_and(yaml_edit::Scalar::is_null)) {
        top.set(servers, Sequence::new_pending_block());
    }
    let list = top.get_sequence(servers).with_context(|| format!("{servers} in it is not a list"))?;
    let is_own = |server: &Mapping| server.get(NAME_FIELD).is_some_and(|name| name.yaml_eq(&NAME));
    let find = || list.values().filter_map(|server| server.as_mapping().cloned()).find(is_own);
    if find().is_none() {
        let server = Mapping::new();
        server.set(NAME_FIELD, NAME);
        list.push(server);
    }
    let server = find().context("it could not be changed safely")?;
    for Change { name, value, added, .. } in &entry.fields {
        match (added, server.get_sequence(name)) {
            (Some(added), Some(list)) => added.iter().for_each(|value| list.push(yaml(value))),
            _ => set_yaml(&server, name, value),
        }
    }
    Ok(file.to_string())
}

/// Sets a field, with double quotes as in JSON.
fn set_yaml(server: &Mapping, name: &str, value: &Value) {
    let Value::Array(values) = value else { return server.set(name, yaml(value)) };
    let list = Sequence::new_flow();
    for value in values {
        list.push(yaml(value));
    }
    server.set(name, list);
}

fn yaml(value: &Value) -> ScalarValue {
    value.as_str().map_or_else(|| ScalarValue::parse(value.to_string()), ScalarValue::double_quoted)
}

#[cfg(test)]
mod tests;
