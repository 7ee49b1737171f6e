//! Checks the clients' files, and the flags of the entries that start this binary.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;

use super::Finding::{self, Fine, Note, Wrong};
use super::entry_flags;
use crate::cli::config::{self, ConfiguredServer, Node, Place, is_cutline};
use crate::cli::{Client, NAME, is_same};
use crate::process;
use crate::tools::error::reason;
use cutline_core::text::show;

/// Prefixes of placeholders that clients replace before they start a server.
const FILLED_IN: [&str; 3] = ["${", "{env:", "{file:"];

/// Checks the entries of this server and of other servers in all files of clients.
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
    /// The locations and commands of each entry, by name.
    entries: BTreeMap<String, Vec<(Place, Vec<String>)>>,
    /// The parsed files. `None` if a file could not be parsed.
    files: BTreeMap<PathBuf, Option<Node>>,
}

fn look_at(place: &Place, binary: &Path, found: &mut Found, say: &mut dyn FnMut(Finding)) {
    let row = place.client.row();
    let Found { entries, files } = found;
    let top = files.entry(place.path.clone()).or_insert_with(|| {
        let text = config::read(&place.path).map_err(|error| reason(&error));
        let top = text.and_then(|text| Node::parse(row.format, &text).map_err(|error| error.to_string()));
        top.map_err(|message| say(Note(format!("{place} could not be parsed: {message}")))).ok()
    });
    let Some(top) = top else { return };
    let mut servers = Vec::new();
    for (name, entry) in config::entries(top, &place.keys) {
        match ConfiguredServer::of(row, entry) {
            Ok(server) => servers.extend(server.map(|server| (name, server))),
            Err(message) => say(Note(format!("{place} could not be parsed: {message}"))),
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
            // Only the client knows the folder to which a relative path refers.
            let is_known = Path::new(program).is_absolute() || Path::new(program).components().count() == 1;
            if is_known && !is_filled_in(program) && self::program(program).is_none() {
                let gone = format!("{name} in {place} starts {program}, which is not a program");
                say(Note(show::path(&gone)));
            }
        }
    }
    for (name, server) in own {
        let by_name = if name == NAME { String::new() } else { format!(" as {}", show::path(name)) };
        let what = format!("{place} starts {}{by_name}", server.executable());
        match server.switched_off() {
            Some(switch) => say(Note(format!("{place} has {} switched off: {switch}", show::path(name)))),
            None => say_checked(place, &what, &server, binary, say),
        }
    }
}

impl Found {
    /// Reports entries with the same name and different commands.
    fn conflicts(&self, client: Client, say: &mut dyn FnMut(Finding)) {
        // The files of Cline belong to two programs.
        if client == Client::Cline {
            return;
        }
        for (name, places) in &self.entries {
            let [(first, command), rest @ ..] = places.as_slice() else { continue };
            let Some((other, _)) = rest.iter().find(|(_, words)| words != command) else { continue };
            let is_known = !matches!(client, Client::Vscode | Client::Continue) && first.scope != other.scope;
            let holds = if is_known { format!("; the client uses {first}") } else { String::new() };
            let (row, name) = (client.row().name, show::path(name));
            say(Note(format!("{row} has {name} in {first} and in {other}, with different commands{holds}")));
        }
    }
}

fn is_filled_in(word: &str) -> bool {
    FILLED_IN.iter().any(|start| word.contains(start))
}

/// Reports whether the entry starts this server, and its limits.
fn say_checked(
    place: &Place,
    what: &str,
    server: &ConfiguredServer<'_>,
    binary: &Path,
    say: &mut dyn FnMut(Finding),
) {
    let words = server.words();
    let values = server.variables().map(|(_, value)| value);
    if words.iter().copied().chain(values).chain(server.folder()).any(is_filled_in) {
        return say(Note(format!("{what} with ${{…}}, which the client fills in: it was not checked")));
    }
    let Some(program) = program(server.executable()) else {
        return say(Wrong(format!("{what}, which is not a program")));
    };
    if !is_same(&program, binary) {
        return say(Note(format!("{what}, another program than this one: it was not checked")));
    }
    match entry_flags::limits(server, place.client.fit()) {
        Ok((client, limits)) => {
            say(Fine(format!("{what} with valid flags")));
            let limits = super::server::limits_text(client, &limits);
            say(Fine(format!("{}: {limits}", place.client.row().name)));
        }
        Err(message) => say(Wrong(format!("{what}, but {message}"))),
    }
}

/// Returns the path of a command's program, if it exists.
fn program(command: &str) -> Option<PathBuf> {
    let command = Path::new(command);
    if command.components().count() > 1 {
        return process::is_program(command).then(|| command.to_owned());
    }
    process::on_path(command)
}
