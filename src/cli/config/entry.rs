//! The entry of a server in a client's file: its fields, as they are read and as they should be.

use serde_json::{Value, json};

use super::clients::{ANSWER_TOKENS, CommandForm, Row, WAIT_SECS};
use super::tree::{Kind, Node};
use crate::cli::NAME;
use crate::fit;
use crate::limits::{BASH_MAX_TIMEOUT_SECS, MAX_BYTES};

/// The flags that a client's own settings decide.
const MAX_BYTES_FLAG: &str = "--max-bytes";
const ANSWER_WITHIN_FLAG: &str = "--answer-within";
/// Bytes of a token, as clients count.
const TOKEN_BYTES: u64 = 4;
/// Tenths of what a client takes or waits that are used.
const TENTHS: u64 = 9;
/// The field under which some entries have the program and its arguments.
const TRANSPORT: &str = "transport";
/// The fields of an entry that name a server elsewhere.
const REMOTE: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// The fields that the entry for one client has.
#[derive(Debug)]
pub(super) struct Entry {
    /// In the order in which they are written where they are not there yet.
    pub(super) fields: Vec<Change>,
    /// Settings of the file itself, added where they are not there yet.
    pub(super) settings: Vec<(&'static str, Value)>,
    /// The table of the entry that holds those fields of the program, where there is one.
    pub(super) within: Option<&'static str>,
}

/// A field that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) name: &'static str,
    /// The value that it should have.
    pub(super) value: Value,
    /// The items that its list has to get at its end, where nothing else of it changes.
    pub(super) added: Option<Vec<Value>>,
    /// True if it is a field of the program, not of the client.
    pub(super) is_of_program: bool,
}

impl Entry {
    /// Returns the entry that has a client start `binary` with `flags`, which are those that `old` has where
    /// none are given. `top` is the whole file.
    pub(super) fn new(
        row: &Row,
        binary: &str,
        flags: &[String],
        top: &Node,
        old: Option<&Node>,
    ) -> Result<Self, String> {
        if let Some(url) = old.and_then(remote) {
            return Err(format!("its entry {NAME} is of a server elsewhere ({url})"));
        }
        let started = old.map(|old| Start::of(row, old)).transpose()?.flatten();
        let mut args = match started {
            Some(started) if flags.is_empty() && started.is_cutline() => started.args,
            _ => flags.to_vec(),
        };
        let field = |name| old.and_then(|old| old.member(name));

        let tokens = row.answer_tokens.map(|name| (name, top.member(name)));
        if let Some((_, given)) = &tokens {
            let tokens = given.and_then(number).unwrap_or(ANSWER_TOKENS);
            let bytes = (tokens.saturating_mul(TOKEN_BYTES) / 10 * TENTHS).min(MAX_BYTES);
            let size = if bytes == MAX_BYTES { "30KB".to_owned() } else { bytes.to_string() };
            add_flag(&mut args, MAX_BYTES_FLAG, &size);
        }
        let mut waits = None;
        if let Some(wait) = row.waits {
            let given = field(wait.field).and_then(number);
            waits = (wait.is_set && given.is_none()).then(|| (wait.field, WAIT_SECS * wait.per_second));
            let waited = given.map(|units| units / wait.per_second).or(wait.is_set.then_some(WAIT_SECS));
            let answers = waited.map(|secs| secs / 10 * TENTHS + secs % 10 * TENTHS / 10);
            let is_fitted = row.fit.and_then(fit::Client::of_id).is_some_and(fit::Client::gives_up);
            if let Some(secs) =
                answers.filter(|secs| *secs > 0 && (is_fitted || *secs < BASH_MAX_TIMEOUT_SECS))
            {
                add_flag(&mut args, ANSWER_WITHIN_FLAG, &secs.to_string());
            }
        }

        let mut fields = Vec::new();
        let mut put = |name, value, is_of_program| fields.push((name, value, is_of_program));
        if let Some((name, word)) = row.kind {
            put(name, json!(word), true);
        }
        match row.command {
            CommandForm::Apart => {
                put("command", json!(binary), true);
                put("args", json!(args), true);
            }
            CommandForm::OneList => {
                args.insert(0, binary.to_owned());
                put("command", json!(args), true);
            }
        }
        for switch in row.switches {
            if field(switch).is_none() {
                put(switch, json!(true), false);
            }
        }
        if let Some((name, units)) = waits {
            put(name, json!(units), false);
        }
        let settings = tokens.filter(|(_, given)| given.is_none());
        let changes = fields.into_iter().map(|(name, value, is_of_program)| {
            let table = if is_of_program { old.map(starter) } else { old };
            let was = table.and_then(|table| table.member(name)).map_or(Value::Null, Node::to_value);
            let lists = was.as_array().zip(value.as_array());
            let added =
                lists.and_then(|(was, list)| list.strip_prefix(was.as_slice())).map(<[Value]>::to_vec);
            (was != value).then_some(Change { name, value, added, is_of_program })
        });
        Ok(Self {
            fields: changes.flatten().collect(),
            settings: settings.map(|(name, _)| (name, json!(ANSWER_TOKENS))).into_iter().collect(),
            within: field(TRANSPORT).map(|_| TRANSPORT),
        })
    }
}

