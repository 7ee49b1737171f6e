//! Removes this server's entry from the text of a client's file. The libraries keep the rest, including comments.

use std::str::FromStr as _;

use anyhow::{Context as _, ensure};
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};
use yaml_edit::YamlFile;

use super::Place;
use super::merge::with_line_ends_of;
use super::server::{NAME_FIELD, entry_of};
use super::tree::{Format, LIKE_VSCODE, Node};
use crate::cli::NAME;

/// A file's text without the entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Removed {
    /// The text of the file.
    pub(super) rest: String,
    /// The text of the entry.
    pub(super) entry: String,
}

/// Removes the entry from the text of a location's file. Returns `None` if there is no entry.
///
/// # Errors
///
/// Returns an error if the text cannot be parsed, or if the removal would change the meaning of the rest.
pub(super) fn removed(place: &Place, text: &str) -> anyhow::Result<Option<Removed>> {
    let Place { client, keys, .. } = place;
    let format = client.row().format;
    let top = Node::parse(format, text)?;
    let Some(entry) = entry_of(&top, keys, NAME)? else { return Ok(None) };
    entry.is_alone(format, text)?;
    let unsure = "it could not be changed safely";
    let rest = match format {
        Format::Json => from_json(text, keys),
        Format::Toml => from_toml(text, keys),
        Format::Yaml => from_yaml(text, keys),
    };
    let rest = with_line_ends_of(text, rest.context(unsure)?);
    let now = Node::parse(format, &rest).context(unsure)?;
    ensure!(without_entry(now.to_value(), keys) == without_entry(top.to_value(), keys), unsure);
    let entry = text.get(entry.place.clone()).unwrap_or_default().to_owned();
    Ok(Some(Removed { rest, entry }))
}

/// Returns the value of a file without the entry, and without a list of servers that is then empty.
fn without_entry(mut top: Value, keys: &[String]) -> Value {
    let Some((last, above)) = keys.split_last() else { return top };
    let above = above.iter().try_fold(&mut top, |value, key| value.get_mut(key));
    let Some(table) = above.and_then(Value::as_object_mut) else { return top };
    let is_empty = match table.get_mut(last) {
        Some(Value::Object(servers)) => {
            servers.remove(NAME);
            servers.is_empty()
        }
        Some(Value::Array(servers)) => {
            servers.retain(|server| server[NAME_FIELD] != NAME);
            servers.is_empty()
        }
        _ => false,
    };
    if is_empty {
        table.remove(last);
    }
    top
}

fn from_json(text: &str, keys: &[String]) -> Option<String> {
    let root = CstRootNode::parse(text, &LIKE_VSCODE).ok()?;
    let servers = keys.iter().try_fold(root.object_value()?, |table, key| table.object_value(key))?;
    servers.get(NAME)?.remove();
    Some(root.to_string())
}

fn from_toml(text: &str, keys: &[String]) -> Option<String> {
    let mut file: DocumentMut = text.parse().ok()?;
    let mut servers: &mut dyn TableLike = file.as_table_mut();
    for key in keys {
        servers = servers.get_mut(key).and_then(Item::as_table_like_mut)?;
    }
    servers.remove(NAME)?;
    Some(file.to_string())
}

fn from_yaml(text: &str, keys: &[String]) -> Option<String> {
    let file = YamlFile::from_str(text).ok()?;
    let list = file.document()?.as_mapping()?.get_sequence(keys.first()?.as_str())?;
    let is_own = |server: &yaml_edit::Mapping| server.get(NAME_FIELD).is_some_and(|name| name.yaml_eq(&NAME));
    let own = list.values().position(|server| server.as_mapping().is_some_and(is_own))?;
    list.remove(own);
    Some(file.to_string())
}

#[cfg(test)]
mod tests;
