//! The command line: all flags with their variables and defaults.
//!
//! Without a command, `cutline` serves over stdio. This module checks all arguments and converts them to the settings
//! of the library.

mod call;
mod config;
mod doctor;
mod options;
mod serve;
mod settings;
mod stats;
mod truncate;
mod typed;
mod values;
mod wrap;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::Child;

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use anyhow::{Context as _, anyhow, ensure};
use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::fs;
use crate::process::{self, environment, sandbox};
use crate::tools::error::reason;
use crate::wrap::KeepPart;
use cutline_core::text::show;
use options::{LIMITS, OUTPUT, Options};

/// The name of the binary, of the server, and of its entry in a client's file.
const NAME: &str = env!("CARGO_PKG_NAME");

/// File tools for coding agents, over MCP: read, bash, grep, find and ls, within limits.
///
/// Without a command, cutline serves MCP over stdin and stdout; logs go to stderr.
#[derive(Debug, Parser)]
#[command(name = "cutline", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one tool and print what the model would see
    #[command(
        subcommand_value_name = "TOOL",
        subcommand_help_heading = "Tools",
        override_usage = "cutline call [OPTIONS] <TOOL> [KEY=VALUE]...",
        disable_help_subcommand = true,
        arg_required_else_help = true
    )]
    Call {
        /// Print the full result as JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Print the totals of each tool from a --stats-file
    ///
    /// A client's entry writes the file with `cutline config CLIENT --stats-file FILE --write`.
    #[command(arg_required_else_help = true)]
    Stats {
        /// The file; - for stdin
        file: PathBuf,
        /// Print the totals and their values over time as JSON
        #[arg(long)]
        json: bool,
        /// Write the totals and their values over time to this file as an HTML page
        #[arg(long, value_name = "OUT", conflicts_with = "json")]
        html: Option<PathBuf>,
    },
    /// Truncate stdin or a file to the limits of a result, and save the full text if it is truncated
    Truncate {
        /// Part that is kept: the start (head), the end (tail), or both (ends: a fifth from the start) [default: head,
        /// or the parts of --cut-to]
        #[arg(long, value_name = "PART", env = "CUTLINE_KEEP", value_parser = values::one_of(values::PARTS), help_heading = OUTPUT)]
        keep: Option<KeepPart>,
        /// Exit code of the command that printed the text: with others than 0, more key lines are shown
        #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = OUTPUT)]
        status: Option<i32>,
        /// The file; - for stdin [default: stdin]
        file: Option<PathBuf>,
    },
    /// Start another MCP server and apply the limits to its results; truncated results are saved in full
    Wrap {
        #[command(flatten)]
        own: wrap::WrapOptions,
        /// The server's program and its arguments
        #[arg(last = true, required = true, value_name = "COMMAND")]
        server: Vec<OsString>,
    },
    /// Print the entry that adds cutline with these flags to a client, or write or remove it
    Config(config::ConfigOptions),
    /// Start the server as a client would, read a file, check the clients' files, and report what is wrong
    Doctor,
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands to a folder
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

impl Cli {
    /// Parses the values of `matches`. A variable for folders contains a list of paths, as `PATH` does.
    fn parsed(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let mut cli = Self::from_arg_matches(matches)?;
        let Options { roots, writable, .. } = &mut cli.options;
        for (id, folders) in [("roots", roots), ("writable", writable)] {
            if matches.value_source(id) == Some(ValueSource::EnvVariable) {
                *folders = folders.iter().flat_map(split_paths).collect();
            }
        }
        // A preset changes defaults only.
        if cli.options.lean && matches.value_source("grep_heading") == Some(ValueSource::DefaultValue) {
            cli.options.grep_heading = true;
        }
        Ok(cli)
    }
}

/// Splits a list of paths at `:`. Omits empty paths.
fn split_paths(list: impl AsRef<OsStr>) -> Vec<PathBuf> {
    std::env::split_paths(list.as_ref()).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// The ids of the server's flags that `cutline truncate` and `cutline wrap` both accept.
const SHARED_FLAGS: [&str; 10] = [
    "max_lines",
    "max_bytes",
    "max_tokens",
    "lean",
    "cut_to",
    "key_lines",
    "spill_dir",
    "spill_max_file",
    "spill_max_total",
    "spill_keep",
];

/// Returns true if a command accepts the flag of the server with this id.
fn takes(command: &str, id: &str) -> bool {
    match command {
        "wrap" => SHARED_FLAGS.contains(&id) || ["fit", "stats_file", "log"].contains(&id),
        "truncate" => SHARED_FLAGS.contains(&id) || id == "max_text_line_chars",
        "stats" | "completions" | "man" => false,
        _ => true,
    }
}

/// Exit code if a tool returned an error.
const TOOL_ERROR: i32 = 1;

/// Runs the command line, prints its error, and returns the exit code of the process.
pub fn main() -> i32 {
    run().unwrap_or_else(|error| {
        format!("cutline: {}", reason(&error)).lines().for_each(tell);
        1
    })
}

fn run() -> anyhow::Result<i32> {
    if std::env::args_os().nth(1).is_some_and(|word| word == sandbox::SUBCOMMAND) {
        // The server starts sandboxed commands with this hidden subcommand. As root, each starts a helper with it.
        let command: Vec<OsString> = std::env::args_os().skip(2).collect();
        sandbox::enter(&command).context("the sandbox rules could not be applied")?;
        return Ok(0);
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == environment::NO_EDITOR) {
        // Commands have this hidden subcommand as their editor.
        return Err(anyhow!(environment::NO_EDITOR_MESSAGE));
    }
    // This must be the first step. Code that opens files later sets close-on-exec itself.
    process::close_inherited_on_exec();
    let matches = command().get_matches();
    let cli = Cli::parsed(&matches).unwrap_or_else(|error| error.exit());
    if let Some(command) = matches.subcommand_name() {
        refuse_untaken(command, command, &matches);
    }
    match cli.command {
        None => serve::run(&cli.options),
        Some(Command::Call { json }) => {
            let matches = matches.subcommand_matches("call").context("no tool is named")?;
            call::run(&cli.options, matches, json)
        }
        Some(Command::Stats { file, json, html }) => stats::run(&file, json, html.as_deref()),
        Some(Command::Truncate { keep, status, file }) => {
            truncate::run(&cli.options, keep, status, file.as_deref())
        }
        Some(Command::Wrap { own, server }) => wrap::run(&cli.options, own, &server),
        Some(Command::Config(options)) => config::run(&options, &matches),
        Some(Command::Doctor) => doctor::run(&cli.options),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), NAME, &mut script);
            print(script)?;
            Ok(0)
        }
        Some(Command::Man { folder }) => {
            write_pages(&folder).with_context(|| folder.display().to_string())?;
            Ok(0)
        }
    }
}

