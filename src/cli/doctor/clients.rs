//! The clients' files: what they start as this server, tried where that is this very binary.
//!
//! Such a file may have come with somebody else's project. So nothing is started but this binary, and
//! that only as a server, without variables that are not its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{FromArgMatches as _, ValueEnum as _};

use super::Finding::{self, Fine, Note, Wrong};
use super::{machine, server};
use crate::cli::config::{self, Start};
use crate::cli::{Cli, Client, NAME, command};
use crate::process;
use crate::tools::error::reason;
use cutline_core::text::show;

/// The start of the names of the flags' variables.
const VARIABLES: &str = "CUTLINE_";
/// The start of a word that a client replaces before it starts a server.
const FILLED_IN: &str = "${";

/// Looks at the files of the clients that have this server.
pub(super) fn look(binary: &Path, say: &mut dyn FnMut(Finding)) {
    for client in Client::value_variants() {
        for path in config::places(*client).into_iter().filter(|path| path.exists()) {
            let text = config::read(&path).map_err(|error| reason(&error));
            let start = text.as_ref().map_err(Clone::clone).and_then(|text| config::start_in(*client, text));
            let path = path.display();
            if let Some(others) = text.ok().and_then(|text| others(*client, &text)) {
                say(Fine(format!("{path} has other servers: {others}")));
            }
            match start {
                Ok(None) => {}
                Ok(Some(start)) => say(tried(&format!("{path} starts {}", start.command), &start, binary)),
                Err(message) => say(Note(format!("{path} can't be understood: {message}"))),
            }
        }
    }
}

/// Returns the other servers of a file in words, if there are any: which are wrapped, and which are not.
fn others(client: Client, text: &str) -> Option<String> {
    let mut entries = config::entries(client, text).ok()?;
    entries.retain(|(name, _)| name != NAME);
    let named = |wrapped: bool, word: &str| {
        let some = entries.iter().filter(|(_, command)| command.is_some() == wrapped);
        let names: Vec<&str> = some.map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{word} {}", show::path(&names.join(", "))))
    };
    let said: Vec<String> =
        [named(true, "wrapped"), named(false, "not wrapped")].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn tried(what: &str, start: &Start, binary: &Path) -> Finding {
    let values = start.env.iter().map(|(_, value)| value);
    let mut words = start.args.iter().chain(values).chain(&start.folder).chain([&start.command]);
    if words.any(|word| word.contains(FILLED_IN)) {
        return Note(format!("{what} with {FILLED_IN}…}}, which the client fills in: it was not tried"));
    }
    let Some(program) = program(&start.command) else {
        return Wrong(format!("{what}, which is no program"));
    };
    if program.canonicalize().ok() != binary.canonicalize().ok() {
        return Note(format!("{what}, another program than this one: it was not tried"));
    }
    match serves(start).and_then(|()| server::greet(&mut as_the_client_would(start, binary))) {
        Ok(took) => Fine(format!("{what}, which greeted in {took:.0?}")),
        Err(message) => Wrong(format!("{what}, but {message}")),
    }
}

/// Returns an error if no server is started so, or a root of it is not there.
fn serves(start: &Start) -> Result<(), String> {
    let words = [NAME].into_iter().chain(start.args.iter().map(String::as_str));
    let matches = command().try_get_matches_from(words);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) if cli.command.is_none() => cli,
        Err(error) if error.use_stderr() => return Err(first_line(&error)),
        // A command, help or the version.
        Ok(_) | Err(_) => return Err("not as a server".to_owned()),
    };
    let folder = Path::new(start.folder.as_deref().unwrap_or_default());
    cli.options.roots.iter().try_for_each(|root| match machine::root_can_be_used(&folder.join(root)) {
        Wrong(message) => Err(message),
        Fine(_) | Note(_) => Ok(()),
    })
}

/// Returns the reason for which the words are wrong, without the usage.
fn first_line(error: &clap::Error) -> String {
    let story = error.to_string();
    let line = story.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn as_the_client_would(start: &Start, binary: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(&start.args);
    // One like LD_PRELOAD would have it run what is not this binary.
    command.envs(start.env.iter().filter(|(name, _)| name.starts_with(VARIABLES)).cloned());
    if let Some(folder) = &start.folder {
        command.current_dir(folder);
    }
    command
}

/// The program that a command is, where there is one.
fn program(command: &str) -> Option<PathBuf> {
    let command = Path::new(command);
    if command.components().count() > 1 {
        return process::is_program(command).then(|| command.to_owned());
    }
    process::on_path(command)
}
