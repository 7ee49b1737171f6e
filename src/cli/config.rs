//! `cutline config CLIENT` prints this server's entry for a client, merges it into the client's file, or removes it.

mod change;
mod edit;
mod entry;
mod file;
mod places;

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::Value;

use super::typed::{self, absolute};
use super::{print, refuse_in, refuse_untaken, values, wrap};
use crate::fit::{Client, Scope};
use change::{Action, Change};
use edit::Doc;

pub(super) use entry::{folder, is_cutline, is_switched_off, variables, words, wrapped};
pub(super) use file::{new_file_in, read};
pub(super) use places::{Place, all_files, clients, places};

/// What `cutline config` without a client prints before the list of clients.
const OVERVIEW: &str = "cutline config CLIENT                   print the entry for a client
cutline config CLIENT --write           write it to the client's file; flags that are not given stay
cutline config CLIENT --remove --write  remove it
cutline config CLIENT --wrap NAME       apply the limits to another server in the file
cutline config --help                   list the flags

Clients and their files:
";

/// The flags and arguments of `cutline config`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct ConfigOptions {
    /// The client
    #[arg(value_parser = values::client())]
    client: Option<&'static Client>,
    /// Write to the client's own file, after copying that file
    #[arg(long)]
    write: bool,
    /// Use FILE instead of the client's own file
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Which file of the client: for this project, for all your projects, or for you in this project (claude-code)
    /// [default: that of the entry in use for this project, else project, if the client has such a file]
    #[arg(long, value_name = "SCOPE", value_enum, conflicts_with = "file")]
    scope: Option<Scope>,
    /// Drop the flags of an existing entry; without this, flags that are not given stay
    #[arg(long, conflicts_with_all = ["unwrap", "remove"])]
    replace: bool,
    /// Remove the flag NAME, such as max-bytes, from an existing entry. Repeatable
    #[arg(long, value_name = "NAME", conflicts_with_all = ["unwrap", "remove"])]
    unset: Vec<String>,
    /// Do not write --lean, which `config` otherwise adds to a new entry
    #[arg(long, conflicts_with_all = ["unwrap", "remove", "lean"])]
    no_lean: bool,
    /// Write `cutline` and relative paths, for a file that several people use
    /// [default: true for a project's file, if cutline is on PATH]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    portable: Option<bool>,
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

/// Prints, writes or removes the entry. Returns the exit code.
pub(super) fn run(options: &ConfigOptions, matches: &ArgMatches) -> anyhow::Result<i32> {
    let Some(client) = options.client else {
        if options.write {
            refuse_in(&["config"], "--write needs a client");
        }
        print(overview())?;
        return Ok(0);
    };
    let action = match (&options.wrap, &options.unwrap) {
        (Some(name), _) => Action::Wrap(name),
        (_, Some(name)) => Action::Unwrap(name),
        _ if options.remove => Action::Remove,
        _ => Action::Put,
    };
    let flags = typed::given()?;
    if let Action::Wrap(_) | Action::Unwrap(_) = action {
        refuse_untaken("config", "wrap", matches);
    } else if let Some(flag) = flags.iter().find(|flag| wrap::is_own(&flag.name)) {
        refuse_in(&["config"], format!("{} is for --wrap", flag.name));
    }
    if let (Action::Remove, [flag, ..]) = (action, &flags[..]) {
        refuse_in(&["config"], format!("{} cannot be used with --remove", flag.name));
    }
    let binary = typed::text(std::env::current_exe()?.as_os_str())?;
    let folder = absolute(Path::new("."));
    let change = Change { action, options, flags: &flags, client, binary, folder };
    for place in change.places()? {
        if options.write && !place.is_shared_yaml() {
            change.write(&place)?;
        } else {
            // The first file with the entry stands for all.
            return change.print(&place);
        }
    }
    Ok(0)
}

/// Returns the list of clients with their files.
fn overview() -> String {
    let lines = clients().map(|client| {
        let place = places::written(client, None).ok().and_then(|places| places.into_iter().next());
        format!("  {:<15} {}\n", client.id, place.map_or_else(String::new, |place| place.to_string()))
    });
    OVERVIEW.to_owned() + &lines.collect::<String>()
}

/// Returns the names and values of the servers in a location.
pub(super) fn servers(place: &Place) -> anyhow::Result<Vec<(String, Value)>> {
    Doc::parse(place.client.files.format, &read(&place.path)?)?.servers(&place.keys)
}
