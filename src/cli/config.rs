//! `cutline config CLIENT`: the entry that adds this binary to a client, with the flags given; printed,
//! or merged into the client's own file.

mod entry;
mod file;
mod merge;
mod owner;
mod wrapped;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory as _};

use super::settings::absolute;
use super::{Cli, Client, refuse_in, wrap};
use entry::Entry;
use file::Written;
use wrapped::{Found, Lookup};

pub(super) use entry::Start;
pub(super) use file::{places, read};
pub(super) use merge::start_in;
pub(super) use wrapped::entries;

/// The flags whose values are paths: a client starts the server in a folder of its own.
const PATHS: [&str; 4] = ["roots", "spill_dir", "writable", "stats_file"];

/// The action on the entry.
#[derive(Debug)]
pub(super) enum To {
    /// It is printed.
    Print,
    /// It is merged into this file, or into the client's own.
    Write(Option<PathBuf>),
}

/// Prints or writes the entry; the exit code.
pub(super) fn run(client: Client, to: To, matches: &ArgMatches) -> anyhow::Result<i32> {
    let binary = text(std::env::current_exe()?.as_os_str())?;
    let flags = flags(matches)?;
    let rootless = !flags.iter().any(|flag| flag == "--root");
    let entry = Entry::new(client, binary, flags);
    let mut say = anstream::stderr().lock();
    match to {
        To::Print => {
            let alone = merge::merged(client, "", &entry).map_err(anyhow::Error::msg)?;
            std::io::stdout().lock().write_all(alone.as_bytes())?;
            let _closed = writeln!(say, "This goes into {}", file::words(client));
        }
        To::Write(file) => {
            let path = file.map_or_else(|| file::place(client), |path| Ok(std::path::absolute(path)?))?;
            let written = file::rewrite(&path, |text| merge::merged(client, text, &entry))
                .with_context(|| format!("{} was left as it is", path.display()))?;
            let path = path.display();
            let _closed = match written {
                Written::AsItWas => writeln!(say, "{path} has this entry already"),
                Written::New => writeln!(say, "{path} is new, and holds this entry"),
                Written::Changed { backup } => {
                    writeln!(say, "{path} has this entry now; as it was, it is in {}", backup.display())
                }
            };
        }
    }
    if rootless && client == Client::ClaudeDesktop {
        let _closed = writeln!(
            say,
            "Claude Desktop starts servers in a folder of its own: with --root DIR the tools work in yours"
        );
    }
    Ok(0)
}

/// The change to an entry of another server.
#[derive(Debug)]
pub(super) enum Wrapping {
    /// It is wrapped, with the flags given.
    Wrap(String),
    /// It is what it was before.
    Unwrap(String),
}

/// Wraps or unwraps an entry; prints the entry, or writes it. Returns the exit code.
pub(super) fn rewrap(
    client: Client,
    wrapping: &Wrapping,
    write: bool,
    file: Option<PathBuf>,
    matches: &ArgMatches,
) -> anyhow::Result<i32> {
    if let Some(foreign) = wrap::foreign(matches) {
        refuse_in(&["config"], format!("a wrap does not take {foreign}"));
    }
    let binary = text(std::env::current_exe()?.as_os_str())?;
    let flags = [flags(matches)?, wrap::own_flags(matches)?].concat();
    let path = file.map_or_else(|| file::place(client), |path| Ok(std::path::absolute(path)?))?;
    let (Wrapping::Wrap(name) | Wrapping::Unwrap(name)) = wrapping;
    let change = |old: &str| -> Result<(String, Found), String> {
        let found = match Lookup::of(client, old, name)? {
            Lookup::Entry(found) => found,
            Lookup::Remote(url) => {
                return Err(format!(
                    "{name} is a server elsewhere; start it by npx mcp-remote {url}, and wrap that"
                ));
            }
            Lookup::Missing(names) if names.is_empty() => {
                refuse_in(&["config"], format!("{} has no entry {name}, and no other", path.display()))
            }
            Lookup::Missing(names) => {
                let names = names.join(", ");
                refuse_in(&["config"], format!("{} has no entry {name}; it has {names}", path.display()))
            }
        };
        let new = match wrapping {
            Wrapping::Wrap(_) => found.wrap(old, &binary, &flags),
            Wrapping::Unwrap(_) => found.unwrap(old).unwrap_or_else(|| old.to_owned()),
        };
        Ok((new, found))
    };
    let mut say = anstream::stderr().lock();
    if !write {
        let old = match read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            old => old.with_context(|| path.display().to_string())?,
        };
        let (new, was) = change(&old).map_err(anyhow::Error::msg)?;
        if matches!(wrapping, Wrapping::Unwrap(_)) && !was.is_wrapped() {
            let _closed = writeln!(say, "{name} is not wrapped");
        }
        let Lookup::Entry(now) = Lookup::of(client, &new, name).map_err(anyhow::Error::msg)? else {
            anyhow::bail!("{name} is not what it should be");
        };
        let entry = new.get(now.whole).unwrap_or_default();
        writeln!(std::io::stdout().lock(), "{}", entry.trim_end())?;
        return Ok(0);
    }
    let written = file::rewrite(&path, |old| change(old).map(|(new, _)| new))
        .with_context(|| format!("{} was left as it is", path.display()))?;
    let path = path.display();
    let _closed = match (written, wrapping) {
        (Written::AsItWas, Wrapping::Wrap(_)) => writeln!(say, "{name} in {path} is wrapped so already"),
        (Written::AsItWas, Wrapping::Unwrap(_)) => writeln!(say, "{name} in {path} is not wrapped"),
        (Written::Changed { backup }, Wrapping::Wrap(_)) => {
            writeln!(say, "{name} in {path} is wrapped now; as it was, the file is in {}", backup.display())
        }
        (Written::Changed { backup }, Wrapping::Unwrap(_)) => {
            writeln!(say, "{name} in {path} is what it was; wrapped, the file is in {}", backup.display())
        }
        (Written::New, _) => Ok(()),
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
    typed(matches, &Cli::command())
}

/// Returns the flags of `command` that were typed, their paths made absolute.
pub(super) fn typed(matches: &ArgMatches, command: &clap::Command) -> anyhow::Result<Vec<String>> {
    let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
    let mut flags = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let typed = matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(name) = arg.get_long().filter(|_| typed) else { continue };
        let flag = format!("--{name}");
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            flags.push(flag);
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let path = PATHS.contains(&id).then(|| absolute(Path::new(value)));
            flags.extend([flag.clone(), text(path.as_deref().map_or(value, Path::as_os_str))?]);
        }
    }
    Ok(flags)
}
