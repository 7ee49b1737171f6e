//! The places of the entries in the text of a client's file.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};
use toml_edit::{Document, Item, TableLike};

use super::{Found, Lookup, Word};
use crate::cli::Client;
use crate::cli::config::entry::servers;
use crate::cli::config::merge::{BYTE_ORDER_MARK, LIKE_VSCODE};

/// The field of an entry that names a server elsewhere.
const REMOTE: &str = "url";

/// Looks for the entry `name`.
pub(super) fn find(client: Client, text: &str, name: &str) -> Result<Lookup, String> {
    let found = all(client, text)?;
    let names = found.iter().map(|(name, _)| name.clone()).collect();
    let entry = found.into_iter().find(|(other, _)| other == name);
    entry.map_or(Ok(Lookup::Missing(names)), |(_, entry)| entry)
}

/// Returns the names of the entries that start a program, each with the command that is wrapped, if any.
pub(in crate::cli) fn entries(client: Client, text: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let started = all(client, text)?.into_iter().filter_map(|(name, entry)| match entry {
        Ok(Lookup::Entry(found)) => Some((name, found.wrapped_words().map(|words| words.join(" ")))),
        _ => None,
    });
    Ok(started.collect())
}

type Entries = Vec<(String, Result<Lookup, String>)>;

fn all(client: Client, text: &str) -> Result<Entries, String> {
    let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let shift = text.len() - plain.len();
    match client {
        Client::Codex => all_of_toml(plain, servers(client), shift),
        _ => all_of_json(plain, servers(client), shift),
    }
}

fn shifted(place: Range<usize>, by: usize) -> Range<usize> {
    place.start + by..place.end + by
}

fn all_of_json(text: &str, servers: &str, shift: usize) -> Result<Entries, String> {
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &LIKE_VSCODE).map_err(|error| error.to_string())?;
    let Some(Value::Object(top)) = &parsed.value else { return Ok(Vec::new()) };
    let Some(Value::Object(all)) = member(top, servers)? else { return Ok(Vec::new()) };
    let entry = |property: &jsonc_parser::ast::ObjectProp<'_>| {
        let entry = match &property.value {
            Value::Object(entry) => of_json(entry, shift),
            _ => Err("it is no object".to_owned()),
        };
        (property.name.as_str().to_owned(), entry)
    };
    Ok(all.properties.iter().map(entry).collect())
}

/// The one member of that name: of two, programs take different ones.
fn member<'a, 'b>(object: &'a Object<'b>, name: &str) -> Result<Option<&'a Value<'b>>, String> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("{name} stands in it twice")),
        (first, None) => Ok(first.map(|property| &property.value)),
    }
}

fn of_json(entry: &Object<'_>, shift: usize) -> Result<Lookup, String> {
    let word = |value: &Value<'_>| match value {
        Value::StringLit(text) => {
            let place = shifted(text.range.start..text.range.end, shift);
            Ok(Word { place, value: text.value.to_string() })
        }
        _ => Err("args or command in it is no string".to_owned()),
    };
    let Some(command) = member(entry, "command")? else {
        return match member(entry, REMOTE)? {
            Some(Value::StringLit(url)) => Ok(Lookup::Remote(url.value.to_string())),
            _ => Err("it starts no program".to_owned()),
        };
    };
    let args = match member(entry, "args")? {
        None => None,
        Some(Value::Array(args)) => {
            let words = args.elements.iter().map(word).collect::<Result<_, _>>()?;
            Some((shifted(args.range.start..args.range.end, shift), words))
        }
        Some(_) => return Err("args in it is no list".to_owned()),
    };
    let range = entry.range();
    let whole = shifted(range.start..range.end, shift);
    Ok(Lookup::Entry(Found { command: word(command)?, args, before_args: ", \"args\": ", whole }))
}

fn all_of_toml(text: &str, servers: &str, shift: usize) -> Result<Entries, String> {
    let file = Document::parse(text).map_err(|error| error.to_string())?;
    let Some(all) = file.get(servers).and_then(Item::as_table_like) else { return Ok(Vec::new()) };
    let entry = |(name, item): (&str, &Item)| {
        let entry = item.as_table_like().ok_or_else(|| "it is no table".to_owned());
        (name.to_owned(), entry.and_then(|entry| of_toml(item, entry, shift)))
    };
    Ok(all.iter().map(entry).collect())
}

fn of_toml(item: &Item, entry: &dyn TableLike, shift: usize) -> Result<Lookup, String> {
    let no_place = || "its place can't be told".to_owned();
    let word = |value: &toml_edit::Value| {
        let text = value.as_str().ok_or("args or command in it is no string")?;
        let place = shifted(value.span().ok_or_else(no_place)?, shift);
        Ok::<_, String>(Word { place, value: text.to_owned() })
    };
    let Some(command) = entry.get("command").and_then(Item::as_value) else {
        return match entry.get(REMOTE).and_then(Item::as_str) {
            Some(url) => Ok(Lookup::Remote(url.to_owned())),
            None => Err("it starts no program".to_owned()),
        };
    };
    let args = match entry.get("args") {
        None => None,
        Some(args) => {
            let list = args.as_array().ok_or("args in it is no list")?;
            let words = list.iter().map(word).collect::<Result<_, _>>()?;
            Some((shifted(list.span().ok_or_else(no_place)?, shift), words))
        }
    };
    let before_args = if item.is_inline_table() { ", args = " } else { "\nargs = " };
    let whole = shifted(item.span().unwrap_or_default(), shift);
    Ok(Lookup::Entry(Found { command: word(command)?, args, before_args, whole }))
}
