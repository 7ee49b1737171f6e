//! Builds the entry of this server for a client's file, and the changes to an existing entry.

use std::time::Duration;

use anyhow::bail;
use serde_json::{Value, json};

use super::Program;
use super::clients::{ANSWER_TOKENS, CommandForm, WAIT_SECS};
use super::server::{ConfiguredServer, is_cutline, remote, starter};
use super::tree::{Kind, Node};
use crate::cli::{Client, NAME};
use crate::fit;
use crate::limits::{BASH_MAX_TIMEOUT_SECS, MAX_BYTES, SEARCH_TIMEOUT_SECS};

/// The flags whose values depend on the client's own settings.
const MAX_BYTES_FLAG: &str = "--max-bytes";
const ANSWER_WITHIN_FLAG: &str = "--answer-within";
const SEARCH_TIMEOUT_FLAG: &str = "--search-timeout";
/// The flag and the variable for the roots.
const ROOT_FLAG: &str = "--root";
const ROOT_VARIABLE: &str = "CUTLINE_ROOT";
/// The flag for the default timeout of a command. The value cannot exceed the maximum timeout.
const TIMEOUT_FLAG: &str = "--bash-timeout";
/// Bytes per token in the clients' estimates.
const TOKEN_BYTES: u64 = 4;

/// The changes of an entry.
#[derive(Debug)]
pub(super) struct Entry {
    /// The fields to change. New ones are written in this order.
    pub(super) fields: Vec<Change>,
    /// A setting outside the entry that is missing in the file. Only the client with a TOML file has one.
    pub(super) setting: Option<(&'static str, Value)>,
}

/// A field that must change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) name: &'static str,
    /// The new value.
    pub(super) value: Value,
    /// The items to append to the field's list, if nothing else changes.
    pub(super) added: Option<Vec<Value>>,
    /// True if the field belongs to the program and not to the client.
    pub(super) is_of_program: bool,
}

impl Entry {
    /// Returns the changes so that the entry starts `program`. If `program` has no flags, keeps the flags of `old`.
    /// `top` is the complete file.
    pub(super) fn new(
        client: Client,
        program: &Program,
        top: &Node,
        old: Option<&Node>,
    ) -> anyhow::Result<Self> {
        let Program { binary, flags, folder } = program;
        let row = client.row();
        if let Some(url) = old.and_then(remote) {
            bail!("its entry {NAME} is a remote server ({url})");
        }
        let started = old.map_or(Ok(None), |old| ConfiguredServer::of(row, old))?;
        let words = started.as_ref().map(ConfiguredServer::words).unwrap_or_default();
        let sets_root =
            started.iter().flat_map(ConfiguredServer::variables).any(|(name, _)| name == ROOT_VARIABLE);
        let mut args = if flags.is_empty() && is_cutline(&words) {
            words.iter().skip(1).map(|&word| word.to_owned()).collect()
        } else {
            flags.clone()
        };
        let field = |name| old.and_then(|old| old.member(name));
        if row.starts_elsewhere && !sets_root {
            add_flag(&mut args, ROOT_FLAG, folder);
        }
        if !has_flag(&args, TIMEOUT_FLAG) {
            row.flags.iter().for_each(|(flag, value)| add_flag(&mut args, flag, value));
        }

        let tokens = row.answer_tokens.map(|name| (name, top.member(name)));
        if let Some((_, given)) = &tokens {
            let tokens = given.and_then(number).unwrap_or(ANSWER_TOKENS);
            let bytes = less_a_tenth(tokens.saturating_mul(TOKEN_BYTES)).min(MAX_BYTES);
            let size = if bytes == MAX_BYTES { "30KB".to_owned() } else { bytes.to_string() };
            add_flag(&mut args, MAX_BYTES_FLAG, &size);
        }
        if let Some(wait) = row.waits {
            let given = field(wait.field).and_then(number).map(|units| units / wait.per_second);
            let secs = given.or(wait.is_set.then_some(WAIT_SECS)).map_or(0, less_a_tenth);
            let is_fitted = client.fit().is_some_and(fit::Client::gives_up);
            if secs > 0 && (is_fitted || secs < BASH_MAX_TIMEOUT_SECS) {
                add_flag(&mut args, ANSWER_WITHIN_FLAG, &secs.to_string());
            }
            let search = given
                .map_or(SEARCH_TIMEOUT_SECS, |secs| fit::search_within(Duration::from_secs(secs)).as_secs());
            if search < SEARCH_TIMEOUT_SECS {
                add_flag(&mut args, SEARCH_TIMEOUT_FLAG, &search.max(1).to_string());
            }
        }

        let command = match row.command {
            CommandForm::Apart => vec![("command", json!(binary)), ("args", json!(args))],
            CommandForm::OneList => {
                args.insert(0, binary.clone());
                vec![("command", json!(args))]
            }
        };
        let of_program = row.kind.map(|(name, word)| (name, json!(word))).into_iter().chain(command);
        let waits = row.waits.filter(|wait| wait.is_set);
        let waits = waits.map(|wait| (wait.field, json!(WAIT_SECS * wait.per_second)));
        let of_client = row.switches.iter().map(|switch| (*switch, json!(true))).chain(waits);
        let of_client = of_client.filter(|(name, _)| field(name).is_none());
        let fields = of_program.map(|field| (field, true)).chain(of_client.map(|field| (field, false)));
        let changes = fields.filter_map(|((name, value), is_of_program)| {
            let table = if is_of_program { old.map(starter) } else { old };
            let was = table.and_then(|table| table.member(name)).map_or(Value::Null, Node::to_value);
            let lists = was.as_array().zip(value.as_array());
            let added =
                lists.and_then(|(was, list)| list.strip_prefix(was.as_slice())).map(<[Value]>::to_vec);
            (was != value).then_some(Change { name, value, added, is_of_program })
        });
        Ok(Self {
            fields: changes.collect(),
            setting: tokens
                .filter(|(_, given)| given.is_none())
                .map(|(name, _)| (name, json!(ANSWER_TOKENS))),
        })
    }
}

/// Returns 90 % of a client's limit.
fn less_a_tenth(number: u64) -> u64 {
    number - number.div_ceil(10)
}

/// Adds a flag if it is missing.
fn add_flag(args: &mut Vec<String>, flag: &str, value: &str) {
    if !has_flag(args, flag) {
        args.extend([flag.to_owned(), value.to_owned()]);
    }
}

/// Returns true if `args` has the flag.
fn has_flag(args: &[String], flag: &str) -> bool {
    args.iter().any(|arg| arg == flag || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')))
}

/// Returns a number without its fraction. Returns `None` for other values.
fn number(node: &Node) -> Option<u64> {
    match &node.kind {
        Kind::Other(value) => {
            value.as_u64().or(Some(Duration::try_from_secs_f64(value.as_f64()?).ok()?.as_secs()))
        }
        Kind::Text(text) => text.parse().ok(),
        _ => None,
    }
}
