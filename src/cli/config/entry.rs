//! Entries of servers: the command that they start, the flags in it, and the entry of cutline.

use std::time::Duration;

use anyhow::{anyhow, bail, ensure};
use serde_json::{Value, json};

use super::edit::Doc;
use super::places::Place;
use crate::cli::NAME;
use crate::cli::typed::Flag;
use crate::fit::Files;
use crate::limits::{BASH_MAX_TIMEOUT_SECS, MAX_BYTES};

/// The field that contains the program and its arguments in some clients' entries.
const TRANSPORT: &str = "transport";
/// The field with the kind of an entry, and the kind of a program in clients that do not need the field.
const KIND: &str = "type";
const PROGRAM: &str = "stdio";
/// The fields of an entry with the URL of a remote server.
const REMOTE: [&str; 3] = ["url", "httpUrl", "serverUrl"];
/// The fields of an entry with the environment of its program.
const VARIABLES: [&str; 2] = ["env", "environment"];
/// The subcommand that identifies a wrapped entry, and the word before the wrapped command.
const WRAP: &str = "wrap";
const DASHES: &str = "--";
/// The flag and the variable for the roots.
pub(super) const ROOT_FLAG: &str = "--root";
const ROOT_VARIABLE: &str = "CUTLINE_ROOT";
/// The flag of the recommended limits.
pub(super) const LEAN_FLAG: &str = "--lean";
/// The flag for the default timeout of a command. The value cannot exceed the maximum timeout.
const TIMEOUT_FLAG: &str = "--bash-timeout";
/// The flag for the longest timeout of a command.
const MAX_TIMEOUT_FLAG: &str = "--bash-max-timeout";
/// Bytes per token in the clients' estimates.
const TOKEN_BYTES: u64 = 4;
/// The call timeout in seconds that `config` sets. It is longer than any command can run.
const WAIT_SECS: u64 = 700;
/// The limit of tokens that `config` sets: 30KB at 3 bytes per token.
pub(super) const ANSWER_TOKENS: u64 = 10_000;

/// Returns the object with the program and its arguments: the entry itself, or an object in it.
fn starter<'a>(files: &Files, entry: &'a Value) -> &'a Value {
    let inner = entry.get(TRANSPORT).filter(|inner| files.has_transport && inner.is_object());
    inner.unwrap_or(entry)
}

/// Returns the URL of an entry for a remote server.
pub(super) fn remote<'a>(files: &Files, entry: &'a Value) -> Option<&'a str> {
    REMOTE.iter().find_map(|name| starter(files, entry).get(name)?.as_str())
}

/// Returns the field because of which a client may start something else than the command of an entry.
fn contradiction(files: &Files, entry: &Value) -> Option<&'static str> {
    let (inner, kind) = (starter(files, entry), files.kind.map_or(PROGRAM, |(_, kind)| kind));
    let has = |name: &str| {
        [entry, inner]
            .iter()
            .any(|object| object.get(name).is_some_and(|value| !value.is_null() && *value != kind))
    };
    let is_twice = inner != entry && entry.get("command").is_some();
    REMOTE.into_iter().chain([KIND]).find(|name| has(name)).or(is_twice.then_some(TRANSPORT))
}

/// Returns the entry with this name.
///
/// # Errors
///
/// Returns an error if it is not an object.
pub(super) fn named(servers: &[(String, Value)], name: &str) -> anyhow::Result<Option<Value>> {
    let entry = servers.iter().find(|(other, _)| other == name).map(|(_, entry)| entry);
    ensure!(entry.is_none_or(Value::is_object), "{name} in it is not an object");
    Ok(entry.cloned())
}