/// Adds a flag that is not among them.
fn add_flag(args: &mut Vec<String>, flag: &str, value: &str) {
    let is_flag =
        |arg: &String| arg == flag || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
    if !args.iter().any(is_flag) {
        args.extend([flag.to_owned(), value.to_owned()]);
    }
}

fn number(node: &Node) -> Option<u64> {
    match &node.kind {
        Kind::Other(value) => value.as_u64(),
        Kind::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns the table of an entry that has the program and its arguments: the entry itself, or one in it.
pub(super) fn starter(entry: &Node) -> &Node {
    entry.member(TRANSPORT).filter(|inner| !inner.members().is_empty()).unwrap_or(entry)
}

/// Returns the address of a server elsewhere.
pub(super) fn remote(entry: &Node) -> Option<&str> {
    REMOTE.iter().find_map(|name| starter(entry).member(name)?.text())
}

/// The command of an entry, as strings with their places.
#[derive(Debug)]
pub(super) struct Command<'a> {
    /// The program, where its arguments stand elsewhere.
    pub(super) program: Option<&'a Node>,
    /// The list of the arguments, or of the program and its arguments.
    pub(super) list: Option<&'a Node>,
}

impl<'a> Command<'a> {
    /// Returns the command of an entry, if it starts a program.
    pub(super) fn of(row: &Row, entry: &'a Node) -> Result<Option<Self>, String> {
        let field = |name| {
            starter(entry).member(name).filter(|field| !matches!(field.kind, Kind::Other(Value::Null)))
        };
        let list = |name| match field(name) {
            Some(list)
                if !list.items().is_some_and(|items| items.iter().all(|item| item.text().is_some())) =>
            {
                Err(format!("{name} in its entry is no list of strings"))
            }
            list => Ok(list),
        };
        let command = match row.command {
            CommandForm::OneList => Self { program: None, list: list("command")? },
            CommandForm::Apart => match field("command").filter(|program| program.text().is_some()) {
                None => return Ok(None),
                program => Self { program, list: list("args")? },
            },
        };
        Ok(command.words().next().is_some().then_some(command))
    }

    /// Returns the program and its arguments.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        self.program.into_iter().chain(self.list.and_then(Node::items).into_iter().flatten())
    }
}

/// The way in which a client's file has a server started.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Start {
    /// The program: a path, or a name on PATH.
    pub(in crate::cli) command: String,
    /// Its arguments.
    pub(in crate::cli) args: Vec<String>,
    /// The variables that are set for it.
    pub(in crate::cli) env: Vec<(String, String)>,
    /// The folder that it is started in, where the entry says so.
    pub(in crate::cli) folder: Option<String>,
}

impl Start {
    /// Returns the program and its arguments of an entry, if it starts one.
    pub(super) fn of(row: &Row, entry: &Node) -> Result<Option<Self>, String> {
        let Some(command) = Command::of(row, entry)? else { return Ok(None) };
        let mut words = command.words().filter_map(word);
        let (command, args) = (words.next().unwrap_or_default(), words.collect());
        let field = |name| starter(entry).member(name);
        let variables = ["env", "environment"].into_iter().filter_map(field).flat_map(Node::members);
        let env = variables.filter_map(|member| Some((member.name.clone(), word(&member.value)?))).collect();
        Ok(Some(Self { command, args, env, folder: field("cwd").and_then(word) }))
    }

    /// Returns true if the program's name is this one's.
    pub(in crate::cli) fn is_cutline(&self) -> bool {
        is_cutline(&self.command)
    }
}

/// Returns true if the name of a program, however its path is written, is this one's.
pub(super) fn is_cutline(command: &str) -> bool {
    let file = command.rsplit(['/', '\\']).next().unwrap_or_default();
    file.strip_suffix(".exe").unwrap_or(file) == NAME
}

fn word(node: &Node) -> Option<String> {
    node.text().map(str::to_owned)
}
