//! The servers in a client's file, and how the client starts them.

use anyhow::anyhow;

use super::clients::{CommandForm, Row};
use super::tree::{Format, Kind, Node};
use crate::cli::NAME;

/// The field with the name of a server, for files with a list of servers.
pub(super) const NAME_FIELD: &str = "name";
/// The field that contains the program and its arguments in some clients' entries.
pub(super) const TRANSPORT: &str = "transport";
/// The fields of an entry with the URL of a remote server.
const REMOTE: [&str; 3] = ["url", "httpUrl", "serverUrl"];
/// The fields of an entry with the environment of its program.
const VARIABLES: [&str; 2] = ["env", "environment"];

/// Returns the entries below `keys` with their names.
pub(in crate::cli) fn entries<'a>(top: &'a Node, keys: &[String]) -> Vec<(&'a str, &'a Node)> {
    let Some(all) = keys.iter().try_fold(top, |node, key| node.member(key)) else { return Vec::new() };
    let listed = all.items().iter().filter_map(|item| Some((item.member(NAME_FIELD)?.text()?, item)));
    all.members().iter().map(|(name, entry)| (name.as_str(), entry)).chain(listed).collect()
}

/// Returns the entry with this name.
///
/// # Errors
///
/// Returns an error if there are two, or if it is not an object.
pub(super) fn entry_of<'a>(top: &'a Node, keys: &[String], name: &str) -> anyhow::Result<Option<&'a Node>> {
    let mut found = entries(top, keys).into_iter().filter(|(other, _)| *other == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(anyhow!("{name} is in it twice")),
        (Some((_, entry)), None) if matches!(entry.kind, Kind::List(_) | Kind::Text(_)) => {
            Err(anyhow!("{name} in it is not an object"))
        }
        (first, None) => Ok(first.map(|(_, entry)| entry)),
    }
}

/// Returns the table with the program and its arguments: the entry itself, or a table in it.
pub(super) fn starter(entry: &Node) -> &Node {
    entry.member(TRANSPORT).filter(|inner| !inner.members().is_empty()).unwrap_or(entry)
}

/// Returns the URL of an entry for a remote server.
pub(super) fn remote(entry: &Node) -> Option<&str> {
    REMOTE.iter().find_map(|name| starter(entry).member(name)?.text())
}

/// An entry that starts a program.
#[derive(Debug)]
pub(in crate::cli) struct ConfiguredServer<'a> {
    /// The format of its file.
    pub(super) format: Format,
    /// The complete entry.
    pub(super) entry: &'a Node,
    /// The program, if it is separate from the arguments: a path, or a name on PATH.
    pub(super) program: Option<&'a Node>,
    /// The list of the arguments, or of the program and its arguments.
    pub(super) list: Option<&'a Node>,
}

impl<'a> ConfiguredServer<'a> {
    /// Parses an entry. Returns `None` if it starts no program.
    pub(in crate::cli) fn of(row: &Row, entry: &'a Node) -> anyhow::Result<Option<Self>> {
        let is_null = |field: &Node| matches!(field.kind, Kind::Other(serde_json::Value::Null));
        let field = |name| starter(entry).member(name).filter(|field| !is_null(field));
        let is_words = |list: &Node| matches!(&list.kind, Kind::List(items) if items.iter().all(|item| item.text().is_some()));
        let list = |name| match field(name) {
            Some(list) if !is_words(list) => Err(anyhow!("{name} in its entry is not a list of strings")),
            list => Ok(list),
        };
        let (program, list) = match row.command {
            CommandForm::OneList => (None, list("command")?),
            CommandForm::Apart => match field("command").filter(|program| program.text().is_some()) {
                None => return Ok(None),
                program => (program, list("args")?),
            },
        };
        let server = Self { format: row.format, entry, program, list };
        Ok((!server.words().is_empty()).then_some(server))
    }

    /// Returns the program and its arguments.
    pub(in crate::cli) fn words(&self) -> Vec<&'a str> {
        let listed = self.list.map_or(&[][..], Node::items);
        self.program.into_iter().chain(listed).filter_map(Node::text).collect()
    }

    /// Returns the program: a path, or a name on PATH.
    pub(in crate::cli) fn executable(&self) -> &'a str {
        self.words().first().copied().unwrap_or_default()
    }

    /// Returns the environment of the entry.
    pub(in crate::cli) fn variables(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let starter = starter(self.entry);
        let variables = VARIABLES.into_iter().filter_map(|name| starter.member(name)).flat_map(Node::members);
        variables.filter_map(|(name, value)| Some((name.as_str(), value.text()?)))
    }

    /// Returns the setting that switches the entry off, if there is one.
    pub(in crate::cli) fn switched_off(&self) -> Option<&'static str> {
        switched_off(self.entry)
    }

    /// Returns the working directory, if the entry sets it.
    pub(in crate::cli) fn folder(&self) -> Option<&'a str> {
        starter(self.entry).member("cwd")?.text()
    }
}

/// Returns the setting that switches an entry off, in the client's notation.
pub(super) fn switched_off(entry: &Node) -> Option<&'static str> {
    let is = |name, value: bool| entry.member(name).is_some_and(|given| given.to_value() == value);
    match (is("disabled", true), is("enabled", false)) {
        (true, _) => Some("disabled is true"),
        (_, true) => Some("enabled is false"),
        _ => None,
    }
}

/// Returns true if the program of a command has the file name of this program, in any folder.
pub(in crate::cli) fn is_cutline(words: &[&str]) -> bool {
    let file = words.first().and_then(|program| program.rsplit(['/', '\\']).next()).unwrap_or_default();
    file.strip_suffix(".exe").unwrap_or(file) == NAME
}