/// Returns the program of an entry and its arguments, or nothing if it starts no program.
///
/// # Errors
///
/// Returns an error if the arguments are not strings, or if the client may start something else.
pub(in crate::cli) fn words(files: &Files, entry: &Value) -> anyhow::Result<Vec<String>> {
    let field = |name| starter(files, entry).get(name).filter(|value| !value.is_null());
    let list = |name| match field(name).map(|list| serde_json::from_value(list.clone())) {
        None => Ok(Vec::new()),
        Some(list) => list.map_err(|_| anyhow!("{name} in its entry is not a list of strings")),
    };
    if let Some(other) = contradiction(files, entry).filter(|_| field("command").is_some()) {
        bail!("its entry has a command, but also {other} for something else");
    }
    match field("command").and_then(Value::as_str) {
        _ if files.one_list => list("command"),
        None => Ok(Vec::new()),
        Some(program) => Ok([vec![program.to_owned()], list("args")?].concat()),
    }
}

/// Changes the command of an entry from `old` to `words`. An empty list of arguments is not written.
pub(super) fn set_words(
    doc: &mut Doc,
    place: &Place,
    name: &str,
    old: &[String],
    words: &[String],
) -> anyhow::Result<()> {
    let mut path = place.entry(name);
    let entry = doc.servers(&place.keys)?.into_iter().find(|(other, _)| other == name);
    if entry.is_some_and(|(_, entry)| starter(&place.client.files, &entry) != &entry) {
        path.push(TRANSPORT.to_owned());
    }
    if place.client.files.one_list {
        return doc.set(&path, "command", &json!(words));
    }
    let Some((program, arguments)) = words.split_first() else { bail!("it has no program") };
    doc.set(&path, "command", &json!(program))?;
    if old.get(1..) == Some(arguments) {
        return Ok(());
    }
    doc.set(&path, "args", &if arguments.is_empty() { Value::Null } else { json!(arguments) })
}

/// Returns the environment of an entry.
pub(in crate::cli) fn variables<'a>(
    files: &Files,
    entry: &'a Value,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let start = starter(files, entry);
    let variables = VARIABLES.into_iter().filter_map(|name| start.get(name)?.as_object());
    variables.flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// Returns the working folder, if the entry sets it.
pub(in crate::cli) fn folder<'a>(files: &Files, entry: &'a Value) -> Option<&'a str> {
    starter(files, entry).get("cwd")?.as_str()
}

/// Returns true if the client does not start the entry.
pub(in crate::cli) fn is_switched_off(entry: &Value) -> bool {
    entry.get("disabled") == Some(&true.into()) || entry.get("enabled") == Some(&false.into())
}

/// Returns true if the program of a command has the file name of this program, in any folder.
pub(in crate::cli) fn is_cutline(words: &[String]) -> bool {
    words.first().is_some_and(|program| program.rsplit('/').next() == Some(NAME))
}

/// Returns the flags of `cutline wrap` and the wrapped command, if the command starts `cutline wrap`.
pub(in crate::cli) fn wrapped(words: &[String]) -> Option<(&[String], &[String])> {
    let [_, subcommand, rest @ ..] = words else { return None };
    let dashes = rest.iter().position(|word| word == DASHES)?;
    let (flags, command) = rest.split_at(dashes);
    (is_cutline(words) && subcommand == WRAP).then_some((flags, command.get(1..)?))
}

/// Returns the words that wrap a command.
pub(super) fn wrapping(binary: &str, flags: &[Flag], command: &[String]) -> Vec<String> {
    let own = [vec![binary.to_owned(), WRAP.to_owned()], texts(flags), vec![DASHES.to_owned()]].concat();
    [own.as_slice(), command].concat()
}

/// Returns `old` with the flags that are `given`. A repeated flag replaces all old ones of its name.
pub(super) fn merged(old: &[Flag], given: &[Flag]) -> Vec<Flag> {
    let mut all: Vec<Flag> = Vec::new();
    for flag in old.iter().chain(given) {
        if !has(given, &flag.name) {
            all.push(flag.clone());
        } else if !has(&all, &flag.name) {
            all.extend(given.iter().filter(|given| given.name == flag.name).cloned());
        }
    }
    all
}

/// Returns the words of flags.
pub(super) fn texts(flags: &[Flag]) -> Vec<String> {
    flags.iter().flat_map(|flag| flag.words.clone()).collect()
}

