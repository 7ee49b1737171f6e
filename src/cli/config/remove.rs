//! Removes this server's entry from the text of a client's file. Everything else stays byte for byte.
//!
//! An entry on separate lines is removed with these lines and their comments. An entry in brackets is removed with one
//! comma and the white space around it.

#![expect(clippy::indexing_slicing, reason = "ranges come from the parsed text; an error here must panic")]

use std::ops::Range;

use anyhow::{Context as _, ensure};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ast, parse_to_ast};
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::Place;
use super::server::{NAME_FIELD, entry_of};
use super::tree::{Format, LIKE_VSCODE, Node};
use super::wrapped::replaced;
use crate::cli::NAME;

/// A file's text without the entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Removed {
    /// The text of the file.
    pub(super) rest: String,
    /// The text of the entry.
    pub(super) entry: String,
}

/// Replacements of parts of a text.
type Edits = Vec<(Range<usize>, String)>;

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
    let (entry, edits) = match format {
        Format::Json => in_json(text, keys),
        Format::Toml => in_toml(text, keys),
        Format::Yaml => in_yaml(text, &top, keys),
    }
    .context(unsure)?;
    let rest = replaced(text, edits);
    let now = Node::parse(format, &rest).context(unsure)?;
    ensure!(without_entry(now.to_value(), keys) == without_entry(top.to_value(), keys), unsure);
    Ok(Some(Removed { rest, entry }))
}

/// Returns the value of a file without the entry. In TOML, also removes the table of servers if the entry was the last
/// one.
fn without_entry(mut top: Value, keys: &[String]) -> Value {
    let Some((last, above)) = keys.split_last() else { return top };
    let above = above.iter().try_fold(&mut top, |value, key| value.get_mut(key));
    if let Some(Value::Object(table)) = above {
        match table.get_mut(last) {
            Some(Value::Object(servers)) => {
                servers.remove(NAME);
                if servers.is_empty() {
                    table.remove(last);
                }
            }
            Some(Value::Array(servers)) => servers.retain(|server| server[NAME_FIELD] != NAME),
            _ => {}
        }
    }
    top
}

fn in_json(text: &str, keys: &[String]) -> Option<(String, Edits)> {
    let top = parse_to_ast(text, &CollectOptions::default(), &LIKE_VSCODE).ok()?.value?;
    let mut servers = top.as_object()?;
    for key in keys {
        servers = servers.properties.iter().find(|one| one.name.as_str() == key)?.value.as_object()?;
    }
    let place = |one: &ast::ObjectProp<'_>| one.start()..one.end();
    let places: Vec<_> = servers.properties.iter().map(place).collect();
    let own = servers.properties.iter().position(|one| one.name.as_str() == NAME)?;
    Some(of_brackets(text, servers.start()..servers.end(), &places, own, after_json_space))
}

fn in_toml(text: &str, keys: &[String]) -> Option<(String, Edits)> {
    let file = Document::parse(text).ok()?;
    let servers = keys.iter().try_fold(file.as_item(), |item, key| item.get(key))?;
    let entry = servers.get(NAME)?;
    if let Some(servers) = servers.as_inline_table() {
        let place = |name: &str| {
            let (key, value) = servers.get_key_value(name)?;
            Some(key.span()?.start..value.span()?.end)
        };
        let places = servers.iter().map(|(name, _)| place(name)).collect::<Option<Vec<_>>>()?;
        let own = servers.iter().position(|(name, _)| name == NAME)?;
        return Some(of_brackets(text, servers.span()?, &places, own, after_space));
    }
    let mut places = Vec::new();
    if entry.is_value() {
        let (key, _) = servers.as_table_like()?.get_key_value(NAME)?;
        places.push(key.span()?.start..entry.span()?.end);
    } else {
        places_in_toml(entry, &mut places)?;
    }
    places.sort_by_key(|place| place.start);
    let mut lines: Vec<Range<usize>> = Vec::new();
    for place in places.into_iter().map(|place| lines_of(text, place)) {
        match lines.last_mut() {
            // Only comments are between the two.
            Some(last) if after_space(text, last.end) >= place.start => last.end = last.end.max(place.end),
            _ => lines.push(place),
        }
    }
    let entry = lines.iter().map(|lines| &text[lines.clone()]).collect();
    let edits = lines.into_iter().map(|lines| (with_blank_line(text, lines), String::new()));
    Some((entry, edits.collect()))
}

/// Collects the ranges of a table's header and values, recursively.
fn places_in_toml(item: &Item, places: &mut Vec<Range<usize>>) -> Option<()> {
    if let Some(table) = item.as_table().filter(|table| !table.is_implicit() && !table.is_dotted()) {
        places.push(table.span()?);
    }
    let table: &dyn TableLike = item.as_table_like()?;
    for (name, value) in table.iter() {
        if value.is_value() {
            places.push(table.get_key_value(name)?.0.span()?.start..value.span()?.end);
        } else {
            places_in_toml(value, places)?;
        }
    }
    Some(())
}