/// Writes the man pages to `folder`. A command could have left a link or a pipe with the name of a page there. It is
/// replaced, and not followed.
fn write_pages(folder: &Path) -> io::Result<()> {
    let new = tempfile::tempdir_in(folder)?;
    clap_mangen::generate_to(command(), new.path())?;
    for page in new.path().read_dir()? {
        let page = page?;
        std::fs::rename(page.path(), folder.join(page.file_name()))?;
    }
    Ok(())
}

/// Returns the command line with its help. The help of each command shows only the flags that it accepts. An empty
/// variable counts as not set.
fn command() -> clap::Command {
    // Only the used command gets its arguments, because building all of them would delay each start.
    Cli::command().mut_args(without_empty_variable).mut_subcommands(|command| {
        let is_call = command.get_name() == "call";
        command.defer(if is_call { |call| call::with_tools(with_own_flags(call)) } else { with_own_flags })
    })
}

/// Hides the flags of the server that `command` does not accept.
fn with_own_flags(command: clap::Command) -> clap::Command {
    let name = command.get_name().to_owned();
    command.mut_args(|arg| {
        let is_hidden = arg.is_global_set() && !takes(&name, arg.get_id().as_str());
        without_empty_variable(arg).hide(is_hidden)
    })
}

fn without_empty_variable(arg: clap::Arg) -> clap::Arg {
    let is_empty = arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    if is_empty { arg.env(Resettable::Reset) } else { arg }
}

/// Parses the arguments of an entry, as a server that starts with them would.
///
/// # Errors
///
/// Returns the first line of the message if they are invalid or do not start a server.
fn parsed(arguments: &[String]) -> anyhow::Result<Options> {
    let words = [NAME].into_iter().chain(arguments.iter().map(String::as_str));
    let cli = command().try_get_matches_from(words).and_then(|matches| Cli::parsed(&matches));
    let cli = cli.map_err(|error| {
        anyhow!("{}", error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: "))
    })?;
    ensure!(cli.command.is_none(), "the arguments do not start a server");
    cli.options.limits()?;
    Ok(cli.options)
}

/// Returns true if both paths exist and refer to the same file or folder.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A running program. Dropping it kills the program.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Opens a file, or stdin for `-`.
fn open(file: &Path) -> io::Result<Box<dyn Read>> {
    if file == Path::new("-") { Ok(Box::new(fs::stdin())) } else { Ok(Box::new(File::open(file)?)) }
}

/// Formats the error for a file that could not be read.
fn unreadable(file: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{} could not be read: {}", file.display(), reason(error))
}

/// Exits with a usage error of `command` if the user typed flags that the command `taker` does not accept.
fn refuse_untaken(command: &str, taker: &str, matches: &clap::ArgMatches) {
    let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
    let is_untaken =
        |id: &str| !takes(taker, id) && matches.value_source(id) == Some(ValueSource::CommandLine);
    let cli = Cli::command();
    let untaken = cli.get_arguments().filter(|arg| is_untaken(arg.get_id().as_str()));
    let flags: Vec<String> = untaken.filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    if !flags.is_empty() {
        refuse_in(&[command], format!("{taker} does not take {}", flags.join(", ")));
    }
}

/// Prints `bytes` to stdout. A closed pipe is not an error.
fn print(bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut stdout = fs::stdout();
    let written = stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush());
    written.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

/// Prints a line for the user on stderr. It may quote another person's file, so it has no control characters.
fn tell(line: impl Display) {
    let _closed = writeln!(io::stderr(), "{}", show::name(line.to_string().as_bytes()));
}

/// Prints styled text. Removes the styles if stdout does not support them.
fn print_styled(text: &str) -> io::Result<()> {
    match anstream::stdout().current_choice() {
        ColorChoice::AlwaysAnsi => print(text),
        _ => print(strip_str(text).to_string()),
    }
}

/// Exits with code 2 and the usage of the subcommand `words`, as clap does for invalid arguments.
fn refuse_in(words: &[&str], message: impl Display) -> ! {
    let mut all = command();
    all.build();
    let named = words.iter().fold(&all, |above, word| above.find_subcommand(word).unwrap_or(above));
    named.clone().error(clap::error::ErrorKind::ValueValidation, message).exit()
}
