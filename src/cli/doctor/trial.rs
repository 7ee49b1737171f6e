//! Tries to start a client's entry.
//!
//! The entry may belong to another person's project. A trial therefore starts only this binary, as a server, in an
//! empty temporary folder. It passes on only flags that set limits, not flags with paths or with the maximum age of
//! files.

use std::any::TypeId;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use clap::builder::Resettable;
use clap::{ArgAction, ArgMatches, CommandFactory as _};
use serde_json::Value;

use super::machine;
use crate::cli::config::ConfiguredServer;
use crate::cli::typed;
use crate::cli::{Cli, NAME, command, split_paths};
use crate::fit;
use crate::tools::error::reason;

/// The ids of the flags that a trial passes on.
const PASSED_ON: [&str; 21] = [
    "tools",
    "structured",
    "fit",
    "max_lines",
    "max_bytes",
    "max_tokens",
    "call_limits",
    "max_line_chars",
    "max_text_line_chars",
    "bash_head",
    "bash_tail",
    "key_lines",
    "bash_timeout",
    "bash_max_timeout",
    "images",
    "max_image_bytes",
    "answer_within",
    "search_timeout",
    "sandbox",
    "sandbox_deny",
    "save",
];
/// The variables with the folder for temporary files, on Unix and on Windows.
const TEMP_VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// The values of a variable that clap parses as false.
const OFF: [&str; 6] = ["n", "no", "f", "false", "off", "0"];

/// The flags of an entry that starts this binary as a server.
pub(super) struct Trial {
    matches: ArgMatches,
    cli: Cli,
}

impl Trial {
    /// Parses the arguments and variables of the entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments are invalid or do not start a server.
    pub(super) fn parse(server: &ConfiguredServer<'_>) -> Result<Self, String> {
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
        let matches = parse(&words)?;
        let cli = Cli::parsed(&matches).map_err(|error| first_line(&error))?;
        if cli.command.is_some() { Err(not_a_server()) } else { Ok(Self { matches, cli }) }
    }

    /// Starts the server for the handshake, and checks that the folders in the entry's flags exist. Returns the
    /// duration of the handshake and the server's statistics.
    pub(super) fn start(
        &self,
        server: &ConfiguredServer<'_>,
        binary: &Path,
        client: Option<&fit::Client>,
    ) -> Result<(Duration, Value), String> {
        let folder = Path::new(server.folder().unwrap_or_default());
        if server.folder().is_some() {
            let refused = |error| format!("its folder {}: {}", folder.display(), reason(&error));
            fs::read_dir(folder).map_err(refused)?;
        }
        self.cli.options.roots.iter().try_for_each(|root| machine::check_root(&folder.join(root)))?;
        let temporary = tempfile::tempdir().map_err(|error| reason(&error))?;
        let command = self.command(binary, temporary.path()).map_err(|error| format!("{error:#}"))?;
        super::server::greet(command, client.map(|client| client.id))
    }

    /// Returns the command of a trial in `temporary`, an empty folder.
    fn command(&self, binary: &Path, temporary: &Path) -> anyhow::Result<Command> {
        let [work, temp, saved] = ["work", "temp", "saved"].map(|name| temporary.join(name));
        for folder in [&work, &temp] {
            fs::create_dir(folder).context("no temporary folder could be made")?;
        }
        let all = Cli::command();
        let is_passed_on = |arg: &clap::Arg| PASSED_ON.contains(&arg.get_id().as_str());
        let mut command = Command::new(binary);
        command.args(typed::words_of(&self.matches, &all, is_passed_on)?);
        command.arg("--spill-dir").arg(saved).current_dir(work);
        // The variables of the entry become flags. The server inherits a variable of this process only if its flag is
        // passed on and the entry does not set it.
        for arg in all.get_arguments() {
            let is_inherited =
                self.matches.value_source(arg.get_id().as_str()) == Some(ENV) && is_passed_on(arg);
            if let Some(name) = arg.get_env().filter(|_| !is_inherited) {
                command.env_remove::<&OsStr>(name);
            }
        }
        command.envs(TEMP_VARIABLES.map(|name| (name, &temp)));
        Ok(command)
    }
}

/// The source of a value that comes from a variable.
const ENV: clap::parser::ValueSource = clap::parser::ValueSource::EnvVariable;

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
