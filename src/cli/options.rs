//! The flags of the server, with their variables and defaults.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgAction;
use tracing_subscriber::filter::Targets;

use super::values;
use crate::fit::Fit;
use crate::limits;
use crate::process::sandbox;
use crate::tools::ToolName;

/// The groups of flags in `--help`.
pub(super) const SECURITY: &str = "Security";
pub(super) const LIMITS: &str = "Limits";
pub(super) const OUTPUT: &str = "Output";
pub(super) const LOGGING: &str = "Logging";

/// The flags of the server. [`takes`](super::takes) defines which of them other commands accept.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Options {
    /// Folder that the tools may access; repeatable, relative paths start in the first; the variable is a list as in
    /// PATH [default: the client's folders, else the current one]
    #[arg(long = "root", value_name = "DIR", env = "CUTLINE_ROOT", help_heading = SECURITY, global = true)]
    pub(super) roots: Vec<PathBuf>,
    /// Let read, grep, find and ls open files outside the roots
    #[arg(long, env = "CUTLINE_ALLOW_OUTSIDE", value_parser = clap::builder::FalseyValueParser::new(), help_heading = SECURITY, global = true)]
    pub(super) allow_outside: bool,
    /// Register only these tools
    #[arg(long, value_name = "LIST", env = "CUTLINE_TOOLS", value_delimiter = ',', value_parser = values::tool, default_value = "read,bash,grep,find,ls", help_heading = SECURITY, global = true)]
    pub(super) tools: Vec<ToolName>,
    /// Return results as structured content too, with an output schema
    #[arg(long, env = "CUTLINE_STRUCTURED", value_parser = clap::builder::FalseyValueParser::new(), help_heading = OUTPUT, global = true)]
    pub(super) structured: bool,
    /// Client profile that sets limits: auto uses the name that the client sends, off sets none
    #[arg(long, value_name = "CLIENT", env = "CUTLINE_FIT", value_parser = values::fit, default_value = "auto", help_heading = LIMITS, global = true)]
    pub(super) fit: Fit,
    /// Show less: outputs over 12KB as about 5KB (see --cut-to), pages of read up to 16KB, --grep-heading, and
    /// definitions around few matches; other flags and variables take precedence
    #[arg(long, env = "CUTLINE_LEAN", value_parser = clap::builder::FalseyValueParser::new(), help_heading = LIMITS, global = true)]
    pub(super) lean: bool,
    /// Size to which bash, truncate and wrap cut an output over its limit: the first lines, one line of each kind that
    /// reports an error, and the last lines [default: --max-bytes]
    #[arg(long, value_name = "SIZE", env = "CUTLINE_CUT_TO", value_parser = values::size, help_heading = LIMITS, global = true)]
    pub(super) cut_to: Option<u64>,
    /// Lines in the body of a result [default: 2000, or the client's limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_LINES", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) max_lines: Option<u64>,
    /// Bytes in the body of a result: 30000, 30KB or 50KiB [default: 30KB, or the client's limit]
    #[arg(long, value_name = "SIZE", env = "CUTLINE_MAX_BYTES", value_parser = values::size, help_heading = LIMITS, global = true)]
    pub(super) max_bytes: Option<u64>,
    /// Tokens in the body of a result, by an estimate [default: no limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_TOKENS", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) max_tokens: Option<u64>,
    /// Let a call lower the limits of bytes and tokens for itself, with the arguments maxBytes and maxTokens of each
    /// tool
    #[arg(long, env = "CUTLINE_CALL_LIMITS", value_parser = clap::builder::FalseyValueParser::new(), help_heading = LIMITS, global = true)]
    pub(super) call_limits: bool,
    /// Let grep print each path once, above its lines: shorter results
    #[arg(long, env = "CUTLINE_GREP_HEADING", value_parser = clap::builder::FalseyValueParser::new(), help_heading = OUTPUT, global = true)]
    pub(super) grep_heading: bool,
    /// Characters of a match or context line in grep
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_LINE_CHARS", value_parser = values::above_zero, default_value_t = limits::MAX_LINE_CHARS as u64, help_heading = LIMITS, global = true)]
    pub(super) max_line_chars: u64,
    /// Characters of a line in read, bash and truncate; a longer line shows its start [default: no limit]
    #[arg(long, value_name = "N", env = "CUTLINE_MAX_TEXT_LINE_CHARS", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) max_text_line_chars: Option<u64>,
    /// Lines that bash keeps from the start of an output
    #[arg(long, value_name = "N", env = "CUTLINE_BASH_HEAD", default_value_t = 0, help_heading = LIMITS, global = true)]
    pub(super) bash_head: u64,
    /// Lines that bash keeps from the end of an output [default: the rest of --max-lines]
    #[arg(long, value_name = "N", env = "CUTLINE_BASH_TAIL", help_heading = LIMITS, global = true)]
    pub(super) bash_tail: Option<u64>,
    /// Show key lines, the omitted lines that report an error: after a failure and while a command runs, otherwise
    /// only if a line has the form of a failure report
    #[arg(long, value_name = "MODE", env = "CUTLINE_KEY_LINES", action = ArgAction::Set, value_parser = values::one_of(values::AUTO), default_value = "auto", help_heading = OUTPUT, global = true)]
    pub(super) key_lines: bool,
    /// Seconds that a command may run if the call has no timeout [default: 120, or --bash-max-timeout if that is
    /// less]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_BASH_TIMEOUT", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) bash_timeout: Option<u64>,
    /// Longest timeout in seconds that a call can request
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_BASH_MAX_TIMEOUT", value_parser = values::above_zero, default_value_t = limits::BASH_MAX_TIMEOUT_SECS, help_heading = LIMITS, global = true)]
    pub(super) bash_max_timeout: u64,
    /// Environment of commands: inherited, or filtered to remove variables that look like secrets by their name or by
    /// a URL with a password
    #[arg(id = "env", long = "env", value_name = "MODE", env = "CUTLINE_ENV", action = ArgAction::Set, value_parser = values::one_of(values::ENVIRONMENTS), default_value = "inherited", help_heading = SECURITY, global = true)]
    pub(super) filters_environment: bool,
    /// Variable that --env filtered keeps; repeatable
    #[arg(long, value_name = "NAME", env = "CUTLINE_ENV_KEEP", value_parser = values::variable(), value_delimiter = ',', help_heading = SECURITY, global = true)]
    pub(super) env_keep: Vec<String>,
    /// Show images: off returns only their type and size, for clients that pass images on as text [default: the
    /// client's setting]
    #[arg(long, value_name = "MODE", env = "CUTLINE_IMAGES", value_parser = values::one_of(values::SHOWN), help_heading = OUTPUT, global = true)]
    pub(super) images: Option<bool>,
    /// Size of an image that is shown; larger images are scaled down
    #[arg(long, value_name = "SIZE", env = "CUTLINE_MAX_IMAGE_BYTES", value_parser = values::image_size, default_value = "150KB", help_heading = OUTPUT, global = true)]
    pub(super) max_image_bytes: u64,
    /// Seconds after which bash returns while the command keeps running; later output goes to the saved output
    /// [default: 10 % less than the client's timeout]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_ANSWER_WITHIN", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) answer_within: Option<u64>,
    /// Seconds after which read, grep, find and ls return what they have found so far [default: 20, or the client's
    /// limit]
    #[arg(long, value_name = "SECONDS", env = "CUTLINE_SEARCH_TIMEOUT", value_parser = values::above_zero, help_heading = LIMITS, global = true)]
    pub(super) search_timeout: Option<u64>,
    /// List the definitions in the omitted rest of a source file
    #[arg(long, value_name = "MODE", env = "CUTLINE_OUTLINE", action = ArgAction::Set, value_parser = values::one_of(values::AUTO), default_value = "auto", help_heading = OUTPUT, global = true)]
    pub(super) outline: bool,
    /// Where commands may write, enforced by the kernel: read-only only in a temp folder of their own, workspace-write
    /// also in the roots, off anywhere
    #[arg(long, value_name = "MODE", env = "CUTLINE_SANDBOX", value_parser = values::one_of(values::SANDBOXES), default_value = "off", help_heading = SECURITY, global = true)]
    pub(super) sandbox: sandbox::Mode,
    /// More rights to deny to sandboxed commands: unix-sockets, which workspace-write allows
    #[arg(long, value_name = "LIST", env = "CUTLINE_SANDBOX_DENY", value_parser = ["unix-sockets"], value_delimiter = ',', help_heading = SECURITY, global = true)]
    pub(super) sandbox_deny: Vec<String>,
    /// Folder in which sandboxed commands may write, in addition to the roots; repeatable, the variable is a list as in
    /// PATH
    #[arg(long, value_name = "DIR", env = "CUTLINE_WRITABLE", help_heading = SECURITY, global = true)]
    pub(super) writable: Vec<PathBuf>,
    /// Which tools save the full output of a truncated result: bash, or all; grep, find and ls then search to the end
    #[arg(id = "save", long = "save", value_name = "MODE", env = "CUTLINE_SAVE", action = ArgAction::Set, value_parser = values::one_of(values::SAVES), default_value = "bash", help_heading = OUTPUT, global = true)]
    pub(super) saves_all: bool,
    /// Folder for saved outputs; it is created if it does not exist [default: cutline-UID in the temp folder, mode
    /// 0700]
    #[arg(long, value_name = "DIR", env = "CUTLINE_SPILL_DIR", help_heading = OUTPUT, global = true)]
    pub(super) spill_dir: Option<PathBuf>,
    /// Size of one saved output
    #[arg(long, value_name = "SIZE", env = "CUTLINE_SPILL_MAX_FILE", value_parser = values::size, default_value = "1GB", help_heading = OUTPUT, global = true)]
    pub(super) spill_max_file: u64,
    /// Size of all saved outputs together
    #[arg(long, value_name = "SIZE", env = "CUTLINE_SPILL_MAX_TOTAL", value_parser = values::size, default_value = "4GB", help_heading = OUTPUT, global = true)]
    pub(super) spill_max_total: u64,
    /// Age at which a saved output is removed: 7d, 12h, 30m
    #[arg(long, value_name = "TIME", env = "CUTLINE_SPILL_KEEP", value_parser = values::duration, default_value = "7d", help_heading = OUTPUT, global = true)]
    pub(super) spill_keep: Duration,
    /// Threads that one search may use [default: one for each processor]
    #[arg(long, value_name = "N", env = "CUTLINE_WORKERS", value_parser = values::workers, help_heading = LIMITS, global = true)]
    pub(super) workers: Option<u64>,
    /// File to which a line of JSON is added for each call: sizes, limits and durations, no content
    #[arg(long, value_name = "FILE", env = "CUTLINE_STATS_FILE", help_heading = LOGGING, global = true)]
    pub(super) stats_file: Option<PathBuf>,
    /// Log on stderr: error, warn, info, debug, trace or a tracing filter; `RUST_LOG` is read too [default: info on a
    /// terminal, else warn]
    #[arg(long, value_name = "FILTER", env = "CUTLINE_LOG", value_parser = values::log_filter, help_heading = LOGGING, global = true)]
    pub(super) log: Option<Targets>,
}
