//! `cutline config CLIENT` prints this server's entry for a client, merges it into the client's file, or removes it.

mod clients;
mod entry;
mod file;
mod merge;
mod owner;
mod places;
mod remove;
mod server;
mod tree;
mod wrapped;

use std::fmt::Display;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ArgMatches;

use super::typed::{self, absolute, flags};
use super::values::word_of;
use super::{Client, ConfigScope, NAME, print, refuse_in, refuse_untaken, wrap};
use file::Written;
use server::entry_of;

pub(super) use file::read;
pub(super) use owner::as_programs_make_them;
pub(super) use places::{Place, all_files, places};
pub(super) use server::{ConfiguredServer, entries, is_cutline};
pub(super) use tree::Node;

/// The flags and arguments of `cutline config`.
#[derive(Debug, clap::Args)]
pub(super) struct ConfigOptions {
    /// The client
    client: Client,
    /// Write to the client's own file, after copying that file
    #[arg(long)]
    write: bool,
    /// Use FILE instead of the client's own file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Which file of the client: for this project, for all your projects, or for you in this project (claude-code)
    /// [default: project, if the client has such a file]
    #[arg(long, value_name = "SCOPE", value_enum, conflicts_with = "file")]
    scope: Option<ConfigScope>,
    /// Wrap the server of the entry NAME, with the flags given
    #[arg(long, value_name = "NAME")]
    wrap: Option<String>,
    /// Undo --wrap for the entry NAME
    #[arg(long, value_name = "NAME", conflicts_with = "wrap")]
    unwrap: Option<String>,
    /// Remove the entry from the client's file with --write; without it, print the entry to remove
    #[arg(long, conflicts_with_all = ["wrap", "unwrap"])]
    remove: bool,
    #[command(flatten)]
    _own: wrap::WrapOptions,
}

impl ConfigOptions {
    /// Returns the locations to which the entry is written.
    fn places(&self) -> anyhow::Result<Vec<Place>> {
        let Some(file) = &self.file else {
            return Ok(places::written(self.client, self.scope)
                .unwrap_or_else(|message| refuse_in(&["config"], message)));
        };
        let (client, keys) = (self.client, vec![self.client.row().servers.to_owned()]);
        Ok(vec![Place { client, scope: ConfigScope::User, path: std::path::absolute(file)?, keys }])
    }

    /// Returns the first location of the client with an entry of that name, or else the first location for a new entry.
    fn place_of(&self, name: &str) -> anyhow::Result<Place> {
        let mut places = self.places()?;
        if self.file.is_none() && self.scope.is_none() {
            places.extend(places::places(self.client));
        }
        let has_it = |place: &&Place| {
            let top = Node::parse(self.client.row().format, &read(&place.path).unwrap_or_default());
            !top.is_ok_and(|top| matches!(entry_of(&top, &place.keys, name), Ok(None)))
        };
        let place = places.iter().find(has_it).or(places.first()).cloned();
        place.context("there is no file")
    }
}

/// The program that an entry starts: this binary, with flags.
#[derive(Debug)]
struct Program {
    binary: String,
    flags: Vec<String>,
    /// The current folder. It becomes the root for clients that start servers in another folder.
    folder: String,
}

/// Prints, writes or removes the entry. Returns the exit code.
pub(super) fn run(options: &ConfigOptions, matches: &ArgMatches) -> anyhow::Result<i32> {
    let binary = typed::text(std::env::current_exe()?.as_os_str())?;
    let folder = typed::text(absolute(Path::new(".")).as_os_str())?;
    let mut program = Program { binary, flags: flags(matches)?, folder };
    if let Some(name) = options.wrap.as_ref().or(options.unwrap.as_ref()) {
        refuse_untaken("config", "wrap", matches);
        program.flags.extend(wrap::own_flags(matches)?);
        return rewrap(options, name, &program);
    }
    wrap::refuse_own(matches);
    if options.remove {
        if let Some(flag) = program.flags.iter().find(|word| word.starts_with("--")) {
            refuse_in(&["config"], format!("{flag} cannot be used with --remove"));
        }
        return remove(options);
    }
    put(options, &program)
}

/// Prints a message for the user on stderr.
fn tell(line: impl Display) {
    let _closed = writeln!(anstream::stderr(), "{line}");
}

/// Prints or writes this server's entry.
fn put(options: &ConfigOptions, program: &Program) -> anyhow::Result<i32> {
    for place in options.places()? {
        let merged = |text: &str| merge::merged(&place, text, program);
        if !options.write {
            let (new, _) = merged("")?;
            print(new)?;
            tell(format_args!("This goes into {place}"));
            break;
        }
        let path = place.path.display();
        let mut switched_off = None;
        let written = file::rewrite(&place, |old| {
            let (new, switch) = merged(old)?;
            switched_off = switch;
            Ok(new)
        });
        tell(match written? {
            Written::AsItWas => format!("{path} already has the entry"),
            Written::New => format!("{path} is new and has the entry"),
            Written::Changed(backup) => {
                format!("{path} has the entry now; the old file is {}", backup.display())
            }
        });
        if let Some(switch) = switched_off {
            tell(format_args!("It is switched off there: {switch}"));
        }
    }
    let row = options.client.row();
    if row.starts_elsewhere && !program.flags.iter().any(|flag| flag.starts_with("--root")) {
        let (name, folder) = (row.name, &program.folder);
        tell(format_args!(
            "{name} starts servers in a folder of its own. An entry without --root gets the current folder, {folder}"
        ));
    }
    Ok(0)
}

