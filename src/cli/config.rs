//! `cutline config CLIENT`: the entry that adds this binary to a client, with the flags given; printed,
//! or merged into the client's own file.

mod entry;
mod file;
mod merge;
mod owner;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, CommandFactory as _};

use super::settings::absolute;
use super::{Cli, Client};
use entry::Entry;
use file::Written;

pub(super) use entry::Start;
pub(super) use file::{places, read};
pub(super) use merge::start_in;

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

/// Returns a path as text, which a file can hold.
fn text(value: &OsStr) -> anyhow::Result<String> {
    let text = value.to_str().with_context(|| format!("{} is not UTF-8", value.display()))?;
    Ok(text.to_owned())
}

/// The flags as they were typed, their paths made absolute.
pub(super) fn flags(matches: &ArgMatches) -> anyhow::Result<Vec<String>> {
    let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
    let mut flags = Vec::new();
    for arg in Cli::command().get_arguments() {
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
