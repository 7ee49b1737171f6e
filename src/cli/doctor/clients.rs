//! The clients' files: what they start as this server, tried where that is this very binary.
//!
//! Such a file may have come with a project of others. So nothing is started but this binary, and
//! that only as a server, without variables that are not its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{FromArgMatches as _, ValueEnum as _};

use super::Finding::{self, Fine, Note, Wrong};
use super::machine;
use crate::cli::config::{self, Node, Place, Server, is_cutline};
use crate::cli::{Cli, Client, NAME, command, is_same};
use crate::process;
use crate::tools::error::reason;
use cutline_core::text::show;

/// The start of the names of the flags' variables.
const VARIABLES: &str = "CUTLINE_";
/// The flag and the variable of the file of records, which a server creates.
const STATS_FLAG: &str = "--stats-file";
const STATS_VARIABLE: &str = "CUTLINE_STATS_FILE";
/// The starts of words that clients replace before they start a server.
const FILLED_IN: [&str; 3] = ["${", "{env:", "{file:"];

/// Looks at the files of the clients: at the entries of this server, and at those of others.
pub(super) fn look(binary: &Path, say: &mut dyn FnMut(Finding)) {
    for client in Client::value_variants() {
        let mut found = Found::default();
        for place in config::places(*client).into_iter().filter(|place| place.path.exists()) {
            look_at(&place, binary, &mut found, say);
        }
        found.conflicts(*client, say);
    }
}

/// The entries of one client.
#[derive(Default)]
struct Found {
    /// By the entry's name: each place, and the command there.
    entries: BTreeMap<String, Vec<(Place, Vec<String>)>>,
    /// Each file; `None` where it could not be understood.
    files: BTreeMap<PathBuf, Option<Node>>,
}

fn look_at(place: &Place, binary: &Path, found: &mut Found, say: &mut dyn FnMut(Finding)) {
    let row = place.client.row();
    let Found { entries, files } = found;
    let top = files.entry(place.path.clone()).or_insert_with(|| {
        let text = config::read(&place.path).map_err(|error| reason(&error));
        let top = text.and_then(|text| Node::parse(row.format, &text).map_err(|error| error.to_string()));
        top.map_err(|message| say(Note(format!("{place} can't be understood: {message}")))).ok()
    });
    let Some(top) = top else { return };
    let mut servers = Vec::new();
    for (name, entry) in config::entries(top, &place.keys) {
        match Server::of(row, entry) {
            Ok(server) => servers.extend(server.map(|server| (name, server))),
            Err(message) => say(Note(format!("{place} can't be understood: {message}"))),
        }
    }
    for (name, server) in servers.iter().filter(|(_, server)| server.switched_off().is_none()) {
        let words = server.words().into_iter().map(str::to_owned).collect();
        entries.entry((*name).to_owned()).or_default().push((place.clone(), words));
    }
    let (own, others): (Vec<_>, Vec<_>) = servers.into_iter().partition(|(name, server)| {
        server.wrapped().is_none() && (*name == NAME || is_cutline(&server.words()))
    });
    let named = |is_wrapped, word: &str| {
        let such = others.iter().filter(|(_, server)| server.wrapped().is_some() == is_wrapped);
        let names: Vec<&str> = such.map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| format!("{word} {}", show::path(&names.join(", "))))
    };
    let lists: Vec<_> = [named(true, "wrapped"), named(false, "not wrapped")].into_iter().flatten().collect();
    if !lists.is_empty() {
        say(Fine(format!("{place} has other servers: {}", lists.join("; "))));
    }
    for (name, server) in others {
        let inner = server.wrapped().and_then(|words| words.first().copied());
        for program in [server.executable()].into_iter().chain(inner) {
            // A path that is not whole is taken from a folder that only the client knows.
            let is_known = Path::new(program).is_absolute() || Path::new(program).components().count() == 1;
            if is_known && !is_filled_in(program) && self::program(program).is_none() {
                let gone = format!("{name} in {place} starts {program}, which is no program");
                say(Note(show::path(&gone)));
            }
        }
    }
    for (name, server) in own {
        let by_name = if name == NAME { String::new() } else { format!(" as {}", show::path(name)) };
        let what = format!("{place} starts {}{by_name}", server.executable());
        match server.switched_off() {
            Some(switch) => say(Note(format!("{place} has {} switched off: {switch}", show::path(name)))),
            None => say_tried(place.client, &what, &server, binary, say),
        }
    }
}