/// Returns true if the flags include the flag with this name.
pub(super) fn has(flags: &[Flag], name: &str) -> bool {
    flags.iter().any(|flag| flag.name == name)
}

/// Adds a flag if it is missing.
fn add(flags: &mut Vec<Flag>, name: &str, value: &str) {
    if !has(flags, name) {
        let words = vec![name.to_owned(), value.to_owned()];
        flags.push(Flag { name: name.to_owned(), words, ..Flag::default() });
    }
}

/// Adds the flags that a client needs: those of its row, and limits that follow from its own settings. `top` returns a
/// setting outside the entry. `folder` is the root for clients that start servers in another folder.
pub(super) fn add_needed(flags: &mut Vec<Flag>, place: &Place, entry: &Value, doc: &Doc, folder: &str) {
    let files = &place.client.files;
    if files.starts_elsewhere && !variables(files, entry).any(|(name, _)| name == ROOT_VARIABLE) {
        add(flags, ROOT_FLAG, folder);
    }
    if !has(flags, TIMEOUT_FLAG) {
        files.flags.iter().for_each(|(flag, value)| add(flags, flag, value));
    }
    if let Some(name) = files.answer_tokens {
        let tokens = doc.value().get(name).and_then(number).unwrap_or(ANSWER_TOKENS);
        let bytes = less_a_tenth(tokens.saturating_mul(TOKEN_BYTES)).min(MAX_BYTES);
        let size = if bytes == MAX_BYTES { "30KB".to_owned() } else { bytes.to_string() };
        // The default would replace the limits of --lean.
        if bytes < MAX_BYTES || !has(flags, LEAN_FLAG) {
            add(flags, "--max-bytes", &size);
        }
    }
    let Some(wait) = files.waits else { return };
    let given = entry.get(wait.field).and_then(number).map(|units| units / wait.per_second);
    let secs = given.or(wait.is_set.then_some(WAIT_SECS)).map_or(0, less_a_tenth);
    let longest = flags.iter().find(|flag| flag.name == MAX_TIMEOUT_FLAG);
    let longest = longest.and_then(|flag| flag.words.last()?.parse().ok()).unwrap_or(BASH_MAX_TIMEOUT_SECS);
    if secs > 0 && (place.client.timeout_secs.is_some() || secs < longest) {
        add(flags, "--answer-within", &secs.to_string());
    }
}

/// Sets the fields of the entry that the client needs, and its settings outside the entry. Fields that exist stay.
/// Returns the new settings.
pub(super) fn set_needed(doc: &mut Doc, place: &Place, entry: &Value) -> anyhow::Result<Vec<String>> {
    let Files { kind, switches, waits, answer_tokens, .. } = place.client.files;
    let kind = kind.map(|(name, word)| (name, json!(word)));
    let switches = switches.iter().map(|switch| (*switch, json!(true)));
    let waits = waits.filter(|wait| wait.is_set).map(|wait| (wait.field, json!(WAIT_SECS * wait.per_second)));
    let own = kind.into_iter().chain(switches).chain(waits).filter(|(name, _)| entry.get(name).is_none());
    let own = own.map(|(name, value)| (place.entry(NAME), name, value));
    let top = answer_tokens.filter(|name| doc.value().get(name).is_none());
    let top = top.map(|name| (Vec::new(), name, json!(ANSWER_TOKENS)));
    let mut set = Vec::new();
    for (path, name, value) in own.chain(top) {
        doc.set(&path, name, &value)?;
        set.push(format!("{name} = {value}"));
    }
    Ok(set)
}

/// Returns 90 % of a client's limit.
fn less_a_tenth(number: u64) -> u64 {
    number - number.div_ceil(10)
}

/// Returns a number without its fraction. Returns `None` for other values.
fn number(value: &Value) -> Option<u64> {
    let secs = |number| Some(Duration::try_from_secs_f64(number).ok()?.as_secs());
    value.as_u64().or_else(|| value.as_f64().and_then(secs)).or_else(|| value.as_str()?.parse().ok())
}
