//! Checks the entries in the clients' files, and starts those that start this binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Finding::{self, Fine, Note, Wrong};
use super::{check_root, session};
use crate::cli::config::{self, Place, flags_of, is_cutline, wrapped};
use crate::cli::{NAME, is_same, parsed};
use crate::fit::Client;
use crate::process;

/// Prefixes of placeholders that clients replace before they start a server.
const FILLED_IN: [&str; 3] = ["${", "{env:", "{file:"];
/// The start of the variables of cutline. Other variables of an entry could make the system load other code.
const VARIABLE: &str = "CUTLINE_";

/// Returns true for the flags and variables with files to which the server writes. An entry may belong to another
/// person's project, so `doctor` starts it without them.
fn is_writing(flag: &str) -> bool {
    let name = flag.trim_start_matches("--").to_lowercase().replace('_', "-");
    name == "stats-file" || name.starts_with("spill-")
}

/// Returns true for a text with a placeholder.
fn is_filled_in(text: &str) -> bool {
    FILLED_IN.iter().any(|start| text.contains(start))
}

/// Checks the entries in all files of clients.
pub(super) fn findings(binary: &Path) -> Vec<Finding> {
    let check = |client: &'static Client| {
        let name = client.files.name;
        checked(client, name, binary).unwrap_or_else(|error| {
            // A file that cannot be read may belong to another person's project.
            let is_unread = error.downcast_ref::<std::io::Error>().is_some();
            let finding = if is_unread { Note } else { Wrong };
            vec![finding(format!("{name}: {error:#}"))]
        })
    };
    let mut all: Vec<Finding> = config::clients().flat_map(check).collect();
    if all.is_empty() {
        all.push(Note(format!("no client in this folder starts {NAME}: run {NAME} config CLIENT --write")));
    }
    all
}

/// Returns the path of a program that can be started.
fn path_of(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        Some(PathBuf::from(program)).filter(|path| process::is_program(path))
    } else {
        process::on_path(program)
    }
}

/// An entry that starts cutline.
struct Entry {
    place: Place,
    name: String,
    value: Value,
    words: Vec<String>,
}

/// Checks the first entry of a client that starts cutline, and all entries that start `cutline wrap`.
fn checked(client: &'static Client, name: &str, binary: &Path) -> anyhow::Result<Vec<Finding>> {
    let (mut own, mut all) = (Vec::new(), Vec::new());
    for place in config::places(client) {
        if place.is_shared_yaml() || !place.path.exists() {
            continue;
        }
        let unreadable = || format!("{place} could not be parsed");
        for (entry, value) in config::servers(&place).with_context(unreadable)? {
            let words = config::words(&place.client.files, &value).with_context(unreadable)?;
            if let Some((_, command)) = wrapped(&words) {
                let programs = words.first().into_iter().chain(command.first());
                let mut missing =
                    programs.filter(|program| !is_filled_in(program) && path_of(program).is_none());
                let text = format!("{name}: {place} wraps {entry}");
                all.push(match missing.next() {
                    None => Fine(text),
                    Some(program) => Wrong(format!("{text} with {program}, which is not a program")),
                });
            } else if !words.is_empty() && (entry == NAME || is_cutline(&words)) {
                own.push(Entry { place: place.clone(), name: entry, value, words });
            }
        }
    }
    all.extend(own.split_first().map(|(first, others)| of_first(client, name, binary, first, others)));
    Ok(all)
}

/// Checks an entry that starts cutline. `others` are the entries after it.
fn of_first(client: &Client, name: &str, binary: &Path, entry: &Entry, others: &[Entry]) -> Finding {
    let Entry { place, value, words, .. } = entry;
    let program = words.first().map_or("", String::as_str);
    let other = others.iter().find(|other| other.words != *words);
    let other = other.map_or_else(String::new, |Entry { place, name, .. }| {
        let own = if *name == entry.name { String::new() } else { format!(": {name}") };
        format!("; {place} has another entry{own}")
    });
    let own = if entry.name == NAME { String::new() } else { format!("{}: ", entry.name) };
    let what = format!("{name}: {own}{place} starts {program}");
    if config::is_switched_off(value) {
        return Note(format!("{name}: the entry in {place} is switched off{other}"));
    }
    let values = config::variables(value).map(|(_, value)| value);
    let mut texts = words.iter().map(String::as_str).chain(values).chain(config::folder(value));
    if texts.any(is_filled_in) {
        return Note(format!("{what} with ${{…}}, which the client fills in: it was not started"));
    }
    match path_of(program) {
        None => Wrong(format!("{what}, which is not a program")),
        Some(path) if !is_same(&path, binary) => {
            Note(format!("{what}, another program than this one: it was not started"))
        }
        Some(_) => match started(client, value, words, binary) {
            Ok((text, None)) if other.is_empty() => Fine(format!("{what}: {text}")),
            Ok((text, None)) => Note(format!("{what}: {text}{other}")),
            Ok((text, Some(root))) => Note(format!("{what}: {text}; this entry works in {root}{other}")),
            Err(error) => Wrong(format!("{what}, but {error:#}")),
        },
    }
}

/// Starts an entry. Returns what it did, and its first root if that is not in the current folder.
fn started(
    client: &Client,
    entry: &Value,
    words: &[String],
    binary: &Path,
) -> anyhow::Result<(String, Option<String>)> {
    let arguments = words.get(1..).unwrap_or_default();
    let options = parsed(arguments)?;
    let flags = flags_of(arguments)?;
    let flags = flags.iter().filter(|flag| !is_writing(&flag.name)).flat_map(|flag| &flag.words);
    let here = std::env::current_dir().unwrap_or_default();
    let folder = config::folder(entry).map_or_else(|| here.clone(), |folder| here.join(folder));
    options.roots.iter().try_for_each(|root| check_root(&folder.join(root)).map(drop))?;
    // The file itself is not opened, because that creates it.
    if let Some(file) = &options.stats_file {
        let of_file = folder.join(file);
        let is_there = of_file.parent().is_some_and(Path::is_dir);
        ensure!(is_there, "--stats-file {}: its folder does not exist", file.display());
    }
    let root = options.roots.first().map_or_else(|| folder.clone(), |root| folder.join(root));
    let saved = tempfile::tempdir()?;
    let mut command = Command::new(binary);
    let is_harmless = |name: &str| name.strip_prefix(VARIABLE).is_some_and(|name| !is_writing(name));
    command.args(flags).envs(config::variables(entry).filter(|(name, _)| is_harmless(name)));
    command.env_remove("CUTLINE_STATS_FILE").env("CUTLINE_SPILL_DIR", saved.path()).current_dir(&folder);
    let text = session::run(command, client.id, &root)?;
    let followed = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, here) = (followed(&root), followed(&here));
    let is_here = options.roots.is_empty() || here.starts_with(&root) || root.starts_with(&here);
    Ok((text, (!is_here).then(|| root.display().to_string())))
}
