//! An entry into the text of a client's file: everything else in it stays as it is, comments too.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::entry::{Entry, Start, servers};
use crate::cli::{Client, NAME};

/// JSON with comments, as VS Code and others write it, and nothing looser.
pub(super) const LIKE_VSCODE: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};
/// The field of an entry that is of a server elsewhere.
const REMOTE: &str = "url";
/// A mark that some editors put before a text; it is kept.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// `text` with the entry in it, or why it can't be: what it says could not be read for sure.
pub(super) fn merged(client: Client, text: &str, entry: &Entry) -> Result<String, String> {
    let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mark = &text[..text.len() - plain.len()];
    let merged = match client {
        Client::Codex => into_toml(plain, entry)?,
        _ => into_json(plain, entry)?,
    };
    // That a newline is missing at the end is no reason to write it anew.
    if merged.trim_end() == plain.trim_end() {
        return Ok(text.to_owned());
    }
    let newline = if merged.ends_with('\n') { "" } else { "\n" };
    let merged = format!("{mark}{merged}{newline}");
    Ok(if text.contains("\r\n") { merged.replace("\r\n", "\n").replace('\n', "\r\n") } else { merged })
}

/// Returns the way in which the text has this server started, if it does.
pub(in crate::cli) fn start_in(client: Client, text: &str) -> Result<Option<Start>, String> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let servers = servers(client);
    if client == Client::Codex {
        let file: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
        let entry = file.get(servers).and_then(|all| all.get(NAME)).map(plain);
        return entry.map_or(Ok(None), |entry| Start::of(&entry));
    }
    let file = CstRootNode::parse(text, &LIKE_VSCODE).map_err(|error| error.to_string())?.to_serde_value();
    let entry = file.as_ref().and_then(|file| file.get(servers)?.get(NAME));
    entry.map_or(Ok(None), Start::of)
}

/// Strings, lists of them and tables, as JSON has them; an entry has nothing else that is looked at.
fn plain(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(name, item)| (name, plain(item))).collect();
    }
    match item.as_array() {
        Some(list) => list.iter().map(toml_edit::Value::as_str).collect(),
        None => item.as_str().into(),
    }
}

fn into_json(text: &str, entry: &Entry) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &LIKE_VSCODE).map_err(|error| error.to_string())?;
    let top = root.object_value().ok_or("what it holds is not an object")?;
    let server = object_in(&object_in(&top, entry.servers)?, NAME)?;
    if one(&server, REMOTE)?.is_some() {
        return Err(elsewhere());
    }
    for (name, value) in &entry.fields {
        match one(&server, name)? {
            Some(_) if says_nothing(value) => {}
            Some(field) if field.value().and_then(|old| old.to_serde_value()).as_ref() == Some(value) => {}
            Some(field) => field.set_value(input(value)),
            None => {
                server.append(name, input(value));
            }
        }
    }
    Ok(root.to_string())
}

/// The object under that name, made where there is none.
fn object_in(object: &CstObject, name: &str) -> Result<CstObject, String> {
    match one(object, name)? {
        Some(field) => field.object_value().ok_or_else(|| format!("{name} in it is not an object")),
        None => object.append(name, json!({})).object_value().ok_or_else(|| format!("no room for {name}")),
    }
}

/// The one field of that name: of two, programs take different ones.
fn one(object: &CstObject, name: &str) -> Result<Option<jsonc_parser::cst::CstObjectProp>, String> {
    let mut found =
        object.properties().into_iter().filter(|field| field.decoded_name().as_deref() == Some(name));
    let first = found.next();
    match found.next() {
        Some(_) => Err(format!("{name} stands in it twice")),
        None => Ok(first),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        _ => CstInputValue::Null,
    }
}

fn into_toml(text: &str, entry: &Entry) -> Result<String, String> {
    let mut file: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let servers = table_in(file.as_table_mut(), entry.servers, true)?;
    let server = table_in(servers, NAME, false)?;
    if server.contains_key(REMOTE) {
        return Err(elsewhere());
    }
    for (name, value) in &entry.fields {
        let new = toml(value);
        match server.get_mut(name).and_then(Item::as_value_mut) {
            Some(_) if says_nothing(value) => {}
            Some(old) if is_same(old, value) => {}
            Some(old) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            None => {
                server.insert(name, Item::Value(new));
            }
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

/// Why an entry is not made one of this server.
fn elsewhere() -> String {
    format!("its entry {NAME} is of a server elsewhere ({REMOTE})")
}

/// Returns true if a value leaves the entry as it is: no flags were given.
fn says_nothing(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

/// Returns true if a value of TOML, however it is written, is that string or that list of strings.
fn is_same(toml: &toml_edit::Value, value: &Value) -> bool {
    match (toml.as_array(), value.as_array()) {
        (Some(old), Some(new)) => old.iter().map(|one| one.as_str()).eq(new.iter().map(Value::as_str)),
        _ => toml.as_str().is_some() && toml.as_str() == value.as_str(),
    }
}

fn toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(values) => toml_edit::Value::Array(values.iter().map(toml).collect()),
        other => other.as_str().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests;
