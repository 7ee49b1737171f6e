//! `cutline config CLIENT`: the entry that adds this binary to a client, with the flags given; printed,
//! or merged into the client's own file.

mod clients;
mod entry;
mod file;
mod merge;
mod owner;
mod places;
mod tree;
mod wrapped;

use std::ffi::OsStr;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory as _};

use super::settings::absolute;
use super::{Cli, Client, Scope, refuse_in, wrap};
use file::Written;
use wrapped::Lookup;

pub(super) use entry::Start;
pub(super) use file::read;
pub(super) use owner::as_programs_make_them;
pub(super) use places::{Place, looked_at, places};
pub(super) use wrapped::{entries, wrapped_words};

/// The flags whose values are paths: a client starts the server in a folder of its own.
const PATHS: [&str; 4] = ["roots", "spill_dir", "writable", "stats_file"];

/// The file that is asked about.
#[derive(Debug)]
pub(super) struct Target {
    /// The client.
    pub(super) client: Client,
    /// True if it is written; else the entry is printed.
    pub(super) write: bool,
    /// The file, where it is not the client's own.
    pub(super) file: Option<PathBuf>,
    /// The one of the client's files, where it has several.
    pub(super) scope: Option<Scope>,
}

impl Target {
    /// The places that an entry goes to.
    fn places(&self) -> anyhow::Result<Vec<Place>> {
        let Some(file) = &self.file else {
            return Ok(places::written(self.client, self.scope)
                .unwrap_or_else(|message| refuse_in(&["config"], message)));
        };
        let keys = vec![self.client.row().servers.to_owned()];
        Ok(vec![Place { scope: Scope::User, path: std::path::absolute(file)?, keys }])
    }

    /// The first place of the client that has an entry of that name, else the first that one would go to.
    fn place_of(&self, name: &str) -> anyhow::Result<Place> {
        let mut places = self.places()?;
        if self.file.is_none() && self.scope.is_none() {
            places.extend(places::places(self.client));
        }
        let has_it = |place: &&Place| {
            let text = read(&place.path).unwrap_or_default();
            let found = Lookup::of(self.client.row(), &place.keys, &text, name);
            !matches!(found, Ok(Lookup::Missing(_)))
        };
        let place = places.iter().find(has_it).or(places.first()).cloned();
        place.context("there is no file")
    }
}

/// Prints or writes the entry; the exit code.
pub(super) fn run(target: &Target, matches: &ArgMatches) -> anyhow::Result<i32> {
    let client = target.client;
    let row = client.row();
    let binary = text(std::env::current_exe()?.as_os_str())?;
    let flags = flags(matches)?;
    let mut say = anstream::stderr().lock();
    for place in target.places()? {
        let merged = |text: &str| merge::merged(row, &place.keys, text, &binary, &flags);
        if !target.write {
            std::io::stdout().lock().write_all(merged("").map_err(anyhow::Error::msg)?.as_bytes())?;
            let _closed = writeln!(say, "This goes into {place}");
            break;
        }
        let written = file::rewrite(&place, merged)
            .with_context(|| format!("{} was left as it is", place.path.display()))?;
        let path = place.path.display();
        let _closed = match written {
            Written::AsItWas => writeln!(say, "{path} has this entry already"),
            Written::New => writeln!(say, "{path} is new, and holds this entry"),
            Written::Changed { backup } => {
                writeln!(say, "{path} has this entry now; as it was, it is in {}", backup.display())
            }
        };
    }
    let rootless = !flags.iter().any(|flag| flag == "--root");
    if rootless && client == Client::ClaudeDesktop {
        let _closed = writeln!(
            say,
            "Claude Desktop starts servers in a folder of its own: with --root DIR the tools work in yours"
        );
    }
    Ok(0)
}

/// The change to an entry of another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapping {
    /// It is wrapped, with the flags given.
    Wrap,
    /// It is what it was before.
    Unwrap,
}

