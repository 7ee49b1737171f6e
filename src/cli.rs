//! The command line: all flags with their variables and defaults.
//!
//! Without a command, `cutline` serves over stdio. This module checks all arguments and converts them to the settings
//! of the library.

mod call;
mod config;
mod doctor;
mod serve;
mod settings;
mod stats;
mod truncate;
mod typed;
mod values;
mod wrap;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use anyhow::{Context as _, anyhow};
use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use tracing_subscriber::filter::Targets;

use crate::fit::Fit;
use crate::fs;
use crate::limits::{self, OutlineMode};
use crate::process::{self, sandbox};
use crate::tools::error::reason;
use crate::tools::{SaveMode, ToolName};
use crate::wrap::KeepPart;

/// The name of the binary, of the server, and of its entry in a client's file.
const NAME: &str = env!("CARGO_PKG_NAME");

/// File tools for coding agents, over MCP: read, bash, grep, find and ls, within limits.
///
/// Without a command, cutline serves MCP over stdin and stdout; logs go to stderr.
#[derive(Debug, Parser)]
#[command(name = "cutline", version, max_term_width = 110, disable_help_subcommand = true)]
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
        disable_help_subcommand = true,
        arg_required_else_help = true
    )]
    Call {
        /// Print the full result as JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Print the sums of a --stats-file for each tool
    Stats {
        /// The file; - for stdin
        file: PathBuf,
        /// Print the sums and their course over time as JSON
        #[arg(long)]
        json: bool,
        /// Write the sums and their course over time to this file as an HTML page
        #[arg(long, value_name = "OUT", conflicts_with = "json")]
        html: Option<PathBuf>,
    },
    /// Truncate stdin or a file to the limits of a result; the full text is saved
    Truncate {
        /// Part that is kept: the head, the tail, or both ends, of which a fifth is the head
        #[arg(long, value_name = "PART", env = "CUTLINE_KEEP", value_parser = values::one_of(values::PARTS), default_value = "head", help_heading = OUTPUT)]
        keep: KeepPart,
        /// Exit code of the command that printed the text: with 0 no key lines are shown, with others more of them
        #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = OUTPUT)]
        status: Option<i32>,
        /// The file [default: stdin]
        file: Option<PathBuf>,
    },
    /// Start another MCP server and apply the limits to its results; full results are saved
    Wrap {
        #[command(flatten)]
        own: wrap::WrapOptions,
        /// The server's program and its arguments
        #[arg(last = true, required = true, value_name = "COMMAND")]
        server: Vec<OsString>,
    },
    /// Print the entry that adds cutline with these flags to a client, or write or remove it
    Config(config::ConfigOptions),
    /// Start the server as a client would, call each tool, check the clients' files, and report what is wrong
    Doctor,
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write the pages of all commands to this folder instead
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
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
        Ok(cli)
    }
}

/// Splits a list of paths at `:`, or at `;` on Windows. Omits empty paths.
fn split_paths(list: impl AsRef<OsStr>) -> Vec<PathBuf> {
    std::env::split_paths(list.as_ref()).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// The clients that `cutline config` supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    Vscode,
    Codex,
    Opencode,
    Gemini,
    Qwen,
    Cline,
    Continue,
}

/// The sessions to which an entry applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConfigScope {
    Project,
    User,
    Local,
}

/// The environment of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EnvMode {
    Inherited,
    Filtered,
}

/// When key lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyLinesMode {
    Auto,
    Off,
}

/// The groups of flags in `--help`.
const SECURITY: &str = "Security";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";
const LOGGING: &str = "Logging";