/// Prints this server's entry, or removes it from the client's file.
fn remove(options: &ConfigOptions) -> anyhow::Result<i32> {
    let mut places = options.places()?;
    let written = places.len();
    if options.file.is_none() && options.scope.is_none() {
        places.extend(places::places(options.client));
    }
    // `--write` changes all files. Otherwise the first one with the entry is printed.
    let has_entry = |place: &Place| {
        let text = read(&place.path).unwrap_or_default();
        !matches!(remove::removed(place, &text), Ok(None))
    };
    let mut found: Vec<Place> = Vec::new();
    for (n, place) in places.iter().enumerate() {
        let is_wanted = n < written || found.is_empty();
        if !found.contains(place) && has_entry(place) {
            if is_wanted {
                found.push(place.clone());
            } else {
                tell(format_args!(
                    "{place} has an entry {NAME} too: --scope {} names it",
                    word_of(&place.scope)
                ));
            }
        }
    }
    if found.is_empty() {
        let files: Vec<_> = places.iter().take(written).map(ToString::to_string).collect();
        tell(format_args!("There is no entry {NAME} in {}", files.join(", ")));
    }
    for place in found {
        remove_from(&place, options.write)?;
    }
    Ok(0)
}

/// Removes the entry from a location, or prints it.
fn remove_from(place: &Place, write: bool) -> anyhow::Result<()> {
    let path = place.path.display();
    if !write {
        let text = read(&place.path).with_context(|| path.to_string())?;
        let removed = remove::removed(place, &text).with_context(|| path.to_string())?;
        print(removed.map_or_else(String::new, |removed| format!("{}\n", removed.entry.trim_end())))?;
        tell(format_args!("--write removes this from {place}"));
        return Ok(());
    }
    let written = file::rewrite(place, |old| {
        Ok(remove::removed(place, old)?.map_or_else(|| old.to_owned(), |removed| removed.rest))
    });
    tell(match written? {
        Written::Changed(backup) => {
            format!("The entry {NAME} is removed from {place}; the file as it was is in {}", backup.display())
        }
        Written::AsItWas | Written::New => format!("{place} has no entry {NAME}"),
    });
    let text = read(&place.path)?;
    let top = Node::parse(place.client.row().format, &text)?;
    for (name, entry) in entries(&top, &place.keys) {
        if ConfiguredServer::of(place.client.row(), entry)
            .is_ok_and(|server| server.is_some_and(|server| server.wrapped().is_some()))
        {
            tell(format_args!(
                "{name} there is still wrapped by {NAME}: --unwrap {name} --write turns it back"
            ));
        }
    }
    Ok(())
}

/// Wraps or unwraps the entry `name`. Prints the entry or writes it.
fn rewrap(options: &ConfigOptions, name: &str, program: &Program) -> anyhow::Result<i32> {
    let (row, is_wrap) = (options.client.row(), options.wrap.is_some());
    if is_wrap && !is_cutline(&[&program.binary]) {
        bail!(
            "a wrapped entry is recognised by the name of its program, {NAME}; this one is {}",
            program.binary
        );
    }
    let place = options.place_of(name)?;
    let Place { path, keys, .. } = &place;
    // Returns the changed text, and the range of the entry in it.
    let change = |old: &str| -> anyhow::Result<(String, Range<usize>)> {
        let top = Node::parse(row.format, old)?;
        let Some(entry) = entry_of(&top, keys, name)? else {
            let names: Vec<&str> = entries(&top, keys).into_iter().map(|(name, _)| name).collect();
            let others = match names.as_slice() {
                [] => ", and no other".to_owned(),
                names => format!("; it has {}", names.join(", ")),
            };
            refuse_in(&["config"], format!("{} has no entry {name}{others}", path.display()))
        };
        let Some(server) = ConfiguredServer::of(row, entry)? else {
            let url = server::remote(entry).context("it starts no program")?;
            if is_wrap {
                bail!("{name} is a remote server; start it with npx mcp-remote {url}, and wrap that");
            }
            return Ok((old.to_owned(), entry.place.clone()));
        };
        if is_wrap {
            entry.is_alone(row.format, old)?;
        }
        let new = if is_wrap { Some(server.wrap(old, program)) } else { server.unwrap(old) };
        let new = new.unwrap_or_else(|| old.to_owned());
        // Words are moved as they are written. If one has another meaning at the new position, nothing is changed.
        let top = Node::parse(row.format, &new).ok();
        let now =
            top.as_ref().and_then(|top| ConfiguredServer::of(row, entry_of(top, keys, name).ok()??).ok()?);
        let now = now.filter(|now| now.command() == server.command());
        let unsure = || format!("{name} could not be changed safely: put its command in quotes");
        let place = now.with_context(unsure)?.entry.place.clone();
        Ok((new, place))
    };
    if !options.write {
        let old = match read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            old => old.with_context(|| path.display().to_string())?,
        };
        let (new, entry) = change(&old)?;
        if !is_wrap && new == old {
            tell(format_args!("{name} is not wrapped"));
        }
        print(format!("{}\n", new[entry].trim_end()))?;
        return Ok(0);
    }
    let (as_it_was, changed) = if is_wrap {
        ("is already wrapped like this", "is wrapped now")
    } else {
        ("is not wrapped", "is unwrapped now")
    };
    let file = path.display();
    match file::rewrite(&place, |old| change(old).map(|(new, _)| new))? {
        Written::AsItWas => tell(format_args!("{name} in {file} {as_it_was}")),
        Written::Changed(backup) => {
            tell(format_args!("{name} in {file} {changed}; the old file is {}", backup.display()));
        }
        Written::New => {}
    }
    Ok(0)
}