fn in_yaml(text: &str, top: &Node, keys: &[String]) -> Option<(String, Edits)> {
    let servers = keys.iter().try_fold(top, |node, key| node.member(key))?;
    let places: Vec<_> = servers.items().iter().map(|item| item.place.clone()).collect();
    let is_own = |item: &Node| item.member(NAME_FIELD).and_then(Node::text) == Some(NAME);
    let own = servers.items().iter().position(is_own)?;
    if !servers.is_block {
        return Some(of_brackets(text, servers.place.clone(), &places, own, after_space));
    }
    let dash = text[..places[own].start].trim_end().strip_suffix('-')?.len();
    let lines = lines_of(text, dash..places[own].end);
    let entry = text[lines.clone()].to_owned();
    let mut edits = vec![(lines, String::new())];
    if let ([_], Some(key)) = (places.as_slice(), keys.last()) {
        // A key without a value would become null.
        let key = format!("{key}:");
        let start = text[..servers.place.start].rfind(&key)?;
        edits.push((start + key.len()..start + key.len(), " []".to_owned()));
    }
    Some((entry, edits))
}

/// Returns the text of item `own` in the brackets at `all`, and the edits that remove it. `after_space` returns the end
/// of white space and comments.
fn of_brackets(
    text: &str,
    all: Range<usize>,
    items: &[Range<usize>],
    own: usize,
    after_space: fn(&str, usize) -> usize,
) -> (String, Edits) {
    let item = items[own].clone();
    let entry = text[item.clone()].to_owned();
    let inside = all.start + 1..all.end - 1;
    let is_comma = |at: usize| text[at..].starts_with(',');
    let after = after_space(text, item.end);
    let end = if is_comma(after) { after + 1 } else { item.end };
    let [before_item, after_item] =
        [inside.start..item.start, end..inside.end].map(|place| text[place].trim());
    if after <= inside.end
        && before_item.is_empty()
        && after_item.is_empty()
        && text[item.end..after].trim().is_empty()
    {
        return (entry, vec![(inside, String::new())]);
    }
    let mut cuts = Vec::new();
    let mut cut = item.clone();
    if is_comma(after) {
        if text[item.end..after].trim().is_empty() {
            cut.end = after + 1;
        } else {
            cuts.push(after..after + 1);
        }
    } else if let Some(previous) = own.checked_sub(1) {
        let comma = after_space(text, items[previous].end);
        cuts.extend(is_comma(comma).then(|| comma..comma + 1));
    }
    let has_comma = cut.end > item.end;
    let lines = lines_of(text, cut.clone());
    let is_alone =
        text[lines.start..cut.start].trim().is_empty() && text[cut.end..lines.end].trim().is_empty();
    cuts.push(if is_alone && lines.start >= inside.start && lines.end <= inside.end {
        lines
    } else if has_comma {
        let rest = &text[cut.end..];
        cut.start..cut.end + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
    } else {
        text[..cut.start].trim_end_matches([' ', '\t']).len()..cut.end
    });
    (entry, cuts.into_iter().map(|cut| (cut, String::new())).collect())
}

/// Extends a range to complete lines.
fn lines_of(text: &str, place: Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[place.end..].find('\n').map_or(text.len(), |newline| place.end + newline + 1);
    start..end
}

/// Extends `lines` by the blank line before them, if the text ends after them or a blank line follows.
fn with_blank_line(text: &str, lines: Range<usize>) -> Range<usize> {
    let (before, after) = (&text[..lines.start], &text[lines.end..]);
    let blank = ["\r\n", "\n"].into_iter().find(|end| before.ends_with(&format!("\n{end}")));
    let is_last = after.is_empty() || after.starts_with(['\n', '\r']);
    lines.start - blank.filter(|_| is_last).map_or(0, str::len)..lines.end
}

/// Returns the end of the white space and the comments of JSON at `at`.
fn after_json_space(text: &str, at: usize) -> usize {
    let rest = text[at..].trim_start();
    let comment = if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        rest.find("*/").map_or(rest.len(), |end| end + 2)
    } else {
        return text.len() - rest.len();
    };
    after_json_space(text, text.len() - rest.len() + comment)
}

/// Returns the end of the white space and the comments of TOML and YAML at `at`.
fn after_space(text: &str, at: usize) -> usize {
    let mut rest = text[at..].trim_start();
    while rest.starts_with('#') {
        rest = rest[rest.find('\n').unwrap_or(rest.len())..].trim_start();
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests;
