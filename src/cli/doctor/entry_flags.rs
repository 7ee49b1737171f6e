//! Checks the flags of a client's entry without starting its server.
//!
//! The entry may belong to another person's project. A server with its flags could remove saved outputs or create files,
//! so `doctor` only parses them.

use std::any::TypeId;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{ArgAction, CommandFactory as _};

use super::machine;
use crate::cli::config::ConfiguredServer;
use crate::cli::typed;
use crate::cli::{Cli, NAME, Options, command, split_paths};
use crate::fit;
use crate::limits::Limits;
use crate::process::sandbox::{self, Mode};
use crate::tools::error::reason;

/// The values of a variable that clap parses as false.
const OFF: [&str; 6] = ["n", "no", "f", "false", "off", "0"];

/// Returns the client profile and the limits of a server that `client` starts with this entry.
///
/// # Errors
///
/// Returns an error if the arguments and variables are invalid or do not start a server, or if a folder is missing.
pub(super) fn limits(
    server: &ConfiguredServer<'_>,
    client: Option<&fit::Client>,
) -> Result<(Option<&'static fit::Client>, Limits), String> {
    let options = options(server)?;
    let folder = Path::new(server.folder().unwrap_or_default());
    if server.folder().is_some() {
        let refused = |error| format!("its folder {}: {}", folder.display(), reason(&error));
        fs::read_dir(folder).map_err(refused)?;
    }
    options.roots.iter().try_for_each(|root| machine::check_root(&folder.join(root)))?;
    if options.sandbox != Mode::Off {
        sandbox::probe().map_err(|error| format!("--sandbox is not available here: {error}"))?;
    }
    let client = options.fit.client(client.map(|client| client.id));
    options.fitted(client).map(|limits| (client, limits)).map_err(|error| error.to_string())
}

/// Parses the arguments and variables of the entry.
fn options(server: &ConfiguredServer<'_>) -> Result<Options, String> {
    let mut words = vec![NAME.to_owned()];
    words.extend(server.words().into_iter().skip(1).map(str::to_owned));
    let variables: Vec<(&str, &str)> = server.variables().collect();
    let set_by_entry = |arg: &clap::Arg| {
        let name = arg.get_env()?;
        variables.iter().find(|(other, _)| name == *other).map(|(_, value)| *value)
    };
    let parse = |words: &[String]| {
        let without_variable =
            |arg: clap::Arg| if set_by_entry(&arg).is_some() { arg.env(Resettable::Reset) } else { arg };
        command().mut_args(without_variable).try_get_matches_from(words).map_err(|error| {
            // `--help` and `--version` do not start a server.
            if error.use_stderr() { first_line(&error) } else { not_a_server() }
        })
    };
    let typed = parse(&words)?;
    let all = Cli::command();
    let typed: Vec<&clap::Id> = typed::typed(&typed, &all).map(|(_, arg, _)| arg.get_id()).collect();
    for arg in all.get_arguments().filter(|arg| !typed.contains(&arg.get_id())) {
        let value = set_by_entry(arg).filter(|value| !value.is_empty());
        if let Some((flag, value)) = arg.get_long().zip(value) {
            words.splice(1..1, flags_of(arg, flag, value));
        }
    }
    let cli = Cli::parsed(&parse(&words)?).map_err(|error| first_line(&error))?;
    if cli.command.is_some() { Err(not_a_server()) } else { Ok(cli.options) }
}

/// Returns the flags that are equivalent to setting the variable of `arg` to this value.
fn flags_of(arg: &clap::Arg, flag: &str, value: &str) -> Vec<String> {
    let is_folder = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    match arg.get_action() {
        ArgAction::SetTrue if OFF.contains(&value.to_lowercase().as_str()) => Vec::new(),
        ArgAction::SetTrue => vec![format!("--{flag}")],
        ArgAction::Append if is_folder => {
            split_paths(value).iter().map(|folder| format!("--{flag}={}", folder.display())).collect()
        }
        _ => vec![format!("--{flag}={value}")],
    }
}

fn not_a_server() -> String {
    "not as a server".to_owned()
}

/// Returns the first line of the error message, without the usage.
fn first_line(error: &clap::Error) -> String {
    let story = error.to_string();
    let line = story.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
