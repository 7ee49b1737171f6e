//! The clients whose files are known: a row each, of how its file is written and what it needs.

use super::tree::Format;
use crate::cli::Client;
use crate::cli::Scope::{self, Local, Project, User};
use crate::cli::values::word_of;
use crate::fit;

/// The notation of a client's file.
#[derive(Debug)]
pub(in crate::cli) struct Row {
    /// Its name, as its makers write it.
    pub(in crate::cli) name: &'static str,
    /// The language of its file.
    pub(in crate::cli) format: Format,
    /// The table, or list, that holds all servers.
    pub(super) servers: &'static str,
    /// The field of an entry for the command; with its arguments, where they are one list.
    pub(super) command: CommandForm,
    /// The field and word by which it tells an entry of a program.
    pub(super) kind: Option<(&'static str, &'static str)>,
    /// Fields that are true in an entry, unless they are there.
    pub(super) switches: &'static [&'static str],
    /// Flags that an entry gets, unless it has them or its own timeouts.
    pub(super) flags: &'static [(&'static str, &'static str)],
    /// True if it starts servers in a folder of its own, so that an entry has to name the root.
    pub(super) starts_elsewhere: bool,
    /// The field for how long it waits for an answer.
    pub(super) waits: Option<Waits>,
    /// Its setting for the tokens that an answer may have, beside the servers.
    pub(super) answer_tokens: Option<&'static str>,
    /// The files in which it looks for servers, in the notation of [`places::found`](super::places::found), and the
    /// sessions in which those hold: of two with the same name, that of the first file.
    pub(super) files: &'static [(Scope, &'static str)],
    /// The scope of the file that is written where none is named.
    pub(super) scope: Scope,
}

/// The way in which an entry has its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandForm {
    /// `command` is the program, `args` its arguments.
    Apart,
    /// `command` is both in one list.
    OneList,
}

/// The time that a client waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    /// The field of the entry.
    pub(super) field: &'static str,
    /// Units of that field in a second.
    pub(super) per_second: u64,
    /// True if it is set where it is not: what the client waits by itself is less than a command may take.
    pub(super) is_set: bool,
}

/// Seconds that a client is told to wait: a tenth more than the longest command and what goes with it.
pub(super) const WAIT_SECS: u64 = 700;
/// Tokens that a client is told to take: 30KB at 3 bytes each, which is less than any known text has.
pub(super) const ANSWER_TOKENS: u64 = 10_000;

/// The field of clients that count milliseconds.
const MILLISECONDS: Option<Waits> = Some(Waits { field: "timeout", per_second: 1000, is_set: true });
/// Claude Code's own file, in two parts of which it looks for servers.
const CLAUDE_CODE_FILE: &str = "$CLAUDE_CONFIG_DIR/.claude.json|~/.claude.json";
/// The file of Cline's own program.
const CLINE_FILE: &str = "$CLINE_MCP_SETTINGS_PATH|$CLINE_DATA_DIR/settings/cline_mcp_settings.json|\
    $CLINE_DIR/data/settings/cline_mcp_settings.json|~/.cline/data/settings/cline_mcp_settings.json";

/// The row of most clients.
const COMMON: Row = Row {
    name: "",
    format: Format::Json,
    servers: "mcpServers",
    command: CommandForm::Apart,
    kind: None,
    switches: &[],
    flags: &[],
    starts_elsewhere: false,
    waits: None,
    answer_tokens: None,
    files: &[],
    scope: Project,
};

/// The clients, in the order of [`Client`].
static ROWS: [Row; 10] = [
    Row {
        name: "Claude Desktop",
        // It waits about four minutes.
        flags: &[("--bash-max-timeout", "200")],
        starts_elsewhere: true,
        scope: User,
        files: &[(User, "@/Claude/claude_desktop_config.json")],
        ..COMMON
    },
    Row {
        name: "Claude Code",
        // With many servers it shows the model a tool's name alone, and the rest once the model searched for it.
        switches: &["alwaysLoad"],
        kind: Some(("type", "stdio")),
        waits: Some(Waits { field: "timeout", per_second: 1000, is_set: false }),
        files: &[(Local, CLAUDE_CODE_FILE), (Project, "./.mcp.json"), (User, CLAUDE_CODE_FILE)],
        ..COMMON
    },
    Row { name: "Cursor", files: &[(Project, "./.cursor/mcp.json"), (User, "~/.cursor/mcp.json")], ..COMMON },
    Row {
        name: "VS Code",
        servers: "servers",
        kind: Some(("type", "stdio")),
        files: &[(Project, "./.vscode/mcp.json"), (User, "@/Code/User/mcp.json")],
        ..COMMON
    },
    Row {
        name: "Codex",
        format: Format::Toml,
        servers: "mcp_servers",
        switches: &["supports_parallel_tool_calls"],
        waits: Some(Waits { field: "tool_timeout_sec", per_second: 1, is_set: true }),
        answer_tokens: Some("tool_output_token_limit"),
        scope: User,
        files: &[(Project, "./.codex/config.toml"), (User, "$CODEX_HOME/config.toml|~/.codex/config.toml")],
        ..COMMON
    },
    Row {
        name: "opencode",
        servers: "mcp",
        command: CommandForm::OneList,
        kind: Some(("type", "local")),
        switches: &["enabled"],
        files: &[
            (Project, "./opencode.json"),
            (Project, "./opencode.jsonc"),
            (Project, "./.opencode/opencode.json"),
            (Project, "./.opencode/opencode.jsonc"),
            (User, "$XDG_CONFIG_HOME/opencode/opencode.json|~/.config/opencode/opencode.json"),
            (User, "$XDG_CONFIG_HOME/opencode/opencode.jsonc|~/.config/opencode/opencode.jsonc"),
        ],
        ..COMMON
    },
    Row {
        name: "Gemini CLI",
        waits: MILLISECONDS,
        files: &[
            (Project, "./.gemini/settings.json"),
            (User, "$GEMINI_CLI_HOME/.gemini/settings.json|~/.gemini/settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Qwen Code",
        // Without it the model sees no tool before it has searched for it.
        switches: &["alwaysLoadTools"],
        waits: MILLISECONDS,
        files: &[
            (Project, "./.qwen/settings.json"),
            (User, "$QWEN_HOME/settings.json|~/.qwen/settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Cline",
        waits: Some(Waits { field: "timeout", per_second: 1, is_set: true }),
        scope: User,
        files: &[
            (User, CLINE_FILE),
            (User, "@/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
        ],
        ..COMMON
    },
    Row {
        name: "Continue",
        format: Format::Yaml,
        scope: User,
        files: &[
            (Project, "./.continue/mcpServers/cutline.yaml"),
            (Project, "./.continue/mcpServers/*"),
            (User, "$CONTINUE_GLOBAL_DIR/config.yaml|~/.continue/config.yaml"),
            (User, "$CONTINUE_GLOBAL_DIR/mcpServers/*|~/.continue/mcpServers/*"),
        ],
        ..COMMON
    },
];

impl Client {
    /// Returns its row in the table of fits, where it has one.
    pub(in crate::cli) fn fit(self) -> Option<&'static fit::Client> {
        fit::Client::of_id(&word_of(&self))
    }

    /// Returns how its file is written.
    #[expect(clippy::indexing_slicing, reason = "a row for each")]
    pub(in crate::cli) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}
