//! `cutline wrap -- COMMAND…`: the flags, and the start of the relay.

use std::ffi::OsString;

use clap::Args as _;
use globset::{Glob, GlobMatcher};

use super::values;
use super::{LIMITS, OUTPUT, Options, refuse_in, serve};
use crate::fs;
use crate::process::Commands;
use crate::process::environment::Environment;
use crate::tools::error::reason;
use crate::wrap::{self, KeepPart, Settings};

/// The options that only `cutline wrap` has.
#[derive(Debug, clap::Args)]
pub(super) struct WrapOptions {
    /// Part of a text that is kept: the start (head), the end (tail), or both (ends: a fifth from the start); JSON keeps its first items [default: head, or the parts of --cut-to]
    #[arg(long, value_name = "PART", env = "CUTLINE_KEEP", value_parser = values::one_of(values::PARTS), help_heading = OUTPUT)]
    keep: Option<KeepPart>,
    /// The same for tools with matching names: 'run_*=tail'; repeatable, the last match applies
    #[arg(long, value_name = "GLOB=PART", env = "CUTLINE_KEEP_FOR", value_parser = keep_for, help_heading = OUTPUT)]
    keep_for: Vec<(GlobMatcher, KeepPart)>,
    /// Line to add after each notice, such as how to read a saved output
    #[arg(long, value_name = "TEXT", env = "CUTLINE_HINT", help_heading = OUTPUT)]
    hint: Option<String>,
    /// Size of one message in either direction
    #[arg(long, value_name = "SIZE", env = "CUTLINE_MAX_MESSAGE", value_parser = values::size, default_value = "64MB", help_heading = LIMITS)]
    max_message: u64,
}

/// Parses a value of `--keep-for`.
fn keep_for(text: &str) -> Result<(GlobMatcher, KeepPart), String> {
    let why = "give GLOB=head, GLOB=tail or GLOB=ends";
    let (glob, word) = text.rsplit_once('=').ok_or(why)?;
    let (_, part) = values::PARTS.iter().find(|(name, _)| *name == word).ok_or(why)?;
    let glob = Glob::new(glob).map_err(|error| error.to_string())?;
    Ok((glob.compile_matcher(), *part))
}

/// Relays messages until the server ends. Returns the exit code, or 2 if the server could not be started.
pub(super) fn run(options: &Options, own: WrapOptions, server: &[OsString]) -> anyhow::Result<i32> {
    serve::log_to_stderr(options);
    // The server cannot do this itself, because it leads a process group.
    serve::leave_terminal();
    let records = options.stats_file().unwrap_or_else(|message| refuse_in(&["wrap"], message));
    let WrapOptions { keep, keep_for, hint, max_message } = own;
    let settings = Settings {
        limits: options.body_limits(),
        fit: options.fit,
        given: options.given(),
        keep,
        keep_for,
        hint,
        max_message_bytes: usize::try_from(max_message).unwrap_or(usize::MAX),
    };
    let commands = Commands::new(options.saved_outputs(), None, Environment::default());
    let Some((program, arguments)) = server.split_first() else {
        refuse_in(&["wrap"], "no COMMAND is given")
    };
    let runtime = serve::runtime()?;
    let (input, output) = (fs::stdin(), fs::stdout());
    let code = runtime.block_on(wrap::run(settings, (program, arguments), commands, records, input, output));
    // This does not wait for the threads of both directions, which may be blocked forever.
    runtime.shutdown_background();
    Ok(code.unwrap_or_else(|error| {
        tracing::error!("{} can't be started: {}", program.display(), reason(&error));
        2
    }))
}

/// Returns true for a flag that only `cutline wrap` accepts.
pub(super) fn is_own(flag: &str) -> bool {
    let own = WrapOptions::augment_args(clap::Command::new("wrap"));
    own.get_arguments().any(|arg| arg.get_long() == flag.strip_prefix("--"))
}