impl Found {
    /// Says which entries of one name start other commands in other places.
    fn conflicts(&self, client: Client, say: &mut dyn FnMut(Finding)) {
        // Its files are those of two programs.
        if client == Client::Cline {
            return;
        }
        for (name, places) in &self.entries {
            let [(first, command), rest @ ..] = places.as_slice() else { continue };
            let Some((other, _)) = rest.iter().find(|(_, words)| words != command) else { continue };
            let is_known = !matches!(client, Client::Vscode | Client::Continue) && first.scope != other.scope;
            let holds = if is_known { format!("; that of {first} holds") } else { String::new() };
            let (row, name) = (client.row().name, show::path(name));
            say(Note(format!("{row} has {name} in {first} and in {other}, with other commands{holds}")));
        }
    }
}

fn is_filled_in(word: &str) -> bool {
    FILLED_IN.iter().any(|start| word.contains(start))
}

fn say_tried(client: Client, what: &str, server: &Server<'_>, binary: &Path, say: &mut dyn FnMut(Finding)) {
    let words = server.words();
    let values = server.variables().map(|(_, value)| value);
    if words.iter().copied().chain(values).chain(server.folder()).any(is_filled_in) {
        return say(Note(format!("{what} with ${{…}}, which the client fills in: it was not tried")));
    }
    let Some(program) = program(server.executable()) else {
        return say(Wrong(format!("{what}, which is no program")));
    };
    if !is_same(&program, binary) {
        return say(Note(format!("{what}, another program than this one: it was not tried")));
    }
    let row = client.row();
    let fit = client.fit().map(|row| row.id);
    match serves(server).and_then(|()| super::server::greet(as_the_client_would(server, binary), fit)) {
        Ok((took, stats)) => {
            say(Fine(format!("{what}, which greeted in {took:.0?}")));
            say(Fine(format!("{}: {}", row.name, super::server::limits(&stats))));
        }
        Err(message) => say(Wrong(format!("{what}, but {message}"))),
    }
}

/// Returns an error if no server is started so, or a root of it is not there.
fn serves(server: &Server<'_>) -> Result<(), String> {
    let words = [NAME].into_iter().chain(server.words().into_iter().skip(1));
    let matches = command().try_get_matches_from(words);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) if cli.command.is_none() => cli,
        Err(error) if error.use_stderr() => return Err(first_line(&error)),
        // A command, help or the version.
        Ok(_) | Err(_) => return Err("not as a server".to_owned()),
    };
    let folder = Path::new(server.folder().unwrap_or_default());
    cli.options.roots.iter().try_for_each(|root| machine::check_root(&folder.join(root)))
}

/// Returns the reason for which the words are wrong, without the usage.
fn first_line(error: &clap::Error) -> String {
    let story = error.to_string();
    let line = story.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn as_the_client_would(server: &Server<'_>, binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // A trial creates no file that a project of others names.
    let mut words = server.words().into_iter().skip(1);
    while let Some(word) = words.next() {
        match word.strip_prefix(STATS_FLAG) {
            Some("") => drop(words.next()),
            Some(value) if value.starts_with('=') => {}
            _ => _ = command.arg(word),
        }
    }
    // One like LD_PRELOAD would have it run what is not this binary.
    let is_own = |name: &str| name.starts_with(VARIABLES) && name != STATS_VARIABLE;
    command.envs(server.variables().filter(|(name, _)| is_own(name)));
    if let Some(folder) = server.folder() {
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
