//! The entries of a client's file, with the places of their commands.

use super::{Args, Command, Found, Lookup, Word};
use crate::cli::config::clients::{CommandForm, Row};
use crate::cli::config::entry::{Start, remote, starter};
use crate::cli::config::tree::{Format, Node};

/// The field by which servers are known where they are a list.
const NAME_FIELD: &str = "name";

/// Returns the servers of a file, which are below `keys`, by their names.
pub(in crate::cli::config) fn servers<'a>(
    top: &'a Node,
    keys: &[String],
) -> Result<Vec<(&'a str, &'a Node)>, String> {
    let Some(all) = top.below(keys)? else { return Ok(Vec::new()) };
    let listed = all.items().into_iter().flatten().filter_map(|item| {
        let name = item.members().iter().find(|member| member.name == NAME_FIELD)?;
        Some((name.value.text()?, item))
    });
    let named = all.members().iter().map(|member| (member.name.as_str(), &member.value));
    Ok(named.chain(listed).collect())
}

/// Returns the one entry of that name.
pub(in crate::cli::config) fn entry_of<'a>(
    top: &'a Node,
    keys: &[String],
    name: &str,
) -> Result<Option<&'a Node>, String> {
    let mut found = servers(top, keys)?.into_iter().filter(|(other, _)| *other == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("{name} stands in it twice")),
        (Some((_, entry)), None) if entry.items().is_some() || entry.text().is_some() => {
            Err(format!("{name} in it is not an object"))
        }
        (first, None) => Ok(first.map(|(_, entry)| entry)),
    }
}

/// Looks for the entry `name`.
pub(super) fn find(row: &Row, keys: &[String], text: &str, name: &str) -> Result<Lookup, String> {
    let top = Node::parse(row.format, text)?;
    if let Some(entry) = entry_of(&top, keys, name)? {
        return of(row, text, entry);
    }
    let names = servers(&top, keys)?.into_iter().map(|(name, _)| name.to_owned());
    Ok(Lookup::Missing(names.collect()))
}

/// An entry's name, and how it starts its program.
pub(in crate::cli) type NamedStart = (String, Result<Start, String>);

/// Returns each entry that starts a program, by its name.
pub(in crate::cli) fn entries(row: &Row, keys: &[String], text: &str) -> Result<Vec<NamedStart>, String> {
    let top = Node::parse(row.format, text)?;
    let started = servers(&top, keys)?
        .into_iter()
        .filter_map(|(name, entry)| Some((name.to_owned(), Start::of(row, entry).transpose()?)));
    Ok(started.collect())
}

fn of(row: &Row, text: &str, entry: &Node) -> Result<Lookup, String> {
    let Some(command) = starter(entry)?.member("command")? else {
        return match remote(entry)? {
            Some(url) => Ok(Lookup::Remote(url.to_owned())),
            None => Err("it starts no program".to_owned()),
        };
    };
    let word = |node: &Node| match node.text() {
        Some(value) if !node.place.is_empty() => {
            Ok(Word { place: node.place.clone(), value: value.to_owned() })
        }
        _ => Err("args or command in it is no string".to_owned()),
    };
    let list = |node: &Node, name: &str| {
        let items = node.items().ok_or_else(|| format!("{name} in it is no list"))?;
        let words = items.iter().map(word).collect::<Result<_, _>>()?;
        Ok::<_, String>(Args { place: node.place.clone(), words, is_block: node.is_block })
    };
    let command = match row.command {
        CommandForm::OneList => {
            let words = list(command, "command")?;
            if words.words.is_empty() {
                return Err("it starts no program".to_owned());
            }
            Command::OneList(words)
        }
        CommandForm::Apart => {
            let args = starter(entry)?.member("args")?.map(|args| list(args, "args")).transpose()?;
            Command::Apart { program: word(command)?, args, before_args: before_args(row, text, entry)? }
        }
    };
    Ok(Lookup::Entry(Found { command, whole: entry.place.clone() }))
}

/// The text between a command and arguments that are added.
fn before_args(row: &Row, text: &str, entry: &Node) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let in_brackets = text[entry.place.clone()].starts_with('{');
    Ok(match row.format {
        Format::Json => ", \"args\": ".to_owned(),
        Format::Toml if in_brackets => ", args = ".to_owned(),
        Format::Toml => format!("{newline}args = "),
        Format::Yaml if in_brackets => ", args: ".to_owned(),
        Format::Yaml => {
            let line = text[..starter(entry)?.place.start].rsplit('\n').next().unwrap_or_default();
            format!("{newline}{}args: ", " ".repeat(line.chars().count()))
        }
    })
}
