//! An entry into the text of a client's file: everything else in it stays as it is, comments too.

mod yaml;

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::json;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::clients::Row;
use super::entry::{Change, Entry};
use super::tree::{Format, LIKE_VSCODE, Node, marked};
use super::wrapped::entry_of;
use crate::cli::NAME;

/// Returns `text` with this server's entry, which starts `binary` with `flags`, below `keys`; or why it can't be:
/// what the text says could not be read for sure.
pub(super) fn merged(
    row: &Row,
    keys: &[String],
    text: &str,
    binary: &str,
    flags: &[String],
) -> Result<String, String> {
    let (mark, plain) = marked(text);
    let top = Node::parse(row.format, plain)?;
    let old = entry_of(&top, keys, NAME)?;
    let entry = Entry::new(row, binary, flags, &top, old)?;
    let merged = match row.format {
        Format::Toml => into_toml(plain, keys, &entry)?,
        Format::Json => into_json(plain, keys, &entry)?,
        Format::Yaml => yaml::into_yaml(plain, keys, &top, old, &entry)?,
    };
    // That a newline is missing at the end is no reason to write it anew.
    if merged.trim_end() == plain.trim_end() {
        return Ok(text.to_owned());
    }
    let newline = if merged.ends_with('\n') { "" } else { "\n" };
    let merged = format!("{mark}{merged}{newline}");
    Ok(if text.contains("\r\n") { merged.replace("\r\n", "\n").replace('\n', "\r\n") } else { merged })
}

fn into_json(text: &str, keys: &[String], entry: &Entry) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &LIKE_VSCODE).map_err(|error| error.to_string())?;
    let mut server = root.object_value().ok_or("what it holds is not an object")?;
    for (name, value) in &entry.settings {
        server.append(name, input(value));
    }
    for key in keys.iter().map(String::as_str).chain([NAME]) {
        server = object_in(&server, key)?;
    }
    let program = entry.within.map_or(Ok(server.clone()), |name| object_in(&server, name))?;
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

/// The object under that name, made where there is none.
fn object_in(object: &CstObject, name: &str) -> Result<CstObject, String> {
    let field = object.get(name).unwrap_or_else(|| object.append(name, json!({})));
    field.object_value().ok_or_else(|| format!("{name} in it is not an object"))
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

fn into_toml(text: &str, keys: &[String], entry: &Entry) -> Result<String, String> {
    let mut file: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    for (name, value) in &entry.settings {
        file.insert(name, Item::Value(toml(value)));
    }
    let mut server: &mut dyn TableLike = file.as_table_mut();
    for key in keys {
        server = table_in(server, key, true)?;
    }
    server = table_in(server, NAME, false)?;
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

/// The table under that name, made where there is none; `implicit` without a header of its own.
fn table_in<'a>(
    table: &'a mut dyn TableLike,
    name: &str,
    implicit: bool,
) -> Result<&'a mut dyn TableLike, String> {
    let made = || {
        let mut table = Table::new();
        table.set_implicit(implicit);
        Item::Table(table)
    };
    let item = table.entry(name).or_insert_with(made);
    item.as_table_like_mut().ok_or_else(|| format!("{name} in it is not a table"))
}

fn toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(values) => toml_edit::Value::Array(values.iter().map(toml).collect()),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        other => other.as_str().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests;