/// The flags of the server. [`takes`] defines which of them other commands accept.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
struct Options {
    /// Folder that the tools may access; repeatable, relative paths start in the first; the variable is a list as in PATH [default: the current folder]
    #[arg(long = "root", value_name = "DIR", env = "CUTLINE_ROOT", help_heading = SECURITY, global = true)]
    roots: Vec<PathBuf>,
    /// Let read, grep, find and ls open files outside the roots
    #[arg(long, env = "CUTLINE_ALLOW_OUTSIDE", value_parser = clap::builder::FalseyValueParser::new(), help_heading = SECURITY, global = true)]
    allow_outside: bool,
    /// Register only these tools
    #[arg(long, value_name = "LIST", env = "CUTLINE_TOOLS", value_delimiter = ',', value_parser = values::tool, default_value = "read,bash,grep,find,ls", help_heading = SECURITY, global = true)]
    tools: Vec<ToolName>,
    /// Return results as structured content too, with an output schema
    #[arg(long, env = "CUTLINE_STRUCTURED", value_parser = clap::builder::FalseyValueParser::new(), help_heading = OUTPUT, global = true)]
    structured: bool,
    /// Client profile that sets limits: auto uses the name that the client sends, off sets none
    #[arg(long, value_name = "CLIENT", env = "CUTLINE_FIT", value_parser = values::fit, default_value = "auto", help_heading = LIMITS, global = true)]
    fit: Fit,
    /// Lines in the body of a result [default: 2000, or the client's limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_LINES", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    max_lines: Option<u64>,
    /// Bytes in the body of a result: 30000, 30KB or 50KiB [default: 30KB, or the client's limit]
    #[arg(long, value_name = "SIZE", env = "CUTLINE_MAX_BYTES", value_parser = values::size, help_heading = LIMITS, global = true)]
    max_bytes: Option<u64>,
    /// Tokens in the body of a result, by an estimate [default: no limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_TOKENS", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    max_tokens: Option<u64>,
    /// Let a call lower the limits of bytes and tokens for itself, with the arguments maxBytes and maxTokens of each tool
    #[arg(long, env = "CUTLINE_CALL_LIMITS", value_parser = clap::builder::FalseyValueParser::new(), help_heading = LIMITS, global = true)]
    call_limits: bool,
    /// Let grep print each path once, above its lines: shorter results
    #[arg(long, env = "CUTLINE_GREP_HEADING", value_parser = clap::builder::FalseyValueParser::new(), help_heading = OUTPUT, global = true)]
    grep_heading: bool,
    /// Characters of a match or context line in grep
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_LINE_CHARS", value_parser = values::above_zero, default_value_t = limits::MAX_LINE_CHARS as u64, help_heading = LIMITS, global = true)]
    max_line_chars: u64,
    /// Characters of a line in read and bash; a longer line shows its start [default: no limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_TEXT_LINE_CHARS", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    max_text_line_chars: Option<u64>,
    /// Lines that bash keeps from the start of an output
    #[arg(long, value_name = "N", env = "CUTLINE_BASH_HEAD", default_value_t = 0, help_heading = LIMITS, global = true)]
    bash_head: u64,
    /// Lines that bash keeps from the end of an output [default: the rest of --max-lines]
    #[arg(long, value_name = "N", env = "CUTLINE_BASH_TAIL", help_heading = LIMITS, global = true)]
    bash_tail: Option<u64>,
    /// Show the lines that say what is wrong although they are in the omitted part: bash after a failure, truncate and
    /// wrap if a line has the form of a failure report
    #[arg(long, value_name = "MODE", env = "CUTLINE_KEY_LINES", value_enum, default_value_t = KeyLinesMode::Auto, help_heading = OUTPUT, global = true)]
    key_lines: KeyLinesMode,
    /// Seconds that a command may run if the call has no timeout [default: 120, or --bash-max-timeout if that is
    /// less]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_BASH_TIMEOUT", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    bash_timeout: Option<u64>,
    /// Longest timeout in seconds that a call can request
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_BASH_MAX_TIMEOUT", value_parser = values::above_zero, default_value_t = limits::BASH_MAX_TIMEOUT_SECS, help_heading = LIMITS, global = true)]
    bash_max_timeout: u64,
    /// Environment of commands: inherited, or filtered to remove variables that look like secrets by their name or by
    /// a URL with a password
    #[arg(long, value_name = "MODE", env = "CUTLINE_ENV", value_enum, default_value_t = EnvMode::Inherited, help_heading = SECURITY, global = true)]
    env: EnvMode,
    /// Variable that --env filtered keeps; repeatable
    #[arg(long, value_name = "NAME", env = "CUTLINE_ENV_KEEP", value_delimiter = ',', help_heading = SECURITY, global = true)]
    env_keep: Vec<String>,
    /// Show images: off returns only their type and size, for clients that pass images on as text [default: the client's setting]
    #[arg(long, value_name = "MODE", env = "CUTLINE_IMAGES", value_parser = values::one_of(values::SHOWN), help_heading = OUTPUT, global = true)]
    images: Option<bool>,
    /// Size of an image that is shown; larger images are scaled down
    #[arg(long, value_name = "SIZE", env = "CUTLINE_MAX_IMAGE_BYTES", value_parser = values::image_size, default_value = "150KB", help_heading = OUTPUT, global = true)]
    max_image_bytes: u64,
    /// Seconds after which bash returns while the command keeps running; later output goes to the saved file [default: the client's timeout]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_ANSWER_WITHIN", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    answer_within: Option<u64>,
    /// Seconds after which read, grep, find and ls return what they have found so far [default: 20, or the client's limit]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_SEARCH_TIMEOUT", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    search_timeout: Option<u64>,
    /// List the definitions in the rest of a source file that read cuts
    #[arg(long, value_name = "MODE", env = "CUTLINE_OUTLINE", value_parser = values::one_of(values::OUTLINES), default_value = "auto", help_heading = OUTPUT, global = true)]
    outline: OutlineMode,
    /// Where commands may write, enforced by the kernel: only in a temp folder of their own, also in the roots, or
    /// anywhere
    #[arg(long, value_name = "MODE", env = "CUTLINE_SANDBOX", value_parser = values::one_of(values::SANDBOXES), default_value = "off", help_heading = SECURITY, global = true)]
    sandbox: sandbox::Mode,
    /// More rights to deny to sandboxed commands: unix-sockets, which workspace-write allows
    #[arg(long, value_name = "LIST", env = "CUTLINE_SANDBOX_DENY", value_parser = ["unix-sockets"], value_delimiter = ',', help_heading = SECURITY, global = true)]
    sandbox_deny: Vec<String>,
    /// Folder in which sandboxed commands may write, in addition to the roots; repeatable, the variable is a list as in PATH
    #[arg(long, value_name = "DIR", env = "CUTLINE_WRITABLE", help_heading = SECURITY, global = true)]
    writable: Vec<PathBuf>,
    /// Which tools save the full output when a result is truncated: bash, or grep, find and ls too, which then search to the end
    #[arg(long, value_name = "MODE", env = "CUTLINE_SAVE", value_parser = values::one_of(values::SAVES), default_value = "bash", help_heading = OUTPUT, global = true)]
    save: SaveMode,
    /// Folder for saved outputs; it is created if it does not exist [default: cutline-UID in the temp folder, mode 0700; on Windows cutline]
    #[arg(long, value_name = "DIR", env = "CUTLINE_SPILL_DIR", help_heading = OUTPUT, global = true)]
    spill_dir: Option<PathBuf>,
    /// Size of one saved output
    #[arg(long, value_name = "SIZE", env = "CUTLINE_SPILL_MAX_FILE", value_parser = values::size, default_value = "1GB", help_heading = OUTPUT, global = true)]
    spill_max_file: u64,
    /// Size of all saved outputs together
    #[arg(long, value_name = "SIZE", env = "CUTLINE_SPILL_MAX_TOTAL", value_parser = values::size, default_value = "4GB", help_heading = OUTPUT, global = true)]
    spill_max_total: u64,
    /// Age at which a saved output is removed: 7d, 12h, 30m
    #[arg(long, value_name = "TIME", env = "CUTLINE_SPILL_KEEP", value_parser = values::duration, default_value = "7d", help_heading = OUTPUT, global = true)]
    spill_keep: Duration,
    /// Threads that one search may use [default: one for each processor]
    #[arg(long, value_name = "N", env = "CUTLINE_WORKERS", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    workers: Option<u64>,
    /// File to which a line of JSON is added for each call: sizes, limits and durations, no content
    #[arg(long, value_name = "FILE", env = "CUTLINE_STATS_FILE", help_heading = LOGGING, global = true)]
    stats_file: Option<PathBuf>,
    /// Log on stderr: error, warn, info, debug, trace or a tracing filter; `RUST_LOG` is read too [default: info on a terminal, else warn]
    #[arg(long, value_name = "FILTER", env = "CUTLINE_LOG", value_parser = values::log_filter, help_heading = LOGGING, global = true)]
    log: Option<Targets>,
}

