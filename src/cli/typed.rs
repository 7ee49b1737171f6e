//! Returns the flags that the user typed, in the form for a client's file.

use std::any::TypeId;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory as _};

use super::{Cli, is_same};

/// Returns a path as UTF-8 text.
pub(super) fn text(value: &OsStr) -> anyhow::Result<String> {
    value.to_str().map(str::to_owned).with_context(|| format!("{} is not UTF-8", value.display()))
}

/// Returns the typed flags. `changed` converts paths: a client may start the server in another folder.
pub(super) fn flags(matches: &ArgMatches, changed: impl Fn(&Path) -> PathBuf) -> anyhow::Result<Vec<String>> {
    words(matches, &Cli::command(), changed)
}

/// Returns the typed flags of `command`, with converted paths.
pub(super) fn words(
    matches: &ArgMatches,
    command: &clap::Command,
    changed: impl Fn(&Path) -> PathBuf,
) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    for (matches, arg, flag) in typed(matches, command) {
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            words.push(flag);
            continue;
        }
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let values = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let value = |value: &OsStr| {
            let path = is_path.then(|| changed(Path::new(value)));
            text(path.as_deref().map_or(value, Path::as_os_str))
        };
        let mut values = values.map(value).collect::<anyhow::Result<Vec<_>>>()?;
        if let Some(delimiter) = arg.get_value_delimiter() {
            values = vec![values.join(&delimiter.to_string())];
        }
        for value in values {
            // As a separate word, such a value would be parsed as a flag.
            if value.starts_with('-') {
                words.push(format!("{flag}={value}"));
            } else {
                words.extend([flag.clone(), value]);
            }
        }
    }
    Ok(words)
}

/// Returns the typed flags of `command`: the matches with the values, the argument, and the flag.
pub(super) fn typed<'a>(
    matches: &'a ArgMatches,
    command: &'a clap::Command,
) -> impl Iterator<Item = (&'a ArgMatches, &'a clap::Arg, String)> {
    let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
    command.get_arguments().filter_map(move |arg| {
        let id = arg.get_id().as_str();
        let is_typed = matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        Some((matches, arg, format!("--{}", arg.get_long().filter(|_| is_typed)?)))
    })
}

/// Returns the absolute path. The current folder has the spelling of the shell (`PWD`).
pub(super) fn absolute(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let spelled = std::env::var_os("PWD").map(PathBuf::from);
    let spelled = spelled.filter(|spelled| spelled.is_absolute() && is_same(spelled, &here));
    let whole = spelled.unwrap_or(here).join(path);
    std::path::absolute(&whole).unwrap_or(whole)
}
