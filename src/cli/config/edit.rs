//! Edits a client's file and keeps its comments and the order of its entries.

use std::borrow::Cow;
use std::collections::HashSet;

use anyhow::{Context as _, bail, ensure};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use crate::cli::NAME;
use crate::fit::Format;
use crate::json::{each_child, is_valid};

/// The field with the name of a server, for files with a list of servers.
const NAME_FIELD: &str = "name";
/// A new file for Continue, which rejects a file without the first three fields. JSON is also YAML.
const NEW_YAML: &str = r#"{
  "name": "cutline",
  "version": "1.0.0",
  "schema": "v1",
  "mcpServers": [
    {
      "name": "cutline"
    }
  ]
}
"#;
/// The error for another file for Continue.
const NOT_OWN: &str = "cutline did not write it; change it by hand, or replace it with --replace";
/// Maximum bytes of a line of JSON that is not split.
const LINE_BYTES: usize = 16_000;
/// The levels of the objects of a file that are split: the root, and those around the entries of servers.
const OUTER_LEVELS: usize = 3;

/// A parsed file.
pub(in crate::cli) enum Doc {
    /// JSON with comments. For Continue, the servers are a list.
    Json(CstRootNode),
    /// TOML.
    Toml(Box<DocumentMut>),
}

impl Doc {
    /// Parses a text that has an object or a table at the top level. An empty text becomes a new file.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is invalid, or if an object has a member twice: clients differ in which they use.
    pub(in crate::cli) fn parse(format: Format, text: &str) -> anyhow::Result<Self> {
        let new = match format {
            Format::Toml => return Ok(Self::Toml(text.parse::<DocumentMut>()?.into())),
            Format::Json => "{}\n",
            Format::Yaml => NEW_YAML,
        };
        let text = if text.trim().is_empty() { new.into() } else { without_long_lines(text) };
        let options = ParseOptions {
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            ..ParseOptions::default()
        };
        let root = CstRootNode::parse(&text, &options);
        let root = match format {
            Format::Yaml => root.context(NOT_OWN)?,
            _ => root?,
        };
        root.object_value_or_create().context("its top level is not an object")?;
        root.value().iter().try_for_each(ensure_unique)?;
        let doc = Self::Json(root);
        ensure!(format != Format::Yaml || is_own(&doc.value()), NOT_OWN);
        Ok(doc)
    }

    /// Returns the value of the file.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Json(root) => root.to_serde_value().unwrap_or_default(),
            Self::Toml(file) => toml_edit::de::from_document((**file).clone()).unwrap_or_default(),
        }
    }

    /// Returns the names and values of the servers below `keys`.
    ///
    /// # Errors
    ///
    /// Returns an error if the servers are not a table.
    pub(in crate::cli) fn servers(&self, keys: &[String]) -> anyhow::Result<Vec<(String, Value)>> {
        let top = self.value();
        match keys.iter().try_fold(&top, |value, key| value.get(key)) {
            None => Ok(Vec::new()),
            Some(Value::Object(servers)) => Ok(servers.clone().into_iter().collect()),
            Some(Value::Array(servers)) if is_own(&top) => {
                let named =
                    |server: &Value| Some((server.get(NAME_FIELD)?.as_str()?.to_owned(), server.clone()));
                Ok(servers.iter().filter_map(named).collect())
            }
            Some(_) => bail!("{} in it is not an object", keys.join(".")),
        }
    }

    /// Sets a member of the object at `path`, and creates the objects of the path. Of an object, only the members that
    /// differ change. `Value::Null` removes the member.
    ///
    /// # Errors
    ///
    /// Returns an error if a part of the path is not an object.
    pub(super) fn set(&mut self, path: &[String], name: &str, value: &Value) -> anyhow::Result<()> {
        if let Value::Object(members) = value {
            let path = [path, &[name.to_owned()]].concat();
            return members.iter().try_for_each(|(name, value)| self.set(&path, name, value));
        }
        match self {
            Self::Json(root) => set_json(root, path, name, value),
            Self::Toml(file) => set_toml(file, path, name, value),
        }
    }

    /// Returns the text of the file.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Json(root) => root.to_string(),
            Self::Toml(file) => file.to_string(),
        }
    }
}