/// The ids of the server's flags that `cutline truncate` accepts.
const TRUNCATE_FLAGS: [&str; 9] = [
    "max_lines",
    "max_bytes",
    "max_tokens",
    "max_text_line_chars",
    "key_lines",
    "spill_dir",
    "spill_max_file",
    "spill_max_total",
    "spill_keep",
];

/// Returns true if a command accepts the flag of the server with this id.
fn takes(command: &str, id: &str) -> bool {
    match command {
        "wrap" => wrap::FLAGS.contains(&id),
        "truncate" => TRUNCATE_FLAGS.contains(&id),
        "stats" | "completions" | "man" => false,
        _ => true,
    }
}

/// Exit code if a tool returned an error.
const TOOL_ERROR: i32 = 1;

/// Runs the command line and returns the exit code of the process.
pub fn run() -> anyhow::Result<i32> {
    if std::env::args_os().nth(1).is_some_and(|word| word == sandbox::SUBCOMMAND) {
        // The server starts sandboxed commands with this hidden subcommand. The rules are on stdin.
        let command: Vec<OsString> = std::env::args_os().skip(2).collect();
        return Err(sandbox::enter(&command)).context("the sandbox rules could not be applied");
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
        Some(Command::Doctor) => doctor::run(&cli.options, &matches),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), NAME, &mut script);
            print(script)?;
            Ok(0)
        }
        Some(Command::Man { folder: None }) => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command()).render(&mut page)?;
            print(page)?;
            Ok(0)
        }
        Some(Command::Man { folder: Some(folder) }) => {
            clap_mangen::generate_to(command(), &folder).with_context(|| folder.display().to_string())?;
            Ok(0)
        }
    }
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

/// Returns true if both paths exist and refer to the same file or folder.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
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
    let cli = Cli::command();
    let untaken = typed::typed(matches, &cli).filter(|(_, arg, _)| !takes(taker, arg.get_id().as_str()));
    let flags: Vec<String> = untaken.map(|(.., flag)| flag).collect();
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

/// Prints styled text. Removes the styles if stdout does not support them.
fn print_styled(text: &str) -> io::Result<()> {
    match anstream::stdout().current_choice() {
        ColorChoice::AlwaysAnsi => print(text),
        _ => print(strip_str(text).to_string()),
    }
}

/// Exits with code 2 and the usage of the subcommand `words`, as clap does for invalid arguments.
fn refuse_in(words: &[&str], message: impl std::fmt::Display) -> ! {
    let mut all = command();
    all.build();
    let named = words.iter().fold(&all, |above, word| above.find_subcommand(word).unwrap_or(above));
    named.clone().error(clap::error::ErrorKind::ValueValidation, message).exit()
}