/// Wraps or unwraps the entry `name`; prints the entry, or writes it. Returns the exit code.
pub(super) fn rewrap(
    target: &Target,
    wrapping: Wrapping,
    name: &str,
    matches: &ArgMatches,
) -> anyhow::Result<i32> {
    if let Some(foreign) = wrap::foreign(matches) {
        refuse_in(&["config"], format!("a wrap does not take {foreign}"));
    }
    let row = target.client.row();
    let binary = text(std::env::current_exe()?.as_os_str())?;
    let flags = [flags(matches)?, wrap::own_flags(matches)?].concat();
    let place = target.place_of(name)?;
    let Place { path, keys, .. } = &place;
    let change = |old: &str| -> Result<(String, Range<usize>), String> {
        let found = match Lookup::of(row, keys, old, name)? {
            Lookup::Entry(found) => found,
            Lookup::Remote(_, whole) if wrapping == Wrapping::Unwrap => return Ok((old.to_owned(), whole)),
            Lookup::Remote(url, _) => {
                return Err(format!(
                    "{name} is a server elsewhere; start it by npx mcp-remote {url}, and wrap that"
                ));
            }
            Lookup::Missing(names) => {
                let others = if names.is_empty() {
                    ", and no other".to_owned()
                } else {
                    format!("; it has {}", names.join(", "))
                };
                refuse_in(&["config"], format!("{} has no entry {name}{others}", path.display()))
            }
        };
        let new = match wrapping {
            Wrapping::Wrap => found.wrap(old, &binary, &flags),
            Wrapping::Unwrap => found.unwrap(old).unwrap_or_else(|| old.to_owned()),
        };
        // Words are moved as they are written; where they mean something else in their new place, they stay.
        match Lookup::of(row, keys, &new, name) {
            Ok(Lookup::Entry(now)) if now.server() == found.server() => Ok((new, now.whole)),
            _ => Err(format!("{name} could not be changed for sure: put its command in quotes")),
        }
    };
    let mut say = anstream::stderr().lock();
    if !target.write {
        let old = match read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            old => old.with_context(|| path.display().to_string())?,
        };
        let (new, entry) = change(&old).map_err(anyhow::Error::msg)?;
        if wrapping == Wrapping::Unwrap && new == old {
            let _closed = writeln!(say, "{name} is not wrapped");
        }
        writeln!(std::io::stdout().lock(), "{}", new[entry].trim_end())?;
        return Ok(0);
    }
    let written = file::rewrite(&place, |old| change(old).map(|(new, _)| new))
        .with_context(|| format!("{} was left as it is", path.display()))?;
    let (as_it_was, changed, before) = match wrapping {
        Wrapping::Wrap => ("is wrapped so already", "is wrapped now", "as it was"),
        Wrapping::Unwrap => ("is not wrapped", "is what it was", "wrapped"),
    };
    let path = path.display();
    let _closed = match written {
        Written::AsItWas => writeln!(say, "{name} in {path} {as_it_was}"),
        Written::Changed { backup } => {
            writeln!(say, "{name} in {path} {changed}; {before}, the file is in {}", backup.display())
        }
        Written::New => Ok(()),
    };
    Ok(0)
}

/// Returns a path as text, which a file can hold.
fn text(value: &OsStr) -> anyhow::Result<String> {
    let text = value.to_str().with_context(|| format!("{} is not UTF-8", value.display()))?;
    Ok(text.to_owned())
}

/// The flags as they were typed, their paths made absolute.
pub(super) fn flags(matches: &ArgMatches) -> anyhow::Result<Vec<String>> {
    words(matches, &Cli::command())
}

/// Returns the flags of `command` that were typed, their paths made absolute.
pub(super) fn words(matches: &ArgMatches, command: &clap::Command) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    for (matches, arg, flag) in typed(matches, command) {
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            words.push(flag);
            continue;
        }
        let id = arg.get_id().as_str();
        for value in matches.get_raw(id).into_iter().flatten() {
            let path = PATHS.contains(&id).then(|| absolute(Path::new(value)));
            let value = text(path.as_deref().map_or(value, Path::as_os_str))?;
            // A word of its own would be taken for a flag.
            if value.starts_with('-') {
                words.push(format!("{flag}={value}"));
            } else {
                words.extend([flag.clone(), value]);
            }
        }
    }
    Ok(words)
}

/// Returns the arguments of `command` that were typed as flags, each with where its values are and the flag.
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