/// Returns true for a file for Continue with the entry of cutline, and with nothing else than a new file has.
fn is_own(file: &Value) -> bool {
    let fields = ["name", "version", "schema", "mcpServers"];
    let has_more = file.as_object().is_none_or(|file| file.keys().any(|name| !fields.contains(&&**name)));
    let servers = file.get("mcpServers").and_then(Value::as_array);
    let is_cutline = |server: &Value| server.get(NAME_FIELD) == Some(&NAME.into());
    !has_more && matches!(servers.map(Vec::as_slice), Some([server]) if is_cutline(server))
}

/// Checks that no object of a value has a member twice.
fn ensure_unique(value: &CstNode) -> anyhow::Result<()> {
    let mut names = HashSet::new();
    for child in value.children_exclude_trivia_and_tokens() {
        if let Some(name) = child.as_object_prop().and_then(|member| member.decoded_name()) {
            ensure!(names.insert(name.clone()), "{name} is in it twice");
        }
        ensure_unique(&child)?;
    }
    Ok(())
}

/// Returns JSON with a member of the outer objects on each line if a line of it is very long: `jsonc-parser` would
/// split this line in a time that grows with the square of its length.
fn without_long_lines(text: &str) -> Cow<'_, str> {
    let is_long = text.lines().any(|line| line.len() > LINE_BYTES);
    if is_long && is_valid(text) {
        return (split(text.trim(), OUTER_LEVELS) + "\n").into();
    }
    text.into()
}

/// Writes each member of an object on a line, and those of the objects in it, down to this number of levels.
fn split(json: &str, levels: usize) -> String {
    let mut lines = Vec::new();
    let mut add = |name: &str, value| lines.push(format!("\"{name}\": {}", split(value, levels - 1)));
    if levels == 0 || !json.starts_with('{') || each_child(json, &mut add).is_err() || lines.is_empty() {
        return json.to_owned();
    }
    format!("{{\n{}\n}}", lines.join(",\n"))
}

fn set_json(root: &CstRootNode, path: &[String], name: &str, value: &Value) -> anyhow::Result<()> {
    let mut object = root.object_value_or_create().context("its top level is not an object")?;
    for key in path {
        let next = match object.array_value(key) {
            // cutline's entry in its own file for Continue.
            Some(list) => list.elements().first().and_then(CstNode::as_object),
            None => object.object_value_or_create(key),
        };
        object = next.with_context(|| format!("{key} in it is not an object"))?;
    }
    match (object.get(name), value) {
        (Some(old), Value::Null) => old.remove(),
        (None, Value::Null) => {}
        (None, value) => drop(object.append(name, input(value))),
        (Some(old), value) => {
            let has_lines = old.array_value().is_some_and(|list| list.to_string().contains('\n'));
            old.set_value(input(value));
            if let Some(list) = old.array_value().filter(|_| has_lines) {
                list.ensure_multiline();
            }
        }
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Bool(value) => CstInputValue::Bool(*value),
        number => CstInputValue::Number(number.to_string()),
    }
}

fn set_toml(file: &mut DocumentMut, path: &[String], name: &str, value: &Value) -> anyhow::Result<()> {
    let mut table: &mut dyn TableLike = file.as_table_mut();
    for key in path {
        let mut made = Table::new();
        // A table without values of its own has no header.
        made.set_implicit(true);
        let next = table.entry(key).or_insert(Item::Table(made)).as_table_like_mut();
        table = next.with_context(|| format!("{key} in it is not a table"))?;
    }
    match (table.get_mut(name), value) {
        (_, Value::Null) => drop(table.remove(name)),
        (Some(Item::Value(old)), value) => {
            let decor = old.decor().clone();
            *old = toml(value);
            *old.decor_mut() = decor;
        }
        (_, value) => drop(table.insert(name, Item::Value(toml(value)))),
    }
    Ok(())
}

/// Converts strings, numbers and switches, whose JSON is also TOML, and lists of them.
fn toml(value: &Value) -> toml_edit::Value {
    if let Value::Array(values) = value {
        return toml_edit::Value::Array(values.iter().map(toml).collect());
    }
    let json = value.to_string();
    json.parse().unwrap_or_else(|_| json.into())
}
