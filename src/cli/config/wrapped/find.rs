//! The entries of a client's file, with the places of their commands.

use super::{Found, Lookup};
use crate::cli::config::clients::Row;
use crate::cli::config::entry::{Command, Start, remote, starter};
use crate::cli::config::tree::{Format, Node};

/// The field by which servers are known where they are a list.
const NAME_FIELD: &str = "name";

/// Returns the servers of a file, which are below `keys`, by their names.
fn servers<'a>(top: &'a Node, keys: &[String]) -> Vec<(&'a str, &'a Node)> {
    let Some(all) = top.below(keys) else { return Vec::new() };
    let listed =
        all.items().into_iter().flatten().filter_map(|item| Some((item.member(NAME_FIELD)?.text()?, item)));
    let named = all.members().iter().map(|member| (member.name.as_str(), &member.value));
    named.chain(listed).collect()
}

/// Returns the one entry of that name.
pub(in crate::cli::config) fn entry_of<'a>(
    top: &'a Node,
    keys: &[String],
    name: &str,
) -> Result<Option<&'a Node>, String> {
    let mut found = servers(top, keys).into_iter().filter(|(other, _)| *other == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("{name} stands in it twice")),
        (Some((_, entry)), None) if entry.items().is_some() || entry.text().is_some() => {
            Err(format!("{name} in it is not an object"))
        }
        (first, None) => Ok(first.map(|(_, entry)| entry)),
    }
}

impl Lookup {
    /// Looks for the entry `name` below `keys`; an error where the text can't be understood.
    pub(in crate::cli::config) fn of(
        row: &Row,
        keys: &[String],
        text: &str,
        name: &str,
    ) -> Result<Self, String> {
        let top = Node::parse(row.format, text)?;
        let names = || servers(&top, keys).into_iter().map(|(name, _)| name.to_owned());
        entry_of(&top, keys, name)?
            .map_or_else(|| Ok(Self::Missing(names().collect())), |entry| of(row, text, entry))
    }
}

/// An entry's name, and how it starts its program.
pub(in crate::cli) type NamedStart = (String, Result<Start, String>);

/// Returns each entry that starts a program, by its name.
pub(in crate::cli) fn entries(row: &Row, keys: &[String], text: &str) -> Result<Vec<NamedStart>, String> {
    let top = Node::parse(row.format, text)?;
    let started = servers(&top, keys)
        .into_iter()
        .filter_map(|(name, entry)| Some((name.to_owned(), Start::of(row, entry).transpose()?)));
    Ok(started.collect())
}

fn of(row: &Row, text: &str, entry: &Node) -> Result<Lookup, String> {
    let Some(command) = Command::of(row, entry)? else {
        let url = remote(entry).ok_or("it starts no program")?;
        return Ok(Lookup::Remote(url.to_owned(), entry.place.clone()));
    };
    if command.words().any(|word| word.place.is_empty()) {
        return Err("args or command in it is no string".to_owned());
    }
    let (program, list) = (command.program.cloned(), command.list.cloned());
    let before_args = before_args(row, text, entry);
    Ok(Lookup::Entry(Found { program, list, before_args, whole: entry.place.clone() }))
}

/// The text between a command and arguments that are added.
fn before_args(row: &Row, text: &str, entry: &Node) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let in_brackets = text[entry.place.clone()].starts_with('{');
    match row.format {
        Format::Json => ", \"args\": ".to_owned(),
        Format::Toml if in_brackets => ", args = ".to_owned(),
        Format::Toml => format!("{newline}args = "),
        Format::Yaml if in_brackets => ", args: ".to_owned(),
        Format::Yaml => {
            let line = text[..starter(entry).place.start].rsplit('\n').next().unwrap_or_default();
            format!("{newline}{}args: ", " ".repeat(line.chars().count()))
        }
    }
}
